"""What a model may answer, what it means, and what is refused with a reason."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from device import actions
from device.actions import Key, PressKey
from policies.base import Finish, Status
from policies.mm_navigator import grammar
from policies.mm_navigator.acting import meaning
from policies.mm_navigator.grammar import Direction, Said
from tests.policies.mm_navigator.pages import page

ACTS = some.one_of(
    some.builds(grammar.Click, some.integers()),
    some.builds(grammar.LongPress, some.integers()),
    some.builds(grammar.Type, some.text()),
    some.builds(grammar.OpenApp, some.text()),
    some.builds(grammar.Swipe, some.sampled_from(Direction)),
    some.builds(grammar.Complete, some.text()),
    some.builds(grammar.Impossible, some.text()),
    some.sampled_from([grammar.Enter(), grammar.Back(), grammar.Home()]),
)


@given(some.builds(Said, some.text(), ACTS, some.none() | some.text()))
def test_what_is_rendered_is_read_back_the_same(said: Said) -> None:
    assert grammar.parse(grammar.render(said), summary=said.summary is not None) == said


def fits(value: Any, schema: dict[str, Any]) -> bool:
    """Whether the value fits the part of JSON Schema that strict structured output knows."""
    if "anyOf" in schema:
        return any(fits(value, one) for one in schema["anyOf"])
    if "enum" in schema:
        return value in schema["enum"]
    match schema["type"]:
        case "object":
            known = schema["properties"]
            assert schema["additionalProperties"] is False and schema["required"] == list(known)
            return (
                isinstance(value, dict)
                and value.keys() == known.keys()
                and all(fits(value[k], known[k]) for k in known)
            )
        case "string":
            return isinstance(value, str)
        case _:
            return isinstance(value, int)


@given(some.builds(Said, some.text(), ACTS, some.none() | some.text()))
def test_the_schema_takes_every_answer_of_the_dialect(said: Said) -> None:
    assert fits(json.loads(grammar.render(said)), grammar.schema(summary=said.summary is not None))


CLICK = '{"action_type": "click", "idx": 3}'


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not one JSON object"),
        ("I would tap 3.", "not one JSON object"),
        ('{"thought": "x", "action": ' + CLICK, "not one JSON object"),
        ('Sure: {"thought": "x", "action": ' + CLICK + "}", "not one JSON object"),
        ("[]", "exactly these keys: thought, action"),
        ('{"thought": "x"}', "exactly these keys"),
        ('{"thought": "x", "action": ' + CLICK + ', "summary": "y"}', "exactly these keys"),
        ('{"thought": "x", "thought": "y", "action": ' + CLICK + "}", "twice"),
        ('{"thought": 1, "action": ' + CLICK + "}", "thought must be a text"),
        ('{"thought": "x", "action": "click"}', "action_type is one of"),
        ('{"thought": "x", "action": {"action_type": "scroll", "direction": "up"}}', "action_type is one of"),
        ('{"thought": "x", "action": {"action_type": "click"}}', "exactly these keys: action_type, idx"),
        ('{"thought": "x", "action": {"action_type": "click", "idx": "3"}}', "idx must be a whole number"),
        ('{"thought": "x", "action": {"action_type": "click", "idx": true}}', "idx must be a whole number"),
        ('{"thought": "x", "action": {"action_type": "click", "idx": NaN}}', "NaN"),
        ('{"thought": "x", "action": {"action_type": "swipe", "direction": "UP"}}', "direction must be one of"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_anything_else_is_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        grammar.parse(text, summary=False)


def test_a_code_block_around_the_whole_answer_is_no_harm() -> None:
    answer = grammar.render(Said("Because.", grammar.Click(3)))
    assert grammar.parse(f"```json\n{answer}\n```\n", summary=False).act == grammar.Click(3)


def test_reasons_never_repeat_typed_text() -> None:
    with pytest.raises(ValueError, match="text must be a text") as caught:
        grammar.parse('{"thought": "x", "action": {"action_type": "type", "text": ["hunter2"]}}', summary=False)
    assert "hunter2" not in str(caught.value)
    assert "hunter2" not in repr(grammar.Type("hunter2"))


def test_every_action_is_told_to_the_model() -> None:
    told = grammar.describe()
    for branch in grammar.schema(summary=False)["properties"]["action"]["anyOf"]:
        for name, kind in branch["properties"].items():
            assert f'"{name}"' in told
            assert name != "action_type" or f'"{kind["enum"][0]}"' in told


def test_each_act_means_one_thing_on_the_screen() -> None:
    screen = page("Wi-Fi", "Name", focused="Name")
    row, field = screen.elements
    tags = {1, 2}
    assert meaning(grammar.Click(1), screen, tags) == (actions.Tap(row.click), row)
    assert meaning(grammar.LongPress(2), screen, tags) == (actions.LongPress(field.click), field)
    assert meaning(grammar.Type("Ana"), screen, tags) == (actions.TypeText("Ana"), field)
    assert meaning(grammar.Enter(), screen, tags) == (PressKey(Key.ENTER), field)
    assert meaning(grammar.Back(), screen, tags) == (PressKey(Key.BACK), None)
    assert meaning(grammar.Home(), screen, tags) == (PressKey(Key.HOME), None)
    assert meaning(grammar.OpenApp("Maps"), screen, tags) == (actions.OpenApp("Maps"), None)
    assert meaning(grammar.Complete("42"), screen, tags)[0] == Finish(status=Status.COMPLETE, answer="42")
    assert meaning(grammar.Impossible("no"), screen, tags)[0] == Finish(status=Status.IMPOSSIBLE, reason="no")


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("keyboard", [False, True])
def test_a_swipe_says_where_the_finger_goes_and_stays_off_the_keyboard(direction: Direction, keyboard: bool) -> None:
    swipe, element = meaning(grammar.Swipe(direction), page("Wi-Fi", keyboard=keyboard), {1})
    assert isinstance(swipe, actions.Swipe) and element is None
    across, down = swipe.end.x - swipe.start.x, swipe.end.y - swipe.start.y
    moved = {"up": down < 0, "down": down > 0, "left": across < 0, "right": across > 0}
    assert [name for name, goes in moved.items() if goes] == [direction]
    assert not keyboard or max(swipe.start.y, swipe.end.y) < 0.5


@pytest.mark.parametrize("idx", [0, -1, 2, 3, 99])
def test_a_number_that_was_not_drawn_is_refused_and_the_drawn_ones_are_named(idx: int) -> None:
    with pytest.raises(ValueError, match="the numbers are 1"):
        meaning(grammar.Click(idx), page("Wi-Fi", "About", flat="About"), {1})
