"""Everybody who has a part in a run, and what is handed from one part of a step to the next."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from agent_server.consent import Consents
from agent_server.runs import speak
from agent_server.runs.budget import Brake, Latch, Stopwatch
from agent_server.runs.gate import Deed, Rules
from agent_server.runs.hindsight import Hindsight, Pondered
from agent_server.runs.journal import RunRecord
from agent_server.runs.model import Ending, OutcomeCode, Run
from agent_server.runs.questions import Desk
from agent_server.secrets import Vault
from device.base import Device, View
from perception.base import Perceiver
from perception.screen import Element, Screen
from policies.base import Decision, Observation, Policy, Turn

T = TypeVar("T")
Checkpoint = Callable[[str, int], None]
"""Called with the name of a point and the step's number; tests of recovery end the process in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """Everybody who has a part in a run."""

    device: Device
    perceiver: Perceiver
    policy: Policy
    record: RunRecord
    hindsight: Hindsight
    desk: Desk
    latch: Latch
    brake: Brake
    watch: Stopwatch
    rules: Rules
    consents: Consents
    vault: Vault
    checkpoint: Checkpoint
    overlay_width: int

    async def within(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for it, but not after a stop and not beyond the run's time."""
        return await self.latch.during(work, self.watch.left)


@dataclass(frozen=True, slots=True)
class Lived:
    """A step that lies behind: what the policy is told of it, and what the gate remembers."""

    turn: Turn
    deed: Deed
    late: bool = False
    """Whether this step's look showed a change after the act before had been judged to change nothing."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What a look gave. Password boxes in the screen's picture are painted over."""

    view: View
    screen: Screen


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What the policy wants done in this step, and everything it was decided on."""

    n: int
    run: Run
    sight: Sight
    observation: Observation
    decision: Decision
    target: Element | None
    secret: bool
    deeds: tuple[Deed, ...]

    @property
    def pondered(self) -> Pondered:
        """The step as it is looked back at."""
        return Pondered(n=self.n, observation=self.observation, decision=self.decision, secret=self.secret)


def end(run: Run, code: OutcomeCode, cause: str) -> Ending:
    """An ending that the service itself decided on, with its sentence in the run's language."""
    return Ending(code=code, summary=speak.reason(cause, run.lang, **speak.bounds(run.budgets)), cause=cause)
