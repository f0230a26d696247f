"""What drawing needs of a picture: about a dozen primitives in whole pixels."""

from __future__ import annotations

from typing import Protocol

from PIL import Image

from device.virtual.ui.fonts import Run
from device.virtual.ui.theme import Rgba

Area = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels; right and bottom are outside."""


class Canvas(Protocol):
    """A picture one draws on. Colours have an opacity; everything outside `clip` stays as it is."""

    width: int
    height: int
    clip: Area

    def clear(self, color: Rgba) -> None:
        """Fill everything, ignoring the clip."""

    def rect(self, area: Area, color: Rgba) -> None:
        """Fill a rectangle."""

    def round_rect(self, area: Area, radius: float, color: Rgba) -> None:
        """Fill a rectangle with round corners; a radius of half the height makes a pill or a disc."""

    def outline(self, area: Area, radius: float, width: int, color: Rgba) -> None:
        """Draw the frame of such a rectangle, inside its edges."""

    def mask(self, left: int, top: int, coverage: Image.Image, color: Rgba) -> None:
        """Fill where an 8-bit mask says so; icons come this way."""

    def run(self, left: int, baseline: int, run: Run, color: Rgba) -> None:
        """Draw a line of text."""

    def picture(self, left: int, top: int, image: Image.Image) -> None:
        """Put a picture on top, with its own transparency if it has one."""

    def shadow(self, area: Area, radius: float, spread: int, opacity: float) -> None:
        """A soft shadow around and a little below a rounded rectangle."""

    def scrim(self, color: Rgba) -> None:
        """Lay a translucent colour over everything within the clip."""
