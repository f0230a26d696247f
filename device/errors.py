"""What can go wrong between us and a phone, and whose turn it is.

DeviceError
├── ServerUnavailable      no adb server answers and none could be started
├── DeviceNotFound         the serial is not listed
├── DeviceOffline          listed, but its link is down
├── DeviceUnauthorized     the phone waits for its owner to allow debugging
├── LinkLost               the link broke while we were talking
├── DeadlineExceeded       no answer in time
├── CommandRefused         the phone or adb server said no, in its own words
├── AutomationBusy         another program holds the phone's UiAutomation
├── AutomationDied         the phone's server ended
├── InjectionRefused       the phone does not let us touch it
├── AppNotFound            no such app
├── AppAmbiguous           several apps fit
├── LaunchFailed           the app did not come to the front
├── NoFocusedField         typing has nowhere to go
├── TextNotLanded          the field holds something else than was typed
├── UnsupportedText        no way to type these characters on this phone
├── StaleView              the screen has changed its size or rotation since the view was taken
└── BadFrame               the phone sent a picture that cannot be read
"""

from __future__ import annotations


class DeviceError(Exception):
    """A phone could not do what was asked. `advice` says what a person can do about it."""

    retryable = False
    code = "device-error"

    def __init__(self, message: str, *, serial: str = "", advice: str = "") -> None:
        super().__init__(message)
        self.serial = serial
        self.advice = advice


class ServerUnavailable(DeviceError):
    code = "adb-server-unavailable"
    retryable = True


class DeviceNotFound(DeviceError):
    code = "device-not-found"


class DeviceOffline(DeviceError):
    code = "device-offline"
    retryable = True


class DeviceUnauthorized(DeviceError):
    code = "device-unauthorized"


class LinkLost(DeviceError):
    code = "device-link-lost"
    retryable = True


class DeadlineExceeded(DeviceError):
    code = "device-timeout"
    retryable = True


class CommandRefused(DeviceError):
    code = "device-refused"


class AutomationBusy(DeviceError):
    code = "automation-busy"


class AutomationDied(DeviceError):
    code = "automation-died"
    retryable = True


class InjectionRefused(DeviceError):
    code = "injection-refused"


class AppNotFound(DeviceError):
    code = "app-not-found"


class AppAmbiguous(DeviceError):
    code = "app-ambiguous"


class LaunchFailed(DeviceError):
    code = "app-launch-failed"


class NoFocusedField(DeviceError):
    code = "no-focused-field"


class TextNotLanded(DeviceError):
    code = "text-not-landed"


class UnsupportedText(DeviceError):
    code = "unsupported-text"


class StaleView(DeviceError):
    code = "stale-view"


class BadFrame(DeviceError):
    code = "bad-frame"
    retryable = True
