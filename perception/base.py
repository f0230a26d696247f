"""The seams of perception."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from device.base import View
from device.frame import Pixels
from device.geometry import Box
from perception.screen import Screen


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of text found in a picture; `score` is the recogniser's own, 0 to 1."""

    box: Box
    text: str
    score: float


class TextReader(Protocol):
    """An OCR engine. `read` computes and blocks; the pipeline calls it on its own worker thread."""

    name: str

    def read(self, pixels: Pixels) -> tuple[TextLine, ...]:
        """Lines in an RGB picture of shape (height, width, 3), uint8, in no promised order."""
        ...


class Perceiver(Protocol):
    """View in, numbered elements out."""

    async def perceive(self, view: View) -> Screen: ...
