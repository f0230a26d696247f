"""The service's own tables. Times are UTC, kept as RFC 3339 text with milliseconds so that they sort as text."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, ClassVar

from sqlalchemy import JSON, ForeignKey, Index, String
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator


class Moment(TypeDecorator[datetime]):
    """A moment in UTC, to the millisecond. SQLite has no type for it, and forgets time zones."""

    impl = String(24)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a moment needs a time zone")
        return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:
        return None if value is None else datetime.fromisoformat(value)


class Row(DeclarativeBase):
    """Base of all tables."""

    type_annotation_map: ClassVar[dict[Any, Any]] = {datetime: Moment, dict[str, Any]: JSON, list[dict[str, Any]]: JSON}


class RunRow(Row):
    __tablename__ = "run"

    id: Mapped[str] = mapped_column(primary_key=True)
    task: Mapped[str]
    serial: Mapped[str]
    policy: Mapped[str]
    params: Mapped[dict[str, Any]]
    lang: Mapped[str]
    trusted: Mapped[bool]
    budget_steps: Mapped[int]
    budget_seconds: Mapped[float]
    budget_tokens: Mapped[int | None]
    budget_cost_usd: Mapped[float | None]
    state: Mapped[str]
    outcome: Mapped[dict[str, Any] | None]
    steps: Mapped[int] = mapped_column(default=0)
    usage: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]

    __table_args__ = (Index("run_by_state", "state"), Index("run_by_serial", "serial"))


class StepRow(Row):
    __tablename__ = "step"

    run_id: Mapped[str] = mapped_column(ForeignKey("run.id"), primary_key=True)
    n: Mapped[int] = mapped_column(primary_key=True)
    phase: Mapped[str]
    started_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
    frame: Mapped[str | None]
    overlay: Mapped[str | None]
    elements: Mapped[str | None]
    app: Mapped[str] = mapped_column(default="")
    activity: Mapped[str] = mapped_column(default="")
    thought: Mapped[str] = mapped_column(default="")
    summary: Mapped[str] = mapped_column(default="")
    memo: Mapped[str] = mapped_column(default="")
    raw: Mapped[str] = mapped_column(default="")
    choice: Mapped[dict[str, Any] | None]
    target: Mapped[dict[str, Any] | None]
    verdict: Mapped[str] = mapped_column(default="")
    reason: Mapped[str] = mapped_column(default="")
    sent: Mapped[str] = mapped_column(default="")
    changed: Mapped[str] = mapped_column(default="")
    path: Mapped[str] = mapped_column(default="")
    note: Mapped[str] = mapped_column(default="")
    reply: Mapped[str] = mapped_column(default="")
    usage: Mapped[dict[str, Any]] = mapped_column(default=dict)
    timings: Mapped[dict[str, Any]] = mapped_column(default=dict)


class IntentRow(Row):
    """Written before a phone is touched, settled after. `planned` at start-up means: nobody knows."""

    __tablename__ = "action_intent"

    run_id: Mapped[str] = mapped_column(ForeignKey("run.id"), primary_key=True)
    step: Mapped[int] = mapped_column(primary_key=True)
    action_hash: Mapped[str]
    lease_epoch: Mapped[int]
    state: Mapped[str]
    planned_at: Mapped[datetime]
    settled_at: Mapped[datetime | None]


class EventRow(Row):
    __tablename__ = "event"

    run_id: Mapped[str] = mapped_column(ForeignKey("run.id"), primary_key=True)
    seq: Mapped[int] = mapped_column(primary_key=True)
    ts: Mapped[datetime]
    type: Mapped[str]
    step: Mapped[int | None]
    actor: Mapped[str]
    importance: Mapped[int]
    speak: Mapped[str]
    lang: Mapped[str]
    data: Mapped[dict[str, Any]]


class QuestionRow(Row):
    __tablename__ = "question"

    id: Mapped[str] = mapped_column(primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("run.id"), index=True)
    step: Mapped[int]
    kind: Mapped[str]
    prompt: Mapped[str]
    speak: Mapped[str]
    lang: Mapped[str]
    options: Mapped[list[dict[str, Any]]]
    default: Mapped[str]
    why: Mapped[str]
    state: Mapped[str] = mapped_column(index=True)
    asked_at: Mapped[datetime]
    deadline: Mapped[datetime]
    answer: Mapped[str | None]
    answered_at: Mapped[datetime | None]


class ArtifactRow(Row):
    """A stored file by its sha256; the bytes lie on disk."""

    __tablename__ = "artifact"

    hash: Mapped[str] = mapped_column(primary_key=True)
    media_type: Mapped[str]
    bytes: Mapped[int]
    stored_at: Mapped[datetime]


class ArtifactRefRow(Row):
    __tablename__ = "artifact_ref"

    run_id: Mapped[str] = mapped_column(ForeignKey("run.id"), primary_key=True)
    step: Mapped[int] = mapped_column(primary_key=True)
    role: Mapped[str] = mapped_column(primary_key=True)
    hash: Mapped[str] = mapped_column(ForeignKey("artifact.hash"), index=True)


class LeaseRow(Row):
    """Who may touch a phone. `epoch` grows with every acquisition, so whoever holds an older one has lost it."""

    __tablename__ = "device_lease"

    serial: Mapped[str] = mapped_column(primary_key=True)
    holder: Mapped[str]
    epoch: Mapped[int]
    taken_at: Mapped[datetime]


class ConsentRow(Row):
    """Pictures of a phone may go to a host; the run that asked may be forgotten before the answer is."""

    __tablename__ = "consent"

    serial: Mapped[str] = mapped_column(primary_key=True)
    host: Mapped[str] = mapped_column(primary_key=True)
    model: Mapped[str]
    run_id: Mapped[str]
    given_at: Mapped[datetime]


class IdempotencyRow(Row):
    """The answer to a creating request, kept so that a repeated request gets it again."""

    __tablename__ = "idempotency"

    key: Mapped[str] = mapped_column(primary_key=True)
    body_hash: Mapped[str]
    run_id: Mapped[str] = mapped_column(ForeignKey("run.id"))
    expires: Mapped[datetime]
