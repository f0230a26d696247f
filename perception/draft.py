"""What an element is before it has its number, and the yardstick all rules of this package measure with."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from device.geometry import Box, Point, Size
from perception.screen import Source

# Phones are 360 to 412 dp wide, tablets and unfolded foldables about 600 to 800; the proportions tell them
# apart (Android's own resource buckets: sw600dp begins where 16:10 and squarer screens do).
_PHONE_DP, _TABLET_DP, _PHONE_PROPORTION = 400, 720, 1.65


@dataclass(frozen=True, slots=True)
class Dp:
    """One density-independent pixel as fractions of a frame, guessed from its size within about 15 %."""

    x: float
    y: float

    @classmethod
    def of(cls, size: Size) -> Dp:
        short, long = sorted((size.width, size.height))
        pixels = short / (_PHONE_DP if long / short >= _PHONE_PROPORTION else _TABLET_DP)
        return cls(pixels / size.width, pixels / size.height)

    def grow(self, box: Box, by: float) -> Box:
        """The box with `by` dp more on every side (less when negative), within the frame."""
        x, y = by * self.x, by * self.y
        left, right = max(box.left - x, 0.0), min(box.right + x, 1.0)
        top, bottom = max(box.top - y, 0.0), min(box.bottom + y, 1.0)
        if left > right or top > bottom:
            center = box.center
            return Box(center.x, center.y, center.x, center.y)
        return Box(left, top, right, bottom)

    def width(self, box: Box) -> float:
        """Width in dp."""
        return box.width / self.x

    def height(self, box: Box) -> float:
        """Height in dp."""
        return box.height / self.y


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An element without mark and key; the fields mean what they mean in `perception.screen.Element`.

    `node` is the tree node's index, -1 for what only the picture shows.
    """

    box: Box
    click: Point
    role: str
    text: str = ""
    label: str = ""
    states: frozenset[str] = frozenset()
    sources: frozenset[Source] = frozenset()
    confidence: float = 1.0
    interactable: bool = True
    password: bool = False
    resource_id: str = ""
    node: int = -1

    @property
    def named(self) -> bool:
        return bool(self.text or self.label)


_DASHES = str.maketrans({**dict.fromkeys("‐‑‒–—−", "-"), **dict.fromkeys("‘’‛", "'"), **dict.fromkeys("“”„", '"')})


def folded(text: str) -> str:
    """For comparing what two sources read: NFKC, one kind of dash and quote, no case, no white space."""
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text).translate(_DASHES).casefold())


def title(text: str) -> str:
    """The first written line: a row's title without its details."""
    return text.split("\n", 1)[0]
