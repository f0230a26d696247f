"""How the finger moves to show what is out of view."""

from __future__ import annotations

from device.actions import Swipe
from device.geometry import Box, Point
from perception.screen import Screen
from policies.follow.steps import Direction

# Clear of the bars, and of the edges where a swipe means back, home or notifications (24 to 48 dp of about 900).
_SAFE = Box(0.1, 0.12, 0.9, 0.88)
_MIDDLE = Box(0.1, 0.25, 0.9, 0.75)
_REACH = 0.25
_SECONDS = 0.8
"""A lifting finger flings: by the constants of Android's OverScroller half a 2400-pixel screen in 0.8 s rolls on
for about 190 pixels, so half a screen stays in view; in 0.3 s more than a screen would pass unseen."""


def swipe(finger: Direction, screen: Screen) -> Swipe:
    """The finger's way over the biggest scrollable part of the screen, or its middle: half of it long."""
    lists = [one.box for one in screen.elements if "scrollable" in one.states]
    biggest = max(lists, key=lambda box: box.area, default=_MIDDLE)
    area = biggest.intersection(_SAFE) or _MIDDLE
    x, y = area.center.x, area.center.y
    right, down = _REACH * area.width, _REACH * area.height
    if finger in (Direction.LEFT, Direction.RIGHT):
        # Pages turn only when most of the width is crossed.
        ends = Point(x + 1.6 * right, y), Point(x - 1.6 * right, y)
    else:
        ends = Point(x, y + down), Point(x, y - down)
    start, end = ends if finger in (Direction.LEFT, Direction.UP) else ends[::-1]
    return Swipe(start, end, _SECONDS)
