"""`/v1/consents`, and those of one phone: who agreed that its pictures may leave this machine."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from agent_server.api.context import ServiceDep
from agent_server.api.devices import Serial
from agent_server.api.problems import responses
from agent_server.consent import Consent
from agent_server.runs.model import Page

router = APIRouter(tags=["consents"])

Host = Annotated[str, Path(min_length=1, max_length=300, description="As the list has it, with its port.")]


@router.get("/consents")
async def list_consents(service: ServiceDep) -> Page[Consent]:
    """What was agreed for every phone, connected or not. Hosts that the settings name are not in it."""
    return Page(await service.owner.consents())


@router.get("/devices/{serial}/consents")
async def list_of_phone(serial: Serial, service: ServiceDep) -> Page[Consent]:
    """What was agreed for one phone."""
    return Page(await service.owner.consents(serial))


@router.delete("/devices/{serial}/consents/{host:path}", status_code=204, responses=responses(404))
async def revoke(serial: Serial, host: Host, service: ServiceDep) -> None:
    """Take it back. A run at work asks anew before its next step."""
    await service.owner.revoke(serial, host)
