"""The words with which adb and phones say no, and the errors they mean: one table.

Source of the texts: measured against adb 29.0.6 and 36.0.0 and uiautomator2 3.7.1, and recorded from public issue
threads.
"""

from __future__ import annotations

import re

from device import errors

_TABLE: tuple[tuple[str, type[errors.DeviceError], str], ...] = (
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
    (r"^closed$", errors.CommandRefused, "The phone does not offer this service, or it is going away."),
)


def translated(words: str, *, serial: str = "") -> errors.DeviceError:
    """The error that these words mean; unmatched words are kept in a CommandRefused."""
    text = words.strip()
    for pattern, kind, advice in _TABLE:
        if re.search(pattern, text):
            return kind(text, serial=serial, advice=advice)
    return errors.CommandRefused(text or "refused without a word", serial=serial)
