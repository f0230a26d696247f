"""The system's own views: each a function of world, screen state and environment, in a window of its own."""

from device.virtual.shell.bars import navigation_bar, navigation_height, status_bar
from device.virtual.shell.keyboard import keyboard
from device.virtual.shell.launcher import HomeItem, Launcher
from device.virtual.shell.lock import lock_screen
from device.virtual.shell.shade import shade
from device.virtual.shell.systemui import Keyboard, SystemUi
from device.virtual.shell.toast import toast

__all__ = [
    "HomeItem",
    "Keyboard",
    "Launcher",
    "SystemUi",
    "keyboard",
    "lock_screen",
    "navigation_bar",
    "navigation_height",
    "shade",
    "status_bar",
    "toast",
]
