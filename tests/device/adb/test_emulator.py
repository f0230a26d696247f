"""The console of an emulator, against one of the same protocol on a socket; the SDK's program, against a stand-in."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from device.adb import emulator
from device.adb.client import AdbServer
from device.clock import ManualClock
from device.errors import (
    CommandRefused,
    DeadlineExceeded,
    DeviceError,
    DeviceNotFound,
    DeviceUnauthorized,
    LinkLost,
)
from tests.device.adb.server import Stage, fail, in_turn, shell

pytestmark = pytest.mark.anyio

TOKEN = "vQ7xJ2"
LOCKED = (
    "Android Console: Authentication required\r\n"
    "Android Console: type 'auth <auth_token>' to authenticate\r\n"
    "Android Console: you can find your <auth_token> in \r\n"
    "'/home/me/.emulator_console_auth_token'\r\nOK\r\n"
)
OPEN = "Android Console: type 'help' for a list of commands\r\nOK\r\n"
TABLE = (
    "List of snapshots present on all disks:\r\n"
    "ID        TAG                 VM SIZE                DATE       VM CLOCK\r\n"
)


@dataclass
class Emulator:
    """Its console: knows snapshots, keeps a word of state that they hold, and what it was told."""

    greeting: str = LOCKED
    state: str = "fresh"
    kept: dict[str, str] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    mute: bool = False
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def answer(self, line: str) -> str:
        match line.split():
            case ["avd", "name"]:
                return "Pixel_8_API_35\r\nOK\r\n"
            case ["avd", "snapshot", "save", name]:
                self.kept[name] = self.state
                return "OK\r\n"
            case ["avd", "snapshot", "load", name] if name in self.kept:
                self.state = self.kept[name]
                return "OK\r\n"
            case ["avd", "snapshot", "load", name]:
                return f"KO: Snapshot not found: {name}\r\n"
            case ["avd", "snapshot", "list"]:
                rows = "".join(
                    f"--        {name}        512M 2026-01-01 10:00:00   00:01:02.345\r\n" for name in self.kept
                )
                return f"{TABLE}{rows}OK\r\n" if rows else "There is no snapshot available.\r\nOK\r\n"
            case ["kill"]:
                self.ended.set()
                return "OK: killing emulator, bye bye\r\n"
            case _:
                return "KO: unknown command, try 'help'\r\n"

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        trusted = "Authentication required" not in self.greeting
        writer.write(self.greeting.encode())
        while raw := await reader.readline():
            line = raw.decode().strip()
            self.told.append(line)
            if self.mute:
                continue
            if line == f"auth {TOKEN}":
                trusted = True
                writer.write(OPEN.encode())
            elif not trusted:
                writer.write(b"KO: authentication token does not match ~/.emulator_console_auth_token\r\n")
                break
            else:
                writer.write(self.answer(line).encode())
        writer.close()
        await writer.wait_closed()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[str]:
        """The serial under which it runs."""
        talks: set[asyncio.Task[None]] = set()

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            talks.add(asyncio.get_running_loop().create_task(self.talk(reader, writer)))

        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        try:
            yield f"emulator-{server.sockets[0].getsockname()[1]}"
        finally:
            server.close()
            # Whoever talked has hung up, so each talk comes to its end by itself.
            await asyncio.gather(*talks)


@pytest.fixture
def token(tmp_path: Path) -> Path:
    path = tmp_path / "token"
    path.write_text(TOKEN + "\n")
    return path


async def test_the_console_tells_the_name_of_the_avd(token: Path) -> None:
    async with Emulator().running() as serial, emulator.console(serial, token_file=token) as console:
        assert await console.avd_name() == "Pixel_8_API_35"


async def test_a_saved_state_is_listed_and_comes_back(token: Path) -> None:
    machine = Emulator()
    async with machine.running() as serial, emulator.console(serial, token_file=token) as console:
        assert await console.snapshots() == ()
        await console.save("before-run")
        machine.state = "spoilt"
        assert await console.snapshots() == (emulator.Snapshot("before-run", "512M"),)
        await console.load("before-run")
        assert machine.state == "fresh"


async def test_a_missing_snapshot_is_refused_in_the_emulators_words(token: Path) -> None:
    async with Emulator().running() as serial, emulator.console(serial, token_file=token) as console:
        with pytest.raises(CommandRefused, match="Snapshot not found: nowhere"):
            await console.load("nowhere")


async def test_stop_ends_the_emulator(token: Path) -> None:
    machine = Emulator()
    async with machine.running() as serial, emulator.console(serial, token_file=token) as console:
        await console.stop()
    assert machine.ended.is_set()


async def test_an_emulator_without_authentication_is_not_told_the_token(token: Path) -> None:
    machine = Emulator(greeting=OPEN)
    async with machine.running() as serial, emulator.console(serial, token_file=token) as console:
        await console.avd_name()
    assert machine.told == ["avd name"]


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    path = tmp_path / "wrong"
    path.write_text("wrong-one")
    return path


async def test_a_wrong_token_is_unauthorized_and_in_no_message(wrong: Path) -> None:
    async with Emulator().running() as serial:
        with pytest.raises(DeviceUnauthorized) as caught:
            async with emulator.console(serial, token_file=wrong):
                pass
    assert "wrong-one" not in f"{caught.value} {caught.value.advice}"
    assert str(wrong) in str(caught.value)


async def test_a_missing_token_is_unauthorized_and_says_where_it_should_be(tmp_path: Path) -> None:
    async with Emulator().running() as serial:
        with pytest.raises(DeviceUnauthorized, match="nowhere") as caught:
            async with emulator.console(serial, token_file=tmp_path / "nowhere"):
                pass
    assert caught.value.advice


@pytest.mark.parametrize("name", ["a b", "x\nkill", "../up", "", "$(reboot)", "x;kill"])
async def test_a_name_that_is_none_never_reaches_the_console(token: Path, name: str) -> None:
    machine = Emulator()
    async with machine.running() as serial, emulator.console(serial, token_file=token) as console:
        for act in (console.save, console.load):
            with pytest.raises(CommandRefused, match="name of a snapshot"):
                await act(name)
    assert machine.told == [f"auth {TOKEN}"]


async def test_a_console_that_stays_silent_is_given_up(token: Path) -> None:
    machine = Emulator(greeting=OPEN, mute=True)
    async with machine.running() as serial, emulator.console(serial, token_file=token) as console:
        with pytest.raises(DeadlineExceeded, match="did not answer 'avd'"):
            await console.ask("avd name", seconds=0.05)


async def test_an_answer_that_breaks_off_is_a_lost_link(token: Path) -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OPEN.encode())
        await reader.readline()
        writer.write(b"half an ans")
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    async with server, emulator.console(f"emulator-{server.sockets[0].getsockname()[1]}", token_file=token) as console:
        with pytest.raises(LinkLost):
            await console.avd_name()


@pytest.mark.parametrize("serial", ["127.0.0.1:5555", "R58M123", "emulator-", "emulator-99999", "emulator-5554x"])
async def test_a_phone_that_is_no_emulator_has_no_console(serial: str) -> None:
    with pytest.raises(DeviceNotFound):
        async with emulator.console(serial):
            pass


async def test_no_console_at_the_port_says_what_to_do() -> None:
    with pytest.raises(DeviceNotFound, match="no console answers") as caught:
        async with emulator.console("emulator-1"):
            pass
    assert "tapwright devices start" in caught.value.advice


def test_the_table_of_snapshots_is_read_in_old_and_new_spelling() -> None:
    lines = [
        *TABLE.split("\r\n"),
        "1         boot           64M 2015-01-01 10:00:00",
        "--   clean   1.2 GB 2026-01-01",
        "junk",
    ]
    assert emulator.snapshots_in(lines) == (emulator.Snapshot("boot", "64M"), emulator.Snapshot("clean", "1.2 GB"))


def test_ports_are_those_that_adb_scans_and_not_taken() -> None:
    assert emulator.free_console_port(["emulator-5554", "R58M123"]) == 5556
    with pytest.raises(DeviceNotFound, match="sixteen"):
        emulator.free_console_port([f"emulator-{port}" for port in range(5554, 5586, 2)])


@pytest.fixture
def sdk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An SDK whose emulator writes down how it was started."""
    program = tmp_path / "emulator" / "emulator"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\n"
        'if [ "$1" = -list-avds ]; then\n'
        '  echo "INFO    | Storing crashdata in: /tmp"; echo Pixel_8; echo Tablet_API_35; exit 0\n'
        f'fi\necho "$@" > {tmp_path}/started\nexit 3\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("ANDROID_HOME", str(tmp_path))
    return tmp_path


async def test_the_avds_of_the_sdk_are_listed_without_its_chatter(sdk: Path) -> None:
    assert await emulator.avds() == ("Pixel_8", "Tablet_API_35")


async def test_an_avd_is_started_with_its_port_and_snapshot(sdk: Path) -> None:
    process = await emulator.start("Pixel_8", 5580, window=False, snapshot="clean")
    assert await process.wait() == 3
    assert (sdk / "started").read_text().split() == (
        ["-avd", "Pixel_8", "-port", "5580", "-no-window", "-no-audio", "-snapshot", "clean"]
    )


async def test_an_unknown_avd_is_named_with_the_known_ones(sdk: Path) -> None:
    with pytest.raises(DeviceNotFound, match="'Nexus'") as caught:
        await emulator.start("Nexus", 5580)
    assert "Pixel_8, Tablet_API_35" in caught.value.advice
    assert not (sdk / "started").exists()


async def test_no_sdk_is_said_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANDROID_HOME", str(tmp_path))
    monkeypatch.delenv("ANDROID_SDK_ROOT", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DeviceNotFound, match="no Android emulator") as caught:
        await emulator.avds()
    assert "tapwright phone" in caught.value.advice


async def running(code: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec("/bin/sh", "-c", code)


async def test_ready_means_that_the_emulator_says_it_has_booted() -> None:
    stage = Stage(phone={"shell,v2": in_turn(fail("device offline"), shell("\n"), shell("1\n"))})
    process = await running("exec sleep 30")
    try:
        async with stage.serving() as server:
            await emulator.booted(server.link("emulator-5580"), process, 60, ManualClock())
    finally:
        process.kill()
        await process.wait()
    assert sum("sys.boot_completed" in one for one in stage.asked) == 3


async def test_an_emulator_that_ends_at_once_is_not_waited_for() -> None:
    process = await running("exit 4")
    await process.wait()
    with pytest.raises(DeviceNotFound, match="code 4"):
        await emulator.booted(AdbServer(port=1).link("emulator-5580"), process, 60, ManualClock())


async def test_an_emulator_that_never_boots_is_given_up() -> None:
    process = await running("exec sleep 30")
    try:
        with pytest.raises(DeadlineExceeded, match="did not boot") as caught:
            await emulator.booted(AdbServer(port=1).link("emulator-5580"), process, 5, ManualClock())
    finally:
        os.kill(process.pid, 9)
        await process.wait()
    assert isinstance(caught.value, DeviceError)
