"""Asking the person in the middle of a run, and waiting for the answer no longer than promised."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from agent_server.errors import AlreadyAnswered, NotFound, QuestionClosed, QuestionExpired, UnclearAnswer
from agent_server.runs import answers, speak
from agent_server.runs.budget import Latch, OutOfTime
from agent_server.runs.journal import Archive, RunRecord
from agent_server.runs.model import Actor, EventType, Option, Question, QuestionKind, QuestionState, RunState
from agent_server.runs.records import question_of
from agent_server.store.names import Names
from agent_server.store.tables import QuestionRow, RunRow

APPROVAL = {
    "en": (Option(id="allow", label="Yes"), Option(id="deny", label="No")),
    "zh": (Option(id="allow", label="可以"), Option(id="deny", label="不可以")),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A question before it is asked. `data` goes into its event, such as the act that wants a yes."""

    kind: QuestionKind
    prompt: str
    options: tuple[Option, ...] = ()
    default: str = ""
    why: str = ""
    data: dict[str, Any] = field(default_factory=dict)


class Desk:
    """Open questions and those who wait for them."""

    def __init__(self, archive: Archive, names: Names, seconds: float) -> None:
        self._archive = archive
        self._names = names
        self._seconds = seconds
        self._records: dict[str, RunRecord] = {}
        self._answered: dict[str, asyncio.Event] = {}

    async def ask(self, run_id: str, lang: str, step: int, draft: Draft, record: RunRecord, latch: Latch) -> Question:
        """The question as it stands once answered or expired. Raises Halted when the run is told to end.

        `step` is 0 before the first one.
        """
        question_id = self._names.make("qst")
        self._records[question_id], self._answered[question_id] = record, asyncio.Event()
        try:
            await self._open(question_id, run_id, lang, step, draft, record)
            try:
                await latch.during(self._wait(question_id), self._seconds)
            except OutOfTime:
                await self._expire(question_id, record)
            async with self._archive.database.read() as session:
                return question_of(await session.get_one(QuestionRow, question_id))
        finally:
            del self._records[question_id], self._answered[question_id]

    async def _wait(self, question_id: str) -> None:
        await self._answered[question_id].wait()

    async def _open(self, question_id: str, run_id: str, lang: str, step: int, draft: Draft, record: RunRecord) -> None:
        now = self._archive.clock.now()
        deadline = now + timedelta(seconds=self._seconds)
        options = [{"id": one.id, "label": one.label} for one in draft.options]
        data = {
            **draft.data,
            "question_id": question_id,
            "kind": draft.kind,
            "prompt": draft.prompt,
            "options": options,
            "default": draft.default,
            "why": draft.why,
            "deadline": deadline.isoformat(timespec="milliseconds"),
        }
        hidden = record.redactor.data(data)
        async with record.entry() as (session, _):
            session.add(
                QuestionRow(
                    id=question_id,
                    run_id=run_id,
                    step=step,
                    kind=draft.kind,
                    prompt=hidden["prompt"],
                    speak=speak.speak(EventType.QUESTION_ASKED, hidden, lang),
                    lang=lang,
                    options=options,
                    default=draft.default,
                    why=hidden["why"],
                    state=QuestionState.OPEN,
                    asked_at=now,
                    deadline=deadline,
                )
            )
            await record.change_run(session, state=RunState.WAITING)
            await record.tell(session, EventType.QUESTION_ASKED, data, step or None)

    async def _expire(self, question_id: str, record: RunRecord) -> None:
        async with record.entry() as (session, _):
            question = await session.get_one(QuestionRow, question_id)
            if question.state != QuestionState.OPEN:
                return  # the answer came in the same instant, and counts
            question.state, question.answer = QuestionState.EXPIRED, question.default or None
            await record.change_run(session, state=RunState.RUNNING)
            data = {"question_id": question_id, "kind": question.kind, "default": question.default}
            await record.tell(session, EventType.QUESTION_EXPIRED, data, question.step or None, Actor.SYSTEM)

    async def question(self, question_id: str) -> Question:
        """Raises NotFound."""
        async with self._archive.database.read() as session:
            found = await session.get(QuestionRow, question_id)
        if found is None:
            raise NotFound(f"There is no question {question_id!r}.", advice="GET /v1/questions lists the open ones.")
        return question_of(found)

    async def answer(self, question_id: str, said: str) -> Question:
        """Take the person's words. Raises NotFound, QuestionClosed (or a kind of it) or UnclearAnswer."""
        question = await self.question(question_id)
        _still_open(question)
        record = self._records.get(question_id)
        if record is None:
            raise QuestionClosed("The run that asked this does not wait for an answer any more.")
        try:
            answer = answers.read(said, question)
        except answers.NotClear as error:
            raise UnclearAnswer(f"The answer was not understood: {error}.", pointer="/answer") from error
        if question.kind is QuestionKind.TEXT:
            # Somebody may answer with the very value: the run, its model and its record get the name.
            answer = self._archive.vault.conceal(answer)
        async with record.entry() as (session, _):
            row = await session.get_one(QuestionRow, question_id)
            _still_open(question_of(row))
            await self._take(session, row, question, answer, record)
        self._answered[question_id].set()
        return question_of(row)

    async def _take(
        self, session: AsyncSession, row: QuestionRow, question: Question, answer: str, record: RunRecord
    ) -> None:
        row.state, row.answer, row.answered_at = QuestionState.ANSWERED, answer, self._archive.clock.now()
        await record.change_run(session, state=RunState.RUNNING)
        data: dict[str, Any] = {"question_id": question.id, "kind": question.kind}
        if question.kind is QuestionKind.TEXT:
            record.redactor.learn(answer)
            data["characters"] = len(answer)
        else:
            data["answer"] = answer
            data["label"] = label_of(question, answer)
        await record.tell(session, EventType.QUESTION_ANSWERED, data, question.step or None, Actor.HUMAN)


def label_of(question: Question, answer: str) -> str:
    """An answer in the words of its option; a free answer as it is."""
    return next((one.label for one in question.options if one.id == answer), answer)


def _still_open(question: Question) -> None:
    match question.state:
        case QuestionState.ANSWERED:
            raise AlreadyAnswered(f"This was already answered at {question.answered_at:%H:%M:%S} UTC.")
        case QuestionState.EXPIRED:
            raise QuestionExpired("The time to answer is over; it counted as no.")
        case QuestionState.WITHDRAWN:
            raise QuestionClosed("The run ended before an answer was needed.")
        case _:
            return


async def listed(session: AsyncSession, run_id: str | None, only_open: bool) -> tuple[Question, ...]:
    """Questions, newest first, at most 200."""
    query = select(QuestionRow).join(RunRow, RunRow.id == QuestionRow.run_id).order_by(QuestionRow.id.desc()).limit(200)
    if run_id is not None:
        query = query.where(QuestionRow.run_id == run_id)
    if only_open:
        query = query.where(QuestionRow.state == QuestionState.OPEN)
    return tuple(question_of(row) for row in (await session.scalars(query)).all())
