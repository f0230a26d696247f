"""Unmodified adb servers, adbutils and uiautomator2 against a virtual phone.

Each server gets a port, a home and an environment of its own and is ended by its process id; nothing else is touched.
The Debian binary (version 29) is tested where it is installed; TAPWRIGHT_REQUIRE=adb29 makes its absence a failure.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import adbutils
import pytest
import uiautomator2

from device.virtual.core.clock import VirtualClock
from device.virtual.host import ServedPhone, serve_phone
from device.virtual.phone import VirtualPhone

from .operations import LAUNCHER

T = TypeVar("T")

START_SECONDS = 15.0
CONNECT_SECONDS = 15.0
BINARIES = ("adb36", "adb29")


def bundled_adb() -> Path:
    """The binary in the adbutils wheel."""
    return Path(adbutils.__file__).parent / "binaries" / "adb"


def system_adb() -> Path | None:
    """An adb 29 on the PATH, as Debian packages it."""
    found = shutil.which("adb", path="/usr/bin:/usr/local/bin")
    if found is None:
        return None
    version = subprocess.run([found, "version"], capture_output=True, text=True, check=False).stdout
    return Path(found) if "Version 29." in version else None


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@dataclass(frozen=True, slots=True)
class AdbServer:
    """A running adb server: its binary, port and environment."""

    name: str
    binary: Path
    port: int
    env: dict[str, str]

    def run(self, *args: str, stdin: bytes = b"", timeout: float = 30) -> subprocess.CompletedProcess[bytes]:
        """`adb ARGS` against this server."""
        return subprocess.run(
            [self.binary, *args], env=self.env, input=stdin, capture_output=True, timeout=timeout, check=False
        )

    @property
    def client(self) -> adbutils.AdbClient:
        return adbutils.AdbClient(host="127.0.0.1", port=self.port)


def start_server(name: str, binary: Path, home: Path) -> tuple[AdbServer, subprocess.Popen[bytes]]:
    """Start a server in the foreground and wait until it listens."""
    port = free_port()
    env = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(home),
        "TMPDIR": str(home),
        "ANDROID_ADB_SERVER_PORT": str(port),
        "ADB_MDNS": "0",
        "ADB_USB": "0",
        "ADB_EMU": "0",
    }
    log = (home / "adb.log").open("wb")
    process = subprocess.Popen([binary, "nodaemon", "server"], env=env, stdout=log, stderr=log, cwd=home)
    log.close()
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=0.2).close()
        except OSError:
            assert process.poll() is None, (home / "adb.log").read_text()
            time.sleep(0.05)
        else:
            return AdbServer(name, binary, port, env), process
    process.kill()
    raise AssertionError(f"the adb server did not listen within {START_SECONDS} s")


def end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(5)


@pytest.fixture(scope="session", params=BINARIES)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AdbServer]:
    binary = bundled_adb() if request.param == "adb36" else system_adb()
    if binary is None:
        if "adb29" in os.environ.get("TAPWRIGHT_REQUIRE", "").split(","):
            pytest.fail("TAPWRIGHT_REQUIRE names adb29, but no adb 29 is installed: apt-get install adb")
        pytest.skip("no adb 29 here (apt-get install adb); adb 36 from the adbutils wheel is tested")
    started, process = start_server(request.param, binary, tmp_path_factory.mktemp(request.param))
    yield started
    end(process)


@dataclass
class LivePhone:
    """A phone in real time, served from a thread with an event loop of its own."""

    phone: VirtualPhone = field(default_factory=lambda: VirtualPhone(clock=VirtualClock("live")))
    port: int = 0
    served: ServedPhone = field(init=False)

    def __post_init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._live, name="phone server", daemon=True)
        self._thread.start()
        assert self._ready.wait(10), "the phone did not start"
        self.fresh = self.ask(lambda phone: phone.snapshot())

    def _live(self) -> None:
        self.loop.run_until_complete(self._serve())
        self.loop.close()

    async def _serve(self) -> None:
        async with serve_phone(self.phone, port=self.port) as served:
            self.served = served
            self._ready.set()
            await self._stop.wait()

    @property
    def address(self) -> str:
        return self.served.address

    def ask(self, question: Callable[[VirtualPhone], T]) -> T:
        """Carry something out where the phone lives."""
        return asyncio.run_coroutine_threadsafe(self.served.host.run(question), self.loop).result(10)

    def until(self, condition: Callable[[VirtualPhone], bool], seconds: float = 5) -> bool:
        """Wait until the phone is as expected."""
        answer = asyncio.run_coroutine_threadsafe(self.served.host.until(condition, seconds), self.loop)
        return answer.result(seconds + 10)

    def reset(self) -> None:
        """As it came out of the box, at home."""
        self.ask(lambda phone: phone.restore(self.fresh))

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)


@pytest.fixture(scope="session")
def live(server: AdbServer) -> Iterator[LivePhone]:
    """A phone connected to the server."""
    phone = LivePhone()
    answer = server.run("connect", phone.address)
    assert answer.stdout.startswith(b"connected to "), answer.stdout + answer.stderr
    wait_for_state(server, phone.address, "device")
    yield phone
    server.run("disconnect", phone.address)
    phone.close()


@pytest.fixture
def fresh(live: LivePhone) -> LivePhone:
    live.reset()
    return live


def wait_for_state(server: AdbServer, serial: str, state: str, seconds: float = CONNECT_SECONDS) -> None:
    """Wait until the server lists the phone in that state."""
    deadline = time.monotonic() + seconds
    seen = ""
    while time.monotonic() < deadline:
        listed = server.run("devices").stdout.decode().splitlines()
        seen = next((line.split()[1] for line in listed if line.startswith(serial)), "")
        if seen == state:
            return
        time.sleep(0.05)
    raise AssertionError(f"{serial} is {seen or 'not listed'}, not {state}, after {seconds} s")


@pytest.fixture(scope="module")
def u2(server: AdbServer, live: LivePhone) -> Iterator[Any]:
    """A connected client: it pushes its jar and starts the phone's automation server."""
    device = uiautomator2.connect(server.client.device(live.address))
    live.fresh = live.ask(lambda phone: (phone.start(LAUNCHER), phone.snapshot())[1])
    yield device
    device.stop_uiautomator()
    assert not live.served.adbd.u2.running
