"""Every way in which adb and phones were heard to say no, and the error it means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device import errors
from device.adb.refusals import translated

HEARD: list[tuple[str, type[errors.DeviceError]]] = [
    ("device 'X' not found", errors.DeviceNotFound),
    ("no devices/emulators found", errors.DeviceNotFound),
    ("no such device 'X'", errors.DeviceNotFound),
    ("more than one device/emulator", errors.CommandRefused),
    ("device offline", errors.DeviceOffline),
    ("device still connecting", errors.DeviceOffline),
    ("device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set", errors.DeviceUnauthorized),
    ("device still authorizing", errors.DeviceUnauthorized),
    ("failed to authenticate to 10.0.0.2:5555", errors.DeviceUnauthorized),
    ("insufficient permissions for device: user in plugdev group", errors.DeviceUnauthorized),
    ("closed", errors.CommandRefused),
    ("failed to connect to '10.0.0.2:5555': Connection refused", errors.DeviceNotFound),
    ("failed to connect to 10.0.0.2:5555", errors.DeviceNotFound),
    ("failed to resolve host: 'x': Name or service not known", errors.DeviceNotFound),
    ("unable to connect to 10.0.0.2:5555", errors.DeviceNotFound),
    ("java.lang.IllegalStateException: UiAutomationService x already registered!", errors.AutomationBusy),
    ("ERROR: could not get idle state.", errors.AutomationBusy),
    ("java.lang.IllegalStateException: UiAutomation not connected!", errors.AutomationDied),
    ("android.os.DeadObjectException", errors.AutomationDied),
    ("android.os.DeadSystemRuntimeException: x", errors.AutomationDied),
    (
        "java.lang.SecurityException: Injecting input events requires the caller to have the INJECT_EVENTS permission.",
        errors.InjectionRefused,
    ),
    (
        "Exception occurred while executing 'text':\n"
        "java.lang.NullPointerException: Attempt to get length of null array",
        errors.UnsupportedText,
    ),
    ("Failure [INSTALL_FAILED_USER_RESTRICTED: Install canceled by user]", errors.CommandRefused),
    ("adbd cannot run as root in production builds", errors.CommandRefused),
]


@pytest.mark.parametrize("words, kind", HEARD)
def test_words_mean_this_error(words: str, kind: type[errors.DeviceError]) -> None:
    error = translated(words, serial="S")
    assert type(error) is kind
    assert error.serial == "S" and words.splitlines()[0] in str(error)


@pytest.mark.parametrize("words, kind", [one for one in HEARD if one[1] is not errors.CommandRefused])
def test_every_known_refusal_advises(words: str, kind: type[errors.DeviceError]) -> None:
    assert translated(words).advice.endswith((".", ".)"))


@given(words=st.text())
def test_any_words_give_an_error_with_words(words: str) -> None:
    error = translated(words)
    assert isinstance(error, errors.DeviceError) and str(error)
