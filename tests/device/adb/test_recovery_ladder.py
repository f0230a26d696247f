"""The ladder by which a phone is got back, rung by rung, against a scripted adb server and a real one."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from device.actions import Tap
from device.adb.client import AdbServer, ensure_server
from device.adb.device import AdbDevice
from device.adb.recovery import PATIENCE, Recovery, on_network
from device.base import Answer
from device.clock import ManualClock
from device.errors import (
    AutomationDied,
    BadFrame,
    DeadlineExceeded,
    DeviceError,
    DeviceNotFound,
    DeviceOffline,
    DeviceUnauthorized,
    LinkLost,
    ServerUnavailable,
)
from device.geometry import Point
from tests.device.adb.phone_bench import Bench
from tests.device.adb.server import Answer as Said
from tests.device.adb.server import Stage, fail, okay, shell
from tests.lab import Lab

pytestmark = pytest.mark.anyio

ADDRESS = "10.0.0.2:5555"


def listed(state: str, serial: str = ADDRESS) -> Said:
    return okay(f"{serial} {state} transport_id:1\n" if state else "")


class Attached(Stage):
    """An adb server with one phone, whose state a reconnection changes."""

    def __init__(self, before: str, after: str = "device", serial: str = ADDRESS) -> None:
        super().__init__()
        self.state = before

        async def devices(wire: Any) -> None:
            await listed(self.state, serial)(wire)

        def becomes(words: str) -> Said:
            async def answer(wire: Any) -> None:
                self.state = after
                await okay(words)(wire)

            return answer

        self.host = {
            "host:version": okay("0029"),
            "host:devices-l": devices,
            "host:disconnect:": okay("disconnected"),
            "host:connect:": becomes(f"connected to {serial}"),
            "host:reconnect-offline": becomes("reconnecting"),
        }
        self.phone = {"shell,v2,raw:true": shell()}

    @property
    def verbs(self) -> list[str]:
        return [one.split(":")[1] for one in self.asked if one.startswith("host:") and "transport" not in one]


def failing(*errors: DeviceError) -> Callable[[], Awaitable[str]]:
    left = list(errors)

    async def read() -> str:
        if left:
            raise left.pop(0)
        return "read"

    return read


async def climb(stage: Stage, read: Callable[[], Awaitable[str]], serial: str = ADDRESS) -> tuple[str, Recovery]:
    async with stage.serving() as server:
        recovery = Recovery(server, serial, ManualClock(), lambda: None)
        return await recovery.reading(read, "looking"), recovery


@pytest.mark.parametrize(
    ("error", "rung"), [(LinkLost("cut"), "a new stream"), (AutomationDied("killed"), "the phone's server anew"),
                        (DeadlineExceeded("slow"), "a new stream")]
)  # fmt: skip
async def test_a_stream_that_breaks_once_is_replaced_and_the_link_is_left_alone(error: DeviceError, rung: str) -> None:
    stage = Attached("device")
    answer, recovery = await climb(stage, failing(error))
    assert answer == "read" and recovery.taken_steps() == (f"{rung}: {error}",) and not recovery.taken_steps()
    assert not {"connect", "disconnect", "reconnect-offline"} & set(stage.verbs)


@pytest.mark.parametrize("error", [DeviceOffline("device offline"), DeviceNotFound("not found")])
async def test_a_phone_on_the_network_that_is_offline_is_disconnected_and_connected(error: DeviceError) -> None:
    stage = Attached("offline")
    answer, recovery = await climb(stage, failing(error))
    assert answer == "read" and recovery.taken_steps() == (f"disconnected and connected: {error}",)
    assert [one for one in stage.verbs if "connect" in one] == ["disconnect", "connect"]


async def test_a_phone_on_usb_is_reconnected_where_it_is_offline() -> None:
    stage = Attached("offline", serial="R58M123")
    answer, recovery = await climb(stage, failing(DeviceOffline("device offline")), "R58M123")
    assert answer == "read" and "reconnected" in recovery.taken_steps()[0]
    assert "reconnect-offline" in stage.verbs and "disconnect" not in stage.verbs


async def test_two_broken_streams_and_a_phone_that_runs_nothing_are_a_dead_link_although_adb_calls_it_ready() -> None:
    stage = Attached("device")
    stage.phone = {}
    answer, recovery = await climb(stage, failing(LinkLost("one"), LinkLost("two")))
    assert answer == "read"
    assert recovery.taken_steps() == ("a new stream: one", "disconnected and connected: two")


async def test_a_phone_that_is_slow_and_alive_is_asked_twice_and_not_reconnected() -> None:
    stage = Attached("device")
    with pytest.raises(DeadlineExceeded) as caught:
        await climb(stage, failing(DeadlineExceeded("one"), DeadlineExceeded("two"), DeadlineExceeded("three")))
    assert "two" in str(caught.value) and caught.value.doing == "looking" and "connect" not in stage.verbs


@pytest.mark.parametrize("error", [BadFrame("no picture"), DeviceUnauthorized("unauthorized")])
async def test_what_no_rung_can_mend_goes_to_the_caller_at_once(error: DeviceError) -> None:
    stage = Attached("device")
    with pytest.raises(type(error)):
        await climb(stage, failing(error, error))
    assert stage.asked == []


async def test_a_phone_that_comes_back_unauthorized_is_named_so() -> None:
    stage = Attached("unauthorized")
    stage.host["host:transport:"] = fail("device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set")
    with pytest.raises(DeviceUnauthorized):
        await climb(stage, failing(DeviceOffline("device offline")))


async def test_a_phone_that_stays_away_is_lost_within_the_bound_logged_once_and_then_not_waited_for(
    caplog: pytest.LogCaptureFixture,
) -> None:
    stage = Attached("offline", after="offline")
    caplog.set_level(logging.WARNING)
    async with stage.serving() as server:
        clock = ManualClock()
        recovery = Recovery(server, ADDRESS, clock, lambda: None)
        with pytest.raises(DeviceOffline) as caught:
            await recovery.reading(failing(*[DeviceOffline("device offline")] * 9), "looking")
        assert clock.monotonic() <= PATIENCE + 5 and recovery.lost and caught.value.doing == "looking"
        started = clock.monotonic()
        with pytest.raises(DeviceOffline):
            await recovery.reading(failing(*[DeviceOffline("device offline")] * 9), "looking")
        assert clock.monotonic() - started < 4
        stage.host.update(Attached("device").host)
        assert await recovery.reading(failing(DeviceOffline("device offline")), "looking") == "read"
        assert not recovery.lost
    messages = [one.getMessage() for one in caplog.records]
    assert sum("phone lost" in one for one in messages) == 1 and sum("found again" in one for one in messages) == 1
    assert all("recovery" in one or "phone" in one for one in messages) and any("cause=" in one for one in messages)


async def test_somebody_elses_adb_server_is_waited_for_and_not_started() -> None:
    recovery = Recovery(AdbServer("127.0.0.1", 1), ADDRESS, ManualClock(), lambda: None)
    with pytest.raises(ServerUnavailable) as caught:
        await recovery.reading(failing(*[ServerUnavailable("no adb server answers")] * 9), "looking")
    assert caught.value.advice


def test_phones_on_the_network_are_known_by_their_serials() -> None:
    assert on_network("10.0.0.2:5555") and on_network("adb-R58M-x1._adb-tls-connect._tcp")
    assert not on_network("R58M123") and not on_network("emulator-5554")


async def test_our_own_adb_server_is_started_again_and_the_phone_connected_to_it(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = Lab(tmp_path_factory.mktemp("own"))
    for name in ("HOME", "ADB_MDNS", "ADB_USB", "ADB_EMU"):
        monkeypatch.setenv(name, lab.env[name])
    server = await ensure_server(lab.adb_port)
    assert server.ours and not (await ensure_server(lab.adb_port)).ours
    try:
        with lab.phone() as phone:
            bench = Bench(lab, phone)
            device = await AdbDevice.open(server, phone.serial)
            try:
                await device.observe()
                await server.kill()
                view = await device.observe()
                assert view.frame.pixels.std() > 5 and any("adb server anew" in note for note in view.notes)
                mark = bench.mark()
                await server.kill()
                outcome = await device.act(Tap(Point(0.5, 0.5)))
                assert outcome.sent is Answer.YES, "nothing had been sent when the server was found missing"
                assert [one["data"]["action"] for one in bench.journal(mark) if one["kind"] == "input"] == ["tap"]
            finally:
                await device.close()
    finally:
        await server.kill()
