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
from pathlib import Path

from device.adb.commands import quoted
from device.adb.connection import Connection, Refused
from device.adb.refusals import translated
from device.errors import DeviceError, LinkLost, ServerUnavailable
from device.wire import (
    EXIT,
    STDERR,
    STDOUT,
    SYNC_CHUNK,
    ShellDecoder,
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
    """An adb server at a TCP address. Holds no connection between calls."""

    def __init__(self, host: str = "127.0.0.1", port: int = 5037) -> None:
        self.host = host
        self.port = port

    async def _ask(self, service: str, deadline: float = HOST_DEADLINE) -> str:
        async with await Connection.open(self.host, self.port, HOST_DEADLINE) as connection:
            try:
                await connection.request(service, deadline)
            except Refused as refused:
                raise translated(str(refused)) from None
            return await connection.text(deadline, service)

    async def version(self) -> int:
        """The protocol version, e.g. 41. Raises ServerUnavailable."""
        return int(await self._ask("host:version"), 16)

    async def kill(self) -> None:
        """End the adb server. Every client of it loses its phones: only for servers of our own."""
        async with await Connection.open(self.host, self.port, HOST_DEADLINE) as connection:
            with contextlib.suppress(LinkLost):
                await connection.request("host:kill", HOST_DEADLINE)

    async def devices(self) -> tuple[Listed, ...]:
        return listed(await self._ask("host:devices-l"))

    async def connect(self, address: str) -> None:
        """Attach a phone by `host:port`. Raises DeviceError with adb's words.

        adb answers OKAY also when it failed, and "already connected" for a phone that is offline, so the text and
        then the state decide.
        """
        answer = await self._ask(f"host:connect:{address}", CONNECT_DEADLINE)
        if not answer.startswith(("connected to", "already connected to")):
            raise translated(answer, serial=address)
        if answer.startswith("already") and any(
            one.serial == address and one.state == "offline" for one in await self.devices()
        ):
            await self.disconnect(address)
            again = await self._ask(f"host:connect:{address}", CONNECT_DEADLINE)
            if not again.startswith("connected to"):
                raise translated(again, serial=address)

    async def disconnect(self, address: str) -> None:
        await self._ask(f"host:disconnect:{address}")

    async def track(self) -> AsyncIterator[tuple[Listed, ...]]:
        """The list of phones now, and again whenever it changes; ends with the adb server (LinkLost)."""
        async with await Connection.open(self.host, self.port, HOST_DEADLINE) as connection:
            await connection.request("host:track-devices-l", HOST_DEADLINE)
            while True:
                yield listed(await connection.text(float("inf"), "track-devices"))

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
    """Services of one phone, each on a stream of its own."""

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
        connection = await Connection.open(self.server.host, self.server.port, HOST_DEADLINE)
        try:
            await connection.request(f"host:transport:{self.serial}", deadline)
            if handed_over is not None:
                handed_over()
            await connection.request(service, deadline)
        except Refused as refused:
            connection.close()
            raise translated(str(refused), serial=self.serial) from None
        except BaseException:
            connection.close()
            raise
        return connection

    async def shell(
        self, argv: Sequence[str], deadline: float = SHELL_DEADLINE, handed_over: Callable[[], None] | None = None
    ) -> ShellResult:
        """Run one command, each word quoted. Raises DeviceError; LinkLost when no exit code came."""
        command = quoted(argv)
        decoder, out, err = ShellDecoder(), bytearray(), bytearray()
        async with await self.open(f"shell,v2,raw:{command}", deadline, handed_over) as stream:
            while data := await stream.some(deadline, argv[0]):
                for packet in decoder.feed(data):
                    if packet.kind == STDOUT:
                        out += packet.payload
                    elif packet.kind == STDERR:
                        err += packet.payload
                    elif packet.kind == EXIT:
                        return ShellResult(packet.payload[0] if packet.payload else 0, bytes(out), bytes(err))
        raise LinkLost(f"the phone went away while it ran {argv[0]}", serial=self.serial)

    async def exec(self, argv: Sequence[str], deadline: float = SHELL_DEADLINE) -> bytes:
        """The raw output of one command. There is no exit code, and a cut answer looks like a short one."""
        async with await self.open(f"exec:{quoted(argv)}", deadline) as stream:
            return await stream.rest(deadline, argv[0])

    async def stat(self, path: str) -> SyncStat:
        async with await self.open("sync:") as stream:
            stream.send(encode_sync(b"STAT", path.encode()))
            return decode_stat(await stream.exactly(16, SHELL_DEADLINE, "stat"))

    async def push(self, data: bytes, path: str, mode: int = 0o100644, mtime: int = 0) -> None:
        """Write a file on the phone. Raises DeviceError with the phone's words when it refuses."""
        async with await self.open("sync:") as stream:
            stream.send(encode_sync(b"SEND", f"{path},{mode}".encode()))
            for at in range(0, len(data), SYNC_CHUNK):
                stream.send(encode_sync(b"DATA", data[at : at + SYNC_CHUNK]))
            stream.send(encode_sync_done(mtime))
            status, length = decode_sync_header(await stream.exactly(8, TRANSFER_DEADLINE, "push"))
            if status != b"OKAY":
                words = (await stream.exactly(length, SHELL_DEADLINE, "push")).decode(errors="replace")
                raise translated(words, serial=self.serial)

    async def pull(self, path: str) -> bytes:
        """Read a file on the phone. Raises DeviceError with the phone's words when it refuses."""
        content = bytearray()
        async with await self.open("sync:") as stream:
            stream.send(encode_sync(b"RECV", path.encode()))
            while True:
                status, length = decode_sync_header(await stream.exactly(8, TRANSFER_DEADLINE, "pull"))
                if status == b"DONE":
                    return bytes(content)
                body = await stream.exactly(length, TRANSFER_DEADLINE, "pull")
                if status != b"DATA":
                    raise translated(body.decode(errors="replace"), serial=self.serial)
                content += body


def adb_binary() -> Path:
    """The adb program: from PATH, else the one that adbutils ships. Raises ServerUnavailable."""
    found = shutil.which("adb")
    if found is None:
        import adbutils

        bundled = Path(adbutils.__file__).parent / "binaries" / "adb"
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
    return server
