from __future__ import annotations

import asyncio

import pytest

from agent_server.runs.budget import Halted, Latch, OutOfTime, Stopwatch
from agent_server.runs.model import Budgets
from device.clock import ManualClock

pytestmark = pytest.mark.anyio


async def for_ever() -> str:
    await asyncio.Event().wait()
    return "never"


async def quick() -> str:
    return "done"


async def stubborn(ended: asyncio.Event) -> str:
    while not ended.is_set():
        try:
            await ended.wait()
        except asyncio.CancelledError:
            continue
    return "at last"


def test_time_a_person_takes_is_not_counted() -> None:
    clock = ManualClock()
    watch = Stopwatch(Budgets(steps=1, seconds=10), clock)
    clock.advance(4)
    with watch.paused():
        clock.advance(300)
    assert watch.left == 6
    clock.advance(7)
    assert watch.left == -1


async def test_work_that_ends_in_time_gives_its_result() -> None:
    assert await Latch().during(quick(), 5) == "done"


async def test_the_latch_ends_a_wait_at_once_with_its_first_cause() -> None:
    latch = Latch()
    waiting = asyncio.create_task(latch.during(for_ever(), 60))
    await asyncio.sleep(0)
    latch.set("stopped-by-person")
    latch.set("server-stopped")
    with pytest.raises(Halted, match="stopped-by-person"):
        await waiting
    with pytest.raises(Halted):
        latch.check()
    with pytest.raises(Halted):
        await latch.during(quick(), 5)


async def test_a_wait_ends_when_its_time_is_up_or_was_up_before() -> None:
    latch = Latch()
    for seconds in (0.01, 0.0, -3.0):
        with pytest.raises(OutOfTime):
            await latch.during(for_ever(), seconds)


async def test_errors_of_the_work_come_through() -> None:
    async def broken() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        await Latch().during(broken(), 5)
    with pytest.raises(KeyError):
        await Latch().unless(broken(), 1)


async def test_work_that_swallows_its_cancellation_holds_nobody_up() -> None:
    latch, ended = Latch(), asyncio.Event()
    waiting = asyncio.create_task(latch.during(stubborn(ended), 60))
    await asyncio.sleep(0)
    latch.set("stopped-by-person")
    async with asyncio.timeout(3):
        with pytest.raises(Halted):
            await waiting
    ended.set()


async def test_an_act_in_progress_may_end_within_its_grace() -> None:
    latch, go = Latch(), asyncio.Event()

    async def act() -> str:
        await go.wait()
        return "done"

    acting = asyncio.create_task(latch.unless(act(), 5))
    await asyncio.sleep(0)
    latch.set("stopped-by-person")
    await asyncio.sleep(0)
    go.set()
    assert await acting == "done"


async def test_an_act_beyond_its_grace_is_cut_off_and_nothing_is_known() -> None:
    latch = Latch()
    acting = asyncio.create_task(latch.unless(for_ever(), 0.01))
    await asyncio.sleep(0)
    latch.set("stopped-by-person")
    assert await acting is None
