"""Every fault of the group Input, fired on a real wire: what the driver does about it, or says of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from device.actions import Action, Key, LongPress, OpenApp, PressKey, Swipe, Tap, TypeText
from device.adb.device import AdbDevice
from device.base import Answer, Outcome, State
from device.clock import SystemClock
from device.errors import InjectionRefused, StaleView, UnsupportedText
from device.geometry import Point
from tests.device.adb.phone_bench import (
    SETTINGS,
    TALKBACK,
    Bench,
    center,
    field_text,
    open_editor,
    touches,
)
from tests.lab import Lab

pytestmark = pytest.mark.anyio

TEXT = "hello brave world"
MIDDLE = Point(0.5, 0.5)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Bench, bytes, bytes]]:
    """A phone out of the box, and the same phone with an empty field that has the focus."""
    lab = Lab(tmp_path_factory.mktemp("faults"))
    with lab.adb_server(), lab.phone() as phone:
        bench = Bench(lab, phone)
        fresh = bench.snapshot()
        asyncio.run(to_editor(bench))
        yield bench, fresh, bench.snapshot()


async def to_editor(bench: Bench) -> None:
    async with bench.opened() as device:
        await open_editor(device)


@pytest.fixture
def bench(shared: tuple[Bench, bytes, bytes]) -> Bench:
    one, fresh, _ = shared
    one.fresh(fresh)
    return one


@pytest.fixture
def editor(shared: tuple[Bench, bytes, bytes]) -> Bench:
    one, _, editing = shared
    one.fresh(editing)
    return one


@pytest.fixture
async def device(bench: Bench) -> AsyncIterator[AdbDevice]:
    async with bench.opened() as one:
        yield one


@pytest.fixture
async def typist(editor: Bench) -> AsyncIterator[AdbDevice]:
    async with editor.opened() as one:
        yield one


async def on_settings(device: AdbDevice, action: Action | str) -> Outcome:
    """Do it on the first page of Settings: an action, or a tap on a label."""
    await device.act(OpenApp(SETTINGS))
    view = await device.observe()
    return await device.act(Tap(center(view, action)) if isinstance(action, str) else action, on=view)


# Touches


async def test_a_dropped_tap_is_reported_as_no_change_and_not_repeated(bench: Bench, device: AdbDevice) -> None:
    await device.act(OpenApp(SETTINGS))
    view = await device.observe()
    bench.faults(tap_dropped=True)
    mark = bench.mark()
    outcome = await device.act(Tap(center(view, "Display")), on=view)
    assert (outcome.sent, outcome.changed) == (Answer.YES, Answer.NO)
    assert bench.fired() == {"tap_dropped": 1} and touches(bench.journal(mark)) == []


async def test_a_shifted_tap_is_judged_by_what_the_screen_shows(bench: Bench, device: AdbDevice) -> None:
    await device.act(OpenApp(SETTINGS))
    view = await device.observe()
    bench.faults(tap_shifted={"sigma_px": 400})
    before = bench.facts()["screen"]
    outcome = await device.act(Tap(center(view, "Display")), on=view)
    moved = bench.facts()["screen"] != before
    assert bench.fired() == {"tap_shifted": 1} and outcome.sent is Answer.YES
    assert moved is False or outcome.changed is Answer.YES


async def test_a_tap_that_the_phone_doubles_was_sent_once(bench: Bench, device: AdbDevice) -> None:
    bench.faults(tap_doubled=True)
    mark = bench.mark()
    outcome = await on_settings(device, Tap(Point(0.5, 0.13)))
    entries = bench.journal(mark)
    assert outcome.sent is Answer.YES and bench.fired() == {"tap_doubled": 1}
    assert [one["data"]["fault"] for one in entries if one["kind"] == "fault"] == ["tap_doubled"]
    assert touches(entries).count("tap") == 2


async def test_a_delayed_tap_is_not_repeated_and_a_later_look_shows_it(bench: Bench, device: AdbDevice) -> None:
    await device.act(OpenApp(SETTINGS))
    view = await device.observe()
    bench.faults(tap_delayed={"ms": 900})
    mark, screen = bench.mark(), bench.facts()["screen"]
    await device.act(Tap(center(view, "Display")), on=view)
    await bench.until(lambda: bench.facts()["screen"] != screen)
    assert "Dark theme" in str((await device.observe()).tree)
    assert bench.fired() == {"tap_delayed": 1} and touches(bench.journal(mark)) == ["tap"]


async def test_a_long_press_drawn_point_by_point_stays_long_where_a_click_would_be_cut_short(bench: Bench) -> None:
    bench.faults(long_press_short=True)
    mark = bench.mark()
    async with bench.opened(SystemClock()) as device:
        await device.act(LongPress(Point(0.5, 0.3), 0.7))
        assert bench.fired() == {}
        down, up = (one["ms"] for one in bench.journal(mark) if one["kind"] == "input")
        assert up - down >= 690
        u2 = device._automation.u2
        assert u2 is not None
        await u2.call("click", 540, 700, 700)
    assert bench.fired() == {"long_press_short": 1}


@pytest.mark.parametrize("fault", ["swipe_without_inertia", "swipe_overshoot"])
async def test_a_swipe_that_goes_further_or_less_far_has_changed_the_screen(
    bench: Bench, device: AdbDevice, fault: str
) -> None:
    bench.faults(**{fault: True})
    outcome = await on_settings(device, Swipe(Point(0.5, 0.8), Point(0.5, 0.5), 0.2))
    assert bench.fired() == {fault: 1} and (outcome.sent, outcome.changed) == (Answer.YES, Answer.YES)


async def test_a_dropped_key_is_reported_as_no_change_and_not_repeated(bench: Bench, device: AdbDevice) -> None:
    bench.faults(key_dropped=True)
    mark = bench.mark()
    outcome = await on_settings(device, PressKey(Key.BACK))
    assert (outcome.sent, outcome.changed) == (Answer.YES, Answer.NO)
    assert bench.fired() == {"key_dropped": 1} and "key" not in touches(bench.journal(mark))


async def test_a_phone_that_refuses_injection_says_what_to_switch_on(bench: Bench, device: AdbDevice) -> None:
    bench.faults(refuse_injection=True)
    mark = bench.mark()
    for action in (Tap(MIDDLE), LongPress(MIDDLE, 0.6), PressKey(Key.HOME)):
        with pytest.raises(InjectionRefused) as caught:
            await device.act(action)
        assert "USB debugging (Security settings)" in caught.value.advice and caught.value.serial
    assert bench.fired()["refuse_injection"] >= 3 and touches(bench.journal(mark)) == []


@pytest.mark.parametrize(("refused", "taken"), [("u2", "input"), ("input", "uiautomator")])
async def test_what_is_refused_one_way_goes_the_other_way_once(
    bench: Bench, device: AdbDevice, refused: str, taken: str
) -> None:
    bench.faults(refuse_injection={"path": refused})
    mark = bench.mark()
    outcomes = [await device.act(action) for action in (Tap(MIDDLE), LongPress(MIDDLE, 0.6))]
    assert [(one.sent, one.path) for one in outcomes] == [(Answer.YES, taken)] * 2
    drawn = [name for name in touches(bench.journal(mark)) if name in ("tap", "down")]
    assert drawn == ["tap", "down"]


async def test_a_server_that_waits_before_each_touch_is_left_for_input(bench: Bench) -> None:
    bench.faults(injection_slow={"path": "u2", "ms": 1700})
    mark = bench.mark()
    async with bench.opened(SystemClock()) as device:
        outcomes = [await device.act(Tap(Point(0.5, 0.4))) for _ in range(2)]
    assert [one.path for one in outcomes] == ["uiautomator", "input"]
    assert [one.sent for one in outcomes] == [Answer.YES] * 2
    assert touches(bench.journal(mark)) == ["tap", "tap"] and bench.fired()["injection_slow"] == 1


# Text

WRONG = ["chars_lost", "chars_doubled", "text_head_lost", "autocorrect", "text_ignored"]


def much(fault: str) -> dict[str, Any]:
    return {"share": 0.9} if fault.startswith("chars") else {}


@pytest.mark.parametrize("via", ["set", "paste"])
@pytest.mark.parametrize("fault", WRONG)
async def test_text_that_goes_wrong_one_way_is_mended_by_another(
    editor: Bench, typist: AdbDevice, fault: str, via: str
) -> None:
    before = "Dr " if via == "paste" else ""
    if before:
        await typist.act(TypeText(before))
    editor.faults(**{fault: {"via": via, **much(fault)}})
    outcome = await typist.act(TypeText(TEXT))
    assert editor.fired()[fault] >= 1
    assert outcome.sent is Answer.YES and outcome.landed == before + TEXT
    assert outcome.path == {"set": "paste", "paste": "set_text"}[via]
    assert field_text(await typist.observe()) == before + TEXT


@pytest.mark.parametrize("fault", WRONG)
async def test_text_that_goes_wrong_every_way_is_reported_with_both_texts(
    editor: Bench, typist: AdbDevice, fault: str
) -> None:
    editor.faults(**{fault: {"via": "any", **much(fault)}})
    outcome = await typist.act(TypeText(TEXT))
    shown = field_text(await typist.observe())
    assert outcome.sent is Answer.YES and (outcome.expected, outcome.landed) == (TEXT, shown)
    assert shown != TEXT and "characters instead of" in outcome.note and TEXT not in repr(outcome)


@pytest.mark.parametrize("fault", WRONG)
async def test_keys_that_go_wrong_are_noticed_without_the_server(editor: Bench, fault: str) -> None:
    editor.faults(server_quits=True, **{fault: {"via": "keys", **much(fault)}})
    async with editor.opened() as device:
        outcome = await device.act(TypeText(TEXT))
    assert editor.fired()[fault] >= 1 and outcome.sent is Answer.YES
    assert outcome.landed not in (None, TEXT) and str(outcome.expected).endswith(TEXT)
    assert "characters instead of" in outcome.note


async def test_swallowed_first_characters_are_mended_without_the_server(editor: Bench) -> None:
    editor.faults(server_quits=True)
    editor.faults(plan=[{"fault": "text_head_lost", "parameters": {"count": 3}, "when": {"next": 1}}])
    async with editor.opened() as device:
        outcome = await device.act(TypeText("Margaret"))
    assert editor.fired()["text_head_lost"] == 1
    assert (outcome.landed, outcome.path) == ("Margaret", "input")


async def test_a_late_keyboard_does_not_hold_typing_and_makes_a_place_below_it_stale(
    bench: Bench, device: AdbDevice
) -> None:
    bench.faults(keyboard_late={"ms": 1500})
    await open_editor(device)
    view = await device.observe()
    outcome = await device.act(TypeText(TEXT))
    assert outcome.landed == TEXT and view.keyboard is False and bench.fired()["keyboard_late"] >= 1
    await bench.until(lambda: bench.facts()["ime_shown"])
    mark = bench.mark()
    with pytest.raises(StaleView, match="keyboard"):
        await device.act(Tap(Point(0.5, 0.9)), on=view)
    assert touches(bench.journal(mark)) == []


async def test_a_keyboard_that_never_shows_is_no_hindrance(bench: Bench, device: AdbDevice) -> None:
    bench.faults(keyboard_absent=True)
    await open_editor(device)
    outcome = await device.act(TypeText(TEXT))
    view = await device.observe()
    assert outcome.landed == TEXT and view.keyboard is not True and State.KEYBOARD not in view.states
    assert bench.fired()["keyboard_absent"] >= 1


# A screen reader


async def test_with_a_screen_reader_on_a_tap_activates_and_the_reader_stays_on(bench: Bench) -> None:
    bench.do("enable_accessibility_service", id=TALKBACK)
    async with bench.opened() as device:
        outcome = await device.act(OpenApp(SETTINGS))
        mark = bench.mark()
        opened = await device.act(Tap(Point(0.5, 0.4)))
        scrolled = await device.act(Swipe(Point(0.5, 0.8), Point(0.5, 0.4), 0.2))
    assert [one.sent for one in (outcome, opened, scrolled)] == [Answer.YES] * 3 and opened.path == "input"
    assert touches(bench.journal(mark)) == ["tap", "swipe"] and opened.changed is Answer.YES
    facts = bench.facts()
    assert facts["screen_reader"] is True and facts["automation"] == ""
    assert TALKBACK in await bench.sh("settings", "get", "secure", "enabled_accessibility_services")


async def test_with_a_screen_reader_on_plain_text_is_typed_unread_and_other_text_is_refused(editor: Bench) -> None:
    editor.do("enable_accessibility_service", id=TALKBACK)
    async with editor.opened() as device:
        outcome = await device.act(TypeText("plain words"))
        with pytest.raises(UnsupportedText) as caught:
            await device.act(TypeText("你好"))
    assert (outcome.sent, outcome.path, outcome.landed) == (Answer.YES, "input", None) and outcome.note
    assert caught.value.advice and editor.facts()["screen_reader"] is True
    async with editor.opened(consent_accessibility=True) as device:
        assert field_text(await device.observe()) == "plain words"
