"""The bytes between adb server, phone and us, without a socket.

Each decoder is fed whatever arrived and gives back whole values; "not enough bytes yet" is an empty list.
Sources: AOSP packages/modules/adb, protocol.txt (transport messages), OVERVIEW.TXT and SERVICES.TXT (requests to
the server), shell_protocol.h (shell packets), SYNC.TXT and file_sync_protocol.h (file transfer).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

MAX_PAYLOAD = 1 << 20
"""Bytes: what adb servers since version 29 announce as their largest packet."""


class WireError(Exception):
    """The other side sent something that is not this protocol."""


# Transport messages: adb server <-> phone.

_HEADER = struct.Struct("<4sIIIII")


@dataclass(frozen=True, slots=True)
class Message:
    """One transport message. `command` is four ASCII letters such as b"OPEN"; the arguments are u32."""

    command: bytes
    arg0: int
    arg1: int
    payload: bytes | bytearray | memoryview = b""


def encode_message(message: Message, *, checksum: bool = False) -> bytes:
    """Header and payload; the byte-sum `checksum` is only wanted by version 0x01000000."""
    payload = bytes(message.payload)
    magic = int.from_bytes(message.command, "little") ^ 0xFFFFFFFF
    check = sum(payload) & 0xFFFFFFFF if checksum else 0
    return _HEADER.pack(message.command, message.arg0, message.arg1, len(payload), check, magic) + payload


class MessageDecoder:
    """Bytes in, transport messages out. Raises WireError on a bad magic number or an oversized payload."""

    def __init__(self, max_payload: int = MAX_PAYLOAD) -> None:
        self._max = max_payload
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Message]:
        self._buffer += data
        messages = []
        while (message := self._next()) is not None:
            messages.append(message)
        return messages

    def _next(self) -> Message | None:
        if len(self._buffer) < _HEADER.size:
            return None
        command, arg0, arg1, length, _, magic = _HEADER.unpack_from(self._buffer)
        if magic != int.from_bytes(command, "little") ^ 0xFFFFFFFF:
            raise WireError(f"not an adb message: {bytes(self._buffer[: _HEADER.size]).hex(' ')}")
        if length > self._max:
            raise WireError(f"{command!r} announces {length} bytes, more than the agreed {self._max}")
        end = _HEADER.size + length
        if len(self._buffer) < end:
            return None
        payload = bytes(memoryview(self._buffer)[_HEADER.size : end])
        del self._buffer[:end]
        return Message(command, arg0, arg1, payload)


# Shell packets: the shell,v2 service.

STDIN, STDOUT, STDERR, EXIT, CLOSE_STDIN, WINDOW_SIZE = range(6)
_SHELL = struct.Struct("<BI")


@dataclass(frozen=True, slots=True)
class ShellPacket:
    """One packet of a shell,v2 stream; an EXIT packet carries one byte, the exit code."""

    kind: int
    payload: bytes = b""


def encode_shell(packet: ShellPacket) -> bytes:
    return _SHELL.pack(packet.kind, len(packet.payload)) + packet.payload


class ShellDecoder:
    """Bytes in, shell packets out. Raises WireError on an unknown kind."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[ShellPacket]:
        self._buffer += data
        packets, at, view = [], 0, memoryview(self._buffer)
        try:
            while len(view) - at >= _SHELL.size:
                kind, length = _SHELL.unpack_from(view, at)
                if kind > WINDOW_SIZE:
                    raise WireError(f"{kind} is no kind of shell packet")
                if len(view) - at - _SHELL.size < length:
                    break
                start = at + _SHELL.size
                packets.append(ShellPacket(kind, bytes(view[start : start + length])))
                at = start + length
        finally:
            view.release()
        del self._buffer[:at]
        return packets


# Requests to the adb server: four hexadecimal digits of length, then the service.

MAX_REQUEST = 0xFFFF


def encode_request(service: str) -> bytes:
    """A request such as `host:devices-l`. Raises WireError when it is longer than four hex digits can say."""
    body = service.encode()
    if len(body) > MAX_REQUEST:
        raise WireError(f"a request of {len(body)} bytes; at most {MAX_REQUEST} can be sent")
    return b"%04x" % len(body) + body


def decode_length(digits: bytes) -> int:
    """The length that four hexadecimal digits say. Raises WireError on anything else."""
    try:
        if len(digits) != 4:
            raise ValueError
        return int(digits, 16)
    except ValueError:
        raise WireError(f"expected four hexadecimal digits, not {digits!r}") from None


# File transfer: the sync service.

SYNC_CHUNK = 64 * 1024
"""Bytes: the most that one DATA packet may carry."""
_SYNC = struct.Struct("<4sI")
_STAT = struct.Struct("<4sIII")


@dataclass(frozen=True, slots=True)
class SyncStat:
    """What STAT answers: mode bits, size in bytes, seconds since 1970. A missing file is all zeros."""

    mode: int
    size: int
    mtime: int

    @property
    def exists(self) -> bool:
        return self.mode != 0


def encode_sync(command: bytes, payload: bytes = b"") -> bytes:
    """A sync request or packet: four letters, length, payload."""
    return _SYNC.pack(command, len(payload)) + payload


def encode_sync_done(mtime: int) -> bytes:
    """The end of a pushed file: `DONE` carries the time where others carry a length."""
    return _SYNC.pack(b"DONE", mtime)


def decode_sync_header(data: bytes) -> tuple[bytes, int]:
    """Four letters and the number after them, from 8 bytes."""
    command, number = _SYNC.unpack(data)
    return bytes(command), int(number)


def decode_stat(data: bytes) -> SyncStat:
    """The 16 bytes that answer STAT. Raises WireError when they do not."""
    command, mode, size, mtime = _STAT.unpack(data)
    if command != b"STAT":
        raise WireError(f"expected STAT, not {bytes(command)!r}")
    return SyncStat(mode, size, mtime)
