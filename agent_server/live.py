"""Live pictures of phones: one capture per phone, shared by everybody who watches it, and only while somebody does.

A watcher asks for the next picture and gets the newest one; what it had no time for is never kept. So a slow
watcher skips pictures, one that does not ask costs nothing, and the agent's own link to the phone is not used.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

import cv2
import numpy as np
import structlog

from agent_server.camera import QUALITY, Camera
from agent_server.runs.pictures import COVER, gives_away, jpeg
from agent_server.secrets import Vault
from device.clock import Clock
from device.errors import DeviceError, LinkLost
from device.frame import Frame
from device.geometry import Box, Size
from perception import tree
from perception.errors import PerceptionError

log = structlog.get_logger()

SHORT_SIDE = 540
"""Pixels of a live picture's shorter side: half of today's phones, readable, about 90 kB (reference: service)."""
PACE = 1 / 30
"""Seconds between two pictures of a screen that moves; a display shows 60 a second, an eye is content with 30."""
QUIET_PACE = 0.25
"""Seconds between two pictures of a screen that stands still: what appears then is seen a quarter of a second late."""
BUSY_PACE = 0.1
"""Seconds between two pictures while a run is at work: phone and processor belong to the agent first."""
WATCHERS_PER_PHONE = 8
"""Watchers of one phone. Each may pull 30 pictures of 90 kB a second: eight fill a fifth of a gigabit line."""
WATCHERS = 32
"""Watchers of all phones together: about what a gigabit line carries when all of them pull at once."""
TREE_PACE = 1.0
"""Seconds between two readings of the tree, which takes a phone up to half a second."""


@dataclass(frozen=True, slots=True)
class Work:
    """What the runs know of a phone: the step that is being taken, 0 for none, and whether the agent is at work.

    `private` is what was painted over at its newest look, None while it has not looked.
    """

    step: int = 0
    busy: bool = False
    private: tuple[Box, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """One live picture, JPEG, password boxes and secrets painted over. `seq` grows with every picture that differs."""

    data: bytes
    size: Size
    rotation: int
    taken_at: datetime
    seq: int
    step: int


class Closed(Exception):
    """The server ends."""


class Crowded(Exception):
    """As many watch already as may; the text says so."""


def shot_bytes(frame: Frame, private: tuple[Box, ...]) -> tuple[bytes, Size]:
    """The frame as JPEG with a shorter side of at most SHORT_SIDE, and its size. Raises BadFrame."""
    short = min(frame.size.width, frame.size.height)
    if not private and frame.media_type == "image/jpeg" and short <= SHORT_SIDE:
        return frame.data, frame.size
    pixels = frame.pixels
    if short > SHORT_SIDE:
        scale = SHORT_SIDE / short
        wanted = (round(frame.size.width * scale), round(frame.size.height * scale))
        pixels = np.asarray(cv2.resize(pixels, wanted, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    size = Size(pixels.shape[1], pixels.shape[0])
    pixels = pixels.copy() if private else pixels
    for box in private:
        left, top, right, bottom = box.to_pixel(size)
        pixels[top:bottom, left:right] = COVER
    return jpeg(pixels, QUALITY), size


def private_boxes(xml: str, size: Size, vault: Vault | None = None) -> tuple[Box, ...]:
    """Where password fields stand and secrets are shown, by a dump made on a frame of that size."""
    if 'password="true"' not in xml and not vault:
        return ()
    try:
        nodes = tree.parse(xml, size).nodes
    except PerceptionError:
        return ()
    return tuple(
        node.box
        for node in nodes
        if node.box is not None and ("password" in node.flags or (vault is not None and gives_away(node, vault)))
    )


def _upright(natural: Size, seen: Size) -> Size:
    """The phone's size as it is held now."""
    turned = (natural.width > natural.height) != (seen.width > seen.height)
    return Size(natural.height, natural.width) if turned else natural


class LiveScreen:
    """One phone's live picture."""

    def __init__(
        self,
        serial: str,
        open: Callable[[], Awaitable[Camera]],
        work: Callable[[], Work],
        clock: Clock,
        vault: Vault | None = None,
    ) -> None:
        self.serial = serial
        self._vault = vault
        self._open = open
        self._work = work
        self._clock = clock
        self.watchers = 0
        self._waiting = 0
        self._camera: Camera | None = None
        self._filming: asyncio.Task[None] | None = None
        self._tick = asyncio.Event()
        self._error: DeviceError | None = None
        self._closed = False
        self._raw: tuple[bytes, tuple[Box, ...]] = (b"", ())
        self._shot: Shot | None = None
        self._checked = float("-inf")
        self._pace = PACE
        self._not_before = 0.0
        self._boxes: tuple[Box, ...] = ()
        self._boxes_of = b""
        self._tree_after = 0.0

    async def next(self, after: int) -> Shot:
        """The newest picture as soon as there is one with a number above `after`. Raises DeviceError, Closed."""
        self._waiting += 1
        try:
            while not self._closed:
                shot = self._shot
                if shot is not None and shot.seq > after and self._clock.monotonic() - self._checked <= PACE:
                    return shot
                if self._filming is None or self._filming.done():
                    self._error = None
                    self._filming = asyncio.create_task(self._film(), name=f"live picture of {self.serial}")
                await self._tick.wait()
                if self._error is not None:
                    raise self._error
            raise Closed
        finally:
            self._waiting -= 1

    async def _film(self) -> None:
        """Take pictures for as long as somebody waits for one."""
        while self._waiting and not self._closed:
            await self._clock.sleep(max(self._not_before - self._clock.monotonic(), 0.0))
            started = self._clock.monotonic()
            work = self._work()
            try:
                changed = await self._take(work)
            except DeviceError as error:
                self._error = error
            except Exception as error:
                # The border: whoever watches is told, and the next one to ask begins anew.
                log.error("no live picture", serial=self.serial, error=type(error).__name__)
                self._error = LinkLost(f"{self.serial} gives no picture.", serial=self.serial)
            else:
                self._pace = PACE if changed else min(self._pace * 1.5, QUIET_PACE)
            pace = max(self._pace, BUSY_PACE) if work.busy else self._pace
            # A steady beat: by what one picture was late, the next one is early.
            self._not_before = max(self._not_before, started - pace) + pace
            self._ring()
            if self._error is not None:
                await self._let_go()
                return

    async def _take(self, work: Work) -> bool:
        """One picture; whether it differs from the one before."""
        if self._camera is None:
            self._camera = await self._open()
        frame = await self._camera.frame(SHORT_SIDE)
        private = await self._private(self._camera, frame, work)
        changed = self._shot is None or (frame.data, private) != self._raw
        if changed:
            data, size = await asyncio.to_thread(shot_bytes, frame, private)
            self._raw = frame.data, private
            self._shot = Shot(
                data=data,
                size=size,
                rotation=frame.rotation,
                taken_at=frame.taken_at,
                seq=(self._shot.seq if self._shot is not None else 0) + 1,
                step=work.step,
            )
        self._checked = self._clock.monotonic()
        return changed

    async def _private(self, camera: Camera, frame: Frame, work: Work) -> tuple[Box, ...]:
        """While a run is at work its own looks tell what is private; otherwise the tree is read now and then."""
        if work.busy:
            if work.private is not None:
                self._boxes, self._boxes_of = work.private, b""
        elif frame.data != self._boxes_of and self._clock.monotonic() >= self._tree_after:
            xml = await camera.tree()
            size = _upright(camera.size, frame.size)
            self._boxes, self._boxes_of = private_boxes(xml or "", size, self._vault), frame.data
            self._tree_after = self._clock.monotonic() + TREE_PACE
        return self._boxes

    def _ring(self) -> None:
        tick, self._tick = self._tick, asyncio.Event()
        tick.set()

    async def _let_go(self) -> None:
        camera, self._camera = self._camera, None
        if camera is not None:
            # What fails while closing a broken link is that the link is broken.
            with contextlib.suppress(DeviceError, OSError):
                await camera.close()

    async def close(self) -> None:
        """End the capture; whoever waits gets Closed."""
        self._closed = True
        self._ring()
        if self._filming is not None:
            self._filming.cancel()
            await asyncio.gather(self._filming, return_exceptions=True)
        await self._let_go()


class Live:
    """The screens that are being watched."""

    def __init__(
        self,
        open: Callable[[str], Awaitable[Camera]],
        work: Callable[[str], Work],
        clock: Clock,
        vault: Vault | None = None,
    ) -> None:
        self._vault = vault
        self._open = open
        self._work = work
        self._clock = clock
        self._screens: dict[str, LiveScreen] = {}
        self._closed = False

    @property
    def watched(self) -> tuple[str, ...]:
        """Serials of the phones that somebody watches."""
        return tuple(self._screens)

    @contextlib.asynccontextmanager
    async def watching(self, serial: str) -> AsyncIterator[LiveScreen]:
        """The phone's screen; with its last watcher the capture ends. Raises Closed, Crowded."""
        if self._closed:
            raise Closed
        screen = self._screens.get(serial)
        if screen is not None and screen.watchers >= WATCHERS_PER_PHONE:
            raise Crowded(f"{WATCHERS_PER_PHONE} watch this phone already, and no more may. Close one of those pages.")
        if sum(one.watchers for one in self._screens.values()) >= WATCHERS:
            raise Crowded(f"{WATCHERS} watch phones of this server already, and no more may. Close one of those pages.")
        if screen is None:
            screen = LiveScreen(
                serial, lambda: self._open(serial), lambda: self._work(serial), self._clock, self._vault
            )
            self._screens[serial] = screen
        screen.watchers += 1
        try:
            yield screen
        finally:
            screen.watchers -= 1
            if not screen.watchers and self._screens.get(serial) is screen:
                del self._screens[serial]
                await screen.close()

    async def close(self) -> None:
        """Let everybody go."""
        self._closed = True
        for screen in tuple(self._screens.values()):
            await screen.close()
