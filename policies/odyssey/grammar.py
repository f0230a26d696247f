"""The words OdysseyAgent answers with, and those of its data set: read strictly, written as published.

Source: OpenGVLab/GUI-Odyssey, data/format_converter.py (`decode_action`), introduction.md. Coordinates are
thousandths of each axis, right and down. SCROLL says where the finger goes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, assert_never

Direction = Literal["UP", "DOWN", "LEFT", "RIGHT"]
KeyName = Literal["HOME", "BACK", "RECENT"]
THOUSAND = 1000

_PLACE = re.compile(r"(CLICK|LONG_PRESS) *: *[(\[] *([0-9]{1,4}) *, *([0-9]{1,4}) *[)\]]")
_SCROLL = re.compile(r"SCROLL *: *(UP|DOWN|LEFT|RIGHT)", re.IGNORECASE)
_TYPE = re.compile(r"(?:TYPE|TEXT) *: ?(.*)", re.DOTALL)


class NoAct(ValueError):
    """The text is none of the answers; the message says which there are."""


@dataclass(frozen=True, slots=True)
class Click:
    """`x` and `y` in thousandths, 0 to 1000."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class LongPress:
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Scroll:
    finger: Direction


@dataclass(frozen=True, slots=True)
class Type:
    text: str

    def __repr__(self) -> str:
        return f"Type(<{len(self.text)} characters>)"


@dataclass(frozen=True, slots=True)
class Press:
    key: KeyName


@dataclass(frozen=True, slots=True)
class Complete:
    pass


@dataclass(frozen=True, slots=True)
class Impossible:
    pass


Act = Click | LongPress | Scroll | Type | Press | Complete | Impossible

_WORDS: dict[str, Act] = {
    "PRESS_HOME": Press("HOME"),
    "PRESS_BACK": Press("BACK"),
    "PRESS_RECENT": Press("RECENT"),
    # The data set's spellings, and those that its description promises (introduction.md, first version).
    "KEY_HOME": Press("HOME"),
    "KEY_BACK": Press("BACK"),
    "KEY_APPSELECT": Press("RECENT"),
    "KEY_RECENT": Press("RECENT"),
    "HOME": Press("HOME"),
    "BACK": Press("BACK"),
    "RECENT": Press("RECENT"),
    "COMPLETE": Complete(),
    "IMPOSSIBLE": Impossible(),
    "INCOMPLETE": Impossible(),
}
FORMS = (
    "CLICK: (x, y), LONG_PRESS: (x, y), SCROLL: UP|DOWN|LEFT|RIGHT, TYPE: text, PRESS_HOME|BACK|RECENT, "
    "COMPLETE, IMPOSSIBLE"
)


def parse(text: str) -> Act:
    """One answer and nothing else; outer white space is ignored, except at the end of a typed text.

    Raises NoAct for anything else: two answers, coordinates beyond 1000, trailing words.
    """
    typed = _TYPE.fullmatch(text.lstrip())
    if typed:
        if not typed[1]:
            raise NoAct("TYPE has no text")
        return Type(typed[1])
    said = text.strip()
    if said in _WORDS:
        return _WORDS[said]
    if place := _PLACE.fullmatch(said):
        x, y = int(place[2]), int(place[3])
        if x > THOUSAND or y > THOUSAND:
            raise NoAct(f"({x}, {y}) lies beyond {THOUSAND}")
        return Click(x, y) if place[1] == "CLICK" else LongPress(x, y)
    if scroll := _SCROLL.fullmatch(said):
        return Scroll(_direction(scroll[1].upper()))
    # What a field holds must not come into a message: the answer is quoted only by its first word.
    first = next(iter(said.split(":")[0].split()), "")
    raise NoAct(f"{first[:40]!r} begins none of the answers: {FORMS}")


def _direction(word: str) -> Direction:
    match word:
        case "UP" | "DOWN" | "LEFT" | "RIGHT":
            return word
    raise AssertionError(word)


def render(act: Act) -> str:
    """The published spelling, as the network was taught it."""
    match act:
        case Click(x, y):
            return f"CLICK: ({x}, {y})"
        case LongPress(x, y):
            return f"LONG_PRESS: ({x}, {y})"
        case Scroll(finger):
            return f"SCROLL: {finger}"
        case Type(text):
            return f"TYPE: {text}"
        case Press(key):
            return f"PRESS_{key}"
        case Complete():
            return "COMPLETE"
        case Impossible():
            return "IMPOSSIBLE"
        case _:
            assert_never(act)


def finger(start: tuple[float, float], end: tuple[float, float]) -> Direction:
    """Where a finger went, as the data set calls it: sideways only if it went further sideways than up or down.

    Ties and no motion are vertical, and no vertical motion is DOWN.
    """
    right, down = end[0] - start[0], end[1] - start[1]
    if abs(right) > abs(down):
        return "LEFT" if right < 0 else "RIGHT"
    return "UP" if down < 0 else "DOWN"
