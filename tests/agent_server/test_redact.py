from __future__ import annotations

from agent_server.runs.redact import Redactor, stored, told
from device.actions import ClearText, Swipe, Tap, TypeText
from device.geometry import Point


def test_typed_text_is_hidden_wherever_it_turns_up() -> None:
    redactor = Redactor()
    redactor.learn("María Ñandú")
    data = {"thought": "type María Ñandú into the field", "parts": ["x", {"name": "María Ñandú"}], "n": 3, "none": None}
    assert redactor.data(data) == {
        "thought": "type (11 characters) into the field",
        "parts": ["x", {"name": "(11 characters)"}],
        "n": 3,
        "none": None,
    }


def test_short_texts_are_hidden_only_where_they_stand_alone() -> None:
    redactor = Redactor("zh-CN")
    redactor.learn("on")
    assert redactor.text("turn on Contacts") == "turn on Contacts"
    assert redactor.text(" on ") == "（2个字符）"


def test_the_longest_text_is_hidden_first() -> None:
    redactor = Redactor()
    redactor.learn("secret")
    redactor.learn("secret word")
    assert redactor.text("the secret word") == "the (11 characters)"


def test_an_event_tells_the_length_of_typed_text_and_the_way_of_a_finger() -> None:
    assert told(TypeText("hunter2", replace=True)) == {"kind": "type_text", "characters": 7, "replace": True}
    assert told(Swipe(Point(0.5, 0.8), Point(0.5, 0.2)))["finger"] == "up"
    assert told(Swipe(Point(0.9, 0.5), Point(0.1, 0.55)))["finger"] == "left"
    assert told(Tap(Point(0.5, 0.25))) == {"kind": "tap", "at": [0.5, 0.25]}


def test_a_step_keeps_typed_text_unless_it_is_secret() -> None:
    assert stored(TypeText("Ada"), secret=False)["text"] == "Ada"
    assert "text" not in stored(TypeText("hunter2"), secret=True)
    assert stored(ClearText(), secret=True) == {"kind": "clear_text"}
