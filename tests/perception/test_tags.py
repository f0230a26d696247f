"""Each style of tags, looked at: where the numbers are, and that they can be read."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import cv2
import numpy as np
import pytest

from device.frame import Pixels, decode
from device.geometry import Box, Size
from perception.ocr import RapidOcrReader
from perception.overlay import Overlay, draw
from perception.tags import STYLES, Style, digits_px, disc, square, stamp
from tests.perception.test_overlay import element, overlap, picture, screen

READER = RapidOcrReader(threads=1)
SIZE = Size(540, 1200)
ROOMY = [Box(0.3, 0.1 + 0.08 * n, 0.7, 0.15 + 0.08 * n) for n in range(8)]
MARKS = (1, 4, 7, 10, 28, 36, 59, 99)
every_style = pytest.mark.parametrize("style", STYLES)


def shot(style: Style, boxes: list[Box], marks: tuple[int, ...] = (), shade: int = 250) -> Overlay:
    numbered = zip(marks or range(1, len(boxes) + 1), boxes, strict=True)
    return draw(screen(picture(shade=shade), *(element(mark, box) for mark, box in numbered)), style=style)


def pixels_of(drawn: Overlay) -> Pixels:
    return decode(drawn.data, "image/jpeg")


def read(drawn: Overlay, mark: int) -> str:
    """What OCR reads where the tag is: its crop, six times larger, on a ground of its own colour."""
    left, top, right, bottom = drawn.marks[mark].to_pixel(drawn.size)
    crop = pixels_of(drawn)[top + 2 : bottom - 2, left + 2 : right - 2]
    large = cv2.resize(crop, None, fx=6, fy=6, interpolation=cv2.INTER_CUBIC)
    ground = tuple(int(shade) for shade in np.median(crop.reshape(-1, 3), axis=0))
    framed = cv2.copyMakeBorder(large, 60, 60, 90, 90, cv2.BORDER_CONSTANT, value=ground)
    return "".join(line.text for line in READER.read(np.asarray(framed, np.uint8)))


@every_style
def test_every_number_can_be_read_where_it_was_drawn(style: Style) -> None:
    drawn = shot(style, ROOMY, MARKS)
    # A single upright stroke is no writing to an OCR detector; circles and squares alike.
    assert {mark: read(drawn, mark) for mark in MARKS if mark != 1} == {mark: str(mark) for mark in MARKS if mark != 1}


def centre_of(drawn: Overlay, mark: int) -> tuple[float, float]:
    at = drawn.marks[mark].center
    return at.x * SIZE.width, at.y * SIZE.height


def test_centre_has_its_numbers_in_the_middle_of_their_elements() -> None:
    drawn = shot("centre", ROOMY)
    for mark, box in enumerate(ROOMY, 1):
        wanted = (box.center.x * SIZE.width, box.center.y * SIZE.height)
        assert centre_of(drawn, mark) == pytest.approx(wanted, abs=1.5)


@pytest.mark.parametrize("style", ["beside", "red"])
def test_beside_and_red_have_theirs_at_the_left_in_the_middle_of_the_height(style: Style) -> None:
    drawn = shot(style, ROOMY)
    for mark, box in enumerate(ROOMY, 1):
        assert drawn.marks[mark].right * SIZE.width == pytest.approx(box.left * SIZE.width, abs=1.5)
        assert centre_of(drawn, mark)[1] == pytest.approx(box.center.y * SIZE.height, abs=1.5)


@pytest.mark.parametrize("style", ["beside", "red"])
def test_where_the_picture_ends_at_the_left_the_number_stays_in_it(style: Style) -> None:
    drawn = shot(style, [Box(0, 0.4, 1, 0.5)])
    assert drawn.marks[1].left == 0


@pytest.mark.parametrize("style", ["placed", "centre", "beside"])
@pytest.mark.parametrize("shade", [0, 120, 250])
def test_squares_are_black_with_a_white_rim_on_every_ground(style: Style, shade: int) -> None:
    drawn = shot(style, ROOMY, MARKS, shade)
    for box in drawn.marks.values():
        left, top, right, bottom = box.to_pixel(drawn.size)
        tag = pixels_of(drawn)[top:bottom, left:right].astype(int)
        assert np.median(tag[1:-1, 1:-1]) < 40, "the ground is black"
        assert tag[[0, -1], :].mean() > 150 and tag[:, [0, -1]].mean() > 150, "the rim is white"


@pytest.mark.parametrize("shade", [0, 120, 250])
def test_red_is_a_circle_that_leaves_the_corners_of_its_box_alone(shade: int) -> None:
    drawn = shot("red", ROOMY, MARKS, shade)
    for box in drawn.marks.values():
        left, top, right, bottom = box.to_pixel(drawn.size)
        assert right - left == bottom - top
        tag = pixels_of(drawn)[top:bottom, left:right].astype(int)
        red, green, blue = np.median(tag[3:-3, 3:-3].reshape(-1, 3), axis=0)
        assert red > 150 and max(green, blue) < 60
        corners = tag[[0, 0, -1, -1], [0, -1, 0, -1]]
        assert np.abs(corners - shade).max() < 45, "what lies below the corner is seen, but for the JPEG's blur"


def test_a_circle_is_as_large_for_11_as_for_88_and_its_digits_stay_in_it() -> None:
    assert disc(11, 14).shape == disc(88, 14).shape
    for mark in (7, 11, 44, 88):
        tag = disc(mark, 14)
        white = (tag.pixels.min(axis=2) > 200) & (tag.cover == 1)
        rows, columns = np.nonzero(white)
        middle = (tag.shape[0] - 1) / 2
        inner = np.hypot(rows - middle, columns - middle) < middle - 1.5
        assert inner.any()
        # The rim and the digits are the only white; between them lies red.
        ring = np.abs(np.hypot(rows - middle, columns - middle) - (middle - 1.5)) < 0.4
        assert ring.sum() <= 6


@every_style
@pytest.mark.parametrize("shade", [20, 250])
def test_sixty_crowded_and_nested_elements_have_sixty_numbers_apart_and_in_the_picture(
    style: Style, shade: int
) -> None:
    grid = [Box(0.2 * x, 0.1 * y, 0.2 * x + 0.2, 0.1 * y + 0.1) for y in range(6) for x in range(5)]
    nested = [Box(0.3 + 0.01 * n, 0.65 + 0.01 * n, 0.9 - 0.01 * n, 0.99 - 0.01 * n) for n in range(15)]
    tiny = [Box(0.97, 0.96 + 0.002 * n, 1.0, 0.97 + 0.002 * n) for n in range(15)]
    drawn = shot(style, [*grid, *nested, *tiny], shade=shade)
    assert set(drawn.marks) == set(range(1, 61))
    for one, other in combinations(drawn.marks.values(), 2):
        assert overlap(one, other) < 1e-9
    for box in drawn.marks.values():
        assert 0 <= box.left < box.right <= 1 and 0 <= box.top < box.bottom <= 1


@every_style
def test_a_wide_picture_has_its_numbers_too(style: Style) -> None:
    drawn = draw(screen(picture(2400, 1080), element(1, Box(0.9, 0.9, 1, 1))), style=style)
    assert drawn.size == Size(1200, 540)
    assert drawn.marks[1].right <= 1


@pytest.mark.parametrize("drawing", [square, disc])
def test_digits_grow_with_the_picture(drawing: Any) -> None:
    small, large = (digits_px(Size(width, width * 20 // 9)) for width in (540, 1080))
    assert (small, large) == (14, 28)
    assert drawing(8, large).shape[0] > 1.7 * drawing(8, small).shape[0]


def test_a_stamp_hides_what_it_covers_and_nothing_else() -> None:
    ground = np.full((60, 60, 3), 90, np.uint8)
    tag = disc(5, 14)
    stamp(ground, tag, 10, 20)
    height, width = tag.shape
    below = ground[20 : 20 + height, 10 : 10 + width]
    assert (below[tag.cover == 1] == tag.pixels[tag.cover == 1]).all()
    assert (below[tag.cover == 0] == 90).all()
    ground[20 : 20 + height, 10 : 10 + width] = 90
    assert (ground == 90).all()
