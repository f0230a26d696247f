"""`/v1/runs`: start, list, read, follow, pause and stop runs."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Path, Query, Response
from fastapi.responses import JSONResponse
from fastapi.sse import KEEPALIVE_COMMENT, EventSourceResponse, format_sse_event
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, field_validator

from agent_server.api.context import ServiceDep
from agent_server.api.problems import responses
from agent_server.errors import InvalidRequest
from agent_server.runs.model import Event, Page, Run, RunState, Step
from agent_server.service import PAGE_LIMIT, NewRun, Service

router = APIRouter(prefix="/runs", tags=["runs"])

KEEPALIVE_SECONDS = 15.0
"""The comment line that WHATWG HTML (9.2.7) proposes about every 15 seconds, against proxies that hang up."""

RunId = Annotated[str, Path(min_length=1, max_length=64, description="Name of the run, such as run_01JB...")]
Limit = Annotated[int, Query(ge=1, le=PAGE_LIMIT)]
MOST = 2**53
"""The largest whole number that every JSON reader keeps exact (RFC 8259, 6)."""
_EVENT = TypeAdapter(Event)
_EVENTS = TypeAdapter(Page[Event])


class BudgetsIn(BaseModel):
    """How much the run may use; what is left out has the server's default."""

    model_config = ConfigDict(extra="forbid")

    steps: int | None = Field(default=None, strict=True, ge=1, le=1000, description="Steps that touch the phone.")
    seconds: float | None = Field(
        default=None, strict=True, gt=0, le=86400, description="Seconds, without the time people take to answer."
    )
    tokens: int | None = Field(
        default=None,
        strict=True,
        ge=1,
        le=10**12,
        description="Tokens that models read and write; no bound by default.",
    )
    cost_usd: float | None = Field(
        default=None, strict=True, gt=0, le=10**6, description="What models may cost, in dollars; no bound by default."
    )


class RunIn(BaseModel):
    """A task for a phone."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"task": "Open Settings, tap Display, turn on Dark theme", "policy": "follow"}]
        },
    )

    task: str = Field(max_length=8000, description="What to do, in plain words.")
    serial: str | None = Field(
        default=None,
        min_length=1,
        max_length=256,
        description="Which phone; may be left out while exactly one is ready.",
    )
    policy: str = Field(
        default="follow", min_length=1, max_length=100, description="Who decides; GET /v1/policies lists them."
    )
    params: dict[str, Any] = Field(default_factory=dict, description="The policy's own parameters.")
    budgets: BudgetsIn = Field(default_factory=BudgetsIn)
    trusted: bool = Field(
        default=False,
        strict=True,
        description="On a real phone: do not ask before every act. Sensitive words still ask.",
    )
    lang: str = Field(
        default="en",
        pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$",
        description="BCP 47; en and zh are spoken, others get en.",
    )
    if_busy: Literal["queue", "reject"] = Field(
        default="queue", description="What to do while the phone has another run."
    )

    @field_validator("params")
    @classmethod
    def _plain(cls, value: dict[str, Any]) -> dict[str, Any]:
        # What the reader lets through but no other reader of ours would take back: NaN and half characters.
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
        return value


@router.post("", status_code=201, responses=responses(409, 422, 503))
async def create(
    body: RunIn,
    service: ServiceDep,
    response: Response,
    idempotency_key: Annotated[str | None, Header(min_length=1, max_length=255)] = None,
) -> Run:
    """Start a run. With an Idempotency-Key a repeated request gives the first one's run, for 24 hours."""
    new = NewRun(
        task=body.task,
        serial=body.serial,
        policy=body.policy,
        params=body.params,
        steps=body.budgets.steps,
        seconds=body.budgets.seconds,
        tokens=body.budgets.tokens,
        cost_usd=body.budgets.cost_usd,
        trusted=body.trusted,
        lang=body.lang,
        queue=body.if_busy == "queue",
    )
    run, replayed = await service.create_run(new, key=idempotency_key)
    response.headers["Location"] = f"/v1/runs/{run.id}"
    if replayed:
        response.headers["Idempotency-Replayed"] = "true"
    return run


@router.get("", responses=responses(422))
async def list_runs(
    service: ServiceDep,
    response: Response,
    cursor: Annotated[str | None, Query(max_length=64, description="`next` of the page before.")] = None,
    state: RunState | None = None,
    serial: str | None = None,
    limit: Limit = 50,
) -> Page[Run]:
    """Runs, newest first."""
    page = await service.runs(cursor=cursor, state=state, serial=serial, limit=limit)
    if page.next is not None:
        response.headers["Link"] = f'</v1/runs?cursor={page.next}&limit={limit}>; rel="next"'
    return page


@router.get("/{run_id}", responses=responses(404, 422))
async def read(
    run_id: RunId,
    service: ServiceDep,
    wait: Annotated[float, Query(ge=0, le=60, description="Wait so many seconds for the state to change.")] = 0,
) -> Run:
    """One run; with `wait`, as soon as its state changes."""
    return await (service.wait_run(run_id, wait) if wait else service.run(run_id))


@router.get("/{run_id}/steps", responses=responses(404, 422))
async def steps(
    run_id: RunId,
    service: ServiceDep,
    after: Annotated[int, Query(ge=0, le=MOST, description="Only steps after this number.")] = 0,
    limit: Limit = 50,
) -> Page[Step]:
    """What each step saw, thought and did, oldest first."""
    return await service.steps(run_id, after=after, limit=limit)


@router.get(
    "/{run_id}/events",
    responses={
        200: {
            "description": "Server-sent events, or a page of them with `Accept: application/json`.",
            "content": {"text/event-stream": {}, "application/json": {"schema": _EVENTS.json_schema()}},
        },
        204: {"description": "The run has ended and there is nothing more; an EventSource stops asking."},
        **responses(404, 422),
    },
)
async def events(
    run_id: RunId,
    service: ServiceDep,
    after: Annotated[int, Query(ge=0, le=MOST, description="Only events after this number.")] = 0,
    limit: Annotated[int, Query(ge=1, le=1000, description="Of the JSON page.")] = 1000,
    last_event_id: Annotated[str | None, Header(description="Resumes a stream; wins over `after`.")] = None,
    accept: Annotated[str, Header()] = "*/*",
) -> Response:
    """The run's story. The stream resumes after `Last-Event-ID` and ends with the run."""
    if last_event_id:
        if not (last_event_id.isascii() and last_event_id.isdecimal() and int(last_event_id[:20]) <= MOST):
            raise InvalidRequest(
                "Last-Event-ID must be the number of an event.", advice="Leave it out.", pointer="last-event-id"
            )
        after = int(last_event_id)
    if "application/json" in accept and "text/event-stream" not in accept:
        page = await service.events(run_id, after=after, limit=limit)
        return JSONResponse(_EVENTS.dump_python(page, mode="json"))
    run = await service.run(run_id)
    if run.state.final and not (await service.events(run_id, after=after, limit=1)).items:
        return Response(status_code=204)
    return EventSourceResponse(
        _stream(service, run_id, after), headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    )


async def _stream(service: Service, run_id: str, after: int) -> AsyncIterator[bytes]:
    async with contextlib.aclosing(service.follow(run_id, after=after, idle=KEEPALIVE_SECONDS)) as events:
        async for event in events:
            if event is None:
                yield KEEPALIVE_COMMENT
            else:
                body = _EVENT.dump_json(event).decode()
                yield format_sse_event(data_str=body, event=event.type, id=str(event.id))


@router.post("/{run_id}/stop", status_code=202, responses=responses(404))
async def stop(run_id: RunId, service: ServiceDep) -> Run:
    """End the run at once. Harmless when it has ended; the body is the run as it is now."""
    return await service.stop(run_id)


@router.post("/{run_id}/pause", status_code=202, responses=responses(404, 409))
async def pause(run_id: RunId, service: ServiceDep) -> Run:
    """Hold the run before its next step. Harmless when repeated; the body is the run as it is now."""
    return await service.pause(run_id)


@router.post("/{run_id}/resume", status_code=202, responses=responses(404, 409))
async def resume(run_id: RunId, service: ServiceDep) -> Run:
    """Let the run go on with a fresh look at the screen. Harmless when repeated."""
    return await service.resume(run_id)
