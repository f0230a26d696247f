"""One asyncio connection to the adb server, every wait bounded by a deadline.

Bulk answers (a raw frame has 10 MB) are collected by a protocol of our own: asyncio's stream reader copies each
byte twice and stops reading at 64 kB.
Measured on loopback: 8-18 ms for a raw frame, against 410-690 ms through adbutils.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from device.adb.refusals import translated
from device.errors import CommandRefused, DeadlineExceeded, DeviceError, LinkLost, ServerUnavailable
from device.wire import WireError, decode_length, encode_request

RECEIVE_BUFFER = 4 << 20
"""Bytes asked of the kernel; the largest packet of the transport is 1 MiB."""
MOST_KEPT = 256 << 20
"""Bytes kept for a reader that does not come; a raw frame of the largest display has 133 MB."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on the event loop's clock, and the patience it came from; `at` is None for none at all."""

    seconds: float
    at: float | None

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        return cls(seconds, asyncio.get_running_loop().time() + seconds)

    @property
    def left(self) -> float:
        return float("inf") if self.at is None else max(self.at - asyncio.get_running_loop().time(), 0.0)


PATIENT = Deadline(float("inf"), None)
"""For streams that may be silent for as long as they like."""


class _Inbox(asyncio.Protocol):
    """Keeps what arrives until somebody takes it, and wakes the one who waits."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        # Growing by addition lets the allocator remap large buffers; filling one made beforehand costs thrice that.
        self.data = bytearray()
        self.ended = False
        self.error: Exception | None = None
        self._waiter: asyncio.Future[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.data += data
        if len(self.data) > MOST_KEPT and self.transport is not None:
            self.transport.pause_reading()
        self._wake()

    def take(self, count: int) -> bytes:
        """The next `count` bytes."""
        taken = bytes(memoryview(self.data)[:count])
        del self.data[:count]
        if self.transport is not None and len(self.data) <= MOST_KEPT:
            self.transport.resume_reading()
        return taken

    def eof_received(self) -> bool:
        self.ended = True
        self._wake()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self.ended, self.error = True, exc
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def more(self) -> None:
        """Return when something new arrived or the stream ended."""
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None


class Connection:
    """A stream to the adb server, or through it to a service of a phone. One reader at a time."""

    def __init__(self, inbox: _Inbox, where: str) -> None:
        self._inbox = inbox
        self._where = where

    @classmethod
    async def open(cls, host: str, port: int, deadline: Deadline) -> Connection:
        """Raises ServerUnavailable."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout_at(deadline.at):
                transport, inbox = await loop.create_connection(_Inbox, host, port)
        except (OSError, TimeoutError) as error:
            raise ServerUnavailable(
                f"no adb server answers at {host}:{port}: {error or 'silence'}", advice="Start one: adb start-server"
            ) from error
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
        return cls(inbox, f"{host}:{port}")

    async def __aenter__(self) -> Connection:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._inbox.transport is not None:
            self._inbox.transport.close()

    @property
    def ended(self) -> bool:
        """Whether the other side has closed the stream; what it sent before can still be read."""
        return self._inbox.ended

    def send(self, data: bytes) -> None:
        """Queue bytes; they leave at once. Raises LinkLost when the stream has ended."""
        transport = self._inbox.transport
        if transport is None or self._inbox.ended or transport.is_closing():
            raise LinkLost(f"the stream to {self._where} has ended")
        transport.write(data)

    async def _until(self, enough: Callable[[], bool], deadline: Deadline, what: str) -> None:
        if enough():
            return
        try:
            async with asyncio.timeout_at(deadline.at):
                while not enough():
                    await self._inbox.more()
        except TimeoutError:
            raise DeadlineExceeded(f"no answer to {what} within {deadline.seconds:g} s") from None

    async def exactly(self, count: int, deadline: Deadline, what: str) -> bytes:
        """The next `count` bytes. Raises LinkLost when the stream ends before, DeadlineExceeded."""
        inbox = self._inbox
        await self._until(lambda: len(inbox.data) >= count or inbox.ended, deadline, what)
        if len(inbox.data) < count:
            raise LinkLost(f"the stream ended after {len(inbox.data)} of {count} bytes of {what}")
        return inbox.take(count)

    async def some(self, deadline: Deadline, what: str) -> bytes:
        """Whatever has arrived, at least one byte; empty at the end of the stream. Raises DeadlineExceeded."""
        inbox = self._inbox
        await self._until(lambda: len(inbox.data) > 0 or inbox.ended, deadline, what)
        return inbox.take(len(inbox.data))

    async def rest(self, deadline: Deadline, what: str) -> memoryview:
        """Everything until the stream ends, without a copy. Raises LinkLost on a broken stream, DeadlineExceeded."""
        inbox = self._inbox
        await self._until(lambda: inbox.ended, deadline, what)
        if inbox.error is not None:
            raise LinkLost(f"the stream broke in {what}: {inbox.error}") from inbox.error
        return memoryview(inbox.data)

    async def request(self, service: str, deadline: Deadline) -> None:
        """Ask the adb server for a service and wait for its OKAY. Raises the error that its refusal means."""
        try:
            request = encode_request(service)
        except WireError as error:
            raise CommandRefused(str(error)) from None
        self.send(request)
        what = service.partition(":")[0]
        status = await self.exactly(4, deadline, what)
        if status == b"FAIL":
            raise translated(await self.text(deadline, what))
        if status != b"OKAY":
            raise LinkLost(f"expected OKAY or FAIL from the adb server, not {status!r}")

    async def text(self, deadline: Deadline, what: str) -> str:
        """A text preceded by its length in four hexadecimal digits."""
        length = decode_length(await self.exactly(4, deadline, what))
        return (await self.exactly(length, deadline, what)).decode(errors="replace")


@contextlib.contextmanager
def talking_to(serial: str) -> Iterator[None]:
    """Errors inside tell which phone they concern; bytes that are no protocol mean a broken link."""
    try:
        yield
    except WireError as error:
        raise LinkLost(f"the phone's answer makes no sense: {error}", serial=serial) from error
    except DeviceError as error:
        error.serial = error.serial or serial
        raise
