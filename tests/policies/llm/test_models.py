"""Every protocol by its unmodified SDK against a server on a real socket."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from pydantic import ValidationError

from policies.errors import PolicyError
from policies.llm.base import Message
from policies.llm.errors import (
    ContextOverflow,
    RateLimited,
    Refused,
    Rejected,
    StreamCut,
    TimedOut,
    Truncated,
    Unauthorized,
    Unavailable,
    WouldShrink,
)
from policies.mm_navigator import grammar
from tests.agent_server.model_server.serving import act
from tests.policies.llm import sdk_types
from tests.policies.llm.asking import PROTOCOLS, asked, model, picture, request

pytestmark = pytest.mark.anyio
every_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)


def pictures_in(protocol: str, body: dict[str, Any]) -> list[str]:
    """The kinds of parts of the last message, in order."""
    items = body["input"] if protocol == "responses" else body["messages"]
    content = items[-1]["content"]
    return [part["type"] for part in content]


@every_protocol
async def test_an_answer_comes_with_its_tokens_and_an_unknown_price_where_nobody_lists_one(protocol: str) -> None:
    async with asked(protocol, act("navigate_home")) as (one, server):
        reply = await one.answer(request())
    assert grammar.parse(reply.text, summary=False).act == grammar.Home()
    assert reply.usage.calls == 1
    assert reply.usage.input_tokens is not None and reply.usage.input_tokens > 1700
    assert reply.usage.cost_usd is None
    assert reply.model == "scripted" and reply.request_id
    assert one.host == server.url.removeprefix("http://")


@every_protocol
@pytest.mark.parametrize("name", ["scripted", "gpt-6-sol", "claude-opus-5-5"])
async def test_request_bodies_fit_the_types_of_the_sdk(protocol: str, name: str) -> None:
    turns = (*request().messages, Message("assistant", ("I would go home.",)), Message("user", ("Sum it up.",)))
    whole = request()
    async with asked(protocol, act("navigate_home"), name=name) as (one, server):
        await one.answer(whole)
        await one.answer(type(whole)(system=whole.system, messages=turns))
    for body in server.bodies:
        sdk_types.check(protocol, body)
        assert "temperature" not in body
    expected = {
        "responses": ["input_text", "input_image", "input_image"],
        "chat": ["text", "image_url", "image_url"],
        "messages": ["image", "image", "text"],
    }
    assert pictures_in(protocol, server.bodies[0]) == expected[protocol]


async def test_the_check_against_the_types_sees_wrong_values_and_unknown_keys() -> None:
    async with asked("messages", act("navigate_home")) as (one, server):
        await one.answer(request())
    body = server.bodies[0]
    body["messages"][0]["content"][0]["source"]["media_type"] = "image/bmp"
    with pytest.raises(ValidationError):
        sdk_types.check("messages", body)
    body["messages"][0]["content"][0]["source"]["media_type"] = "image/jpeg"
    body["messages"][0]["content"][0]["shrink"] = False
    with pytest.raises(AssertionError, match="shrink"):
        sdk_types.check("messages", body)


async def test_what_must_not_happen_unseen_is_forbidden_in_the_request() -> None:
    async with asked("responses", act("navigate_home"), name="gpt-6-sol") as (one, server):
        await one.answer(request())
    assert server.bodies[0]["store"] is False
    assert server.bodies[0]["image"] == {"context_compression": "disabled"}
    assert {part.get("detail") for part in server.bodies[0]["input"][0]["content"]} == {None, "original"}
    async with asked("messages", act("navigate_home")) as (one, server):
        await one.answer(request())
    assert server.bodies[0]["messages"][0]["content"][0]["transformations"] == {"oversized_image": "error"}


@every_protocol
async def test_without_structured_output_no_schema_is_sent(protocol: str) -> None:
    async with asked(protocol, act("navigate_home"), structured=False) as (one, server):
        await one.answer(request())
    assert not {"text", "response_format", "output_config"} & server.bodies[0].keys()


@every_protocol
@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("unauthorized", Unauthorized),
        ("overflow", ContextOverflow),
        ("cut", StreamCut),
        ("refusal", Refused),
        ("truncated", Truncated),
    ],
)
async def test_each_way_to_fail_has_its_own_error_and_is_not_asked_again(
    protocol: str, kind: str, error: type[PolicyError]
) -> None:
    async with asked(protocol, act("navigate_home", {"kind": kind})) as (one, server):
        with pytest.raises(error) as caught:
            await one.answer(request())
        assert len(server.bodies) == 1
    assert str(caught.value)


@every_protocol
async def test_a_limited_rate_is_waited_for_as_long_as_the_provider_says(protocol: str) -> None:
    line = act("navigate_home", {"kind": "rate_limited", "seconds": 3.5, "times": 2})
    async with asked(protocol, line, seconds=30) as (one, server):
        reply = await one.answer(request())
        assert len(server.bodies) == 3
    # Time passes on the model's own clock only: two waits of 3.5 seconds.
    assert reply.seconds == pytest.approx(7.0)


@every_protocol
async def test_a_wait_beyond_the_deadline_is_not_begun(protocol: str) -> None:
    line = act("navigate_home", {"kind": "rate_limited", "seconds": 60})
    async with asked(protocol, line, seconds=30) as (one, server):
        with pytest.raises(RateLimited) as caught:
            await one.answer(request())
        assert len(server.bodies) == 1
    assert caught.value.retry_after == 60


@every_protocol
async def test_a_broken_provider_is_asked_three_times(protocol: str) -> None:
    line = act("navigate_home", {"kind": "broken", "times": 2})
    async with asked(protocol, line) as (one, _):
        assert (await one.answer(request())).text
    async with asked(protocol, act("navigate_home", {"kind": "broken", "times": 3})) as (one, server):
        with pytest.raises(Unavailable):
            await one.answer(request())
        assert len(server.bodies) == 3


@every_protocol
@pytest.mark.parametrize("kind", ["slow", "silence"])
async def test_a_slow_or_silent_model_ends_at_the_deadline(protocol: str, kind: str) -> None:
    line = act("navigate_home", {"kind": kind, "seconds": 1.5})
    async with asked(protocol, act("navigate_home"), line, seconds=60) as (one, server):
        await one.answer(request())  # the SDK is imported by now
        slow = model(protocol, server.url, seconds=0.4)
        started = time.monotonic()
        with pytest.raises(TimedOut, match=r"0\.4 seconds"):
            await slow.answer(request())
        assert time.monotonic() - started < 1.2
        await slow.close()


@every_protocol
async def test_nobody_at_the_address_is_said_so(protocol: str) -> None:
    one = model(protocol, "http://127.0.0.1:9")
    with pytest.raises(Unavailable, match=r"127\.0\.0\.1:9"):
        await one.answer(request())
    await one.close()


@every_protocol
async def test_a_server_that_speaks_something_else_is_no_crash(protocol: str) -> None:
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
        )
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    async with server:
        one = model(protocol, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        with pytest.raises(Unavailable):
            await one.answer(request())
        await one.close()


@every_protocol
async def test_a_picture_that_the_provider_would_shrink_is_never_sent(protocol: str) -> None:
    async with asked(protocol, act("navigate_home"), name="gpt-4o") as (one, server):
        with pytest.raises(WouldShrink, match="1080x2400") as caught:
            await one.answer(request("Look.", picture(1080, 2400)))
        assert not server.bodies
    assert "768" in caught.value.advice


async def test_a_wrong_model_or_form_is_a_rejection_with_advice() -> None:
    async with asked("chat", act("navigate_home")) as (one, _):
        with pytest.raises(Rejected) as caught:
            await one.answer(type(request())(system="", messages=(Message("assistant", ("Hello.",)),)))
    assert caught.value.advice
