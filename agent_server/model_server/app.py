"""The server: one script, three protocols, and a journal of what was asked."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from agent_server.model_server import looking, protocols
from agent_server.model_server import script as scripts
from agent_server.model_server.protocols import Asked, BadRequest, Kind, Protocol
from agent_server.model_server.script import BadModelScript, Fault, FaultKind, Line, Script
from device.errors import BadFrame
from device.frame import Pixels, decode
from perception.base import TextReader
from policies.mm_navigator import grammar
from policies.mm_navigator.grammar import Said

KEPT = 64
"""Requests whose bodies are kept for whoever wants to see what was sent; each holds two pictures of 100 kB."""
NOWHERE = 999
"""A number that no picture has: a phone shows some ten to sixty elements."""
_STATUS: Mapping[FaultKind, tuple[int, str, str]] = {
    FaultKind.RATE_LIMITED: (429, "rate_limit_exceeded", "too many requests, as the script wants it"),
    FaultKind.BROKEN: (500, "server_error", "broken, as the script wants it"),
    FaultKind.UNAUTHORIZED: (401, "invalid_api_key", "this key is not known, as the script wants it"),
    FaultKind.OVERFLOW: (400, "context_length_exceeded", "prompt is too long, as the script wants it"),
}


@dataclass
class ScriptedModel:
    """Follows a script from line to line. A line is done once it was answered well."""

    reader: TextReader
    script: Script
    done: int = 0
    number: int = 0
    faults: list[Fault] = field(default_factory=list)
    journal: list[dict[str, Any]] = field(default_factory=list)
    bodies: deque[tuple[Protocol, dict[str, Any]]] = field(default_factory=lambda: deque(maxlen=KEPT))

    def __post_init__(self) -> None:
        self.follow(self.script)

    def follow(self, script: Script) -> None:
        """Begin a script from its first line."""
        self.script, self.done = script, 0
        self.journal.clear()
        self.bodies.clear()
        self._arm()

    @property
    def line(self) -> Line | None:
        """The line that is next, or None behind the last."""
        return self.script.lines[self.done] if self.done < len(self.script.lines) else None

    def advance(self) -> None:
        self.done += 1
        self._arm()

    def fault(self) -> Fault | None:
        """The next thing that is to go wrong before this line is answered well."""
        return self.faults.pop(0) if self.faults else None

    def _arm(self) -> None:
        self.faults = list(self.line.faults) if self.line is not None else []

    def summary(self) -> str:
        """What the model says it has done. Typed text is left out."""
        acts = [scripts.plain(line) for line in self.script.lines[: self.done]]
        return f"Done so far: {'; '.join(' '.join(act.values()) for act in acts)}."

    def said(self, line: Line | None, asked: Asked) -> Said:
        """The next line as an answer; looks at the picture for it. Computes: call it on a worker thread."""
        if line is None:
            return Said("The script is at its end.", grammar.Impossible("The script is at its end."))
        if not line.label:
            return Said("This is the next line of the script.", line.act)
        mark = looking.find(line.label, _pixels(asked), self.reader)
        if mark is None:
            return Said(f"I look for “{line.label}”.", grammar.Impossible(f"“{line.label}” is not in the picture."))
        thought = f"I look for “{line.label}”; the number closest to it is {mark}."
        act = grammar.LongPress(mark) if isinstance(line.act, grammar.LongPress) else grammar.Click(mark)
        return Said(thought, act)


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
    async def journal() -> dict[str, Any]:
        return {"done": model.done, "lines": len(model.script.lines), "items": model.journal}

    @app.put("/script")
    async def follow(request: Request) -> Response:
        try:
            model.follow(scripts.read((await request.body()).decode()))
        except (BadModelScript, UnicodeDecodeError) as error:
            return JSONResponse({"error": str(error)}, 422)
        return Response(status_code=204)

    return app


async def _answered(model: ScriptedModel, protocol: Protocol, request: Request) -> Response:
    try:
        body = json.loads(await request.body())
        asked = protocols.read(protocol, body)
    except (BadRequest, ValueError, AttributeError) as error:
        return JSONResponse(protocols.problem(protocol, 400, "invalid_request", str(error)), 400)
    model.bodies.append((protocol, body))
    model.number += 1
    await asyncio.sleep(model.script.latency)
    if asked.kind is Kind.SUMMARY:
        text = model.summary()
        _note(model, protocol, asked, text=text)
        return _good(model, protocol, asked, text)
    fault = model.fault()
    if fault is not None and fault.kind is not FaultKind.SLOW:
        _note(model, protocol, asked, fault=fault.kind)
        return _faulty(model, protocol, asked, fault)
    if fault is not None:
        await asyncio.sleep(fault.seconds or 0.0)
    try:
        said = await asyncio.to_thread(model.said, model.line, asked)
    except (BadRequest, BadFrame) as error:
        return JSONResponse(protocols.problem(protocol, 400, "invalid_image", str(error)), 400)
    mark = said.act.idx if isinstance(said.act, grammar.Click | grammar.LongPress) else None
    _note(model, protocol, asked, mark=mark, **(scripts.plain(model.line) if model.line else {}))
    model.advance()
    return _good(model, protocol, asked, _written(said, asked))


def _written(said: Said, asked: Asked) -> str:
    return grammar.render(Said(said.thought, said.act, said.thought if asked.fused else None))


def _faulty(model: ScriptedModel, protocol: Protocol, asked: Asked, fault: Fault) -> Response:
    """An answer that goes wrong as told. The line stays."""
    if fault.kind in _STATUS:
        status, code, message = _STATUS[fault.kind]
        headers = {"retry-after": f"{fault.seconds:g}"} if fault.seconds is not None else {}
        return JSONResponse(protocols.problem(protocol, status, code, message), status, headers=headers)
    wrong = _written(Said("I am not looking closely.", grammar.Click(NOWHERE)), asked)
    match fault.kind:
        case FaultKind.REFUSAL:
            return _good(model, protocol, asked, "I would rather not do this.", stop="refusal")
        case FaultKind.TRUNCATED:
            return _good(model, protocol, asked, wrong[:20], stop="length")
        case FaultKind.INVALID_JSON:
            return _good(model, protocol, asked, f"Sure! {wrong[:-1]}")
        case FaultKind.CUT:
            whole = json.dumps(protocols.answer(protocol, asked, wrong, number=model.number)).encode()
            headers = {"content-length": str(len(whole))}
            return StreamingResponse(protocols.halves(whole), headers=headers, media_type="application/json")
        case _:
            return _good(model, protocol, asked, wrong)


def _good(
    model: ScriptedModel, protocol: Protocol, asked: Asked, text: str, *, stop: protocols.Stop = "end"
) -> JSONResponse:
    return JSONResponse(protocols.answer(protocol, asked, text, number=model.number, stop=stop))


def _note(model: ScriptedModel, protocol: Protocol, asked: Asked, **more: Any) -> None:
    model.journal.append({"n": model.number, "protocol": protocol, "kind": str(asked.kind), **more})


def _pixels(asked: Asked) -> Pixels:
    if asked.picture is None:
        raise BadRequest("there is no picture to look at")
    return decode(asked.picture, "image/png" if asked.picture.startswith(b"\x89PNG") else "image/jpeg")
