"""The adb server's end of the wire, small enough to be trusted: streams over one TCP connection."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from device.wire import EXIT, STDERR, STDOUT, Message, MessageDecoder, ShellDecoder, encode_message

DEADLINE = 5.0


class Refused(Exception):
    """The phone answered OPEN with CLSE."""


class HostStream:
    def __init__(self, host: AdbHost, local: int) -> None:
        self._host = host
        self.local, self.remote = local, 0
        self._data: asyncio.Queue[bytes] = asyncio.Queue()
        self.okay = asyncio.Event()
        self.closed = asyncio.Event()
        self._rest = bytearray()

    async def write(self, data: bytes) -> None:
        """Send and wait for the acknowledgement, as adb does."""
        self.okay.clear()
        self._host.send(Message(b"WRTE", self.local, self.remote, data))
        async with asyncio.timeout(DEADLINE):
            await self.okay.wait()

    async def read(self) -> bytes:
        """The next piece, empty when the phone has closed."""
        if self._rest:
            taken = bytes(self._rest)
            self._rest.clear()
            return taken
        async with asyncio.timeout(DEADLINE):
            return await self._data.get()

    async def exactly(self, size: int) -> bytes:
        while len(self._rest) < size:
            async with asyncio.timeout(DEADLINE):
                piece = await self._data.get()
            assert piece, f"the stream ended {size - len(self._rest)} bytes early"
            self._rest += piece
        taken = bytes(self._rest[:size])
        del self._rest[:size]
        return taken

    async def all(self) -> bytes:
        whole = b""
        while piece := await self.read():
            whole += piece
        return whole

    def close(self) -> None:
        self._host.send(Message(b"CLSE", self.local, self.remote))

    def deliver(self, data: bytes) -> None:
        self._data.put_nowait(data)


class AdbHost:
    """`bytewise` sends every byte in a segment of its own."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, bytewise: bool = False) -> None:
        self._reader, self._writer = reader, writer
        self._decoder = MessageDecoder()
        self._streams: dict[int, HostStream] = {}
        self._next = 1
        self.bytewise = bytewise
        self.banner: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self.opened: asyncio.Queue[tuple[str, HostStream]] = asyncio.Queue()
        self.wire: list[Message] = []
        self.most_outstanding = 0

    @classmethod
    @asynccontextmanager
    async def connect(cls, address: str, *, bytewise: bool = False) -> AsyncIterator[AdbHost]:
        name, _, port = address.partition(":")
        reader, writer = await asyncio.open_connection(name, int(port))
        host = cls(reader, writer, bytewise=bytewise)
        task = asyncio.create_task(host._listen())
        try:
            yield host
        finally:
            writer.close()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def greet(self, maxdata: int = 1 << 20) -> Message:
        self.send(Message(b"CNXN", 0x01000001, maxdata, b"host::features=shell_v2,cmd,stat_v2,ls_v2"))
        async with asyncio.timeout(DEADLINE):
            return await self.banner

    async def open(self, service: str) -> HostStream:
        stream = HostStream(self, self._next)
        self._streams[self._next] = stream
        self._next += 1
        self.send(Message(b"OPEN", stream.local, 0, service.encode() + b"\0"))
        async with asyncio.timeout(DEADLINE):
            await stream.okay.wait()
        if not stream.remote:
            raise Refused(service)
        return stream

    async def shell(self, line: str) -> tuple[int, bytes, bytes]:
        """Exit status, output and errors over shell,v2."""
        packets = ShellDecoder().feed(await (await self.open(f"shell,v2,raw:{line}")).all())
        assert packets[-1].kind == EXIT
        out, err = (b"".join(p.payload for p in packets if p.kind == kind) for kind in (STDOUT, STDERR))
        return packets[-1].payload[0], out, err

    def send(self, message: Message) -> None:
        data = encode_message(message)
        if self.bytewise:
            for byte in data:
                self._writer.write(bytes([byte]))
        else:
            self._writer.write(data)

    async def _listen(self) -> None:
        while data := await self._reader.read(1 << 20):
            for message in self._decoder.feed(data):
                self._handle(message)
        for stream in self._streams.values():
            stream.deliver(b"")

    def _handle(self, message: Message) -> None:
        self.wire.append(message)
        stream = self._streams.get(message.arg1)
        match message.command:
            case b"CNXN":
                self.banner.set_result(message)
            case b"OPEN":
                mine = HostStream(self, self._next)
                self._next += 1
                mine.remote = message.arg0
                self._streams[mine.local] = mine
                self.send(Message(b"OKAY", mine.local, mine.remote))
                self.opened.put_nowait((bytes(message.payload).rstrip(b"\0").decode(), mine))
            case b"OKAY" if stream is not None:
                stream.remote = message.arg0
                stream.okay.set()
            case b"WRTE" if stream is not None:
                stream.deliver(bytes(message.payload))
                self.send(Message(b"OKAY", stream.local, message.arg0))
            case b"CLSE" if stream is not None:
                stream.okay.set()
                if not stream.closed.is_set():
                    stream.closed.set()
                    stream.deliver(b"")


def request(command: bytes, path: str) -> bytes:
    """A sync request."""
    data = path.encode()
    return struct.pack("<4sI", command, len(data)) + data
