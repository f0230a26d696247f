"""The time and money a run may use, the latch that ends it at once, and the brake that holds it between two steps."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine, Iterator
from typing import Any, TypeVar

from agent_server.runs.model import Budgets
from device.clock import Clock
from policies.base import Usage

T = TypeVar("T")


class Stopwatch:
    """Seconds a run has used; the time a person takes to answer does not count."""

    def __init__(self, budgets: Budgets, clock: Clock) -> None:
        self._clock = clock
        self._ends = clock.monotonic() + budgets.seconds

    @property
    def left(self) -> float:
        """Seconds left, negative when overdrawn."""
        return self._ends - self._clock.monotonic()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        started = self._clock.monotonic()
        try:
            yield
        finally:
            self._ends += self._clock.monotonic() - started


class OutOfBudget(Exception):
    """No model may be asked any more. `cause` is a stable word, such as `out-of-tokens`."""

    def __init__(self, cause: str) -> None:
        super().__init__(cause)
        self.cause = cause


class Allowance:
    """What a run's models have cost, and whether they may be asked once more."""

    def __init__(self, budgets: Budgets) -> None:
        self._budgets = budgets
        self._tokens = 0
        self._cost_usd = 0.0
        self._cause = ""
        self.spent = Usage()
        """All calls together, failed ones included; what is unknown of one is unknown of the sum."""

    def add(self, usage: Usage, *, answered: bool) -> None:
        """Count a call. Of a call without an answer an unknown price counts as nothing, for nobody will ever tell it.

        A model that answers and does not say what that cost makes a budget impossible to keep.
        """
        self.spent += usage
        self._tokens += (usage.input_tokens or 0) + (usage.output_tokens or 0)
        self._cost_usd += usage.cost_usd or 0.0
        if answered and self._budgets.tokens is not None and usage.tokens is None:
            self._cause = "tokens-unknown"
        if answered and self._budgets.cost_usd is not None and usage.cost_usd is None:
            self._cause = "price-unknown"

    def check(self) -> None:
        """Raises OutOfBudget when the next call would have to be paid from nothing."""
        if self._budgets.tokens is not None and self._tokens >= self._budgets.tokens:
            raise OutOfBudget("out-of-tokens")
        if self._budgets.cost_usd is not None and self._cost_usd >= self._budgets.cost_usd:
            raise OutOfBudget("out-of-money")
        if self._cause:
            raise OutOfBudget(self._cause)


class Halted(Exception):
    """The run was told to end. `cause` is a stable word, such as `stopped-by-person`."""

    def __init__(self, cause: str) -> None:
        super().__init__(cause)
        self.cause = cause


class OutOfTime(Exception):
    """The wait was longer than it was allowed to be."""


class Latch:
    """Set once, from anywhere in the process; whatever the run waits for ends at once."""

    def __init__(self) -> None:
        self._set = asyncio.Event()
        self.cause = ""

    def set(self, cause: str) -> None:
        """The first cause stays."""
        if not self._set.is_set():
            self.cause = cause
            self._set.set()

    def check(self) -> None:
        """Raises Halted once the latch is set."""
        if self._set.is_set():
            raise Halted(self.cause)

    async def during(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        """The work's result; cancels it and raises Halted when the latch is set, OutOfTime after `seconds`."""
        if self._set.is_set():
            work.close()
            raise Halted(self.cause)
        task, latched = asyncio.ensure_future(work), asyncio.ensure_future(self._set.wait())
        try:
            await asyncio.wait({task, latched}, timeout=max(seconds, 0), return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            if self._set.is_set():
                raise Halted(self.cause)
            raise OutOfTime
        finally:
            await unwind(task, latched)

    async def unless(self, work: Coroutine[Any, Any, T], grace: float) -> T | None:
        """The work's result; once the latch is set the work has `grace` seconds to end, then it is cancelled.

        None means cancelled: how far it got is not known.
        """
        task, latched = asyncio.ensure_future(work), asyncio.ensure_future(self._set.wait())
        try:
            await asyncio.wait({task, latched}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                await asyncio.wait({task}, timeout=grace)
            return task.result() if task.done() else None
        finally:
            await unwind(task, latched)


class Brake:
    """Holds a run between two steps, for as long as a person wants."""

    def __init__(self) -> None:
        self._free = asyncio.Event()
        self._free.set()
        self.standing = False
        """Whether the run has come to stand."""

    @property
    def on(self) -> bool:
        """Whether the run is to stand still at its next step boundary."""
        return not self._free.is_set()

    def pull(self) -> None:
        """Hold the run before its next step."""
        self._free.clear()

    def release(self) -> None:
        """Let it go on."""
        self._free.set()

    async def released(self) -> None:
        """Wait until nothing holds the run."""
        await self._free.wait()


CANCEL_SECONDS = 1.0
"""A cancelled task only has to unwind; one that takes longer than this swallows its cancellation, and is left."""


async def unwind(*tasks: asyncio.Task[Any]) -> None:
    """Cancel them and wait until they have ended, but not for ever."""
    for task in tasks:
        task.cancel()
        task.add_done_callback(_forget)
    await asyncio.wait(tasks, timeout=CANCEL_SECONDS)


def _forget(task: asyncio.Task[Any]) -> None:
    # What a cancelled task raises on its way out has nobody to go to; asyncio complains unless it is fetched.
    if not task.cancelled():
        task.exception()
