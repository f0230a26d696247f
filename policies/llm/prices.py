"""What tokens cost, from a dated file; what nobody has written down is unknown, never guessed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from policies.base import UNKNOWN_CALL, Usage

_DATED = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2})$")


class BadPrices(ValueError):
    """A file of prices cannot be read; the message says why."""


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
        return UNKNOWN_CALL
    return Usage(
        input_tokens=tokens.input, output_tokens=tokens.output, calls=1, cost_usd=cost_usd(tokens, host, model)
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


def read(path: Path) -> dict[str, Any]:
    """Another file of the same form. Raises BadPrices."""
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        date.fromisoformat(data["as_of"])
        rates = [data["per_tokens"], *(row[kind] for row in data["models"] for kind in ("input", "output"))]
        named = all(row["host"] and row["model"] for row in data["models"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadPrices(f"{path} cannot be read as prices ({type(error).__name__}: {error})") from error
    if not named or not all(isinstance(rate, int | float) and rate >= 0 for rate in rates) or not rates[0]:
        raise BadPrices(f"{path} must have numbers of at least 0 for rates, and per_tokens above 0")
    return data


def use(data: Mapping[str, Any]) -> None:
    """Take prices from there, from now on and in the whole process."""
    _table.cache_clear()
    _held.clear()
    _held.update(data)


_held: dict[str, Any] = {}


def _file() -> dict[str, Any]:
    if not _held:
        _held.update(json.loads((files(__package__) / "prices.json").read_text(encoding="utf-8")))
    return _held


@cache
def _table() -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["host"], row["model"]): row for row in _file()["models"]}
