"""Fingers and keys, through the phone's server or through `input`, whichever serves this phone.

The server's taps take 0.1 s and avoid the start of a Java program per call (226 ms to 1 s on phones). But it waits
for window animations before each event, which cost 5 to 10 s on some releases; so every gesture is timed, and one
that takes SLOW seconds more than it should sends all later ones of this phone through `input`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import assert_never

from device.actions import DoubleTap, Drag, LongPress, Pinch, PressKey, Swipe, Tap
from device.adb import commands
from device.adb.client import Link
from device.adb.typing import send
from device.adb.u2 import RPC_DEADLINE, U2
from device.clock import Clock
from device.errors import CommandRefused
from device.geometry import Point, Size

Gesture = Tap | DoubleTap | LongPress | Swipe | Drag | Pinch | PressKey
HandedOver = Callable[[], None]

SLOW = 1.5
STEP = 0.005
"""Seconds per step of a swipe in UiAutomator."""
DOWN, UP = 0, 1
FINGERS_APART = 0.15
"""Half the distance between the fingers of a pinch at its narrow end, as a share of the width."""


class Hands:
    """Performs gestures on one phone, each exactly once."""

    def __init__(self, link: Link, clock: Clock) -> None:
        self._link = link
        self._clock = clock
        self._u2_is_slow = False

    async def perform(self, gesture: Gesture, size: Size, u2: U2 | None, handed_over: HandedOver) -> str:
        """Do it; returns the path used. Raises DeviceError."""
        if u2 is None or not u2.alive or self._u2_is_slow or isinstance(gesture, PressKey):
            await self._by_input(gesture, size, handed_over)
            return "input"
        started = self._clock.monotonic()
        expected = await self._by_automation(gesture, size, u2, handed_over)
        self._u2_is_slow = self._clock.monotonic() - started > expected + SLOW
        return "uiautomator"

    async def _by_input(self, gesture: Gesture, size: Size, handed_over: HandedOver) -> None:
        deadline = RPC_DEADLINE
        match gesture:
            case Tap(at):
                argv = commands.tap(at, size)
            case DoubleTap(at):
                # One command line, so that both taps fall within the time that a double tap may take.
                await send(self._link, commands.tap(at, size), handed_over)
                argv = commands.tap(at, size)
            case LongPress(at, seconds):
                argv, deadline = commands.long_press(at, seconds, size), deadline + seconds
            case Swipe(start, end, seconds):
                argv, deadline = commands.swipe(start, end, seconds, size), deadline + seconds
            case Drag(start, end, seconds):
                argv, deadline = commands.drag(start, end, seconds, size), deadline + seconds
            case PressKey(key):
                argv = commands.key(commands.KEY_CODES[key])
            case Pinch():
                raise CommandRefused(
                    "`input` has one finger; a pinch needs UiAutomation",
                    serial=self._link.serial,
                    advice="Consent to UiAutomation for this phone.",
                )
            case _:
                assert_never(gesture)
        await send(self._link, argv, handed_over, deadline)

    async def _by_automation(self, gesture: Gesture, size: Size, u2: U2, handed_over: HandedOver) -> float:
        """Returns the seconds that the gesture itself takes."""

        async def call(method: str, *params: object, seconds: float = 0.1) -> float:
            await u2.call(method, *params, deadline=RPC_DEADLINE + seconds, handed_over=handed_over)
            return seconds

        match gesture:
            case Tap(at):
                return await call("click", *at.to_pixel(size))
            case DoubleTap(at):
                return await _double_tap(call, *at.to_pixel(size))
            case LongPress(at, seconds):
                return await call("click", *at.to_pixel(size), round(seconds * 1000), seconds=seconds)
            case Swipe(start, end, seconds):
                return await call(
                    "swipe", *start.to_pixel(size), *end.to_pixel(size), max(round(seconds / STEP), 2), seconds=seconds
                )
            case Drag(start, end, seconds):
                return await call(
                    "drag", *start.to_pixel(size), *end.to_pixel(size), max(round(seconds / STEP), 2), seconds=seconds
                )
            case Pinch(center, scale, seconds):
                near, far = _fingers(center, min(scale, 1 / scale) if scale > 0 else 0.1, size)
                first, last = (near, far) if scale > 1 else (far, near)
                whole = {"mask": 0x800000, "childOrSibling": [], "childOrSiblingSelector": [], "index": 0}
                steps = max(round(seconds / STEP), 2)
                return await call("gesture", whole, *first, *last, steps, seconds=seconds)
            case PressKey(key):
                return await call("pressKeyCode", commands.KEY_CODES[key])
            case _:
                assert_never(gesture)


async def _double_tap(call: Callable[..., Awaitable[float]], x: int, y: int) -> float:
    for event in (DOWN, UP, DOWN, UP):
        await call("injectInputEvent", event, x, y, 0)
    return 0.1


def _fingers(center: Point, ratio: float, size: Size) -> tuple[list[dict[str, int]], list[dict[str, int]]]:
    """Two fingers left and right of the centre: near together, and far apart; pixels, inside the frame."""

    def pair(half: float) -> list[dict[str, int]]:
        ends = (max(center.x - half, 0.02), min(center.x + half, 0.98))
        pixels = [Point(x, center.y).to_pixel(size) for x in ends]
        return [{"x": x, "y": y} for x, y in pixels]

    wide = min(FINGERS_APART / max(ratio, 0.1), 0.45)
    return pair(wide * max(ratio, 0.1)), pair(wide)
