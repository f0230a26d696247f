"""Faults of the way in between, as an adb server meets them."""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator

import pytest

from device.wire import Message, MessageDecoder, ShellDecoder, encode_message
from tests.device.virtual.adbd.adb_host import AdbHost, Refused, request
from tests.device.virtual.adbd.test_u2_server import START

from .wired import Wired, connected, until

pytestmark = pytest.mark.anyio

HELLO = encode_message(Message(b"CNXN", 0x01000001, 1 << 20, b"host::features=shell_v2"))


@pytest.fixture
async def wired() -> AsyncIterator[Wired]:
    async with Wired.up() as wired:
        yield wired


async def test_a_slow_shell_takes_the_phones_time_for_each_program(wired: Wired) -> None:
    await wired.arm("slow_shell", ms=2000)
    start = await wired.now()
    assert (await wired.host.shell("echo quick"))[1] == b"quick\n" and await wired.now() == start
    await wired.host.shell("getprop ro.serialno")
    assert 2000 <= await wired.now() - start < 2100
    await wired.arm("slow_shell", command="wm")
    start = await wired.now()
    await wired.host.shell("getprop ro.serialno")
    assert await wired.now() == start and wired.fired() == ["slow_shell"]


@pytest.mark.parametrize(
    ("fault", "line", "group"), [("injection_slow", "input tap 5 6", 5000), ("capture_slow", "screencap -p", 30_000)]
)
async def test_one_kind_of_command_is_slow(wired: Wired, fault: str, line: str, group: float) -> None:
    await wired.arm(fault)
    start = await wired.now()
    await wired.host.shell("getprop ro.serialno")
    assert await wired.now() == start
    await wired.host.shell(line)
    assert group <= await wired.now() - start < group + 200


async def test_injection_is_slow_on_the_servers_way_alone(wired: Wired) -> None:
    client, _ = await wired.server()
    await wired.arm("injection_slow", path="u2", ms=6000)
    start = await wired.now()
    await wired.host.shell("input tap 5 6")
    assert await wired.now() == start
    await client.call("click", 5, 6)
    assert await wired.now() - start >= 6000


async def test_half_an_answer_has_no_exit_packet_and_the_act_is_done(wired: Wired) -> None:
    await wired.arm("half_answer", {"next": 1})
    stream = await wired.host.open("shell,v2,raw:input tap 5 6")
    assert ShellDecoder().feed(await stream.all()) == [] and wired.touched() == 1
    assert (await wired.host.shell("input tap 7 8"))[0] == 0
    assert wired.fired() == ["half_answer"]


async def test_half_a_picture_and_half_a_file(wired: Wired) -> None:
    whole = await (await wired.host.open("exec:screencap")).all()
    await wired.arm("half_answer", service="exec", share=0.3)
    part = await (await wired.host.open("exec:screencap")).all()
    assert part == whole[: int(len(whole) * 0.3)] and len(part) > 2 << 20
    await wired.host.shell("echo 0123456789 > /sdcard/x")
    await wired.arm("half_answer", service="sync")
    stream = await wired.host.open("sync:")
    await stream.write(request(b"RECV", "/sdcard/x"))
    assert await stream.all() == b"DATA\x0b\0\0\0" + b"012345678"[:5]
    assert (await wired.host.shell("echo spared"))[1] == b"spared\n"


async def test_half_an_answer_of_the_automation_server(wired: Wired) -> None:
    client, _ = await wired.server()
    await client.call("deviceInfo")
    await wired.arm("half_answer", service="u2")
    stream = await wired.host.open("tcp:9008")
    await stream.write(b"GET /ping HTTP/1.1\r\n\r\n")
    answer = await stream.all()
    assert answer.startswith(b"HTTP/1.1 200") and b"pong" not in answer


async def payload_until_cut(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> int:
    """Bytes of WRTE payload up to the end, which must come within a message."""
    received = 0
    async with asyncio.timeout(5):
        while True:
            head = await reader.readexactly(24)
            assert head[:4] != b"CLSE"
            try:
                payload = await reader.readexactly(struct.unpack_from("<I", head, 12)[0])
            except asyncio.IncompleteReadError as cut:
                return received + len(cut.partial)
            if head[:4] == b"WRTE":
                received += len(payload)
                writer.write(encode_message(Message(b"OKAY", 1, struct.unpack_from("<I", head, 4)[0])))


@pytest.mark.parametrize("share", [0.0, 0.5, 0.9])
async def test_the_connection_is_cut_in_the_middle_of_a_message(wired: Wired, share: float) -> None:
    await wired.arm("link_cut", share=share)
    reader, writer = await connected(wired.served.address)
    writer.write(HELLO + encode_message(Message(b"OPEN", 1, 0, b"exec:screencap\0")))
    received = await payload_until_cut(reader, writer)
    assert received == int((16 + 1080 * 2400 * 4) * share)
    writer.close()
    await wired.clear()
    async with AdbHost.connect(wired.served.address) as again:
        await again.greet()
        assert (await again.shell("echo back"))[1] == b"back\n"


async def test_an_old_shell_ends_lines_with_two_characters(wired: Wired) -> None:
    await wired.arm("crlf")
    assert await (await wired.host.open("shell:printf 'a\\nb\\n'")).all() == b"a\r\nb\r\n"
    assert await (await wired.host.open("exec:echo a")).all() == b"a\n"
    assert (await wired.host.shell("echo a"))[1] == b"a\n"


async def test_a_full_storage_takes_no_file(wired: Wired) -> None:
    await wired.arm("storage_full", {"next": 1})
    for wanted in (b"FAIL", b"OKAY"):
        stream = await wired.host.open("sync:")
        await stream.write(request(b"SEND", "/sdcard/x,33206") + b"DATA\x01\0\0\0x" + b"DONE\0\0\0\0")
        kind, size = struct.unpack("<4sI", await stream.exactly(8))
        assert kind == wanted
        if kind == b"FAIL":
            assert b"No space left on device" in await stream.exactly(size)
            assert (await wired.host.shell("ls /sdcard/x"))[0] == 1
        stream.close()


async def test_the_automation_server_is_killed_some_time_after_its_start(wired: Wired) -> None:
    await wired.arm("server_killed", ms=5000)
    client, process = await wired.server()
    assert await client.call("ping") == "pong"
    await wired.host.shell("sleep 4.9")
    assert await client.call("ping") == "pong"
    await wired.host.shell("sleep 0.2")
    assert b"Killed" in await process.all()
    with pytest.raises(Refused):
        await wired.host.open("tcp:9008")


async def test_the_automation_server_quits_or_says_nothing(wired: Wired) -> None:
    await wired.host.shell("echo jar > /data/local/tmp/u2.jar")
    await wired.arm("server_quits")
    assert await (await wired.host.open(START)).all() == b""
    await wired.arm("server_silent")
    stream = await wired.host.open(START)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await stream._data.get()
    with pytest.raises(Refused):
        await wired.host.open("tcp:9008")


@pytest.mark.parametrize("done", [False, True])
async def test_a_call_may_be_carried_out_and_its_answer_lost(wired: Wired, done: bool) -> None:
    client, _ = await wired.server()
    await wired.arm("rpc_drop", method="click", done=done)
    assert await client.call("ping") == "pong"
    stream = await wired.host.open("tcp:9008")
    body = b'{"jsonrpc":"2.0","id":1,"method":"click","params":[5,6]}'
    await stream.write(b"POST /jsonrpc/0 HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    assert await stream.all() == b""
    assert wired.touched() == int(done) and wired.fired() == ["rpc_drop"]


async def gone(wired: Wired) -> None:
    """The connection of before has ended."""
    await until(lambda: not wired.served.adbd.connections)


async def test_the_phone_goes_and_comes_back_on_its_port(wired: Wired) -> None:
    address = wired.served.address
    start = await wired.now()
    await wired.arm("disconnect", ms=3000)
    await gone(wired)
    _, writer = await connected(address)
    writer.close()
    assert await wired.now() - start >= 3000 and wired.served.address == address


async def test_a_closed_port_refuses_and_opens_again_where_it_was() -> None:
    async with Wired.up() as wired:
        await wired.served.listener.close()
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection(*wired.served.address.split(":"))
        await wired.served.listener.open()
        _, writer = await connected(wired.served.address)
        writer.close()


async def hello(wired: Wired) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await connected(wired.served.address)
    writer.write(HELLO)
    return reader, writer


async def message(reader: asyncio.StreamReader) -> Message:
    head = await asyncio.wait_for(reader.readexactly(24), 5)
    size = struct.unpack_from("<I", head, 12)[0]
    (found,) = MessageDecoder(1 << 20).feed(head + await reader.readexactly(size))
    return found


async def test_an_unauthorized_computer_is_challenged_until_the_owner_agrees(wired: Wired) -> None:
    await wired.arm("unauthorized")
    await gone(wired)
    reader, writer = await hello(wired)
    for answer in (b"", encode_message(Message(b"AUTH", 2, 0, bytes(256)))):
        writer.write(answer)
        challenge = await message(reader)
        assert (challenge.command, challenge.arg0, len(challenge.payload)) == (b"AUTH", 1, 20)
    writer.write(encode_message(Message(b"AUTH", 3, 0, b"key" * 200)))
    writer.write(encode_message(Message(b"OPEN", 1, 0, b"shell:echo x\0")))
    assert (await message(reader)).command == b"CLSE"
    await wired.clear()
    assert (await message(reader)).command == b"CNXN"
    writer.close()


async def test_an_offline_phone_takes_the_connection_and_says_nothing(wired: Wired) -> None:
    await wired.arm("offline")
    await gone(wired)
    reader, writer = await hello(wired)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await reader.read(1)
    await wired.clear()
    assert (await message(reader)).command == b"CNXN"
    writer.close()


async def test_a_shut_phone_opens_again_after_its_time(wired: Wired) -> None:
    await wired.arm("offline", ms=4000)
    await gone(wired)
    reader, writer = await hello(wired)
    assert (await message(reader)).command == b"CNXN"
    writer.close()


async def test_a_restart_cuts_the_link_and_ends_the_automation_server(wired: Wired) -> None:
    await wired.server()
    await wired.arm("reboot", {"after_acts": 1}, ms=8000)
    await (await wired.host.open("shell:input tap 5 6; sleep 1")).all()
    await gone(wired)
    async with await_host(wired) as again:
        await again.greet()
        assert b"mIsShowing=true" in (await again.shell("dumpsys window policy"))[1]
        with pytest.raises(Refused):
            await again.open("tcp:9008")


@contextlib.asynccontextmanager
async def await_host(wired: Wired) -> AsyncIterator[AdbHost]:
    _, writer = await connected(wired.served.address)
    writer.close()
    async with AdbHost.connect(wired.served.address) as host:
        yield host


async def test_a_phone_moves_to_another_port(wired: Wired) -> None:
    before = wired.served.address
    await wired.arm("new_port")
    await gone(wired)
    await until(lambda: wired.served.address != before)
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(*before.split(":"))
    async with await_host(wired) as host:
        await host.greet()
        assert (await host.shell("echo moved"))[1] == b"moved\n"
