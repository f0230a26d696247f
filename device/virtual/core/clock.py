"""Time inside the phone: a clock that somebody advances, or the machine's own, with the timers that hang on it."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

START = datetime(2026, 11, 21, 9, 41)


@dataclass(order=True, slots=True)
class Timer:
    """A call that waits for its time; `name` is for the one who looks at a stuck phone."""

    when: float
    order: int
    name: str = field(compare=False)
    call: Callable[[], None] = field(compare=False)
    cancelled: bool = field(default=False, compare=False)


class VirtualClock:
    """Milliseconds since the phone was switched on, and the wall's time.

    "manual": time stands still until `advance`. "live": time passes by itself and `run_due` runs what has come due.
    """

    def __init__(self, mode: Literal["manual", "live"] = "manual", start: datetime = START) -> None:
        if mode not in ("manual", "live"):
            raise ValueError(f"clock mode must be 'manual' or 'live', not {mode!r}")
        self.mode: Literal["manual", "live"] = mode
        self._start = start
        self._now = 0.0
        self._zero = time.monotonic()
        self._timers: list[Timer] = []
        self._order = 0

    @property
    def live(self) -> bool:
        return self.mode == "live"

    def now_ms(self) -> float:
        """Monotonic milliseconds."""
        return (time.monotonic() - self._zero) * 1000.0 if self.live else self._now

    def wall(self) -> datetime:
        """The date and time the phone shows, without a time zone."""
        return self._start + timedelta(milliseconds=self.now_ms())

    def set_wall(self, moment: datetime) -> None:
        """Set the date and time; monotonic time goes on undisturbed."""
        self._start = moment - timedelta(milliseconds=self.now_ms())

    def at(self, ms: float, name: str, call: Callable[[], None]) -> Timer:
        """Run `call` at that moment of `now_ms`; timers of the same moment run in the order they were set."""
        self._order += 1
        timer = Timer(ms, self._order, name, call)
        heapq.heappush(self._timers, timer)
        return timer

    def cancel(self, timer: Timer) -> None:
        """Forget a timer; one that has run or was cancelled already is no mistake."""
        timer.cancelled = True

    def due(self) -> float | None:
        """Milliseconds until the next timer, 0 when it is late, None without one."""
        while self._timers and self._timers[0].cancelled:
            heapq.heappop(self._timers)
        return max(self._timers[0].when - self.now_ms(), 0.0) if self._timers else None

    def advance(self, ms: float) -> None:
        """Let that many milliseconds pass, running each timer at its own moment. Manual mode only."""
        if self.live:
            raise RuntimeError("a live clock passes by itself: use run_due() instead of advance()")
        if ms < 0:
            raise ValueError(f"time cannot pass backwards: advance({ms})")
        until = self._now + ms
        while (wait := self.due()) is not None and self._now + wait <= until:
            timer = heapq.heappop(self._timers)
            self._now = max(self._now, timer.when)
            timer.call()
        self._now = max(self._now, until)  # a timer's call may itself have let time pass

    def run_due(self) -> int:
        """Run every timer whose moment has come; how many ran."""
        count = 0
        now = self.now_ms()
        while self.due() is not None and self._timers[0].when <= now:
            timer = heapq.heappop(self._timers)
            timer.call()
            count += 1
        return count

    def state(self) -> tuple[float, str]:
        """What a snapshot keeps: monotonic time and the wall's start. Timers belong to those who set them."""
        return self._now if self.mode == "manual" else self.now_ms(), self._start.isoformat()

    def restore(self, state: tuple[float, str]) -> None:
        """Go back to a kept time. A live clock keeps its own monotonic time, so that timers stay right."""
        now, start = state
        if self.live:
            self._start = datetime.fromisoformat(start) + timedelta(milliseconds=now - self.now_ms())
        else:
            self._now = now
            self._start = datetime.fromisoformat(start)
