"""The clock: time passes only when told to, and timers run at their own moment."""

from __future__ import annotations

from datetime import datetime

import pytest

from device.virtual.core.clock import VirtualClock


def test_timers_run_at_their_own_moment_and_in_the_order_they_were_set() -> None:
    clock, seen = VirtualClock(), []
    clock.at(50, "b", lambda: seen.append(("b", clock.now_ms())))
    clock.at(20, "a", lambda: seen.append(("a", clock.now_ms())))
    clock.at(50, "c", lambda: seen.append(("c", clock.now_ms())))
    clock.advance(49)
    assert seen == [("a", 20)]
    clock.advance(1)
    assert seen == [("a", 20), ("b", 50), ("c", 50)]
    assert clock.now_ms() == 50


def test_a_timer_set_by_a_timer_runs_in_the_same_advance_when_it_is_due() -> None:
    clock, seen = VirtualClock(), []

    def outer() -> None:
        clock.at(15, "inner", lambda: seen.append(clock.now_ms()))

    clock.at(10, "outer", outer)
    clock.advance(100)
    assert seen == [15]


def test_a_cancelled_timer_does_not_run_and_is_not_waited_for() -> None:
    clock, seen = VirtualClock(), []
    timer = clock.at(10, "gone", lambda: seen.append(1))
    clock.cancel(timer)
    assert clock.due() is None
    clock.advance(20)
    assert seen == []


def test_due_is_the_time_to_the_next_timer() -> None:
    clock = VirtualClock()
    clock.at(30, "x", lambda: None)
    clock.advance(10)
    assert clock.due() == 20


def test_the_wall_follows_monotonic_time_and_can_be_set() -> None:
    clock = VirtualClock(start=datetime(2026, 1, 1, 8, 0))
    clock.advance(90_000)
    assert clock.wall() == datetime(2026, 1, 1, 8, 1, 30)
    clock.set_wall(datetime(2030, 5, 5))
    assert clock.wall() == datetime(2030, 5, 5)
    assert clock.now_ms() == 90_000


def test_a_live_clock_cannot_be_advanced_and_runs_what_is_due() -> None:
    clock, seen = VirtualClock("live"), []
    with pytest.raises(RuntimeError, match="run_due"):
        clock.advance(1)
    clock.at(clock.now_ms() - 1, "late", lambda: seen.append(1))
    clock.at(clock.now_ms() + 60_000, "later", lambda: seen.append(2))
    assert clock.due() == 0
    assert clock.run_due() == 1
    assert seen == [1]


def test_time_does_not_pass_backwards_and_modes_are_checked() -> None:
    with pytest.raises(ValueError, match="backwards"):
        VirtualClock().advance(-1)
    with pytest.raises(ValueError, match="manual"):
        VirtualClock("fast")  # type: ignore[arg-type]
