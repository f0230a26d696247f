from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.actions import Drag, Key, LongPress, OpenApp, PressKey, Swipe, Tap, TypeText, Wait, from_json, kind, to_json
from device.geometry import Box, Point, Size

PHONE = Size(1080, 2400)


@given(st.integers(0, 1079), st.integers(0, 2399))
def test_a_pixel_survives_the_way_through_fractions(x: int, y: int) -> None:
    assert Point.from_pixel(x, y, PHONE).to_pixel(PHONE) == (x, y)


def test_foreign_conventions_name_themselves() -> None:
    assert Point.from_permille(250, 500) == Point(0.25, 0.5)
    assert Point.from_yx(0.25, 0.5) == Point(0.5, 0.25)


@pytest.mark.parametrize("x, y", [(1.01, 0.5), (0.5, -0.2), (float("nan"), 0)])
def test_a_place_outside_the_frame_is_refused_by_name(x: float, y: float) -> None:
    with pytest.raises(ValueError, match="must be a fraction between 0 and 1"):
        Point(x, y)


def test_the_edge_stays_inside_the_picture() -> None:
    assert Point(1, 1).to_pixel(PHONE) == (1079, 2399)


def test_boxes_overlap_as_computed_by_hand() -> None:
    one, other = Box(0, 0, 0.5, 0.5), Box(0.25, 0.25, 0.75, 0.75)
    assert one.iou(other) == pytest.approx(0.0625 / (0.25 + 0.25 - 0.0625))
    assert one.inside(other) == pytest.approx(0.25)
    assert one.intersection(Box(0.6, 0.6, 1, 1)) is None
    assert one.union(other) == Box(0, 0, 0.75, 0.75)


def test_a_box_inside_out_is_refused() -> None:
    with pytest.raises(ValueError, match="inside out"):
        Box(0.5, 0, 0.4, 1)


@pytest.mark.parametrize(
    "action",
    [
        Tap(Point(0.5, 0.25)),
        LongPress(Point(0.1, 0.1), 1.5),
        Swipe(Point(0.5, 0.8), Point(0.5, 0.2)),
        Drag(Point(0.5, 0.8), Point(0.5, 0.2)),
        TypeText("grüße 你好", replace=True),
        PressKey(Key.BACK),
        OpenApp("Settings"),
        Wait(2.0),
    ],
)
def test_an_action_survives_the_way_through_json(action: Tap) -> None:
    assert from_json(to_json(action)) == action
    assert to_json(action)["kind"] == kind(action)


@pytest.mark.parametrize(
    "data, word",
    [
        ({"kind": "fly"}, "kind must be one of"),
        ({"kind": "tap"}, "at"),
        ({"kind": "tap", "at": [2, 0]}, "at must be"),
        ({"kind": "tap", "at": "middle"}, "at must be"),
        ({"kind": "press_key", "key": "any"}, "any"),
        ({"kind": "wait", "hours": 3}, "hours"),
    ],
)
def test_a_wrong_action_is_refused_by_field(data: dict[str, object], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        from_json(data)


def test_typed_text_is_not_in_the_representation() -> None:
    assert "secret" not in repr(TypeText("secret"))
