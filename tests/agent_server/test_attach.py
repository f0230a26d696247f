"""Phones on the network: a real adb server, and virtual phones that come and go."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from agent_server.attach import keep_attached
from device.clock import SystemClock
from device.virtual.core.clock import VirtualClock
from device.virtual.host import serve_phone
from device.virtual.phone import VirtualPhone
from tests.lab import Lab, free_port

pytestmark = pytest.mark.anyio


class Hasty(SystemClock):
    """A clock for which five seconds are short."""

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds / 50)


@contextlib.asynccontextmanager
async def phone(port: int) -> AsyncIterator[None]:
    async with serve_phone(VirtualPhone(clock=VirtualClock("live")), port=port, bind="127.0.0.2"):
        yield


async def until(lab: Lab, holds: Callable[[bytes], bool]) -> None:
    for _ in range(200):
        listed = await asyncio.to_thread(lab.adb, "devices")
        if holds(listed.stdout):
            return
        await asyncio.sleep(0.05)
    raise AssertionError(listed.stdout)


async def test_a_phone_on_the_network_is_connected_as_soon_as_it_is_there_and_again_after_it_was_gone(
    tmp_path: Path,
) -> None:
    lab, port = Lab(tmp_path), free_port()
    address = f"127.0.0.2:{port}"
    ready = f"{address}\tdevice".encode()
    with lab.adb_server():
        keeping = asyncio.create_task(keep_attached([address], "127.0.0.1", lab.adb_port, Hasty()))
        try:
            await asyncio.sleep(0.2)
            async with phone(port):
                await until(lab, lambda listed: ready in listed)
                await asyncio.to_thread(lab.adb, "disconnect", address)
                await until(lab, lambda listed: ready in listed)
            await until(lab, lambda listed: ready not in listed)
            async with phone(port):
                await until(lab, lambda listed: ready in listed)
        finally:
            keeping.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await keeping
