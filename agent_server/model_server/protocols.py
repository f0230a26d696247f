"""The three protocols: what a request shows and asks for, and how an answer looks in each.

Shapes as the SDKs read them (openai.types.responses, openai.types.chat, anthropic.types).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

Protocol = Literal["responses", "chat", "messages"]
Stop = Literal["end", "length", "refusal"]


class BadRequest(ValueError):
    """A request that the protocol does not allow; the message names the field."""


class Kind(StrEnum):
    """What a request asks for."""

    ACTION = "action"
    CORRECTION = "correction"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Turn:
    """One message: who said it, its texts together, and the pictures in it."""

    role: str
    text: str
    pictures: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, the same for all protocols."""

    model: str
    system: str
    turns: tuple[Turn, ...]
    schema: Mapping[str, Any] | None

    @property
    def picture(self) -> bytes | None:
        """The newest picture: of a plain and a marked one, the marked."""
        return next((turn.pictures[-1] for turn in reversed(self.turns) if turn.pictures), None)

    @property
    def kind(self) -> Kind:
        """A turn with pictures asks for an action; one without corrects the answer before it or wants a summary."""
        last = self.turns[-1]
        if last.pictures:
            return Kind.ACTION
        return Kind.CORRECTION if self.schema is not None or "JSON" in last.text else Kind.SUMMARY

    @property
    def fused(self) -> bool:
        """Whether the answer is to hold a summary: as the schema says, else the instructions."""
        if self.schema is not None:
            return "summary" in self.schema.get("properties", {})
        return '"summary"' in self.system


def read(protocol: Protocol, body: Mapping[str, Any]) -> Asked:
    """Raises BadRequest."""
    items = body.get("input" if protocol == "responses" else "messages")
    if not isinstance(body.get("model"), str) or not isinstance(items, list) or not items:
        raise BadRequest("model and messages are required")
    turns = tuple(_turn(item) for item in items)
    if turns[-1].role != "user":
        raise BadRequest("the last message must be the user's")
    match protocol:
        case "responses":
            system, form = body.get("instructions"), (body.get("text") or {}).get("format")
        case "chat":
            system, form = turns[0].text, (body.get("response_format") or {}).get("json_schema")
        case "messages":
            system, form = body.get("system"), (body.get("output_config") or {}).get("format")
    return Asked(body["model"], str(system or ""), turns, form.get("schema") if form else None)


def _turn(item: object) -> Turn:
    if not isinstance(item, dict) or item.get("role") not in ("user", "assistant", "system", "developer"):
        raise BadRequest("a message needs a role")
    content = item.get("content")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if not isinstance(parts, list) or not parts:
        raise BadRequest("a message needs content")
    texts, pictures = [], []
    for part in parts:
        match part:
            case {"type": "text" | "input_text" | "output_text", "text": str(text)}:
                texts.append(text)
            case {"type": "input_image", "image_url": str(url)} | {"type": "image_url", "image_url": {"url": str(url)}}:
                pictures.append(_decoded(url.partition(";base64,")[2]))
            case {"type": "image", "source": {"type": "base64", "data": str(data)}}:
                pictures.append(_decoded(data))
            case _:
                raise BadRequest(f"this server cannot read a part of type {part.get('type')!r}")
    return Turn(str(item["role"]), "\n".join(texts), tuple(pictures))


def _decoded(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except binascii.Error as error:
        raise BadRequest(f"a picture is not base64: {error}") from error


def answer(protocol: Protocol, asked: Asked, text: str, *, number: int, stop: Stop = "end") -> dict[str, Any]:
    """The body of a good answer; with `stop` "length" or "refusal", of one that ended early or declined."""
    # A rough count, four letters to a token and 860 for a picture of 540x1200; nobody is billed by it.
    shown = sum(len(turn.text) // 4 + 860 * len(turn.pictures) for turn in asked.turns)
    written = max(len(text) // 4, 1)
    match protocol:
        case "responses":
            return _response(asked.model, text, number, stop, shown, written)
        case "chat":
            return _completion(asked.model, text, number, stop, shown, written)
        case "messages":
            return _message(asked.model, text, number, stop, shown, written)


def _response(model: str, text: str, number: int, stop: Stop, shown: int, written: int) -> dict[str, Any]:
    part = (
        {"type": "refusal", "refusal": text}
        if stop == "refusal"
        else {"type": "output_text", "text": text, "annotations": []}
    )
    message = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": [part]}
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 0,
        "model": model,
        "status": "incomplete" if stop == "length" else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if stop == "length" else None,
        "error": None,
        "output": [message],
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": shown,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": written,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": shown + written,
        },
    }


def _completion(model: str, text: str, number: int, stop: Stop, shown: int, written: int) -> dict[str, Any]:
    refused = stop == "refusal"
    message = {"role": "assistant", "content": None if refused else text, "refusal": text if refused else None}
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "length" if stop == "length" else "stop"}],
        "usage": {"prompt_tokens": shown, "completion_tokens": written, "total_tokens": shown + written},
    }


def _message(model: str, text: str, number: int, stop: Stop, shown: int, written: int) -> dict[str, Any]:
    reasons = {"end": "end_turn", "length": "max_tokens", "refusal": "refusal"}
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": text}],
        "stop_reason": reasons[stop],
        "stop_sequence": None,
        "usage": {"input_tokens": shown, "output_tokens": written},
    }


def problem(protocol: Protocol, status: int, code: str, message: str) -> dict[str, Any]:
    """The body of an answer with an error status."""
    if protocol == "messages":
        kinds = {400: "invalid_request_error", 401: "authentication_error", 429: "rate_limit_error"}
        return {"type": "error", "error": {"type": kinds.get(status, "api_error"), "message": message}}
    return {"error": {"message": message, "type": code, "param": None, "code": code}}


def halves(text: bytes) -> Iterator[bytes]:
    """The first half of an answer, for a connection that ends there."""
    yield text[: len(text) // 2]
