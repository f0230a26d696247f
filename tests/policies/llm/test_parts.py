"""Sizes, prices, prompts, addresses and corrections, each for itself."""

from __future__ import annotations

import pytest

from device.geometry import Size
from policies.base import Usage
from policies.errors import Unparsable
from policies.llm import corrected, prices, prompts, sizes
from policies.llm.base import Message, Picture
from policies.llm.endpoint import endpoint
from policies.llm.errors import Rejected, Unauthorized, WouldShrink
from policies.llm.prices import Tokens
from policies.llm.prompts import PromptError
from policies.llm.retry import seconds_of
from policies.mm_navigator import grammar
from tests.agent_server.model_server.serving import act
from tests.policies.llm.asking import asked, request

PHONE, HALF, SMALL = Size(1080, 2400), Size(720, 1600), Size(540, 1200)


@pytest.mark.parametrize(
    ("model", "fitting"),
    [
        ("claude-sonnet-4-6", {SMALL}),
        ("claude-opus-5-5", {PHONE, HALF, SMALL}),
        ("gpt-4o", {HALF, SMALL}),
        ("gpt-6-sol", {PHONE, HALF, SMALL}),
        ("a-model-nobody-measured", {SMALL}),
    ],
)
def test_pictures_are_taken_as_the_measured_rules_say(model: str, fitting: set[Size]) -> None:
    assert {size for size in (PHONE, HALF, SMALL) if sizes.limits(model).fit(size)} == fitting


def test_a_refused_size_comes_with_one_that_fits() -> None:
    with pytest.raises(WouldShrink):
        sizes.check(HALF, "claude-sonnet-4-6")
    best = sizes.limits("claude-sonnet-4-6").largest(HALF)
    assert sizes.limits("claude-sonnet-4-6").fit(best)
    # What the provider itself would make of 720x1600, by the reference's table.
    assert (best.width, best.height) == pytest.approx((706, 1568), rel=0.02)


def test_prices_are_known_only_for_listed_models_at_their_own_address() -> None:
    tokens = Tokens(input=1_000_000, output=100_000, cached=500_000)
    assert prices.cost_usd(tokens, "api.anthropic.com", "claude-opus-5-5") == pytest.approx(2.0 + 0.1 + 2.0)
    assert prices.cost_usd(tokens, "api.anthropic.com", "claude-opus-5-5-20260922") == pytest.approx(4.1)
    assert prices.cost_usd(tokens, "127.0.0.1:8000", "claude-opus-5-5") is None
    assert prices.cost_usd(tokens, "api.anthropic.com", "claude-of-tomorrow") is None
    # No price for cached tokens of this model is written down, and long requests cost more than listed.
    assert prices.cost_usd(tokens, "api.anthropic.com", "claude-sonnet-5-5") is None
    assert prices.cost_usd(Tokens(input=300_000, output=1), "api.openai.com", "gpt-6-sol") is None
    assert prices.as_of() >= "2026-01-01"


def test_an_unknown_part_makes_the_sum_unknown() -> None:
    known = prices.usage(Tokens(input=10, output=2), "api.openai.com", "gpt-6-sol")
    unknown = prices.usage(None, "127.0.0.1", "local")
    twice = known + known
    assert (twice.input_tokens, twice.output_tokens, twice.calls) == (20, 4, 2)
    assert twice.cost_usd == pytest.approx(2 * (10 * 2 + 2 * 10) / 1e6)
    assert known + unknown == Usage(input_tokens=None, output_tokens=None, calls=2, cost_usd=None)


def test_a_prompt_takes_exactly_its_fields_and_looks_at_none_twice() -> None:
    assert prompts.render("Do {{task}}.", task="{{other}}") == "Do {{other}}."
    with pytest.raises(PromptError, match="missing: task"):
        prompts.render("Do {{task}}.")
    with pytest.raises(PromptError, match="unused: extra"):
        prompts.render("Do {{task}}.", task="it", extra="x")


def test_a_key_goes_only_to_the_address_of_the_environment() -> None:
    environment = {"OPENAI_API_KEY": "secret", "OPENAI_BASE_URL": "https://proxy.example/v1/"}
    assert endpoint("openai", "", environment).key == "secret"
    assert endpoint("openai", "", environment).host == "proxy.example"
    assert endpoint("openai", "", {"OPENAI_API_KEY": "secret"}).host == "api.openai.com"
    elsewhere = endpoint("openai", "http://127.0.0.1:8000/v1", environment)
    assert elsewhere.key != "secret" and elsewhere.host == "127.0.0.1:8000"
    assert "secret" not in repr(endpoint("openai", "", environment))


def test_a_missing_key_and_a_wrong_address_are_named() -> None:
    with pytest.raises(Unauthorized) as caught:
        endpoint("anthropic", "", {})
    assert "ANTHROPIC_API_KEY" in caught.value.advice
    for address in ("ftp://host/v1", "localhost:8000", "http://"):
        with pytest.raises(Rejected, match="base_url"):
            endpoint("openai", address, {})


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("2", 2.0), ("0.25", 0.25), (None, None), ("soon", None), ("-1", None), ("inf", None), ("nan", None)],
)
def test_retry_after_is_read_in_seconds(header: str | None, seconds: float | None) -> None:
    assert seconds_of(header) == seconds


def test_an_assistant_shows_no_pictures() -> None:
    with pytest.raises(ValueError, match="pictures"):
        Message("assistant", (Picture(b"", "image/jpeg", SMALL),))


def _parse(text: str) -> grammar.Said:
    return grammar.parse(text, summary=False)


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", ["responses", "chat", "messages"])
async def test_an_answer_in_wrong_form_is_corrected_once(protocol: str) -> None:
    async with asked(protocol, act("navigate_back", {"kind": "invalid_json"})) as (one, server):
        answer = await corrected.ask(one, request(), _parse)
    assert answer.value.act == grammar.Back()
    assert answer.usage.calls == 2
    items = server.bodies[1]["input" if protocol == "responses" else "messages"]
    roles = [item["role"] for item in items if item["role"] != "system"]
    assert roles == ["user", "assistant", "user"]


@pytest.mark.anyio
async def test_a_second_answer_in_wrong_form_is_the_end_and_is_kept() -> None:
    async with asked("chat", act("navigate_back", {"kind": "invalid_json", "times": 2})) as (one, server):
        with pytest.raises(Unparsable, match="not one JSON object") as caught:
            await corrected.ask(one, request(), _parse)
        assert len(server.bodies) == 2
    assert caught.value.raw.startswith("Sure!")
