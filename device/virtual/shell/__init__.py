"""The system's own views: each a function of world, screen state and environment, in a window of its own."""

from device.virtual.shell.bars import navigation_bar, navigation_height, status_bar
from device.virtual.shell.heads_up import heads_up
from device.virtual.shell.keyboard import keyboard
from device.virtual.shell.launcher import HomeItem, Launcher
from device.virtual.shell.lock import ambient, dream, lock_screen, pin_pad
from device.virtual.shell.permission import PermissionController
from device.virtual.shell.shade import shade
from device.virtual.shell.systemui import Keyboard, SystemUi
from device.virtual.shell.toast import toast
from device.virtual.shell.trouble import error_dialog
from device.virtual.shell.veil import VEILS

__all__ = [
    "VEILS",
    "HomeItem",
    "Keyboard",
    "Launcher",
    "PermissionController",
    "SystemUi",
    "ambient",
    "dream",
    "error_dialog",
    "heads_up",
    "keyboard",
    "lock_screen",
    "navigation_bar",
    "navigation_height",
    "pin_pad",
    "shade",
    "status_bar",
    "toast",
]
