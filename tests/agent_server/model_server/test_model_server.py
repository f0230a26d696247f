"""The scripted model: that it looks, and that a wrong script is named."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import anthropic
import httpx
import httpx2
import openai
import pytest
from anthropic import AsyncAnthropic
from openai import APIConnectionError, AsyncOpenAI

from agent_server.model_server import looking
from agent_server.model_server import script as scripts
from agent_server.model_server.script import BadModelScript, Fault, FaultKind
from device.frame import Pixels, decode
from perception.overlay import Overlay, draw
from perception.tags import STYLES, Style
from policies.mm_navigator import grammar
from tests.agent_server.model_server.serving import READER, act, serving
from tests.policies.llm import sdk_types
from tests.policies.mm_navigator.pages import page

NAMES = ("Network & internet", "Display", "Sound", "Apps", "Battery", "Storage", "Dark theme", "About phone")


every_style = pytest.mark.parametrize("style", STYLES)


def pixels(shot: Overlay) -> Pixels:
    return decode(shot.data, "image/jpeg")


@every_style
@pytest.mark.parametrize("width", [540, 720])
def test_every_number_is_found_where_it_was_drawn_in_every_style(style: Style, width: int) -> None:
    drawn = draw(page(*NAMES), width=width, style=style)
    tags = looking.tags_of(pixels(drawn))
    assert [tag.mark for tag in tags] == list(range(1, len(NAMES) + 1))
    for tag in tags:
        assert tag.box == pytest.approx(drawn.marks[tag.mark].to_pixel(drawn.size), abs=1)


def test_a_picture_without_numbers_has_none() -> None:
    plain = pixels(draw(page(*NAMES), style="none"))
    assert looking.tags_of(plain) == []
    assert looking.find("Display", plain, READER.read(plain)) is None


@every_style
def test_each_name_leads_to_its_own_number_in_every_style(style: Style) -> None:
    plain, marked = (pixels(draw(page(*NAMES), style=one)) for one in ("none", style))
    lines = READER.read(plain)
    assert [looking.find(name, marked, lines) for name in NAMES] == list(range(1, len(NAMES) + 1))
    assert looking.find("Bluetooth", marked, lines) is None


def test_the_words_are_read_on_the_marked_picture_where_there_is_no_other() -> None:
    marked = pixels(draw(page(*NAMES)))
    assert [looking.find(NAMES[row], marked, READER.read(marked)) for row in (0, 1, 6)] == [1, 2, 7]


@every_style
def test_the_number_is_the_one_in_the_picture_whatever_the_order_of_the_elements(style: Style) -> None:
    screen = page(*NAMES)
    turned = {row.mark: len(NAMES) + 1 - row.mark for row in screen.elements}
    numbered = tuple(replace(row, mark=turned[row.mark] * 9) for row in screen.elements)
    drawn = pixels(draw(replace(screen, elements=numbered), style=style))
    lines = READER.read(pixels(draw(screen, style="none")))
    assert [looking.find(name, drawn, lines) for name in NAMES] == [turned[row.mark] * 9 for row in screen.elements]


def test_what_is_not_written_on_the_picture_is_found_in_the_list_beside_it() -> None:
    listing = '1 list_item "Display"\n12 button label="Edit"\n13 switch "Dark \\"theme\\" / Off" unchecked'
    assert looking.listed("edit", listing) == 12
    assert looking.listed('Dark "theme"', listing) == 13
    assert looking.listed("Edi", listing) is None


def test_a_number_in_the_row_wins_over_one_that_is_nearer_in_the_next_row() -> None:
    words = (40.0, 100.0, 120.0, 120.0)
    in_row, next_row = (500.0, 102.0, 516.0, 118.0), (40.0, 175.0, 56.0, 191.0)
    assert looking.distance(in_row, words) < looking.distance(next_row, words)


def test_a_script_is_read_with_its_faults_in_order() -> None:
    line = act("click", {"kind": "broken"}, {"kind": "rate_limited", "seconds": 0.2, "times": 2}, label="Display")
    read = scripts.read(json.dumps({"lines": [line], "latency": 0.5}))
    limited = Fault(FaultKind.RATE_LIMITED, 0.2)
    assert read.latency == 0.5
    assert read.lines[0].label == "Display"
    assert read.lines[0].faults == (Fault(FaultKind.BROKEN), limited, limited)
    assert isinstance(read.lines[0].act, grammar.Click)


@pytest.mark.parametrize(
    ("script", "named"),
    [
        ("nothing", "not JSON"),
        ("[]", "the script must be an object"),
        ('{"lines": []}', "lines"),
        ('{"lines": [{}]}', r"lines\[0\].*action"),
        ('{"lines": [{"action": {"action_type": "dance"}}]}', r"lines\[0\].*action_type"),
        ('{"lines": [{"action": {"action_type": "click", "label": ""}}]}', r"lines\[0\].action.label"),
        ('{"lines": [{"action": {"action_type": "enter"}, "faults": [{"kind": "fire"}]}]}', r"faults\[0\].kind"),
        ('{"lines": [{"action": {"action_type": "enter"}, "faults": [{"kind": "cut", "times": 0}]}]}', "times"),
        ('{"lines": [{"action": {"action_type": "enter"}}], "latency": -1}', "latency"),
        ('{"lines": [{"action": {"action_type": "enter"}, "when": 7}]}', r"lines\[0\].when"),
        ('{"lines": [{"action": {"action_type": "enter"}, "unless": " "}]}', r"lines\[0\].unless"),
        ('{"lines": [{"action": {"action_type": "enter"}, "times": 0}]}', r"lines\[0\].times"),
        (
            '{"lines": [{"action": {"action_type": "enter"}, "faults": [{"kind": "cut", "turn": "x"}]}]}',
            r"faults\[0\].turn",
        ),
    ],
)
def test_a_wrong_script_is_named(script: str, named: str) -> None:
    with pytest.raises(BadModelScript, match=named):
        scripts.read(script)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/responses", []),
        ("/v1/responses", {"model": "m"}),
        ("/v1/chat/completions", {"model": "m", "messages": [{"role": "user", "content": [{"type": "dance"}]}]}),
        ("/v1/messages", {"model": "m", "messages": [{"role": "assistant", "content": "Hello."}]}),
    ],
)
async def test_a_request_that_no_protocol_allows_is_a_400_and_takes_no_line(path: str, body: Any) -> None:
    async with serving(act("navigate_home")) as server, httpx.AsyncClient(trust_env=False) as client:
        answer = await client.post(server.url + path, json=body)
        assert answer.status_code == 400 and answer.json()["error"]["message"]
        assert server.model.done == 0


@pytest.mark.anyio
async def test_a_new_script_begins_at_its_first_line_and_typed_text_stays_out_of_the_journal() -> None:
    async with serving(act("navigate_home")) as server, httpx.AsyncClient(trust_env=False) as client:
        script = {"lines": [act("type", text="hunter2")]}
        assert (await client.put(f"{server.url}/script", json=script)).status_code == 204
        assert (await client.put(f"{server.url}/script", json={"lines": []})).status_code == 422
        body = {"model": "m", "messages": [{"role": "user", "content": "Answer with JSON."}]}
        answer = (await client.post(f"{server.url}/v1/chat/completions", json=body)).json()
        journal = await client.get(f"{server.url}/journal")
    assert "hunter2" in answer["choices"][0]["message"]["content"]
    assert "hunter2" not in journal.text
    assert journal.json()["done"] == 1


def url(shot: Overlay) -> str:
    return f"data:image/jpeg;base64,{base64.b64encode(shot.data).decode()}"


def chat(*shots: Overlay, text: str = "Answer with JSON.", **more: Any) -> dict[str, Any]:
    """A request of Chat Completions with those pictures."""
    pictures = [{"type": "image_url", "image_url": {"url": url(shot)}} for shot in shots]
    content = [{"type": "text", "text": text}, *pictures]
    return {"model": "scripted", "messages": [{"role": "user", "content": content}], **more}


async def said(client: httpx.AsyncClient, at: str, body: dict[str, Any]) -> str:
    answer = await client.post(f"{at}/v1/chat/completions", json=body)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["choices"][0]["message"]["content"])


async def acts(client: httpx.AsyncClient, at: str, body: dict[str, Any], count: int) -> Sequence[grammar.Act]:
    return [grammar.parse(await said(client, at, body), summary=False).act for _ in range(count)]


@pytest.mark.anyio
async def test_a_line_is_passed_over_unless_its_words_are_seen() -> None:
    lines = [
        {**act("navigate_back"), "when": "Allow this?"},
        {**act("swipe", direction="up"), "unless": "Battery", "times": 5},
        act("click", label="Battery"),
        {**act("enter"), "when": "Battery", "unless": "Bluetooth"},
    ]
    before, after = (draw(page(*names)) for names in (("Network", "Sound"), ("Sound", "Battery")))
    async with serving(*lines) as server, httpx.AsyncClient(trust_env=False) as client:
        up = grammar.Swipe(grammar.Direction.UP)
        assert await acts(client, server.url, chat(before), 2) == [up, up]
        assert await acts(client, server.url, chat(after), 2) == [grammar.Click(2), grammar.Enter()]
        assert server.model.summary() == "Done so far: swipe; swipe; click Battery; enter."


@pytest.mark.anyio
async def test_words_are_asked_for_without_a_form_and_summaries_may_fail_on_their_own() -> None:
    shot = draw(page("Sound", "Display"))
    line = act("click", {"kind": "broken", "turn": "summary"}, {"kind": "broken", "turn": "description"}, label="Sound")
    async with serving(line, act("enter")) as server, httpx.AsyncClient(trust_env=False) as client:
        path = f"{server.url}/v1/chat/completions"
        assert (await client.post(path, json=chat(shot, text="Say it."))).status_code == 500
        assert await said(client, server.url, chat(shot, text="Say it.")) == "Next: click Sound."
        assert await acts(client, server.url, chat(shot), 1) == [grammar.Click(1)]
        more = {"messages": [*chat(shot)["messages"], {"role": "user", "content": "Sum it up."}]}
        assert (await client.post(path, json={**chat(shot), **more})).status_code == 500
        assert await said(client, server.url, {**chat(shot), **more}) == "Done so far: click Sound."


@pytest.mark.anyio
async def test_silence_lasts_until_the_client_has_gone_and_holds_nobody_else_up() -> None:
    line = act("enter", {"kind": "silence"})
    async with serving(line) as server, httpx.AsyncClient(trust_env=False) as client:
        body = chat(draw(page("Sound")))
        started = time.monotonic()
        with pytest.raises(httpx.ReadTimeout):
            await client.post(f"{server.url}/v1/chat/completions", json=body, timeout=0.3)
        assert await acts(client, server.url, body, 1) == [grammar.Enter()]
    assert time.monotonic() - started < 10


@pytest.mark.anyio
async def test_who_leaves_before_a_slow_answer_may_ask_for_it_again() -> None:
    line = act("enter", {"kind": "slow", "seconds": 0.6})
    async with serving(line, act("navigate_home")) as server, httpx.AsyncClient(trust_env=False) as client:
        body = chat(draw(page("Sound")))
        with pytest.raises(httpx.ReadTimeout):
            await client.post(f"{server.url}/v1/chat/completions", json=body, timeout=0.2)
        await asyncio.sleep(0.6)
        assert await acts(client, server.url, body, 1) == [grammar.Enter()]


@pytest.mark.anyio
async def test_the_journal_has_each_body_with_its_pictures_by_digest_and_size() -> None:
    plain, marked = (draw(page("Sound"), style=style) for style in ("none", "placed"))
    async with serving(act("enter")) as server, httpx.AsyncClient(trust_env=False) as client:
        await said(client, server.url, chat(plain, marked))
        told = [
            f"sha256={hashlib.sha256(shot.data).hexdigest()};size=540x1200;bytes={len(shot.data)}"
            for shot in (plain, marked)
        ]
        (item,) = (await client.get(f"{server.url}/journal?bodies=true")).json()["items"]
        assert item["pictures"] == told
        sdk_types.check("chat", item["body"])
        urls = [part["image_url"]["url"] for part in item["body"]["messages"][0]["content"][1:]]
        assert urls == [f"data:image/jpeg;{one}" for one in told]
        (item,) = (await client.get(f"{server.url}/journal")).json()["items"]
        assert "body" not in item


WHOLE = '{"thought": "This is the next line of the script.", "action": {"action_type": "type", "text": "Zoë 张伟"}}'
PIECES = -(-len(WHOLE) // 16)


async def by_responses(at: str) -> tuple[str, int, int | None]:
    """The text, how many pieces it came in, and the tokens counted, by the SDK's own stream."""
    content: Any = [{"type": "input_text", "text": "Answer with JSON."}]
    async with (
        AsyncOpenAI(base_url=f"{at}/v1", api_key="none", max_retries=0) as client,
        client.responses.stream(model="scripted", input=[{"role": "user", "content": content}]) as stream,
    ):
        pieces = [event async for event in stream if event.type == "response.output_text.delta"]
        final = await stream.get_final_response()
    assert final.status == "completed" and final.usage is not None
    return final.output_text, len(pieces), final.usage.output_tokens


async def by_chat(at: str) -> tuple[str, int, int | None]:
    async with (
        AsyncOpenAI(base_url=f"{at}/v1", api_key="none", max_retries=0) as client,
        client.chat.completions.stream(
            model="scripted",
            messages=[{"role": "user", "content": "Answer with JSON."}],
            stream_options={"include_usage": True},
        ) as stream,
    ):
        pieces = [event async for event in stream if event.type == "content.delta" and event.delta]
        final = await stream.get_final_completion()
    assert final.choices[0].finish_reason == "stop" and final.usage is not None
    return final.choices[0].message.content or "", len(pieces), final.usage.completion_tokens


async def by_messages(at: str) -> tuple[str, int, int | None]:
    async with (
        AsyncAnthropic(base_url=at, api_key="none", max_retries=0) as client,
        client.messages.stream(
            model="scripted", max_tokens=100, messages=[{"role": "user", "content": "Answer with JSON."}]
        ) as stream,
    ):
        pieces = [piece async for piece in stream.text_stream]
        final = await stream.get_final_message()
    assert final.stop_reason == "end_turn"
    (block,) = final.content
    assert block.type == "text"
    return block.text, len(pieces), final.usage.output_tokens


@pytest.mark.anyio
@pytest.mark.parametrize("streamed", [by_responses, by_chat, by_messages])
async def test_an_answer_is_streamed_where_the_sdk_asks_for_it(streamed: Any) -> None:
    # A correction in form: its last turn has no picture and asks for JSON.
    async with serving(act("type", text="Zoë 张伟")) as server:
        text, pieces, tokens = await streamed(server.url)
        assert (text, pieces) == (WHOLE, PIECES)
        assert tokens == len(WHOLE) // 4
        assert server.model.journal[0]["stream"] is True


@pytest.mark.anyio
@pytest.mark.parametrize("streamed", [by_responses, by_chat, by_messages])
async def test_a_stream_that_is_cut_is_no_answer(streamed: Any) -> None:
    async with serving(act("type", {"kind": "cut"}, text="Zoë 张伟")) as server:
        with pytest.raises((APIConnectionError, httpx2.RemoteProtocolError)):
            await streamed(server.url)
        assert (await streamed(server.url))[0] == WHOLE


@pytest.mark.anyio
@pytest.mark.parametrize("streamed", [by_responses, by_chat, by_messages])
async def test_errors_come_by_status_in_a_stream_too(streamed: Any) -> None:
    async with serving(act("enter", {"kind": "rate_limited"})) as server:
        with pytest.raises((openai.RateLimitError, anthropic.RateLimitError)):
            await streamed(server.url)
