"""From a finger's positions to gestures, with Android's slop, time-outs and velocity.

A `GestureEngine` is told what lies under the finger when it comes down (`Target`) and answers every event with the
gestures it recognised. Lengths are dp, times ms, velocities dp/s. It never looks at a screen or a clock.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Literal

from device.virtual.ui.anim import MAX_FLING_DP_S, MIN_FLING_DP_S

TOUCH_SLOP_DP = 8.0
LONG_PRESS_MS = 500.0
EDGE_DP = 24.0
"""Width of the strips at the sides where a swipe means Back."""

BACK_DP = 32.0
"""How far inwards the finger must be when it leaves for Back to count."""

SYSTEM_SWIPE_DP = 56.0
"""How far a swipe from the bottom or the status bar must go to count."""

SWIPE_DP = 48.0
"""How far a swipe on a view that answers swipes must go when it is not flung."""

HOLD_MS = 120.0
"""A finger that rested this long before it left the bottom swipe asks for the overview."""

_HORIZON_MS = 100.0  # VelocityTracker (frameworks/native): older positions do not count
_STOPPED_MS = 40.0  # a pause this long between two positions means that the finger had stopped
_HOLD_STILL_DP = 6.0  # movement of a finger that is meant to rest

Edge = Literal["", "back", "home", "shade"]
Direction = Literal["left", "right", "up", "down"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a finger came down on.

    `edge`: the system gesture that begins there; `scrolls`: directions the finger can drag a list in; `swipes`:
    directions some view answers; `drags`: whether it is a slider; `long`: whether something waits for a long press.
    """

    edge: Edge = ""
    scrolls: frozenset[Direction] = frozenset()
    swipes: frozenset[Direction] = frozenset()
    drags: bool = False
    long: bool = False


@dataclass(frozen=True, slots=True)
class Tapped:
    """The finger left where it came."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class LongPressed:
    """The finger has rested for LONG_PRESS_MS on something that waits for it."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Scrolled:
    """The finger moved a list by `dy` since the last event."""

    dy: float


@dataclass(frozen=True, slots=True)
class Flung:
    """The finger let a list go, in motion (`velocity` of the finger downwards) or at rest (0)."""

    velocity: float


@dataclass(frozen=True, slots=True)
class Dragged:
    """The finger is at x on the slider it holds; `done` when it has left."""

    x: float
    y: float
    done: bool


@dataclass(frozen=True, slots=True)
class Swiped:
    """A swipe on a view that answers swipes in this direction."""

    direction: Direction


@dataclass(frozen=True, slots=True)
class SystemSwiped:
    """A system gesture: back, home, recents or shade."""

    name: Literal["back", "home", "recents", "shade"]


@dataclass(frozen=True, slots=True)
class Released:
    """The finger is no longer pressing what it came down on."""


Gesture = Tapped | LongPressed | Scrolled | Flung | Dragged | Swiped | SystemSwiped | Released


@dataclass(slots=True)
class VelocityTracker:
    """Velocity from the positions of the last 100 ms, by least squares."""

    places: deque[tuple[float, float, float]] = field(default_factory=deque)

    def add(self, ms: float, x: float, y: float) -> None:
        if self.places and ms - self.places[-1][0] > _STOPPED_MS:
            self.places.clear()
        if self.places and ms == self.places[-1][0]:
            self.places.pop()
        self.places.append((ms, x, y))
        while ms - self.places[0][0] > _HORIZON_MS:
            self.places.popleft()

    def velocity(self, ms: float) -> tuple[float, float]:
        """dp/s right and down at that moment; zero when the finger has rested."""
        if len(self.places) < 2 or ms - self.places[-1][0] > _STOPPED_MS:
            return 0.0, 0.0
        return self._slope(1), self._slope(2)

    def _slope(self, axis: int) -> float:
        count = len(self.places)
        mean_t = sum(place[0] for place in self.places) / count
        mean_v = sum(place[axis] for place in self.places) / count
        spread = sum((place[0] - mean_t) ** 2 for place in self.places)
        shared = sum((place[0] - mean_t) * (place[axis] - mean_v) for place in self.places)
        slope = shared / spread * 1000.0 if spread else 0.0
        return min(max(slope, -MAX_FLING_DP_S), MAX_FLING_DP_S)


Mode = Literal["idle", "pressed", "held", "scroll", "drag", "swipe", "edge", "nothing"]


class GestureEngine:
    """One finger. `down`, `move`, `up`, `cancel` and `tick` return what has become clear."""

    def __init__(self) -> None:
        self._mode: Mode = "idle"
        self._target = Target()
        self._start = (0.0, 0.0, 0.0)
        self._last = (0.0, 0.0, 0.0)
        self._rest = (0.0, 0.0, 0.0)  # where the finger has been about at rest, and since when
        self._tracker = VelocityTracker()

    @property
    def active(self) -> bool:
        """Whether a finger is down."""
        return self._mode != "idle"

    @property
    def due(self) -> float | None:
        """When `tick` has something to say, ms."""
        return self._start[0] + LONG_PRESS_MS if self._mode == "pressed" and self._target.long else None

    def down(self, ms: float, x: float, y: float, target: Target) -> list[Gesture]:
        self._target = target
        self._start = self._last = self._rest = (ms, x, y)
        self._tracker = VelocityTracker()
        self._tracker.add(ms, x, y)
        self._mode = "pressed"
        return []

    def tick(self, ms: float) -> list[Gesture]:
        """Let time pass with the finger where it is."""
        if self._mode != "pressed" or ms < self._start[0] + LONG_PRESS_MS:
            return []
        if not self._target.long:  # Android still taps when nobody waits for the long press
            return []
        self._mode = "held"
        return [LongPressed(*self._start[1:]), Released()]

    def move(self, ms: float, x: float, y: float) -> list[Gesture]:
        if self._mode == "idle":
            return []
        found = self.tick(ms)
        self._tracker.add(ms, x, y)
        if abs(x - self._rest[1]) + abs(y - self._rest[2]) > _HOLD_STILL_DP:
            self._rest = (ms, x, y)
        if self._mode == "pressed":
            found += self._leave_slop(x, y)
        elif self._mode == "scroll":
            found.append(Scrolled(y - self._last[2]))
        elif self._mode == "drag":
            found.append(Dragged(x, y, False))
        self._last = (ms, x, y)
        return found

    def _leave_slop(self, x: float, y: float) -> list[Gesture]:
        dx, dy = x - self._start[1], y - self._start[2]
        if max(abs(dx), abs(dy)) <= TOUCH_SLOP_DP:
            return []
        along = _direction(dx, dy)
        if self._target.edge and self._begins_edge(along, x):
            self._mode = "edge"
            return [Released()]
        if self._target.drags and along in ("left", "right"):
            self._mode = "drag"
            return [Dragged(x, y, False)]
        if along in self._target.scrolls:
            self._mode = "scroll"  # what was within the slop is not made up for, as on Android
            return [Released(), Scrolled(dy - TOUCH_SLOP_DP if dy > 0 else dy + TOUCH_SLOP_DP)]
        self._mode = "swipe" if along in self._target.swipes else "nothing"
        return [Released()]

    def _begins_edge(self, along: Direction, x: float) -> bool:
        match self._target.edge:
            case "back":
                return along in ("left", "right")
            case "home":
                return along == "up"
            case "shade":
                return along == "down"
        return False

    def up(self, ms: float, x: float, y: float) -> list[Gesture]:
        if self._mode == "idle":
            return []
        found = self.move(ms, x, y) if (x, y) != self._last[1:] else self.tick(ms)
        mode, self._mode = self._mode, "idle"
        vx, vy = self._tracker.velocity(ms)
        dx, dy = x - self._start[1], y - self._start[2]
        match mode:
            case "pressed":
                return [*found, Released(), Tapped(x, y)]
            case "scroll":
                return [*found, Flung(vy if abs(vy) >= MIN_FLING_DP_S else 0.0)]
            case "drag":
                return [*found, Dragged(x, y, True)]
            case "swipe":
                return found + _swiped(dx, dy, vx, vy, self._target.swipes)
            case "edge":
                return found + self._edge_swiped(ms, dx, dy)
        return found

    def cancel(self) -> list[Gesture]:
        """The system takes the finger away: nothing is tapped."""
        active, self._mode = self.active, "idle"
        return [Released()] if active else []

    def _edge_swiped(self, ms: float, dx: float, dy: float) -> list[Gesture]:
        match self._target.edge:
            case "back":
                return [SystemSwiped("back")] if abs(dx) >= BACK_DP else []
            case "home":
                held = ms - self._rest[0] >= HOLD_MS
                return [SystemSwiped("recents" if held else "home")] if -dy >= SYSTEM_SWIPE_DP else []
            case "shade":
                return [SystemSwiped("shade")] if dy >= SYSTEM_SWIPE_DP else []
        return []


def _direction(dx: float, dy: float) -> Direction:
    if abs(dx) > abs(dy):
        return "right" if dx > 0 else "left"
    return "down" if dy > 0 else "up"


def _swiped(dx: float, dy: float, vx: float, vy: float, answered: frozenset[Direction]) -> list[Gesture]:
    along = _direction(dx, dy)
    far = max(abs(dx), abs(dy)) >= SWIPE_DP
    speed = vx if along in ("left", "right") else vy
    way = dx if along in ("left", "right") else dy
    flung = abs(speed) >= MIN_FLING_DP_S and (speed > 0) == (way > 0)
    return [Swiped(along)] if along in answered and (far or flung) else []
