"""A script is replayed exactly, and what is wrong in it is named by step and field."""

from __future__ import annotations

from typing import Any

import pytest

from device.actions import (
    Action,
    ClearText,
    DoubleTap,
    Key,
    LongPress,
    OpenApp,
    PressKey,
    Swipe,
    Tap,
    TypeText,
    Wait,
    to_json,
)
from device.base import Answer
from device.geometry import Point
from perception.screen import Screen
from policies.base import Ask, Decision, Finish, Observation, Status, Turn
from policies.scripted import BadScript, Scripted
from tests.policies.phone import decide
from tests.policies.screens import element, listed, screen

PAGE = screen(*listed("Display", "Alex\nHome", "Alex\nWork"), element("", label="Message", role="text_field", row=5))


def replay(steps: list[dict[str, Any]], page: Screen = PAGE, most: int = 20) -> list[Decision]:
    """All decisions until the script ends, each by an object of its own."""
    history: list[Turn] = []
    while len(history) < most:
        seen = Observation(goal="anything", screen=page, history=tuple(history))
        decision = decide(Scripted(steps), seen)
        history.append(Turn(step=len(history) + 1, decision=decision, sent=Answer.YES, changed=Answer.YES))
        if isinstance(decision.choice, Finish):
            break
    return [turn.decision for turn in history]


def test_every_action_is_replayed_as_it_was_written() -> None:
    written: list[Action] = [
        OpenApp("Settings"),
        Tap(Point(0.25, 0.5)),
        DoubleTap(Point(0.25, 0.5)),
        LongPress(Point(0.25, 0.5)),
        Swipe(Point(0.5, 0.75), Point(0.5, 0.25)),
        TypeText("hello", replace=True),
        ClearText(),
        PressKey(Key.BACK),
        Wait(2.0),
    ]
    played = [decision.choice for decision in replay([to_json(action) for action in written])]
    assert played == [*written, Finish(status=Status.COMPLETE, reason="The script is at its end.")]


def test_a_target_is_found_by_name_or_mark_and_its_place_taken_from_the_screen() -> None:
    named, marked, typed, _ = replay(
        [
            {"kind": "tap", "target": "display"},
            {"kind": "long_press", "target": 3},
            {"kind": "type_text", "text": "hi", "target": "Message"},
        ]
    )
    assert named.element == PAGE.elements[0] and named.choice == Tap(PAGE.elements[0].click)
    assert marked.element == PAGE.elements[2] and marked.choice == LongPress(PAGE.elements[2].click)
    assert typed.element == PAGE.elements[3] and typed.choice == TypeText("hi")
    assert "hi" not in (typed.thought + typed.memo).split()


def test_questions_and_ends_are_replayed_too() -> None:
    asked, ended = replay(
        [
            {"kind": "ask", "prompt": "Which?", "options": ["a", "b"]},
            {"kind": "finish", "status": "impossible", "reason": "No.", "answer": "42"},
            {"kind": "wait"},
        ]
    )
    assert asked.choice == Ask(prompt="Which?", options=("a", "b"))
    assert ended.choice == Finish(status=Status.IMPOSSIBLE, reason="No.", answer="42")


def test_turns_of_others_do_not_shift_the_script() -> None:
    steps = [{"kind": "wait", "seconds": 1}, {"kind": "wait", "seconds": 2}]
    first = decide(Scripted(steps), Observation(goal="", screen=PAGE))
    taken_over = Turn(step=2, decision=Decision(choice=Wait(9)))
    seen = Observation(goal="", screen=PAGE, history=(Turn(step=1, decision=first), taken_over))
    assert decide(Scripted(steps), seen).choice == Wait(2)


@pytest.mark.parametrize(
    "steps, words",
    [
        ([], "steps must be a list"),
        ("tap", "steps must be a list"),
        (["tap"], "steps[0] must be an object"),
        ([{"kind": "wait"}, {"kind": "dance"}], "steps[1]: kind must be one of"),
        ([{}], "steps[0]: kind must be one of"),
        ([{"kind": "tap"}], "steps[0]: tap"),
        ([{"kind": "tap", "at": [1.5, 0.2]}], "steps[0]: at must be [x, y]"),
        ([{"kind": "tap", "at": [0.5, 0.2], "target": "Save"}], "steps[0] has both target and at"),
        ([{"kind": "tap", "target": ""}], "steps[0].target must be a name or a mark"),
        ([{"kind": "tap", "target": True}], "steps[0].target must be a name or a mark"),
        ([{"kind": "wait", "target": "Save"}], "steps[0].target: a step of kind 'wait' takes no target"),
        ([{"kind": "wait", "seconds": "long"}], "steps[0]: seconds must be a number above 0"),
        ([{"kind": "wait", "seconds": 0}], "steps[0]: seconds must be a number above 0"),
        ([{"kind": "type_text", "text": 5}], "steps[0]: text must be a text, not int"),
        ([{"kind": "type_text", "text": "x", "replace": "no"}], "steps[0]: replace must be true or false"),
        ([{"kind": "press_key", "key": "fire"}], "steps[0]: 'fire' is not a valid Key"),
        ([{"kind": "open_app", "name": None}], "steps[0]: name must be a text"),
        ([{"kind": "finish", "status": "great"}], "steps[0]: status must be one of complete, impossible"),
        ([{"kind": "finish", "because": "x"}], "steps[0]: because unknown"),
        ([{"kind": "ask"}], "steps[0]: prompt must be a text"),
        ([{"kind": "ask", "prompt": "x", "options": "ab"}], "steps[0]: options must be a list of texts"),
    ],
)
def test_a_wrong_script_is_refused_naming_step_and_field(steps: Any, words: str) -> None:
    with pytest.raises(BadScript) as caught:
        Scripted(steps)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "target, words, advice",
    [
        ("Quantum", "steps[0].target: “Quantum” is not on the screen", "Display"),
        ("Alex", "steps[0].target: 2 things fit “Alex”", "Alex, Home; Alex, Work"),
        (9, "steps[0].target: there is no mark 9; the screen has 1 to 4", ""),
    ],
)
def test_a_target_that_the_screen_does_not_settle_is_an_error(target: str | int, words: str, advice: str) -> None:
    with pytest.raises(BadScript) as caught:
        replay([{"kind": "tap", "target": target}])
    assert words in str(caught.value)
    assert advice in caught.value.advice
