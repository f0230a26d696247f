"""The server: one scripted model, three protocols, and a journal of what was asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from agent_server.model_server import protocols, streams
from agent_server.model_server import script as scripts
from agent_server.model_server.model import ScriptedModel
from agent_server.model_server.protocols import Asked, BadRequest, Kind, Protocol, Stop
from agent_server.model_server.script import BadModelScript, Fault, FaultKind
from device.errors import BadFrame
from policies.mm_navigator import grammar
from policies.mm_navigator.grammar import Said

NOWHERE = 999
"""A number that no picture has: a phone shows some ten to sixty elements."""
LONG = 60.0
"""Seconds of silence when the script does not say how many."""
_STATUS: Mapping[FaultKind, tuple[int, str, str]] = {
    FaultKind.RATE_LIMITED: (429, "rate_limit_exceeded", "too many requests, as the script wants it"),
    FaultKind.BROKEN: (500, "server_error", "broken, as the script wants it"),
    FaultKind.UNAUTHORIZED: (401, "invalid_api_key", "this key is not known, as the script wants it"),
    FaultKind.OVERFLOW: (400, "context_length_exceeded", "prompt is too long, as the script wants it"),
    FaultKind.SILENCE: (504, "timeout", "silent, as the script wants it"),
}


def create_app(model: ScriptedModel) -> FastAPI:
    """The routes of the three protocols, and `/journal` and `/script` for whoever runs the server."""
    app = FastAPI(title="Scripted model", openapi_url=None, docs_url=None, redoc_url=None, telemetry={"tracing": False})
    app.state.model = model

    @app.post("/v1/responses")
    async def responses(request: Request) -> Response:
        return await _answered(model, "responses", request)

    @app.post("/v1/chat/completions")
    async def completions(request: Request) -> Response:
        return await _answered(model, "chat", request)

    @app.post("/v1/messages")
    async def messages(request: Request) -> Response:
        return await _answered(model, "messages", request)

    @app.get("/v1/models")
    async def models() -> dict[str, Any]:
        return {"object": "list", "data": [{"id": "scripted", "object": "model", "owned_by": "tapwright"}]}

    @app.get("/journal")
    async def journal(bodies: bool = False) -> dict[str, Any]:
        # Bodies quote the task and what was typed: they are shown to whoever asks for them only.
        items = [{key: one[key] for key in one if bodies or key != "body"} for one in model.journal]
        return {"done": model.done, "lines": len(model.script.lines), "items": items}

    @app.put("/script")
    async def follow(request: Request) -> Response:
        try:
            model.follow(scripts.read((await request.body()).decode()))
        except (BadModelScript, UnicodeDecodeError) as error:
            return JSONResponse({"error": str(error)}, 422)
        return Response(status_code=204)

    return app


@dataclass(frozen=True, slots=True)
class _Request:
    """One request of a protocol: its body, and what it asks for."""

    protocol: Protocol
    body: dict[str, Any]
    asked: Asked
    number: int

    def good(self, text: str, *, stop: Stop = "end", cut: bool = False) -> Response:
        """An answer of status 200, as a stream if it was asked for; `cut` ends the connection half way through."""
        answer = protocols.answer(self.protocol, self.asked, text, number=self.number, stop=stop)
        data, media_type = json.dumps(answer, ensure_ascii=False).encode(), "application/json"
        if self.asked.stream:
            usage = bool((self.body.get("stream_options") or {}).get("include_usage"))
            data, media_type = streams.encode(self.protocol, answer, usage=usage), "text/event-stream"
        return (Half if cut else Response)(data, media_type=media_type)

    def problem(self, status: int, code: str, message: str, **headers: str) -> Response:
        return JSONResponse(protocols.problem(self.protocol, status, code, message), status, headers=headers)


class Half(Response):
    """Sends half of what it promises; uvicorn then ends the connection."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = bytes(self.body)
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": body[: len(body) // 2], "more_body": True})


async def _answered(model: ScriptedModel, protocol: Protocol, request: Request) -> Response:
    try:
        body = json.loads(await request.body())
        asked = protocols.read(protocol, body)
    except (BadRequest, ValueError, AttributeError) as error:
        return JSONResponse(protocols.problem(protocol, 400, "invalid_request", str(error)), 400)
    model.bodies.append((protocol, body))
    model.number += 1
    one = _Request(protocol, body, asked, model.number)
    await asyncio.sleep(model.script.latency)
    try:
        if asked.kind is Kind.ACTION:
            await asyncio.to_thread(model.pass_over, asked)
        return await _looked(model, one, request)
    except (BadRequest, BadFrame) as error:
        return one.problem(400, "invalid_image", str(error))


async def _looked(model: ScriptedModel, one: _Request, request: Request) -> Response:
    """The answer, or what goes wrong instead. Raises BadRequest, BadFrame."""
    kind = one.asked.kind
    fault = model.fault(kind)
    if fault is not None and fault.kind is not FaultKind.SLOW:
        model.note(one.protocol, one.body, one.asked, fault=fault.kind)
        return await _faulty(one, fault, request)
    if fault is not None:
        await asyncio.sleep(fault.seconds or 0.0)
    if kind in (Kind.SUMMARY, Kind.DESCRIPTION):
        text = model.summary() if kind is Kind.SUMMARY else model.described()
        model.note(one.protocol, one.body, one.asked, text=text)
        return one.good(text)
    said = await asyncio.to_thread(model.said, model.line, one.asked)
    mark = said.act.idx if isinstance(said.act, grammar.Click | grammar.LongPress) else None
    model.note(one.protocol, one.body, one.asked, mark=mark, **(scripts.plain(model.line) if model.line else {}))
    # Who has gone meanwhile gets no answer, and may ask again.
    if fault is None or not await request.is_disconnected():
        model.advance()
    return one.good(_written(said, one.asked))


def _written(said: Said, asked: Asked) -> str:
    return grammar.render(Said(said.thought, said.act, said.thought if asked.fused else None))


async def _faulty(one: _Request, fault: Fault, request: Request) -> Response:
    """An answer that goes wrong as told. The line stays."""
    wrong = _written(Said("I am not looking closely.", grammar.Click(NOWHERE)), one.asked)
    match fault.kind:
        case FaultKind.SILENCE:
            await _nothing(request, LONG if fault.seconds is None else fault.seconds)
        case FaultKind.REFUSAL:
            return one.good("I would rather not do this.", stop="refusal")
        case FaultKind.TRUNCATED:
            return one.good(wrong[:20], stop="length")
        case FaultKind.INVALID_JSON:
            return one.good(f"Sure! {wrong[:-1]}")
        case FaultKind.EMPTY:
            return one.good("")
        case FaultKind.CUT:
            return one.good(wrong, cut=True)
        case FaultKind.WRONG_MARK:
            return one.good(wrong)
    status, code, message = _STATUS[fault.kind]
    late = fault.seconds is not None and fault.kind is not FaultKind.SILENCE
    headers = {"retry-after": f"{fault.seconds:g}"} if late else {}
    return one.problem(status, code, message, **headers)


async def _nothing(request: Request, seconds: float) -> None:
    """Until the client has gone, or for that long."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while (await request.receive())["type"] != "http.disconnect":
                pass
