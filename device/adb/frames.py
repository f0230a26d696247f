"""Pictures for people who watch a phone: one capture for all of them, and never ahead of the one who works with it.

What the worker captures is passed on as it comes. Only while the worker leaves the phone alone, the watchers' own
capture runs, as often as the most demanding of them asks for; a worker who comes does not wait for it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

from device.clock import Clock
from device.errors import BadFrame, DeviceError
from device.frame import Frame

SLOWEST, QUICKEST = 2.0, 30.0
"""Frames a second for one watcher."""


class LiveFrames:
    """The newest picture of one phone, shared."""

    def __init__(self, capture: Callable[[], Awaitable[Frame]], clock: Clock) -> None:
        self._capture = capture
        self._clock = clock
        self._frame: Frame | None = None
        self._number = 0
        self._error: DeviceError | None = None
        self._news = asyncio.Event()
        self._free = asyncio.Event()
        self._free.set()
        self._rates: list[float] = []
        self._waiting = 0
        self._closed = False
        self._filming: asyncio.Task[None] | None = None

    @property
    def watchers(self) -> int:
        return len(self._rates)

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """While somebody works with the phone, only their pictures are shown."""
        self._free.clear()
        try:
            yield
        finally:
            self._free.set()
            self._ring()

    async def beside(self, after: int) -> tuple[int, Frame] | None:
        """While somebody works: their next picture above that number, and its number. None when nobody works.

        For whoever takes pictures in a way of their own: they do so on None only.
        """
        while not self._free.is_set() and not self._closed:
            if (found := self.latest(after)) is not None:
                return found
            await self._news.wait()
        return None

    def publish(self, frame: Frame) -> None:
        """Show a picture that the worker took."""
        self._frame, self._error = frame, None
        self._number += 1
        self._ring()

    def _ring(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    def latest(self, after: int) -> tuple[int, Frame] | None:
        """The newest picture and its number, if that is above `after`."""
        return (self._number, self._frame) if self._frame is not None and self._number > after else None

    async def frames(self, fps: float) -> AsyncIterator[Frame]:
        """The newest picture again and again, at most `fps` a second (2 to 30); what comes between is skipped.

        Nothing is taken while nobody asks for the next one. Raises DeviceError when the phone gives none, ValueError
        for another rate.
        """
        if not SLOWEST <= fps <= QUICKEST:
            raise ValueError(f"fps is {fps:g}; a watcher gets {SLOWEST:g} to {QUICKEST:g} frames a second")
        self._rates.append(fps)
        shown = 0
        try:
            while (found := await self._next(shown)) is not None:
                shown, frame = found
                not_before = self._clock.monotonic() + 1 / fps
                yield frame
                await self._clock.sleep(max(not_before - self._clock.monotonic(), 0.0))
        finally:
            self._rates.remove(fps)

    async def _next(self, after: int) -> tuple[int, Frame] | None:
        """The newest picture as soon as its number is above `after`; None when the source has ended."""
        self._waiting += 1
        try:
            while not self._closed:
                if (found := self.latest(after)) is not None:
                    return found
                if self._filming is None or self._filming.done():
                    self._error = None
                    self._filming = asyncio.create_task(self._film(), name="live frames")
                await self._news.wait()
                if self._error is not None:
                    raise self._error
            return None
        finally:
            self._waiting -= 1

    async def _film(self) -> None:
        """Take pictures while somebody waits for one, and nobody works with the phone."""
        while self._waiting and not self._closed:
            await self._free.wait()
            started, before = self._clock.monotonic(), self._number
            try:
                frame: Frame | None = await self._capture()
            except BadFrame:
                # One picture is nothing to a watcher; the next one follows.
                frame = None
            except DeviceError as error:
                self._error = error
                self._ring()
                return
            # What the worker has shown meanwhile is newer than what was asked for before.
            if frame is not None and self._number == before:
                self.publish(frame)
            rate = max(self._rates, default=SLOWEST)
            await self._clock.sleep(max(started + 1 / rate - self._clock.monotonic(), 0.0))

    async def close(self) -> None:
        """End the capture, and with it everybody's frames."""
        self._closed = True
        self._ring()
        if self._filming is not None:
            self._filming.cancel()
            await asyncio.gather(self._filming, return_exceptions=True)
