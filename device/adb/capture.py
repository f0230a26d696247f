"""Pictures of the screen, by the quickest path that this phone offers.

On a phone, PNG encoding dominates: JPEG from uiautomator2's server is 5 to 20 times smaller and quicker, raw comes
next on fast links. So: JPEG, raw, PNG; a path that fails is left out from then on.
"""

from __future__ import annotations

from datetime import datetime

from device.adb import parsers
from device.adb.client import Link
from device.adb.u2 import U2
from device.errors import BadFrame
from device.frame import Frame, MediaType
from device.geometry import Size

FRAME_DEADLINE = 8.0


class Capture:
    """Takes frames of one phone. `u2` is the running server, or None."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._raw_fails = False

    async def frame(self, u2: U2 | None, rotation: int, now: datetime) -> Frame:
        """One frame; size from the picture itself. Raises DeviceError when no path gives a picture."""
        if u2 is not None and u2.alive:
            jpeg = await u2.jpeg(deadline=FRAME_DEADLINE)
            if jpeg is not None:
                return _frame(jpeg, "image/jpeg", parsers.jpeg_size(jpeg), rotation, now)
        if not self._raw_fails:
            try:
                raw = parsers.raw_frame(await self._link.exec(["screencap"], FRAME_DEADLINE))
                return _frame(raw.pixels, "image/x-rgba", raw.size, rotation, now)
            except BadFrame:
                # Some phones print a warning first, some a format of their own: PNG names its own beginning.
                self._raw_fails = True
        data = parsers.png(await self._link.exec(["screencap", "-p"], FRAME_DEADLINE))
        return _frame(data, "image/png", parsers.png_size(data), rotation, now)


def _frame(data: bytes, media_type: MediaType, size: Size, rotation: int, now: datetime) -> Frame:
    return Frame(data=data, media_type=media_type, size=size, rotation=rotation, taken_at=now)
