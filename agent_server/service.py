"""The verbs. The REST API and whatever else serves people are thin over this."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

from agent_server.errors import (
    DeviceBusy,
    DeviceNotReady,
    InvalidRequest,
    KeyReused,
    NoSuchDevice,
    NoSuchPolicy,
    NotFound,
    SerialNeeded,
    ShuttingDown,
    TaskNotReadable,
)
from agent_server.fleet import READY, Fleet, Listing, check_ready
from agent_server.live import Live, LiveScreen, Work
from agent_server.owner import Owner
from agent_server.runs import answers, pictures, questions
from agent_server.runs.host import RunHost
from agent_server.runs.journal import Archive, RunRecord
from agent_server.runs.model import Budgets, Event, EventType, Page, Question, Run, RunState, Step
from agent_server.runs.questions import Desk
from agent_server.runs.records import event_of, run_of, step_of
from agent_server.store import events, queries
from agent_server.store.names import Names
from agent_server.store.tables import IdempotencyRow, RunRow
from device.base import DeviceInfo, View
from device.errors import DeviceError, DeviceNotFound
from perception import describe, overlay
from perception.base import Perceiver
from perception.screen import Screen
from policies.base import Needs, Policy
from policies.errors import PolicyError, UnknownPolicy, UnreadableTask

KEY_LIFE = timedelta(hours=24)
"""How long an Idempotency-Key is remembered (IETF httpapi-idempotency-key-header, draft 07, leaves it open)."""
PAGE_LIMIT = 200
PREVIEW_QUALITY = 75
"""JPEG quality of pictures that are only looked at: 1 ms and 90 kB at 540x1200 (measured on two cores)."""


class PolicyInfo(Protocol):
    """What a registry says of a policy."""

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def needs(self) -> Needs: ...

    @property
    def params(self) -> Mapping[str, Any]: ...


class Registry(Protocol):
    """The policies there are."""

    def names(self) -> Sequence[PolicyInfo]: ...

    def create(self, name: str, params: Mapping[str, Any]) -> Policy: ...

    def check(self, name: str, params: Mapping[str, Any], goal: str) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRun:
    """What somebody wants done. Without a serial the only ready phone is meant."""

    task: str
    serial: str | None = None
    policy: str = "follow"
    params: Mapping[str, Any] = field(default_factory=dict)
    steps: int | None = None
    seconds: float | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    trusted: bool = False
    lang: str = "en"
    queue: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Phone:
    """A phone as clients see it. Facts beyond adb's own line are known once the phone has been opened."""

    serial: str
    state: str
    model: str
    ready: bool
    virtual: bool | None = None
    sdk: int | None = None
    width: int | None = None
    height: int | None = None
    density: int | None = None
    accessibility_services: tuple[str, ...] | None = None
    capabilities: tuple[str, ...] | None = None
    run: str | None = None
    queued: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a run gets that names no budget of its own."""

    steps: int
    seconds: float
    overlay_width: int


class Service:
    """Everything that can be asked of a running server."""

    def __init__(
        self,
        *,
        archive: Archive,
        names: Names,
        desk: Desk,
        host: RunHost,
        fleet: Fleet,
        perceiver: Perceiver,
        registry: Registry,
        owner: Owner,
        limits: Limits,
    ) -> None:
        self._archive = archive
        self._names = names
        self._desk = desk
        self._host = host
        self._fleet = fleet
        self._perceiver = perceiver
        self._registry = registry
        self.owner = owner
        self._limits = limits
        self._creating = asyncio.Lock()
        self._live = Live(fleet.camera, self._work, archive.clock, archive.vault)

    # Runs

    async def create_run(self, new: NewRun, *, key: str | None = None) -> tuple[Run, bool]:
        """Queue a run. The flag says that the key had been used before and the run is the one of that time.

        Nothing exists after an error. Raises InvalidRequest and its kinds, DeviceBusy, DeviceNotReady, KeyReused.
        """
        body_hash = _body_hash(new)
        if key is not None:
            async with self._archive.database.write() as session:
                known = await queries.remembered(session, key, self._archive.clock.now())
                if known is not None:
                    return await self._replayed(known, body_hash), True
        if self._host.closing:
            raise ShuttingDown("The server is ending and takes no new runs.", advice="Try again when it is back.")
        self._check_task(new)
        serial = await self._choose(new.serial)
        async with self._creating:
            if not new.queue and self._host.ahead(serial):
                holder = self._host.holder(serial)
                raise DeviceBusy(
                    f"{serial} works on run {holder}." if holder else f"{serial} has runs waiting.",
                    advice="Wait for it, stop it, or send if_busy: queue.",
                )
            return await self._insert(new, serial, key, body_hash)

    async def _replayed(self, known: IdempotencyRow, body_hash: str) -> Run:
        if known.body_hash != body_hash:
            raise KeyReused(
                "This Idempotency-Key was sent before with another request.", advice="Take a new key for a new request."
            )
        return await self.run(known.run_id)

    async def _insert(self, new: NewRun, serial: str, key: str | None, body_hash: str) -> tuple[Run, bool]:
        now = self._archive.clock.now()
        steps = self._limits.steps if new.steps is None else new.steps
        seconds = self._limits.seconds if new.seconds is None else new.seconds
        run = Run(
            id=self._names.make("run"),
            task=new.task,
            serial=serial,
            policy=new.policy,
            params=new.params,
            lang=new.lang,
            trusted=new.trusted,
            budgets=Budgets(steps=steps, seconds=seconds, tokens=new.tokens, cost_usd=new.cost_usd),
            created_at=now,
        )
        record = RunRecord(self._archive, run)
        async with record.entry() as (session, _):
            if key is not None:
                # Looked up again: the same key may have come twice at once.
                known = await queries.remembered(session, key, now)
                if known is not None:
                    return await self._replayed(known, body_hash), True
            session.add(
                RunRow(
                    id=run.id,
                    task=run.task,
                    serial=serial,
                    policy=run.policy,
                    params=dict(run.params),
                    lang=run.lang,
                    trusted=run.trusted,
                    budget_steps=run.budgets.steps,
                    budget_seconds=run.budgets.seconds,
                    budget_tokens=run.budgets.tokens,
                    budget_cost_usd=run.budgets.cost_usd,
                    state=RunState.QUEUED,
                    created_at=now,
                )
            )
            await session.flush()
            if key is not None:
                session.add(IdempotencyRow(key=key, body_hash=body_hash, run_id=run.id, expires=now + KEY_LIFE))
            await record.tell(session, EventType.RUN_QUEUED, {"serial": serial, "position": self._host.ahead(serial)})
        self._host.submit(run)
        return run, False

    def _check_task(self, new: NewRun) -> None:
        if not new.task.strip():
            raise TaskNotReadable(
                "The task is empty.", advice="Say in plain words what to do on the phone.", pointer="/task"
            )
        self.owner.check_words({"task": new.task, "params": new.params})
        try:
            self._registry.check(new.policy, new.params, new.task)
        except UnknownPolicy as error:
            raise NoSuchPolicy(str(error), advice=error.advice or "GET /v1/policies.", pointer="/policy") from error
        except UnreadableTask as error:
            raise TaskNotReadable(str(error), advice=error.advice, pointer="/task") from error
        except PolicyError as error:
            raise InvalidRequest(str(error), advice=error.advice, pointer="/params") from error

    async def _choose(self, serial: str | None) -> str:
        if serial is None:
            listed = await self._fleet.listed()
            ready = [one.serial for one in listed if one.state == READY]
            if len(ready) != 1:
                names = ", ".join(ready) or "none"
                raise SerialNeeded(
                    f"serial is missing, and {len(ready)} phones are ready ({names}).",
                    advice="Name one in serial.",
                    pointer="/serial",
                )
            return ready[0]
        try:
            listing = await self._fleet.find(serial)
        except DeviceNotFound as error:
            raise NoSuchDevice(str(error), advice=error.advice, pointer="/serial") from error
        try:
            check_ready(listing)
        except DeviceError as error:
            raise DeviceNotReady(str(error), advice=error.advice, pointer="/serial") from error
        return serial

    async def run(self, run_id: str) -> Run:
        """Raises NotFound."""
        async with self._archive.database.read() as session:
            row = await session.get(RunRow, run_id)
            if row is None:
                raise NotFound(f"There is no run {run_id!r}.", advice="GET /v1/runs lists them.")
            return run_of(row)

    async def wait_run(self, run_id: str, seconds: float) -> Run:
        """The run as soon as its state has changed or it has ended, or as it is after `seconds`. Raises NotFound."""
        run = before = await self.run(run_id)
        ends = time.monotonic() + seconds
        while run.state == before.state and not run.state.final and not self._archive.bell.closed:
            bell = self._archive.bell.listen(run_id)
            try:
                run = await self.run(run_id)
                left = ends - time.monotonic()
                if run.state != before.state or left <= 0:
                    break
                await asyncio.wait({bell}, timeout=left)
            finally:
                self._archive.bell.leave(run_id, bell)
            run = await self.run(run_id)
        return run

    async def runs(self, *, cursor: str | None, state: RunState | None, serial: str | None, limit: int) -> Page[Run]:
        """Newest first. A cursor is the name of the last run of the page before."""
        async with self._archive.database.read() as session:
            rows = await queries.runs(session, before=cursor, state=state, serial=serial, limit=limit + 1)
            more = len(rows) > limit
            items = tuple(run_of(row) for row in rows[:limit])
        return Page(items, items[-1].id if more else None)

    async def steps(self, run_id: str, *, after: int, limit: int) -> Page[Step]:
        """Oldest first. Raises NotFound."""
        await self.run(run_id)
        async with self._archive.database.read() as session:
            rows = await queries.steps(session, run_id, after=after, limit=limit + 1)
            items = tuple(step_of(row) for row in rows[:limit])
            return Page(items, str(items[-1].n) if len(rows) > limit else None)

    async def events(self, run_id: str, *, after: int, limit: int) -> Page[Event]:
        """Oldest first. Raises NotFound."""
        await self.run(run_id)
        found = await self._events(run_id, after, limit + 1)
        return Page(found[:limit], str(found[limit - 1].id) if len(found) > limit else None)

    async def _events(self, run_id: str, after: int, limit: int) -> tuple[Event, ...]:
        async with self._archive.database.read() as session:
            return tuple(event_of(row) for row in await events.after(session, run_id, after, limit))

    async def follow(self, run_id: str, *, after: int, idle: float) -> AsyncGenerator[Event | None, None]:
        """Every event after number `after`, until the run or the server ends; None after `idle` silent seconds."""
        bell = self._archive.bell
        while True:
            ringing = bell.listen(run_id)
            try:
                # Asked before reading: the last event is committed together with the final state.
                ended = bell.closed or (await self.run(run_id)).state.final
                found = await self._events(run_id, after, PAGE_LIMIT)
                for event in found:
                    after = event.id
                    yield event
                if found:
                    continue
                if ended:
                    return
                done, _ = await asyncio.wait({ringing}, timeout=idle)
                if not done:
                    yield None
            finally:
                bell.leave(run_id, ringing)

    async def stop(self, run_id: str) -> Run:
        """End a run at once. Harmless when it has ended. Raises NotFound."""
        run = await self.run(run_id)
        if not run.state.final:
            await self._host.stop(run)
        return await self.run(run_id)

    async def pause(self, run_id: str) -> Run:
        """Hold a run before its next step. Harmless when repeated. Raises NotFound, NotPausable."""
        await self._host.pause(await self.run(run_id))
        return await self.run(run_id)

    async def resume(self, run_id: str) -> Run:
        """Let a held run go on, with a fresh look. Harmless when repeated. Raises NotFound, NotPausable."""
        await self._host.resume(await self.run(run_id))
        return await self.run(run_id)

    # Questions

    async def questions(self, run_id: str | None, *, only_open: bool) -> tuple[Question, ...]:
        """Newest first. Raises NotFound for a run that does not exist."""
        if run_id is not None:
            await self.run(run_id)
        async with self._archive.database.read() as session:
            return await questions.listed(session, run_id, only_open)

    async def answer(self, question_id: str, said: str) -> Question:
        """Answer a question; the word "stop" ends its run instead. Raises NotFound, QuestionClosed, UnclearAnswer."""
        if not answers.said_stop(said):
            return await self._desk.answer(question_id, said)
        question = await self._desk.question(question_id)
        await self.stop(question.run_id)
        return await self._desk.question(question_id)

    # Phones

    async def phones(self) -> tuple[Phone, ...]:
        """Raises DeviceError when there is no adb server."""
        return tuple(self._phone(one, self._fleet.known(one.serial)) for one in await self._fleet.listed())

    async def phone(self, serial: str) -> Phone:
        """The phone with its facts, which opens it if it is ready. Raises DeviceError."""
        listing = await self._fleet.find(serial)
        if listing.state != READY:
            return self._phone(listing, None)
        async with self._fleet.using(serial) as device:
            return self._phone(listing, await device.describe())

    def _phone(self, listing: Listing, info: DeviceInfo | None) -> Phone:
        holder = self._host.holder(listing.serial)
        queued = self._host.ahead(listing.serial) - (holder is not None)
        phone = Phone(
            serial=listing.serial,
            state=listing.state,
            model=info.model if info else listing.model,
            ready=listing.state == READY,
            run=holder,
            queued=queued,
        )
        return phone if info is None else _with_facts(phone, info)

    async def look(self, serial: str) -> Screen:
        """What is on the phone now, with password boxes and secrets covered. Raises DeviceError."""
        async with self._fleet.using(serial) as device:
            view = await device.observe()
        return await self._perceive(view)

    async def _perceive(self, view: View) -> Screen:
        screen = await self._perceiver.perceive(view)
        covered = await asyncio.to_thread(pictures.cover, screen, view, self._archive.vault)
        return covered.screen

    async def picture(self, serial: str, width: int | None) -> bytes:
        """The phone's screen as JPEG, `width` pixels wide or as it is. Raises DeviceError.

        Elements are only looked for when there may be something to paint over: a password box, or a secret.
        """
        async with self._fleet.using(serial) as device:
            view = await device.observe()
        frame = view.frame
        if self._archive.vault or (view.tree is not None and 'password="true"' in view.tree):
            frame = (await self._perceive(view)).frame
        return await asyncio.to_thread(pictures.preview, frame, width, PREVIEW_QUALITY)

    async def marked(self, serial: str, width: int | None) -> overlay.Overlay:
        """The phone's screen with its marks. Raises DeviceError."""
        screen = await self.look(serial)
        return await asyncio.to_thread(overlay.draw, screen, width=width or self._limits.overlay_width)

    async def description(self, serial: str, lang: str) -> str:
        """The phone's screen in plain sentences. Raises DeviceError."""
        return describe.describe(await self.look(serial), lang)

    # Live pictures

    @contextlib.asynccontextmanager
    async def watching(self, serial: str) -> AsyncIterator[LiveScreen]:
        """The phone's live picture for one watcher. Raises DeviceError for an unknown phone, Closed, Crowded."""
        await self._fleet.find(serial)
        async with self._live.watching(serial) as screen:
            yield screen

    def _work(self, serial: str) -> Work:
        reins = self._host.at_work(serial)
        if reins is None:
            return Work()
        record = reins.record
        return Work(step=record.step, busy=not reins.brake.standing, private=record.private)

    async def close(self) -> None:
        """Let those go who watch a phone."""
        await self._live.close()

    # The rest

    def policies(self) -> Sequence[PolicyInfo]:
        return self._registry.names()

    async def artifact(self, digest: str) -> tuple[Path, str]:
        """Where a stored picture or list lies, and its media type. Raises NotFound."""
        async with self._archive.database.read() as session:
            row = await queries.artifact(session, digest)
        if row is None or not (path := self._archive.blobs.path(digest)).is_file():
            raise NotFound(f"Nothing is stored under {digest[:64]!r}.", advice="Take the hashes from steps and events.")
        return path, row.media_type

    async def ready(self) -> None:
        """Raises when the database or the adb server does not answer, or the server is ending."""
        if self._host.closing:
            raise ShuttingDown("The server is ending.", advice="Try again when it is back.")
        async with self._archive.database.read() as session:
            await queries.artifact(session, "")
        await self._fleet.listed()


def _with_facts(phone: Phone, info: DeviceInfo) -> Phone:
    return Phone(
        serial=phone.serial,
        state=phone.state,
        model=phone.model,
        ready=phone.ready,
        run=phone.run,
        queued=phone.queued,
        virtual=info.virtual,
        sdk=info.sdk,
        width=info.size.width,
        height=info.size.height,
        density=info.density,
        accessibility_services=info.accessibility_services,
        capabilities=tuple(sorted(info.capabilities)),
    )


def _body_hash(new: NewRun) -> str:
    values = {name: getattr(new, name) for name in new.__slots__}
    return hashlib.sha256(json.dumps(values, sort_keys=True, default=str).encode()).hexdigest()
