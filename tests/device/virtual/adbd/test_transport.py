"""The transport protocol from the adb server's end, without an adb server."""

from __future__ import annotations

import asyncio
import struct

import pytest

from device.virtual.adbd.services import FEATURES
from device.virtual.adbd.transport import pieces
from device.virtual.host import serve_phone
from device.virtual.phone import VirtualPhone
from device.wire import CLOSE_STDIN, STDIN, Message, ShellPacket, encode_shell

from .adb_host import AdbHost, Refused

pytestmark = pytest.mark.anyio


async def test_the_phone_introduces_itself_with_names_and_exactly_its_features(phone: VirtualPhone) -> None:
    async with serve_phone(phone) as served, AdbHost.connect(served.address) as host:
        hello = await host.greet()
    assert (hello.arg0, hello.arg1) == (0x01000001, 1 << 20)
    assert bytes(hello.payload).decode() == (
        f"device::ro.product.name={phone.profile.product};ro.product.model={phone.profile.model};"
        f"ro.product.device={phone.profile.device};features={FEATURES}"
    )
    assert FEATURES == "shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir,sendrecv_v2"


async def test_every_byte_may_come_alone(phone: VirtualPhone) -> None:
    async with serve_phone(phone) as served, AdbHost.connect(served.address, bytewise=True) as host:
        await host.greet()
        assert await host.shell("echo one; nope; exit 7") == (7, b"one\n", b"sh: nope: inaccessible or not found\n")


async def test_output_and_exit_status_leave_in_one_message(wire: AdbHost) -> None:
    await wire.shell("echo a; echo b")
    messages = [m.command for m in wire.wire if m.command in (b"WRTE", b"CLSE", b"OKAY")]
    assert messages == [b"OKAY", b"WRTE", b"CLSE"]


async def test_the_v1_shell_merges_output_and_errors(wire: AdbHost) -> None:
    stream = await wire.open("shell:echo out; nope")
    assert await stream.all() == b"out\nsh: nope: inaccessible or not found\n"


async def test_no_second_message_leaves_before_the_first_is_acknowledged(phone: VirtualPhone) -> None:
    async with serve_phone(phone) as served:
        reader, writer = await asyncio.open_connection(*served.address.split(":"))
        host = AdbHost(reader, writer)
        host.send(Message(b"CNXN", 0x01000001, 4096, b"host::"))
        host.send(Message(b"OPEN", 1, 0, b"exec:screencap\0"))
        writes = 0
        async with asyncio.timeout(5):
            while writes < 3:
                for message in host._decoder.feed(await reader.read(1 << 16)):
                    if message.command == b"WRTE":
                        assert len(message.payload) <= 4096  # what we said we accept
                        writes += 1
                        await asyncio.sleep(0.05)
                        assert not host._decoder.feed(await nothing(reader)), "a message came without an OKAY"
                        host.send(Message(b"OKAY", 1, message.arg0))
        writer.close()


async def nothing(reader: asyncio.StreamReader) -> bytes:
    try:
        async with asyncio.timeout(0.05):
            return await reader.read(1 << 16)
    except TimeoutError:
        return b""


async def test_services_the_phone_does_not_have_are_refused_with_id_zero(wire: AdbHost) -> None:
    for service in (
        "jdwp",
        "track-jdwp",
        "track-app",
        "abb:x",
        "abb_exec:x",
        "tcp:9008",
        "localabstract:x",
        "nonsense",
    ):
        with pytest.raises(Refused):
            await wire.open(service)
        assert (wire.wire[-1].command, wire.wire[-1].arg0) == (b"CLSE", 0)


async def test_unknown_ids_and_repeated_closes_are_ignored(wire: AdbHost) -> None:
    stream = await wire.open("shell,v2,raw:echo x")
    await stream.all()
    for _ in range(2):
        stream.close()
    wire.send(Message(b"OKAY", 77, 88))
    wire.send(Message(b"CLSE", 0, 99))
    wire.send(Message(b"WRTE", 77, 88, b"lost"))
    assert (await wire.shell("echo alive"))[1] == b"alive\n"


async def test_standard_input_comes_in_packets_until_it_is_closed(wire: AdbHost) -> None:
    stream = await wire.open("shell,v2,raw:cat > /sdcard/x; wc -c < /sdcard/x")
    for piece in (b"abc", b"def" * 1000):
        await stream.write(encode_shell(ShellPacket(STDIN, piece)))
    await stream.write(encode_shell(ShellPacket(CLOSE_STDIN)))
    assert b"3003\n" in await stream.all()


async def test_a_person_gets_a_prompt_an_echo_and_an_end(wire: AdbHost) -> None:
    stream = await wire.open("shell:")
    assert await stream.read() == b"twp:/ $ "
    for byte in b"echx\x7fo hi\r":
        await stream.write(bytes([byte]))
    await stream.write(b"cd /sdcard\nfalse\n\x03exit\n")
    seen = (await stream.all()).replace(b"\r\n", b"\n")
    assert seen.startswith(b"echx\b \bo hi\nhi\ntwp:/ $ cd /sdcard\n")
    assert seen.endswith(b"^C\ntwp:/ $ exit\n")


async def test_closing_the_stream_ends_what_runs_in_it(wire: AdbHost) -> None:
    stream = await wire.open("shell:echo begun; sleep 100000; touch /sdcard/late")
    assert await stream.read() == b"begun\n"
    stream.close()
    assert (await wire.shell("ls /sdcard/late"))[0] == 1


async def test_many_streams_share_the_connection(wire: AdbHost) -> None:
    answers = await asyncio.gather(*(wire.shell(f"echo {n}; exit {n}") for n in range(50)))
    assert answers == [(n, f"{n}\n".encode(), b"") for n in range(50)]


async def test_the_framebuffer_is_a_header_and_rgba_pixels(wire: AdbHost, phone: VirtualPhone) -> None:
    data = await (await wire.open("framebuffer:")).all()
    head = struct.unpack("<13I", data[:52])
    assert head == (1, 32, 1080 * 2400 * 4, 1080, 2400, 0, 8, 16, 8, 8, 8, 24, 8)
    assert data[52:] == phone.raw()


async def test_reverse_connections_go_only_where_the_computer_asked_for_them(phone: VirtualPhone) -> None:
    async with serve_phone(phone) as served, AdbHost.connect(served.address) as host:
        await host.greet()
        (transport,) = served.adbd.connections
        with pytest.raises(ValueError, match="not registered"):
            transport.connect_out("tcp:7002")
        assert await (await host.open("reverse:forward:tcp:7001;tcp:7002")).all() == b"OKAY"
        assert await (await host.open("reverse:list-forward")).all() == b"0017host tcp:7001 tcp:7002\n"
        stream = await host.open("tcp:7001")
        async with asyncio.timeout(5):
            destination, back = await host.opened.get()
        assert destination == "tcp:7002"
        await stream.write(b"there")
        assert await back.read() == b"there"
        await back.write(b"and back")
        assert await stream.read() == b"and back"
        back.close()
        assert await stream.read() == b""
        assert await (await host.open("reverse:killforward-all")).all() == b"OKAY"
        with pytest.raises(Refused):
            await host.open("tcp:7001")


async def test_bytes_that_are_no_adb_message_cut_the_connection(phone: VirtualPhone) -> None:
    async with serve_phone(phone) as served:
        reader, writer = await asyncio.open_connection(*served.address.split(":"))
        writer.write(b"GET / HTTP/1.1\r\nHost: phone\r\n\r\n")
        async with asyncio.timeout(5):
            assert await reader.read() == b""
        writer.close()


@pytest.mark.parametrize(
    ("sizes", "limit", "runs"),
    [
        ([3], 10, [3]),
        ([16, 25], 10, [10, 10, 10, 10, 1]),
        ([5, 5], 10, [10]),
        ([0, 4, 0], 10, [4]),
        ([], 10, []),
        ([20], 10, [10, 10]),
    ],
)
def test_buffers_are_cut_to_size_and_lose_nothing(sizes: list[int], limit: int, runs: list[int]) -> None:
    whole = bytes(range(sum(sizes)))
    buffers, at = [], 0
    for size in sizes:
        buffers.append(whole[at : at + size])
        at += size
    cut = pieces(buffers, limit)
    assert [sum(len(part) for part in run) for run in cut] == runs
    assert b"".join(bytes(part) for run in cut for part in run) == whole
