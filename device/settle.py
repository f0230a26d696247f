"""When a screen counts as still, and what counts as a change of it.

The rule: two consecutive pairs of samples that differ in less than 0.1 % of the pixels. It and its numbers were
measured on phones by the quern project (real scrolls settle in about 1.1 s; a fixed sleep of 0.2 s lost 4 of 5
inputs), and are never loosened for speed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from device.clock import Clock
from device.errors import BadFrame
from device.frame import Foreground, Frame

Thumbnail = NDArray[np.uint8]
Mask = NDArray[np.bool_]

FIRST_LOOK = 0.12
"""Seconds between an act and the first sample: a phone needs them to begin to move."""
INTERVAL = 0.1
"""Seconds between samples; the rule allows 0.1 to 0.25."""
QUIET_PAIRS = 2
LEAST_PAIRS = 4
"""Pairs that are looked at whatever the bound: a phone whose pictures take a second would never seem to rest."""
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
REMEMBERED = 16
"""Restless screens that are known again: about as many as somebody goes to and fro between."""
ALIKE = 0.02
"""Share of the pixels outside of what moved that may differ when a screen is met again: a badge, a caret."""
LATE = 1.0
"""Seconds after an act before "nothing changed" is believed: a phone under load begins to move late. Maestro, too,
waits up to a second after a tap."""
DARK_ROWS = 1 / 3
"""Share of the rows without any light from which a picture is doubted: so much of a page has words in any theme."""


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


def _traces(before: Thumbnail, after: Thumbnail) -> Mask:
    """Which pixels differ below the status strip, in the shape of the pictures. Their sizes are equal."""
    top = round(after.shape[0] * STATUS_STRIP)
    traces = cv2.absdiff(before, after) > TOLERANCE
    traces[:top] = False
    return traces


def _caret(traces: Mask) -> bool:
    """Whether all traces lie where one blinking caret can leave them."""
    rows, columns = np.nonzero(traces)
    if not rows.size:
        return True
    return int(np.ptp(columns)) < CARET[0] and int(np.ptp(rows)) < CARET[1]


def difference(before: Thumbnail, after: Thumbnail) -> float:
    """Share of the pixels that differ, 0 to 1; 1 when the sizes do."""
    if before.shape != after.shape:
        return 1.0
    return float(np.count_nonzero(_traces(before, after)) / after.size)


def quiet(before: Thumbnail, after: Thumbnail) -> bool:
    """Whether a pair stands still: nearly no pixel differs, or only a caret blinks, however small the screen."""
    if before.shape != after.shape:
        return False
    traces = _traces(before, after)
    return bool(np.count_nonzero(traces) < QUIET * after.size) or _caret(traces)


def changed(before: Thumbnail, after: Thumbnail) -> bool:
    """Whether an act left a trace, however small; a caret that blinks is none."""
    if before.shape != after.shape:
        return True
    traces = _traces(before, after)
    return bool(np.count_nonzero(traces) >= TOUCHED) and not _caret(traces)


def _between_bars(grey: Thumbnail) -> Thumbnail:
    height = grey.shape[0]
    return grey[round(height * STATUS_STRIP) : height - round(height * BOTTOM_STRIP)]


def black(grey: Thumbnail) -> bool:
    """A protected window arrives as a valid picture without any light between the system bars."""
    between = _between_bars(grey)
    return between.size > 0 and int(between.max()) < DARK


def dark_rows(grey: Thumbnail) -> float:
    """Share of the rows between the system bars without any light, 0 to 1: what is not drawn, or protected."""
    between = _between_bars(grey)
    return float(np.count_nonzero(between.max(axis=1) < DARK) / len(between)) if between.size else 0.0


@dataclass(frozen=True)
class Settled:
    """The last sample, whether it belongs to a screen that stands still, and how much moved in the last pair.

    `moved` marks every pixel that differed in any pair.
    """

    frame: Frame
    grey: Thumbnail
    stable: bool
    moving: float = 0.0
    moved: Mask | None = field(default=None, repr=False)


async def settle(
    capture: Callable[[], Awaitable[Frame]],
    clock: Clock,
    bound: float,
    *,
    first: Frame | None = None,
    quiet_pairs: int = QUIET_PAIRS,
) -> Settled:
    """Sample until two consecutive pairs are quiet, for at most `bound` seconds and one capture, or LEAST_PAIRS.

    At the bound the answer is `stable=False`, not an error. `first` counts as the first sample. A caller who takes
    the last sample of the last pair asks for fewer `quiet_pairs`.
    """
    until = clock.monotonic() + bound
    frame = first or await capture()
    grey, pairs, seen, moving = thumbnail(frame), 0, 0, 1.0
    moved: Mask | None = None
    while pairs < quiet_pairs:
        if clock.monotonic() >= until and seen >= LEAST_PAIRS:
            return Settled(frame, grey, False, moving, moved)
        await clock.sleep(INTERVAL)
        frame = await capture()
        last, grey = grey, thumbnail(frame)
        moving, seen = difference(last, grey), seen + 1
        pairs = pairs + 1 if quiet(last, grey) else 0
        if last.shape == grey.shape:
            traces = _traces(last, grey)
            moved = traces if moved is None or moved.shape != traces.shape else moved | traces
        else:
            moved = None
    return Settled(frame, grey, True, moving, moved)


async def first_move(
    capture: Callable[[], Awaitable[Frame]], clock: Clock, before: Thumbnail, until: float
) -> Frame | None:
    """The first sample that differs from `before`; None when there is none until that moment of the clock."""
    while clock.monotonic() < until:
        await clock.sleep(INTERVAL)
        frame = await capture()
        if changed(before, thumbnail(frame)):
            return frame
    return None


@dataclass(frozen=True, eq=False)
class _Restless:
    """A screen that does not stand still: who was in front, one picture of it, and what moved."""

    front: Foreground
    grey: Thumbnail
    moved: Mask

    def met_again(self, front: Foreground, grey: Thumbnail) -> bool:
        if front != self.front or grey.shape != self.grey.shape:
            return False
        traces = _traces(self.grey, grey) & ~self.moved
        return float(np.count_nonzero(traces) / traces.size) < ALIKE


class RestlessScreens:
    """Those that did not settle, known again by their window and by what stands still on them.

    Where the whole screen moves (a film, a game) the window alone decides.
    """

    def __init__(self) -> None:
        self._known: deque[_Restless] = deque(maxlen=REMEMBERED)

    def __bool__(self) -> bool:
        return bool(self._known)

    def bound(self, front: Foreground, grey: Thumbnail, otherwise: float) -> float:
        """How long to wait for this screen."""
        known = any(one.met_again(front, grey) for one in self._known)
        return min(RESTLESS_BOUND, otherwise) if known else otherwise

    def learn(self, front: Foreground, seen: Settled) -> None:
        """Remember a screen that moved to the end of its bound; forget one that has come to rest."""
        known = [one for one in self._known if one.met_again(front, seen.grey)]
        if seen.stable:
            for one in known:
                self._known.remove(one)
        elif seen.moved is not None:
            moved = seen.moved
            for one in known:
                # What moved at an earlier visit may rest now, and be at work the next time.
                moved = moved | one.moved
                self._known.remove(one)
            self._known.append(_Restless(front, seen.grey, moved))
