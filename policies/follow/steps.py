"""What `follow` can do: a closed union of steps, and how each is said."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import assert_never

from device.actions import Key


class Direction(StrEnum):
    """Where the finger goes. To see what lies further down, the finger goes up."""

    UP = "up"
    DOWN = "down"
    LEFT = "left"
    RIGHT = "right"

    @property
    def opposite(self) -> Direction:
        return _OPPOSITE[self]


_OPPOSITE = {
    Direction.UP: Direction.DOWN,
    Direction.DOWN: Direction.UP,
    Direction.LEFT: Direction.RIGHT,
    Direction.RIGHT: Direction.LEFT,
}


class Gesture(StrEnum):
    TAP = "tap"
    DOUBLE_TAP = "double-tap"
    HOLD = "hold"


@dataclass(frozen=True, slots=True)
class Open:
    app: str


@dataclass(frozen=True, slots=True)
class Touch:
    target: str
    gesture: Gesture = Gesture.TAP


@dataclass(frozen=True, slots=True)
class Toggle:
    target: str
    on: bool


@dataclass(frozen=True, slots=True)
class Type:
    """Put a text into the field `into`, or where that is empty into the focused one.

    In `type Meet me in Paris` the last words may belong to the text or name a field: `tail` holds what stands
    before and behind the last "in", for the screen to decide.
    """

    text: str = field(repr=False)
    into: str = ""
    tail: tuple[str, str] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Clear:
    """Empty the field, or where the name is empty the focused one."""

    target: str


@dataclass(frozen=True, slots=True)
class Scroll:
    """Move the finger: once, until `to` is in view, or with `end` until nothing more comes.

    `content`: it was told as scrolling, which names the way of the eye and not of the finger.
    """

    finger: Direction
    to: str = ""
    end: bool = False
    content: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Press:
    key: Key


@dataclass(frozen=True, slots=True)
class Pause:
    seconds: float


@dataclass(frozen=True, slots=True)
class Check:
    """Make sure that the words are on the screen."""

    target: str


Step = Open | Touch | Toggle | Type | Clear | Scroll | Press | Pause | Check

_SAID = {
    Gesture.TAP: ("tap", "tapped", "Tapping"),
    Gesture.DOUBLE_TAP: ("double-tap", "double-tapped", "Double-tapping"),
    Gesture.HOLD: ("hold", "held", "Holding"),
}


def order(step: Step) -> str:
    """The step as an order, without typed text: "tap Save", "type the text into Phone"."""
    return _phrase(step, 0)


def past(step: Step) -> str:
    """The step as it is told afterwards: "tapped Save"."""
    return _phrase(step, 1)


def doing(step: Step) -> str:
    """The step while it is done: "Tapping Save"."""
    return _phrase(step, 2)


def _phrase(step: Step, form: int) -> str:
    match step:
        case Open(app):
            return f"{('open', 'opened', 'Opening')[form]} {app}"
        case Touch(target, gesture):
            return f"{_SAID[gesture][form]} {target}"
        case Toggle(target, on):
            return f"{('turn', 'turned', 'Turning')[form]} {'on' if on else 'off'} {target}"
        case Type(_, into):
            return f"{('type', 'typed', 'Typing')[form]} the text{f' into {into}' if into else ''}"
        case Clear(name):
            return f"{('clear', 'cleared', 'Clearing')[form]} {name or 'the field'}"
        case Scroll(finger, to, end, content):
            verb = ("scroll", "scrolled", "Scrolling")[form] if content else ("swipe", "swiped", "Swiping")[form]
            way = finger.opposite if content else finger
            return f"{verb} {way}{f' to {to}' if to else ' to the end' if end else ''}"
        case Press(key):
            return f"{('press', 'pressed', 'Pressing')[form]} {key.value}"
        case Pause(seconds):
            verb = ("wait", "waited", "Waiting")[form]
            return f"{verb} {seconds:g} second{'' if seconds == 1 else 's'}"
        case Check(target):
            return f"{('check', 'checked', 'Checking')[form]} that {target} is shown"
        case _:
            assert_never(step)
