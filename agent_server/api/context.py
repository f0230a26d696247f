"""What routes need: the service behind them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from agent_server.api.access import Access, Tickets
from agent_server.service import Service


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def _access(request: Request) -> Access:
    access: Access = request.app.state.access
    return access


def _tickets(request: Request) -> Tickets:
    tickets: Tickets = request.app.state.tickets
    return tickets


ServiceDep = Annotated[Service, Depends(_service)]
AccessDep = Annotated[Access, Depends(_access)]
TicketsDep = Annotated[Tickets, Depends(_tickets)]
