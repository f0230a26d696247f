"""How well a name fits the words that people say for a thing: pure, and with a stated score.

What people say and what is written differ in case, punctuation, accents and completeness, so names are
compared step by step: equal, beginning, part, all words, similar. Every step has its own range of scores, so
an equal name always wins over a part, and a part over a mere likeness.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from rapidfuzz import fuzz

from perception.screen import Element, Screen, Source

CONTROLS = frozenset({"switch", "checkbox", "radio"})
"""Roles that are on or off."""

SURE = 0.80
"""From here on the words are in the name, one after the other."""
FAIR = 0.45
"""From here on there is some likeness, the least being a detail of something that cannot be touched: what one takes
when nothing better can be found."""

# Letters in which a typing or reading error still leaves the word recognisable: the share that
# `perception.merge` measured for OCR errors within a line.
_SIMILAR = 0.80
# Nine of ten letters equal: one wrong letter in an OCR line of ten. Below, another word is as likely.
_MISREAD = 0.90
# Among fewer letters one wrong letter makes another word ("on", "off", "add").
_LETTERS = 4
# What cannot be touched, or not now, is named only by somebody who cannot mean anything else.
_UNTOUCHABLE = 0.05
_NEGATIONS = frozenset({"no", "not", "dont", "never", "cannot", "cant", "without", "不", "别", "勿", "未"})
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_TOKEN = re.compile(rf"[{_CJK}]|[^\s{_CJK}]+")


class Fit(StrEnum):
    """How a name fits the words. The ranges of `Match.score` do not overlap, apart from what cannot be touched."""

    EXACT = "exact"  # 1.00, without regard to accents 0.97
    PREFIX = "prefix"  # 0.85 to 0.90: the name begins with the words
    PHRASE = "phrase"  # 0.80 to 0.85: the words stand within the name
    MISREAD = "misread"  # 0.80 to 0.85: read from the picture with a letter wrong
    WORDS = "words"  # 0.70 to 0.75: all words are in the name, in another order
    PART = "part"  # 0.65 to 0.70: the name is half of the words or more
    FUZZY = "fuzzy"  # 0.55 to 0.60: similar letters
    DETAIL = "detail"  # 0.50: the words are a further line of the element, not its name


@dataclass(frozen=True, slots=True)
class Match:
    """An element and how well its name fits; `score` in [0, 1]."""

    element: Element
    score: float
    fit: Fit


def normalise(text: str) -> str:
    """For comparing names: NFKC, no case, "&" is "and", punctuation is white space or (within words) nothing.

    What consists of signs alone ("%", "…") stays as it is.
    """
    folded = unicodedata.normalize("NFKC", text).casefold().replace("&", " and ")
    kept = "".join(_without_sign(sign) for sign in folded)
    return " ".join(kept.split()) or " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _without_sign(sign: str) -> str:
    # "Wi-Fi" is "wifi", "don't" is "dont"; everything else that is no letter, mark, number or symbol parts words.
    kind = unicodedata.category(sign)
    if kind == "Pd" or sign in "'’‘ʼ":
        return ""
    return " " if kind[0] in "PZC" else sign


def plain(text: str) -> str:
    """The same without accents: "maria" for "maría"."""
    apart = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", "".join(sign for sign in apart if not unicodedata.combining(sign)))


def tokens(text: str) -> tuple[str, ...]:
    """Words of normalised text; each Chinese or Japanese character counts as one."""
    return tuple(_TOKEN.findall(text))


def spoken_name(element: Element) -> str:
    """What people call the element: one line, and never the content of a field."""
    if element.role == "text_field" or element.password:
        return _first_line(element.label) or "the field"
    return _first_line(element.text) or _first_line(element.label) or element.role.replace("_", " ")


def titles(element: Element) -> tuple[str, ...]:
    """The element's names, best first: its first written line and its label; a field's content is none."""
    if element.role == "text_field" or element.password:
        # Old Android writes the hint as the text of an empty field, so without label the text must do.
        found = [element.label] if element.label or element.password else [element.text]
    else:
        found = [element.text, element.label]
    return tuple(line for text in found if (line := _first_line(text)))


def _details(element: Element) -> tuple[str, ...]:
    """What else is written on it: a row's summary, or a field's content."""
    if element.password:
        return ()
    if element.role == "text_field":
        return tuple(element.text.splitlines()) if element.label else ()
    return tuple(element.text.splitlines()[1:])


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def match(wanted: str, element: Element) -> Match | None:
    """How well the element's names fit the words, or None when they do not."""
    read = Source.TREE not in element.sources
    compared = [compare(wanted, name, read=read) for name in titles(element)]
    found = [one for one in compared if one is not None]
    if "\n" in element.text and element.role != "text_field" and _equal(wanted, " ".join(element.text.split())):
        found.append((1.0, Fit.EXACT))
    if not found and any(_equal(wanted, line) for line in _details(element)):
        found.append((0.5, Fit.DETAIL))
    if not found:
        return None
    score, fit = max(found, key=lambda one: one[0])
    if not element.interactable or "disabled" in element.states:
        score -= _UNTOUCHABLE
    return Match(element, round(score, 3), fit)


def _equal(wanted: str, name: str) -> bool:
    fit = compare(wanted, name)
    return fit is not None and fit[1] is Fit.EXACT


def compare(wanted: str, name: str, *, read: bool = False) -> tuple[float, Fit] | None:
    """Score and kind of fit of one name. `read`: it was read from the picture, so letters may be wrong."""
    a, b = normalise(wanted), normalise(name)
    if not a or not b:
        return None
    if _joined(a) == _joined(b):
        return 1.0, Fit.EXACT
    a, b = plain(a), plain(b)
    if _joined(a) == _joined(b):
        return 0.97, Fit.EXACT
    words, found = tokens(a), tokens(b)
    if _NEGATIONS.isdisjoint(words) != _NEGATIONS.isdisjoint(found):
        return None
    share = 0.05 * min(len(words), len(found)) / max(len(words), len(found))
    if found[: len(words)] == words:
        return 0.85 + share, Fit.PREFIX
    if _within(words, found):
        return 0.80 + share, Fit.PHRASE
    likeness = _likeness(_joined(a), _joined(b))
    if read and likeness >= _MISREAD:
        return 0.80 + 0.05 * likeness, Fit.MISREAD
    if len(words) > 1 and set(words) <= set(found) and not re.search(f"[{_CJK}]", a):
        return 0.70 + share, Fit.WORDS
    if _within(found, words) and 2 * len(found) >= len(words):
        return 0.65 + share, Fit.PART
    return (0.55 + 0.05 * likeness, Fit.FUZZY) if likeness >= _SIMILAR else None


def _joined(text: str) -> str:
    return text.replace(" ", "")


def _within(part: Sequence[str], whole: Sequence[str]) -> bool:
    """Whether the words stand next to each other, in this order."""
    size = len(part)
    return any(tuple(whole[i : i + size]) == tuple(part) for i in range(len(whole) - size + 1))


def _likeness(a: str, b: str) -> float:
    """Share of equal letters, 0 to 1; 0 where a likeness would mislead.

    Other digits are another thing ("Photo 1", "Photo 2"), and letters put in front turn the meaning round
    ("install", "uninstall").
    """
    if min(len(a), len(b)) < _LETTERS or re.findall(r"\d+", a) != re.findall(r"\d+", b):
        return 0.0
    if a.endswith(b) or b.endswith(a):
        return 0.0
    return fuzz.ratio(a, b) / 100


def matches(wanted: str, screen: Screen) -> tuple[Match, ...]:
    """All elements whose names fit, best first, equals in reading order. Lists as such have no name."""
    found = [fit for one in screen.elements if one.role != "list" and (fit := match(wanted, one)) is not None]
    return tuple(sorted(found, key=lambda one: (-one.score, one.element.mark)))


def shows(wanted: str, screen: Screen) -> Element | None:
    """The first element on which the words are written or that is called so, whole or in part.

    What lies under the keyboard is not shown.
    """
    words = tokens(plain(normalise(wanted)))
    for element in screen.elements:
        if "blocked" in element.states:
            continue
        written = (element.label,) if element.password else (element.text, element.label)
        if words and any(_within(words, tokens(plain(normalise(text)))) for text in written if text):
            return element
    best = next(iter(matches(wanted, screen)), None)
    sure = best is not None and best.score >= SURE - _UNTOUCHABLE and "blocked" not in best.element.states
    return best.element if best is not None and sure else None


def nearest_names(wanted: str, screen: Screen, most: int = 5) -> tuple[str, ...]:
    """Names on the screen that look most like the words, nearest first."""
    names = dict.fromkeys(spoken_name(one) for one in screen.elements if titles(one))
    sought = plain(normalise(wanted))
    return tuple(sorted(names, key=lambda name: -fuzz.WRatio(sought, plain(normalise(name)))))[:most]
