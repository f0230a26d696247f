"""The written record of a run: each phase of a step is in the database before the next one begins.

State and the event that tells of it are committed together, so the events alone tell the whole story.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import hashlib
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from agent_server.runs import speak
from agent_server.runs.budget import Allowance
from agent_server.runs.gate import FIELD
from agent_server.runs.model import FINAL_STATE, Actor, Ending, EventType, QuestionState, Run, RunState
from agent_server.runs.pictures import Picture, Pictures
from agent_server.runs.records import usage_of
from agent_server.runs.redact import Redactor, stored, told
from agent_server.secrets import Vault
from agent_server.store import events
from agent_server.store.blobs import BlobStore
from agent_server.store.database import Database
from agent_server.store.tables import (
    ArtifactRefRow,
    ArtifactRow,
    EventRow,
    IntentRow,
    LeaseRow,
    QuestionRow,
    RunRow,
    StepRow,
)
from device.actions import Action, TypeText
from device.base import Answer, DeviceInfo, Outcome, View
from device.clock import Clock
from device.geometry import Box
from perception.screen import Element, Screen
from policies.base import Ask, Decision, Finish, Reflection, Usage


class LeaseLost(Exception):
    """Somebody else holds the phone by now; nothing may be sent to it."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """Where records are kept, what must not be in them, and who is told."""

    database: Database
    blobs: BlobStore
    vault: Vault
    bell: events.Bell
    clock: Clock


def target_json(element: Element | None) -> dict[str, Any] | None:
    """An element as events name it. What is written in a field is not its name."""
    if element is None:
        return None
    field = element.password or element.role == FIELD
    name = (element.label if field else element.text or element.label).split("\n", 1)[0]
    box = [round(edge, 5) for edge in (element.box.left, element.box.top, element.box.right, element.box.bottom)]
    return {"mark": element.mark, "role": element.role, "name": name, "box": box, "password": element.password}


class RunRecord:
    """Writes the record of one run. `lap` times come from the clock between two entries."""

    def __init__(self, archive: Archive, run: Run) -> None:
        self._archive = archive
        self._run = run
        self._epoch = 0
        self._since = archive.clock.monotonic()
        self.redactor = Redactor(run.lang, archive.vault)
        self.allowance = Allowance(run.budgets)
        self.step = 0
        """The step it is in; 0 before the first."""
        self.private: tuple[Box, ...] | None = None
        """What was painted over when the screen was last looked at; None before the first look."""
        self.acted: dict[str, Any] | None = None
        """The last act that reached the phone, as its event told it."""

    @contextlib.asynccontextmanager
    async def entry(self) -> AsyncIterator[tuple[AsyncSession, float]]:
        """A transaction on the run's record and the seconds since the last one; readers are woken after it."""
        lap = self.lap()
        async with self._aside() as session:
            yield session, lap
        self._since = self._archive.clock.monotonic()

    @contextlib.asynccontextmanager
    async def _aside(self) -> AsyncIterator[AsyncSession]:
        """A transaction of something that goes on beside the steps, and does not count in their times."""
        async with self._archive.database.write() as session:
            yield session
        self._archive.bell.ring(self._run.id)

    def lap(self) -> float:
        """Seconds since the last entry or lap; a new one begins."""
        now = self._archive.clock.monotonic()
        lap, self._since = now - self._since, now
        return round(lap, 4)

    async def tell(
        self,
        session: AsyncSession,
        type: EventType,
        data: Mapping[str, Any],
        step: int | None = None,
        actor: Actor = Actor.AGENT,
    ) -> None:
        """Append an event to the open transaction, with everything typed hidden and its sentence made."""
        hidden = self.redactor.data(data)
        await events.append(
            session,
            self._run.id,
            ts=self._archive.clock.now(),
            type=type,
            step=step,
            actor=actor,
            importance=speak.importance(type, hidden),
            speak=speak.speak(type, hidden, self._run.lang),
            lang=speak.language(self._run.lang),
            data=hidden,
        )

    async def begin(self, info: DeviceInfo) -> None:
        """The run holds its phone from now on; whoever held it before has lost it."""
        now = self._archive.clock.now()
        async with self.entry() as (session, _):
            lease = await session.get(LeaseRow, self._run.serial)
            if lease is None:
                lease = LeaseRow(serial=self._run.serial, holder="", epoch=0, taken_at=now)
                session.add(lease)
            lease.holder, lease.epoch, lease.taken_at = self._run.id, lease.epoch + 1, now
            self._epoch = lease.epoch
            await self.change_run(session, state=RunState.RUNNING, started_at=now)
            data = {"serial": info.serial, "model": info.model, "virtual": info.virtual, "policy": self._run.policy}
            await self.tell(session, EventType.RUN_STARTED, data)

    async def paused(self) -> None:
        """The run stands still from now on."""
        async with self.entry() as (session, _):
            await self.change_run(session, state=RunState.PAUSED)
            await self.tell(session, EventType.RUN_PAUSED, {}, actor=Actor.HUMAN)

    async def resumed(self) -> None:
        """The run goes on with a fresh look."""
        async with self.entry() as (session, _):
            await self.change_run(session, state=RunState.RUNNING)
            await self.tell(session, EventType.RUN_RESUMED, {}, actor=Actor.HUMAN)

    async def step_started(self, n: int) -> None:
        self.step = n
        async with self.entry() as (session, _):
            session.add(StepRow(run_id=self._run.id, n=n, phase="started", started_at=self._archive.clock.now()))
            await self.change_run(session, steps=n)
            await self.tell(session, EventType.STEP_STARTED, {"n": n}, n)

    async def observed(self, n: int, view: View) -> None:
        async with self.entry() as (session, lap):
            step = await self._step(session, n)
            step.phase, step.app, step.activity = "observed", view.foreground.package, view.foreground.activity
            step.timings = {**step.timings, "observe": lap}

    async def perceived(self, n: int, view: View, screen: Screen, pictures: Pictures) -> None:
        """Store the pictures, then the events that name them."""
        blobs = self._archive.blobs
        hashes: dict[str, str] = {}
        for role in ("frame", "overlay", "elements"):
            picture: Picture = getattr(pictures, role)
            hashes[role] = await asyncio.to_thread(blobs.put, picture.data)
        async with self.entry() as (session, lap):
            for role, digest in hashes.items():
                await self._refer(session, n, role, digest, getattr(pictures, role))
            step = await self._step(session, n)
            step.phase, step.frame, step.overlay = "perceived", hashes["frame"], hashes["overlay"]
            step.elements = hashes["elements"]
            step.timings = {**step.timings, "perceive": lap}
            front = screen.foreground
            size = screen.frame.size
            seen = {
                "screenshot": hashes["frame"],
                "overlay": hashes["overlay"],
                "size": [size.width, size.height],
                "app": front.package,
                "activity": front.activity,
                "window": front.window,
                "elements": len(screen.elements),
                "keyboard": screen.frame.keyboard,
                "states": sorted(view.states),
                "stable": view.stable,
            }
            await self.tell(session, EventType.OBSERVATION, seen, n)
            found = {
                "elements": len(screen.elements),
                "list": hashes["elements"],
                "tree": screen.tree_status,
                "tree_reason": screen.tree_reason or view.tree_reason,
                "timings": {name: round(value, 4) for name, value in screen.timings.items()},
            }
            await self.tell(session, EventType.PERCEPTION, found, n)

    async def decided(
        self, n: int, decision: Decision, target: Element | None, *, secret: bool, waited: float | None = None
    ) -> None:
        """What the policy thought and chose; typed text stays in the step's row unless it is a secret.

        `waited` is how many seconds the last step's reflection was waited for before the policy was asked.
        """
        choice = decision.choice
        if isinstance(choice, TypeText):
            self.redactor.learn(choice.text)
        keep = self.redactor.text if secret else self.redactor.conceal
        async with self.entry() as (session, lap):
            step = await self._step(session, n)
            step.phase, step.thought, step.summary = "decided", keep(decision.thought), keep(decision.summary)
            step.memo, step.raw = keep(decision.memo), keep(decision.raw)
            step.choice = self.redactor.conceal_in(_choice_json(choice, secret=secret))
            step.target = target_json(target)
            step.timings = {**step.timings, **({} if waited is None else {"recall": waited}), "decide": lap}
            if decision.thought or decision.summary:
                data = {"text": decision.thought, "summary": decision.summary}
                await self.tell(session, EventType.THOUGHT, data, n)
            await self._charge(session, step, "decision", decision.usage)

    async def undecided(self, n: int, usage: Usage, raw: str = "") -> None:
        """There is no decision in this step; what was spent on it, and what the model said instead."""
        async with self.entry() as (session, lap):
            step = await self._step(session, n)
            step.raw, step.timings = self.redactor.text(raw), {**step.timings, "decide": lap}
            await self._charge(session, step, "decision", usage, answered=False)

    async def reflected(self, n: int, reflection: Reflection, seconds: float, *, secret: bool) -> None:
        """What the policy made of a step, as soon as it has come; by then the run may be a step further."""
        keep = self.redactor.text if secret else self.redactor.conceal
        async with self._aside() as session:
            step = await self._step(session, n)
            step.memo, step.summary = keep(reflection.memo), keep(reflection.summary) or step.summary
            step.timings = {**step.timings, "reflect": round(seconds, 4)}
            data = {"summary": reflection.summary, "cause": "", "reason": ""}
            await self.tell(session, EventType.STEP_REFLECTED, data, n)
            await self._charge(session, step, "reflection", reflection.usage)

    async def unreflected(self, n: int, cause: str, reason: str, usage: Usage) -> None:
        """The policy made nothing of a step, and why; the step itself stands."""
        async with self._aside() as session:
            data = {"summary": "", "cause": cause, "reason": reason}
            await self.tell(session, EventType.STEP_REFLECTED, data, n)
            await self._charge(session, await self._step(session, n), "reflection", usage, answered=False)

    async def _charge(
        self, session: AsyncSession, step: StepRow, what: str, usage: Usage, *, answered: bool = True
    ) -> None:
        """Add what a call has cost to its step and to the run."""
        step.usage = dataclasses.asdict(usage_of(step.usage) + usage)
        if not usage.calls:
            return
        self.allowance.add(usage, answered=answered)
        spent = self.allowance.spent
        await self.change_run(session, usage=dataclasses.asdict(spent))
        data = {**_usage_json(usage), "of": what, "total": _usage_json(spent)}
        await self.tell(session, EventType.USAGE, data, step.n)

    async def planned(self, n: int, action: Action, target: Element | None) -> None:
        """The intent and its event, in one commit, before anything is sent. Raises LeaseLost."""
        now = self._archive.clock.now()
        async with self.entry() as (session, _):
            lease = await session.get(LeaseRow, self._run.serial)
            if lease is None or lease.epoch != self._epoch:
                raise LeaseLost(self._run.serial)
            digest = hashlib.sha256(json.dumps(stored(action, secret=True), sort_keys=True).encode()).hexdigest()
            session.add(
                IntentRow(
                    run_id=self._run.id,
                    step=n,
                    action_hash=digest,
                    lease_epoch=self._epoch,
                    state="planned",
                    planned_at=now,
                )
            )
            step = await self._step(session, n)
            step.phase = "planned"
            await self.tell(session, EventType.ACTION_PLANNED, act_json(action, target), n)

    async def effect(self, n: int, action: Action, target: Element | None, outcome: Outcome, reason: str = "") -> None:
        """What became of the intent. `reason` says why nothing was sent."""
        match outcome.sent:
            case Answer.YES:
                state, type = "done", EventType.ACTION_DONE
            case Answer.NO:
                state, type = "failed", EventType.ACTION_FAILED
            case _:
                state, type = "uncertain", EventType.ACTION_UNCERTAIN
        told_act = act_json(action, target)
        async with self.entry() as (session, lap):
            intent = await session.get_one(IntentRow, (self._run.id, n))
            intent.state, intent.settled_at = state, self._archive.clock.now()
            step = await self._step(session, n)
            step.sent, step.changed, step.path = outcome.sent, outcome.changed, outcome.path
            step.note = self.redactor.text(reason or outcome.note)
            step.timings = {**step.timings, "act": lap, **{f"act.{k}": v for k, v in outcome.timings.items()}}
            data = {
                **told_act,
                "sent": outcome.sent,
                "changed": outcome.changed,
                "settled": outcome.settled,
                "path": outcome.path,
                "ms": round(outcome.elapsed * 1000),
                "reason": reason or outcome.note,
            }
            await self.tell(session, type, data, n)
        if outcome.sent is not Answer.NO:
            self.acted = self.redactor.data(told_act)

    async def judged(self, n: int, verdict: str, reason: str = "") -> None:
        """What the gate said, in the step's row."""
        async with self.entry() as (session, _):
            step = await self._step(session, n)
            step.verdict, step.reason = verdict, self.redactor.text(reason)

    async def blocked(self, n: int, action: Action, target: Element | None, cause: str, reason: str) -> None:
        """An act that the gate or the person did not let through."""
        async with self.entry() as (session, _):
            step = await self._step(session, n)
            step.sent, step.note = Answer.NO, self.redactor.text(reason)
            data = {**act_json(action, target), "cause": cause, "reason": reason}
            await self.tell(session, EventType.ACTION_BLOCKED, data, n)

    async def step_ended(self, n: int, reply: str = "") -> None:
        async with self.entry() as (session, _):
            step = await self._step(session, n)
            step.phase, step.reply, step.finished_at = "done", self.redactor.conceal(reply), self._archive.clock.now()

    async def finished(self, ending: Ending) -> None:
        """The end of the run. A question still open is withdrawn, an intent that nobody settled is uncertain."""
        now = self._archive.clock.now()
        state = FINAL_STATE[ending.code]
        async with self.entry() as (session, _):
            await self._withdraw_questions(session)
            if await self._settle_unknown(session):
                more = speak.reason("last-act-uncertain", self._run.lang)
                ending = dataclasses.replace(ending, summary=f"{ending.summary} {more}".strip())
            outcome = self.redactor.conceal_in(dataclasses.asdict(ending))
            await self.change_run(session, state=state, outcome=outcome, finished_at=now)
            lease = await session.get(LeaseRow, self._run.serial)
            if lease is not None and lease.holder == self._run.id:
                lease.holder = ""
            data = {"state": state, "cause": ending.cause, "summary": ending.summary, "outcome": outcome}
            type = EventType.RUN_INTERRUPTED if state is RunState.INTERRUPTED else EventType.RUN_FINISHED
            await self.tell(session, type, data, actor=Actor.SYSTEM)

    async def _settle_unknown(self, session: AsyncSession) -> bool:
        """An intent without an effect: the phone may have been touched, and nobody will touch it again for it."""
        query = select(IntentRow).where(IntentRow.run_id == self._run.id, IntentRow.state == "planned")
        intents = (await session.scalars(query)).all()
        for intent in intents:
            intent.state, intent.settled_at = "uncertain", self._archive.clock.now()
            step = await self._step(session, intent.step)
            step.sent, step.changed = Answer.UNKNOWN, Answer.UNKNOWN
            planned = select(EventRow.data).where(
                EventRow.run_id == self._run.id,
                EventRow.step == intent.step,
                EventRow.type == EventType.ACTION_PLANNED,
            )
            act = await session.scalar(planned)
            assert act is not None, "an intent is committed together with its event"
            data = {**act, "sent": Answer.UNKNOWN, "changed": Answer.UNKNOWN, "reason": ""}
            await self.tell(session, EventType.ACTION_UNCERTAIN, data, intent.step, Actor.SYSTEM)
        return bool(intents)

    async def _withdraw_questions(self, session: AsyncSession) -> None:
        query = select(QuestionRow).where(QuestionRow.run_id == self._run.id, QuestionRow.state == QuestionState.OPEN)
        for question in (await session.scalars(query)).all():
            question.state = QuestionState.WITHDRAWN
            data = {"question_id": question.id, "kind": question.kind, "cause": "run-ended"}
            await self.tell(session, EventType.QUESTION_EXPIRED, data, question.step or None, Actor.SYSTEM)

    async def change_run(self, session: AsyncSession, **values: Any) -> None:
        await session.execute(update(RunRow).where(RunRow.id == self._run.id).values(**values))

    async def _step(self, session: AsyncSession, n: int) -> StepRow:
        return await session.get_one(StepRow, (self._run.id, n))

    async def _refer(self, session: AsyncSession, n: int, role: str, digest: str, picture: Picture) -> None:
        if await session.get(ArtifactRow, digest) is None:
            now = self._archive.clock.now()
            session.add(ArtifactRow(hash=digest, media_type=picture.media_type, bytes=len(picture.data), stored_at=now))
            await session.flush()
        session.add(ArtifactRefRow(run_id=self._run.id, step=n, role=role, hash=digest))


def act_json(action: Action, target: Element | None) -> dict[str, Any]:
    """An action and what it is aimed at, as events tell it: without typed text."""
    return {"action": told(action), "target": target_json(target)}


def _choice_json(choice: Action | Finish | Ask, *, secret: bool) -> dict[str, Any]:
    match choice:
        case Finish():
            return {"kind": "finish", "status": choice.status, "reason": choice.reason, "answer": choice.answer}
        case Ask():
            return {"kind": "ask", "prompt": choice.prompt, "options": list(choice.options), "reason": choice.reason}
        case _:
            return stored(choice, secret=secret)


def _usage_json(usage: Usage) -> dict[str, Any]:
    return {**dataclasses.asdict(usage), "tokens": usage.tokens}
