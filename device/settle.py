"""When a screen counts as still, and what counts as a change of it.

The rule: two consecutive pairs of samples that differ in less than 0.1 % of the pixels. It and its numbers were
measured on phones by the quern project (real scrolls settle in about 1.1 s; a fixed sleep of 0.2 s lost 4 of 5
inputs), and are never loosened for speed.
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
"""Seconds between samples; the rule allows 0.1 to 0.25."""
QUIET_PAIRS = 2
QUIET = 0.001
"""Share of the pixels that may differ in a quiet pair."""
REDUCTION = 8
"""A thumbnail's pixel is this many of the frame's on each side: JPEG decodes to an eighth four times faster."""
TOLERANCE = 12
"""Grey levels that JPEG noise alone can change in a thumbnail."""
STATUS_STRIP = 0.035
"""Share of the height: 24 dp of a 780 dp screen and a bit; the clock ticks there."""
BOTTOM_STRIP = 0.06
"""Share of the height: the 48 dp of three navigation buttons, drawn also beside a protected window."""
TOUCHED = 4
"""Pixels of the thumbnail: the least that counts as a change, about one letter."""
CARET = (2, 12)
"""Width and height in a thumbnail of what a blinking caret can touch: 2 dp by 30 dp at 3 px per dp."""
DARK = 8
"""Grey levels below which nothing is shown."""

DEFAULT_BOUND, LAUNCH_BOUND, TYPING_BOUND = 2.5, 8.0, 1.0
"""Seconds until a screen that never stands still is taken as it is."""
RESTLESS_BOUND = 0.6
"""The bound for a screen that did not settle the last time: a video costs the full bound once."""


def thumbnail(frame: Frame) -> Thumbnail:
    """Grey copy at an eighth of each side, rounded up; uint8, shape (height, width). Raises BadFrame."""
    if frame.media_type == "image/x-rgba":
        width, height = frame.size.width, frame.size.height
        if len(frame.data) != width * height * 4:
            raise BadFrame(f"a raw frame of {frame.size} has {len(frame.data)} bytes")
        rows = np.frombuffer(frame.data, np.uint8).reshape(height, width, 4)
        small = cv2.resize(rows, (-(-width // REDUCTION), -(-height // REDUCTION)), interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.cvtColor(small, cv2.COLOR_RGBA2GRAY), dtype=np.uint8)
    encoded = np.frombuffer(frame.data, np.uint8)
    grey = cv2.imdecode(encoded, cv2.IMREAD_REDUCED_GRAYSCALE_8) if len(encoded) else None
    if grey is None:
        raise BadFrame(f"{len(frame.data)} bytes of {frame.media_type} are not a picture that can be read")
    return np.asarray(grey, dtype=np.uint8)


def _traces(before: Thumbnail, after: Thumbnail) -> NDArray[np.bool_]:
    """Which pixels differ below the status strip. The sizes are equal."""
    top = round(after.shape[0] * STATUS_STRIP)
    return cv2.absdiff(before[top:], after[top:]) > TOLERANCE


def difference(before: Thumbnail, after: Thumbnail) -> float:
    """Share of the pixels that differ, 0 to 1; 1 when the sizes do."""
    if before.shape != after.shape:
        return 1.0
    return float(np.count_nonzero(_traces(before, after)) / after.size)


def quiet(before: Thumbnail, after: Thumbnail) -> bool:
    return difference(before, after) < QUIET


def changed(before: Thumbnail, after: Thumbnail) -> bool:
    """Whether an act left a trace, however small; a caret that blinks is none."""
    if before.shape != after.shape:
        return True
    rows, columns = np.nonzero(_traces(before, after))
    if rows.size < TOUCHED:
        return False
    width, height = int(np.ptp(columns)) + 1, int(np.ptp(rows)) + 1
    return width > CARET[0] or height > CARET[1]


def black(grey: Thumbnail) -> bool:
    """A protected window arrives as a valid picture without any light between the system bars."""
    height = grey.shape[0]
    between = grey[round(height * STATUS_STRIP) : height - round(height * BOTTOM_STRIP)]
    return between.size > 0 and int(between.max()) < DARK


@dataclass(frozen=True)
class Settled:
    """The last sample, whether it belongs to a screen that stands still, and how much moved in the last pair."""

    frame: Frame
    grey: Thumbnail
    stable: bool
    moving: float = 0.0


async def settle(
    capture: Callable[[], Awaitable[Frame]], clock: Clock, bound: float, *, first: Frame | None = None
) -> Settled:
    """Sample until two consecutive pairs are quiet, for at most `bound` seconds and one capture.

    At the bound the answer is `stable=False`, not an error. `first` counts as the first sample.
    """
    until = clock.monotonic() + bound
    frame = first or await capture()
    grey, pairs, moving = thumbnail(frame), 0, 1.0
    while pairs < QUIET_PAIRS:
        if clock.monotonic() >= until:
            return Settled(frame, grey, False, moving)
        await clock.sleep(INTERVAL)
        frame = await capture()
        last, grey = grey, thumbnail(frame)
        moving = difference(last, grey)
        pairs = pairs + 1 if moving < QUIET else 0
    return Settled(frame, grey, True, moving)
