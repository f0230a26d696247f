"""Fingers and keys, through the phone's server or through `input`, whichever serves this phone.

The server's taps take 0.1 s and avoid the start of a Java program per call (226 ms to 1 s on phones). But it waits
for window animations before each event, which cost 5 to 10 s on some releases; so every gesture is timed, and one
that takes SLOW seconds more than it should sends all later ones of this phone through `input`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from device.actions import DoubleTap, Drag, Key, LongPress, Pinch, PressKey, Swipe, Tap
from device.adb import commands
from device.adb.client import Link
from device.adb.typing import send_all
from device.adb.u2 import RPC_DEADLINE, U2, anything
from device.clock import Clock
from device.errors import CommandRefused
from device.geometry import Point, Size

Gesture = Tap | DoubleTap | LongPress | Swipe | Drag | Pinch | PressKey
HandedOver = Callable[[], None]
Call = tuple[str, list[object]]
"""A method of the server and its parameters."""

SLOW = 1.5
TAP_SECONDS = 0.1
BETWEEN_TAPS = 0.08
"""Seconds from lifting to touching again: a double tap needs 40 to 300 ms (android.view.ViewConfiguration)."""
STEP = 0.005
"""Seconds per step of a swipe in UiAutomator."""
DOWN, UP = 0, 1
SPREAD = 0.4
"""Distance from the centre of a pinch to each finger at its wide end, as a share of the width."""
POWER_KEYS = frozenset({Key.WAKE, Key.SLEEP})
"""Sent through `input`: a sleeping phone may have put the server to sleep as well."""


class Hands:
    """Performs gestures on one phone, each exactly once."""

    def __init__(self, link: Link, clock: Clock) -> None:
        self._link = link
        self._clock = clock
        self._u2_is_slow = False

    async def perform(self, gesture: Gesture, size: Size, u2: U2 | None, sent: HandedOver) -> str:
        """Do it; returns the path used. Raises DeviceError."""
        power = isinstance(gesture, PressKey) and gesture.key in POWER_KEYS
        needed = isinstance(gesture, Pinch)
        if u2 is None or not u2.alive or power or (self._u2_is_slow and not needed):
            seconds = duration(gesture)
            await send_all(self._link, by_input(gesture, size), sent, RPC_DEADLINE + seconds)
            return "input"
        started = self._clock.monotonic()
        for number, (method, params) in enumerate(by_automation(gesture, size)):
            if isinstance(gesture, DoubleTap) and number == 2:
                await self._clock.sleep(BETWEEN_TAPS)
            await u2.call(method, *params, deadline=RPC_DEADLINE + duration(gesture), handed_over=sent)
        if self._clock.monotonic() - started > duration(gesture) + SLOW:
            self._u2_is_slow = True
        return "uiautomator"


def duration(gesture: Gesture) -> float:
    """Seconds that the gesture itself takes."""
    match gesture:
        case LongPress() | Swipe() | Drag() | Pinch():
            return gesture.seconds
        case Tap() | DoubleTap() | PressKey():
            return TAP_SECONDS
        case _:
            assert_never(gesture)


def by_input(gesture: Gesture, size: Size) -> list[list[str]]:
    """Commands for one shell. Raises CommandRefused for two fingers."""
    match gesture:
        case Tap(at):
            return [commands.tap(at, size)]
        case DoubleTap(at):
            return [commands.tap(at, size)] * 2
        case LongPress(at, seconds):
            return [commands.long_press(at, seconds, size)]
        case Swipe(start, end, seconds):
            return [commands.swipe(start, end, seconds, size)]
        case Drag(start, end, seconds):
            return [commands.drag(start, end, seconds, size)]
        case PressKey(key):
            return [commands.key(commands.KEY_CODES[key])]
        case Pinch():
            raise CommandRefused(
                "`input` has one finger; a pinch needs UiAutomation", advice="Consent to UiAutomation for this phone."
            )
        case _:
            assert_never(gesture)


def by_automation(gesture: Gesture, size: Size) -> list[Call]:
    """Calls of the phone's server, in order. Pixels come from `commands`."""
    match gesture:
        case Tap(at):
            return [("click", [*at.to_pixel(size)])]
        case DoubleTap(at):
            x, y = at.to_pixel(size)
            return [("injectInputEvent", [event, x, y, 0]) for event in (DOWN, UP, DOWN, UP)]
        case LongPress(at, seconds):
            return [("click", [*at.to_pixel(size), round(seconds * 1000)])]
        case Swipe(start, end, seconds):
            return [("swipe", [*start.to_pixel(size), *end.to_pixel(size), _steps(seconds)])]
        case Drag(start, end, seconds):
            return [("drag", [*start.to_pixel(size), *end.to_pixel(size), _steps(seconds)])]
        case Pinch(center, scale, seconds):
            first, last = _fingers(center, scale, size)
            return [("gesture", [anything(), *first, *last, _steps(seconds)])]
        case PressKey(key):
            return [("pressKeyCode", [commands.KEY_CODES[key]])]
        case _:
            assert_never(gesture)


def _steps(seconds: float) -> int:
    return max(round(seconds / STEP), 2)


def _fingers(center: Point, scale: float, size: Size) -> tuple[list[dict[str, int]], list[dict[str, int]]]:
    """Where two fingers left and right of the centre start and end; pixels, inside the frame.

    Their distance changes by the factor `scale`, as far as the frame allows.
    """
    room = min(center.x, 1 - center.x, SPREAD)
    wide = max(room, 2 / size.width)
    narrow = wide * max(min(scale, 1 / scale), 0.05)

    def pair(half: float) -> list[dict[str, int]]:
        pixels = [Point(min(max(x, 0.0), 1.0), center.y).to_pixel(size) for x in (center.x - half, center.x + half)]
        return [{"x": x, "y": y} for x, y in pixels]

    near, far = pair(narrow), pair(wide)
    return (near, far) if scale > 1 else (far, near)
