"""One adb server's connection to the phone: the handshake, and many byte streams over one socket.

A stream has at most one unacknowledged WRTE in each direction, and a WRTE never exceeds what both sides accept.
Source: AOSP packages/modules/adb, protocol.txt; measured behaviour of adb 29 and 36.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
from collections import deque
from collections.abc import Awaitable, Callable, Iterable

from device.virtual.adbd.link import Door
from device.wire import Message, MessageDecoder, WireError, encode_message

log = logging.getLogger(__name__)

VERSION = 0x01000001
"""From this version on nobody checks checksums."""
MAX_DATA = 1 << 20
"""Largest payload we take; 4 KiB would be 25 times slower for a frame, more than 1 MiB gains nothing."""
READ_AHEAD = 1 << 18
"""Bytes a stream keeps unread before it stops acknowledging."""

BULK = 1 << 16
"""Bytes from which on a payload is not copied behind its header."""
_HEADER = struct.Struct("<4sIIIII")
TOKEN, SIGNATURE = 1, 2
"""Kinds of AUTH message (protocol.txt)."""
CHALLENGE = bytes(range(20))
"""The token a phone wants signed; nobody checks the signature here."""

Buffer = bytes | memoryview
Handler = Callable[["Stream"], Awaitable[None]]
Opener = Callable[[str, "Transport"], Handler | None]


class StreamClosed(ConnectionError):
    """The other side closed the stream."""


class Stream:
    """A byte pipe to one program on the computer."""

    def __init__(self, transport: Transport, local: int, remote: int) -> None:
        self._transport = transport
        self.local, self.remote = local, remote
        self._received: deque[bytes] = deque()
        self._unread = 0
        self._owes_okay = False
        self._may_send = asyncio.Event()
        self._arrived = asyncio.Event()
        self.closed = False
        self.task: asyncio.Task[None] | None = None
        self.breaks: tuple[float, bool] | None = None
        """A planned failure: the share of the next answer that is sent, and whether the whole connection breaks."""

    async def read(self) -> bytes:
        """The next bytes, empty once the other side has closed."""
        while not self._received:
            if self.closed:
                return b""
            self._arrived.clear()
            await self._arrived.wait()
        data = self._received.popleft()
        self._unread -= len(data)
        if self._owes_okay and self._unread < READ_AHEAD:
            self._owes_okay = False
            self._transport.send(b"OKAY", self.local, self.remote)
        return data

    async def write(self, *buffers: Buffer) -> None:
        """Send these bytes in order; returns when the last piece is on its way. Raises StreamClosed."""
        if self.breaks is not None:
            await self._break(b"".join(buffers), *self.breaks)
        for piece in pieces(buffers, self._transport.max_data):
            await self._turn()
            self._may_send.clear()
            self._transport.send(b"WRTE", self.local, self.remote, *piece)

    async def _break(self, data: bytes, share: float, whole: bool) -> None:
        """Send a share of the bytes, then close the stream, or cut the connection within a message."""
        self.breaks, end = None, int(len(data) * share)
        for start in range(0, end, self._transport.max_data):
            piece = data[start : start + self._transport.max_data]
            await self._turn()
            if whole and start + len(piece) > end:
                break
            self._may_send.clear()
            self._transport.send(b"WRTE", self.local, self.remote, piece[: end - start])
        if whole:
            start = end - end % self._transport.max_data
            self._transport.sever(self.local, self.remote, data[start : start + self._transport.max_data], end - start)
        self.close()
        raise StreamClosed("a planned fault broke the answer off")

    async def finish(self, *buffers: Buffer) -> None:
        """Send the last bytes and close, without waiting for the acknowledgement in between."""
        await self.write(*buffers)
        self.close()

    def close(self) -> None:
        """Close from our side; a second time does nothing."""
        if not self.closed:
            self._transport.send(b"CLSE", self.local, self.remote)
            self._transport.forget(self)
            self.ended()

    async def _turn(self) -> None:
        if self.closed:
            raise StreamClosed("the computer closed the stream")
        await self._may_send.wait()
        if self.closed:
            raise StreamClosed("the computer closed the stream")

    def acknowledged(self, remote: int) -> None:
        self.remote = remote
        self._may_send.set()

    def received(self, data: bytes) -> None:
        if data:
            self._received.append(data)
            self._unread += len(data)
            self._arrived.set()
        if self._unread < READ_AHEAD:
            self._transport.send(b"OKAY", self.local, self.remote)
        else:
            self._owes_okay = True

    def ended(self) -> None:
        """Wake whoever waits: nothing more will come or go."""
        self.closed = True
        self._arrived.set()
        self._may_send.set()


class Transport(asyncio.Protocol):
    """The connection as a whole. `opener` finds the handler for a service name, or None to refuse it."""

    def __init__(
        self, banner: bytes, opener: Opener, lost: Callable[[Transport], None], door: Door | None = None
    ) -> None:
        self._banner = banner
        self._door = door or Door()
        self._greeted = False
        self._opener = opener
        self._lost = lost
        self._decoder = MessageDecoder(MAX_DATA)
        self._streams: dict[int, Stream] = {}
        self._next = 1
        self._socket: asyncio.Transport | None = None
        self.max_data = MAX_DATA
        self.reverse: dict[str, str] = {}
        """What the computer registered with `reverse:forward`: address on the phone to address on the computer."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._socket = transport
        raw = transport.get_extra_info("socket")
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data: bytes) -> None:
        try:
            for message in self._decoder.feed(data):
                self._handle(message)
        except WireError as error:
            log.warning("adb server sent what is no adb message: %s", error)
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._drop_streams()
        self._socket = None
        self._lost(self)

    def close(self) -> None:
        """Cut the connection."""
        if self._socket is not None:
            self._socket.close()

    def send(self, command: bytes, arg0: int, arg1: int, *payload: Buffer) -> None:
        """Write one message; does nothing on a connection that is gone."""
        if self._socket is None or self._socket.is_closing():
            return
        size = sum(len(part) for part in payload)
        if size < BULK:
            self._socket.write(encode_message(Message(command, arg0, arg1, b"".join(payload))))
            return
        # The codec joins header and payload; a picture is passed on as it lies in memory.
        magic = int.from_bytes(command, "little") ^ 0xFFFFFFFF
        self._socket.write(_HEADER.pack(command, arg0, arg1, size, 0, magic))
        for part in payload:
            self._socket.write(part)

    def sever(self, local: int, remote: int, payload: bytes, sent: int) -> None:
        """Cut the connection when only `sent` bytes of a WRTE's payload have gone out."""
        if self._socket is not None and not self._socket.is_closing():
            self._socket.write(encode_message(Message(b"WRTE", local, remote, payload))[: _HEADER.size + sent])
        self.close()

    def forget(self, stream: Stream) -> None:
        self._streams.pop(stream.local, None)

    def connect_out(self, destination: str) -> Stream:
        """Open a stream from the phone to an address on the computer.

        Only a destination that the computer registered with `reverse:` may be named: for any other the adb server
        aborts and takes all its phones along. Raises ValueError.
        """
        if destination not in self.reverse.values():
            raise ValueError(f"{destination!r} is not registered with reverse:forward; the adb server would abort")
        stream = self._add(remote=0)
        self.send(b"OPEN", stream.local, 0, destination.encode() + b"\0")
        return stream

    def _add(self, remote: int) -> Stream:
        stream = Stream(self, self._next, remote)
        self._next += 1
        self._streams[stream.local] = stream
        return stream

    def _handle(self, message: Message) -> None:
        match message.command:
            case b"CNXN":
                self._greet(message)
            case b"OPEN":
                self._open(message)
            case b"OKAY":
                if (stream := self._streams.get(message.arg1)) is not None:
                    stream.acknowledged(message.arg0)
            case b"WRTE":
                if (stream := self._streams.get(message.arg1)) is not None:
                    stream.received(bytes(message.payload))
                else:
                    self.send(b"CLSE", 0, message.arg0)
            case b"CLSE":
                self._closed(message)
            case b"AUTH" if message.arg0 == SIGNATURE:  # no key is known to a phone that asks its owner
                self.welcome()
            case _:  # a public key: the owner has not looked at it yet
                log.debug("ignored %r from the adb server", message.command)

    def _greet(self, message: Message) -> None:
        self._drop_streams()
        self.reverse.clear()
        self.max_data = min(MAX_DATA, message.arg1) or 4096
        self._greeted = True
        self.welcome()

    def welcome(self) -> None:
        """Answer the handshake, if there was one, as the door says."""
        if not self._greeted:
            return
        match self._door.state:
            case "open":
                self.send(b"CNXN", VERSION, MAX_DATA, self._banner)
            case "unauthorized":
                self.send(b"AUTH", TOKEN, 0, CHALLENGE)

    def _open(self, message: Message) -> None:
        service = bytes(message.payload).rstrip(b"\0").decode("utf-8", "surrogateescape")
        handler = self._opener(service, self) if message.arg0 else None
        if handler is None:
            log.info("refused service %s", service.partition(":")[0])
            self.send(b"CLSE", 0, message.arg0)
            return
        stream = self._add(message.arg0)
        stream.acknowledged(message.arg0)
        self.send(b"OKAY", stream.local, stream.remote)
        stream.task = asyncio.get_running_loop().create_task(self._serve(handler, stream))

    async def _serve(self, handler: Handler, stream: Stream) -> None:
        try:
            await handler(stream)
        except StreamClosed:
            log.debug("stream %d closed by the computer", stream.local)
        except Exception:  # the border of one service: the phone and its other streams go on
            log.exception("a service of the virtual phone failed")
        finally:
            stream.close()

    def _closed(self, message: Message) -> None:
        stream = self._streams.pop(message.arg1, None)
        if stream is None:
            return
        self.send(b"CLSE", stream.local, stream.remote or message.arg0)
        stream.ended()
        if stream.task is not None:
            stream.task.cancel()

    def _drop_streams(self) -> None:
        streams, self._streams = self._streams, {}
        for stream in streams.values():
            stream.ended()
            if stream.task is not None:
                stream.task.cancel()


def pieces(buffers: Iterable[Buffer], size: int) -> list[list[Buffer]]:
    """Cut and join buffers into runs of at most `size` bytes without copying; empty ones vanish."""
    runs: list[list[Buffer]] = []
    room = 0
    for buffer in buffers:
        view = memoryview(buffer)
        start = 0
        while start < len(view):
            if not room:
                runs.append([])
                room = size
            end = min(start + room, len(view))
            whole = start == 0 and end == len(view)
            runs[-1].append(buffer if whole else view[start:end])
            room -= end - start
            start = end
    return runs
