"""The marked picture: a number at everything that can be touched.

Tags are drawn after scaling, so their digits stay sharp, opaque, at the size readers need. How they look and where
they go: `perception.tags`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import cv2
import numpy as np

from device.frame import MediaType, Pixels
from device.geometry import Box, Size
from perception import tags
from perception.screen import Element, Screen

Style = tags.Style | Literal["none"]
STYLES: tuple[str, ...] = (*get_args(tags.Style), "none")
_QUALITY = 85
_LINE = (255, 64, 160)
_COVER = (96, 96, 96)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlay:
    """An encoded picture and where its tags are.

    `marks` holds the box of each tag that was drawn, as fractions; `listing` has one line per element.
    """

    data: bytes = field(repr=False)
    media_type: MediaType
    size: Size
    marks: Mapping[int, Box]
    listing: str


def draw(screen: Screen, *, width: int = 540, style: Style = "placed") -> Overlay:
    """The screen as a JPEG whose shorter side has `width` pixels (never enlarged), with tags.

    `none` draws no tags. Password fields are painted over in every style. Raises ValueError for another
    style or a width under 16, BadFrame when the frame cannot be decoded.
    """
    if style not in STYLES:
        raise ValueError(f"style must be one of {', '.join(STYLES)}, not {style!r}")
    if width < 16:
        raise ValueError(f"width must be at least 16 pixels, not {width}")
    picture = scaled(screen.frame.pixels, width)
    size = Size(picture.shape[1], picture.shape[0])
    for element in screen.elements:
        if element.password:
            left, top, right, bottom = element.box.to_pixel(size)
            picture[top:bottom, left:right] = _COVER
    marks: dict[int, Box] = {}
    if style != "none":
        marks = _draw_tags(picture, [e for e in screen.elements if e.interactable], size, tags.STYLES[style])
    return Overlay(data=_jpeg(picture), media_type="image/jpeg", size=size, marks=marks, listing=listing(screen))


def listing(screen: Screen) -> str:
    """One line per element: mark, role, text and label as JSON strings, states. Untrusted text stays quoted."""
    return "\n".join(map(line, screen.elements))


def line(element: Element) -> str:
    """For instance `7 switch "Dark theme / Off until sunset" unchecked`; long texts are cut at 120 signs."""
    parts = [str(element.mark), element.role]
    if element.text or not element.label:
        parts.append(_quoted(element.text))
    if element.label:
        parts.append(f"label={_quoted(element.label)}")
    if element.password:
        parts.append("password")
    parts += sorted(element.states)
    if not element.interactable and element.role not in ("text", "image"):
        parts.append("untouchable")
    return " ".join(parts)


def _quoted(text: str) -> str:
    flat = text.replace("\n", " / ")
    return json.dumps(flat if len(flat) <= 120 else flat[:119] + "…", ensure_ascii=False)


def scaled(pixels: Pixels, width: int) -> Pixels:
    """A copy whose shorter side has `width` pixels; smaller pictures keep their size."""
    height, across = pixels.shape[:2]
    factor = width / min(height, across)
    if factor >= 1:
        return pixels.copy()
    target = (max(round(across * factor), 1), max(round(height * factor), 1))
    return np.asarray(cv2.resize(pixels, target, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _jpeg(picture: Pixels) -> bytes:
    ok, data = cv2.imencode(".jpg", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    assert ok, "OpenCV encodes any array of this shape"
    return bytes(data.tobytes())


def _draw_tags(picture: Pixels, elements: Sequence[Element], size: Size, look: tags.Look) -> dict[int, Box]:
    """Draw into the picture and return the boxes of the tags as fractions."""
    digits = tags.digits_px(size)
    drawn = [(element, look.drawing(element.mark, digits)) for element in elements]
    drawn = [(e, s) for e, s in drawn if s.shape[0] <= size.height and s.shape[1] <= size.width]
    if not drawn:
        return {}
    boxes = np.array([element.box.to_pixel(size) for element, _ in drawn], dtype=float)
    shapes = np.array([(tag.shape[1], tag.shape[0]) for _, tag in drawn], dtype=float)
    places, outlined = look.places(boxes, shapes, picture)
    for i in np.flatnonzero(outlined):
        left, top, right, bottom = (int(edge) for edge in boxes[i])
        cv2.rectangle(picture, (left, top), (max(right - 1, left), max(bottom - 1, top)), _LINE, 1)
    marks = {}
    for (element, tag), (left, top, right, bottom) in zip(drawn, places.astype(int), strict=True):
        tags.stamp(picture, tag, left, top)
        marks[element.mark] = Box.from_pixel(left, top, right, bottom, size)
    return marks
