"""The phone as the layers above see it: one verb to look, one to act."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from device.actions import Action
from device.frame import Foreground, Frame
from device.geometry import Size


class Answer(StrEnum):
    """What is known about something that happened out of sight."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class State(StrEnum):
    """A condition of the phone that changes what can be done."""

    LOCKED = "locked"
    SCREEN_OFF = "screen_off"
    SECURE = "secure"
    NO_TREE = "no_tree"
    RESTLESS = "restless"
    KEYBOARD = "keyboard"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What one look gave. `tree` is a uiautomator dump (XML), or None with the reason in `tree_reason`."""

    frame: Frame
    tree: str | None
    tree_reason: str = ""
    states: frozenset[State] = frozenset()
    stable: bool = True
    timings: dict[str, float] = field(default_factory=dict)

    @property
    def foreground(self) -> Foreground:
        return self.frame.foreground

    @property
    def keyboard(self) -> bool | None:
        return self.frame.keyboard


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one act. `elapsed` seconds include settling; `landed` is the field's text after typing.

    `landed` is None where it was not or may not be read (password fields).
    """

    sent: Answer
    path: str
    changed: Answer
    settled: bool | None = None
    landed: str | None = field(default=None, repr=False)
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
