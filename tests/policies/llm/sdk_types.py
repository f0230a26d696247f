"""Checks request bodies against the SDKs' own types.

pydantic drops unknown keys of a TypedDict and validates an Iterable only when somebody walks it; so results are
walked, and what came out must hold every key that went in.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
from pydantic import TypeAdapter

# Kept: an iterable that is walked after its adapter is gone ends the interpreter in pydantic 2.14.
_ADAPTERS: dict[str, TypeAdapter[Any]] = {
    "responses": TypeAdapter(ResponseCreateParamsNonStreaming),
    "chat": TypeAdapter(CompletionCreateParamsNonStreaming),
    "messages": TypeAdapter(MessageCreateParamsNonStreaming),
}


def check(protocol: str, body: dict[str, Any]) -> None:
    """Raises ValidationError, or AssertionError naming the keys that the type does not have."""
    read = walk(_ADAPTERS[protocol].validate_python(body))
    lost = sorted(set(paths(body)) - set(paths(read)))
    assert not lost, f"not in the type: {lost}"


def walk(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: walk(one) for key, one in value.items()}
    if isinstance(value, str | bytes):
        return value
    return [walk(one) for one in value] if hasattr(value, "__iter__") else value


def paths(value: Any, at: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield f"{at}.{key}"
            yield from paths(one, f"{at}.{key}")
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from paths(one, f"{at}[{number}]")
