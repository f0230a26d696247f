"""Movement as functions of time: easing, and the deceleration of a fling. Nothing here keeps state or waits."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache

TRANSITION_MS = 200.0
"""Length of a screen transition at scale 1."""

KEYBOARD_MS = 200.0
"""Time the keyboard takes to slide in or out at scale 1."""

SLIDE_DP = 32.0
"""How far a new screen slides while it fades in."""

FRAME_MS = 1000.0 / 30
"""Step between two pictures of something that moves, where somebody watches."""

# Android's OverScroller (frameworks/base, android.widget.OverScroller): friction of a scroll, the share of the time
# after which deceleration bends, gravity in inch/s^2 and 160 pixels to the inch, as all lengths here are dp.
_FRICTION = 0.015
_RATE = math.log(0.78) / math.log(0.9)
_INFLEXION = 0.35
_END_TENSION = 1.0
_START_TENSION = 0.5
_PHYSICAL = 9.80665 * 39.37 * 160.0 * 0.84
_SAMPLES = 100

MIN_FLING_DP_S = 50.0
MAX_FLING_DP_S = 8000.0
"""Android's ViewConfiguration: slower than the first is no fling, faster than the second is cut."""


def ease_out(share: float) -> float:
    """Decelerating progress, 0 to 1 for 0 to 1, cubic."""
    return 1.0 - (1.0 - min(max(share, 0.0), 1.0)) ** 3


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time: `start` and `length` in ms."""

    start: float
    length: float

    @property
    def end(self) -> float:
        return self.start + self.length

    def share(self, now: float) -> float:
        """How much of it has passed, 0 to 1."""
        return 1.0 if self.length <= 0 else min(max((now - self.start) / self.length, 0.0), 1.0)

    def running(self, now: float) -> bool:
        return now < self.end


@dataclass(frozen=True, slots=True)
class Fling:
    """A list that was let go in motion: from `offset` dp with `velocity` dp/s, at `start` ms, within 0 and `limit`."""

    key: str
    start: float
    offset: float
    velocity: float
    limit: float

    @property
    def length(self) -> float:
        """Milliseconds until it rests: where its own movement ends, or where it meets the end of the list."""
        whole = fling_ms(self.velocity)
        room = self.limit - self.offset if self.velocity > 0 else self.offset
        distance = fling_distance(self.velocity)
        if distance <= room:
            return whole
        return whole * _time_of(max(room, 0.0) / distance)

    def at(self, now: float) -> float:
        """The offset at that moment, dp."""
        whole = fling_ms(self.velocity)
        share = 1.0 if whole <= 0 else min(max((now - self.start) / whole, 0.0), 1.0)
        moved = fling_distance(self.velocity) * _place_of(share)
        return min(max(self.offset + math.copysign(moved, self.velocity), 0.0), self.limit)

    def running(self, now: float) -> bool:
        return now < self.start + self.length


def fling_ms(velocity: float) -> float:
    """How long a fling of that many dp/s lasts."""
    return 1000.0 * math.exp(_bend(velocity) / (_RATE - 1.0)) if velocity else 0.0


def fling_distance(velocity: float) -> float:
    """How far a fling of that many dp/s goes, dp, never negative."""
    return _FRICTION * _PHYSICAL * math.exp(_RATE / (_RATE - 1.0) * _bend(velocity)) if velocity else 0.0


def _bend(velocity: float) -> float:
    return math.log(_INFLEXION * abs(velocity) / (_FRICTION * _PHYSICAL))


@cache
def _spline() -> tuple[float, ...]:
    """Share of the distance covered after each hundredth of the time."""
    first, second = _START_TENSION * _INFLEXION, 1.0 - _END_TENSION * (1.0 - _INFLEXION)
    places = []
    for sample in range(_SAMPLES):
        low, high = 0.0, 1.0
        while True:
            mid = (low + high) / 2
            bow = 3.0 * mid * (1.0 - mid)
            time = bow * ((1.0 - mid) * first + mid * second) + mid**3
            if abs(time - sample / _SAMPLES) < 1e-5:
                break
            low, high = (mid, high) if time < sample / _SAMPLES else (low, mid)
        places.append(bow * ((1.0 - mid) * _START_TENSION + mid) + mid**3)
    return (*places, 1.0)


def _place_of(share: float) -> float:
    places = _spline()
    index = min(int(share * _SAMPLES), _SAMPLES - 1)
    return places[index] + (places[index + 1] - places[index]) * (share * _SAMPLES - index)


def _time_of(place: float) -> float:
    places = _spline()
    if place <= 0:
        return 0.0
    index = min(max(bisect_left(places, place), 1), _SAMPLES)
    step = places[index] - places[index - 1]
    return (index - 1 + (place - places[index - 1]) / step) / _SAMPLES
