"""What can go wrong between us and a phone, and whose turn it is.

DeviceError
├── ServerUnavailable      no adb server answers and none could be started
├── DeviceBusy             somebody else of this service holds the phone
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
├── InstallRefused         the phone did not install or remove an app
├── NoFocusedField         typing has nowhere to go
├── TextNotLanded          the field holds something else than was typed
├── UnsupportedText        no way to type these characters on this phone
├── StaleView              the screen has changed its size or rotation since the view was taken
├── BadFrame               the phone sent a picture that cannot be read
└── StateError             the state of the phone forbids it
    ├── ScreenOff          there is nothing to see or to touch
    ├── Locked             the lock screen is in front
    ├── BlockedByDialog    a dialog of the system takes what is meant for the app
    ├── SecureScreen       the app forbids pictures, and the caller needs one
    └── NoTree             there is no accessibility tree, and the caller needs one

Every error tells the phone (`serial`), what was being done (`doing`) and what a person can do about it (`advice`:
the raiser's own words, else those of the kind).
"""

from __future__ import annotations


class DeviceError(Exception):
    """A phone could not do what was asked. `advice` says what a person can do about it."""

    retryable = False
    code = "device-error"
    mending = "Look at the phone; `tapwright doctor` checks what it can do."
    """The advice of an error whose raiser has no better one."""

    def __init__(self, message: str, *, serial: str = "", advice: str = "", doing: str = "") -> None:
        super().__init__(message)
        self.serial = serial
        self.advice = advice or self.mending
        self.doing = doing


class ServerUnavailable(DeviceError):
    code = "adb-server-unavailable"
    retryable = True
    mending = "Start the adb server: adb start-server."


class DeviceNotFound(DeviceError):
    code = "device-not-found"
    mending = "Connect the phone; `tapwright devices` lists those that are known."


class DeviceOffline(DeviceError):
    code = "device-offline"
    retryable = True
    mending = "Wait a moment, plug it in again, or reconnect: adb disconnect, then adb connect."


class DeviceUnauthorized(DeviceError):
    code = "device-unauthorized"
    mending = "Unlock the phone and allow USB debugging for this computer."


class LinkLost(DeviceError):
    code = "device-link-lost"
    retryable = True
    mending = "Check the cable or the network, and look again."


class DeadlineExceeded(DeviceError):
    code = "device-timeout"
    retryable = True
    mending = "See whether the phone still reacts."


class CommandRefused(DeviceError):
    code = "device-refused"
    mending = "The phone's own words say why."


class AutomationBusy(DeviceError):
    code = "automation-busy"
    mending = "Another program drives this phone; end it, or restart the phone."


class AutomationDied(DeviceError):
    code = "automation-died"
    retryable = True
    mending = "It is started again by the next look."


class InjectionRefused(DeviceError):
    code = "injection-refused"
    mending = "Allow input over USB debugging in the phone's developer options."


class AppNotFound(DeviceError):
    code = "app-not-found"
    mending = "Give the exact package name."


class AppAmbiguous(DeviceError):
    code = "app-ambiguous"
    mending = "Give the package name."


class LaunchFailed(DeviceError):
    code = "app-launch-failed"
    mending = "Open it by hand once: it may ask for something first."


class InstallRefused(DeviceError):
    code = "install-refused"
    mending = "Watch the phone's screen while it installs: it may ask its owner."


class NoFocusedField(DeviceError):
    code = "no-focused-field"
    mending = "Tap the field first."


class TextNotLanded(DeviceError):
    """`expected` and `got` are what the field should hold and what it holds; None for a password. Never logged."""

    code = "text-not-landed"
    mending = "The field may limit or correct what is typed; look at it."

    def __init__(
        self,
        message: str,
        *,
        serial: str = "",
        advice: str = "",
        doing: str = "",
        expected: str | None = None,
        got: str | None = None,
    ) -> None:
        super().__init__(message, serial=serial, advice=advice, doing=doing)
        self.expected = expected
        self.got = got


class UnsupportedText(DeviceError):
    code = "unsupported-text"
    mending = "Set or paste it: that needs UiAutomation or an ADB keyboard."


class StaleView(DeviceError):
    code = "stale-view"
    mending = "Look again."


class BadFrame(DeviceError):
    code = "bad-frame"
    retryable = True
    mending = "See whether its screen can be captured by hand: adb exec-out screencap -p"


class DeviceBusy(DeviceError):
    code = "device-in-use"
    mending = "One owner per phone: end the other use of it, or wait for its end."


class StateError(DeviceError):
    """The state of the phone forbids it; nothing was sent."""

    code = "device-state"


class ScreenOff(StateError):
    code = "screen-off"
    mending = "Wake the phone: press its power button, or send the key WAKE."


class Locked(StateError):
    """`secure`: only the owner's PIN, pattern, password or finger opens it."""

    code = "device-locked"
    mending = "Unlock the phone by hand; its PIN is never typed for you."

    def __init__(
        self, message: str, *, serial: str = "", advice: str = "", doing: str = "", secure: bool = True
    ) -> None:
        super().__init__(message, serial=serial, advice=advice, doing=doing)
        self.secure = secure


class BlockedByDialog(StateError):
    """`dialog` is the state that names it, such as `not_responding`."""

    code = "blocked-by-dialog"
    mending = "Look again and answer the dialog first."

    def __init__(self, message: str, *, serial: str = "", advice: str = "", doing: str = "", dialog: str = "") -> None:
        super().__init__(message, serial=serial, advice=advice, doing=doing)
        self.dialog = dialog


class SecureScreen(StateError):
    code = "screen-protected"
    mending = "Go on by the tree, or let the owner do this part by hand."


class NoTree(StateError):
    code = "no-tree"
    mending = "Go on by the picture alone."
