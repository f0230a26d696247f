"""The application: routes, guard and error documents put together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi

from agent_server.api import (
    artifacts,
    consents,
    dashboard,
    devices,
    doors,
    live,
    policies,
    problems,
    questions,
    runs,
    secrets,
)
from agent_server.api.access import Access, Tickets
from agent_server.api.guard import Guard
from agent_server.service import Service


def create_app(
    service: Service,
    *,
    access: Access,
    tickets: Tickets,
    hosts: Iterable[str] = (),
    origins: Iterable[str] = (),
    max_body_bytes: int = 1_048_576,
) -> FastAPI:
    """The REST API over a service. `hosts` and `origins` are allowed besides the loopback names and itself."""
    app = FastAPI(
        title="Tapwright",
        version="1",
        summary="Lets a language-vision model operate an Android phone, for people.",
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        telemetry={"tracing": False},
    )
    app.state.service, app.state.access, app.state.tickets = service, access, tickets
    problems.install(app)
    v1 = APIRouter(prefix="/v1", responses=problems.responses(401))
    for module in (runs, questions, devices, consents, secrets, live, artifacts, policies):
        v1.include_router(module.router)
    app.include_router(v1)
    app.include_router(doors.router)
    app.include_router(dashboard.router)
    app.add_middleware(Guard, access=access, hosts=tuple(hosts), origins=tuple(origins), max_body_bytes=max_body_bytes)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    return app


def _openapi(app: FastAPI) -> dict[str, Any]:
    """The generated document plus what the guard and the error handlers add to every route."""
    if app.openapi_schema is None:
        schema = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
        parts = schema.setdefault("components", {})
        problem = problems.Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        parts.setdefault("schemas", {}).update({**problem.pop("$defs", {}), "Problem": problem})
        parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        schema["security"] = [{"token": []}]
        app.openapi_schema = schema
    return app.openapi_schema
