"""Client of the adb server: its own services, and a link to each phone.

Sources: AOSP packages/modules/adb, SERVICES.TXT and shell_protocol.h; failure texts as measured against adb 29
and 36 (they answer alike).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from device.adb.commands import quoted
from device.adb.connection import PATIENT, Connection, Deadline, talking_to
from device.adb.refusals import translated
from device.errors import DeviceError, LinkLost, ServerUnavailable
from device.wire import (
    EXIT,
    STDERR,
    STDOUT,
    SYNC_CHUNK,
    ShellDecoder,
    ShellPacket,
    SyncStat,
    decode_stat,
    decode_sync_header,
    encode_sync,
    encode_sync_done,
)

HOST_DEADLINE = 3.0
CONNECT_DEADLINE = 12.0
"""adb itself gives up on a silent port after 10 s."""
SHELL_DEADLINE = 10.0
TRANSFER_DEADLINE = 60.0
START_DEADLINE = 15.0


@dataclass(frozen=True, slots=True)
class Listed:
    """A phone as the adb server lists it; `state` in its words: device, offline, unauthorized, ..."""

    serial: str
    state: str
    model: str = ""


@dataclass(frozen=True, slots=True)
class ShellResult:
    """What a command on the phone answered."""

    code: int
    out: bytes
    err: bytes = b""

    @property
    def text(self) -> str:
        return self.out.decode(errors="replace")


class AdbServer:
    """An adb server at a TCP address. Holds no connection between calls.

    `ours` tells that this process has started it: only then may it be started again when it has ended.
    """

    def __init__(self, host: str = "127.0.0.1", port: int = 5037, *, ours: bool = False) -> None:
        self.host = host
        self.port = port
        self.ours = ours

    async def connection(self, deadline: Deadline) -> Connection:
        """A fresh connection to the server. Raises ServerUnavailable."""
        return await Connection.open(self.host, self.port, deadline)

    async def _ask(self, service: str, seconds: float = HOST_DEADLINE) -> str:
        deadline = Deadline.after(seconds)
        with talking_to(""):
            async with await self.connection(deadline) as connection:
                await connection.request(service, deadline)
                return await connection.text(deadline, service)

    async def version(self) -> int:
        """The protocol version, e.g. 41. Raises ServerUnavailable."""
        answer = await self._ask("host:version")
        try:
            return int(answer, 16)
        except ValueError:
            raise ServerUnavailable(f"what answers at {self.host}:{self.port} is no adb server: {answer!r}") from None

    async def kill(self) -> None:
        """End the adb server. Every client of it loses its phones: only for servers of our own."""
        deadline = Deadline.after(HOST_DEADLINE)
        async with await self.connection(deadline) as connection:
            with contextlib.suppress(LinkLost):
                await connection.request("host:kill", deadline)

    async def devices(self) -> tuple[Listed, ...]:
        return listed(await self._ask("host:devices-l"))

    async def connect(self, address: str) -> None:
        """Attach a phone by `host:port`. Raises DeviceError with adb's words.

        adb answers OKAY also when it failed, and "already connected" for a phone that is offline, so the text and
        then the state decide.
        """
        answer = await self._ask(f"host:connect:{address}", CONNECT_DEADLINE)
        if answer.startswith("already connected") and await self._offline(address):
            await self.disconnect(address)
            answer = await self._ask(f"host:connect:{address}", CONNECT_DEADLINE)
        if not answer.startswith(("connected to", "already connected to")):
            raise translated(answer, serial=address)

    async def _offline(self, address: str) -> bool:
        return any(one.serial == address and one.state == "offline" for one in await self.devices())

    async def disconnect(self, address: str) -> None:
        await self._ask(f"host:disconnect:{address}")

    async def reconnect_offline(self) -> None:
        """Let the server try anew every phone that it lists as offline."""
        await self._ask("host:reconnect-offline")

    async def track(self) -> AsyncIterator[tuple[Listed, ...]]:
        """The list of phones now, and again whenever it changes; ends with the adb server (LinkLost)."""
        deadline = Deadline.after(HOST_DEADLINE)
        async with await self.connection(deadline) as connection:
            await connection.request("host:track-devices-l", deadline)
            while True:
                yield listed(await connection.text(PATIENT, "track-devices"))

    def link(self, serial: str) -> Link:
        return Link(self, serial)


def listed(text: str) -> tuple[Listed, ...]:
    """Read `adb devices -l`; lines that are not understood are left out."""
    found = []
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 2:
            facts = dict(word.split(":", 1) for word in words[2:] if ":" in word)
            found.append(Listed(words[0], words[1], facts.get("model", "").replace("_", " ")))
    return tuple(found)


class Link:
    """Services of one phone, each on a stream of its own. `deadline` is in seconds, for the whole call."""

    def __init__(self, server: AdbServer, serial: str) -> None:
        self.server = server
        self.serial = serial

    async def open(
        self, service: str, deadline: float = HOST_DEADLINE, handed_over: Callable[[], None] | None = None
    ) -> Connection:
        """A stream to a service such as `shell,v2,raw:...` or `tcp:9008`. Raises DeviceError.

        `handed_over` is called just before the phone is asked: a refusal after it still means that nothing was
        done, but a lost answer does not.
        """
        return await self._open(service, Deadline.after(deadline), handed_over)

    async def _open(
        self, service: str, deadline: Deadline, handed_over: Callable[[], None] | None = None
    ) -> Connection:
        with talking_to(self.serial):
            connection = await self.server.connection(deadline)
            try:
                await connection.request(f"host:transport:{self.serial}", deadline)
                if handed_over is not None:
                    handed_over()
                await connection.request(service, deadline)
            except BaseException:
                connection.close()
                raise
            return connection

    async def shell(
        self, argv: Sequence[str], deadline: float = SHELL_DEADLINE, handed_over: Callable[[], None] | None = None
    ) -> ShellResult:
        """Run one command, each word quoted. Raises DeviceError; LinkLost when no exit code came."""
        return await self._run(quoted(argv), argv[0], Deadline.after(deadline), handed_over)

    async def shell_all(
        self,
        commands: Sequence[Sequence[str]],
        deadline: float = SHELL_DEADLINE,
        handed_over: Callable[[], None] | None = None,
    ) -> ShellResult:
        """Run several commands one after the other in one shell, until one fails; its exit code, or the last one's."""
        line = " && ".join(quoted(argv) for argv in commands)
        return await self._run(line, commands[0][0], Deadline.after(deadline), handed_over)

    async def _run(
        self, line: str, what: str, deadline: Deadline, handed_over: Callable[[], None] | None
    ) -> ShellResult:
        decoder, out, err = ShellDecoder(), bytearray(), bytearray()
        with talking_to(self.serial):
            async with await self._open(f"shell,v2,raw:{line}", deadline, handed_over) as stream:
                while data := await stream.some(deadline, what):
                    for packet in decoder.feed(data):
                        if packet.kind == STDOUT:
                            out += packet.payload
                        elif packet.kind == STDERR:
                            err += packet.payload
                        elif packet.kind == EXIT:
                            return ShellResult(packet.payload[0] if packet.payload else 0, bytes(out), bytes(err))
        raise LinkLost(f"the phone went away while it ran {what}", serial=self.serial)

    async def shell_stream(self, argv: Sequence[str]) -> AsyncIterator[ShellPacket]:
        """What one command prints, as it comes and for as long as it runs. Raises LinkLost when no exit code came.

        Closing the iterator (contextlib.aclosing) ends the command.
        """
        decoder = ShellDecoder()
        with talking_to(self.serial):
            async with await self.open(f"shell,v2,raw:{quoted(argv)}") as stream:
                while data := await stream.some(PATIENT, argv[0]):
                    for packet in decoder.feed(data):
                        yield packet
                        if packet.kind == EXIT:
                            return
        raise LinkLost(f"the phone went away while it ran {argv[0]}", serial=self.serial)

    async def exec(self, argv: Sequence[str], deadline: float = SHELL_DEADLINE) -> bytes:
        """The raw output of one command. There is no exit code, and a cut answer looks like a short one."""
        return bytes(await self.output(argv, deadline))

    async def output(self, argv: Sequence[str], deadline: float = SHELL_DEADLINE) -> memoryview:
        """As `exec`, without copying what arrived."""
        until = Deadline.after(deadline)
        with talking_to(self.serial):
            async with await self._open(f"exec:{quoted(argv)}", until) as stream:
                return await stream.rest(until, argv[0])

    async def stat(self, path: str) -> SyncStat:
        until = Deadline.after(SHELL_DEADLINE)
        with talking_to(self.serial):
            async with await self._open("sync:", until) as stream:
                stream.send(encode_sync(b"STAT", path.encode()))
                return decode_stat(await stream.exactly(16, until, "stat"))

    async def push(self, data: bytes, path: str, mode: int = 0o100644, mtime: int = 0) -> None:
        """Write a file on the phone. Raises DeviceError with the phone's words when it refuses."""
        until = Deadline.after(TRANSFER_DEADLINE)
        with talking_to(self.serial):
            async with await self._open("sync:", until) as stream:
                stream.send(encode_sync(b"SEND", f"{path},{mode}".encode()))
                for at in range(0, len(data), SYNC_CHUNK):
                    stream.send(encode_sync(b"DATA", data[at : at + SYNC_CHUNK]))
                stream.send(encode_sync_done(mtime))
                status, length = decode_sync_header(await stream.exactly(8, until, "push"))
                if status != b"OKAY":
                    raise translated((await stream.exactly(length, until, "push")).decode(errors="replace"))

    async def pull(self, path: str) -> bytes:
        """Read a file on the phone. Raises DeviceError with the phone's words when it refuses."""
        until = Deadline.after(TRANSFER_DEADLINE)
        content = bytearray()
        with talking_to(self.serial):
            async with await self._open("sync:", until) as stream:
                stream.send(encode_sync(b"RECV", path.encode()))
                while True:
                    status, length = decode_sync_header(await stream.exactly(8, until, "pull"))
                    if status == b"DONE":
                        return bytes(content)
                    if status not in (b"DATA", b"FAIL"):
                        raise LinkLost(f"expected DATA, DONE or FAIL, not {status!r}")
                    body = await stream.exactly(length, until, "pull")
                    if status == b"FAIL":
                        raise translated(body.decode(errors="replace"))
                    content += body


def adb_binary() -> Path:
    """The adb program: from PATH, else the one that adbutils ships. Raises ServerUnavailable."""
    found = shutil.which("adb")
    if found is None and (shipped := find_spec("adbutils")) is not None and shipped.origin is not None:
        # Only located: importing it costs half a second.
        bundled = Path(shipped.origin).parent / "binaries" / "adb"
        found = str(bundled) if bundled.exists() else None
    if found is None:
        raise ServerUnavailable("there is no adb program on this machine", advice="Install it: apt install adb")
    return Path(found)


async def ensure_server(port: int = 5037, host: str = "127.0.0.1") -> AdbServer:
    """The adb server at that address; on this machine one is started when none answers. Raises ServerUnavailable."""
    server = AdbServer(host, port)
    try:
        await server.version()
    except ServerUnavailable:
        if host not in ("127.0.0.1", "localhost", "::1"):
            raise
    else:
        return server
    process = await asyncio.create_subprocess_exec(
        str(adb_binary()),
        "-P",
        str(port),
        "start-server",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, "ANDROID_ADB_SERVER_PORT": str(port)},
    )
    try:
        async with asyncio.timeout(START_DEADLINE):
            await process.wait()
        await server.version()
    except TimeoutError:
        process.kill()
        raise ServerUnavailable(f"adb did not start a server on port {port} within {START_DEADLINE:g} s") from None
    except DeviceError as error:
        raise ServerUnavailable(
            f"adb started no server on port {port}: {error}", advice=f"Try it by hand: adb -P {port} start-server"
        ) from error
    server.ours = True
    return server
