"""A run and what is told about it. Plain values, in the words of the API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any, Generic, TypeVar

from policies.base import Usage

T = TypeVar("T")


class RunState(StrEnum):
    """Where a run stands. The last five are final."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting_for_answer"
    PAUSED = "paused"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    STOPPED = "stopped"
    EXPIRED = "expired"
    INTERRUPTED = "interrupted"

    @property
    def final(self) -> bool:
        return self not in UNFINISHED


UNFINISHED = (RunState.QUEUED, RunState.RUNNING, RunState.WAITING, RunState.PAUSED)


class OutcomeCode(StrEnum):
    """Why a run ended."""

    COMPLETE = "complete"
    IMPOSSIBLE = "impossible"
    OUT_OF_STEPS = "out_of_steps"
    OUT_OF_SECONDS = "out_of_seconds"
    OUT_OF_BUDGET = "out_of_budget"
    STOPPED = "stopped"
    DENIED = "denied"
    STUCK = "stuck"
    DEVICE_LOST = "device_lost"
    POLICY_ERROR = "policy_error"
    INTERRUPTED = "interrupted"
    INTERNAL = "internal"


FINAL_STATE: Mapping[OutcomeCode, RunState] = {
    OutcomeCode.COMPLETE: RunState.SUCCEEDED,
    OutcomeCode.IMPOSSIBLE: RunState.FAILED,
    OutcomeCode.OUT_OF_STEPS: RunState.EXPIRED,
    OutcomeCode.OUT_OF_SECONDS: RunState.EXPIRED,
    OutcomeCode.OUT_OF_BUDGET: RunState.EXPIRED,
    OutcomeCode.STOPPED: RunState.STOPPED,
    OutcomeCode.DENIED: RunState.FAILED,
    OutcomeCode.STUCK: RunState.FAILED,
    OutcomeCode.DEVICE_LOST: RunState.FAILED,
    OutcomeCode.POLICY_ERROR: RunState.FAILED,
    OutcomeCode.INTERRUPTED: RunState.INTERRUPTED,
    OutcomeCode.INTERNAL: RunState.FAILED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a run ended: a stable code, a sentence, the cause's own code where there is one, and what to do."""

    code: OutcomeCode
    summary: str
    cause: str = ""
    advice: str = ""
    answer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """How much a run may use: steps that touch the phone, and seconds without the time people take to answer.

    `tokens` (both directions together) and `cost_usd` are what its models may use; None is no bound.
    """

    steps: int
    seconds: float
    tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One task on one phone. `usage` is what its models have cost up to now, failed calls included."""

    id: str
    task: str
    serial: str
    policy: str
    params: Mapping[str, Any] = field(default_factory=dict)
    lang: str = "en"
    trusted: bool = False
    budgets: Budgets
    state: RunState = RunState.QUEUED
    outcome: Ending | None = None
    steps: int = 0
    usage: Usage = field(default_factory=Usage)
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one step saw, thought and did. Pictures are hashes into `/v1/artifacts`; times are seconds.

    `action` holds the typed text only when it did not go into a password field.
    """

    run_id: str
    n: int
    phase: str
    started_at: datetime
    finished_at: datetime | None = None
    frame: str | None = None
    overlay: str | None = None
    elements: str | None = None
    app: str = ""
    activity: str = ""
    thought: str = ""
    summary: str = ""
    memo: str = ""
    raw: str = ""
    choice: Mapping[str, Any] | None = None
    target: Mapping[str, Any] | None = None
    verdict: str = ""
    reason: str = ""
    sent: str = ""
    changed: str = ""
    path: str = ""
    note: str = ""
    reply: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)


class EventType(StrEnum):
    """What can happen in a run. Clients must ignore types that they do not know."""

    RUN_QUEUED = "run.queued"
    RUN_STARTED = "run.started"
    STEP_STARTED = "step.started"
    OBSERVATION = "observation"
    PERCEPTION = "perception"
    THOUGHT = "thought"
    ACTION_PLANNED = "action.planned"
    ACTION_DONE = "action.done"
    ACTION_UNCERTAIN = "action.uncertain"
    ACTION_FAILED = "action.failed"
    ACTION_BLOCKED = "action.blocked"
    STEP_REFLECTED = "step.reflected"
    QUESTION_ASKED = "question.asked"
    QUESTION_ANSWERED = "question.answered"
    QUESTION_EXPIRED = "question.expired"
    USAGE = "usage"
    RUN_PAUSING = "run.pausing"
    RUN_PAUSED = "run.paused"
    RUN_RESUMED = "run.resumed"
    RUN_STOPPING = "run.stopping"
    RUN_INTERRUPTED = "run.interrupted"
    RUN_FINISHED = "run.finished"


class Importance(IntEnum):
    """How much an event matters to somebody who listens."""

    DETAIL = 0
    PROGRESS = 1
    RESULT = 2
    ALERT = 3


class Actor(StrEnum):
    """Who made it happen."""

    AGENT = "agent"
    HUMAN = "human"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of a run's story. `id` counts from 1 without a gap within the run; `speak` is for ears."""

    id: int
    run_id: str
    ts: datetime
    type: EventType
    step: int | None
    actor: Actor
    importance: Importance
    speak: str
    lang: str
    data: Mapping[str, Any]


class QuestionKind(StrEnum):
    """What kind of answer is wanted: yes or no, one of several, or words."""

    APPROVAL = "approval"
    CHOICE = "choice"
    TEXT = "text"


class QuestionState(StrEnum):
    OPEN = "open"
    ANSWERED = "answered"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One possible answer."""

    id: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Something only the person can decide. No answer by the deadline counts as `default`.

    `answer` is the id of an option, or the words of a free answer.
    """

    id: str
    run_id: str
    step: int
    kind: QuestionKind
    prompt: str
    speak: str
    lang: str
    options: tuple[Option, ...] = ()
    default: str = ""
    why: str = ""
    state: QuestionState = QuestionState.OPEN
    asked_at: datetime
    deadline: datetime
    answer: str | None = None
    answered_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items and the cursor of the next page, or None at the end."""

    items: tuple[T, ...]
    next: str | None = None
