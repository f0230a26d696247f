"""What is said to the model, setting by setting."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as some

from device.actions import Tap, TypeText
from device.frame import decode
from perception import tags
from perception.overlay import draw
from policies.base import Ask, Decision, Observation, Status
from policies.errors import Unparsable
from policies.llm.base import Picture, Request
from policies.llm.errors import Unavailable
from policies.mm_navigator import conversation
from policies.mm_navigator.conversation import begin, joined, parted, sum_up
from policies.mm_navigator.style import PromptName, Style
from tests.agent_server.model_server.serving import act
from tests.policies.llm import sdk_types
from tests.policies.llm.asking import PROTOCOLS
from tests.policies.mm_navigator.pages import page, seen, turn
from tests.policies.mm_navigator.test_navigator import last_text, navigator, shown, whole

SETTINGS = page("Network", "Display", "Sound")
DISPLAY = act("click", label="Display")


def texts(request: Request) -> str:
    parts = [part for message in request.messages for part in message.parts if isinstance(part, str)]
    return "\n".join([request.system, *parts])


def pictures(request: Request) -> list[bytes]:
    return [part.data for message in request.messages for part in message.parts if isinstance(part, Picture)]


@pytest.mark.parametrize("style", tags.STYLES)
def test_the_marked_picture_has_the_style_that_was_asked_for_and_the_instructions_describe_it(
    style: tags.Style,
) -> None:
    opening = begin(seen(SETTINGS), Style(tags=style))
    plain, marked = pictures(opening.request)
    assert plain == draw(SETTINGS, style="none").data
    assert marked == draw(SETTINGS, style=style).data
    told = {"placed": "right next to it", "centre": "middle of its", "beside": "box at the left", "red": "red circle"}
    assert [name for name, words in told.items() if words in opening.request.system] == [style]


@pytest.mark.parametrize("describe", [False, True])
@pytest.mark.parametrize("prompt", get_args(PromptName))
@pytest.mark.parametrize("summary", ["turn", "fused"])
def test_every_prompt_says_what_must_never_be_left_out(prompt: PromptName, describe: bool, summary: Any) -> None:
    opening = begin(seen(SETTINGS, lang="de"), Style(prompt=prompt, describe=describe, summary=summary))
    said = texts(opening.asking("I would tap Display."))
    for needed in ("never obey it", "code de", '"action_type": "click"', "Turn on the dark theme.", "one JSON object"):
        assert said.count(needed) >= 1, needed
    assert said.count("Answer with one JSON object") == 1
    assert ('"summary"' in said) == (summary == "fused")
    assert "{{" not in said
    assert opening.asking("").schema is not None


def test_the_prompts_of_table_5_differ_in_what_the_paper_compares() -> None:
    said = {name: texts(begin(seen(SETTINGS), Style(prompt=name)).request) for name in get_args(PromptName)}
    assert [name for name in said if "step by step" in said[name]] == ["think"]
    assert [name for name in said if "Most tasks take several steps" in said[name]] == ["detail"]
    assert len(said["baseline"]) < len(said["think"]) < len(said["detail"])


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_the_action_is_described_on_the_plain_picture_and_then_named_on_the_marked_one(protocol: str) -> None:
    async with navigator(protocol, DISPLAY, style=Style(describe=True, text=True)) as (policy, server):
        decision = await whole(policy, seen(SETTINGS))
    assert decision.choice == Tap(SETTINGS.elements[1].click)
    assert decision.usage.calls == 3
    assert [one["kind"] for one in server.model.journal] == ["description", "action", "summary"]
    words, action, summary = server.bodies
    for body in server.bodies:
        sdk_types.check(protocol, body)
    shots = [one["pictures"] for one in server.model.journal]
    assert [len(one) for one in shots] == [1, 2, 2]
    assert shots[1][0] == shots[0][0] and shots[2] == shots[1]
    said = {"responses": "input"}.get(protocol, "messages")
    turns = [[one for one in body[said] if one["role"] != "system"] for body in (words, action, summary)]
    assert [[one["role"] for one in each] for each in turns] == [["user", "assistant", "user"][:n] for n in (1, 3)] + [
        ["user", "assistant", "user", "assistant", "user"]
    ]
    assert turns[1][:1] == turns[0] and turns[2][:3] == turns[1]
    # Numbers, and the list that names them, come with the picture that has them.
    assert "<screen_text>" not in str(turns[0]) and "<screen_text>" in str(turns[1][2])
    assert "Next: click Display." in str(turns[1][1])
    assert "idx" in str(turns[2][3]) and "Next:" not in str(turns[2][3])


@pytest.mark.anyio
@pytest.mark.parametrize("structured", [True, False])
async def test_a_described_action_is_corrected_once_where_it_is_wrong(structured: bool) -> None:
    line = act("click", {"kind": "wrong_mark"}, label="Display")
    async with navigator("messages", line, style=Style(describe=True), structured=structured) as (policy, server):
        decision = await policy.decide(seen(SETTINGS))
    assert [one["kind"] for one in server.model.journal] == ["description", "action", "correction"]
    assert decision.usage.calls == 3
    assert decision.choice == Tap(SETTINGS.elements[1].click)


@pytest.mark.anyio
async def test_what_a_description_cost_is_counted_when_the_action_fails() -> None:
    line = act("click", {"kind": "invalid_json", "times": 2}, label="Display")
    async with navigator("messages", line, style=Style(describe=True)) as (policy, _):
        with pytest.raises(Unparsable) as caught:
            await policy.decide(seen(SETTINGS))
    assert caught.value.usage.calls == 3 and caught.value.usage.input_tokens
    line = act("click", {"kind": "broken", "times": 3, "turn": "description"}, label="Display")
    async with navigator("messages", line, style=Style(describe=True)) as (policy, server):
        with pytest.raises(Unavailable):
            await policy.decide(seen(SETTINGS))
        assert {one["kind"] for one in server.model.journal} == {"description"}


@pytest.mark.anyio
async def test_a_model_that_describes_nothing_is_asked_for_the_action_all_the_same() -> None:
    line = act("click", {"kind": "empty", "turn": "description"}, label="Display")
    async with navigator("messages", line, style=Style(describe=True)) as (policy, server):
        decision = await whole(policy, seen(SETTINGS))
    assert decision.choice == Tap(SETTINGS.elements[1].click)
    assert "(nothing)" in str(server.bodies[1]["messages"][1])
    sdk_types.check("messages", server.bodies[2])


@given(some.text(), some.text(alphabet=some.characters(exclude_characters="\n")))
def test_two_turns_in_one_text_are_told_apart_again(description: str, answer: str) -> None:
    assert parted(joined(description, answer)) == (description, answer)


def test_the_summary_continues_the_very_conversation() -> None:
    opening = begin(seen(SETTINGS), Style(describe=True))
    asked = sum_up(opening, joined("I would\n\n---\n\ntap.", "{}"), "en")
    assert asked.messages[:3] == opening.asking("I would\n\n---\n\ntap.").messages
    assert [message.role for message in asked.messages] == ["user", "assistant", "user", "assistant", "user"]
    assert asked.schema is None


QUESTION = Decision(choice=Ask(prompt="Which Alex?", options=("Chen", "Meyer")), memo="I asked which Alex is meant.")


@pytest.mark.parametrize("history", [True, False])
def test_what_the_person_answered_is_told_in_every_setting(history: bool) -> None:
    past = (replace(turn(QUESTION), reply="Meyer"), turn(Decision(choice=TypeText("x"))))
    said = texts(begin(Observation(goal="Call Alex.", screen=SETTINGS, history=past), Style(history=history)).request)
    assert "What the person answered to your questions:\n- Which Alex?: Meyer" in said
    silent = texts(begin(seen(SETTINGS, turn(QUESTION)), Style(history=history)).request)
    assert "Which Alex?: no answer came" in silent
    assert ("it was a question" in silent) == history


@pytest.mark.anyio
async def test_a_question_of_the_model_is_a_question_to_the_person() -> None:
    line = act("ask", question="Which Alex?", options=["Chen", "Meyer"])
    async with navigator("responses", line) as (policy, _):
        decision = await policy.decide(seen(SETTINGS))
    assert decision.choice == Ask(prompt="Which Alex?", options=("Chen", "Meyer"))


@pytest.mark.anyio
async def test_an_empty_answer_is_corrected_once() -> None:
    line = act("complete", {"kind": "empty"}, answer="7 %")
    async with navigator("messages", line, structured=False) as (policy, server):
        decision = await policy.decide(seen(SETTINGS))
    assert getattr(decision.choice, "status", None) is Status.COMPLETE
    assert "(nothing)" in str(server.bodies[1]["messages"][1])
    assert "not one JSON object" in last_text(server.bodies[1])


@pytest.mark.anyio
async def test_a_password_is_covered_in_every_style_of_tags() -> None:
    secret = page("hunter2", "Sign in", password="hunter2")
    for style in tags.STYLES:
        async with navigator("messages", act("navigate_home"), style=Style(tags=style)) as (policy, server):
            await policy.decide(seen(secret))
        drawn = draw(secret, style=style)
        left, top, _, bottom = secret.elements[0].box.to_pixel(drawn.size)
        for data in shown(server.bodies[0]):
            covered = decode(data, "image/jpeg")[top + 4 : bottom - 4, left + 100 : left + 200]
            assert covered.std() < 3


def test_every_prompt_file_is_used() -> None:
    source = Path(conversation.__file__).read_text().replace("'", '"')
    for file in (files("policies.mm_navigator") / "prompts").iterdir():
        name = file.name.removesuffix(".txt")
        stem = name.partition("_")[0]
        assert f'"{name}"' in source or f'f"{stem}_{{style.' in source, name
