"""A phone whose time stands still, its shell, and an adb server's end of the wire."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

import pytest

from device.virtual.adbd.services import Adbd, banner
from device.virtual.adbd.shell.session import run_line
from device.virtual.host import PhoneThread, serve_phone
from device.virtual.phone import VirtualPhone

from .adb_host import AdbHost


@dataclass(frozen=True, slots=True)
class Printed:
    """What a line printed, and how it ended."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


Shell = Callable[[str], Awaitable[Printed]]


@pytest.fixture
def phone() -> VirtualPhone:
    return VirtualPhone()


@pytest.fixture
async def device(phone: VirtualPhone) -> AsyncIterator[Adbd]:
    host = PhoneThread(phone)
    host.start()
    yield Adbd(host, banner(phone))
    await host.stop()


@pytest.fixture
def shell(device: Adbd) -> Shell:
    async def run(line: str) -> Printed:
        status, out, err = await run_line(device, line)
        return Printed(status, out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "surrogateescape"))

    return run


@pytest.fixture
async def wire(phone: VirtualPhone) -> AsyncIterator[AdbHost]:
    """A connection to the phone after the handshake, as an adb server has it."""
    async with serve_phone(phone) as served, AdbHost.connect(served.address) as host:
        await host.greet()
        yield host
