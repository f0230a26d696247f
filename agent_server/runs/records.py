"""From rows of the store to the values of `runs.model`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent_server.runs.model import (
    Actor,
    Budgets,
    Ending,
    Event,
    EventType,
    Importance,
    Option,
    OutcomeCode,
    Question,
    QuestionKind,
    QuestionState,
    Run,
    RunState,
    Step,
)
from agent_server.store.tables import EventRow, QuestionRow, RunRow, StepRow
from policies.base import Usage


def usage_of(data: Mapping[str, Any]) -> Usage:
    """Of a run or a step that nobody has asked a model for, nothing."""
    return Usage(**data)


def ending_of(data: Mapping[str, Any]) -> Ending:
    return Ending(
        code=OutcomeCode(data["code"]),
        summary=data["summary"],
        cause=data.get("cause", ""),
        advice=data.get("advice", ""),
        answer=data.get("answer", ""),
    )


def run_of(row: RunRow) -> Run:
    return Run(
        id=row.id,
        task=row.task,
        serial=row.serial,
        policy=row.policy,
        params=row.params,
        lang=row.lang,
        trusted=row.trusted,
        budgets=Budgets(
            steps=row.budget_steps,
            seconds=row.budget_seconds,
            tokens=row.budget_tokens,
            cost_usd=row.budget_cost_usd,
        ),
        state=RunState(row.state),
        outcome=ending_of(row.outcome) if row.outcome is not None else None,
        steps=row.steps,
        usage=usage_of(row.usage),
        created_at=row.created_at,
        started_at=row.started_at,
        finished_at=row.finished_at,
    )


def step_of(row: StepRow) -> Step:
    return Step(
        run_id=row.run_id,
        n=row.n,
        phase=row.phase,
        started_at=row.started_at,
        finished_at=row.finished_at,
        frame=row.frame,
        overlay=row.overlay,
        elements=row.elements,
        app=row.app,
        activity=row.activity,
        thought=row.thought,
        summary=row.summary,
        memo=row.memo,
        raw=row.raw,
        choice=row.choice,
        target=row.target,
        verdict=row.verdict,
        reason=row.reason,
        sent=row.sent,
        changed=row.changed,
        path=row.path,
        note=row.note,
        reply=row.reply,
        usage=row.usage,
        timings=row.timings,
    )


def event_of(row: EventRow) -> Event:
    return Event(
        id=row.seq,
        run_id=row.run_id,
        ts=row.ts,
        type=EventType(row.type),
        step=row.step,
        actor=Actor(row.actor),
        importance=Importance(row.importance),
        speak=row.speak,
        lang=row.lang,
        data=row.data,
    )


def question_of(row: QuestionRow) -> Question:
    return Question(
        id=row.id,
        run_id=row.run_id,
        step=row.step,
        kind=QuestionKind(row.kind),
        prompt=row.prompt,
        speak=row.speak,
        lang=row.lang,
        options=tuple(Option(id=one["id"], label=one["label"]) for one in row.options),
        default=row.default,
        why=row.why,
        state=QuestionState(row.state),
        asked_at=row.asked_at,
        deadline=row.deadline,
        answer=row.answer,
        answered_at=row.answered_at,
    )
