"""Planned failures look as they do on real phones, and say in the journal that they were planned."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from device.virtual.host import ServedPhone, serve_phone
from device.virtual.phone import VirtualPhone

from .adb_host import AdbHost
from .test_u2_server import START, Client, by

pytestmark = pytest.mark.anyio


@pytest.fixture
async def served(phone: VirtualPhone) -> AsyncIterator[ServedPhone]:
    async with serve_phone(phone) as served:
        yield served


@pytest.fixture
async def wire(served: ServedPhone) -> AsyncIterator[AdbHost]:
    async with AdbHost.connect(served.address) as host:
        await host.greet()
        await host.shell("echo jar > /data/local/tmp/u2.jar")
        yield host


async def client(wire: AdbHost) -> Client:
    process = await wire.open(START)
    await process.read()
    return Client(await wire.open("tcp:9008"))


async def switch(served: ServedPhone, values: dict[str, object]) -> None:
    await served.host.run(lambda phone: served.adbd.conditions.injector.switch(phone, values))


def faults(phone: VirtualPhone) -> list[str]:
    return [entry.data["fault"] for entry in phone.journal.entries("fault")]


async def test_a_phone_may_refuse_to_be_touched(served: ServedPhone, wire: AdbHost, phone: VirtualPhone) -> None:
    u2 = await client(wire)
    await switch(served, {"refuse_injection": True})
    before = len(phone.journal.entries("input"))
    for line in ("input tap 1 2", "cmd input tap 1 2"):
        status, _, err = await wire.shell(line)
        assert status == 255 and b"java.lang.SecurityException" in err and b"INJECT_EVENTS" in err
    for call in (
        ("click", 1, 2),
        ("injectInputEvent", 0, 1, 2, 0),
        ("pressKey", "home"),
        ("setText", by(instance=0), "x"),
    ):
        error = await u2.error(*call)
        assert error["message"] == "java.lang.SecurityException" and "INJECT_EVENTS" in error["data"]
    assert len(phone.journal.entries("input")) == before
    assert set(faults(phone)) == {"refuse_injection"}


async def test_the_automation_may_be_taken_by_another(served: ServedPhone, wire: AdbHost, phone: VirtualPhone) -> None:
    await switch(served, {"automation_taken": True})
    assert b"already registered" in await (await wire.open(START)).all()
    status, _, err = await wire.shell("uiautomator dump")
    assert status == 1 and b"already registered" in err
    assert faults(phone) == ["automation_taken"] * 2


async def test_tree_and_picture_may_be_missing(served: ServedPhone, wire: AdbHost) -> None:
    u2 = await client(wire)
    await switch(served, {"empty_tree": True, "null_screenshot": True})
    assert '<hierarchy rotation="0" />' in await u2.call("dumpWindowHierarchy", False, 50)
    assert await u2.call("takeScreenshot", 1, 80) is None


@pytest.mark.parametrize("kind", ["hang", "drop"])
async def test_a_call_may_stay_without_an_answer(served: ServedPhone, wire: AdbHost, kind: str) -> None:
    u2 = await client(wire)
    assert await u2.call("ping") == "pong"
    await switch(served, {"rpc": kind})
    stream = await wire.open("tcp:9008")
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}'
    await stream.write(b"POST /jsonrpc/0 HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    if kind == "drop":
        assert await stream.all() == b""
        return
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await stream._data.get()
    assert (await u2.http("GET /ping HTTP/1.1"))[1] == b"pong"  # the server itself is alive


async def test_the_automation_may_be_disconnected(served: ServedPhone, wire: AdbHost) -> None:
    u2 = await client(wire)
    await switch(served, {"rpc": "disconnected"})
    assert "UiAutomation not connected" in (await u2.error("deviceInfo"))["data"]


async def test_a_phone_of_two_displays_warns_before_the_picture(served: ServedPhone, wire: AdbHost) -> None:
    await switch(served, {"display_warning": True})
    _, out, _ = await wire.shell("screencap -p")
    assert out.startswith(b"[Warning] Multiple displays were found") and out.count(b"\x89PNG") == 1
    _, out, _ = await wire.shell("screencap -p -d 4619827259835644672")
    assert out.startswith(b"\x89PNG")
