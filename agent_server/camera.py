"""A second, light look at a phone, for people who watch: pictures and nothing else, beside the agent's own link.

It never takes the turn of the device that the agent works with, and never starts or ends anything on the phone:
where uiautomator2's server runs already, pictures come from it in the size that is wanted; elsewhere they come
from `screencap`.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Awaitable, Callable
from typing import Protocol

from device.adb import parsers, probe
from device.adb.capture import Capture
from device.adb.client import Link
from device.adb.u2 import FRAME_DEADLINE, U2
from device.clock import Clock
from device.errors import AutomationDied, BadFrame, CommandRefused, DeadlineExceeded
from device.frame import Frame
from device.geometry import Size

QUALITY = 75
"""JPEG quality of moving pictures: about 90 kB at 540x1200 (reference: service, live frames)."""
GIVE_UP_AFTER = 3
"""Failures in a row after which the phone's server is no longer asked; its owner may have ended it."""
_FAILURES = (AutomationDied, BadFrame, CommandRefused, DeadlineExceeded)


class Camera(Protocol):
    """Takes pictures of one phone's screen. Not for two callers at once."""

    @property
    def size(self) -> Size:
        """The phone's natural size, in which its tree counts."""
        ...

    async def frame(self, short_side: int) -> Frame:
        """The screen now; its shorter side has about so many pixels if the phone can do that. Raises DeviceError."""
        ...

    async def tree(self) -> str | None:
        """The accessibility tree (XML), or None where it cannot be had without side effects. Raises DeviceError."""
        ...

    async def close(self) -> None:
        """Let go of the phone."""
        ...


class AdbCamera:
    """A camera with its own streams to the phone. `size` is the phone's natural one."""

    def __init__(
        self,
        link: Link,
        clock: Clock,
        size: Size,
        *,
        automation: bool,
        tree: bool,
        beside: Callable[[int], Awaitable[tuple[int, Frame] | None]] | None = None,
    ) -> None:
        """`beside` gives the agent's own pictures while it works with the phone, None while it does not."""
        self._link = link
        self._beside = beside
        self._shown = 0
        self._clock = clock
        self.size = size
        # Joins the server that runs; made without `U2.start`, it never starts one.
        self._u2 = U2(link, None) if automation else None
        self._capture = Capture(link, clock)
        self._tree = tree
        self._failures = 0
        self._turned: tuple[bool, int] | None = None

    async def frame(self, short_side: int) -> Frame:
        if self._beside is not None and (found := await self._beside(self._shown)) is not None:
            # The agent comes first: while it works, what it sees is what is shown.
            self._shown, own = found
            return Frame(own.data, own.media_type, own.size, await self._rotation(own.size), own.taken_at)
        frame = await self._scaled(short_side) or await self._capture.frame(None, 0, self._clock.now)
        rotation = await self._rotation(frame.size)
        return Frame(frame.data, frame.media_type, frame.size, rotation, frame.taken_at)

    async def _scaled(self, short_side: int) -> Frame | None:
        """From the phone's server, encoded there in the wanted size; None when it does not give one."""
        if self._u2 is None:
            return None
        scale = min(1.0, short_side / min(self.size.width, self.size.height))
        taken_at = self._clock.now()
        try:
            encoded = await self._u2.read("takeScreenshot", scale, QUALITY, deadline=FRAME_DEADLINE)
            data = base64.b64decode(encoded or "")
            size = parsers.jpeg_size(parsers.jpeg(data))
        except (*_FAILURES, binascii.Error, TypeError):
            self._failures += 1
            if self._failures >= GIVE_UP_AFTER:
                await self.close()
            return None
        self._failures = 0
        return Frame(data, "image/jpeg", size, 0, taken_at)

    async def _rotation(self, size: Size) -> int:
        """Asked again only when the picture's shape has turned: it costs a command on the phone."""
        wide = size.width > size.height
        if self._turned is None or self._turned[0] != wide:
            self._turned = wide, await probe.rotation(self._link)
        return self._turned[1]

    async def tree(self) -> str | None:
        if self._u2 is None or not self._tree:
            return None
        try:
            return await self._u2.tree()
        except _FAILURES:
            return None

    async def close(self) -> None:
        if self._u2 is not None:
            await self._u2.close()
            self._u2 = None
