"""Reads a marked picture as a person would: the wanted words, and the number drawn closest to them.

The numbers are recognised by their drawings (`perception.tags`), the words by OCR, in the plain picture where there is
one beside the marked: a number may lie on them. Nothing else of the request is used, so a picture that is wrongly
drawn, scaled or encoded gives a wrong answer here too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from device.frame import Pixels
from device.geometry import Size
from perception.base import TextLine
from perception.tags import Sprite, digits_px, disc, square

MOST_TAGS = 99
_SAME = 0.9
"""Least correlation of a tag and its drawing. On twelve phone screens as JPEG drawn squares had .999 and more, any
other place .66 at most; of two numbers that fit the same place the better one is taken."""
_ROUND = 0.6
"""Least correlation of redness with a red circle for a place to be read at all; drawn circles have .9 and more."""
_LIKE = 75.0
"""Least likeness, 0 to 100, of a line that OCR read and the wanted words."""
_DOWN = 8.0
"""A pixel up or down counts as eight across: a tag stands in the row that it belongs to, at either end of it."""

_RIM = 60.0
"""Least difference of the means along a rim and the black beside it; drawn it is over 150, and JPEG blurs it."""

_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')

Rect = tuple[float, float, float, float]
Grey = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Tag:
    """A number that was found, and its box in pixels: left, top, right, bottom."""

    mark: int
    box: Rect


def find(label: str, marked: Pixels, lines: Sequence[TextLine]) -> int | None:
    """The number closest to the words in an RGB picture, or None when the words or any number are not there.

    `lines` is what can be read on the marked picture, or on the plain one of the same screen.
    """
    line = best_line(label, lines)
    tags = tags_of(marked) if line is not None else []
    if line is None or not tags:
        return None
    height, width = marked.shape[:2]
    box = (line.box.left * width, line.box.top * height, line.box.right * width, line.box.bottom * height)
    return min(tags, key=lambda tag: distance(tag.box, box)).mark


def listed(label: str, listing: str) -> int | None:
    """The number that such words have in a list of elements, for things that are not written on the picture.

    One element per line, as `perception.overlay.line` writes them: its number, kind, and texts as JSON strings.
    """
    wanted = label.casefold()
    for row in listing.splitlines():
        number, _, rest = row.partition(" ")
        texts = [json.loads(text).casefold() for text in _TEXT.findall(rest)]
        if number.isdecimal() and any(wanted in (text, text.partition(" / ")[0]) for text in texts):
            return int(number)
    return None


def best_line(label: str, lines: Sequence[TextLine]) -> TextLine | None:
    """The line that says it best; of equals the upper one. A tag close by may be read as part of the line."""
    wanted = label.casefold()

    def likeness(line: TextLine) -> float:
        words = line.text.strip("0123456789 ").casefold()
        return max(fuzz.ratio(wanted, words), fuzz.ratio(wanted, line.text.casefold()))

    ranked = sorted(lines, key=lambda line: (-round(likeness(line)), line.box.top))
    return ranked[0] if ranked and likeness(ranked[0]) >= _LIKE else None


def distance(tag: Rect, words: Rect) -> float:
    """How far a tag is from words, in pixels across; 0 where they touch."""
    across = max(words[0] - tag[2], tag[0] - words[2], 0.0)
    down = max(words[1] - tag[3], tag[1] - words[3], 0.0)
    return across + _DOWN * down


def tags_of(pixels: Pixels) -> list[Tag]:
    """Every number drawn in an RGB picture of shape (height, width, 3), in whatever style."""
    grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), dtype=np.float32)
    digits = digits_px(Size(pixels.shape[1], pixels.shape[0]))
    squares, discs = _drawings(square, digits), _drawings(disc, digits)
    found: list[tuple[float, Tag]] = []
    for y, x in _corners(grey, min(one.width for one in squares), max(one.height for one in squares)):
        found += [read for alike in squares if (read := alike.read(grey, y, x)) is not None]
    red = _redness(pixels)
    for alike in discs:
        found += [read for y, x in _circles(red, alike) if (read := alike.read(grey, y, x)) is not None]
    kept: list[Tag] = []
    for score, tag in sorted(found, key=lambda one: -one[0]):
        if score >= _SAME and not any(_touch(tag.box, other.box) for other in kept):
            kept.append(tag)
    return sorted(kept, key=lambda tag: tag.mark)


def _corners(grey: Grey, width: int, height: int) -> list[tuple[int, int]]:
    """Where a square of at least that size may begin, as (y, x): its white rim above and left of its black ground."""
    rows = cv2.blur(grey, (width, 1), anchor=(0, 0))
    columns = cv2.blur(grey, (1, height), anchor=(0, 0))
    above = rows[:-1, :-1] - rows[1:, 1:]
    left = columns[:-1, :-1] - columns[1:, 1:]
    return [(int(y), int(x)) for y, x in np.argwhere((above > _RIM) & (left > _RIM))]


def _redness(pixels: Pixels) -> Grey:
    """How much redder than green and blue each pixel is."""
    channels = pixels.astype(np.float32)
    return np.asarray(np.clip(channels[..., 0] - channels[..., 1:].max(axis=2), 0, None), dtype=np.float32)


def _circles(red: Grey, alike: _Alike) -> list[tuple[int, int]]:
    """Where a red circle of that size may begin, as (y, x)."""
    if red.shape[0] < alike.height or red.shape[1] < alike.width or not red.any():
        return []
    likeness = cv2.matchTemplate(red, alike.redness, cv2.TM_CCOEFF_NORMED)
    return [(int(y), int(x)) for y, x in np.argwhere(likeness > _ROUND)]


@dataclass(frozen=True, slots=True)
class _Alike:
    """Drawings of one size: their numbers, one row of normalised pixels for each, and their redness on the average."""

    height: int
    width: int
    shown: NDArray[np.bool_]
    marks: tuple[int, ...]
    rows: Grey
    redness: Grey

    def read(self, grey: Grey, y: int, x: int) -> tuple[float, Tag] | None:
        """The number most like what begins there, and how like it is."""
        crop = grey[y : y + self.height, x : x + self.width]
        if crop.shape != self.shown.shape:
            return None
        scores = self.rows @ _normal(crop[self.shown])
        best = int(np.argmax(scores))
        return float(scores[best]), Tag(self.marks[best], (x, y, x + self.width, y + self.height))


@lru_cache(maxsize=8)
def _drawings(drawing: Callable[[int, int], Sprite], digits: int) -> tuple[_Alike, ...]:
    """A style's drawings, those of one size together."""
    alike: dict[tuple[int, int], list[int]] = {}
    for mark in range(1, MOST_TAGS + 1):
        alike.setdefault(drawing(mark, digits).shape, []).append(mark)
    return tuple(_together([drawing(mark, digits) for mark in marks], marks) for marks in alike.values())


def _together(sprites: Sequence[Sprite], marks: Sequence[int]) -> _Alike:
    shown = sprites[0].cover >= 1
    greys = [cv2.cvtColor(one.pixels, cv2.COLOR_RGB2GRAY) for one in sprites]
    red = np.mean([_redness(one.pixels) for one in sprites], axis=0).astype(np.float32)
    rows = np.stack([_normal(grey[shown]) for grey in greys])
    height, width = sprites[0].shape
    return _Alike(height, width, shown, tuple(marks), rows, red)


def _normal(picture: NDArray[Any]) -> Grey:
    """Its pixels in one row, with mean 0 and length 1: the product of two such rows is their correlation."""
    row = np.asarray(picture, dtype=np.float32).ravel()
    row = row - row.mean()
    return np.asarray(row / max(float(np.linalg.norm(row)), 1e-6), dtype=np.float32)


def _touch(a: Rect, b: Rect) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
