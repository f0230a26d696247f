"""File transfer: the `sync:` service, versions 1 and 2, over the files of the phone's world.

Source: AOSP packages/modules/adb, SYNC.TXT and file_sync_protocol.h; which client sends what was measured.
"""

from __future__ import annotations

import errno
import posixpath
import struct
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

from device.virtual.adbd import filesystem
from device.virtual.adbd.bridge import PhoneHost
from device.virtual.adbd.conditions import Conditions
from device.virtual.adbd.transport import Buffer, Stream
from device.virtual.core.files import FOLDER_MODE, StoredFile, normal
from device.virtual.faults.wire import StorageFull
from device.virtual.phone import VirtualPhone

MAX_CHUNK = 64 * 1024
MAX_PATH = 1024
T = TypeVar("T")

_U32 = struct.Struct("<I")
_STAT = struct.Struct("<4sIII")  # id, mode, size, mtime
_STAT2 = struct.Struct("<4sIQQIIIIQqqq")  # id, error, dev, ino, mode, nlink, uid, gid, size, atime, mtime, ctime
_DENT = struct.Struct("<4sIIII")  # id, mode, size, mtime, name length
_ERRNO = {
    "No such file or directory": errno.ENOENT,
    "Permission denied": errno.EACCES,
    "Not a directory": errno.ENOTDIR,
}
SHELL_UID = 2000


class _Ended(Exception):
    """The stream ended, between requests or within one."""


class SyncService:
    """One `sync:` stream, which may carry many requests."""

    def __init__(self, host: PhoneHost, stream: Stream, conditions: Conditions) -> None:
        self._host = host
        self._conditions = conditions
        self._stream = stream
        self._buffer = bytearray()

    async def serve(self) -> None:
        """Answer requests until QUIT or the end of the stream."""
        try:
            while True:
                kind, length = struct.unpack("<4sI", await self._exactly(8))
                if kind == b"QUIT":
                    return
                if length > MAX_PATH:
                    await self._fail(f"path too long: {length} bytes")
                    return
                path = (await self._exactly(length)).decode("utf-8", "surrogateescape")
                if not await self._answer(kind, path):
                    await self._fail(f"unknown command {kind.decode('ascii', 'replace')}")
                    return
        except _Ended:
            return

    async def _answer(self, kind: bytes, path: str) -> bool:
        match kind:
            case b"STAT":
                await self._stat(path)
            case b"STA2" | b"LST2":
                file = await self._run(lambda phone: _stat(phone, path))
                await self._stream.write(_stat2(kind, file))
            case b"LIST" | b"LIS2":
                await self._stream.write(*await self._run(lambda phone: _entries(phone, path, kind)))
            case b"RECV":
                await self._receive(path)
            case b"RCV2":
                _, flags = struct.unpack("<4sI", await self._exactly(8))
                if flags:
                    await self._fail("compression is not supported")
                else:
                    await self._receive(path)
            case b"SEND":
                name, comma, mode = path.rpartition(",")
                known = bool(comma) and mode.isdigit()
                await self._send(name if known else path, int(mode) if known else 0o644)
            case b"SND2":
                _, mode_bits, flags = struct.unpack("<4sII", await self._exactly(12))
                await self._send(path, mode_bits, refused="compression is not supported" if flags else "")
            case _:
                return False
        return True

    async def _stat(self, path: str) -> None:
        file = await self._run(lambda phone: _stat(phone, path))
        await self._stream.write(_STAT.pack(b"STAT", *(_brief(file) if file else (0, 0, 0))))

    async def _receive(self, path: str) -> None:
        try:
            data = await self._run(lambda phone: filesystem.read(phone, path))
        except filesystem.FileError as error:
            await self._fail(f"open failed: {error}")
            return
        view = memoryview(data)
        out: list[Buffer] = []
        for start in range(0, len(view), MAX_CHUNK):
            chunk = view[start : start + MAX_CHUNK]
            out += [b"DATA" + _U32.pack(len(chunk)), chunk]
        await self._stream.write(*out, b"DONE" + _U32.pack(0))  # the last DATA and DONE go out together

    async def _send(self, path: str, mode: int, refused: str = "") -> None:
        content = bytearray()
        while True:
            kind, value = struct.unpack("<4sI", await self._exactly(8))
            if kind == b"DONE":
                break
            if kind != b"DATA" or value > MAX_CHUNK:
                await self._fail(f"expected DATA or DONE, got {kind!r} {value}")
                raise _Ended
            content += await self._exactly(value)
        if await self._conditions.strike(StorageFull, path, {"path": path}):
            refused = "couldn't write file: No space left on device"
        if not refused:
            mtime = datetime.fromtimestamp(value, UTC).replace(tzinfo=None)
            refused = await self._run(lambda phone: _store(phone, path, bytes(content), mode, mtime))
        if refused:
            await self._fail(refused)
        else:
            await self._stream.write(b"OKAY" + _U32.pack(0))

    async def _fail(self, text: str) -> None:
        data = text.encode()
        await self._stream.write(b"FAIL" + _U32.pack(len(data)) + data)

    async def _run(self, job: Callable[[VirtualPhone], T]) -> T:
        return await self._host.run(job)

    async def _exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            data = await self._stream.read()
            if not data:
                raise _Ended
            self._buffer += data
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken


def _stat(phone: VirtualPhone, path: str) -> StoredFile | None:
    return filesystem.stat(phone, path) if path.startswith("/") else None


def _brief(file: StoredFile) -> tuple[int, int, int]:
    return file.mode, len(file.data) & 0xFFFFFFFF, epoch(file.mtime) & 0xFFFFFFFF


def _stat2(kind: bytes, file: StoredFile | None) -> bytes:
    if file is None:
        return _STAT2.pack(kind, errno.ENOENT, *([0] * 10))
    seconds = epoch(file.mtime)
    links = 2 if file.is_folder else 1
    owner = SHELL_UID if file.mode != 0o040755 else 0
    return _STAT2.pack(kind, 0, 1, 1, file.mode, links, owner, owner, len(file.data), seconds, seconds, seconds)


def _entries(phone: VirtualPhone, folder: str, kind: bytes) -> list[bytes]:
    """All DENT or DNT2 records and the DONE that ends them; a folder that is not there has none."""
    found: list[tuple[str, StoredFile]] = []
    try:
        names = filesystem.listing(phone, folder) if folder.startswith("/") else ()
    except filesystem.FileError:
        names = ()
    else:
        here = StoredFile(data=b"", mode=FOLDER_MODE, mtime=phone.clock.wall())
        found = [(".", here), ("..", here)] if folder.startswith("/") else []
    for name in names:
        if (file := filesystem.stat(phone, posixpath.join(folder, name))) is not None:
            found.append((name, file))
    records = [_record(kind, name, file) for name, file in found]
    return [*records, b"DONE".ljust(_DENT.size if kind == b"LIST" else _STAT2.size + 4, b"\0")]


def _record(kind: bytes, name: str, file: StoredFile) -> bytes:
    data = name.encode("utf-8", "surrogateescape")
    if kind == b"LIST":
        return _DENT.pack(b"DENT", *_brief(file), len(data)) + data
    return _stat2(b"DNT2", file) + _U32.pack(len(data)) + data


def _store(phone: VirtualPhone, path: str, data: bytes, mode: int, mtime: datetime) -> str:
    """Write the file, creating missing folders where the shell user may; the reason when it cannot be."""
    if not path.startswith("/"):
        return "couldn't create file: No such file or directory"
    if mode & 0o170000 == 0o120000:
        return "couldn't create symlink: Operation not permitted"
    folder = posixpath.dirname(normal(path))
    if filesystem.stat(phone, folder) is None:
        try:
            filesystem.make_folder(phone, folder, parents=True)
        except filesystem.FileError as error:
            return f"secure_mkdirs failed: {error}"
    try:
        filesystem.write(phone, path, data, mode=0o100000 | mode & 0o777, mtime=mtime)
    except filesystem.FileError as error:
        return f"couldn't create file: {error}"
    return ""


def epoch(moment: datetime) -> int:
    """Seconds since 1970 of the phone's wall time, which has no zone and counts as UTC."""
    return int(moment.replace(tzinfo=UTC).timestamp())
