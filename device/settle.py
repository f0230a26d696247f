"""When a screen counts as still: two consecutive pairs of samples that hardly differ.

The rule and its numbers were measured on phones (0.1 % of pixels, two quiet pairs; real scrolls settle in about
1.1 s; a fixed sleep of 0.2 s lost 4 of 5 inputs), and are never loosened for speed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from device.clock import Clock
from device.errors import BadFrame
from device.frame import Frame

Thumbnail = NDArray[np.uint8]

FIRST_LOOK = 0.12
"""Seconds between an act and the first sample: a phone needs them to begin to move."""
INTERVAL = 0.1
QUIET_PAIRS = 2
QUIET = 0.001
"""Share of pixels that may differ in a quiet pair."""
TOLERANCE = 12
"""Grey levels: what JPEG noise alone can change at an eighth of the size."""
STATUS_STRIP = 0.035
"""Share of the height: 24 dp of a 780 dp screen and a bit; the clock ticks there."""
TOUCHED = 4
"""Pixels of the thumbnail: the least that counts as a change, about one letter."""

DEFAULT_BOUND, LAUNCH_BOUND, TYPING_BOUND = 2.5, 8.0, 1.0


def thumbnail(frame: Frame) -> Thumbnail:
    """Grey copy at an eighth of each side, uint8, shape (height/8, width/8). Raises BadFrame."""
    if frame.media_type == "image/x-rgba":
        rows = np.frombuffer(frame.data, np.uint8).reshape(frame.size.height, frame.size.width, 4)
        # Green carries most of the luminance, and a strided view costs no conversion of the whole frame.
        return np.ascontiguousarray(rows[4::8, 4::8, 1])
    grey = cv2.imdecode(np.frombuffer(frame.data, np.uint8), cv2.IMREAD_REDUCED_GRAYSCALE_8)
    if grey is None:
        raise BadFrame(f"{len(frame.data)} bytes of {frame.media_type} are not a picture that can be read")
    return np.asarray(grey, dtype=np.uint8)


def differing(before: Thumbnail, after: Thumbnail) -> int:
    """How many pixels differ, below the status strip; all of them when the sizes do."""
    if before.shape != after.shape:
        return int(after.size)
    top = int(after.shape[0] * STATUS_STRIP)
    gap = cv2.absdiff(before[top:], after[top:])
    return int(np.count_nonzero(gap > TOLERANCE))


def quiet(before: Thumbnail, after: Thumbnail) -> bool:
    return differing(before, after) < after.size * QUIET


def changed(before: Thumbnail, after: Thumbnail) -> bool:
    """Whether an act left a trace, however small."""
    return differing(before, after) >= TOUCHED


def black(grey: Thumbnail) -> bool:
    """A protected window arrives as a valid picture without any light in it."""
    return int(grey.max()) < 8


@dataclass(frozen=True)
class Settled:
    """The last sample, and whether it belongs to a screen that stands still."""

    frame: Frame
    grey: Thumbnail
    stable: bool


async def settle(
    capture: Callable[[], Awaitable[Frame]], clock: Clock, bound: float, *, first: Frame | None = None
) -> Settled:
    """Sample until two consecutive pairs are quiet, for at most `bound` seconds.

    At the bound the answer is `stable=False`, not an error. `first` counts as the first sample.
    """
    until = clock.monotonic() + bound
    frame = first or await capture()
    grey, pairs = thumbnail(frame), 0
    while pairs < QUIET_PAIRS:
        if clock.monotonic() >= until:
            return Settled(frame, grey, False)
        await clock.sleep(INTERVAL)
        frame = await capture()
        last, grey = grey, thumbnail(frame)
        pairs = pairs + 1 if quiet(last, grey) else 0
    return Settled(frame, grey, True)
