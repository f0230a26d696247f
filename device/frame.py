"""One picture of a phone's screen, with what was known about the screen at that moment."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from device.errors import BadFrame
from device.geometry import Size

Pixels = NDArray[np.uint8]
MediaType = Literal["image/jpeg", "image/png", "image/x-rgba"]


@dataclass(frozen=True, slots=True)
class Foreground:
    """Who owns the focus: a package and its activity, or a system window's title in `window`."""

    package: str = ""
    activity: str = ""
    window: str = ""


@dataclass(frozen=True)
class Frame:
    """Encoded bytes as they came, decoded only when somebody looks.

    `size` is the rotated size in pixels; `rotation` counts quarter turns, 0 to 3. `image/x-rgba` bytes are
    rows of R, G, B, A from the top left.
    """

    data: bytes = field(repr=False)
    media_type: MediaType
    size: Size
    rotation: int
    taken_at: datetime
    foreground: Foreground = Foreground()
    keyboard: bool | None = None
    secure: bool = False

    @cached_property
    def sha256(self) -> str:
        """Hex digest of the encoded bytes: the frame's name in the store."""
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def pixels(self) -> Pixels:
        """Shape (height, width, 3), uint8, RGB. Raises BadFrame when the bytes are no picture."""
        return decode(self.data, self.media_type, self.size)


def decode(data: bytes, media_type: MediaType, size: Size | None = None) -> Pixels:
    """RGB pixels, shape (height, width, 3), uint8.

    `size` is required for raw RGBA and otherwise ignored. Raises BadFrame when the bytes are no picture.
    """
    if media_type == "image/x-rgba":
        if size is None or len(data) != size.width * size.height * 4:
            raise BadFrame(f"a raw frame of {size} has {len(data)} bytes")
        rgba = np.frombuffer(data, np.uint8).reshape(size.height, size.width, 4)
        return np.ascontiguousarray(rgba[:, :, :3])
    bgr = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    if bgr is None:
        raise BadFrame(f"{len(data)} bytes of {media_type} are not a picture that can be read")
    return np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB), dtype=np.uint8)
