"""The numbers of the marked picture: how a tag looks and where it goes, style by style.

`placed` is ours: a number on black where it covers neither writing nor another number. Measured on annotated screens,
a third of the screen's text can still be read with tags in the middle of elements, all of it with tags placed by cost.
The others are those MM-Navigator compares (its table 4): `centre`, black squares in the middle of each element, as its
published code uses; `beside`, black squares at the element's left; `red`, red circles. The paper does not say where
the circles are or what is written how: here they stand at the left too, so that `beside` and `red` differ in the
drawing alone. No style draws two tags over each other, or any over the edge: what would collide moves to the nearest
free place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from device.frame import Pixels
from device.geometry import Size

Style = Literal["placed", "centre", "beside", "red"]

# White on black, opaque, 14 px at a picture width of 540: read right in .99 of the cases after scaling.
_DIGITS_PX, _AT_WIDTH = 14, 540
# Relative harm of covering another tag, writing, another element (the placement compared in the reference).
_TAG_COST, _INK_COST, _ELEMENT_COST = 4.0, 3.0, 1.0
# Leaving one's own element costs less than any real overlap, but decides between empty places.
_OUTSIDE_COST = 0.08
# Writing within 5 px: close tags are read as the first word of their line.
_NEAR_COST = 0.5
_BLACK, _WHITE, _RED = (0, 0, 0), (255, 255, 255), (200, 0, 0)
"""White has a contrast of 5.9 to 1 on this red, by the formula of WCAG; on a brighter one too little."""
_FURTHEST = 8
"""Half tags that a tag moves at most to be apart from others: four of its own sizes, a row or so."""

Rects = NDArray[np.float64]
Cover = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Sprite:
    """A tag's drawing: `pixels` of shape (height, width, 3), and how much each hides of what lies below, 0 to 1."""

    pixels: Pixels
    cover: Cover

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width."""
        return self.cover.shape[0], self.cover.shape[1]


Places = Callable[[Rects, Rects, Pixels], tuple[Rects, NDArray[np.bool_]]]
"""From the elements' boxes (n, 4), the tags' widths and heights (n, 2), both in pixels, and the RGB picture: where
the tags go (n, 4), and which elements need a line around them (n) to be told from others."""


@dataclass(frozen=True, slots=True)
class Look:
    """One style. `drawing` takes the number and the size of its digits in pixels."""

    drawing: Callable[[int, int], Sprite]
    places: Places


def digits_px(size: Size) -> int:
    """Height of the digits' font for a picture of that size."""
    return max(round(_DIGITS_PX * min(size.width, size.height) / _AT_WIDTH), 10)


def stamp(picture: Pixels, tag: Sprite, left: int, top: int) -> None:
    """Draw the tag into the picture, its upper left corner there; it must fit."""
    height, width = tag.shape
    below = picture[top : top + height, left : left + width]
    hidden = tag.cover[..., None]
    below[:] = np.rint(tag.pixels * hidden + below * (1 - hidden)).astype(np.uint8)


@lru_cache(maxsize=512)
def square(mark: int, digits: int) -> Sprite:
    """White digits of that size on black, with a white rim of one pixel."""
    left, top, right, bottom = _extent(str(mark), digits)
    pad, rim = _pad(digits), 1
    # All tags of one size are equally high: digits of this font share a height.
    picture = Image.new("RGB", (right - left + 2 * (pad + rim), bottom - top + 2 * (pad + rim)), _WHITE)
    pen = ImageDraw.Draw(picture)
    pen.rectangle((rim, rim, picture.width - 1 - rim, picture.height - 1 - rim), fill=_BLACK)
    pen.text((pad + rim - left, pad + rim - top), str(mark), font=_font(digits), fill=_WHITE)
    return _sprite(picture, Image.new("L", picture.size, 255))


@lru_cache(maxsize=512)
def disc(mark: int, digits: int) -> Sprite:
    """White digits of that size on a red circle with a white rim; as large for 11 as for 88."""
    left, top, right, bottom = _extent("8" * len(str(mark)), digits)
    across = round(np.hypot(right - left, bottom - top)) + 2 * (_pad(digits) + 1)
    fine = 8  # drawn larger and scaled down, for a smooth edge
    shape = Image.new("L", (across * fine, across * fine))
    ImageDraw.Draw(shape).ellipse((0, 0, across * fine - 1, across * fine - 1), fill=255)
    inner = Image.new("L", shape.size)
    ImageDraw.Draw(inner).ellipse((fine, fine, (across - 1) * fine - 1, (across - 1) * fine - 1), fill=255)
    picture = Image.new("RGB", (across, across), _WHITE)
    picture.paste(_RED, mask=inner.resize(picture.size, Image.Resampling.BOX))
    left, top, right, bottom = _extent(str(mark), digits)
    at = (round((across - right - left) / 2), round((across - bottom - top) / 2))
    ImageDraw.Draw(picture).text(at, str(mark), font=_font(digits), fill=_WHITE)
    return _sprite(picture, shape.resize(picture.size, Image.Resampling.BOX))


@cache
def _font(digits: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(digits)


def _extent(text: str, digits: int) -> tuple[int, int, int, int]:
    left, top, right, bottom = (round(edge) for edge in _font(digits).getbbox(text))
    return left, top, right, bottom


def _pad(digits: int) -> int:
    return max(round(digits / 7), 1)


def _sprite(picture: Image.Image, cover: Image.Image) -> Sprite:
    pixels = np.asarray(picture, dtype=np.uint8)
    hidden = np.asarray(cover, dtype=np.float32) / np.float32(255)
    for array in (pixels, hidden):
        array.flags.writeable = False
    return Sprite(pixels, hidden)


def by_cost(boxes: Rects, shapes: Rects, picture: Pixels) -> tuple[Rects, NDArray[np.bool_]]:
    """Ours: the cheapest of ten places each; a line where a tag is apart from its element or two elements nest."""
    places, _ = place(boxes, shapes, ink(picture), Size(picture.shape[1], picture.shape[0]))
    # Where a crowd takes all ten, the cheapest may still lie on another tag.
    places = _kept_apart(places[:, :2], boxes, shapes, picture)
    return places, _apart(places, boxes) | _needs_outline(boxes)


def in_the_middle(boxes: Rects, shapes: Rects, picture: Pixels) -> tuple[Rects, NDArray[np.bool_]]:
    """Each tag in the middle of its element; no lines."""
    middle = np.stack((boxes[:, 0] + boxes[:, 2], boxes[:, 1] + boxes[:, 3]), axis=1) / 2
    return _kept_apart(middle - shapes / 2, boxes, shapes, picture), np.zeros(len(boxes), dtype=bool)


def at_the_left(boxes: Rects, shapes: Rects, picture: Pixels) -> tuple[Rects, NDArray[np.bool_]]:
    """Each tag outside at the left of its element, or inside where the picture ends there; no lines."""
    corner = np.stack((boxes[:, 0] - shapes[:, 0], (boxes[:, 1] + boxes[:, 3] - shapes[:, 1]) / 2), axis=1)
    return _kept_apart(corner, boxes, shapes, picture), np.zeros(len(boxes), dtype=bool)


STYLES: Mapping[Style, Look] = {
    "placed": Look(square, by_cost),
    "centre": Look(square, in_the_middle),
    "beside": Look(square, at_the_left),
    "red": Look(disc, at_the_left),
}


def _kept_apart(corners: Rects, boxes: Rects, shapes: Rects, picture: Pixels) -> Rects:
    """Tags with those upper left corners (n, 2), within the picture; small elements keep their place, others yield."""
    room = np.array([picture.shape[1], picture.shape[0]], dtype=float) - shapes
    corners = np.clip(np.rint(corners), 0, room)
    places = np.concatenate((corners, corners + shapes), axis=1)
    taken: list[int] = []
    for i in np.argsort((boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1]), kind="stable"):
        if _shares(places[i : i + 1], places[taken]).any():
            moved = np.rint(corners[i] + _moves() * shapes[i] / 2)
            inside = ((moved >= 0) & (moved <= room[i])).all(axis=1)
            candidates = np.concatenate((moved, moved + shapes[i]), axis=1)[inside]
            free = candidates[~_shares(candidates, places[taken]).any(axis=1)]
            places[i] = free[0] if len(free) else places[i]
        taken.append(int(i))
    return places


@cache
def _moves() -> Rects:
    """Steps across and down, shape (n, 2), the shortest first; none at all is the first."""
    steps = np.arange(-_FURTHEST, _FURTHEST + 1, dtype=float)
    grid = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    return np.asarray(grid[np.argsort(np.hypot(grid[:, 0], grid[:, 1]), kind="stable")])


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
    return chosen, _apart(chosen, boxes)


def _apart(places: Rects, boxes: Rects) -> NDArray[np.bool_]:
    """Shape (n,): whether a tag does not touch its element."""
    gap_x = np.maximum(boxes[:, 0] - places[:, 2], places[:, 0] - boxes[:, 2])
    gap_y = np.maximum(boxes[:, 1] - places[:, 3], places[:, 1] - boxes[:, 3])
    return np.asarray(np.maximum(gap_x, gap_y) > 2)


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
