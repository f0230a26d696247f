"""Which element is meant: names against the numbered elements of one screen, with a stated score."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from perception.screen import Element, Screen

GOOD = 0.75
"""Least score that counts as found: one misread letter in a word of five still passes, another word does not."""
EQUAL = 0.02
"""Two scores closer than this are equally good."""
SWITCHES = frozenset({"switch", "checkbox", "radio", "toggle"})
FIELDS = frozenset({"text_field"})


@dataclass(frozen=True, slots=True)
class Match:
    """An element and how well it fits, 0 to 1; `exact` when the names are the same."""

    element: Element
    score: float

    @property
    def exact(self) -> bool:
        return self.score >= 0.97


def plain(text: str) -> str:
    """Comparable form: compatibility-composed, case-folded, no punctuation, single spaces, no accents."""
    folded = unicodedata.normalize("NFKD", text).casefold()
    bare = "".join(one for one in folded if not unicodedata.combining(one))
    return " ".join(re.sub(r"[^\w\s]|_", " ", bare).split())


def score(wanted: str, element: Element, roles: frozenset[str] = frozenset()) -> float:
    """How well an element answers to a name, 0 to 1.

    The same name is 1; the first line of a row the same is nearly 1; a name that begins or holds the words less,
    a fuzzy one least. Elements that cannot be touched, and those of another role than wanted, lose a little.
    """
    best = max((_named(plain(wanted), name, place) for place, name in enumerate(_names(element))), default=0.0)
    if best == 0.0:
        return 0.0
    best -= 0.0 if element.interactable else 0.05
    if roles:
        best -= 0.0 if element.role in roles or (_checkable(element) and roles & SWITCHES) else 0.04
    return max(best, 0.0)


def _names(element: Element) -> list[str]:
    """Names by rank: what is written (whole, first line), what it is called, further lines."""
    lines = [line for line in element.text.split("\n") if line.strip()]
    first = [element.label, *lines[:1]] if element.role in FIELDS else [*lines[:1], element.label]
    return [plain(name) for name in (*first, element.text if len(lines) > 1 else "", *lines[1:]) if plain(name)]


def _named(wanted: str, name: str, place: int) -> float:
    if not wanted:
        return 0.0
    behind = 0.06 * min(place, 3)
    if name == wanted:
        return 1.0 - behind
    words, others = wanted.split(), name.split()
    if len(wanted) >= 2 and name.startswith(wanted + " "):
        return 0.90 - behind - 0.01 * min(len(others) - len(words), 5)
    if set(words) <= set(others):
        return 0.86 - behind - 0.01 * min(len(others) - len(words), 5)
    if " " not in wanted and len(wanted) >= 2 and not wanted.isascii() and wanted in name:
        return 0.84 - behind  # scripts without spaces
    ratio = fuzz.ratio(wanted, name) / 100
    return ratio * 0.92 - behind if ratio >= 0.8 else 0.0


def _checkable(element: Element) -> bool:
    return bool(element.states & {"checked", "unchecked"})


def matches(wanted: str, screen: Screen, roles: frozenset[str] = frozenset()) -> tuple[Match, ...]:
    """Elements that answer to a name well enough, best first; ties in reading order."""
    found = [Match(one, value) for one in screen.elements if (value := score(wanted, one, roles)) >= GOOD]
    return tuple(sorted(found, key=lambda match: (-round(match.score, 3), match.element.mark)))


def rivals(found: Sequence[Match], checkable: bool = False) -> tuple[Match, ...]:
    """The matches that are as good as the best, itself included; an element within the best one is no rival."""
    if not found:
        return ()
    best = found[0]
    equal = [one for one in found if best.score - one.score < EQUAL]
    if checkable:
        switches = [one for one in equal if _checkable(one.element) or one.element.role in SWITCHES]
        equal = switches or equal
    kept: list[Match] = []
    for one in equal:
        if not any(_same_place(one.element, other.element) for other in kept):
            kept.append(one)
    return tuple(kept)


def _same_place(one: Element, other: Element) -> bool:
    return one.box.inside(other.box) > 0.8 or other.box.inside(one.box) > 0.8


def switch_of(element: Element, screen: Screen) -> Element:
    """The element that shows the state of a row: itself, or a switch on the same line."""
    if _checkable(element):
        return element
    beside = [
        one
        for one in screen.elements
        if _checkable(one) and one.box.top <= element.box.center.y <= one.box.bottom and one.mark != element.mark
    ]
    return beside[0] if len(beside) == 1 else element


def nearest(wanted: str, screen: Screen, count: int = 5) -> tuple[str, ...]:
    """Names on the screen that come closest, for a message."""
    names = list(dict.fromkeys(one.name.split("\n")[0] for one in screen.elements if one.text or one.label))
    return tuple(sorted(names, key=lambda name: -fuzz.WRatio(plain(wanted), plain(name)))[:count])


_ORDINALS = {
    **{word: place for place, word in enumerate(("first", "second", "third", "fourth", "fifth", "sixth"))},
    **{word: place for place, word in enumerate(("one", "two", "three", "four", "five", "six"))},
    **{word: place for place, word in enumerate("一二三四五六")},
    "last": -1,
}


def picked(reply: str, options: Sequence[str]) -> int | None:
    """Which option a person means: a number, an ordinal word (English, Chinese), or its name; None if unclear."""
    said = plain(reply)
    digits = re.search(r"\d+", said)
    chinese = re.search(r"第\s*([一二三四五六\d])", reply)
    if chinese and chinese[1] in _ORDINALS:
        place: int | None = _ORDINALS[chinese[1]]
    elif digits:
        place = int(digits[0]) - 1
    else:
        place = next((_ORDINALS[word] for word in said.split() if word in _ORDINALS), None)
    if place is not None and -1 <= place < len(options):
        return place % len(options)
    same = [at for at, option in enumerate(options) if said and said in plain(option)]
    return same[0] if len(same) == 1 else None
