"""What the device says about acts whose effect or arrival is in doubt, on a phone whose answers are scripted."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import AsyncIterator

import cv2
import numpy as np
import pytest

from device.actions import Key, OpenApp, Pinch, PressKey, Tap
from device.adb.device import AdbDevice
from device.base import Answer, State
from device.clock import ManualClock
from device.errors import BadFrame, CommandRefused, InjectionRefused, LaunchFailed
from device.geometry import Point
from tests.device.adb.server import SERIAL, Automation, Drop, JavaError, Stage, healthy, in_turn, said, shell

pytestmark = pytest.mark.anyio

MIDDLE = Point(0.5, 0.5)
WIDTH, HEIGHT = 320, 640
WINDOW = "shell,v2,raw:dumpsys window displays"
REFUSED = "java.lang.SecurityException: Injecting to another application requires INJECT_EVENTS permission"


def jpeg(grey: int, spot: int = 0) -> str:
    """A plain screen; `spot` is the height of a dark block at its middle, in pixels."""
    pixels = np.full((HEIGHT, WIDTH), grey, np.uint8)
    pixels[HEIGHT // 2 : HEIGHT // 2 + spot, 100:220] = 0
    done, data = cv2.imencode(".jpg", pixels)
    assert done
    return base64.b64encode(data.tobytes()).decode()


def dump(text: str) -> str:
    node = f'<node class="android.widget.TextView" text="{text}" package="com.example" bounds="[0,0][9,9]" />'
    return f'<hierarchy rotation="0">{node}</hierarchy>'


class Screen:
    """What the scripted phone shows; a tap may change it."""

    def __init__(self) -> None:
        self.picture, self.tree = jpeg(200), dump("before")
        self.after: tuple[str, str] | None = None
        self.frames = 0

    def take(self, params: list[object]) -> str:
        self.frames += 1
        return self.picture

    def tap(self, params: list[object]) -> bool:
        self.picture, self.tree = self.after or (self.picture, self.tree)
        return True

    def automation(self) -> Automation:
        results = {"takeScreenshot": self.take, "dumpWindowHierarchy": lambda _: self.tree, "click": self.tap}
        return Automation({**results, "ping": "pong", "pressKeyCode": self.tap})


@contextlib.asynccontextmanager
async def opened(stage: Stage, clock: ManualClock | None = None) -> AsyncIterator[AdbDevice]:
    async with stage.serving() as server:
        device = await AdbDevice.open(server, SERIAL, clock or ManualClock())
        try:
            yield device
        finally:
            await device.close()


def focus(title: str) -> str:
    return f"  mRotation=0\n  mCurrentFocus={title}\n"


async def test_a_lost_answer_is_an_unknown_outcome_and_the_tap_is_sent_once() -> None:
    automation = Screen().automation()
    automation.results["click"] = Drop()
    stage = healthy(automation)
    async with opened(stage) as device:
        outcome = await device.act(Tap(MIDDLE))
        assert (outcome.sent, outcome.changed) == (Answer.UNKNOWN, Answer.UNKNOWN) and outcome.note
        assert len(automation.called("click")) == 1
        assert not [one for one in stage.asked if "input" in one]
        assert (await device.observe()).tree is not None


async def test_a_tap_refused_both_ways_is_an_error_and_each_way_was_asked_once() -> None:
    automation = Screen().automation()
    automation.results["click"] = JavaError("java.lang.SecurityException", REFUSED)
    stage = healthy(automation)
    stage.phone["shell,v2,raw:input"] = shell(err=REFUSED, code=255)
    async with opened(stage) as device:
        with pytest.raises(InjectionRefused) as caught:
            await device.act(Tap(MIDDLE))
    assert caught.value.serial == SERIAL and "developer options" in caught.value.advice
    assert len(automation.called("click")) == 1
    assert len([one for one in stage.asked if "input tap" in one]) == 1


async def test_a_tap_that_the_server_may_not_do_goes_through_input_from_then_on() -> None:
    automation = Screen().automation()
    automation.results["click"] = JavaError("java.lang.SecurityException", REFUSED)
    stage = healthy(automation)
    async with opened(stage) as device:
        outcomes = [await device.act(Tap(MIDDLE)) for _ in range(2)]
    assert [(one.sent, one.path) for one in outcomes] == [(Answer.YES, "input")] * 2
    assert len(automation.called("click")) == 1
    assert len([one for one in stage.asked if "input tap" in one]) == 2


@pytest.mark.parametrize(
    ("picture", "tree", "changed"),
    [
        (jpeg(200), dump("before"), Answer.NO),
        (jpeg(200, 120), dump("before"), Answer.YES),
        (jpeg(200), dump("after"), Answer.YES),
    ],
)
async def test_an_act_has_changed_something_if_pixels_or_tree_say_so(picture: str, tree: str, changed: Answer) -> None:
    screen = Screen()
    screen.after = (picture, tree)
    async with opened(healthy(screen.automation())) as device:
        view = await device.observe()
        outcome = await device.act(Tap(MIDDLE), on=view)
    assert (outcome.sent, outcome.changed, outcome.settled) == (Answer.YES, changed, True)


async def test_another_window_with_the_same_pixels_is_a_change() -> None:
    stage = healthy(Screen().automation())
    here, there = focus("Window{1 u0 com.example/com.example.Main}"), focus("Window{2 u0 com.example/com.example.Two}")
    async with opened(stage) as device:
        stage.phone[WINDOW] = in_turn(shell(here), shell(here), shell(there))
        view = await device.observe()
        outcome = await device.act(Tap(MIDDLE), on=view)
    assert outcome.changed is Answer.YES


async def test_a_screen_that_always_moves_says_nothing_about_an_act() -> None:
    screen = Screen()
    automation = screen.automation()

    def flicker(params: list[object]) -> str:
        screen.frames += 1
        return jpeg(200, 80 + 16 * (screen.frames % 5))

    automation.results["takeScreenshot"] = flicker
    clock = ManualClock()
    async with opened(healthy(automation), clock) as device:
        view = await device.observe()
        assert not view.stable and State.RESTLESS in view.states
        outcome = await device.act(Tap(MIDDLE), on=view)
        assert (outcome.changed, outcome.settled) == (Answer.UNKNOWN, False)
        before = clock.monotonic()
        await device.observe()
        assert clock.monotonic() - before < 1.0, "the full bound is paid once"


async def test_a_screen_without_focus_gets_time_to_find_one() -> None:
    stage = healthy(Screen().automation())
    stage.phone[WINDOW] = in_turn(
        shell(focus("null")), shell(focus("null")), shell(focus("Window{1 u0 com.example/com.example.Main}"))
    )
    async with opened(stage) as device:
        view = await device.observe()
    assert view.foreground.package == "com.example"


async def test_a_focus_that_never_comes_does_not_hold_the_look_for_ever() -> None:
    stage = healthy(Screen().automation())
    stage.phone[WINDOW] = shell(focus("null"))
    clock = ManualClock()
    async with opened(stage, clock) as device:
        before = clock.monotonic()
        view = await device.observe()
    assert view.foreground.package == "" and clock.monotonic() - before < 3


async def test_a_black_picture_of_a_phone_that_is_awake_is_a_protected_screen() -> None:
    screen = Screen()
    screen.picture = jpeg(0)
    async with opened(healthy(screen.automation())) as device:
        view = await device.observe()
    assert State.SECURE in view.states and view.frame.secure and view.tree is not None


async def test_a_black_picture_of_a_sleeping_phone_is_not() -> None:
    screen = Screen()
    screen.picture = jpeg(0)
    stage = healthy(screen.automation())
    stage.phone["shell,v2,raw:dumpsys power"] = shell("  mWakefulness=Asleep\n")
    async with opened(stage) as device:
        view = await device.observe()
    assert State.SCREEN_OFF in view.states and State.SECURE not in view.states


async def test_a_refused_screenshot_comes_by_screencap() -> None:
    automation = Screen().automation()
    automation.results["takeScreenshot"] = None
    async with opened(healthy(automation)) as device:
        assert (await device.observe()).frame.media_type == "image/x-rgba"


async def test_a_phone_that_gives_no_picture_says_what_was_tried() -> None:
    stage = healthy(None)
    stage.phone["exec:screencap"] = said(b"OKAYnot today")
    async with opened(stage) as device:
        with pytest.raises(BadFrame, match="not today") as caught:
            await device.observe()
    assert caught.value.advice


async def test_a_phone_whose_automation_waits_too_long_is_touched_through_input_from_then_on() -> None:
    screen, clock = Screen(), ManualClock()
    automation = screen.automation()

    def slow(params: list[object]) -> bool:
        clock.advance(6)
        return True

    automation.results["click"] = slow
    stage = healthy(automation)
    async with opened(stage, clock) as device:
        paths = [(await device.act(Tap(MIDDLE))).path for _ in range(2)]
    assert paths == ["uiautomator", "input"]
    assert "shell,v2,raw:input tap 160 320" in stage.asked and len(automation.called("click")) == 1


async def test_a_sleeping_phone_is_woken_through_input() -> None:
    stage = healthy(Screen().automation())
    async with opened(stage) as device:
        await device.act(PressKey(Key.WAKE))
        await device.act(PressKey(Key.BACK))
    assert [one for one in stage.asked if "keyevent" in one] == ["shell,v2,raw:input keyevent 224"]


async def test_without_automation_two_fingers_are_refused_before_anything_is_sent() -> None:
    stage = healthy(None)
    async with opened(stage) as device:
        with pytest.raises(CommandRefused, match="one finger"):
            await device.act(Pinch(MIDDLE, 2.0))
    assert not [one for one in stage.asked if "input" in one and "input_method" not in one]


def launching(answer: str) -> Stage:
    stage = healthy(Screen().automation())
    stage.phone["shell,v2,raw:pm list packages"] = shell("package:com.example\npackage:com.other\n")
    stage.phone["shell,v2,raw:cmd package resolve-activity"] = shell("priority=0\ncom.example/.Main\n")
    stage.phone["shell,v2,raw:am start"] = shell(answer)
    return stage


async def test_a_launch_that_fails_with_code_0_is_a_launch_failure() -> None:
    answer = "Starting: Intent { cmp=com.example/.Main }\nError type 3\nError: Activity class does not exist.\n"
    async with opened(launching(answer)) as device:
        with pytest.raises(LaunchFailed, match="Error type 3"):
            await device.act(OpenApp("com.example"))


async def test_a_launch_that_another_window_covers_says_which() -> None:
    stage = launching("Status: ok\nActivity: com.example/.Main\n")
    stage.phone[WINDOW] = shell(focus("Window{3 u0 com.android.permissioncontroller/.Grant}"))
    async with opened(stage) as device:
        outcome = await device.act(OpenApp("com.example"))
    assert outcome.sent is Answer.YES and "com.android.permissioncontroller" in outcome.note
    assert len([one for one in stage.asked if "am start" in one]) == 1


async def test_an_app_may_come_up_under_another_package() -> None:
    stage = launching("Status: ok\nActivity: com.other/.Real\n")
    stage.phone[WINDOW] = shell(focus("Window{3 u0 com.other/com.other.Real}"))
    async with opened(stage) as device:
        assert (await device.act(OpenApp("com.example"))).note == ""
