"""What tokens cost, from a dated file; what nobody has written down is unknown, never guessed."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from policies.base import Usage

_DATED = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2})$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Tokens of one call as billed. `input` includes `cached` (read from a cache) and `written` (put into one)."""

    input: int
    output: int
    cached: int = 0
    written: int = 0


def usage(tokens: Tokens | None, host: str, model: str) -> Usage:
    """One call. Tokens that the provider did not count, and prices that are not known, are None."""
    if tokens is None:
        return Usage(input_tokens=None, output_tokens=None, calls=1, cost_usd=None)
    return Usage(
        input_tokens=tokens.input, output_tokens=tokens.output, calls=1, cost_usd=cost_usd(tokens, host, model)
    )


def total(first: Usage, second: Usage) -> Usage:
    """Both together; what is unknown of one is unknown of the sum."""
    return Usage(
        input_tokens=_sum(first.input_tokens, second.input_tokens),
        output_tokens=_sum(first.output_tokens, second.output_tokens),
        calls=first.calls + second.calls,
        cost_usd=None if first.cost_usd is None or second.cost_usd is None else first.cost_usd + second.cost_usd,
    )


def cost_usd(tokens: Tokens, host: str, model: str) -> float | None:
    """Dollars, or None for another host, another model, a longer request, or a kind of token without a price."""
    listed = _table()
    row = listed.get((host, model)) or listed.get((host, _DATED.sub("", model)))
    if row is None or tokens.input > row.get("up_to", tokens.input):
        return None
    plain = tokens.input - tokens.cached - tokens.written
    sums = {"input": plain, "cached": tokens.cached, "written": tokens.written, "output": tokens.output}
    if any(count and kind not in row for kind, count in sums.items()):
        return None
    return float(sum(count * row.get(kind, 0.0) for kind, count in sums.items()) / _file()["per_tokens"])


def as_of() -> str:
    """The day the prices were written down, ISO 8601."""
    return str(_file()["as_of"])


def _sum(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else first + second


@cache
def _file() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((files(__package__) / "prices.json").read_text(encoding="utf-8"))
    return data


@cache
def _table() -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["host"], row["model"]): row for row in _file()["models"]}
