"""Pictures of the screen, by the quickest path that this phone offers.

On a phone, PNG encoding dominates: JPEG from uiautomator2's server is 5 to 20 times smaller and quicker, raw comes
next on fast links, PNG always works. The paths are timed when the phone is opened. A picture that breaks off is read
again; a path that fails or is found to lie comes last for a while. A phone with several displays is asked for the one
that is on: which that is changes when it is folded.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from enum import StrEnum

from device.adb import parsers
from device.adb.client import Link
from device.adb.connection import Deadline
from device.adb.u2 import FRAME_DEADLINE, U2
from device.clock import Clock
from device.errors import AutomationDied, BadFrame, CommandRefused, DeadlineExceeded
from device.frame import Frame, MediaType
from device.geometry import Size

LOSSLESS_GAIN = 2.0
"""How much quicker a lossless path must be to be preferred: its frames are 5 to 25 times larger for all after us."""
FORGIVEN = 30.0
"""Seconds until a path that failed is tried first again: the pause between attempts to start the phone's server."""
READS = 2
"""Times a picture that breaks off is read on one path."""
ALL_PATHS = 1.5
"""Deadlines for one frame on all paths together: a slow path may use up its own, and leaves time for another."""


class Path(StrEnum):
    """A way to get a picture."""

    JPEG = "jpeg"
    RAW = "raw"
    PNG = "png"


MEDIA: Mapping[MediaType, Path] = {"image/jpeg": Path.JPEG, "image/x-rgba": Path.RAW, "image/png": Path.PNG}
Encoded = tuple[bytes, MediaType, Size]
_FAILURES = (BadFrame, CommandRefused, AutomationDied, DeadlineExceeded)
"""What speaks against a path; a broken link speaks against all of them and is passed on."""
INFINITE = float("inf")


def preference(seconds: Mapping[Path, float]) -> list[Path]:
    """The paths, the best first, by how long each takes; infinite for one that gives nothing."""
    lossless = sorted((Path.RAW, Path.PNG), key=lambda path: seconds.get(path, INFINITE))
    if seconds.get(lossless[0], INFINITE) * LOSSLESS_GAIN < seconds.get(Path.JPEG, INFINITE):
        return [*lossless, Path.JPEG]
    return [Path.JPEG, *lossless]


class Capture:
    """Takes frames of one phone. The server for JPEG is passed with each call: it may come and go."""

    def __init__(self, link: Link, clock: Clock) -> None:
        self._link = link
        self._clock = clock
        self._order = list(Path)
        self._doubted: dict[Path, float] = {}
        self._displays: tuple[str, ...] = ()
        self._display = ""
        self.deadline = FRAME_DEADLINE
        """Seconds for one picture on one path."""
        self.seconds: Mapping[Path, float] = {}
        """What each path took when it was measured; infinite for one that gave nothing."""

    @property
    def several_displays(self) -> bool:
        return len(self._displays) > 1

    async def measure(self, u2: U2 | None) -> None:
        """Time the paths and put the best one first. Raises LinkLost."""
        self._doubted.clear()
        self._displays = parsers.display_ids(
            (await self._link.shell(["dumpsys", "SurfaceFlinger", "--display-id"])).text
        )
        if self.several_displays:
            self.show(parsers.default_display((await self._link.shell(["dumpsys", "display"])).text))
        self.seconds = {path: await self._timed(path, u2) for path in Path}
        self._order = preference(self.seconds)

    def show(self, display: str | None) -> bool:
        """Take the pictures of that physical display from now on; whether it is another one than before."""
        chosen = display if display in self._displays else next(iter(self._displays), "")
        before, self._display = self._display, chosen or ""
        return self.several_displays and bool(before) and before != self._display

    async def _timed(self, path: Path, u2: U2 | None) -> float:
        """Seconds for a picture, infinite when there is none; the least of two, for the first may pay for starting.

        PNG, which may take two seconds, is asked once.
        """
        seconds = INFINITE
        try:
            for _ in range(1 if path is Path.PNG else 2):
                started = self._clock.monotonic()
                if await self._by(path, u2, self.deadline) is None:
                    return INFINITE
                seconds = min(seconds, self._clock.monotonic() - started)
        except _FAILURES:
            return INFINITE
        return seconds

    async def frame(
        self, u2: U2 | None, rotation: int, now: Callable[[], datetime], *, but: Path | None = None
    ) -> Frame:
        """One frame; its size is the picture's own. Not by the path `but`.

        Raises BadFrame when no path gives one, DeadlineExceeded when all are too slow, LinkLost.
        """
        failures: list[tuple[Path, Exception]] = []
        until = Deadline.after(ALL_PATHS * self.deadline)
        for path in [one for one in self._by_trust() if one is not but]:
            if until.left <= 0:
                break
            try:
                taken_at = now()
                encoded = await self._read(path, u2, min(self.deadline, until.left))
            except _FAILURES as error:
                failures.append((path, error))
                self.doubt(path)
                continue
            if encoded is not None:
                data, media_type, size = encoded
                return Frame(data=data, media_type=media_type, size=size, rotation=rotation, taken_at=taken_at)
        words = "; ".join(f"{path}: {error}" for path, error in failures) or "no path"
        late = failures and all(isinstance(error, DeadlineExceeded) for _, error in failures)
        kind = DeadlineExceeded if late else BadFrame
        raise kind(f"the phone gives no picture ({words})", serial=self._link.serial, advice=BadFrame.mending)

    def _by_trust(self) -> list[Path]:
        """By preference; those in doubt last, the latest of them at the end."""
        now = self._clock.monotonic()

        def doubted(path: Path) -> float:
            until = self._doubted.get(path, now)
            return until if until > now else 0.0

        return sorted(self._order, key=doubted)

    def doubt(self, path: Path) -> None:
        """Put a path behind the others for a while."""
        self._doubted[path] = self._clock.monotonic() + FORGIVEN

    async def _read(self, path: Path, u2: U2 | None, seconds: float) -> Encoded | None:
        """As `_by`; a picture that breaks off is read again."""
        for left in reversed(range(READS)):
            try:
                return await self._by(path, u2, seconds)
            except BadFrame:
                if not left:
                    raise
        raise AssertionError("the last read returns or raises")

    def _by(self, path: Path, u2: U2 | None, seconds: float) -> Awaitable[Encoded | None]:
        match path:
            case Path.JPEG:
                return self._jpeg(u2, seconds)
            case Path.RAW:
                return self._raw(seconds)
            case Path.PNG:
                return self._png(seconds)

    async def _jpeg(self, u2: U2 | None, seconds: float) -> Encoded | None:
        """None without a server, and when the system refuses the picture of a protected window."""
        jpeg = await u2.jpeg(deadline=seconds) if u2 is not None and u2.alive else None
        return None if jpeg is None else (parsers.jpeg(jpeg), "image/jpeg", parsers.jpeg_size(jpeg))

    async def _raw(self, seconds: float) -> Encoded:
        raw = parsers.raw_frame(await self._link.output(["screencap", *self._chosen()], seconds))
        return raw.pixels, "image/x-rgba", raw.size

    async def _png(self, seconds: float) -> Encoded:
        data = parsers.png(await self._link.exec(["screencap", "-p", *self._chosen()], seconds))
        return data, "image/png", parsers.png_size(data)

    def _chosen(self) -> tuple[str, ...]:
        # Without a display a phone with several prints a warning into the picture.
        return ("-d", self._display) if self.several_displays else ()
