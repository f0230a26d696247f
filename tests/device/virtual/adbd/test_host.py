"""The phone in its thread: who waits for whom."""

from __future__ import annotations

import asyncio
import statistics
import threading
import time
from typing import Literal

import pytest

from device.virtual.core.clock import VirtualClock
from device.virtual.host import EMULATOR_PORTS, PhoneStopped, PhoneThread, serve_phone
from device.virtual.phone import VirtualPhone

from .adb_host import AdbHost

pytestmark = pytest.mark.anyio


async def test_the_event_loop_goes_on_while_the_phone_is_busy() -> None:
    phone = PhoneThread(VirtualPhone())
    phone.start()
    release = threading.Event()
    busy = asyncio.create_task(phone.run(lambda p: release.wait(10)))
    await asyncio.sleep(0)
    ticks = 0
    for _ in range(50):
        await asyncio.sleep(0.001)
        ticks += 1
    assert not busy.done() and ticks == 50
    release.set()
    assert await busy is True
    await phone.stop()


async def test_jobs_are_carried_out_in_order_in_one_thread_and_their_errors_come_through() -> None:
    phone = PhoneThread(VirtualPhone())
    phone.start()
    names = await asyncio.gather(*(phone.run(lambda p, n=n: (n, threading.current_thread().name)) for n in range(20)))
    assert [number for number, _ in names] == list(range(20)) and {name for _, name in names} == {"virtual phone"}
    with pytest.raises(ZeroDivisionError):
        await phone.run(lambda p: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        await phone.until(lambda p: bool(1 // 0), 1)
    assert await phone.run(lambda p: p.frame()) == 1
    await phone.stop()


async def test_a_gesture_on_a_live_clock_takes_its_time_and_ends() -> None:
    async with serve_phone(VirtualPhone(clock=VirtualClock("live"))) as served:
        began = time.monotonic()
        pending = await served.host.run(lambda p: p.swipe([(500, 1500), (500, 1000)], 200))
        assert not pending.done
        assert await served.host.until(lambda p: pending.done, 5)
        assert 0.19 <= time.monotonic() - began < 2


async def test_waiting_on_a_manual_clock_advances_it_and_a_condition_ends_it_early() -> None:
    phone = VirtualPhone()
    host = PhoneThread(phone)
    host.start()
    assert not await host.until(lambda p: False, 2.5)
    assert phone.clock.now_ms() == pytest.approx(2500)
    assert await host.until(lambda p: p.clock.now_ms() >= 3000, 100)
    assert phone.clock.now_ms() < 3050
    await host.stop()


async def test_who_waits_for_ever_does_not_move_a_manual_clock_and_is_let_go_at_the_end() -> None:
    phone = VirtualPhone()
    host = PhoneThread(phone)
    host.start()
    waiting = asyncio.create_task(host.until(lambda p: False, 1e9))
    await host.run(lambda p: None)
    await host.run(lambda p: None)
    assert phone.clock.now_ms() == 0
    await host.stop()
    with pytest.raises(PhoneStopped):
        await waiting
    with pytest.raises(PhoneStopped):
        await host.run(lambda p: None)


async def test_whoever_no_longer_waits_is_forgotten() -> None:
    phone = VirtualPhone()
    host = PhoneThread(phone)
    host.start()
    looks = 0

    def look(p: VirtualPhone) -> bool:
        nonlocal looks
        looks += 1
        return False

    waiting = asyncio.create_task(host.until(look, 1e9))
    await asyncio.sleep(0.05)
    await host.run(lambda p: None)  # comes after the condition, which has been looked at by then
    assert looks
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await host.run(lambda p: None)
    before = looks
    await host.run(lambda p: None)
    await host.run(lambda p: None)
    assert looks == before
    await host.stop()


@pytest.mark.parametrize("mode", ["live", "manual"])
async def test_a_timer_that_fails_does_not_take_the_phone_along(mode: Literal["live", "manual"]) -> None:
    phone = VirtualPhone(clock=VirtualClock(mode))
    phone.clock.at(phone.clock.now_ms() + 5, "crash", lambda: 1 // 0)  # type: ignore[arg-type, return-value]
    host = PhoneThread(phone)
    host.start()
    await host.sleep(0.02)
    assert await host.run(lambda p: p.clock.due()) is None
    await host.stop()


async def test_a_phone_is_served_on_a_free_port_that_no_emulator_scan_finds() -> None:
    async with serve_phone(VirtualPhone()) as one, serve_phone(VirtualPhone()) as two:
        ports = [int(served.address.rpartition(":")[2]) for served in (one, two)]
        assert ports[0] != ports[1] and not any(port in EMULATOR_PORTS for port in ports)
        with pytest.raises(OSError):
            async with serve_phone(VirtualPhone(), port=ports[0]):
                raise AssertionError("two phones on one port")


async def test_connections_are_cut_when_the_phone_is_put_away() -> None:
    async with serve_phone(VirtualPhone()) as served:
        reader, writer = await asyncio.open_connection(*served.address.split(":"))
    async with asyncio.timeout(5):
        assert await reader.read() == b""
    writer.close()


async def test_a_tiny_shell_call_takes_milliseconds() -> None:
    """The bound is far above what was measured (0.5 ms); a forgotten TCP_NODELAY would cost 40 ms."""
    async with serve_phone(VirtualPhone(clock=VirtualClock("live"))) as served, AdbHost.connect(served.address) as wire:
        await wire.greet()
        times = []
        for _ in range(50):
            began = time.perf_counter()
            await wire.shell("getprop ro.build.version.sdk")
            times.append(time.perf_counter() - began)
        assert statistics.median(times) < 0.02
