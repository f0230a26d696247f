"""Editing text in a field: what insertion, deletion and the arrow keys make of (text, caret, anchor).

Positions count code points; every step goes over whole graphemes, so that an emoji with its skin tone goes at once.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import pairwise

_ZWJ = "\u200d"
_KEYCAP = "\u20e3"
_JAMO = range(0x1100, 0x1200)


@dataclass(frozen=True, slots=True)
class Edit:
    """A field's text with its caret; `anchor` is the other end of a selection, equal to `caret` without one."""

    text: str = ""
    caret: int = 0
    anchor: int = 0

    @classmethod
    def end_of(cls, text: str) -> Edit:
        """The text with the caret behind it."""
        return cls(text, len(text), len(text))

    @property
    def span(self) -> tuple[int, int]:
        """Start and end of the selection."""
        return min(self.caret, self.anchor), max(self.caret, self.anchor)

    @property
    def selected(self) -> str:
        start, end = self.span
        return self.text[start:end]


def insert(edit: Edit, text: str) -> Edit:
    """The text at the caret, in place of the selection."""
    start, end = edit.span
    caret = start + len(text)
    return Edit(edit.text[:start] + text + edit.text[end:], caret, caret)


def delete_before(edit: Edit) -> Edit:
    """Without the selection, or without the grapheme before the caret."""
    if edit.selected:
        return insert(edit, "")
    start = previous(edit.text, edit.caret)
    return Edit(edit.text[:start] + edit.text[edit.caret :], start, start)


def delete_after(edit: Edit) -> Edit:
    """Without the selection, or without the grapheme behind the caret."""
    if edit.selected:
        return insert(edit, "")
    end = following(edit.text, edit.caret)
    return Edit(edit.text[: edit.caret] + edit.text[end:], edit.caret, edit.caret)


def select_all(edit: Edit) -> Edit:
    return Edit(edit.text, len(edit.text), 0)


def move(edit: Edit, to: int, *, select: bool = False) -> Edit:
    """The caret at `to`, kept within the text; with `select` the anchor stays."""
    to = min(max(to, 0), len(edit.text))
    return Edit(edit.text, to, edit.anchor if select else to)


def left(edit: Edit, *, select: bool = False) -> Edit:
    """One grapheme to the left, or to the left end of a selection."""
    if edit.selected and not select:
        return move(edit, edit.span[0])
    return move(edit, previous(edit.text, edit.caret), select=select)


def right(edit: Edit, *, select: bool = False) -> Edit:
    """One grapheme to the right, or to the right end of a selection."""
    if edit.selected and not select:
        return move(edit, edit.span[1])
    return move(edit, following(edit.text, edit.caret), select=select)


def snap(text: str, position: int) -> int:
    """The nearest place for a caret: within the text, and not inside a grapheme."""
    position = min(max(position, 0), len(text))
    return position if position in (0, len(text)) or _boundary(text, position) else following(text, position)


def previous(text: str, position: int) -> int:
    """Where the grapheme that ends at `position` begins."""
    position = min(position, len(text))
    start = position - 1
    while start > 0 and not _boundary(text, start):
        start -= 1
    return max(start, 0)


def following(text: str, position: int) -> int:
    """Where the grapheme that begins at `position` ends."""
    end = position + 1
    while end < len(text) and not _boundary(text, end):
        end += 1
    return min(end, len(text))


def graphemes(text: str) -> list[str]:
    """The text in graphemes."""
    cuts = [0, *(i for i in range(1, len(text)) if _boundary(text, i)), len(text)]
    return [text[a:b] for a, b in pairwise(cuts) if b > a]


def _boundary(text: str, at: int) -> bool:
    """Whether a grapheme may begin at `at`: the rules of Unicode UAX 29 that matter to emoji, marks and Hangul."""
    before, here = text[at - 1], text[at]
    if before == "\r" and here == "\n":
        return False
    if _extends(here) or (before == _ZWJ and ord(here) > 0x2000):
        return False
    if _regional(before) and _regional(here):
        return _regionals_before(text, at) % 2 == 0
    return not (ord(before) in _JAMO and ord(here) in _JAMO)


def _extends(char: str) -> bool:
    if char < "\u0300":
        return False
    tone_or_tag = 0x1F3FB <= ord(char) <= 0x1F3FF or 0xE0020 <= ord(char) <= 0xE007F
    return char in (_ZWJ, _KEYCAP) or tone_or_tag or unicodedata.category(char) in ("Mn", "Me", "Mc")


def _regional(char: str) -> bool:
    return 0x1F1E6 <= ord(char) <= 0x1F1FF


def _regionals_before(text: str, at: int) -> int:
    count = 0
    while at > 0 and _regional(text[at - 1]):
        at, count = at - 1, count + 1
    return count
