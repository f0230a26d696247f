"""A finger that is drawn point by point: whole, stopped in the middle, and broken off."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.adb.fingers import STEP, Touch, Way, draw
from device.clock import ManualClock
from device.errors import AutomationDied, CommandRefused, DeadlineExceeded, DeviceError, InjectionRefused, LinkLost

pytestmark = pytest.mark.anyio

SWIPE = Way(start=(100, 800), end=(100, 200), moving=0.6)
HELD = Way(start=(50, 60), end=(50, 60), rest=0.8)


class Stopper(ManualClock):
    """A clock on which a task is cancelled at a time."""

    def __init__(self, at: float) -> None:
        super().__init__()
        self.at = at
        self.act: asyncio.Task[None] | None = None

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds)
        if self.act is not None and self.monotonic() >= self.at:
            self.act.cancel()


@dataclass
class Glass:
    """Takes what a finger does; may be slow, and may fail at one event."""

    clock: ManualClock = field(default_factory=ManualClock)
    slow: float = 0.0
    fails_at: int = -1
    failure: DeviceError = field(default_factory=lambda: LinkLost("cut"))
    events: list[tuple[Touch, int, int]] = field(default_factory=list)
    deadlines: list[float] = field(default_factory=list)

    async def pen(self, event: Touch, x: int, y: int, deadline: float) -> None:
        self.events.append((event, x, y))
        self.deadlines.append(deadline)
        self.clock.advance(self.slow)
        await asyncio.sleep(0)
        if len(self.events) - 1 == self.fails_at:
            raise self.failure

    @property
    def kinds(self) -> list[Touch]:
        return [event for event, _, _ in self.events]


async def test_a_swipe_goes_down_moves_on_at_even_speed_and_lifts_at_its_end() -> None:
    glass = Glass()
    await draw(SWIPE, glass.pen, glass.clock, 10)
    heights = [y for _, _, y in glass.events]
    assert glass.kinds[0] is Touch.DOWN and glass.kinds[-1] is Touch.UP and set(glass.kinds[1:-1]) == {Touch.MOVE}
    assert heights == sorted(heights, reverse=True) and (heights[0], heights[-1]) == (800, 200)
    assert len(heights) >= 0.6 / STEP and abs(glass.clock.monotonic() - 0.6) < 2 * STEP


@pytest.mark.parametrize("began", [0.0, 7.3, 1234.567, 98765.4321])
async def test_a_gesture_ends_whatever_rounding_leaves_of_its_time(began: float) -> None:
    glass = Glass()
    glass.clock.advance(began)
    async with asyncio.timeout(5):
        await draw(Way(start=(0, 0), end=(90, 9), rest=0.6, moving=0.2), glass.pen, glass.clock, 10)
    assert glass.kinds[-1] is Touch.UP


async def test_a_long_press_rests_for_its_time_and_does_not_move() -> None:
    glass = Glass()
    await draw(HELD, glass.pen, glass.clock, 10)
    assert glass.kinds == [Touch.DOWN, Touch.UP] and glass.clock.monotonic() >= 0.8


@pytest.mark.parametrize(("way", "at"), [(SWIPE, 0.3), (HELD, 0.3), (SWIPE, 0.0)])
async def test_a_stop_in_the_middle_lifts_the_finger_where_it_is_without_a_tap(way: Way, at: float) -> None:
    clock = Stopper(at)
    glass = Glass(clock)
    clock.act = act = asyncio.create_task(draw(way, glass.pen, clock, 10))
    with pytest.raises(asyncio.CancelledError):
        await act
    assert glass.kinds[0] is Touch.DOWN and glass.kinds[-1] is Touch.CANCEL and Touch.UP not in glass.kinds
    assert glass.events[-1][1:] != way.end or way is HELD
    assert clock.monotonic() < at + 0.1


async def test_on_a_slow_phone_few_points_are_sent_and_the_gesture_ends_in_time() -> None:
    glass = Glass(slow=5.0)
    await draw(SWIPE, glass.pen, glass.clock, 10)
    assert glass.kinds == [Touch.DOWN, Touch.MOVE, Touch.MOVE, Touch.UP]
    assert all(one <= 10.6 for one in glass.deadlines)


@pytest.mark.parametrize("failure", [CommandRefused("no"), InjectionRefused("INJECT_EVENTS")])
async def test_a_refused_first_touch_is_what_it_is_and_nothing_follows(failure: DeviceError) -> None:
    glass = Glass(fails_at=0, failure=failure)
    with pytest.raises(type(failure)):
        await draw(SWIPE, glass.pen, glass.clock, 10)
    assert glass.kinds == [Touch.DOWN]


@pytest.mark.parametrize("failure", [LinkLost("cut"), DeadlineExceeded("late"), AutomationDied("gone")])
async def test_a_first_touch_whose_answer_is_lost_is_lifted(failure: DeviceError) -> None:
    glass = Glass(fails_at=0, failure=failure)
    with pytest.raises(type(failure)):
        await draw(SWIPE, glass.pen, glass.clock, 10)
    assert glass.kinds == [Touch.DOWN, Touch.CANCEL]


@pytest.mark.parametrize("at", [1, 5])
@pytest.mark.parametrize("failure", [LinkLost("cut"), InjectionRefused("INJECT_EVENTS")])
async def test_a_gesture_that_breaks_off_is_lifted_and_may_not_be_tried_again(at: int, failure: DeviceError) -> None:
    glass = Glass(fails_at=at, failure=failure)
    with pytest.raises(LinkLost, match="after the finger had touched"):
        await draw(SWIPE, glass.pen, glass.clock, 10)
    assert glass.kinds[-1] is Touch.CANCEL and len(glass.kinds) == at + 2


pixels = st.tuples(st.integers(0, 4000), st.integers(0, 4000))


@given(start=pixels, end=pixels, rest=st.floats(0, 3), moving=st.floats(0, 3), at=st.floats(0, 10))
def test_a_finger_is_always_between_its_ends(
    start: tuple[int, int], end: tuple[int, int], rest: float, moving: float, at: float
) -> None:
    way = Way(start=start, end=end, rest=rest, moving=moving)
    x, y = way.at(at)
    assert min(start[0], end[0]) <= x <= max(start[0], end[0])
    assert min(start[1], end[1]) <= y <= max(start[1], end[1])
    assert way.at(0) == start or rest + moving == 0
    assert way.at(way.seconds + 1) == end
