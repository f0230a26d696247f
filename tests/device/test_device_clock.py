"""Time as a thing one is given."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest

from device.clock import Clock, ManualClock, SystemClock

pytestmark = pytest.mark.anyio


async def test_a_manual_clock_moves_by_what_is_slept_and_by_nothing_else() -> None:
    clock = ManualClock()
    began, real = clock.now(), time.monotonic()
    await clock.sleep(3600)
    clock.advance(0.5)
    assert clock.monotonic() == 3600.5
    assert clock.now() - began == timedelta(seconds=3600.5)
    assert time.monotonic() - real < 1


async def test_a_manual_clock_never_runs_backwards() -> None:
    clock = ManualClock()
    await clock.sleep(-5)
    assert clock.monotonic() == 0


async def test_the_system_clock_really_waits_and_knows_its_zone() -> None:
    clock: Clock = SystemClock()
    started = clock.monotonic()
    await clock.sleep(0.02)
    assert clock.monotonic() - started >= 0.019
    assert clock.now().tzinfo is not None
