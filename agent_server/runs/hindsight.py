"""Looking back at a step while the run goes on: the policy's second call costs no time while the phone acts.

At most one reflection is at work, always of the last step. It can fail, be late or be cut off: the step that it is
about stands, and the policy is told what is on record.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

import structlog

from agent_server.runs import speak
from agent_server.runs.budget import OutOfBudget, unwind
from agent_server.runs.journal import RunRecord
from agent_server.runs.model import Run
from device.clock import Clock
from device.frame import Frame
from policies.base import (
    UNKNOWN_CALL,
    Aftermath,
    Decision,
    Moment,
    Observation,
    Policy,
    Reflection,
    Reflective,
    Turn,
    Usage,
)
from policies.errors import PolicyError

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pondered:
    """A step to look back at. `secret`: what the policy says of it may quote what must not be kept."""

    n: int
    observation: Observation
    decision: Decision
    secret: bool


class Hindsight:
    """The reflections of one run. `close` it when the run ends, whatever way it ends."""

    def __init__(self, policy: Policy, run: Run, record: RunRecord, clock: Clock) -> None:
        self._policy = policy if isinstance(policy, Reflective) and policy.reflects is not None else None
        self._run = run
        self._record = record
        self._clock = clock
        self._unseen: Pondered | None = None
        self._work: tuple[Pondered, asyncio.Task[None]] | None = None
        self._made: dict[int, Reflection] = {}
        self._closed = False

    @property
    def active(self) -> bool:
        """Whether the policy looks back at all."""
        return self._policy is not None

    @property
    def waits_for_picture(self) -> bool:
        """Whether the last step is to be looked back at as soon as there is a picture of what came of it."""
        return self._unseen is not None

    def begin(self, step: Pondered) -> None:
        """Look back at a step whose act is on its way, or was kept from the phone."""
        if self._policy is None:
            return
        if self._policy.reflects is Moment.SEEN:
            self._unseen = step
        else:
            self._start(self._policy, step, None)

    def seen(self, turn: Turn, frame: Frame) -> None:
        """The first picture after the last step is there, with nothing to be seen in it that must be covered."""
        step, self._unseen = self._unseen, None
        if self._policy is not None and step is not None:
            self._start(self._policy, step, Aftermath(turn=turn, frame=frame))

    async def told(self, turns: Sequence[Turn]) -> tuple[Turn, ...]:
        """The turns with their memos, as soon as the last one's is on record or known to be missing.

        Raises PolicyError when it failed in a way that no later call can do better.
        """
        if self._work is not None:
            _, task = self._work
            await asyncio.wait({task})
            task.result()
            self._work = None
        return tuple(self._with_memo(turn) for turn in turns)

    async def close(self) -> None:
        """Cut off what is still at work; the record then says so."""
        self._closed = True
        if self._unseen is not None:
            await self._missing(self._unseen, "run-ended", Usage())
        if self._work is None:
            return
        step, task = self._work
        await unwind(task)
        if not task.done() or task.cancelled():
            await self._missing(step, "run-ended", self._cut_off())

    def _with_memo(self, turn: Turn) -> Turn:
        made = self._made.get(turn.step)
        return turn if made is None else replace(turn, decision=turn.decision.reflected(made))

    def _start(self, policy: Reflective, step: Pondered, after: Aftermath | None) -> None:
        task = asyncio.create_task(self._reflect(policy, step, after), name=f"reflect {self._run.id} {step.n}")
        self._work = step, task

    async def _reflect(self, policy: Reflective, step: Pondered, after: Aftermath | None) -> None:
        started = self._clock.monotonic()
        try:
            self._record.allowance.check()
            made = await policy.reflect(step.observation, step.decision, after)
        except OutOfBudget as error:
            await self._missing(step, error.cause, Usage())
        except PolicyError as error:
            await self._missing(step, error.code, error.usage, said=str(error))
            if error.lasting:
                raise
        except Exception as error:
            # The border to other people's code: a summary that breaks must not undo a step that was taken.
            log.error("reflection failed", run=self._run.id, step=step.n, error=type(error).__name__)
            await self._missing(step, "internal", self._cut_off())
        else:
            if not self._closed:
                await self._record.reflected(step.n, made, self._clock.monotonic() - started, secret=step.secret)
                self._made[step.n] = made

    async def _missing(self, step: Pondered, cause: str, usage: Usage, said: str = "") -> None:
        reason = speak.reason(cause, self._run.lang, said=said, **speak.bounds(self._run.budgets))
        await self._record.unreflected(step.n, cause, reason, usage)

    def _cut_off(self) -> Usage:
        """What a call may have cost whose answer nobody waited for."""
        return UNKNOWN_CALL if self._policy is not None and self._policy.needs.remote_model else Usage()
