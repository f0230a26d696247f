"""A finger drawn point by point, so that it can be stopped and lifted in the middle.

`swipe` and `click` of the phone's server and `input swipe` run to their end on the phone, whatever becomes of the
caller: since Android 11 `input` only hands its work to the system server. A stop that means anything therefore has to
send the points one by one. Whoever cancels gets the finger off the glass by a cancelled touch, which no app takes
for a tap.
Sources: AOSP frameworks/base, InputShellCommand.java; android.view.MotionEvent.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import IntEnum

from device.clock import Clock
from device.errors import AutomationDied, DeadlineExceeded, DeviceError, LinkLost

STEP = 0.016
"""Seconds between two points: a frame of a display with 60 Hz."""
MOMENT = 0.001
LIFT_DEADLINE = 3.0
"""Seconds that lifting a finger may take; a cancelled act waits for it."""
LEAST = 0.5
"""Seconds that one event may take in any case, also at the end of the gesture's time."""


class Touch(IntEnum):
    """What a finger does; the numbers are those of android.view.MotionEvent."""

    DOWN = 0
    UP = 1
    MOVE = 2
    CANCEL = 3


Pixel = tuple[int, int]
Pen = Callable[[Touch, int, int, float], Awaitable[None]]
"""Sends one event: what, where in pixels, within how many seconds. Raises DeviceError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """From start to end in pixels: `rest` seconds on the first point, then `moving` seconds at even speed."""

    start: Pixel
    end: Pixel
    rest: float = 0.0
    moving: float = 0.0

    @property
    def seconds(self) -> float:
        return self.rest + self.moving

    def at(self, seconds: float) -> Pixel:
        """Where the finger is after so many seconds."""
        share = min(max((seconds - self.rest) / self.moving, 0.0), 1.0) if self.moving > 0 else float(seconds > 0)
        (x1, y1), (x2, y2) = self.start, self.end
        return round(x1 + (x2 - x1) * share), round(y1 + (y2 - y1) * share)


async def draw(way: Way, pen: Pen, clock: Clock, patience: float) -> None:
    """Draw it, within its own seconds and `patience` more. Raises what the pen raises for the first touch.

    Cancelled, it finishes the event on its way, lifts the finger, and only then ends. A later failure is a LinkLost:
    the touch had begun, so nobody may try it another way.
    """
    stop = asyncio.Event()
    work = asyncio.ensure_future(_draw(way, pen, clock, patience, stop))
    # A caller that is cancelled twice does not wait any more; the lifting goes on, and nobody asks how it went.
    work.add_done_callback(lambda done: done.cancelled() or done.exception())
    try:
        await asyncio.shield(work)
    except asyncio.CancelledError:
        stop.set()
        with contextlib.suppress(DeviceError):
            await asyncio.shield(work)
        raise


async def _draw(way: Way, pen: Pen, clock: Clock, patience: float, stop: asyncio.Event) -> None:
    until = clock.monotonic() + way.seconds + patience
    place = way.start

    async def send(event: Touch, to: Pixel) -> None:
        await pen(event, *to, max(until - clock.monotonic(), LEAST))

    try:
        await send(Touch.DOWN, place)
    except (LinkLost, DeadlineExceeded, AutomationDied):
        await _lift(pen, place)
        raise
    began = clock.monotonic()
    try:
        while (passed := clock.monotonic() - began) < way.seconds and not stop.is_set():
            if (there := way.at(passed)) != place:
                place = there
                await send(Touch.MOVE, place)
            # Never less than a moment: a clock need not notice how little rounding leaves.
            await clock.sleep(min(STEP, max(way.seconds - (clock.monotonic() - began), MOMENT)))
        if stop.is_set():
            await _lift(pen, place)
            return
        if place != way.end:
            place = way.end
            await send(Touch.MOVE, place)
        await send(Touch.UP, place)
    except DeviceError as error:
        await _lift(pen, place)
        raise LinkLost(f"the gesture broke off after the finger had touched: {error}") from error


async def _lift(pen: Pen, place: Pixel) -> None:
    with contextlib.suppress(DeviceError):
        await pen(Touch.CANCEL, *place, LIFT_DEADLINE)
