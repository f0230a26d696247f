"""`/v1/secrets`: names of secrets, and ways to keep and forget their values. No answer ever holds one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field, SecretStr

from agent_server.api.context import ServiceDep
from agent_server.api.problems import responses
from agent_server.runs.model import Page
from agent_server.secrets import LONGEST, reference

router = APIRouter(prefix="/secrets", tags=["secrets"])

Name = Annotated[str, Path(min_length=1, max_length=64, description="Letters, digits, dots, hyphens and underscores.")]


class SecretIn(BaseModel):
    """A value to keep."""

    model_config = ConfigDict(extra="forbid")

    value: SecretStr = Field(min_length=1, max_length=LONGEST)


class SecretOut(BaseModel):
    """A secret as it may be told."""

    name: str
    reference: str = Field(description="What a task says in its place.")


@router.get("", responses=responses(500))
async def list_secrets(service: ServiceDep) -> Page[SecretOut]:
    """The names, without the values."""
    return Page(tuple(SecretOut(name=name, reference=reference(name)) for name in service.owner.secrets()))


@router.put("/{name}", status_code=204, responses=responses(422, 500))
async def keep(name: Name, body: SecretIn, service: ServiceDep) -> None:
    """Keep a value, in place of the one of that name."""
    await service.owner.keep(name, body.value.get_secret_value())


@router.delete("/{name}", status_code=204, responses=responses(404, 500))
async def forget(name: Name, service: ServiceDep) -> None:
    """Delete a value."""
    await service.owner.forget(name)
