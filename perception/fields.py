"""Text fields found by their outline, for screens without a tree.

An outlined field is a wide, low frame drawn by a thin line; its label floats on the upper edge, which is
interrupted there, once the field holds something (Material's outlined text field).
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from device.frame import Pixels
from device.geometry import Box, Size
from perception.draft import Dp

# Lines are looked for in a copy whose shorter side has so many pixels: a line of 1 dp is then 1.3 px wide.
_LOOK_AT = 540
# Material's field is 56 dp high, dense ones 40, others up to 72; narrower than a third of a phone is a chip.
_LOW_DP, _HIGH_DP, _NARROW_DP = 38, 76, 120
# The upper edge is drawn over at least this share of the width, a floating label cuts the rest; the lower whole.
_UPPER, _LOWER = 0.3, 0.9
_CORNER_DP = 28  # half of 56: a pill
# Its sides are straight over the middle half.
_SIDE = 0.8
# Least contrast of a line, of 255: Material's outline on its surface has 50 and more, light and dark.
_EDGE = 20


Frame = tuple[int, int, int, int]


def find(pixels: Pixels, dp: Dp) -> tuple[Box, ...]:
    """Frames that look like outlined text fields, top to bottom, in an RGB picture of shape (height, width, 3)."""
    height, width = pixels.shape[:2]
    factor = min(_LOOK_AT / min(height, width), 1.0)
    small = cv2.resize(pixels, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    size = Size(small.shape[1], small.shape[0])
    grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), dtype=np.uint8)
    lines = _lines(grey, dp, size)
    upright = _drawn(grey.T)
    across, down = dp.x * size.width, dp.y * size.height
    found: list[Frame] = []
    closed: set[int] = set()
    for i, (left, top, right, drawn) in enumerate(lines):
        # The next line that ends where this one does and reaches as far left closes the frame. A label at the
        # upper line's beginning leaves only its rest.
        closing = next(
            (
                k
                for k in range(i + 1, len(lines))
                if abs(lines[k][2] - right) <= 6 * across and lines[k][0] <= left + 6 * across
            ),
            None,
        )
        if closing is None or i in closed:
            continue
        left, bottom, _, whole = lines[closing]
        wide = right - left
        if not _LOW_DP * down <= bottom - top <= _HIGH_DP * down or wide < _NARROW_DP * across:
            continue
        if drawn < _UPPER * wide or whole < _LOWER * wide:
            continue
        # The corners' curves belong to neither the horizontal nor the vertical lines.
        corner, slack = round(_CORNER_DP * across), round(2 * across)
        first = _side(upright, left - corner, left + slack, top, bottom)
        last = _side(upright, right - slack, right + corner, top, bottom)
        if first is not None and last is not None:
            found.append((first, top, last + 1, bottom))
            closed.add(closing)
    return tuple(Box.from_pixel(*frame, size) for frame in found)


def _drawn(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """1 where a pixel differs alike from what is 3 px above and 3 px below: on a line, not on the edge of a ground."""
    values = grey.astype(np.int16)
    gap = 3
    up = values - np.pad(values, ((gap, 0), (0, 0)), mode="edge")[:-gap]
    down = values - np.pad(values, ((0, gap), (0, 0)), mode="edge")[gap:]
    return np.asarray((np.minimum(np.abs(up), np.abs(down)) > _EDGE) & (np.sign(up) == np.sign(down)), dtype=np.uint8)


def _side(upright: NDArray[np.uint8], start: int, stop: int, top: int, bottom: int) -> int | None:
    """The column between `start` and `stop` where a line runs down; what lies between two dividers has none."""
    quarter = (bottom - top) // 4
    start = max(start, 0)
    band = upright[start:stop, top + quarter : bottom - quarter]
    if not band.size:
        return None
    share = band.mean(axis=1)
    return start + int(share.argmax()) if share.max() >= _SIDE else None


def _lines(grey: NDArray[np.uint8], dp: Dp, size: Size) -> list[tuple[int, int, int, int]]:
    """Thin horizontal lines as (left, y, right, pixels drawn), sorted by y.

    Pieces on one height, no further apart than a label is long, are one line.
    """
    long = max(round(16 * dp.x * size.width), 3)
    drawn = cv2.morphologyEx(_drawn(grey), cv2.MORPH_OPEN, np.ones((1, long), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(drawn, connectivity=8)
    pieces = []
    for i in range(1, count):
        left, top, width, height, _ = (int(v) for v in stats[i])
        if height <= 4:
            pieces.append((top + height // 2, left, left + width, width))
    return _joined(sorted(pieces), round(200 * dp.x * size.width))


def _joined(pieces: list[tuple[int, int, int, int]], reach: int) -> list[tuple[int, int, int, int]]:
    out: list[tuple[int, int, int, int]] = []
    for y, left, right, drawn in pieces:
        for i, (l, line_y, r, d) in enumerate(out):
            if abs(line_y - y) <= 1 and max(left, l) - min(right, r) <= reach:
                out[i] = (min(l, left), line_y, max(r, right), d + drawn)
                break
        else:
            out.append((left, y, right, drawn))
    return sorted(out, key=lambda line: line[1])
