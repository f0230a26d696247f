"""Pictures of the screen, by the quickest path that this phone offers.

On a phone, PNG encoding dominates: JPEG from uiautomator2's server is 5 to 20 times smaller and quicker, raw comes
next on fast links, PNG always works. The paths are timed once when the phone is opened; one that fails is tried
again only when the others have failed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from enum import StrEnum

from device.adb import parsers
from device.adb.client import Link
from device.adb.u2 import FRAME_DEADLINE, U2
from device.clock import Clock
from device.errors import AutomationDied, BadFrame, CommandRefused, DeadlineExceeded
from device.frame import Frame, MediaType
from device.geometry import Size

RAW_GAIN = 2.0
"""How much quicker raw must be to be preferred: its frames are 25 times larger for everybody after us."""


class Path(StrEnum):
    """A way to get a picture, in the order of preference."""

    JPEG = "jpeg"
    RAW = "raw"
    PNG = "png"


Encoded = tuple[bytes, MediaType, Size]
_FAILURES = (BadFrame, CommandRefused, AutomationDied, DeadlineExceeded)
"""What speaks against a path; a broken link speaks against all of them and is passed on."""


class Capture:
    """Takes frames of one phone. The server for JPEG is passed with each call: it may come and go."""

    def __init__(self, link: Link, clock: Clock) -> None:
        self._link = link
        self._clock = clock
        self._order = list(Path)
        self._display: tuple[str, ...] = ()

    async def measure(self, u2: U2 | None) -> None:
        """Time the paths and put the best one first. Raises LinkLost."""
        self._order = list(Path)
        displays = parsers.display_ids((await self._link.shell(["dumpsys", "SurfaceFlinger", "--display-id"])).text)
        if len(displays) > 1:
            # Without a display such a phone prints a warning into the picture.
            self._display = ("-d", displays[0])
        seconds = {path: await self._timed(path, u2) for path in (Path.JPEG, Path.RAW)}
        if seconds[Path.RAW] * RAW_GAIN < seconds[Path.JPEG]:
            self._order = [Path.RAW, Path.JPEG, Path.PNG]

    async def _timed(self, path: Path, u2: U2 | None) -> float:
        """Seconds for a second picture: the first one may pay for starting up. Infinite when there is none."""
        seconds = float("inf")
        try:
            for _ in range(2):
                started = self._clock.monotonic()
                if await self._by(path, u2) is None:
                    return float("inf")
                seconds = self._clock.monotonic() - started
        except _FAILURES:
            self._demote(path)
            return float("inf")
        return seconds

    async def frame(self, u2: U2 | None, rotation: int, now: Callable[[], datetime]) -> Frame:
        """One frame; its size is the picture's own. Raises BadFrame when no path gives one, LinkLost."""
        failures = []
        for path in tuple(self._order):
            try:
                taken_at = now()
                encoded = await self._by(path, u2)
            except _FAILURES as error:
                failures.append(f"{path}: {error}")
                self._demote(path)
                continue
            if encoded is not None:
                data, media_type, size = encoded
                return Frame(data=data, media_type=media_type, size=size, rotation=rotation, taken_at=taken_at)
        raise BadFrame(
            f"the phone gives no picture ({'; '.join(failures) or 'no path'})",
            serial=self._link.serial,
            advice="See whether its screen can be captured by hand: adb exec-out screencap -p",
        )

    def _demote(self, path: Path) -> None:
        self._order.remove(path)
        self._order.append(path)

    def _by(self, path: Path, u2: U2 | None) -> Awaitable[Encoded | None]:
        match path:
            case Path.JPEG:
                return self._jpeg(u2)
            case Path.RAW:
                return self._raw()
            case Path.PNG:
                return self._png()

    async def _jpeg(self, u2: U2 | None) -> Encoded | None:
        """None without a server, and when the system refuses the picture of a protected window."""
        jpeg = await u2.jpeg(deadline=FRAME_DEADLINE) if u2 is not None and u2.alive else None
        return None if jpeg is None else (jpeg, "image/jpeg", parsers.jpeg_size(jpeg))

    async def _raw(self) -> Encoded:
        raw = parsers.raw_frame(await self._link.output(["screencap", *self._display], FRAME_DEADLINE))
        return raw.pixels, "image/x-rgba", raw.size

    async def _png(self) -> Encoded:
        data = parsers.png(await self._link.exec(["screencap", "-p", *self._display], FRAME_DEADLINE))
        return data, "image/png", parsers.png_size(data)
