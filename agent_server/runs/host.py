"""Runs at work: one at a time per phone, any number of phones, and an honest end when the process ends.

Queued runs outlive the process and are taken up at the next start, for they have touched nothing. A run that
was at work when its process died is `interrupted`: nobody knows how far its last act got, and it is never
sent again.
"""

from __future__ import annotations

import asyncio
import contextlib
import traceback
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import structlog
from sqlalchemy import select

from agent_server.consent import Consents
from agent_server.errors import NotPausable
from agent_server.runs import speak
from agent_server.runs.acting import ACT_GRACE, GONE
from agent_server.runs.budget import Brake, Halted, Latch, OutOfTime, Stopwatch
from agent_server.runs.cast import Cast, Checkpoint, end
from agent_server.runs.gate import Rules
from agent_server.runs.hindsight import Hindsight
from agent_server.runs.journal import Archive, RunRecord
from agent_server.runs.loop import halted, lost, pursue
from agent_server.runs.model import UNFINISHED, Actor, Ending, EventType, OutcomeCode, Run, RunState
from agent_server.runs.questions import Desk
from agent_server.runs.records import run_of
from agent_server.store.tables import RunRow
from device.base import Device, DeviceInfo
from device.errors import DeviceError
from perception.base import Perceiver
from policies.base import Closable, Policy
from policies.errors import PolicyError

log = structlog.get_logger()


class Phones(Protocol):
    """Where devices come from."""

    async def device(self, serial: str) -> Device:
        """The opened phone. Raises DeviceError."""
        ...

    async def check(self, serial: str) -> None:
        """Raises DeviceError when the phone is not there, or not ready."""
        ...

    async def forget(self, serial: str) -> None:
        """The phone's link is gone: open it afresh next time."""
        ...


class Policies(Protocol):
    """Where policies come from."""

    def create(self, name: str, params: Mapping[str, Any]) -> Policy:
        """A policy of that name. Raises PolicyError."""
        ...


@dataclass(frozen=True, slots=True)
class Reins:
    """What is held of a run at work."""

    run_id: str
    record: RunRecord
    latch: Latch = field(default_factory=Latch)
    brake: Brake = field(default_factory=Brake)


class RunHost:
    """Gives each phone a lane, and each lane one run at a time."""

    def __init__(
        self,
        *,
        archive: Archive,
        desk: Desk,
        phones: Phones,
        perceiver: Perceiver,
        policies: Policies,
        consents: Consents,
        checkpoint: Checkpoint,
        overlay_width: int,
    ) -> None:
        self._archive = archive
        self._desk = desk
        self._phones = phones
        self._perceiver = perceiver
        self._policies = policies
        self._consents = consents
        self._checkpoint = checkpoint
        self._overlay_width = overlay_width
        self._waiting: dict[str, deque[Run]] = {}
        self._lanes: dict[str, asyncio.Task[None]] = {}
        self._active: dict[str, Reins] = {}
        self.closing = False

    async def start(self) -> None:
        """End what a dead process left behind, and take up what it had not begun."""
        async with self._archive.database.read() as session:
            query = select(RunRow).where(RunRow.state.in_(UNFINISHED))
            left = [run_of(row) for row in (await session.scalars(query.order_by(RunRow.id))).all()]
        for run in left:
            if run.state is RunState.QUEUED:
                self.submit(run)
                continue
            summary = speak.reason("server-died", run.lang)
            ending = Ending(code=OutcomeCode.INTERRUPTED, summary=summary, cause="server-died")
            await RunRecord(self._archive, run).finished(ending)
            log.warning("run interrupted", run=run.id, serial=run.serial, cause="server-died")

    def submit(self, run: Run) -> None:
        """Put a queued run at the end of its phone's lane."""
        self._waiting.setdefault(run.serial, deque()).append(run)
        if run.serial not in self._lanes:
            lane = asyncio.create_task(self._lane(run.serial), name=f"lane {run.serial}")
            self._lanes[run.serial] = lane

    def ahead(self, serial: str) -> int:
        """How many runs a new one on this phone would wait for."""
        return len(self._waiting.get(serial, ())) + (serial in self._active)

    def holder(self, serial: str) -> str | None:
        """The run that is at work on this phone."""
        return self._active[serial].run_id if serial in self._active else None

    def at_work(self, serial: str) -> Reins | None:
        """What is held of the run that is at work on this phone."""
        return self._active.get(serial)

    def reins(self, run: Run) -> Reins | None:
        """Those of a run that is at work; None while it waits and once it has ended."""
        active = self._active.get(run.serial)
        return active if active is not None and active.run_id == run.id else None

    async def pause(self, run: Run) -> None:
        """Hold a run before its next step; harmless when it is held already. Raises NotPausable."""
        active = self._held(run)
        if not active.brake.on:
            await self._tell(run, EventType.RUN_PAUSING, {})
            active.brake.pull()

    async def resume(self, run: Run) -> None:
        """Let a held run go on; harmless when nothing holds it. Raises NotPausable."""
        brake = self._held(run).brake
        if not brake.on:
            return
        brake.release()
        if not brake.standing:
            # It had not come to stand yet, so nobody else tells that it goes on.
            await self._tell(run, EventType.RUN_RESUMED, {})

    def _held(self, run: Run) -> Reins:
        active = self.reins(run)
        if active is None or active.latch.cause:
            raise NotPausable(
                f"Run {run.id} is not at work.", advice="A run that waits for its phone or has ended cannot be paused."
            )
        return active

    async def _tell(self, run: Run, type: EventType, data: Mapping[str, Any]) -> None:
        record = RunRecord(self._archive, run)
        async with record.entry() as (session, _):
            await record.tell(session, type, data, actor=Actor.HUMAN)

    async def stop(self, run: Run) -> None:
        """End a run at once; harmless when it has ended already."""
        active = self.reins(run)
        if active is not None:
            if not active.latch.cause:
                await self._tell(run, EventType.RUN_STOPPING, {"cause": "stopped-by-person"})
            active.latch.set("stopped-by-person")
            return
        waiting = self._waiting.get(run.serial, deque())
        queued = next((one for one in waiting if one.id == run.id), None)
        if queued is not None:
            waiting.remove(queued)
            summary = f"{speak.reason('stopped-by-person', run.lang)} {speak.reason('nothing-done', run.lang)}"
            ending = Ending(code=OutcomeCode.STOPPED, summary=summary, cause="stopped-by-person")
            await RunRecord(self._archive, run).finished(ending)

    async def close(self) -> None:
        """Interrupt what is at work and wait for its record; queued runs stay queued."""
        if self.closing:
            return
        self.closing = True
        for active in self._active.values():
            active.latch.set("server-stopped")
        lanes = list(self._lanes.values())
        if lanes:
            # An act in progress has its grace, its record and the end of the run a moment more.
            await asyncio.wait(lanes, timeout=ACT_GRACE + 2.0)
        for lane in lanes:
            lane.cancel()
        await asyncio.gather(*lanes, return_exceptions=True)

    async def _lane(self, serial: str) -> None:
        waiting = self._waiting[serial]
        try:
            while waiting and not self.closing:
                run = waiting.popleft()
                reins = self._active[serial] = Reins(run.id, RunRecord(self._archive, run))
                try:
                    await self._carry_out(run, reins)
                except Exception as error:
                    # The border: what cannot even be recorded (a full disk) must not keep the phone's other
                    # runs from their turn; the next start finds this one unfinished and says so.
                    log.error("run not recorded", run=run.id, error=type(error).__name__, where=_where(error))
                finally:
                    del self._active[serial]
        finally:
            del self._lanes[serial]

    async def _carry_out(self, run: Run, reins: Reins) -> None:
        record = reins.record
        async with contextlib.AsyncExitStack() as leaving:
            try:
                ending = await self._attempt(run, reins, leaving)
            except Exception as error:
                # The border: an unforeseen error ends its run, not the lane.
                log.error("run failed", run=run.id, error=type(error).__name__, where=_where(error))
                ending = Ending(
                    code=OutcomeCode.INTERNAL, summary=speak.reason("internal", run.lang), cause=type(error).__name__
                )
            await record.finished(ending)
        log.info("run finished", run=run.id, serial=run.serial, outcome=ending.code, cause=ending.cause)

    async def _attempt(self, run: Run, reins: Reins, leaving: contextlib.AsyncExitStack) -> Ending:
        record, latch = reins.record, reins.latch
        watch = Stopwatch(run.budgets, self._archive.clock)
        try:
            policy = self._policies.create(run.policy, run.params)
            leaving.push_async_callback(_close, policy)
            device = await latch.during(self._phones.device(run.serial), watch.left)
            info = await latch.during(device.describe(), watch.left)
        except Halted as halt:
            return halted(run, halt.cause, record)
        except OutOfTime:
            return end(run, OutcomeCode.OUT_OF_SECONDS, "out-of-seconds")
        except PolicyError as error:
            return Ending(code=OutcomeCode.POLICY_ERROR, summary=str(error), cause=error.code, advice=error.advice)
        except DeviceError as error:
            await self._phones.forget(run.serial)
            return lost(run, error)
        leaving.push_async_callback(_compare_services, run, device, info)
        await record.begin(info)
        log.info("run started", run=run.id, serial=run.serial, policy=run.policy, model=info.model)
        cast = Cast(
            device=device,
            perceiver=self._perceiver,
            policy=policy,
            record=record,
            hindsight=Hindsight(policy, run, record, self._archive.clock),
            desk=self._desk,
            latch=latch,
            brake=reins.brake,
            watch=watch,
            rules=Rules(budgets=run.budgets, ask_always=not (info.virtual or run.trusted)),
            consents=self._consents,
            vault=self._archive.vault,
            checkpoint=self._checkpoint,
            overlay_width=self._overlay_width,
        )
        ending = await pursue(run, cast)
        if ending.code is OutcomeCode.DEVICE_LOST:
            ending = await self._named(run, ending)
            await self._phones.forget(run.serial)
        return ending

    async def _named(self, run: Run, ending: Ending) -> Ending:
        """What broke first is often a stream that was closed; that the phone has left says more."""
        if ending.cause in {error.code for error in GONE}:
            return ending
        try:
            await self._phones.check(run.serial)
        except DeviceError as error:
            return lost(run, error)
        return ending


async def _compare_services(run: Run, device: Device, before: DeviceInfo) -> None:
    """The owner's accessibility services are on after a run as before it; what is not is said."""
    # A phone that is gone cannot be asked.
    with contextlib.suppress(DeviceError):
        now = (await device.describe()).accessibility_services
        if gone := sorted(set(before.accessibility_services) - set(now)):
            log.error("accessibility services are off", run=run.id, serial=run.serial, services=gone)


CLOSE_SECONDS = 2.0
"""Connections that do not close by then are left to the operating system."""


async def _close(policy: Policy) -> None:
    """Let go of what the policy holds. Its run is on record by now, so nothing that fails here can change it."""
    if not isinstance(policy, Closable):
        return
    try:
        async with asyncio.timeout(CLOSE_SECONDS):
            await policy.close()
    except Exception as error:
        # The border to other people's code.
        log.warning("policy not closed", policy=policy.name, error=type(error).__name__)


def _where(error: BaseException) -> list[str]:
    # Places in the code, without the error's text or any value: those may quote what somebody typed.
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)[-6:]]
