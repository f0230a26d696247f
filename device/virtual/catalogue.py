"""The apps that come with the phone."""

from __future__ import annotations

from device.virtual.apps.contacts import Contacts
from device.virtual.apps.settings import Settings
from device.virtual.core.app import App
from device.virtual.shell import Keyboard, Launcher, PermissionController, SystemUi


def standard_apps() -> tuple[App, ...]:
    """A fresh set, the launcher first."""
    return (Launcher(), SystemUi(), PermissionController(), Keyboard(), Settings(), Contacts())
