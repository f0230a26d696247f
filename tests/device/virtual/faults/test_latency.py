"""The latency model: each kind of command takes its time on the phone's clock, and only there."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

import pytest

from device.virtual.core.clock import VirtualClock
from device.virtual.faults.fault import BadFault
from device.virtual.faults.latency import LATENCIES, latency
from device.virtual.host import serve_phone
from device.virtual.phone import VirtualPhone
from tests.device.virtual.adbd.adb_host import AdbHost
from tests.device.virtual.adbd.test_u2_server import Client

from .wired import Wired

pytestmark = pytest.mark.anyio


@pytest.fixture
async def wired() -> AsyncIterator[Wired]:
    async with Wired.up(latency="phone") as wired:
        yield wired


async def taken(wired: Wired, line: str) -> float:
    start = await wired.now()
    await wired.host.shell(line)
    return await wired.now() - start


@pytest.mark.parametrize(
    ("line", "ms"),
    [
        ("echo x", 0),
        ("getprop ro.serialno", 20),
        ("input tap 5 6", 226),
        ("input keyevent 0", 226),
        ("cmd input tap 5 6", 226),
        ("screencap -p", 450),
        ("screencap /sdcard/x.png", 450),
        ("screencap", 275),
        ("uiautomator dump", 2150),
        ("am force-stop com.android.settings", 226),
        ("dumpsys power", 40),
        ("dumpsys power; echo X4EXIT:$?", 40),
    ],
)
async def test_a_shell_command_takes_its_time(wired: Wired, line: str, ms: float) -> None:
    assert await taken(wired, line) == pytest.approx(ms)


async def test_calls_of_the_automation_server_take_theirs(wired: Wired) -> None:
    client, _ = await wired.server()
    elements = (await client.call("dumpWindowHierarchy", False, 50)).count("<node")
    for call, ms in (
        (("deviceInfo",), 2),
        (("click", 5, 6), 106),  # the press itself has 100
        (("takeScreenshot", 1, 80), 100),
        (("dumpWindowHierarchy", False, 50), 100 + 1.5 * elements),
    ):
        assert await clocked(wired, client, call) == pytest.approx(ms)


async def clocked(wired: Wired, client: Client, call: tuple[object, ...]) -> float:
    start = await wired.now()
    await client.call(str(call[0]), *call[1:])
    return await wired.now() - start


async def test_the_framebuffer_takes_its_time(wired: Wired) -> None:
    start = await wired.now()
    await (await wired.host.open("framebuffer:")).all()
    assert await wired.now() - start == pytest.approx(275)


async def test_a_picture_is_taken_before_it_is_encoded(wired: Wired) -> None:
    """What changes while the phone encodes is not in the picture."""
    before = await wired.served.host.run(lambda phone: phone.png())
    await wired.served.host.run(
        lambda phone: phone.clock.at(phone.clock.now_ms() + 200, "change", lambda: phone.show_toast("late"))
    )
    _, taken, _ = await wired.host.shell("screencap -p")
    assert taken == before != await wired.served.host.run(lambda phone: phone.png())


async def test_without_a_model_nothing_takes_time() -> None:
    async with Wired.up() as wired:
        assert await taken(wired, "screencap -p; input tap 5 6; dumpsys power") == 0


async def test_in_real_time_a_command_really_takes_it() -> None:
    phone = VirtualPhone(clock=VirtualClock("live"))
    async with serve_phone(phone, latency="phone") as served, AdbHost.connect(served.address) as host:
        await host.greet()
        start = time.monotonic()
        await host.shell("input keyevent 0")
        assert time.monotonic() - start >= 0.22


def test_every_model_is_slower_than_the_one_before_and_unknown_ones_are_refused() -> None:
    none, phone, slow = LATENCIES.values()
    assert not none.delays and phone.delays.keys() == slow.delays.keys()
    for key, delay in phone.delays.items():
        assert slow.delays[key].before + slow.delays[key].after > delay.before + delay.after
    with pytest.raises(BadFault, match="no latency 'fast'; known are none, phone, slow"):
        latency("fast")
