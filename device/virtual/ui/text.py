"""Text styles, line breaking, ellipsis and caret positions."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

from device.virtual.ui.fonts import segments, width


@dataclass(frozen=True, slots=True)
class Style:
    """Size and line height in sp, weight 400, 500 or 700."""

    size: float
    line: float
    weight: int = 400


STYLES = {
    "body": Style(16, 24),
    "body_small": Style(14, 20),
    "title": Style(22, 28),
    "subtitle": Style(16, 24, 500),
    "list_title": Style(18, 24),
    "headline": Style(24, 32),
    "display": Style(36, 44),
    "label": Style(14, 20, 500),
    "label_small": Style(12, 16, 500),
    "caption": Style(12, 16),
    "key": Style(22, 28),
    "status": Style(14, 18, 500),
    "clock": Style(72, 84),
}
"""By name. Sizes of the Material 3 type scale (m3.material.io, styles/typography); 18 sp list titles."""

ASCENT, DESCENT = 0.9277, 0.2441
"""Roboto's ascent and descent in em (hhea table: 1900 and -500 of 2048 units)."""

ELLIPSIS = "…"
_NOT_FIRST = frozenset("，。、；：？！）】》」』”’％…·,.;:?!)]}%")
_NOT_LAST = frozenset("（【《「『“‘([{")
_WORD = re.compile(r"[^\s\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]+|\s|.", re.DOTALL)


def style(name: str) -> Style:
    """The style of that name; ValueError names an unknown one."""
    known = STYLES.get(name)
    if known is None:
        raise ValueError(f"style is {name!r}; use one of {', '.join(STYLES)}")
    return known


def pixels(size: float, scale: float) -> float:
    """A font size in pixels, in quarters, so that near sizes share one opened font. `scale` is pixels per sp."""
    return round(size * scale * 4) / 4


@lru_cache(maxsize=8192)
def wrap(text: str, weight: int, px: float, limit: float, max_lines: int = 0) -> tuple[str, ...]:
    """Break into lines of at most `limit` pixels; with `max_lines` the last one ends in an ellipsis if text is left.

    Breaks after spaces and hyphens, between hanzi (never before closing or after opening punctuation), around
    emoji, at line feeds, and within a word that is wider than a line. Empty text is one empty line.
    """
    lines: list[str] = []
    for paragraph in text.split("\n"):
        lines += _fill(paragraph, weight, px, limit)
        if max_lines and len(lines) > max_lines:
            break
    if not max_lines or len(lines) <= max_lines:
        return tuple(lines)
    rest = lines[max_lines - 1] + " " + lines[max_lines]
    return (*lines[: max_lines - 1], ellipsize(rest, weight, px, limit))


def _fill(paragraph: str, weight: int, px: float, limit: float) -> list[str]:
    if width(paragraph, weight, px) <= limit:
        return [paragraph]
    lines: list[str] = []
    line, used = "", 0.0
    for unit in _units(paragraph):
        size = width(unit, weight, px)
        if line and used + width(unit.rstrip(), weight, px) > limit:
            lines.append(line.rstrip())
            line, used = "", 0.0
            if unit.isspace():
                continue
        while size > limit and len(unit) > 1:
            cut = _fitting(unit, weight, px, limit) or cuts(unit)[1]
            lines.append(unit[:cut])
            unit = unit[cut:]
            size = width(unit, weight, px)
        line, used = line + unit, used + size
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


@lru_cache(maxsize=2048)
def _units(text: str) -> tuple[str, ...]:
    """The pieces between which a line may break; a space stays with the word before it."""
    units: list[str] = []
    for piece in _pieces(text):
        glued = units and (piece[0] in _NOT_FIRST or piece.isspace() or units[-1][-1] in _NOT_LAST)
        if glued:
            units[-1] += piece
        else:
            units.append(piece)
    return tuple(units)


def _pieces(text: str) -> list[str]:
    pieces: list[str] = []
    for part in segments(text):
        raw = text[part.start : part.end]
        if part.font == "emoji":
            pieces.append(raw)
            continue
        for word in _WORD.findall(raw):
            pieces += [bit for bit in re.split(r"(?<=[\w]-)(?=\w)", word) if bit]
    return pieces


def _fitting(text: str, weight: int, px: float, limit: float) -> int:
    """How many characters fit into `limit` pixels, never ending inside an emoji sequence."""
    stops = cuts(text)
    return stops[max(0, bisect_right(stops, limit, key=lambda end: width(text[:end], weight, px)) - 1)]


@lru_cache(maxsize=1024)
def cuts(text: str) -> tuple[int, ...]:
    """The indices at which a text may be cut, with its start and end: not inside an emoji sequence."""
    stops = [0]
    for part in segments(text):
        stops += [part.end] if part.font == "emoji" else range(part.start + 1, part.end + 1)
    return tuple(stops)


@lru_cache(maxsize=4096)
def ellipsize(text: str, weight: int, px: float, limit: float) -> str:
    """The text if it fits, else as much of its beginning as fits with an ellipsis."""
    if width(text, weight, px) <= limit:
        return text
    room = limit - width(ELLIPSIS, weight, px)
    return text[: _fitting(text, weight, px, room)].rstrip() + ELLIPSIS


def caret_x(text: str, index: int, weight: int, px: float) -> float:
    """Pixels from the start of a line to the caret before character `index`."""
    return width(text[:index], weight, px)


def caret_index(text: str, x: float, weight: int, px: float) -> int:
    """The index whose caret is nearest to `x` pixels; never inside an emoji sequence."""
    return min(cuts(text), key=lambda index: (abs(width(text[:index], weight, px) - x), index))
