"""Which way a gesture takes to the phone, and what it is kept from, on a phone whose answers are scripted."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.actions import DoubleTap, Drag, Key, LongPress, Pinch, PressKey, Swipe, Tap
from device.adb.device import AdbDevice
from device.adb.gestures import kept_off
from device.base import Answer
from device.clock import ManualClock
from device.errors import CommandRefused, InjectionRefused, LinkLost, StaleView
from device.geometry import Point, Size
from tests.device.adb.server import SERIAL, Automation, Drop, JavaError, Stage, healthy, in_turn, shell

pytestmark = pytest.mark.anyio

SIZE = Size(1080, 2400)
LOW, HIGH = Point(0.5, 0.9), Point(0.5, 0.1)
REFUSED = "java.lang.SecurityException: Injecting to another application requires INJECT_EVENTS permission"
KEYBOARD_UP = "mInputShown=true\nmIsInputViewShown=true\nmServedInputConnection=Connection{1}\n"
IME = "shell,v2,raw:dumpsys input_method"


def server() -> Automation:
    done = dict.fromkeys(("ping", "click", "swipe", "injectInputEvent", "pressKeyCode"), True)
    tree = (
        '<hierarchy rotation="0"><node class="a.View" text="x" package="com.example" bounds="[0,0][9,9]" /></hierarchy>'
    )
    return Automation({**done, "takeScreenshot": None, "dumpWindowHierarchy": tree})


@contextlib.asynccontextmanager
async def opened(stage: Stage, clock: ManualClock | None = None) -> AsyncIterator[AdbDevice]:
    async with stage.serving() as one:
        device = await AdbDevice.open(one, SERIAL, clock or ManualClock())
        try:
            yield device
        finally:
            await device.close()


def commands(stage: Stage) -> list[str]:
    """What was asked of `input`."""
    start = "shell,v2,raw:input "
    return [one.removeprefix(start) for one in stage.asked if one.startswith(start)]


async def test_a_gesture_of_more_than_300_ms_is_drawn_point_by_point_and_a_shorter_one_at_once() -> None:
    automation = server()
    async with opened(healthy(automation)) as device:
        await device.act(Swipe(LOW, HIGH, 0.3))
        assert len(automation.called("swipe")) == 1 and not automation.called("injectInputEvent")
        await device.act(Swipe(LOW, HIGH, 0.5))
        await device.act(LongPress(LOW, 0.8))
        await device.act(Drag(LOW, HIGH, 0.2))
    events = [params[0] for params in automation.called("injectInputEvent")]
    assert events.count(0) == events.count(1) == 3 and events.count(2) > 20
    assert len(automation.called("swipe")) == 1 and not automation.called("click")


async def test_without_the_server_a_long_press_is_drawn_by_motion_events() -> None:
    stage = healthy(None)
    async with opened(stage) as device:
        outcome = await device.act(LongPress(LOW, 0.8))
    assert commands(stage) == ["motionevent DOWN 32 115", "motionevent UP 32 115"] and outcome.path == "input"


async def test_a_phone_that_knows_no_motion_events_draws_by_itself() -> None:
    stage = healthy(None)
    stage.phone["shell,v2,raw:input motionevent"] = shell(
        err="Error: Unknown command: motionevent\nUsage: input", code=1
    )
    async with opened(stage) as device:
        outcomes = [await device.act(LongPress(LOW, 0.8)) for _ in range(2)]
    assert [one.sent for one in outcomes] == [Answer.YES, Answer.YES]
    assert commands(stage) == ["motionevent DOWN 32 115", *["swipe 32 115 32 115 800"] * 2]


async def test_a_swipe_through_a_slow_input_is_left_to_the_phone_for_the_finger_would_rest_before_it_moves() -> None:
    stage = healthy(None)
    async with opened(stage) as device:
        await device.act(Swipe(LOW, HIGH, 0.6))
        await device.act(Tap(LOW))
        await device.act(Swipe(LOW, HIGH, 0.6))
    first, _, *drawn = commands(stage)
    assert first == "swipe 32 115 32 12 600"
    # The tap has shown that `input` takes no time on this phone.
    assert drawn[0].startswith("motionevent DOWN") and drawn[-1].startswith("motionevent UP")


async def test_a_server_that_has_ended_before_it_was_asked_leaves_the_gesture_to_input() -> None:
    automation = server()
    stage = healthy(automation)
    async with opened(stage) as device:
        u2 = device._automation.u2
        assert u2 is not None
        automation.results["ping"] = Drop()
        with pytest.raises(LinkLost):
            await u2.call("ping")
        automation.listening = False
        landed = await device._hands.perform(Tap(LOW), SIZE, u2, lambda: None)
    assert landed.path == "input" and commands(stage) == ["tap 540 2160"] and not automation.called("click")


@pytest.mark.parametrize("gesture", [LongPress(LOW, 0.8), DoubleTap(LOW), PressKey(Key.BACK)])
async def test_a_refusal_before_the_first_touch_leaves_the_gesture_to_input(
    gesture: LongPress | DoubleTap | PressKey,
) -> None:
    automation = server()
    automation.results["injectInputEvent"] = automation.results["pressKeyCode"] = JavaError("x", REFUSED)
    stage = healthy(automation)
    async with opened(stage) as device:
        outcome = await device.act(gesture)
    assert (outcome.sent, outcome.path) == (Answer.YES, "input") and commands(stage)


async def test_a_refusal_in_the_middle_of_a_double_tap_is_an_unknown_outcome_and_is_not_tried_again() -> None:
    automation = server()
    answers = iter([True, True])
    automation.results["injectInputEvent"] = lambda _: next(answers, JavaError("x", REFUSED))
    stage = healthy(automation)
    async with opened(stage) as device:
        outcome = await device.act(DoubleTap(LOW))
    assert outcome.sent is Answer.UNKNOWN and not commands(stage)


async def test_a_pinch_has_no_other_way() -> None:
    automation = server()
    automation.results["gesture"] = JavaError("x", REFUSED)
    stage = healthy(automation)
    async with opened(stage) as device:
        with pytest.raises(InjectionRefused):
            await device.act(Pinch(LOW, 2.0))
    assert not commands(stage)


async def test_both_ways_slow_the_quicker_one_is_taken() -> None:
    automation, clock = server(), ManualClock()
    automation.results["click"] = lambda _: clock.advance(6)
    stage = healthy(automation)
    plain = stage.phone["shell,v2,raw:input"]

    async def late(wire: object) -> None:
        clock.advance(3)
        await plain(wire)  # type: ignore[arg-type]

    stage.phone["shell,v2,raw:input"] = late
    async with opened(stage, clock) as device:
        paths = [(await device.act(Tap(LOW))).path for _ in range(3)]
    assert paths == ["uiautomator", "input", "input"]


async def test_a_double_tap_that_came_too_slowly_is_said() -> None:
    automation, clock = server(), ManualClock()
    automation.results["injectInputEvent"] = lambda _: clock.advance(0.4) or True
    async with opened(healthy(automation), clock) as device:
        outcome = await device.act(DoubleTap(LOW))
    assert "two single taps" in outcome.note


async def test_a_touch_that_the_server_says_was_not_taken_is_said() -> None:
    automation = server()
    automation.results["click"] = False
    async with opened(healthy(automation)) as device:
        assert "not taken" in (await device.act(Tap(LOW))).note


async def test_one_finger_needs_no_server_and_two_do() -> None:
    async with opened(healthy(None)) as device:
        with pytest.raises(CommandRefused, match="one finger"):
            await device.act(Pinch(LOW, 2.0))


# The keyboard over the place


async def test_a_place_that_the_keyboard_has_come_up_over_is_stale_and_nothing_is_sent() -> None:
    automation = server()
    stage = healthy(automation)
    async with opened(stage) as device:
        view = await device.observe()
        stage.phone[IME] = shell(KEYBOARD_UP)
        for gesture in (Tap(LOW), LongPress(LOW), Swipe(LOW, HIGH)):
            with pytest.raises(StaleView, match="keyboard"):
                await device.act(gesture, on=view)
        assert (await device.act(Tap(HIGH), on=view)).sent is Answer.YES
        assert (await device.act(PressKey(Key.BACK), on=view)).sent is Answer.YES
    assert len(automation.called("click")) == 1 and not automation.called("injectInputEvent")


async def test_a_tap_on_the_keyboard_itself_is_sent_and_said() -> None:
    automation = server()
    keys = '<node class="K" text="q" package="com.example.keys" bounds="[0,80][64,128]" />'
    app = '<node class="V" text="x" package="com.example" bounds="[0,0][64,80]" />'
    automation.results["dumpWindowHierarchy"] = f'<hierarchy rotation="0">{app}{keys}</hierarchy>'
    stage = healthy(automation)
    stage.phone[IME] = shell(KEYBOARD_UP)
    stage.phone["shell,v2,raw:settings get secure default_input_method"] = shell("com.example.keys/.Keys\n")
    async with opened(stage) as device:
        view = await device.observe()
        on_it, above = [await device.act(Tap(Point(0.5, y)), on=view) for y in (0.8, 0.5)]
    assert "keyboard" in on_it.note and above.note == "" and len(automation.called("click")) == 2


# The edges


def gestural(stage: Stage, mode: str) -> Stage:
    stage.phone["shell,v2,raw:settings get secure navigation_mode"] = shell(f"{mode}\n")
    stage.phone["shell,v2,raw:wm density"] = in_turn(shell("Physical density: 160\n"))
    return stage


@pytest.mark.parametrize(
    ("mode", "swipe", "start"),
    [
        ("2", Swipe(Point(0.0, 0.5), Point(0.9, 0.5)), [24, 600]),
        ("2", Swipe(Point(0.5, 0.999), Point(0.5, 0.2)), [160, 1168]),
        ("2", Swipe(Point(0.0, 0.5), Point(0.9, 0.5), from_edge=True), [0, 600]),
        ("0", Swipe(Point(0.0, 0.5), Point(0.9, 0.5)), [0, 600]),
        ("2", Swipe(Point(0.5, 0.0), Point(0.5, 0.9)), [160, 0]),
    ],
)
async def test_a_swipe_is_kept_off_the_edges_of_the_system_unless_asked(
    mode: str, swipe: Swipe, start: list[int]
) -> None:
    automation = server()
    stage = gestural(healthy(automation, width=320, height=1200), mode)
    async with opened(stage) as device:
        outcome = await device.act(swipe)
    [params] = automation.called("swipe")
    assert params[:2] == start
    moved = start != list(swipe.start.to_pixel(Size(320, 1200)))
    assert ("kept off" in outcome.note) is moved


places = st.builds(Point, st.floats(0, 1), st.floats(0, 1))


@given(
    start=places,
    end=places,
    width=st.integers(320, 3000),
    height=st.integers(320, 3000),
    dpi=st.sampled_from([160, 420, 640]),
)
def test_a_swipe_kept_off_the_edges_starts_between_them(
    start: Point, end: Point, width: int, height: int, dpi: int
) -> None:
    swipe, note = kept_off(Swipe(start, end), Size(width, height), dpi)
    side, bottom = 24 * dpi / 160, 32 * dpi / 160
    if side * 2 >= width or bottom >= height:
        assert (swipe, note) == (Swipe(start, end), "")
        return
    assert side - 1e-6 <= swipe.start.x * width <= width - side + 1e-6
    assert swipe.start.y * height <= height - bottom + 1e-6
    assert bool(note) is (swipe.start != start)
