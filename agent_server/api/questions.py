"""`/v1/questions`: what runs want to know from a person."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from agent_server.api.context import ServiceDep
from agent_server.api.problems import responses
from agent_server.runs.model import Page, Question

router = APIRouter(prefix="/questions", tags=["questions"])


class AnswerIn(BaseModel):
    """An answer as people say it: yes, no, the second, an option's id or name, or free words."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"answer": "yes"}]})

    answer: str = Field(min_length=1, max_length=4000)


@router.get("", responses=responses(404))
async def list_questions(
    service: ServiceDep,
    run: Annotated[str | None, Query(max_length=64, description="Only those of this run.")] = None,
    open: Annotated[bool, Query(description="Only those that wait for an answer.")] = False,
) -> Page[Question]:
    """Questions, newest first."""
    return Page(await service.questions(run, only_open=open))


@router.post("/{question_id}/answer", responses=responses(404, 409, 422))
async def answer(
    question_id: Annotated[str, Path(min_length=1, max_length=64)], body: AnswerIn, service: ServiceDep
) -> Question:
    """Answer in words. "Stop" ends the run instead."""
    return await service.answer(question_id, body.answer)
