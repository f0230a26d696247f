"""An adb server, a virtual phone and a Tapwright server of our own, which end with the command that started them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agent_server.cli.processes import child
from device.adb.client import AdbServer, ensure_server
from device.errors import DeviceError


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def adb(folder: Path) -> Iterator[dict[str, str]]:
    """The environment of an adb server that meets no phone of the user's. Raises DeviceError."""
    env = {
        "HOME": str(folder),
        "ANDROID_ADB_SERVER_PORT": str(_free_port()),
        "ADB_MDNS": "0",
        "ADB_USB": "0",
        "ADB_EMU": "0",
        "TAPWRIGHT_CONNECT": "",
        "TAPWRIGHT_DATA_DIR": str(folder / "data"),
    }
    env["TAPWRIGHT_ADB_PORT"] = env["ANDROID_ADB_SERVER_PORT"]
    before = {name: os.environ.get(name) for name in env}
    os.environ.update(env)
    try:
        yield env
    finally:
        with contextlib.suppress(DeviceError):
            asyncio.run(_stop_adb(int(env["ANDROID_ADB_SERVER_PORT"])))
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


async def _stop_adb(port: int) -> None:
    await AdbServer("127.0.0.1", port).kill()


@contextlib.contextmanager
def phone(folder: Path, env: dict[str, str]) -> Iterator[dict[str, Any]]:
    """A virtual phone on that adb server: `adb`, `control` and `token_file`. Raises NotStarted, DeviceError."""
    arguments = ["device.virtual", "--port", "0", "--control-port", "0", "--announce"]
    arguments += ["--token-file", str(folder / "phone.token")]
    with child(arguments, log=folder / "phone.log", env=env) as announced:
        asyncio.run(_connect(int(env["ANDROID_ADB_SERVER_PORT"]), str(announced["adb"])))
        yield announced


async def _connect(port: int, address: str) -> None:
    server = await ensure_server(port)
    await server.connect(address)


@contextlib.contextmanager
def server(folder: Path, env: dict[str, str]) -> Iterator[dict[str, Any]]:
    """A Tapwright server: `url`, `login` and `token_file`. Raises NotStarted."""
    with child(["agent_server", "serve", "--port", "0", "--announce"], log=folder / "server.log", env=env) as announced:
        yield announced
