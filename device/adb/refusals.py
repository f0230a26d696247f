"""The words with which adb and phones say no, and the errors they mean: one table.

Source of the texts: measured against adb 29.0.6 and 36.0.0 and uiautomator2 3.7.1, and recorded from public issue
threads.
"""

from __future__ import annotations

import re

from device import errors

_TABLE: tuple[tuple[str, type[errors.DeviceError], str], ...] = (
    (r"cannot connect to daemon", errors.ServerUnavailable, "Start one: adb start-server."),
    (
        r"device unauthorized|failed to authenticate|device still authorizing",
        errors.DeviceUnauthorized,
        "Unlock the phone and allow USB debugging for this computer.",
    ),
    (
        r"(?i)\bno permissions\b|insufficient permissions for device",
        errors.DeviceUnauthorized,
        "This user may not open the USB device; on Linux, add a udev rule for it.",
    ),
    (
        r"device offline|device still connecting",
        errors.DeviceOffline,
        "Reconnect: adb disconnect, then adb connect.",
    ),
    (
        r"device '.*' not found|no devices/emulators found|no such device|unknown device",
        errors.DeviceNotFound,
        "List the phones: tapwright devices. Connect one: adb connect HOST:PORT.",
    ),
    (
        r"failed to connect|unable to connect|failed to resolve|Connection refused",
        errors.DeviceNotFound,
        "Check the address, and that debugging is on at the phone.",
    ),
    (
        r"already registered",
        errors.AutomationBusy,
        "Another program drives this phone (Appium, uiautomator, another agent). End it, or restart the phone.",
    ),
    (r"could not get idle state", errors.AutomationBusy, "The screen never stands still; try again."),
    (r"null root node|^ERROR: null", errors.NoTree, "No window can be read; wake the phone, or go on by the picture."),
    (
        r"^(?:Killed|Aborted)\b",
        errors.AutomationDied,
        "The phone ended it, as on screens too large for it; go on by the picture.",
    ),
    (
        r"UiAutomation not connected|DeadObjectException|DeadSystemRuntimeException",
        errors.AutomationDied,
        "It is started again by the next look.",
    ),
    (
        r"INJECT_EVENTS",
        errors.InjectionRefused,
        'Turn on "USB debugging (Security settings)" in the phone\'s developer options; it may need a restart.',
    ),
    (
        r"Attempt to get length of null array",
        errors.UnsupportedText,
        "`input text` only knows the characters of the phone's key map.",
    ),
    (
        r"INSTALL_(?:PARSE_)?FAILED|DELETE_FAILED|Install canceled by user",
        errors.InstallRefused,
        'Watch the phone\'s screen, and turn on "Install via USB" in its developer options.',
    ),
    (
        r"Error type 3\b|Activity class \{.*\} does not exist|unable to resolve Intent|Activity not started",
        errors.LaunchFailed,
        "The app has no such screen; open it by hand once to see.",
    ),
    (
        r"(?i)no activit(?:y|ies) found|unknown package|Package \S+ (?:not found|could not be found)",
        errors.AppNotFound,
        "Install it, or give the exact package name.",
    ),
    (r"Failed to take screenshot", errors.BadFrame, "See whether it can be captured by hand: adb exec-out screencap."),
    (
        r"(?i)protocol fault|connection reset|broken pipe|^error: closed$",
        errors.LinkLost,
        "Check the cable or the network, and look again.",
    ),
    (r"No space left on device", errors.CommandRefused, "Make room on the phone."),
    (
        r"Permission [Dd]enial|SecurityException|Permission denied|Read-only file system",
        errors.CommandRefused,
        "The phone does not allow it to programs over USB; its developer options may.",
    ),
    (
        r"inaccessible or not found|: not found$|Can't find service",
        errors.CommandRefused,
        "This phone's system does not have it; a newer one may.",
    ),
    (r"StackOverflowError", errors.CommandRefused, "The screen's tree is too deep; go on by the picture."),
    (r"more than one device", errors.CommandRefused, "Name the phone by its serial: tapwright devices lists them."),
    (r"^closed$", errors.CommandRefused, "The phone does not offer this service, or it is going away."),
)


def translated(words: str, *, serial: str = "") -> errors.DeviceError:
    """The error that these words mean; unmatched words are kept in a CommandRefused."""
    text = words.strip()
    for pattern, kind, advice in _TABLE:
        if re.search(pattern, text):
            return kind(text, serial=serial, advice=advice)
    return errors.CommandRefused(text or "refused without a word", serial=serial)
