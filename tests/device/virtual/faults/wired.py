"""A phone on the wire with faults armed, and an adb server's end of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from device.virtual.faults.plan import read_plan
from device.virtual.host import ServedPhone, serve_phone
from device.virtual.phone import VirtualPhone
from tests.device.virtual.adbd.adb_host import AdbHost, HostStream
from tests.device.virtual.adbd.test_u2_server import START, Client

DEADLINE = 5.0


class Wired:
    """`host` is the connection of an adb server that has greeted the phone."""

    def __init__(self, phone: VirtualPhone, served: ServedPhone, host: AdbHost) -> None:
        self.phone, self.served, self.host = phone, served, host

    @classmethod
    @asynccontextmanager
    async def up(cls, **options: Any) -> AsyncIterator[Wired]:
        phone = VirtualPhone()
        async with serve_phone(phone, **options) as served, AdbHost.connect(served.address) as host:
            await host.greet()
            yield cls(phone, served, host)

    async def arm(self, fault: str, when: dict[str, Any] | None = None, **parameters: Any) -> None:
        plan = read_plan([{"fault": fault, "parameters": parameters, "when": when or {}}])
        await self.served.host.run(lambda phone: self.served.adbd.conditions.injector.arm(phone, plan))

    async def clear(self) -> None:
        await self.served.host.run(lambda phone: self.served.adbd.conditions.injector.clear(phone))

    async def now(self) -> float:
        return await self.served.host.run(lambda phone: phone.clock.now_ms())

    async def server(self) -> tuple[Client, HostStream]:
        """A client of the automation server, and the stream of its process."""
        await self.host.shell("echo jar > /data/local/tmp/u2.jar")
        process = await self.host.open(START)
        await process.read()
        return Client(await self.host.open("tcp:9008")), process

    def fired(self) -> list[str]:
        return [entry.data["fault"] for entry in self.phone.journal.entries("fault")]

    def touched(self) -> int:
        return len([entry for entry in self.phone.journal.entries("input") if "action" in entry.data])


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that happens in a moment."""
    async with asyncio.timeout(DEADLINE):
        while not condition():  # noqa: ASYNC110 (nobody would set an event)
            await asyncio.sleep(0.01)


async def connected(address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A TCP connection as soon as the port takes one."""
    async with asyncio.timeout(DEADLINE):
        while True:
            try:
                return await asyncio.open_connection(*address.split(":"))
            except ConnectionRefusedError:
                await asyncio.sleep(0.01)
