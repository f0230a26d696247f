"""Emulators of the Android SDK: which exist, start one, stop one, save and load its snapshots.

A running emulator `emulator-N` listens with a text console on loopback port N: a line in, lines out, closed by a
line that begins with OK or KO. Sources: developer.android.com/studio/run/emulator-console and
external/qemu android/console.c (AOSP). Proven against a console of the same protocol on a socket; no real emulator
could be had.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from device.adb.client import Link
from device.clock import Clock, SystemClock
from device.errors import (
    CommandRefused,
    DeadlineExceeded,
    DeviceError,
    DeviceNotFound,
    DeviceUnauthorized,
    LinkLost,
)

CONSOLE_DEADLINE = 5.0
SNAPSHOT_DEADLINE = 120.0
"""Saving writes the whole memory of the emulator to disk."""
LIST_DEADLINE = 20.0
SERIAL = re.compile(r"emulator-(\d{1,5})")
NAME = re.compile(r"[A-Za-z0-9._-]+")
"""What avdmanager lets an AVD be called; snapshots are kept to the same, for their names become folders."""
LINE_LIMIT = 1 << 16
BOOT_LOOK = 1.0
"""Seconds between two questions whether an emulator has booted; each costs it a process."""


def console_port(serial: str) -> int | None:
    """The console's port of an emulator's serial; None for a phone that is none."""
    found = SERIAL.fullmatch(serial)
    return int(found[1]) if found and 0 < int(found[1]) < 65536 else None


def checked_name(name: str, what: str) -> str:
    """The name, if it is one. Raises CommandRefused: nothing else may reach a console or a command line."""
    if not NAME.fullmatch(name):
        raise CommandRefused(
            f"{name!r} cannot be the name of {what}", advice="Use letters, digits, dots, hyphens and underscores."
        )
    return name


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A saved state of an emulator; `size` as the emulator writes it, e.g. "512M"."""

    name: str
    size: str = ""


class Console:
    """A conversation with one emulator's console. Raises DeviceError from every call."""

    def __init__(self, serial: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.serial = serial
        self._reader = reader
        self._writer = writer

    async def ask(self, command: str, seconds: float = CONSOLE_DEADLINE) -> list[str]:
        """The lines that one command answers, without the closing OK. Raises CommandRefused with the KO's words."""
        try:
            async with asyncio.timeout(seconds):
                self._writer.write(f"{command}\n".encode())
                await self._writer.drain()
                return await self._until_verdict()
        except TimeoutError:
            raise DeadlineExceeded(
                f"the console of {self.serial} did not answer {command.split()[0]!r} within {seconds:g} s",
                serial=self.serial,
            ) from None
        except (OSError, ValueError) as error:
            raise LinkLost(f"the console of {self.serial} broke off: {error}", serial=self.serial) from error

    async def _until_verdict(self) -> list[str]:
        lines: list[str] = []
        while raw := await self._reader.readline():
            line = raw.decode(errors="replace").rstrip("\r\n")
            if line == "OK" or line.startswith("OK:"):
                return lines
            if line == "KO" or line.startswith("KO:"):
                raise CommandRefused(line.removeprefix("KO").lstrip(": ") or "refused", serial=self.serial)
            lines.append(line)
        raise LinkLost(f"{self.serial} closed its console", serial=self.serial)

    async def greet(self, token_file: Path) -> None:
        """Read the greeting and, where it asks for that, show the token. Raises DeviceUnauthorized."""
        async with asyncio.timeout(CONSOLE_DEADLINE):
            greeting = await self._until_verdict()
        if not any("Authentication required" in line for line in greeting):
            return
        try:
            token = (await asyncio.to_thread(token_file.read_text)).strip()
        except OSError:
            raise DeviceUnauthorized(
                f"the console of {self.serial} asks for its token, and {token_file} cannot be read",
                serial=self.serial,
                advice="Start the emulator as the user who runs Tapwright.",
            ) from None
        try:
            await self.ask(f"auth {token}")
        except (CommandRefused, LinkLost):
            # The words of the refusal are left out: some versions repeat what they were given.
            raise DeviceUnauthorized(
                f"the console of {self.serial} did not accept the token in {token_file}",
                serial=self.serial,
                advice="Start the emulator as the user who runs Tapwright.",
            ) from None

    async def avd_name(self) -> str:
        answer = await self.ask("avd name")
        return answer[0].strip() if answer else ""

    async def snapshots(self) -> tuple[Snapshot, ...]:
        return snapshots_in(await self.ask("avd snapshot list"))

    async def save(self, name: str) -> None:
        """Keep the emulator's state under that name."""
        await self.ask(f"avd snapshot save {checked_name(name, 'a snapshot')}", SNAPSHOT_DEADLINE)

    async def load(self, name: str) -> None:
        """Put the emulator back into that state. Everything since is lost; adb's link to it comes back by itself."""
        await self.ask(f"avd snapshot load {checked_name(name, 'a snapshot')}", SNAPSHOT_DEADLINE)

    async def stop(self) -> None:
        """End the emulator as its window's close button does."""
        await self.ask("kill")


def token_path() -> Path:
    """Where the emulator keeps the token of its console; an empty file turns authentication off."""
    return Path.home() / ".emulator_console_auth_token"


@asynccontextmanager
async def console(serial: str, *, token_file: Path | None = None) -> AsyncIterator[Console]:
    """The console of a running emulator, ready for commands. Raises DeviceNotFound, DeviceUnauthorized, LinkLost."""
    port = console_port(serial)
    if port is None:
        raise DeviceNotFound(
            f"{serial} is no emulator", serial=serial, advice="Emulators are called emulator-5554, emulator-5556, ..."
        )
    try:
        async with asyncio.timeout(CONSOLE_DEADLINE):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=LINE_LIMIT)
    except (OSError, TimeoutError) as error:
        raise DeviceNotFound(
            f"no console answers at port {port} for {serial}",
            serial=serial,
            advice="The emulator must run on this machine: tapwright devices start AVD",
        ) from error
    try:
        opened = Console(serial, reader, writer)
        try:
            await opened.greet(token_file or token_path())
        except TimeoutError:
            raise DeadlineExceeded(f"what listens at port {port} is no emulator's console", serial=serial) from None
        yield opened
    finally:
        writer.close()


def snapshots_in(lines: Sequence[str]) -> tuple[Snapshot, ...]:
    """Read the table of `avd snapshot list`: ID, TAG, VM SIZE, DATE, VM CLOCK. Lines that are no row are left out."""
    found = []
    for line in lines:
        words = line.split()
        if len(words) >= 3 and (words[0].isdigit() or words[0] == "--") and NAME.fullmatch(words[1]):
            # Newer emulators write the unit apart: "512 MB".
            unit = words[3] if len(words) > 3 and words[3].isalpha() else ""
            found.append(Snapshot(words[1], f"{words[2]} {unit}".strip()))
    return tuple(found)


def emulator_binary() -> Path:
    """The SDK's emulator program. Raises DeviceNotFound when there is none."""
    homes = [os.environ.get(name) for name in ("ANDROID_HOME", "ANDROID_SDK_ROOT")]
    for home in filter(None, homes):
        inside = Path(str(home)) / "emulator" / "emulator"
        if os.access(inside, os.X_OK):
            return inside
    found = shutil.which("emulator")
    if found is None:
        raise DeviceNotFound(
            "there is no Android emulator on this machine",
            advice="Install it with the SDK's command line tools and set ANDROID_HOME, or use: tapwright phone",
        )
    return Path(found)


async def avds() -> tuple[str, ...]:
    """The names of the virtual devices that can be started. Raises DeviceNotFound, DeadlineExceeded."""
    process = await asyncio.create_subprocess_exec(
        str(emulator_binary()),
        "-list-avds",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(LIST_DEADLINE):
            out, _ = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise DeadlineExceeded(f"the emulator did not list its devices within {LIST_DEADLINE:g} s") from None
    # Warnings come on the same stream; they are sentences, names are one word.
    return tuple(line for line in out.decode(errors="replace").split("\n") if NAME.fullmatch(line))


async def start(name: str, port: int, *, window: bool = True, snapshot: str = "") -> asyncio.subprocess.Process:
    """Start an AVD with its console at `port` (even, 5554-5682). It goes on when this program ends.

    Raises DeviceNotFound when there is no such AVD or no emulator, CommandRefused for names that are none.
    """
    known = await avds()
    if checked_name(name, "an AVD") not in known:
        raise DeviceNotFound(
            f"there is no AVD called {name!r}", advice=f"There are: {', '.join(known) or 'none; make one first'}"
        )
    command = [str(emulator_binary()), "-avd", name, "-port", str(port)]
    command += [] if window else ["-no-window", "-no-audio"]
    command += ["-snapshot", checked_name(snapshot, "a snapshot")] if snapshot else []
    return await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )


def free_console_port(taken: Sequence[str]) -> int:
    """A console port that no listed emulator has. Raises DeviceNotFound when all of adb's sixteen are taken."""
    used = {console_port(serial) for serial in taken}
    for port in range(5554, 5586, 2):  # adb looks for emulators at these and no other ports
        if port not in used:
            return port
    raise DeviceNotFound("sixteen emulators run already; adb finds no more", advice="Stop one: tapwright devices stop")


async def booted(link: Link, process: asyncio.subprocess.Process, seconds: float, clock: Clock | None = None) -> None:
    """Wait until the emulator says that it has booted. Raises DeviceNotFound when it ended, DeadlineExceeded."""
    time = clock or SystemClock()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if process.returncode is not None:
            raise DeviceNotFound(
                f"the emulator ended at once, with code {process.returncode}",
                serial=link.serial,
                advice="Start it by hand to see why: emulator -avd NAME -verbose",
            )
        try:
            answer = await link.shell(["getprop", "sys.boot_completed"])
        except DeviceError:
            answer = None  # not listed yet, or its adbd is not up: that is what is waited for
        if answer is not None and answer.text.strip() == "1":
            return
        await time.sleep(BOOT_LOOK)
    raise DeadlineExceeded(
        f"{link.serial} did not boot within {seconds:g} s",
        serial=link.serial,
        advice="Without hardware acceleration (/dev/kvm) it may need minutes: --seconds",
    )
