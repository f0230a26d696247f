"""Actions as values: their names, their plain data and back."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device import actions
from device.actions import (
    Action,
    ClearText,
    DoubleTap,
    Drag,
    Key,
    LongPress,
    OpenApp,
    Pinch,
    PressKey,
    Swipe,
    Tap,
    TypeText,
    Wait,
)
from device.geometry import Point

HERE, THERE = Point(0.25, 0.5), Point(0.75, 0.125)
EVERY: dict[str, Action] = {
    "tap": Tap(HERE),
    "double_tap": DoubleTap(HERE),
    "long_press": LongPress(HERE, 1.5),
    "swipe": Swipe(HERE, THERE, 0.4),
    "drag": Drag(HERE, THERE),
    "pinch": Pinch(HERE, 0.5),
    "type_text": TypeText("a 'b'", replace=True),
    "clear_text": ClearText(),
    "press_key": PressKey(Key.BACK),
    "open_app": OpenApp("Settings"),
    "wait": Wait(2.0),
}


def test_every_action_is_in_the_table_of_this_test() -> None:
    assert {type(action) for action in EVERY.values()} == set(get_args(Action))


@pytest.mark.parametrize("name", EVERY)
def test_every_action_has_a_stable_name_and_survives_json(name: str) -> None:
    action = EVERY[name]
    assert actions.kind(action) == name
    written = json.loads(json.dumps(actions.to_json(action)))
    assert written["kind"] == name
    assert actions.from_json(written) == action


def test_places_are_two_fractions_and_keys_are_words() -> None:
    assert actions.to_json(Tap(HERE)) == {"kind": "tap", "at": [0.25, 0.5]}
    assert actions.to_json(PressKey(Key.VOLUME_UP)) == {"kind": "press_key", "key": "volume_up"}
    assert actions.from_json({"kind": "swipe", "start": [0, 0], "end": [1, 1]}) == Swipe(Point(0, 0), Point(1, 1))


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ({}, "kind"),
        ({"kind": "fly"}, "kind"),
        ({"kind": "tap"}, "at"),
        ({"kind": "tap", "at": [0.5]}, "at"),
        ({"kind": "tap", "at": [0.5, 1.5]}, "at"),
        ({"kind": "tap", "at": "here"}, "at"),
        ({"kind": "tap", "at": [0.5, 0.5], "on": 1}, "on"),
        ({"kind": "press_key", "key": "any"}, "any"),
        ({"kind": ["tap"], "at": [0, 0]}, "kind"),
    ],
)
def test_wrong_data_is_refused_by_the_name_of_the_field(data: dict[str, object], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        actions.from_json(data)


@given(st.text(min_size=8))
def test_what_is_typed_is_not_in_the_representation(text: str) -> None:
    shown = repr(TypeText(text))
    assert text not in shown and str(len(text)) in shown
