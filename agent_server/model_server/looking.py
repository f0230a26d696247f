"""Reads a marked picture as a person would: the wanted words, and the number drawn closest to them.

The numbers are recognised by their drawing (`perception.overlay.sprite`), the words by OCR. Nothing else of the
request is used, so a picture that is wrongly drawn, scaled or encoded gives a wrong answer here too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from device.frame import Pixels
from perception.base import TextLine, TextReader
from perception.overlay import sprite

MOST_TAGS = 99
_SAME = 0.9
"""Least correlation of a tag and its drawing. On twelve phone screens as JPEG drawn tags had .999 and more, any other
place .66 at most; of two numbers that fit the same place the better one is taken."""
_LIKE = 75.0
"""Least likeness, 0 to 100, of a line that OCR read and the wanted words."""
_DOWN = 8.0
"""A pixel up or down counts as eight across: a tag stands in the row that it belongs to, at either end of it."""

_RIM = 60.0
"""Least difference of the means along a rim and the black beside it; drawn it is over 150, and JPEG blurs it."""

Rect = tuple[float, float, float, float]
Grey = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Tag:
    """A number that was found, and its box in pixels: left, top, right, bottom."""

    mark: int
    box: Rect


def find(label: str, pixels: Pixels, reader: TextReader) -> int | None:
    """The number closest to the words in an RGB picture, or None when the words or any number are not there."""
    tags = tags_of(pixels)
    line = best_line(label, reader.read(pixels))
    if line is None or not tags:
        return None
    height, width = pixels.shape[:2]
    box = (line.box.left * width, line.box.top * height, line.box.right * width, line.box.bottom * height)
    return min(tags, key=lambda tag: distance(tag.box, box)).mark


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
    """Every number drawn in an RGB picture of shape (height, width, 3)."""
    grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), dtype=np.float32)
    digits = max(round(14 * min(pixels.shape[:2]) / 540), 10)
    shapes = _drawings(digits)
    found: list[tuple[float, Tag]] = []
    for y, x in _corners(grey, min(width for _, width in shapes), max(height for height, _ in shapes)):
        for (height, width), (marks, drawings) in shapes.items():
            crop = grey[y : y + height, x : x + width]
            if crop.shape == (height, width):
                scores = drawings @ _normal(crop)
                best = int(np.argmax(scores))
                found.append((float(scores[best]), Tag(marks[best], (x, y, x + width, y + height))))
    kept: list[Tag] = []
    for score, tag in sorted(found, key=lambda one: -one[0]):
        if score >= _SAME and not any(_touch(tag.box, other.box) for other in kept):
            kept.append(tag)
    return sorted(kept, key=lambda tag: tag.mark)


def _corners(grey: Grey, width: int, height: int) -> list[tuple[int, int]]:
    """Where a tag of at least that size may begin, as (y, x): its white rim above and left of its black ground."""
    rows = cv2.blur(grey, (width, 1), anchor=(0, 0))
    columns = cv2.blur(grey, (1, height), anchor=(0, 0))
    above = rows[:-1, :-1] - rows[1:, 1:]
    left = columns[:-1, :-1] - columns[1:, 1:]
    return [(int(y), int(x)) for y, x in np.argwhere((above > _RIM) & (left > _RIM))]


@lru_cache(maxsize=4)
def _drawings(digits: int) -> dict[tuple[int, int], tuple[list[int], Grey]]:
    """The tags' drawings by their shape (height, width): the numbers, and one row of normalised pixels for each."""
    alike: dict[tuple[int, int], list[int]] = {}
    greys = {mark: cv2.cvtColor(sprite(mark, digits), cv2.COLOR_RGB2GRAY) for mark in range(1, MOST_TAGS + 1)}
    for mark, drawing in greys.items():
        alike.setdefault((drawing.shape[0], drawing.shape[1]), []).append(mark)
    return {shape: (marks, np.stack([_normal(greys[mark]) for mark in marks])) for shape, marks in alike.items()}


def _normal(picture: NDArray[Any]) -> Grey:
    """Its pixels in one row, with mean 0 and length 1: the product of two such rows is their correlation."""
    row = np.asarray(picture, dtype=np.float32).ravel()
    row = row - row.mean()
    return np.asarray(row / max(float(np.linalg.norm(row)), 1e-6), dtype=np.float32)


def _touch(a: Rect, b: Rect) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
