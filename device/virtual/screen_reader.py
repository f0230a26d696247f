"""A screen reader's explore-by-touch: what a finger means while TalkBack runs.

A touch moves the focus and clicks nothing, a double tap anywhere activates what has the focus, a swipe with one finger
goes to the next or previous item, two fingers do what one does without a screen reader. Sources: Android's
TouchExplorer (services/accessibility, gestures) and TalkBack's default gestures.

Only fingers come here. Events that programs inject skip the accessibility input filter on a real phone (AOSP,
UiAutomation.java, injectInputEventToInputFilter), so `input tap` clicks with TalkBack on as without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from device.virtual.core.accessibility import TALKBACK, enabled_services
from device.virtual.core.clock import Timer, VirtualClock
from device.virtual.core.journal import Journal
from device.virtual.core.world import World
from device.virtual.session import Session
from device.virtual.touch import Touch
from device.virtual.ui.a11y import A11yNode, accessible
from device.virtual.ui.gestures import LONG_PRESS_MS, TOUCH_SLOP_DP
from device.virtual.ui.window import Window
from device.virtual.windows import WindowBuilder

DOUBLE_TAP_MS = 300.0
"""Two taps closer than this are one double tap (ViewConfiguration, DOUBLE_TAP_TIMEOUT)."""

GESTURE_MS = 400.0
"""A finger that is under way longer explores instead of swiping (TouchExplorer's gesture detection times out)."""

GESTURE_DP = 48.0
"""How far a swipe must go to count."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Stop:
    """Something the focus can stand on: its window, its node, and what is spoken."""

    window: Window
    node: A11yNode
    spoken: str

    @property
    def place(self) -> tuple[str, tuple[int, ...]]:
        return self.window.id, self.node.path

    def holds(self, x: float, y: float) -> bool:
        """Whether a pixel of the display lies in it."""
        left, top, right, bottom = self.node.bounds
        return left <= x < right and top <= y < bottom


class ScreenReader:
    """Takes fingers in TalkBack's place; positions are dp of the display."""

    def __init__(
        self,
        world: World,
        session: Session,
        builder: WindowBuilder,
        touch: Touch,
        journal: Journal,
        clock: VirtualClock,
    ) -> None:
        self._world = world
        self._session = session
        self._builder = builder
        self._touch = touch
        self._journal = journal
        self._clock = clock
        self._start: tuple[float, float, float] | None = None  # ms, x, y of the finger's coming down
        self._last: Point = (0.0, 0.0)
        self._moved = self._double = False
        self._tapped: tuple[float, Timer] | None = None  # when the tap before this one left, and its pending focus

    @property
    def enabled(self) -> bool:
        """Whether TalkBack is switched on in the settings."""
        return TALKBACK in enabled_services(self._world.settings)

    @property
    def active(self) -> bool:
        """Whether it runs: switched on, and not suspended by an automation that suppresses services."""
        return self.enabled and self._session.automation != "suppressing"

    @property
    def pending_ms(self) -> float:
        """Milliseconds until a tap that may still become a double tap moves the focus; 0 for none."""
        return 0.0 if self._tapped is None else max(self._tapped[0] + DOUBLE_TAP_MS - self._clock.now_ms(), 0.0)

    # fingers

    def down(self, x: float, y: float, cause: str) -> None:
        """A single finger comes down."""
        now = self._clock.now_ms()
        self._double = self._tapped is not None and now - self._tapped[0] < DOUBLE_TAP_MS
        if self._tapped is not None:
            self._clock.cancel(self._tapped[1])
            self._tapped = None
        self._start, self._last, self._moved = (now, x, y), (x, y), False

    def move(self, x: float, y: float, cause: str) -> None:
        if self._start is None:
            return
        began, x0, y0 = self._start
        self._last = (x, y)
        self._moved = self._moved or max(abs(x - x0), abs(y - y0)) > TOUCH_SLOP_DP
        if self._moved and self._clock.now_ms() - began > GESTURE_MS:
            self.explore(x, y, cause)

    def up(self, x: float, y: float, cause: str) -> None:
        if self._start is None:
            return
        (began, x0, y0), self._start = self._start, None
        now = self._clock.now_ms()
        if self._double and not self._moved:
            self.activate(cause, long=now - began >= LONG_PRESS_MS)
        elif not self._moved and now - began >= DOUBLE_TAP_MS:
            self.explore(x, y, cause)
        elif not self._moved:
            timer = self._clock.at(now + DOUBLE_TAP_MS, "explore by touch", lambda: self._explored(x, y, cause))
            self._tapped = (now, timer)
        elif now - began > GESTURE_MS:
            self.explore(x, y, cause)
        elif max(abs(x - x0), abs(y - y0)) >= GESTURE_DP:
            self._swiped(x - x0, y - y0, cause)

    def cancel(self) -> None:
        self._start = None

    def _explored(self, x: float, y: float, cause: str) -> None:
        self._tapped = None
        self.explore(x, y, cause)

    def _swiped(self, dx: float, dy: float, cause: str) -> None:
        if abs(dx) > abs(dy):
            self.step(1 if dx > 0 else -1, cause)
        else:  # up and down change how TalkBack reads, which shows nowhere
            self._journal.append("accessibility", {"gesture": "down" if dy > 0 else "up"}, cause)

    # the focus

    def explore(self, x: float, y: float, cause: str) -> None:
        """Put the focus on what lies at a point; nothing there leaves it where it is."""
        scale = self._builder.density()
        px, py = x * scale, y * scale
        windows = [window for window in reversed(self._builder.windows()) if window.touchable]
        for window in windows:
            found = [stop for stop in _stops(window) if stop.holds(px, py)]
            if found:
                self._focus(min(found, key=_area), cause)
                return
            if window.modal or (window.holds(x, y) and window.type == "app"):
                return

    def step(self, way: int, cause: str) -> None:
        """Move the focus to the next (1) or previous (-1) item in reading order; at the end it stays."""
        stops = self.stops()
        if not stops:
            return
        places = [stop.place for stop in stops]
        focus = self._session.a11y_focus
        at = places.index(focus) + way if focus in places else (0 if way > 0 else len(stops) - 1)
        if 0 <= at < len(stops):
            self._focus(stops[at], cause)

    def stops(self) -> list[Stop]:
        """What the focus can stand on in the window that has the input focus, in reading order."""
        windows = self._builder.windows()
        active = next((window for window in reversed(windows) if window.focused), None)
        return list(_stops(active)) if active is not None else []

    @property
    def focused(self) -> Stop | None:
        """What has the focus now, if it is still there."""
        focus = self._session.a11y_focus
        window = next((w for w in self._builder.windows() if focus is not None and w.id == focus[0]), None)
        if window is None:
            return None
        return next((stop for stop in _stops(window) if stop.place == focus), None)

    def _focus(self, stop: Stop, cause: str) -> None:
        if self._session.a11y_focus != stop.place:
            self._session.a11y_focus = stop.place
            self._journal.append("accessibility", {"focus": stop.spoken}, cause)
            self._session.changed()

    def activate(self, cause: str, *, long: bool = False) -> bool:
        """Do what the focused item does when it is touched; False when nothing has the focus or it does nothing."""
        stop = self.focused
        if stop is None:
            return False
        self._journal.append("accessibility", {"activate": stop.spoken, "long": long}, cause)
        placed = stop.window.placed.at(stop.node.path)
        return placed is not None and self._touch.activate(stop.window, placed, cause, long=long)


def _stops(window: Window) -> Iterator[Stop]:
    number = 0
    roots = accessible(window.placed, window.package, (window.left, window.top), window.env, window.state, number)
    for root in roots:
        yield from _walk(window, root)


def _walk(window: Window, node: A11yNode) -> Iterator[Stop]:
    """Items that can be touched speak for what is in them; texts stand for themselves."""
    acts = node.clickable or node.long_clickable or node.checkable or node.range_value is not None
    spoken = " ".join(_words(node)) if acts else (node.desc or node.text)
    if acts or spoken:
        yield Stop(window, node, spoken)
    for child in node.children:
        yield from (stop for stop in _walk(window, child) if not acts or stop.node.clickable)


def _words(node: A11yNode) -> Iterator[str]:
    if node.desc or node.text:
        yield node.desc or node.text
        return
    for child in node.children:
        yield from _words(child)


def _area(stop: Stop) -> int:
    left, top, right, bottom = stop.node.bounds
    return (right - left) * (bottom - top)
