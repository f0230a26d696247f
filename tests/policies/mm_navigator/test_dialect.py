"""What a model may answer, what it means, and what is refused with a reason."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as some

from device import actions
from device.actions import Key, PressKey
from policies.base import Ask, Finish, Status
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
    some.builds(
        grammar.Ask, some.text(min_size=1).filter(lambda text: bool(text.strip())), some.lists(some.text()).map(tuple)
    ),
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
        case "array":
            return isinstance(value, list) and all(fits(one, schema["items"]) for one in value)
        case _:
            return isinstance(value, int)


@given(some.builds(Said, some.text(), ACTS, some.none() | some.text()))
def test_the_schema_takes_every_answer_of_the_dialect(said: Said) -> None:
    assert fits(json.loads(grammar.render(said)), grammar.schema(summary=said.summary is not None))


CLICK = '{"action_type": "click", "idx": 3}'
ANSWER = '{"thought": "x", "action": ' + CLICK + "}"

BOTH_WAYS: list[tuple[grammar.Act, str]] = [
    (grammar.Click(1), '{"action_type": "click", "idx": 1}'),
    (grammar.Click(0), '{"action_type": "click", "idx": 0}'),
    (grammar.Click(-3), '{"action_type": "click", "idx": -3}'),
    (grammar.LongPress(60), '{"action_type": "long_press", "idx": 60}'),
    (grammar.Type(""), '{"action_type": "type", "text": ""}'),
    (grammar.Type('She said "no".'), '{"action_type": "type", "text": "She said \\"no\\"."}'),
    (grammar.Type("one\ntwo\t\\three"), '{"action_type": "type", "text": "one\\ntwo\\t\\\\three"}'),
    (grammar.Type("it's {1: 2}]"), '{"action_type": "type", "text": "it\'s {1: 2}]"}'),
    (grammar.Type("García-张伟 👩🏽"), '{"action_type": "type", "text": "García-张伟 👩🏽"}'),
    (grammar.Type(ANSWER), '{"action_type": "type", "text": ' + json.dumps(ANSWER) + "}"),
    (grammar.Enter(), '{"action_type": "enter"}'),
    (grammar.Swipe(Direction.UP), '{"action_type": "swipe", "direction": "up"}'),
    (grammar.Swipe(Direction.DOWN), '{"action_type": "swipe", "direction": "down"}'),
    (grammar.Swipe(Direction.LEFT), '{"action_type": "swipe", "direction": "left"}'),
    (grammar.Swipe(Direction.RIGHT), '{"action_type": "swipe", "direction": "right"}'),
    (grammar.Back(), '{"action_type": "navigate_back"}'),
    (grammar.Home(), '{"action_type": "navigate_home"}'),
    (grammar.OpenApp("Maps & more"), '{"action_type": "open_app", "app": "Maps & more"}'),
    (grammar.Ask("Which?", ("A", "B")), '{"action_type": "ask", "question": "Which?", "options": ["A", "B"]}'),
    (grammar.Ask("Which?"), '{"action_type": "ask", "question": "Which?", "options": []}'),
    (grammar.Complete("7 %"), '{"action_type": "complete", "answer": "7 %"}'),
    (grammar.Impossible("No such app."), '{"action_type": "impossible", "reason": "No such app."}'),
]


@pytest.mark.parametrize(("act", "text"), BOTH_WAYS)
def test_each_action_is_written_and_read_in_one_way(act: grammar.Act, text: str) -> None:
    whole = '{"thought": "", "action": ' + text + "}"
    assert grammar.render(Said("", act)) == whole
    assert grammar.parse(whole, summary=False) == Said("", act)


def test_the_table_has_every_action() -> None:
    assert {type(act) for act, _ in BOTH_WAYS} == set(get_args(grammar.Act))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not one JSON object"),
        ("I would tap 3.", "not one JSON object"),
        ('{"thought": "x", "action": ' + CLICK, "not one JSON object"),
        ('Sure: {"thought": "x", "action": ' + CLICK + "}", "not one JSON object"),
        (ANSWER + " That should do it.", "Extra data.*one object with one action"),
        (ANSWER + "\n" + ANSWER, "Extra data.*one object with one action"),
        (f"[{ANSWER}, {ANSWER}]", "exactly these keys: thought, action"),
        ('{"thought": "x", "action": [' + CLICK + "]}", "action_type is one of"),
        ('{"thought": "x", "action": ' + CLICK + ', "action": ' + CLICK + "}", "twice"),
        (f"```json\n{ANSWER}\n```\nDone.", "not one JSON object"),
        (f"Here:\n```json\n{ANSWER}\n```", "not one JSON object"),
        (f"```json\n{ANSWER}\n```\n```json\n{ANSWER}\n```", "Extra data|not one JSON object"),
        (ANSWER.replace('"', "'"), "not one JSON object"),
        (ANSWER[:-1] + ",}", "not one JSON object"),
        ('{"thought": "one\ntwo", "action": ' + CLICK + "}", "not one JSON object"),
        ('{"thought": "\\ud83d", "action": ' + CLICK + "}", "half a character"),
        ("[]", "exactly these keys: thought, action"),
        ('{"thought": "x"}', "exactly these keys"),
        ('{"thought": "x", "action": ' + CLICK + ', "summary": "y"}', "exactly these keys"),
        ('{"thought": "x", "thought": "y", "action": ' + CLICK + "}", "twice"),
        ('{"thought": 1, "action": ' + CLICK + "}", "thought must be a text"),
        ('{"thought": "x", "action": "click"}', "action_type is one of"),
        ('{"thought": "x", "action": {"action_type": "scroll", "direction": "up"}}', "action_type is one of"),
        ('{"thought": "x", "action": {"action_type": "scroll", "direction": "down"}}', 'Say "swipe"'),
        ('{"thought": "x", "action": {"action_type": "tap", "idx": 3}}', 'Say "click"'),
        ('{"thought": "x", "action": {"action_type": "ask", "question": " ", "options": []}}', "question must say"),
        ('{"thought": "x", "action": {"action_type": "ask", "question": "Q", "options": "A"}}', "list of texts"),
        ('{"thought": "x", "action": {"action_type": "ask", "question": "Q", "options": [1]}}', "each of options"),
        ('{"thought": "x", "action": {"action_type": "click", "idx": 3.0}}', "idx must be a whole number"),
        ('{"thought": "x", "action": {"action_type": "click", "idx": 1e999}}', "idx must be a whole number"),
        ('{"thought": "x", "action": {"action_type": "click", "idx": -0.5}}', "idx must be a whole number"),
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


@pytest.mark.parametrize("fence", ["```json\n{}\n```\n", "```\n{}\n```", "  ```json\n\n{}\n\n```  ", "\n{}\n"])
def test_a_code_block_around_the_whole_answer_is_no_harm(fence: str) -> None:
    answer = grammar.render(Said("Because ``` of that.", grammar.Click(3)))
    assert grammar.parse(fence.replace("{}", answer), summary=False).act == grammar.Click(3)


@given(some.text())
def test_no_text_makes_the_reader_fail_otherwise_than_with_a_reason(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        grammar.parse(text, summary=False)


@given(some.recursive(some.none() | some.booleans() | some.integers() | some.text(), some.lists, max_leaves=8))
def test_no_value_in_the_place_of_an_action_makes_it_fail_otherwise(value: Any) -> None:
    with pytest.raises(ValueError, match="action must be an object"):
        grammar.parse(json.dumps({"thought": "", "action": value}), summary=False)


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
    asked = Ask(prompt="Which?", options=("A", "B"))
    assert meaning(grammar.Ask("Which?", ("A", "B")), screen, tags) == (asked, None)
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
