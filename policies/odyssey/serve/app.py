"""The routes: completions, models, health, figures. The event loop never waits for the network."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi import Request as HttpRequest
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from policies.odyssey.generation import BadJob, Job
from policies.odyssey.memory import Eyes
from policies.odyssey.network.images import BadPicture
from policies.odyssey.prompt import Form
from policies.odyssey.serve import chat
from policies.odyssey.serve.worker import Closing, Crowded, Ticket, Worker
from policies.odyssey.tokenizer import Tokenizer

LOOK_AGAIN = 0.25
"""Seconds between two looks whether whoever asked is still there."""
RETRY_AFTER = 2
"""Seconds that a refused client is told to wait: about one answer of the full network."""
MOST_BODY = 100_000_000
"""Bytes of one request: eleven screens of twenty megapixels fit, as base64."""


def build_app(worker: Worker, eyes: Eyes, tokenizer: Tokenizer, *, model: str, form: Form) -> FastAPI:
    """The application; the worker runs while the application does."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with worker.working():
            yield

    app = FastAPI(title="OdysseyAgent", lifespan=lifespan, docs_url=None, redoc_url=None)
    app.add_middleware(Bounded, most=MOST_BODY)

    def read(request: chat.Request) -> Job:
        """In a thread: base64 and pictures take their time. A broken picture is said before a place is taken."""
        job = chat.job_of(request, tokenizer, form)
        eyes.prepare([*job.screens, *job.history])
        return job

    @app.post("/v1/chat/completions")
    async def complete(request: chat.Request, http: HttpRequest) -> Response:
        ticket = worker.submit(await asyncio.to_thread(read, request), streamed=request.stream)
        if request.stream:
            ask = request.stream_options is not None and request.stream_options.include_usage
            return StreamingResponse(_stream(ticket, model, ask), media_type="text/event-stream")
        return await _whole(ticket, http, model)

    @app.get("/v1/models")
    async def models() -> dict[str, Any]:
        one = {"id": model, "object": "model", "created": 0, "owned_by": "tapwright"}
        return {"object": "list", "data": [one]}

    @app.get("/healthz")
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/readyz")
    async def ready() -> Response:
        if not worker.alive:
            return JSONResponse({"status": "the network no longer answers"}, 503)
        return JSONResponse({"status": "ready", "model": model})

    @app.get("/metrics")
    async def metrics() -> PlainTextResponse:
        return PlainTextResponse(_metrics(worker, eyes))

    _mind_errors(app)
    return app


async def _whole(ticket: Ticket, http: HttpRequest, model: str) -> Response:
    """The answer once it is whole; given up when whoever asked has gone, or the server does not wait any longer."""
    try:
        while True:
            done, _ = await asyncio.wait({ticket.answer}, timeout=LOOK_AGAIN)
            if done:
                return JSONResponse(chat.completion(ticket.answer.result(), model))
            if await http.is_disconnected():
                return Response(status_code=499)
    except Exception as error:  # the border: whatever the network did, this request is answered
        return _answered(error)
    finally:
        ticket.given_up = True


async def _stream(ticket: Ticket, model: str, with_usage: bool) -> AsyncIterator[str]:
    base = chat.head("chat.completion.chunk", model)
    try:
        yield _event(chat.chunk(base, {"role": "assistant", "content": ""}))
        while (text := await ticket.texts.get()) is not None:
            yield _event(chat.chunk(base, {"content": text}))
        try:
            answer = await ticket.answer
        except Exception as error:  # the border: the status line has gone out, so the error is told in the stream
            yield _event(_problem(error)[1])
            return
        yield _event(chat.chunk(base, {}, chat.finish(answer)))
        if with_usage:
            yield _event({**base, "choices": [], "usage": chat.usage(answer)})
        yield "data: [DONE]\n\n"
    finally:
        ticket.given_up = True


def _event(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n"


def _problem(error: Exception) -> tuple[int, dict[str, Any]]:
    """Status and body in the API's shape. What is not known by name tells nothing of itself."""
    status, kind, param, said = 500, "server_error", None, "the network failed; the server's log says how"
    match error:
        case chat.BadRequest():
            status, kind, param, said = 400, "invalid_request_error", error.param, str(error)
        case BadPicture() | BadJob():
            status, kind, param, said = 400, "invalid_request_error", "messages", str(error)
        case HTTPException():
            status, kind, said = error.status_code, "invalid_request_error", str(error.detail)
        case Crowded():
            status, kind, said = 429, "rate_limit_error", "too many requests wait already; try again in a moment"
        case Closing():
            status, kind, said = 503, "server_error", "the server is ending"
    return status, {"error": {"message": said, "type": kind, "param": param, "code": None}}


def _answered(error: Exception) -> JSONResponse:
    status, body = _problem(error)
    return JSONResponse(body, status, {"Retry-After": str(RETRY_AFTER)} if status == 429 else None)


def _mind_errors(app: FastAPI) -> None:
    async def answer(_: HttpRequest, error: Exception) -> JSONResponse:
        return _answered(error)

    async def invalid(_: HttpRequest, error: Exception) -> JSONResponse:
        first = error.errors()[0] if isinstance(error, RequestValidationError) else {"loc": (), "msg": str(error)}
        where = ".".join(str(part) for part in first["loc"][1:])
        body = {"message": f"{where}: {first['msg']}", "type": "invalid_request_error", "param": where, "code": None}
        return JSONResponse({"error": body}, 400)

    app.add_exception_handler(RequestValidationError, invalid)
    for kind in (BadJob, BadPicture, Crowded, Closing, HTTPException):
        app.add_exception_handler(kind, answer)


class Bounded:
    """Refuses a body of more than `most` bytes, told beforehand or not, before it fills the memory."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        said = f"the request has more than {self._most} bytes"
        told = Headers(scope=scope).get("content-length", "0")
        if told.isdecimal() and int(told) > self._most:
            await _answered(HTTPException(413, said))(scope, receive, send)
            return
        got = 0

        async def counted() -> Message:
            nonlocal got
            message = await receive()
            got += len(message.get("body", b""))
            if got > self._most:
                raise HTTPException(413, said)
            return message

        await self._app(scope, counted, send)


def _metrics(worker: Worker, eyes: Eyes) -> str:
    """Counters in Prometheus' text form."""
    figures = worker.figures
    values = {
        "requests_answered_total": figures.answered,
        "requests_failed_total": figures.failed,
        "requests_refused_total": figures.refused,
        "requests_given_up_total": figures.given_up,
        "prompt_tokens_total": figures.tokens_in,
        "completion_tokens_total": figures.tokens_out,
        "first_token_seconds_total": round(figures.first_token_seconds, 4),
        "request_seconds_total": round(figures.seconds, 4),
        "batches_total": figures.batches,
        "requests_waiting": worker.waiting,
        "pictures_encoded_total": eyes.encoded,
        "pictures_remembered_total": eyes.remembered,
        "picture_memory_bytes": eyes.used,
    }
    return "".join(f"odyssey_{name} {value}\n" for name, value in values.items())
