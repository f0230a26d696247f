"""Packages without screens of their own: the one behind the bars, the shade and the lock screen, and the keyboard."""

from __future__ import annotations

from device.virtual.apps.words import words
from device.virtual.core.app import App


class SystemUi(App):
    """Its views are the functions of this package."""

    package = "com.android.systemui"
    label = words("System UI", "系统界面")
    system = True
    launchable = False


class Keyboard(App):
    """The input method behind the on-screen keyboard."""

    package = "org.tapwright.keyboard"
    label = words("Tapwright Keyboard", "Tapwright 键盘")
    icon = "keyboard"
    system = True
    launchable = False
