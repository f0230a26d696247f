"""Every fault of the groups Pixels, Tree and Timing, fired on a real wire: the state or error that the driver names,
or how it goes on. That a fault has fired is asked of the phone's owner's endpoint."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from device.actions import Key, OpenApp, PressKey, Tap
from device.adb.capture import Path
from device.adb.device import AdbDevice
from device.base import ADVICE, Answer, State
from device.clock import SystemClock
from device.errors import (
    BadFrame,
    DeadlineExceeded,
    ScreenOff,
    StaleView,
)
from device.geometry import Point
from tests.device.adb.looking_bench import DISPLAY, looked_until, once, prefer, shows
from tests.device.adb.phone_bench import SETTINGS, Bench, center
from tests.lab import Lab

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Bench, bytes]]:
    """A phone with the first page of Settings in front."""
    lab = Lab(tmp_path_factory.mktemp("looking"))
    with lab.adb_server(), lab.phone() as phone:
        bench = Bench(lab, phone)
        bench.do("start", package=SETTINGS)
        yield bench, bench.snapshot()


@pytest.fixture
def bench(shared: tuple[Bench, bytes]) -> Bench:
    one, fresh = shared
    one.fresh(fresh)
    return one


@pytest.fixture
async def device(bench: Bench) -> AsyncIterator[AdbDevice]:
    async with bench.opened() as one:
        prefer(one, Path.JPEG)
        yield one


async def open_display(device: AdbDevice) -> None:
    view = await device.observe()
    await device.act(Tap(center(view, "Display")), on=view)


# Pixels


async def test_a_frame_is_never_older_than_the_last_act_although_the_phone_hands_out_old_ones(
    bench: Bench, device: AdbDevice
) -> None:
    await device.observe()
    bench.faults(stale_frame=True)
    for label, then in (("Display", DISPLAY), ("", "Search settings")):
        view = await device.observe()
        assert shows(view, bench)
        act = Tap(center(view, label)) if label else PressKey(Key.BACK)
        before = time.time()
        outcome = await device.act(act, on=view)
        assert outcome.changed is Answer.YES
        after = await device.observe()
        assert shows(after, bench) and then in str(after.tree)
        assert after.frame.taken_at.timestamp() > before + outcome.timings["inject"] / 6
    assert bench.fired()["stale_frame"] > 4


@pytest.mark.parametrize("fault", ["half_drawn", "black_frame"])
async def test_a_picture_that_is_dark_without_a_reason_is_taken_another_way(
    bench: Bench, device: AdbDevice, fault: str
) -> None:
    bench.faults(**{fault: {"path": "u2"}})
    view = await device.observe()
    assert State.SECURE not in view.states and shows(view, bench)
    assert any("black" in note for note in view.notes) and bench.fired()[fault] > 0


async def test_a_screen_that_is_black_every_way_is_said_to_be_and_is_not_called_protected(
    bench: Bench, device: AdbDevice
) -> None:
    bench.faults(black_frame=True)
    view = await device.observe()
    assert State.SECURE not in view.states and view.tree is not None
    assert any("black" in note for note in view.notes)


async def test_a_picture_that_takes_for_ever_is_taken_another_way_within_its_deadline(
    bench: Bench, device: AdbDevice
) -> None:
    device._eyes._capture.deadline = 1.0
    bench.faults(capture_slow={"path": "u2", "ms": 60_000})
    started = time.monotonic()
    view = await device.observe()
    # The deadline is lost once; from then on the other path comes first.
    assert 1.0 < time.monotonic() - started < 6 and shows(view, bench)
    bench.faults(capture_slow={"ms": 60_000})
    with pytest.raises(DeadlineExceeded, match="no picture") as caught:
        await device._eyes.picture()
    assert caught.value.serial == bench.phone.serial and caught.value.advice


@pytest.mark.parametrize("path", list(Path))
async def test_a_picture_that_breaks_off_is_seen_to_and_read_again(bench: Bench, device: AdbDevice, path: Path) -> None:
    prefer(device, path)
    once(bench, "truncated_image")
    frame = await device._eyes.picture()
    assert bench.fired() == {"truncated_image": 1} and frame.pixels.std() > 5
    assert (path is Path.JPEG) == (frame.media_type == "image/jpeg")


async def test_pictures_that_always_break_off_are_a_bad_frame_with_advice(bench: Bench, device: AdbDevice) -> None:
    bench.faults(truncated_image=True)
    with pytest.raises(BadFrame, match="breaks off") as caught:
        await device.observe()
    assert caught.value.serial == bench.phone.serial and caught.value.advice and caught.value.doing


async def test_a_picture_on_its_side_is_not_believed(bench: Bench, device: AdbDevice) -> None:
    bench.faults(wrong_rotation={"path": "u2"})
    assert shows(await device.observe(), bench)
    bench.faults(wrong_rotation=True)
    with pytest.raises(BadFrame, match="the screen"):
        await device.observe()


async def test_a_smaller_picture_is_scaled_and_a_tap_on_it_lands_where_it_was_meant(
    bench: Bench, device: AdbDevice
) -> None:
    bench.faults(scaled_frame={"factor": 0.5})
    view = await device.observe()
    assert view.frame.size == (await device.describe()).size and any("scaled" in note for note in view.notes)
    mark = bench.mark()
    await device.act(Tap(Point(0.5, 0.13)), on=view)
    (data,) = (one["data"] for one in bench.journal(mark) if one["data"].get("action") == "tap")
    assert (data["x"], data["y"]) == Point(0.5, 0.13).to_pixel(view.frame.size)


@pytest.mark.parametrize("fault", [{"scaled_frame": {"letterbox": True, "factor": 0.9}}, {"jpeg_artefacts": True}])
async def test_a_poor_picture_of_the_right_size_is_all_there_is_and_the_tree_is_read_with_it(
    bench: Bench, device: AdbDevice, fault: dict[str, Any]
) -> None:
    bench.faults(**fault)
    view = await device.observe()
    assert view.stable and view.tree is not None and bench.fired()


async def test_a_warning_in_front_of_the_picture_is_passed_over(bench: Bench, device: AdbDevice) -> None:
    bench.faults(display_warning=True, null_screenshot=True)
    view = await device.observe()
    assert shows(view, bench) and bench.fired()["null_screenshot"] > 0


async def test_a_protected_window_is_a_state_known_by_its_flag_and_its_tree_is_read(
    bench: Bench, device: AdbDevice
) -> None:
    bench.do("set_secure", package=SETTINGS)
    view = await device.observe()
    assert State.SECURE in view.states and view.frame.secure and SETTINGS in view.details[State.SECURE]
    assert "Display" in str(view.tree)
    bench.do("set_secure", package=SETTINGS, capture="null")
    assert State.SECURE in (await device.observe()).states
    bench.do("set_secure", package=SETTINGS, on=False)
    assert State.SECURE not in (await device.observe()).states


# Tree


@pytest.mark.parametrize("fault", ["not_idle", "dump_killed", "empty_tree"])
async def test_a_phone_without_our_server_that_gives_no_tree_is_seen_without_one(bench: Bench, fault: str) -> None:
    bench.faults(server_quits=True, **{fault: {"path": "stock"} if fault == "empty_tree" else True})
    async with bench.opened() as device:
        view = await device.observe()
    assert view.tree is None and State.NO_TREE in view.states and view.details[State.NO_TREE] == view.tree_reason
    assert shows(view, bench) and bench.fired()[fault] > 0


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("empty_tree", "empty"),
        ("truncated_tree", "breaks off"),
        ("bounds_off", "reaches to"),
        ("wrong_window", "system's bars"),
    ],
)
async def test_a_tree_that_cannot_be_this_screens_is_no_tree_and_says_why(
    bench: Bench, device: AdbDevice, fault: str, said: str
) -> None:
    bench.faults(**{fault: True})
    view = await device.observe()
    assert view.tree is None and said in view.tree_reason and State.NO_TREE in view.states and shows(view, bench)
    bench.faults(**{fault: False})
    assert (await device.observe()).tree is not None


@pytest.mark.parametrize("fault", ["truncated_tree", "bounds_off", "wrong_window"])
async def test_a_tree_that_does_not_fit_once_is_read_again(bench: Bench, device: AdbDevice, fault: str) -> None:
    once(bench, fault)
    view = await device.observe()
    assert "Display" in str(view.tree) and bench.fired() == {fault: 1}


async def test_a_tree_that_was_left_behind_is_read_again(bench: Bench, device: AdbDevice) -> None:
    view = await device.observe()
    bench.faults(stale_tree=True)
    await device.observe()
    await device.act(Tap(center(view, "Display")), on=view)
    assert DISPLAY in str((await device.observe()).tree) and bench.fired()["stale_tree"] > 0


@pytest.mark.parametrize("fault", ["missing_texts", "duplicate_ids", "roots_shuffled"])
async def test_a_poor_tree_still_tells_whether_a_tap_changed_something(
    bench: Bench, device: AdbDevice, fault: str
) -> None:
    place = center(await device.observe(), "Display")
    bench.faults(**{fault: True})
    view = await device.observe()
    beside = await device.act(Tap(Point(0.5, 0.999)), on=view)
    assert beside.changed is Answer.NO
    assert (await device.act(Tap(place), on=view)).changed is Answer.YES and bench.fired()[fault] > 0


async def test_a_taken_automation_is_left_to_who_has_it(bench: Bench) -> None:
    bench.faults(automation_taken=True)
    async with bench.opened() as device:
        view = await device.observe()
    assert view.tree is None and "already registered" in view.tree_reason and shows(view, bench)


# Timing and interruptions


@pytest.mark.parametrize("fault", [{"cold_start": {"ms": 900}}, {"spinner": {"ms": 900}}])
async def test_a_screen_that_comes_late_is_waited_for_or_looked_at_again(
    bench: Bench, device: AdbDevice, fault: dict[str, Any]
) -> None:
    await device.act(PressKey(Key.HOME))
    bench.faults(**fault)
    outcome = await device.act(OpenApp(SETTINGS))
    assert outcome.sent is Answer.YES
    view = await looked_until(device, lambda view: "Display" in str(view.tree))
    assert shows(view, bench) and bench.fired()


async def test_what_pops_in_late_is_seen_by_the_next_look(bench: Bench, device: AdbDevice) -> None:
    bench.faults(late_layout={"ms": 700})
    await open_display(device)
    await bench.until(lambda: bench.fired().get("late_layout", 0) > 0)
    view = await looked_until(device, lambda view: shows(view, bench))
    assert DISPLAY in str(view.tree)


STATES: list[tuple[str, State, str]] = [
    ("anr", State.NOT_RESPONDING, SETTINGS),
    ("crash", State.CRASHED, SETTINGS),
    ("permission_dialog", State.PERMISSION, "contacts"),
    ("screen_off", State.SCREEN_OFF, ""),
]


@pytest.mark.parametrize(("fault", "state", "detail"), STATES)
async def test_an_interruption_is_a_state_with_what_the_caller_can_do(
    bench: Bench, device: AdbDevice, fault: str, state: State, detail: str
) -> None:
    assert state not in (await device.observe()).states
    once(bench, fault)
    view = await device.observe()
    assert state in view.states and detail in view.details.get(state, "").lower() and ADVICE[state]


async def test_a_touch_on_a_dark_screen_is_refused_before_it_is_lost(bench: Bench, device: AdbDevice) -> None:
    view = await device.observe()
    once(bench, "screen_off")
    await bench.until(lambda: not bench.facts()["awake"])
    mark = bench.mark()
    with pytest.raises(ScreenOff) as caught:
        await device.act(Tap(Point(0.5, 0.5)), on=view)
    assert "WAKE" in caught.value.advice and not [one for one in bench.journal(mark) if one["kind"] == "input"]


async def test_a_toast_over_the_screen_is_part_of_the_picture_and_no_state(bench: Bench, device: AdbDevice) -> None:
    before = await device.observe()
    once(bench, "toast")
    view = await device.observe()
    assert view.states == before.states and view.foreground == before.foreground and view.tree is not None


async def test_a_phone_that_is_turned_gives_a_turned_view_and_makes_the_one_before_stale(
    bench: Bench, device: AdbDevice
) -> None:
    view = await device.observe()
    once(bench, "rotate", to=1)
    await bench.until(lambda: bench.facts()["rotation"] == 1)
    with pytest.raises(StaleView):
        await device.act(Tap(Point(0.5, 0.5)), on=view)
    turned = await device.observe()
    assert turned.frame.rotation == 1 and turned.frame.size.width > turned.frame.size.height
    assert shows(turned, bench)


async def test_a_wall_clock_that_jumps_moves_no_deadline(bench: Bench, device: AdbDevice) -> None:
    once(bench, "clock_jump", ms=7_200_000)
    view = await device.observe()
    assert view.stable and shows(view, bench)


async def test_a_tap_that_lands_late_is_not_called_without_effect(bench: Bench, device: AdbDevice) -> None:
    async with bench.opened(SystemClock()) as patient:
        view = await patient.observe()
        bench.faults(tap_delayed={"ms": 600})
        outcome = await patient.act(Tap(center(view, "Display")), on=view)
        assert outcome.changed is Answer.YES and DISPLAY in str((await patient.observe()).tree)


async def test_a_judgement_that_came_too_early_is_corrected_by_the_next_look(bench: Bench, device: AdbDevice) -> None:
    view = await device.observe()
    bench.faults(tap_delayed={"ms": 2500})
    before = bench.facts()["screen"]
    outcome = await device.act(Tap(center(view, "Display")), on=view)
    assert outcome.changed is Answer.NO
    await bench.until(lambda: bench.facts()["screen"] != before)
    late = await device.observe()
    assert late.late_change and DISPLAY in str(late.tree)
    assert not (await device.observe()).late_change
