"""Every fault of the groups Device and ADB, fired on a real wire: the error that the driver names, or how it gets the
phone back, and within which time."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator, Iterator

import pytest

from device.actions import Tap
from device.adb.capture import Path
from device.adb.device import AdbDevice
from device.adb.u2 import U2
from device.base import Answer, State
from device.errors import AutomationDied, CommandRefused, DeviceError, DeviceUnauthorized
from tests.device.adb.looking_bench import DISPLAY, looked_until, once, prefer, shows
from tests.device.adb.phone_bench import SETTINGS, Bench, center
from tests.lab import Lab

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Bench, bytes]]:
    """A phone with the first page of Settings in front."""
    lab = Lab(tmp_path_factory.mktemp("link"))
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


async def test_a_link_that_is_cut_is_taken_up_again_and_the_view_says_so(bench: Bench, device: AdbDevice) -> None:
    await device.observe()
    once(bench, "disconnect", ms=800)
    view = await device.observe()
    assert bench.fired() == {"disconnect": 1} and shows(view, bench)
    assert any("connected" in note for note in view.notes)
    again = await device.observe()
    assert again.tree is not None and not again.notes


async def test_a_link_that_is_cut_in_the_middle_of_an_answer_is_taken_up_again(bench: Bench, device: AdbDevice) -> None:
    await device.observe()
    once(bench, "link_cut", service="shell")
    view = await device.observe()
    assert bench.fired() == {"link_cut": 1} and shows(view, bench) and view.notes


@pytest.mark.parametrize("service", ["shell", "exec", "u2"])
async def test_half_an_answer_is_never_taken_for_a_whole_one(bench: Bench, device: AdbDevice, service: str) -> None:
    prefer(device, Path.RAW if service == "exec" else Path.JPEG)
    await device.observe()
    once(bench, "half_answer", service=service)
    view = await device.observe()
    assert bench.fired() == {"half_answer": 1} and shows(view, bench) and "Display" in str(view.tree)


async def test_answers_that_always_break_off_are_a_named_error_within_its_bound(
    bench: Bench, device: AdbDevice
) -> None:
    bench.faults(half_answer={"service": "shell"})
    started = time.monotonic()
    with pytest.raises(DeviceError) as caught:
        await device.observe()
    assert caught.value.serial == bench.phone.serial and caught.value.doing and time.monotonic() - started < 15
    bench.faults(half_answer=False)
    assert shows(await device.observe(), bench)


async def test_an_act_whose_answer_was_cut_is_not_sent_again(bench: Bench, device: AdbDevice) -> None:
    view = await device.observe()
    mark = bench.mark()
    bench.faults(rpc_drop={"method": "click", "done": True})
    outcome = await device.act(Tap(center(view, "Display")), on=view)
    assert (outcome.sent, outcome.changed) == (Answer.UNKNOWN, Answer.UNKNOWN)
    assert [one["data"]["action"] for one in bench.journal(mark) if one["kind"] == "input"] == ["tap"]
    assert DISPLAY in str((await device.observe()).tree)


async def test_a_phone_that_waits_for_its_owner_is_unauthorized_at_once_and_usable_when_they_have_answered(
    bench: Bench, device: AdbDevice
) -> None:
    await device.observe()
    once(bench, "unauthorized")
    with pytest.raises(DeviceUnauthorized) as caught:
        await looked_until(device, lambda _: False)
    assert "allow USB debugging" in caught.value.advice
    bench.phone.ask("POST", "/faults/clear", json={})
    await back(bench)
    assert shows(await device.observe(), bench)


async def back(bench: Bench) -> None:
    """Wait until adb calls the phone ready again; connect it as its owner would."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        states = {one.serial: one.state for one in await bench.server.devices()}
        if states.get(bench.phone.serial) == "device":
            return
        with contextlib.suppress(DeviceError):
            await bench.server.disconnect(bench.phone.serial)
        with contextlib.suppress(DeviceError):
            await bench.server.connect(bench.phone.serial)
    raise AssertionError("the phone did not come back")


async def test_a_phone_that_restarts_is_found_again_locked_and_with_its_apps_gone(
    bench: Bench, device: AdbDevice
) -> None:
    bench.do("set_lock", kind="swipe")
    await device.observe()
    once(bench, "reboot", ms=800)
    view = await looked_until(device, lambda view: State.LOCKED in view.states)
    assert "swipe" in view.details[State.LOCKED]


async def test_a_server_that_is_killed_is_started_again_once_and_the_view_counts_it(
    bench: Bench, device: AdbDevice
) -> None:
    bench.faults(server_killed={"ms": 10})
    async with bench.opened() as one:
        for _ in range(3):
            assert shows(await one.observe(), bench)
        assert one._automation.starts <= 2
    bench.faults(server_killed=False)
    async with bench.opened() as one:
        assert (await one.observe()).tree is not None


async def test_a_server_that_quits_or_stays_silent_is_done_without_or_named(bench: Bench) -> None:
    bench.faults(server_quits=True)
    async with bench.opened() as device:
        view = await device.observe()
        assert shows(view, bench) and "Display" in str(view.tree), "the phone's own dumper reads it"
    bench.faults(server_quits=False, server_silent=True)
    with pytest.raises(AutomationDied, match="did not answer"):
        await U2.start(bench.server.link(bench.phone.serial), 0.5)


@pytest.mark.parametrize("fault", ["rpc_drop", "rpc_disconnected"])
async def test_a_server_that_fails_every_call_is_done_without(bench: Bench, device: AdbDevice, fault: str) -> None:
    bench.faults(**{fault: True})
    view = await device.observe()
    assert shows(view, bench) and view.foreground.package == SETTINGS and bench.fired()[fault] > 0


async def test_a_tree_that_never_comes_costs_its_deadline_and_no_more(bench: Bench, device: AdbDevice) -> None:
    device._automation.tree_deadline = 0.5
    bench.faults(rpc_hang={"method": "dumpWindowHierarchy"})
    started = time.monotonic()
    view = await device.observe()
    assert view.tree is None and "within 0.5 s" in view.tree_reason and time.monotonic() - started < 6


async def test_a_slow_shell_is_waited_for(bench: Bench, device: AdbDevice) -> None:
    bench.faults(slow_shell={"ms": 700, "command": "dumpsys"})
    view = await device.observe()
    assert view.foreground.package == SETTINGS and bench.fired()["slow_shell"] > 0


async def test_line_ends_of_an_old_terminal_change_nothing(bench: Bench) -> None:
    bench.faults(crlf=True)
    async with bench.opened() as device:
        assert shows(await device.observe(), bench)


async def test_a_full_phone_refuses_a_file_in_its_own_words(bench: Bench) -> None:
    bench.faults(storage_full=True)
    with pytest.raises(CommandRefused, match="No space left") as caught:
        await bench.server.link(bench.phone.serial).push(b"x" * 1000, "/data/local/tmp/x")
    assert "room" in caught.value.advice


async def test_a_phone_that_has_left_its_port_is_lost_within_the_bound_and_named(
    bench: Bench, device: AdbDevice
) -> None:
    # The last test here: the phone does not come back to its serial.
    await device.observe()
    before = bench.phone.ask("GET", "/faults")["address"]
    once(bench, "new_port")
    started = time.monotonic()
    with pytest.raises(DeviceError) as caught:
        await looked_until(device, lambda _: False)
    assert time.monotonic() - started < 20 and caught.value.serial == bench.phone.serial and caught.value.advice
    started = time.monotonic()
    with pytest.raises(DeviceError):
        await device.observe()
    assert time.monotonic() - started < 5, "who is known to be lost is not waited for again"
    assert bench.phone.ask("GET", "/faults")["address"] != before
