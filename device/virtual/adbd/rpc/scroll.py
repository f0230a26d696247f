"""Scrolling an element as uiautomator does: a swipe within it, then a look whether anything moved.

Source: AOSP androidx.test.uiautomator UiScrollable (dead zone of a tenth at either end, fling in 5 steps).
Where the real one asks the view whether its end is reached, this one sees that the content stood still.
"""

from __future__ import annotations

from collections.abc import Callable

from device.virtual.adbd.rpc.device import STEP_MS
from device.virtual.adbd.rpc.errors import invalid_params
from device.virtual.adbd.rpc.method import Automation, Method, Params
from device.virtual.adbd.rpc.selector import find, walk
from device.virtual.phone import VirtualPhone
from device.virtual.ui.a11y import A11yNode

DEAD_ZONE = 0.1
FLING_STEPS, SCROLL_STEPS = 5, 55
MAX_SEARCH_SWIPES = 30
SETTLE_SECONDS = 3.0
"""No fling lasts longer."""


async def scroll_once(server: Automation, value: object, vertical: bool, forward: bool, steps: float) -> bool:
    """Swipe once; whether the content moved."""
    node = await server.element(value)
    left, top, right, bottom = node.bounds
    x, y = (left + right) // 2, (top + bottom) // 2
    margin_x, margin_y = int((right - left) * DEAD_ZONE), int((bottom - top) * DEAD_ZONE)
    ends = [(x, bottom - margin_y), (x, top + margin_y)] if vertical else [(right - margin_x, y), (left + margin_x, y)]
    points = ends if forward else ends[::-1]
    selector = server.target(value)
    before = content(node)
    await server.gesture(lambda hand: hand.swipe(points, max(steps, 1) * STEP_MS))
    await server.host.until(lambda phone: not phone.animating, SETTLE_SECONDS)
    after = await server.host.run(lambda phone: find(server.windows(phone), selector))
    return after is not None and content(after) != before


def content(node: A11yNode) -> tuple[object, ...]:
    """What an element shows and where: equal content, nothing moved."""
    return tuple((inner.cls, inner.text, inner.desc, inner.bounds) for inner in walk(node))


async def scroll_until(server: Automation, value: object, reached: Callable[[VirtualPhone], bool]) -> bool:
    """From the beginning on, scroll forward until the condition holds; whether it did."""
    if await server.host.run(reached):
        return True
    for forward in (False, True):
        for _ in range(MAX_SEARCH_SWIPES):
            if not await scroll_once(server, value, True, forward, SCROLL_STEPS):
                break
            if await server.host.run(reached):
                return True
    return False


def _once(name: str, forward: bool, steps: int | None = None) -> Method:
    async def run(server: Automation, params: Params) -> bool:
        if len(params) not in (2, 3):
            raise invalid_params(name)
        speed = float(params[2]) if steps is None and len(params) == 3 else float(steps or SCROLL_STEPS)
        return await scroll_once(server, params[0], bool(params[1]), forward, speed)

    return run


def _to_end(name: str, forward: bool, steps: int | None = None) -> Method:
    """(element, vertical, most swipes[, steps]); like the real one it ends with true."""

    async def run(server: Automation, params: Params) -> bool:
        if len(params) not in (3, 4):
            raise invalid_params(name)
        speed = float(params[3]) if len(params) == 4 and steps is None else float(steps or SCROLL_STEPS)
        for _ in range(int(params[2])):
            if not await scroll_once(server, params[0], bool(params[1]), forward, speed):
                break
        return True

    return run


async def scroll_to(server: Automation, params: Params) -> bool:
    if len(params) != 3:
        raise invalid_params("scrollTo")
    await server.element(params[0])
    wanted = server.target(params[1])
    return await scroll_until(server, params[0], lambda phone: find(server.windows(phone), wanted) is not None)


METHODS: dict[str, Method] = {
    "scrollForward": _once("scrollForward", True),
    "scrollBackward": _once("scrollBackward", False),
    "flingForward": _once("flingForward", True, FLING_STEPS),
    "flingBackward": _once("flingBackward", False, FLING_STEPS),
    "scrollToEnd": _to_end("scrollToEnd", True),
    "scrollToBeginning": _to_end("scrollToBeginning", False),
    "flingToEnd": _to_end("flingToEnd", True, FLING_STEPS),
    "flingToBeginning": _to_end("flingToBeginning", False, FLING_STEPS),
    "scrollTo": scroll_to,
}
