"""File transfer on literal bytes, as each client version sends them."""

from __future__ import annotations

import struct

import pytest

from device.virtual.host import serve_phone
from device.virtual.phone import VirtualPhone

from .adb_host import AdbHost, HostStream, request

pytestmark = pytest.mark.anyio

PATH = "/data/local/tmp/f"


async def sync(wire: AdbHost) -> HostStream:
    return await wire.open("sync:")


async def send(stream: HostStream, path: str, data: bytes, mode: int = 0o100644, mtime: int = 1_700_000_000) -> bytes:
    """Push by SEND and give the 8 bytes of the answer."""
    await stream.write(request(b"SEND", f"{path},{mode}"))
    for at in range(0, len(data), 65536):
        chunk = data[at : at + 65536]
        await stream.write(b"DATA" + struct.pack("<I", len(chunk)) + chunk)
    await stream.write(b"DONE" + struct.pack("<I", mtime))
    return await stream.exactly(8)


async def failure(stream: HostStream) -> str:
    kind, size = struct.unpack("<4sI", await stream.exactly(8))
    assert kind == b"FAIL"
    return (await stream.exactly(size)).decode()


async def test_a_pushed_file_is_stored_with_mode_and_time(wire: AdbHost, phone: VirtualPhone) -> None:
    stream = await sync(wire)
    data = bytes(range(256)) * 600
    assert await send(stream, PATH, data, 0o100755) == b"OKAY\0\0\0\0"
    file = phone.world.files.get(PATH)
    assert file is not None and file.data == data and file.mode == 0o100755
    await stream.write(request(b"STAT", PATH))
    assert struct.unpack("<4sIII", await stream.exactly(16)) == (b"STAT", 0o100755, len(data), 1_700_000_000)
    await stream.write(b"QUIT\0\0\0\0")
    assert await stream.all() == b""


async def test_one_stream_carries_many_requests_a_byte_at_a_time(phone: VirtualPhone) -> None:
    async with serve_phone(phone) as served, AdbHost.connect(served.address, bytewise=True) as host:
        await host.greet()
        stream = await sync(host)
        for name in ("a", "b"):
            assert await send(stream, f"/sdcard/{name}", name.encode()) == b"OKAY\0\0\0\0"
        await stream.write(request(b"RECV", "/sdcard/b"))
        assert await stream.exactly(17) == b"DATA\1\0\0\0bDONE\0\0\0\0"


async def test_version_two_stat_tells_missing_files_by_error(wire: AdbHost) -> None:
    stream = await sync(wire)
    await send(stream, PATH, b"12345")
    for kind in (b"STA2", b"LST2"):
        await stream.write(request(kind, PATH))
        fields = struct.unpack("<4sIQQIIIIQqqq", await stream.exactly(72))
        assert fields[0] == kind and fields[1] == 0 and fields[4] == 0o100644 and fields[8] == 5
        assert fields[10] == 1_700_000_000
        await stream.write(request(kind, PATH + ".none"))
        assert struct.unpack("<4sIQQIIIIQqqq", await stream.exactly(72)) == (kind, 2, *([0] * 10))
    await stream.write(request(b"STAT", PATH + ".none"))
    assert await stream.exactly(16) == b"STAT" + bytes(12)


async def test_folders_are_listed_in_both_versions(wire: AdbHost) -> None:
    stream = await sync(wire)
    await send(stream, "/sdcard/d/ü.txt", b"xy")
    await stream.write(request(b"LIST", "/sdcard/d"))
    names = {}
    while (head := struct.unpack("<4sIIII", await stream.exactly(20)))[0] == b"DENT":
        names[(await stream.exactly(head[4])).decode()] = head[2]
    assert head == (b"DONE", 0, 0, 0, 0) and names == {".": 0, "..": 0, "ü.txt": 2}
    await stream.write(request(b"LIS2", "/sdcard/d"))
    names = {}
    while (fields := struct.unpack("<4sIQQIIIIQqqqI", await stream.exactly(76)))[0] == b"DNT2":
        names[(await stream.exactly(fields[12])).decode()] = fields[8]
    assert fields == (b"DONE", *([0] * 12)) and names["ü.txt"] == 2
    await stream.write(request(b"LIST", "/sdcard/none"))
    assert await stream.exactly(20) == b"DONE" + bytes(16)


async def test_version_two_transfers_carry_mode_and_flags_apart(wire: AdbHost, phone: VirtualPhone) -> None:
    stream = await sync(wire)
    await stream.write(request(b"SND2", PATH) + struct.pack("<4sII", b"SND2", 0o100600, 0))
    await stream.write(b"DATA\3\0\0\0abc" + b"DONE" + struct.pack("<I", 5))
    assert await stream.exactly(8) == b"OKAY\0\0\0\0"
    assert phone.world.files.read(PATH) == b"abc"
    await stream.write(request(b"RCV2", PATH) + struct.pack("<4sI", b"RCV2", 0))
    assert await stream.exactly(19) == b"DATA\3\0\0\0abcDONE\0\0\0\0"
    await stream.write(request(b"RCV2", PATH) + struct.pack("<4sI", b"RCV2", 4))
    assert "compression" in await failure(stream)


async def test_the_last_data_and_done_leave_in_one_message(wire: AdbHost) -> None:
    stream = await sync(wire)
    await send(stream, PATH, bytes(70_000))
    before = len([m for m in wire.wire if m.command == b"WRTE"])
    await stream.write(request(b"RECV", PATH))
    await stream.exactly(8 + 65536 + 8 + 70_000 - 65536 + 8)
    assert len([m for m in wire.wire if m.command == b"WRTE"]) == before + 1


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/no/such/folder/f", "secure_mkdirs failed: Read-only file system"),
        ("/data/elsewhere/f", "secure_mkdirs failed: Permission denied"),
        ("/system/f", "couldn't create file: Read-only file system"),
        ("/sdcard", "couldn't create file: Is a directory"),
        ("relative", "couldn't create file: No such file or directory"),
    ],
)
async def test_what_cannot_be_stored_fails_after_the_last_byte(
    wire: AdbHost, phone: VirtualPhone, path: str, reason: str
) -> None:
    stream = await sync(wire)
    answer = await send(stream, path, b"x")
    kind, size = struct.unpack("<4sI", answer)
    assert (kind, (await stream.exactly(size)).decode()) == (b"FAIL", reason)
    assert path == "/sdcard" or not path.startswith("/") or phone.world.files.get(path) is None


async def test_a_missing_file_fails_and_the_stream_goes_on(wire: AdbHost) -> None:
    stream = await sync(wire)
    await stream.write(request(b"RECV", "/sdcard/none"))
    assert await failure(stream) == "open failed: No such file or directory"
    await stream.write(request(b"STAT", "/sdcard"))
    assert struct.unpack("<4sIII", await stream.exactly(16))[1] & 0o170000 == 0o040000


async def test_folders_are_made_on_the_way_where_the_shell_may(wire: AdbHost, phone: VirtualPhone) -> None:
    stream = await sync(wire)
    assert await send(stream, "/data/local/tmp/a/b/c", b"x") == b"OKAY\0\0\0\0"
    assert phone.world.files.read("/data/local/tmp/a/b/c") == b"x"


async def test_an_unknown_request_fails_and_ends_the_stream(wire: AdbHost) -> None:
    stream = await sync(wire)
    await stream.write(request(b"NOPE", "/x"))
    assert "NOPE" in await failure(stream)
    assert await stream.all() == b""
