"""Good answers as streams of server-sent events, as each protocol's SDK reads them when it asks with `stream`.

Source of the shapes: openai.types.responses.response_stream_event, openai.types.chat.chat_completion_chunk,
anthropic.types.raw_message_stream_event.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from agent_server.model_server.protocols import Protocol

PIECE = 16
"""Letters in one event: a few tokens, so that even a short answer comes in several."""

Event = tuple[str, Mapping[str, Any]]


def encode(protocol: Protocol, answer: Mapping[str, Any], *, usage: bool) -> bytes:
    """The whole stream that adds up to the answer's body. `usage`: whether Chat Completions ends with the tokens."""
    match protocol:
        case "responses":
            return b"".join(_event(name, data) for name, data in _response(answer))
        case "chat":
            chunks = [f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n" for chunk in _completion(answer, usage)]
            return "".join([*chunks, "data: [DONE]\n\n"]).encode()
        case "messages":
            return b"".join(_event(name, data) for name, data in _message(answer))


def _event(name: str, data: Mapping[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **data}, ensure_ascii=False)}\n\n".encode()


def _pieces(text: str) -> Sequence[str]:
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]


def _response(answer: Mapping[str, Any]) -> Iterator[Event]:
    numbers = count()
    (item,) = answer["output"]
    (part,) = item["content"]
    kind = "refusal" if part["type"] == "refusal" else "text"
    told = "refusal" if kind == "refusal" else "output_text"
    more: Mapping[str, Any] = {} if kind == "refusal" else {"logprobs": []}
    place = {"output_index": 0, "item_id": item["id"], "content_index": 0}

    def event(name: str, data: Mapping[str, Any]) -> Event:
        return f"response.{name}", {"sequence_number": next(numbers), **data}

    begun = {**answer, "status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
    yield event("created", {"response": begun})
    yield event("in_progress", {"response": begun})
    yield event("output_item.added", {"output_index": 0, "item": {**item, "status": "in_progress", "content": []}})
    yield event("content_part.added", {**place, "part": {**part, kind: ""}})
    for piece in _pieces(part[kind]):
        yield event(f"{told}.delta", {**place, "delta": piece, **more})
    yield event(f"{told}.done", {**place, kind: part[kind], **more})
    yield event("content_part.done", {**place, "part": part})
    yield event("output_item.done", {"output_index": 0, "item": item})
    yield event("completed" if answer["status"] == "completed" else "incomplete", {"response": answer})


def _completion(answer: Mapping[str, Any], usage: bool) -> Iterator[Mapping[str, Any]]:
    head = {**answer, "object": "chat.completion.chunk", "usage": None}
    (choice,) = answer["choices"]

    def chunk(delta: Mapping[str, Any], finish: str | None = None) -> Mapping[str, Any]:
        return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield chunk({"role": "assistant", "content": ""})
    field = "refusal" if choice["message"]["refusal"] else "content"
    for piece in _pieces(choice["message"][field] or ""):
        yield chunk({field: piece})
    yield chunk({}, choice["finish_reason"])
    if usage:
        yield {**head, "choices": [], "usage": answer["usage"]}


def _message(answer: Mapping[str, Any]) -> Iterator[Event]:
    used = answer["usage"]
    begun = {**answer, "content": [], "stop_reason": None, "usage": {**used, "output_tokens": 1}}
    yield "message_start", {"message": begun}
    for index, block in enumerate(answer["content"]):
        yield "content_block_start", {"index": index, "content_block": {**block, "text": ""}}
        for piece in _pieces(block["text"]):
            yield "content_block_delta", {"index": index, "delta": {"type": "text_delta", "text": piece}}
        yield "content_block_stop", {"index": index}
    ended = {"stop_reason": answer["stop_reason"], "stop_sequence": None}
    yield "message_delta", {"delta": ended, "usage": {"output_tokens": used["output_tokens"]}}
    yield "message_stop", {}
