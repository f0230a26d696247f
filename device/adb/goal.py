"""What a field must hold after typing, and whether it does: pure, so that every way of typing is judged alike."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace

from device.adb import commands, tree
from device.adb.tree import Field
from device.base import Answer
from device.errors import TextNotLanded

SET_TEXT, PASTE, KEYS, BROADCAST = "set_text", "paste", "input", "keyboard"
"""Ways of a text into a field: a node's own action, the clipboard, key events, a keyboard for programs."""


@dataclass(frozen=True, slots=True)
class Landed:
    """What became of it; `text` is None where the field was not or may not be read.

    `expected` is what the field should hold, when it holds something else.
    """

    path: str
    text: str | None = None
    note: str = ""
    changed: Answer = Answer.UNKNOWN
    expected: str | None = None

    def __repr__(self) -> str:
        return f"Landed({self.path}, note={self.note!r})"


def same(one: str, other: str) -> bool:
    """Equal after Unicode composition: a field may store é as one character or two."""
    return unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other)


def inserted(before: str, text: str, after: str) -> bool:
    """Whether `after` is `before` with `text` put in somewhere: the caret may stand anywhere."""
    before, text, after = (unicodedata.normalize("NFC", one) for one in (before, text, after))
    if len(after) != len(before) + len(text):
        return False
    return any(before[:at] + text + before[at:] == after for at in range(len(before) + 1))


def reformatted(text: str, landed: str) -> bool:
    """Whether a field merely put its own punctuation into the text, as fields for telephone numbers do."""
    letters = ["".join(filter(str.isalnum, one)).casefold() for one in (text, landed)]
    return bool(letters[0]) and letters[0] == letters[1]


def dots(text: str) -> set[int]:
    """How many dots a password field may show for a text: one per character, or per UTF-16 unit."""
    return {len(text), len(text.encode("utf-16-le")) // 2}


@dataclass(frozen=True, slots=True)
class Goal:
    """What the field must hold in the end. `certain` is false when a hint may have been taken for its text."""

    field: Field
    text: str
    replace: bool
    certain: bool

    @property
    def whole(self) -> str:
        """All of it, as far as it can be foretold: the caret may stand before the end."""
        return self.text if self.replace else self.field.text + self.text

    @property
    def paths(self) -> tuple[str, ...]:
        """Ways to try, one after the other: setting replaces everything, pasting keeps what is there."""
        if self.replace or not self.field.text:
            return SET_TEXT, PASTE, KEYS
        return PASTE, SET_TEXT, KEYS

    def may(self, way: str, held: str) -> bool:
        """Whether this way may be tried: what the field holds may be its hint, and then all that one may is to add.

        Keys are for texts that have keys, and for all of it when something has landed, which is then taken out.
        """
        untouched = held == self.field.text
        known = self.certain or self.replace or not self.field.text
        if way == KEYS:
            typed = self.text if untouched and not self.replace else self.whole
            return commands.typeable(typed) and (known or untouched)
        return known or (way == PASTE and untouched)

    def learned(self, after: str) -> Goal:
        """What looked like the field's text and has vanished while something was put in was its hint."""
        if self.certain or after == self.field.text:
            return self
        hint = self.field.text not in after
        return replace(self, certain=True, field=replace(self.field, text="") if hint else self.field)

    def met(self, after: str) -> bool:
        if self.replace or not self.field.text:
            return same(after, self.text) or self._hidden(after)
        alone = not self.certain and same(after, self.text)
        return alone or inserted(self.field.text, self.text, after) or self._hidden(after)

    def _hidden(self, after: str) -> bool:
        return tree.hidden(after) and len(after) in dots(self.whole)

    def verdict(self, path: str, after: str) -> Landed | None:
        """The outcome if the field holds what it should; None if not."""
        changed = Answer.YES if after != self.field.text else Answer.NO
        if self.field.password or (self._hidden(after) and after != self.whole):
            if self.met(after):
                return Landed(path, note="the field hides what it holds", changed=changed)
            # Some password fields tell nothing at all, not even dots.
            return Landed(path, note="the field cannot be read") if not after and self.text else None
        if self.met(after):
            return Landed(path, after, changed=changed)
        if reformatted(self.whole, after):
            return Landed(path, after, "the field put the text into its own form", changed, self.whole)
        return None

    def missed(self, held: str, serial: str) -> TextNotLanded:
        """Both strings for the caller, their lengths for the log; nothing of a password."""
        secret = self.field.password or tree.hidden(held)
        return TextNotLanded(
            f"the field holds {len(held)} characters instead of {len(self.whole)}",
            serial=serial,
            advice="The field may limit or correct what is typed; look at it.",
            expected=None if secret else self.whole,
            got=None if secret else held,
        )
