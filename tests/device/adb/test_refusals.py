"""Every way in which adb and phones were heard to say no, and the error it means."""

from __future__ import annotations

from collections.abc import Iterator

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
    ("Failure [INSTALL_FAILED_USER_RESTRICTED: Install canceled by user]", errors.InstallRefused),
    ("Failure [DELETE_FAILED_INTERNAL_ERROR]", errors.InstallRefused),
    ("Error type 3\nError: Activity class {com.a/.B} does not exist.", errors.LaunchFailed),
    ("No activity found", errors.AppNotFound),
    ("** No activities found to run, monkey aborted.", errors.AppNotFound),
    ("ERROR: null root node returned by UiTestAutomationBridge.", errors.NoTree),
    ("Killed", errors.AutomationDied),
    ("Failed to take screenshot. Status: -38", errors.BadFrame),
    ("protocol fault (couldn't read status): Success", errors.LinkLost),
    ("cannot connect to daemon at tcp:5037: Connection refused", errors.ServerUnavailable),
    ("remote couldn't create file: No space left on device", errors.CommandRefused),
    ("java.lang.SecurityException: Permission denial: writing to settings requires:x", errors.CommandRefused),
    ("sh: uiautomator: inaccessible or not found", errors.CommandRefused),
    ("java.lang.StackOverflowError: stack size 1039KB", errors.CommandRefused),
    ("something that nobody has heard yet", errors.CommandRefused),
    ("adbd cannot run as root in production builds", errors.CommandRefused),
]


@pytest.mark.parametrize("words, kind", HEARD)
def test_words_mean_this_error(words: str, kind: type[errors.DeviceError]) -> None:
    error = translated(words, serial="S")
    assert type(error) is kind
    assert error.serial == "S" and words.splitlines()[0] in str(error)


def kinds(of: type[errors.DeviceError]) -> Iterator[type[errors.DeviceError]]:
    for kind in of.__subclasses__():
        yield kind
        yield from kinds(kind)


@pytest.mark.parametrize("kind", [errors.DeviceError, *kinds(errors.DeviceError)])
def test_every_error_tells_the_phone_what_was_being_done_and_what_a_person_can_do(
    kind: type[errors.DeviceError],
) -> None:
    error = kind("it did not work", serial="S", doing="looking")
    assert (error.serial, error.doing) == ("S", "looking") and error.advice
    assert kind("x", advice="Do this.").advice == "Do this."
    assert kind.__name__ in str(errors.__doc__), "the tree at the top of the file shows it"


def test_every_error_has_a_code_of_its_own() -> None:
    codes = [kind.code for kind in kinds(errors.DeviceError)]
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize("words, kind", HEARD)
def test_every_known_refusal_advises(words: str, kind: type[errors.DeviceError]) -> None:
    assert translated(words).advice


@given(words=st.text())
def test_any_words_give_an_error_with_words(words: str) -> None:
    error = translated(words)
    assert isinstance(error, errors.DeviceError) and str(error)
