"""The phone as the layers above see it: one verb to look, one to act."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from device.actions import Action
from device.errors import BlockedByDialog, Locked, NoTree, ScreenOff, SecureScreen, StateError
from device.frame import Foreground, Frame
from device.geometry import Size


class Answer(StrEnum):
    """What is known about something that happened out of sight."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class State(StrEnum):
    """A condition of the phone that changes what can be done. ADVICE says what the caller can do about each."""

    SCREEN_OFF = "screen_off"
    DOZING = "dozing"
    SCREENSAVER = "screensaver"
    LOCKED = "locked"
    LOCKED_SECURE = "locked_secure"
    NOT_RESPONDING = "not_responding"
    CRASHED = "crashed"
    PERMISSION = "permission"
    SHADE = "shade"
    SECURE = "secure"
    NO_TREE = "no_tree"
    SCREEN_READER = "screen_reader"
    RESTLESS = "restless"
    KEYBOARD = "keyboard"


ADVICE: Mapping[State, str] = {
    State.SCREEN_OFF: "Wake the phone with the key WAKE; touches are lost while its screen is off.",
    State.DOZING: "Wake the phone with the key WAKE; it shows at most a clock, and touches are lost.",
    State.SCREENSAVER: "Any touch or key ends the screen saver; do that first, and look again.",
    State.LOCKED: "Prepare the phone with `unlock`, or swipe up; apps open behind the lock screen until then.",
    State.LOCKED_SECURE: "Ask the owner to unlock it by hand: a PIN, pattern or password is never typed for them.",
    State.NOT_RESPONDING: "Wait, or close the app, by the buttons of the dialog; nothing below it can be touched.",
    State.CRASHED: "Close the dialog by its button; the app has ended and can be opened again.",
    State.PERMISSION: "Let the owner decide: allowing lets the app read or record something of theirs.",
    State.SHADE: "Close the notifications with the key BACK to reach the app below.",
    State.SECURE: "The app forbids pictures. Go on by the tree, or let the owner do this part by hand.",
    State.NO_TREE: "Go on by the picture alone: marks come from reading it.",
    State.SCREEN_READER: "A screen reader speaks. It is left alone: no tree is read unless the owner consents.",
    State.RESTLESS: "Something keeps moving. What is seen may be half of a change; wait and look again if it matters.",
    State.KEYBOARD: "The keyboard covers the lower part; the key BACK puts it away.",
}
"""What the caller can do: one sentence for each state."""

MEANING: Mapping[State, type[StateError]] = {
    State.SCREEN_OFF: ScreenOff,
    State.DOZING: ScreenOff,
    State.LOCKED: Locked,
    State.NOT_RESPONDING: BlockedByDialog,
    State.CRASHED: BlockedByDialog,
    State.PERMISSION: BlockedByDialog,
    State.SHADE: BlockedByDialog,
    State.SECURE: SecureScreen,
    State.NO_TREE: NoTree,
}
"""The error of a caller who cannot go on in a state; states that hinder nobody are not here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What one look gave. `tree` is a uiautomator dump (XML), or None with the reason in `tree_reason`.

    `details` tells more about a state, such as the app that does not respond. `notes` say what was doubtful or
    mended on the way. `late_change`: the screen moved only after the last act had been judged to change nothing,
    so that judgement was wrong or premature.
    """

    frame: Frame
    tree: str | None
    tree_reason: str = ""
    states: frozenset[State] = frozenset()
    details: Mapping[State, str] = field(default_factory=dict)
    stable: bool = True
    late_change: bool = False
    notes: tuple[str, ...] = ()
    timings: dict[str, float] = field(default_factory=dict)

    def demand(self, *hindering: State, serial: str = "", doing: str = "") -> None:
        """For callers who cannot go on in these states. Raises the StateError of the first that holds."""
        found = next((state for state in hindering if state in self.states), None)
        if found is not None:
            raise state_error(found, self.details.get(found, ""), serial=serial, doing=doing)

    @property
    def foreground(self) -> Foreground:
        return self.frame.foreground

    @property
    def keyboard(self) -> bool | None:
        return self.frame.keyboard


def state_error(state: State, detail: str = "", *, serial: str = "", doing: str = "") -> StateError:
    """What a state means for somebody whom it hinders."""
    kind = MEANING.get(state, StateError)
    message = f"{state.replace('_', ' ')}: {detail}" if detail else f"the phone's state is: {state.replace('_', ' ')}"
    if kind is BlockedByDialog:
        return BlockedByDialog(message, serial=serial, advice=ADVICE[state], doing=doing, dialog=state)
    return kind(message, serial=serial, advice=ADVICE[state], doing=doing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one act. `elapsed` seconds include settling; `landed` is the field's text after typing.

    `landed` is None where it was not or may not be read (password fields); `expected` is what the field should hold
    when it holds something else.
    """

    sent: Answer
    path: str
    changed: Answer
    settled: bool | None = None
    landed: str | None = field(default=None, repr=False)
    expected: str | None = field(default=None, repr=False)
    elapsed: float = 0.0
    note: str = ""
    timings: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceInfo:
    """Facts that hold as long as the phone is connected. `size` is the natural one."""

    serial: str
    model: str
    sdk: int
    size: Size
    density: int
    virtual: bool = False
    accessibility_services: tuple[str, ...] = ()
    capabilities: frozenset[str] = frozenset()


class Device(Protocol):
    """A phone. Coordinates are fractions of the frame they were chosen on."""

    @property
    def serial(self) -> str: ...

    async def describe(self) -> DeviceInfo: ...

    async def observe(self, *, tree: bool = True) -> View:
        """Look once the screen stands still. Raises DeviceError."""
        ...

    async def act(self, action: Action, on: View | None = None) -> Outcome:
        """Do it at most once, wait until the screen settles, say what changed.

        With `on`, a screen of another size or rotation than that view's raises StaleView before anything is
        sent. A lost answer is `sent=unknown`, not an error; nothing is ever sent twice. Raises DeviceError
        when the phone certainly did not receive it.
        """
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """What may be changed on a phone for the time of its use, each only when asked for, each undone by `restore`.

    Waking and unlocking are not undone. A lock that only its owner can open is not opened.
    """

    wake: bool = False
    unlock: bool = False
    animations_off: bool = False
    stay_awake: bool = False
    lock_rotation: bool = False
    show_touches: bool | None = None


class Preparable(Protocol):
    """A phone whose own settings may be changed for a while."""

    async def prepare(self, wanted: Preparation) -> None:
        """Write each change into the journal, then make it. Raises Locked, DeviceError."""
        ...

    async def restore(self) -> None:
        """Put back everything that is still as we made it. Raises DeviceError."""
        ...


class FrameSource(Protocol):
    """Pictures for people who watch, as they come.

    The seam for other sources: one that decodes a stream of H.264 (scrcpy's server, for instance) yields its decoded
    pictures as `image/x-rgba` frames of the screen's own size and rotation, the newest only, and none twice.
    """

    def frames(self, fps: float) -> AsyncIterator[Frame]:
        """At most `fps` frames a second (2 to 30), each taken when asked for. Raises DeviceError."""
        ...
