"""The marked picture: a number beside everything that can be touched, never over what is written.

Measured on annotated screens: with tags in the middle of elements (as in AppAgent and MM-Navigator) a third of
the screen's text can still be read, with tags placed by cost all of it. Tags are drawn after scaling, so their
digits stay sharp, opaque, at the size readers need (14 px on a picture 540 wide).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, get_args

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from device.frame import MediaType, Pixels
from device.geometry import Box, Size
from perception.screen import Element, Screen

Style = Literal["placed", "none"]
_QUALITY = 85
# White on black, opaque, 14 px at a picture width of 540: read right in .99 of the cases after scaling.
_DIGITS_PX, _AT_WIDTH = 14, 540
# Relative harm of covering another tag, writing, another element (the placement compared in the reference).
_TAG_COST, _INK_COST, _ELEMENT_COST = 4.0, 3.0, 1.0
# Leaving one's own element costs less than any real overlap, but decides between empty places.
_OUTSIDE_COST = 0.08
# Writing within 5 px: close tags are read as the first word of their line.
_NEAR_COST = 0.5
_LINE = (255, 64, 160)
_COVER = (96, 96, 96)

Rects = NDArray[np.float64]


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
    if style not in get_args(Style):
        raise ValueError(f"style must be one of {', '.join(get_args(Style))}, not {style!r}")
    if width < 16:
        raise ValueError(f"width must be at least 16 pixels, not {width}")
    picture = scaled(screen.frame.pixels, width)
    size = Size(picture.shape[1], picture.shape[0])
    for element in screen.elements:
        if element.password:
            left, top, right, bottom = element.box.to_pixel(size)
            picture[top:bottom, left:right] = _COVER
    tags: dict[int, Box] = {}
    if style == "placed":
        tags = _draw_tags(picture, [e for e in screen.elements if e.interactable], size)
    return Overlay(data=_jpeg(picture), media_type="image/jpeg", size=size, marks=tags, listing=listing(screen))


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


def _draw_tags(picture: Pixels, elements: Sequence[Element], size: Size) -> dict[int, Box]:
    """Draw into the picture and return the boxes of the tags as fractions."""
    digits = max(round(_DIGITS_PX * min(size.width, size.height) / _AT_WIDTH), 10)
    sprites = [sprite(element.mark, digits) for element in elements]
    fitting = [i for i, s in enumerate(sprites) if s.shape[0] <= size.height and s.shape[1] <= size.width]
    elements = [elements[i] for i in fitting]
    sprites = [sprites[i] for i in fitting]
    if not elements:
        return {}
    boxes = np.array([element.box.to_pixel(size) for element in elements], dtype=float)
    shapes = np.array([(s.shape[1], s.shape[0]) for s in sprites], dtype=float)
    places, apart = place(boxes, shapes, ink(picture), size)
    for i in np.flatnonzero(apart | _needs_outline(boxes)):
        left, top, right, bottom = (int(edge) for edge in boxes[i])
        cv2.rectangle(picture, (left, top), (max(right - 1, left), max(bottom - 1, top)), _LINE, 1)
    out = {}
    for element, (left, top, right, bottom), tag in zip(elements, places.astype(int), sprites, strict=True):
        picture[top:bottom, left:right] = tag
        out[element.mark] = Box.from_pixel(left, top, right, bottom, size)
    return out


def ink(picture: Pixels) -> NDArray[np.float64]:
    """Summed-area table, shape (height + 1, width + 1), of where something is written or drawn.

    A pixel counts when its surroundings of 3x3 vary by more than 24 of 255: flat grounds and gradients do not.
    """
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    kernel = np.ones((3, 3), np.uint8)
    drawn = cv2.morphologyEx(grey, cv2.MORPH_GRADIENT, kernel) > 24
    return np.asarray(cv2.integral(drawn.astype(np.uint8)), dtype=np.float64)


def place(boxes: Rects, shapes: Rects, table: NDArray[np.float64], size: Size) -> tuple[Rects, NDArray[np.bool_]]:
    """Where each tag goes, and whether it ended up apart from its element.

    `boxes` (n, 4) pixel edges, `shapes` (n, 2) width and height of the tags, `table` from `ink`. Ten places per
    element: four in its corners, two at the middle of its sides, four outside its corners. The cost of one is 4
    times the share of it covering tags placed before, 3 times ink, half of ink nearby, once other elements; the
    cheapest wins, small elements choose first. Every place is moved into the picture.
    """
    candidates = _candidates(boxes, shapes, size)
    costs = _INK_COST * _ink_share(candidates, table, 1) + _NEAR_COST * _ink_share(candidates, table, 5)
    costs += _ELEMENT_COST * _element_share(candidates, boxes)
    costs += np.where(_outside(candidates, boxes), _OUTSIDE_COST, 0.0)
    costs += np.linspace(0, 0.02, candidates.shape[1])  # the earlier place where nothing else decides
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    chosen = np.zeros((len(boxes), 4))
    taken: list[int] = []
    for i in np.argsort(areas, kind="stable"):
        total = costs[i]
        if taken:
            total = total + _TAG_COST * _shares(candidates[i], chosen[taken]).sum(axis=1)
        chosen[i] = candidates[i, int(np.argmin(total))]
        taken.append(int(i))
    gap_x = np.maximum(boxes[:, 0] - chosen[:, 2], chosen[:, 0] - boxes[:, 2])
    gap_y = np.maximum(boxes[:, 1] - chosen[:, 3], chosen[:, 1] - boxes[:, 3])
    return chosen, np.asarray(np.maximum(gap_x, gap_y) > 2)


def _candidates(boxes: Rects, shapes: Rects, size: Size) -> Rects:
    """Shape (n, 10, 4), within the picture."""
    left, top, right, bottom = (boxes[:, i] for i in range(4))
    width, height = shapes[:, 0], shapes[:, 1]
    middle = (top + bottom - height) / 2
    # Within large boxes far enough from the edge to leave a border alone.
    inset = np.where((right - left > 4 * width) & (bottom - top > 2 * height), 4.0, 1.0)
    corners = [
        (left + inset, middle),
        (right - width - inset, middle),
        (left + inset, top + inset),
        (right - width - inset, top + inset),
        (left + inset, bottom - height - inset),
        (right - width - inset, bottom - height - inset),
        (left - width, middle),
        (right, middle),
        (left, top - height),
        (left, bottom),
    ]
    x = np.stack([corner[0] for corner in corners], axis=1)
    y = np.stack([corner[1] for corner in corners], axis=1)
    x = np.clip(np.rint(x), 0, size.width - width[:, None])
    y = np.clip(np.rint(y), 0, size.height - height[:, None])
    return np.stack((x, y, x + width[:, None], y + height[:, None]), axis=2)


def _ink_share(candidates: Rects, table: NDArray[np.float64], margin: int) -> NDArray[np.float64]:
    """Shape (n, 10): share of each place, with `margin` pixels around it, that has something on it."""
    last_y, last_x = table.shape[0] - 1, table.shape[1] - 1
    x0 = np.clip(candidates[..., 0] - margin, 0, last_x).astype(int)
    y0 = np.clip(candidates[..., 1] - margin, 0, last_y).astype(int)
    x1 = np.clip(candidates[..., 2] + margin, 0, last_x).astype(int)
    y1 = np.clip(candidates[..., 3] + margin, 0, last_y).astype(int)
    covered = table[y1, x1] - table[y0, x1] - table[y1, x0] + table[y0, x0]
    return np.asarray(covered / np.maximum((x1 - x0) * (y1 - y0), 1), dtype=np.float64)


def _element_share(candidates: Rects, boxes: Rects) -> NDArray[np.float64]:
    """Shape (n, 10): how much of each place lies on other elements, those that hold this one left out."""
    n = len(boxes)
    shares = _shares(candidates.reshape(-1, 4), boxes).reshape(n, candidates.shape[1], n)
    around = _shares(boxes, boxes) > 0.8
    np.fill_diagonal(around, True)
    shares = np.where(around[:, None, :], 0.0, shares)
    return np.asarray(shares.sum(axis=2), dtype=np.float64)


def _shares(places: Rects, boxes: Rects) -> NDArray[np.float64]:
    """Shape (places, boxes): share of each place that the box covers."""
    across = np.minimum(places[:, None, 2], boxes[None, :, 2]) - np.maximum(places[:, None, 0], boxes[None, :, 0])
    down = np.minimum(places[:, None, 3], boxes[None, :, 3]) - np.maximum(places[:, None, 1], boxes[None, :, 1])
    area = (places[:, 2] - places[:, 0]) * (places[:, 3] - places[:, 1])
    return np.asarray(np.clip(across, 0, None) * np.clip(down, 0, None) / np.maximum(area, 1)[:, None])


def _outside(candidates: Rects, boxes: Rects) -> NDArray[np.bool_]:
    """Shape (n, 10): whether most of the place lies outside its own element."""
    own = boxes[:, None, :]
    across = np.minimum(candidates[..., 2], own[..., 2]) - np.maximum(candidates[..., 0], own[..., 0])
    down = np.minimum(candidates[..., 3], own[..., 3]) - np.maximum(candidates[..., 1], own[..., 1])
    area = (candidates[..., 2] - candidates[..., 0]) * (candidates[..., 3] - candidates[..., 1])
    return np.asarray(np.clip(across, 0, None) * np.clip(down, 0, None) < 0.5 * area)


def _needs_outline(boxes: Rects) -> NDArray[np.bool_]:
    """Elements inside one other: without a line their tags look like their container's."""
    inside = _shares(boxes, boxes) > 0.8
    np.fill_diagonal(inside, False)
    holds = inside.sum(axis=0)
    # A list or card with several things in it is what everything there is inside of.
    direct = inside & (holds <= 2)[None, :]
    return np.asarray(direct.any(axis=1))


@lru_cache(maxsize=512)
def sprite(mark: int, digits: int) -> Pixels:
    """The tag's picture, shape (height, width, 3): white digits of that size on black with a white rim."""
    font = ImageFont.load_default(digits)
    text = str(mark)
    left, top, right, bottom = (round(edge) for edge in font.getbbox(text))
    pad = max(round(digits / 7), 1)
    rim = 1
    # All tags of one size are equally high: digits of this font share a height.
    picture = Image.new("RGB", (right - left + 2 * (pad + rim), bottom - top + 2 * (pad + rim)), (255, 255, 255))
    pen = ImageDraw.Draw(picture)
    pen.rectangle((rim, rim, picture.width - 1 - rim, picture.height - 1 - rim), fill=(0, 0, 0))
    pen.text((pad + rim - left, pad + rim - top), text, font=font, fill=(255, 255, 255))
    array = np.asarray(picture, dtype=np.uint8)
    array.flags.writeable = False
    return array
