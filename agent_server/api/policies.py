"""`/v1/policies`: who can decide."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from agent_server.api.context import ServiceDep
from agent_server.runs.model import Page

router = APIRouter(prefix="/policies", tags=["policies"])


class PolicyOut(BaseModel):
    """A policy and what it needs."""

    name: str
    description: str
    remote_model: str = Field(
        description="The model that pictures are sent to; empty when nothing leaves this machine."
    )
    params: dict[str, Any] = Field(description="What `params` of a run may hold, as JSON Schema.")


@router.get("")
async def list_policies(service: ServiceDep) -> Page[PolicyOut]:
    """Every policy that a run may name."""
    return Page(
        tuple(
            PolicyOut(
                name=one.name,
                description=one.description,
                remote_model=one.needs.remote_model,
                params=dict(one.params),
            )
            for one in service.policies()
        )
    )
