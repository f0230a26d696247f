"""Fingers and keys, through the phone's server or through `input`, whichever serves this phone.

The server's taps take 0.1 s and avoid the start of a Java program per call (226 ms to 1 s on phones). But it waits
for window animations before each event, which cost 5 to 10 s on some releases; so every gesture is timed, and a way
that takes SLOW seconds more than it should comes last from then on. A gesture is tried the other way only when the
first certainly has not touched the phone: it was refused, or the server had ended before it was asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from device.actions import DoubleTap, Drag, Key, LongPress, Pinch, PressKey, Swipe, Tap
from device.adb import commands, fingers, parsers, probe, tree
from device.adb.client import Link
from device.adb.fingers import Touch, Way
from device.adb.goal import Landed
from device.adb.typing import send, send_all
from device.adb.u2 import RPC_DEADLINE, U2, anything
from device.base import View
from device.clock import Clock
from device.errors import AutomationDied, CommandRefused, DeviceError, InjectionRefused, LinkLost, StaleView
from device.geometry import Point, Size

Gesture = Tap | DoubleTap | LongPress | Swipe | Drag | Pinch | PressKey
HandedOver = Callable[[], None]
Call = tuple[str, list[object]]
"""A method of the server and its parameters."""

AUTOMATION, INPUT = "uiautomator", "input"
SLOW = 1.5
TAP_SECONDS = 0.1
BETWEEN_TAPS = 0.08
"""Seconds from lifting to touching again: a double tap needs 40 to 300 ms (android.view.ViewConfiguration)."""
LATEST_SECOND_TAP = 0.3
STEP = 0.005
"""Seconds per step of a swipe in UiAutomator."""
STREAMED = 0.3
"""Gestures of more seconds are drawn point by point, so that they can be stopped."""
HOLD = 0.6
"""Seconds until what a finger rests on comes loose: Android's long press takes 0.5 s."""
QUICK = 0.1
"""Seconds of one `input` below which a swipe can be drawn with it: else the finger would rest before it moves."""
DOWN, UP = Touch.DOWN, Touch.UP
SPREAD = 0.4
"""Distance from the centre of a pinch to each finger at its wide end, as a share of the width."""
SIDE_DP, BOTTOM_DP = 24, 32
"""Where the system's own swipes begin, in gesture navigation: back at the sides, home at the bottom.

Source: the reference on real phones (24 dp); AOSP SystemUI, navigation_bar_gesture_height (32 dp).
"""
NEAR = 0.1
"""Share of width or height that holds those edges on every screen from 320 dp on."""
GESTURES = "2"
"""The setting navigation_mode where swipes replace the three buttons (AOSP WindowManagerPolicyConstants)."""
KEYBOARD_TOP = 0.4
"""Share of an upright screen's height above which no keyboard reaches."""
POWER_KEYS = frozenset({Key.WAKE, Key.SLEEP})
"""Sent through `input`: a sleeping phone may have put the server to sleep as well."""


class Hands:
    """Performs gestures on one phone, each exactly once."""

    def __init__(self, link: Link, clock: Clock) -> None:
        self._link = link
        self._clock = clock
        self._late: dict[str, float] = {}
        self._refused: set[str] = set()
        self._input_seconds: float | None = None
        self._has_motion_events = True
        self._edges: tuple[bool, int] | None = None

    async def perform(
        self, gesture: Gesture, size: Size, u2: U2 | None, sent: HandedOver, on: View | None = None
    ) -> Landed:
        """Do it once; says by which way. Raises DeviceError: StaleView when the keyboard has come up over the place
        since `on` was taken, InjectionRefused when no way lets us touch the phone."""
        notes = [await self._covered(gesture, on)]
        if isinstance(gesture, Swipe) and not gesture.from_edge:
            gesture, note = await self._kept_off(gesture, size)
            notes.append(note)
        refusals: list[DeviceError] = []
        for way in self._ways(gesture, u2):
            handed = _Handed(sent)
            started = self._clock.monotonic()
            try:
                note = await self._go(way, gesture, size, u2, handed)
            except InjectionRefused as refused:
                self._refused.add(way)
                refusals.append(refused)
            except AutomationDied as died:
                if handed.over:
                    raise
                refusals.append(died)
            else:
                self._late[way] = self._clock.monotonic() - started - duration(gesture)
                return Landed(way, note=". ".join(filter(None, (*notes, note))))
        raise next((one for one in refusals if isinstance(one, InjectionRefused)), refusals[-1])

    def _ways(self, gesture: Gesture, u2: U2 | None) -> list[str]:
        """Which ways lead there, the best first."""
        power = isinstance(gesture, PressKey) and gesture.key in POWER_KEYS
        ways = [AUTOMATION] if u2 is not None and u2.alive and not power else []
        if not isinstance(gesture, Pinch) or not ways:
            ways.append(INPUT)

        def worth(way: str) -> tuple[bool, float]:
            late = self._late.get(way, 0.0)
            return way in self._refused, late if late > SLOW else 0.0

        return sorted(ways, key=worth)

    async def _go(self, way: str, gesture: Gesture, size: Size, u2: U2 | None, sent: HandedOver) -> str:
        if way == AUTOMATION and u2 is not None:
            if (drawn := _drawn(gesture, size)) is not None:
                await fingers.draw(drawn, lambda *event: _touch(u2, event, sent), self._clock, RPC_DEADLINE)
                return ""
            return await self._call(gesture, size, u2, sent)
        return await self._input(gesture, size, sent)

    async def _call(self, gesture: Gesture, size: Size, u2: U2, sent: HandedOver) -> str:
        lifted, note = 0.0, ""
        for number, (method, params) in enumerate(by_automation(gesture, size)):
            if isinstance(gesture, DoubleTap) and number == 2:
                lifted = self._clock.monotonic()
                await self._clock.sleep(BETWEEN_TAPS)
            try:
                done = await u2.call(method, *params, deadline=RPC_DEADLINE + duration(gesture), handed_over=sent)
            except (InjectionRefused, CommandRefused) as error:
                if number:
                    raise LinkLost(f"the gesture broke off after its beginning: {error}") from error
                raise
            if done is False:
                note = "the phone's server says that the touch was not taken"
            if isinstance(gesture, DoubleTap) and number == 2:
                note = note or _gap(self._clock.monotonic() - lifted)
        return note

    async def _input(self, gesture: Gesture, size: Size, sent: HandedOver) -> str:
        drawn = _drawn(gesture, size) if self._has_motion_events else None
        quick = self._input_seconds is not None and self._input_seconds < QUICK
        if drawn is not None and (quick or not isinstance(gesture, Swipe)):
            try:
                await fingers.draw(drawn, lambda *event: self._motion(event, sent), self._clock, RPC_DEADLINE)
                return ""
            except CommandRefused as refused:
                if "nknown" not in str(refused):
                    raise
                # Before Android 10: nothing was done, and the phone draws it by itself.
                self._has_motion_events = False
        started = self._clock.monotonic()
        await send_all(self._link, by_input(gesture, size), sent, RPC_DEADLINE + duration(gesture))
        spent = self._clock.monotonic() - started
        if isinstance(gesture, Tap | PressKey):
            self._input_seconds = spent
        # Two commands: what lies between the taps is about half of what both took.
        return _gap(spent / 2) if isinstance(gesture, DoubleTap) else ""

    async def _motion(self, event: tuple[Touch, int, int, float], sent: HandedOver) -> None:
        touch, x, y, deadline = event
        await send(self._link, commands.motion_event(touch.name, x, y), sent, deadline)

    # What lies in the way

    async def _covered(self, gesture: Gesture, on: View | None) -> str:
        """A note when the place lies on the keyboard. Raises StaleView when that was not there in `on`."""
        place = _place(gesture)
        if on is None or on.keyboard is None or place is None:
            return ""
        upright = on.frame.size.height >= on.frame.size.width
        if upright and place.y < KEYBOARD_TOP:
            return ""
        if on.keyboard:
            return await self._on_keyboard(place, on)
        shown, _ = await probe.keyboard(self._link)
        if shown:
            raise StaleView(
                "the keyboard has come up since the place was chosen, and may cover it",
                serial=self._link.serial,
                advice="Look again.",
            )
        return ""

    async def _on_keyboard(self, place: Point, on: View) -> str:
        if on.tree is None:
            return ""
        answer = await self._link.shell(commands.setting("secure", "default_input_method"))
        edges = tree.window_edges(on.tree, parsers.setting(answer.text).partition("/")[0])
        x, y = place.to_pixel(on.frame.size)
        if edges is None or not (edges[0] <= x < edges[2] and edges[1] <= y < edges[3]):
            return ""
        return "the place lies on the on-screen keyboard"

    async def _kept_off(self, swipe: Swipe, size: Size) -> tuple[Swipe, str]:
        x, y = swipe.start.x, swipe.start.y
        if NEAR < x < 1 - NEAR and y < 1 - NEAR:
            return swipe, ""
        if self._edges is None:
            mode, density = await asyncio.gather(
                self._link.shell(commands.setting("secure", "navigation_mode")), self._link.shell(["wm", "density"])
            )
            self._edges = parsers.setting(mode.text) == GESTURES, parsers.density(density.text) or 0
        by_gestures, dpi = self._edges
        return kept_off(swipe, size, dpi) if by_gestures and dpi else (swipe, "")


class _Handed:
    """Whether this way has been asked."""

    def __init__(self, sent: HandedOver) -> None:
        self._sent = sent
        self.over = False

    def __call__(self) -> None:
        self.over = True
        self._sent()


async def _touch(u2: U2, event: tuple[Touch, int, int, float], sent: HandedOver) -> None:
    touch, x, y, deadline = event
    await u2.call("injectInputEvent", int(touch), x, y, 0, deadline=deadline, handed_over=sent)


def _gap(seconds: float) -> str:
    if seconds <= LATEST_SECOND_TAP:
        return ""
    return f"the second tap came {1000 * seconds:.0f} ms after the first, which may count as two single taps"


def _place(gesture: Gesture) -> Point | None:
    match gesture:
        case Tap(at) | DoubleTap(at) | LongPress(at):
            return at
        case Swipe(start) | Drag(start):
            return start
        case Pinch(center):
            return center
        case PressKey():
            return None
        case _:
            assert_never(gesture)


def duration(gesture: Gesture) -> float:
    """Seconds that the gesture itself takes."""
    match gesture:
        case LongPress() | Swipe() | Pinch():
            return gesture.seconds
        case Drag():
            return HOLD + gesture.seconds
        case Tap() | DoubleTap() | PressKey():
            return TAP_SECONDS
        case _:
            assert_never(gesture)


def kept_off(swipe: Swipe, size: Size, dpi: int) -> tuple[Swipe, str]:
    """The swipe moved off the edges where back and home begin, in one piece as far as the screen allows.

    Long presses and drags may begin there: after 250 ms at rest the system leaves the finger to the app (AOSP
    SystemUI, EdgeBackGestureHandler). So may a swipe from the top: nothing else opens the shade.
    """
    side, bottom = SIDE_DP * dpi / 160 / size.width, BOTTOM_DP * dpi / 160 / size.height
    if side >= 0.5 or bottom >= 1:
        return swipe, ""
    x = min(max(swipe.start.x, side), 1 - side)
    y = min(swipe.start.y, 1 - bottom)
    dx, dy = x - swipe.start.x, y - swipe.start.y
    if not dx and not dy:
        return swipe, ""
    end = Point(min(max(swipe.end.x + dx, 0.0), 1.0), min(max(swipe.end.y + dy, 0.0), 1.0))
    moved = replace(swipe, start=Point(x, y), end=end)
    return moved, "the swipe was kept off the edge where the phone's own gestures begin"


def _drawn(gesture: Gesture, size: Size) -> Way | None:
    """The way of a finger that is drawn point by point; None for a gesture that is over at once."""
    if duration(gesture) <= STREAMED:
        return None
    match gesture:
        case LongPress(at, seconds):
            return Way(start=at.to_pixel(size), end=at.to_pixel(size), rest=seconds)
        case Swipe(start, end, seconds):
            return Way(start=start.to_pixel(size), end=end.to_pixel(size), moving=seconds)
        case Drag(start, end, seconds):
            return Way(start=start.to_pixel(size), end=end.to_pixel(size), rest=HOLD, moving=seconds)
        case _:
            return None


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
            return [("injectInputEvent", [int(event), x, y, 0]) for event in (DOWN, UP, DOWN, UP)]
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
