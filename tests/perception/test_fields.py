"""Text fields found by their outline where there is no tree."""

from __future__ import annotations

import numpy as np
import pytest
from dumps import PHONE
from PIL import Image, ImageDraw

from device.frame import Pixels
from device.geometry import Box
from perception.base import TextLine
from perception.draft import Dp
from perception.fields import find
from perception.merge import merge

DP = Dp.of(PHONE)
LIGHT, DARK = ((254, 251, 255), (121, 116, 126)), ((20, 18, 24), (147, 143, 153))
Bounds = tuple[int, int, int, int]


def form(*fields: Bounds, colours: tuple[tuple[int, ...], tuple[int, ...]] = LIGHT, label: int = 0) -> Pixels:
    """Outlined fields with 12 px corners; `label` pixels of each upper edge are cut out for a label."""
    picture = Image.new("RGB", (PHONE.width, PHONE.height), colours[0])
    pen = ImageDraw.Draw(picture)
    for left, top, right, bottom in fields:
        pen.rounded_rectangle((left, top, right, bottom), 12, outline=colours[1], width=3)
        pen.rectangle((left + 40, top - 2, left + 40 + label, top + 4), fill=colours[0])
    return np.asarray(picture, dtype=np.uint8)


def line(left: int, top: int, right: int, bottom: int, text: str) -> TextLine:
    return TextLine(Box.from_pixel(left, top, right, bottom, PHONE), text, 0.99)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("label", [0, 220], ids=["empty", "with a floating label"])
def test_outlined_fields_are_found(colours: tuple[tuple[int, ...], tuple[int, ...]], label: int) -> None:
    fields = [(42, 400, 1038, 547), (42, 600, 1038, 747), (42, 800, 520, 947)]
    found = find(form(*fields, colours=colours, label=label), DP)
    assert len(found) == 3
    for box, (left, top, right, bottom) in zip(found, fields, strict=True):
        assert box.iou(Box.from_pixel(left, top, right, bottom, PHONE)) > 0.9


def test_dividers_buttons_and_cards_are_no_fields() -> None:
    picture = Image.new("RGB", (PHONE.width, PHONE.height), LIGHT[0])
    pen = ImageDraw.Draw(picture)
    for y in (300, 447, 594):
        pen.line((0, y, 1080, y), fill=LIGHT[1], width=3)
    pen.rounded_rectangle((60, 800, 1020, 930), 65, fill=(103, 80, 164))
    pen.rounded_rectangle((60, 1100, 1020, 1700), 36, outline=LIGHT[1], width=3)
    pen.rounded_rectangle((60, 1900, 220, 2000), 20, outline=LIGHT[1], width=3)
    assert find(np.asarray(picture, dtype=np.uint8), DP) == ()


def test_a_fields_label_and_content_are_told_apart() -> None:
    frame = Box.from_pixel(42, 400, 1038, 547, PHONE)
    lines = [line(78, 380, 250, 420, "First name"), line(80, 445, 160, 505, "Ada"), line(880, 445, 1000, 505, "Clear")]
    merged = merge(PHONE, None, lines, frames=[frame])
    assert [(e.role, e.text, e.label) for e in merged.elements] == [
        ("text_field", "Ada", "First name"),
        ("text", "Clear", ""),
    ]
    assert merged.elements[0].box == frame
    assert frame.contains(merged.elements[0].click)


def test_an_empty_field_shows_its_label_as_text_and_is_touched_inside() -> None:
    frame = Box.from_pixel(42, 400, 1038, 547, PHONE)
    merged = merge(PHONE, None, [line(80, 445, 300, 505, "First name")], frames=[frame])
    assert [(e.role, e.text, e.label) for e in merged.elements] == [("text_field", "First name", "")]
    assert frame.contains(merged.elements[0].click)


def test_a_frame_without_writing_and_one_with_several_lines_on_its_edge_are_no_fields() -> None:
    frame = Box.from_pixel(42, 400, 1038, 547, PHONE)
    edge = [line(78, 380, 250, 420, "One"), line(378, 380, 550, 420, "Two")]
    assert merge(PHONE, None, [], frames=[frame]).elements == ()
    assert {e.role for e in merge(PHONE, None, edge, frames=[frame]).elements} == {"text"}


@pytest.mark.parametrize("shape", [(1, 1), (5, 3000), (3000, 5), (60, 60)])
def test_any_picture_is_looked_at(shape: tuple[int, int]) -> None:
    assert find(np.zeros((*shape, 3), np.uint8), DP) == ()
