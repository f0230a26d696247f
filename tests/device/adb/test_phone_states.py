"""States that befall a phone, what is prepared on it, and the accessibility services of its owner: on a real wire."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from device.actions import Key, OpenApp, PressKey, Tap
from device.adb.device import AdbDevice
from device.base import ADVICE, Answer, Preparation, State
from device.errors import DeviceBusy, Locked, ScreenOff
from device.geometry import Point
from tests.device.adb.phone_bench import CONTACTS, SETTINGS, TALKBACK, Bench, center
from tests.lab import Lab

pytestmark = pytest.mark.anyio

SWITCHES = "com.google.android.marvin.talkback/com.google.android.accessibility.switchaccess.SwitchAccessService"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Bench, bytes]]:
    lab = Lab(tmp_path_factory.mktemp("states"))
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
        yield one


Verb = tuple[str, dict[str, Any]]
BEFALLS: list[tuple[list[Verb], set[State], State, str]] = [
    ([("show_anr", {})], {State.NOT_RESPONDING}, State.NOT_RESPONDING, SETTINGS),
    ([("show_crash", {"package": SETTINGS})], {State.CRASHED}, State.CRASHED, SETTINGS),
    (
        [
            ("reset_permissions", {"package": CONTACTS}),
            ("request_permission", {"package": CONTACTS, "permission": "android.permission.READ_CONTACTS"}),
        ],
        {State.PERMISSION},
        State.PERMISSION,
        "contacts",
    ),
    ([("open_notifications", {})], {State.SHADE}, State.SHADE, ""),
    ([("set_lock", {"kind": "swipe"}), ("lock", {})], {State.LOCKED}, State.LOCKED, "swipe"),
    (
        [("set_lock", {"kind": "pin", "pin": "1234"}), ("lock", {})],
        {State.LOCKED, State.LOCKED_SECURE},
        State.LOCKED,
        "owner",
    ),
    ([("set_lock", {"kind": "none"}), ("sleep", {})], {State.SCREEN_OFF}, State.SCREEN_OFF, ""),
    ([("set_lock", {"kind": "none"}), ("doze", {})], {State.SCREEN_OFF, State.DOZING}, State.DOZING, ""),
    ([("set_lock", {"kind": "none"}), ("dream", {})], {State.SCREENSAVER}, State.SCREENSAVER, ""),
    ([("notify", {"package": SETTINGS, "title": "Hello"})], set(), State.KEYBOARD, ""),
]


@pytest.mark.parametrize(("verbs", "expected", "told", "detail"), BEFALLS, ids=range(len(BEFALLS)))
async def test_a_state_of_the_phone_is_recognised_named_and_advised_on(
    bench: Bench, device: AdbDevice, verbs: list[Verb], expected: set[State], told: State, detail: str
) -> None:
    for verb, arguments in verbs:
        bench.do(verb, **arguments)
    view = await device.observe()
    assert view.states - {State.NO_TREE, State.RESTLESS} == expected
    assert detail in view.details.get(told, "").lower() and ADVICE[told]


async def test_the_keyboard_is_a_state_and_goes_with_back(bench: Bench, device: AdbDevice) -> None:
    view = await device.observe()
    await device.act(Tap(center(view, "Search settings")), on=view)
    assert State.KEYBOARD in (await device.observe()).states
    await device.act(PressKey(Key.BACK))
    assert State.KEYBOARD not in (await device.observe()).states


# Preparing and putting back

SETTINGS_CHANGED = ("window_animation_scale", "transition_animation_scale", "animator_duration_scale")


def settings(bench: Bench) -> dict[str, dict[str, str]]:
    found = bench.phone.state()["settings"]
    return {space: dict(found[space]) for space in ("system", "secure", "global")}


WANTED = Preparation(animations_off=True, stay_awake=True, lock_rotation=True, show_touches=True)


async def test_what_is_prepared_is_put_back_and_nothing_is_prepared_unasked(bench: Bench, tmp_path: Path) -> None:
    before = settings(bench)
    async with bench.opened(folder=tmp_path) as device:
        await device.prepare(Preparation())
        assert settings(bench) == before
        await device.prepare(WANTED)
        now = settings(bench)
        assert all(now["global"][name] == "0" for name in SETTINGS_CHANGED)
        assert now["global"]["stay_on_while_plugged_in"] == "7" and now["system"]["show_touches"] == "1"
        assert now["system"]["accelerometer_rotation"] == "0" and now["secure"] == before["secure"]
        await device.restore()
        assert settings(bench) == before
        await device.prepare(WANTED)
    assert settings(bench) == before, "closing puts back what is still changed"


async def test_what_the_owner_changes_meanwhile_is_theirs(bench: Bench, tmp_path: Path) -> None:
    async with bench.opened(folder=tmp_path) as device:
        await device.prepare(Preparation(stay_awake=True, animations_off=True))
        await bench.sh("settings", "put", "global", "stay_on_while_plugged_in", "2")
    assert settings(bench)["global"]["stay_on_while_plugged_in"] == "2"
    assert settings(bench)["global"].get("window_animation_scale") != "0"


CHILD = """
import asyncio, os, sys
from pathlib import Path
from device.adb.client import AdbServer
from device.adb.device import AdbDevice
from device.base import Preparation

async def main(port, serial, folder):
    device = await AdbDevice.open(AdbServer("127.0.0.1", int(port)), serial, folder=Path(folder))
    await device.prepare(Preparation(animations_off=True, stay_awake=True, lock_rotation=True, show_touches=True))
    print("prepared", flush=True)
    await asyncio.sleep(60)

asyncio.run(main(*sys.argv[1:]))
"""


async def test_after_a_crash_the_next_to_open_the_phone_puts_everything_back(bench: Bench, tmp_path: Path) -> None:
    before = settings(bench)
    words = [sys.executable, "-c", CHILD, str(bench.lab.adb_port), bench.phone.serial, str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as child:  # noqa: ASYNC220 - nothing else waits here
        assert child.stdout is not None
        try:
            assert child.stdout.readline() == b"prepared\n"
            with pytest.raises(DeviceBusy):
                await AdbDevice.open(bench.server, bench.phone.serial, folder=tmp_path)
            assert settings(bench) != before
        finally:
            os.kill(child.pid, signal.SIGKILL)
    assert settings(bench) != before, "nobody has undone it yet"
    async with bench.opened(folder=tmp_path):
        assert settings(bench) == before


async def test_a_phone_is_woken_and_a_swipe_lock_opened_when_asked(bench: Bench, device: AdbDevice) -> None:
    bench.do("set_lock", kind="swipe")
    bench.do("sleep")
    with pytest.raises(ScreenOff):
        await device.act(Tap(Point(0.5, 0.5)))
    await device.prepare(Preparation(wake=True))
    assert State.LOCKED in (await device.observe()).states
    await device.prepare(Preparation(unlock=True))
    view = await device.observe()
    assert not {State.LOCKED, State.SCREEN_OFF} & view.states and view.foreground.package == SETTINGS


async def test_a_lock_with_a_secret_is_locked_with_advice_and_nothing_is_typed(bench: Bench, device: AdbDevice) -> None:
    bench.do("set_lock", kind="pin", pin="1234")
    bench.do("lock")
    mark = bench.mark()
    with pytest.raises(Locked) as caught:
        await device.prepare(Preparation(unlock=True))
    assert caught.value.secure and "by hand" in caught.value.advice and caught.value.doing
    assert not [one for one in bench.journal(mark) if one["kind"] in ("input", "key", "text")]
    assert bench.facts()["locked"]


# One owner


async def test_a_second_opening_of_a_phone_by_the_same_service_is_refused(bench: Bench, tmp_path: Path) -> None:
    async with bench.opened(folder=tmp_path) as device:
        with pytest.raises(DeviceBusy) as caught:
            await AdbDevice.open(bench.server, bench.phone.serial, folder=tmp_path)
        assert caught.value.serial == bench.phone.serial
        assert (await device.observe()).tree is not None, "the first one is not disturbed"
    async with bench.opened(folder=tmp_path):
        pass


# Accessibility services


async def test_with_a_screen_reader_on_nothing_is_started_that_would_silence_it(bench: Bench) -> None:
    bench.do("enable_accessibility_service", id=TALKBACK)
    before = settings(bench)
    async with bench.opened() as device:
        view = await device.observe()
        assert view.tree is None and "talkback" in view.tree_reason.lower()
        assert {State.NO_TREE, State.SCREEN_READER} <= view.states
        assert "talkback" in view.details[State.SCREEN_READER].lower()
        outcome = await device.act(OpenApp(SETTINGS), on=view)
        assert outcome.sent is Answer.YES
        await device.observe()
        assert bench.facts()["automation"] == "" and bench.facts()["screen_reader"], "no server, no dump"
        assert device._automation.starts == 0
    assert settings(bench) == before


async def test_with_consent_the_tree_is_read_and_the_services_are_at_work_again_afterwards(bench: Bench) -> None:
    for service in (TALKBACK, SWITCHES):
        bench.do("enable_accessibility_service", id=service)
    before = settings(bench)
    async with bench.opened(consent_accessibility=True) as device:
        view = await device.observe()
        assert view.tree is not None and State.SCREEN_READER in view.states
        assert bench.facts()["automation"] == "suppressing"
        info = await device.describe()
        assert set(info.accessibility_services) == {TALKBACK, SWITCHES}
    assert settings(bench) == before and bench.facts()["screen_reader"] and bench.facts()["automation"] == ""


async def test_a_screen_reader_that_is_switched_on_later_ends_our_server_before_anything_else(bench: Bench) -> None:
    async with bench.opened() as device:
        assert (await device.observe()).tree is not None and bench.facts()["automation"]
        bench.do("enable_accessibility_service", id=TALKBACK)
        view = await device.observe()
        assert any("turned on" in note for note in view.notes)
        await bench.until(lambda: bench.facts()["automation"] == "" and bench.facts()["screen_reader"])
        assert (await device.observe()).tree is None
        bench.do("enable_accessibility_service", id=TALKBACK, on=False)
        view = await device.observe()
        assert any(f"turned off: {TALKBACK}" in note for note in view.notes)
