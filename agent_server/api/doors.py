"""What stands outside `/v1`: health, version, logging in, and the plain page for browsers without scripts."""

from __future__ import annotations

from importlib import metadata
from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import BaseModel

from agent_server.api import pages
from agent_server.api.access import SESSION_SECONDS, TICKET_SECONDS
from agent_server.api.context import AccessDep, ServiceDep, TicketsDep
from agent_server.api.problems import responses
from device.errors import DeviceError

router = APIRouter(tags=["server"])


class Health(BaseModel):
    """`ok` while the process answers, `ready` while runs can be started."""

    status: str


class Version(BaseModel):
    """Which program, in which version, speaking which API."""

    name: str
    version: str
    api: str


class Ticket(BaseModel):
    """A link that logs one browser in, once."""

    path: str
    expires_in: float


@router.get("/healthz")
async def healthz() -> Health:
    """The process answers."""
    return Health(status="ok")


@router.get("/readyz", responses=responses(503))
async def readyz(service: ServiceDep) -> Health:
    """The database and the adb server answer, and new runs are taken."""
    await service.ready()
    return Health(status="ready")


@router.get("/version")
async def version() -> Version:
    """This program."""
    try:
        found = metadata.version("tapwright")
    except metadata.PackageNotFoundError:
        found = "0+source"
    return Version(name="tapwright", version=found, api="v1")


@router.post("/v1/login-tickets", status_code=201)
async def login_ticket(tickets: TicketsDep) -> Ticket:
    """A new login link for a browser."""
    return Ticket(path=f"/login?ticket={tickets.issue()}", expires_in=TICKET_SECONDS)


@router.get("/login", include_in_schema=False)
async def login(ticket: Annotated[str, Query(max_length=200)], tickets: TicketsDep, access: AccessDep) -> Response:
    """Exchange a ticket for a cookie."""
    if not tickets.redeem(ticket):
        return pages.ticket_refused()
    response = RedirectResponse("/", 303)
    response.set_cookie(
        access.cookie, access.new_session(), max_age=SESSION_SECONDS, path="/", httponly=True, samesite="strict"
    )
    return response


@router.get("/plain", include_in_schema=False)
async def plain(service: ServiceDep) -> HTMLResponse:
    """Phones, questions and runs, as links."""
    trouble = ""
    try:
        phones = await service.phones()
    except DeviceError as error:
        phones, trouble = (), f"{error} {error.advice}"
    runs = await service.runs(cursor=None, state=None, serial=None, limit=20)
    return pages.home(phones, trouble, runs.items, await service.questions(None, only_open=True))


@router.get("/style.css", include_in_schema=False)
async def style() -> Response:
    return Response(pages.STYLE, media_type="text/css", headers={"Cache-Control": "max-age=3600"})
