"""The three protocols: what a request shows and asks for, and how an answer looks in each.

Shapes as the SDKs read them (openai.types.responses, openai.types.chat, anthropic.types). The same answers as streams
of events: `agent_server.model_server.streams`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from PIL import Image, UnidentifiedImageError

_BASE64 = ";base64,"
_LISTED = re.compile(r"<screen_text>\n(.*?)\n</screen_text>", re.DOTALL)
"""How MM-Navigator quotes its list of elements (policies/mm_navigator/prompts/listing.txt)."""

Protocol = Literal["responses", "chat", "messages"]
Stop = Literal["end", "length", "refusal"]


class BadRequest(ValueError):
    """A request that the protocol does not allow; the message names the field."""


class Kind(StrEnum):
    """What a request asks for."""

    ACTION = "action"
    CORRECTION = "correction"
    DESCRIPTION = "description"
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
    stream: bool = False

    @property
    def pictures(self) -> tuple[bytes, ...]:
        """All of them, in their order: of a plain and a marked one, the marked comes last."""
        return tuple(picture for turn in self.turns for picture in turn.pictures)

    @property
    def listing(self) -> str:
        """The elements that were quoted beside the pictures, one per line; empty where there are none."""
        return "\n".join(line for turn in self.turns for line in _LISTED.findall(turn.text))

    @property
    def kind(self) -> Kind:
        """With pictures in its last turn a request wants an action, or words when no form is asked for; without, it
        corrects the answer before it or wants a summary."""
        last = self.turns[-1]
        formed = self.schema is not None or "JSON" in last.text
        if last.pictures:
            return Kind.ACTION if formed or "JSON" in self.system else Kind.DESCRIPTION
        return Kind.CORRECTION if formed else Kind.SUMMARY

    @property
    def fused(self) -> bool:
        """Whether the answer is to hold a summary: as the schema says, else the instructions."""
        if self.schema is not None:
            return "summary" in self.schema.get("properties", {})
        return any('"summary"' in text for text in (self.system, self.turns[-1].text))


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
    schema = form.get("schema") if form else None
    return Asked(body["model"], str(system or ""), turns, schema, body.get("stream") is True)


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
                pictures.append(_decoded(url.partition(_BASE64)[2]))
            case {"type": "image", "source": {"type": "base64", "data": str(data)}}:
                pictures.append(_decoded(data))
            case _:
                raise BadRequest(f"this server cannot read a part of type {part.get('type')!r}")
    return Turn(str(item["role"]), "\n".join(texts), tuple(pictures))


def without_pictures(value: Any) -> Any:
    """The body of a request in the same shape, with each picture's bytes replaced by their digest, size and number."""
    match value:
        case {"type": "base64", "data": str(data)}:
            return {**value, "data": told(_decoded(data))}
        case dict():
            return {key: without_pictures(one) for key, one in value.items()}
        case list():
            return [without_pictures(one) for one in value]
        case str() if value.startswith("data:") and _BASE64 in value:
            kind, _, data = value.partition(_BASE64)
            return f"{kind};{told(_decoded(data))}"
        case _:
            return value


def told(picture: bytes) -> str:
    """A picture by its digest, size in pixels and number of bytes: `sha256=...;size=540x1200;bytes=83211`."""
    try:
        width, height = Image.open(io.BytesIO(picture)).size
    except UnidentifiedImageError as error:
        raise BadRequest("a picture is neither PNG nor JPEG") from error
    return f"sha256={hashlib.sha256(picture).hexdigest()};size={width}x{height};bytes={len(picture)}"


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
        "content": [{"type": "text", "text": text}] if text else [],
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
