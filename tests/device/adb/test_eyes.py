"""What a look makes of a screen that moves, and of a tree that lags behind, on a phone whose answers are scripted."""

from __future__ import annotations

import pytest

from device.base import State
from device.clock import ManualClock
from device.settle import RESTLESS_BOUND
from tests.device.adb.server import healthy, in_turn, shell
from tests.device.adb.test_uncertain_acts import WINDOW, Screen, dump, focus, jpeg, opened

pytestmark = pytest.mark.anyio

SERVICES = "shell,v2,raw:settings get secure enabled_accessibility_services"


async def test_a_restless_screen_costs_its_bound_once_also_when_it_is_visited_again_later() -> None:
    screen, clock = Screen(), ManualClock()
    automation, restless = screen.automation(), [True]

    def flicker(params: list[object]) -> str:
        screen.frames += 1
        return jpeg(200, 80 + 16 * (screen.frames % 5)) if restless[0] else jpeg(120)

    automation.results["takeScreenshot"] = flicker
    stage = healthy(automation)
    film, page = (shell(focus(f"Window{{1 u0 com.example/com.example.{name}}}")) for name in ("Film", "Page"))

    async def visit(moving: bool) -> tuple[bool, float]:
        restless[0], stage.phone[WINDOW] = moving, film if moving else page
        started = clock.monotonic()
        view = await device.observe()
        return State.RESTLESS in view.states, clock.monotonic() - started

    async with opened(stage, clock) as device:
        assert (await visit(True))[0] and (await visit(False))[0] is False
        again, took = await visit(True)
        assert again and took < RESTLESS_BOUND + 0.5


async def test_a_tree_that_did_not_change_with_the_screen_is_read_again() -> None:
    screen = Screen()
    automation = screen.automation()
    trees = [dump("before")] * 3 + [dump("after")]
    automation.results["dumpWindowHierarchy"] = lambda _: trees.pop(0) if len(trees) > 1 else trees[0]
    async with opened(healthy(automation)) as device:
        assert "before" in str((await device.observe()).tree)
        screen.picture = jpeg(200, 120)
        assert "after" in str((await device.observe()).tree)


async def test_a_screen_that_changes_while_its_tree_is_read_is_looked_at_again() -> None:
    screen = Screen()
    automation = screen.automation()
    pages = [("before", jpeg(200)), ("after", jpeg(200, 120))]

    def read(params: list[object]) -> str:
        words, screen.picture = pages[0][0], pages[-1][1]
        del pages[:-1]
        return dump(words)

    automation.results["dumpWindowHierarchy"] = read
    async with opened(healthy(automation)) as device:
        view = await device.observe()
        again = await device.observe()
    assert "after" in str(view.tree) and view.frame.sha256 == again.frame.sha256 and view.stable


async def test_services_that_come_and_go_are_said_at_the_look_that_finds_it() -> None:
    stage = healthy(Screen().automation())
    async with opened(stage) as device:
        assert (await device.observe()).notes == ()
        stage.phone[SERVICES] = shell("a.b/a.b.Reader\n")
        assert (await device.observe()).notes == ("accessibility service turned on: a.b/a.b.Reader",)
        stage.phone[SERVICES] = shell("null\n")
        assert "accessibility service turned off: a.b/a.b.Reader" in (await device.observe()).notes


async def test_no_dumper_is_started_beside_a_service_that_has_just_been_switched_on() -> None:
    stage = healthy(None)
    stage.phone["shell,v2,raw:uiautomator"] = shell("ERROR: could not get idle state.\n")
    async with opened(stage) as device:
        device._automation._busy = False
        stage.phone[SERVICES] = in_turn(shell("a.b/a.b.Reader\n"))
        view = await device.observe()
    assert view.tree is None and "would be silenced" in view.tree_reason
    assert not [one for one in stage.asked if "uiautomator dump" in one]
