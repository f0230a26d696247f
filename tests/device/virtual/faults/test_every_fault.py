"""Every fault there is fires on the wire and stands in the journal."""

from __future__ import annotations

import asyncio
import contextlib
import json

import pytest

from device.virtual.faults.catalogue import FAULTS
from tests.device.virtual.adbd.adb_host import AdbHost, Refused, request
from tests.device.virtual.adbd.reach import SETTINGS
from tests.device.virtual.adbd.test_u2_server import START

from .wired import Wired, until

pytestmark = pytest.mark.anyio

LINES = (
    f"am start -n {SETTINGS}/.Settings",
    "input tap 540 560",
    "input text hello",
    "input swipe 540 1800 540 900 200",
    "input swipe 540 1800 540 900 200",
    "input keyevent 3",
    "screencap -p",
    "screencap -p",
    "uiautomator dump /dev/tty",
    "uiautomator dump /dev/tty",
)
CALLS = (
    ("click", [540, 560, 600]),
    ("takeScreenshot", [1, 80]),
    ("takeScreenshot", [1, 80]),
    ("dumpWindowHierarchy", [False, 50]),
    ("dumpWindowHierarchy", [False, 50]),
)


async def session(host: AdbHost) -> None:
    """A little of everything, as far as it goes: a fault may break any of it."""
    for line in LINES:
        await (await host.open(f"shell,v2,raw:{line}")).all()
    await (await host.open("shell:echo old")).all()
    stream = await host.open("sync:")
    await stream.write(request(b"SEND", "/data/local/tmp/u2.jar,33206") + b"DATA\x01\0\0\0x" + b"DONE\0\0\0\0")
    await stream.read()
    await host.open(START)
    await server_calls(host)


async def server_calls(host: AdbHost) -> None:
    while True:
        with contextlib.suppress(Refused):
            stream = await host.open("tcp:9008")
            break
    for method, params in CALLS:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        await stream.write(b"POST /jsonrpc/0 HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await stream.read()


@pytest.mark.parametrize("name", FAULTS)
async def test_every_fault_fires_and_is_journalled(name: str) -> None:
    async with Wired.up() as wired:
        await wired.host.shell("echo jar > /data/local/tmp/u2.jar")
        await wired.arm(name)
        asking = asyncio.create_task(session(wired.host))
        await until(lambda: name in wired.fired())
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        entry = next(entry for entry in wired.phone.journal.entries("fault") if entry.data["fault"] == name)
        assert entry.data["parameters"] == FAULTS[name]().parameters()
