"""The client of the adb server, against one whose answers are scripted."""

from __future__ import annotations

import asyncio
import contextlib
import struct
import time

import pytest

from device.adb.client import AdbServer, Listed, listed
from device.errors import (
    CommandRefused,
    DeadlineExceeded,
    DeviceError,
    DeviceNotFound,
    DeviceOffline,
    DeviceUnauthorized,
    LinkLost,
    ServerUnavailable,
)
from device.wire import EXIT, STDOUT, ShellPacket, encode_shell
from tests.device.adb.server import SERIAL, Answer, Stage, Wire, cut_shell, fail, in_turn, okay, said, shell, silent

pytestmark = pytest.mark.anyio


async def test_version_and_devices_are_read() -> None:
    lines = "phone-1 device product:x model:Pixel_8 device:y transport_id:1\n127.0.0.1:7001 offline transport_id:2\n"
    stage = Stage(host={"host:version": okay("0029"), "host:devices-l": okay(lines)})
    async with stage.serving() as server:
        assert await server.version() == 41
        assert await server.devices() == (
            Listed("phone-1", "device", "Pixel 8"),
            Listed("127.0.0.1:7001", "offline", ""),
        )


def test_lines_that_are_no_devices_are_left_out() -> None:
    assert listed("\n* daemon started\nlonely\n")[1:] == ()
    assert listed("") == ()


async def test_no_server_is_server_unavailable_with_advice() -> None:
    with pytest.raises(ServerUnavailable, match="no adb server answers") as caught:
        await AdbServer("127.0.0.1", 1).version()
    assert caught.value.advice


async def test_something_else_on_the_port_is_named() -> None:
    async with Stage(host={"host:version": okay("what")}).serving() as server:
        with pytest.raises(ServerUnavailable, match="no adb server"):
            await server.version()
    async with Stage(host={"host:version": said(b"HTTP/1.1 400 Bad Request\r\n\r\n")}).serving() as server:
        with pytest.raises(LinkLost):
            await server.version()


@pytest.mark.parametrize(
    "words, kind",
    [
        (f"device '{SERIAL}' not found", DeviceNotFound),
        ("device offline", DeviceOffline),
        ("device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set", DeviceUnauthorized),
        ("something new", CommandRefused),
    ],
)
async def test_a_refused_phone_is_a_named_error_with_its_serial(words: str, kind: type[DeviceError]) -> None:
    async with Stage(host={"host:transport:": fail(words)}).serving() as server:
        with pytest.raises(kind) as caught:
            await server.link(SERIAL).shell(["id"])
    assert caught.value.serial == SERIAL and words.split("\n")[0] in str(caught.value)


async def test_a_refused_service_is_refused() -> None:
    async with Stage().serving() as server:
        with pytest.raises(CommandRefused) as caught:
            await server.link(SERIAL).shell(["id"])
    assert caught.value.serial == SERIAL


async def test_a_command_gives_code_output_and_errors_apart() -> None:
    async with Stage(phone={"shell,v2,raw:": shell("out\n", "err\n", 3)}).serving() as server:
        answer = await server.link(SERIAL).shell(["x"])
    assert (answer.code, answer.out, answer.err) == (3, b"out\n", b"err\n")


async def test_words_are_quoted_on_the_wire() -> None:
    stage = Stage(phone={"shell,v2,raw:": shell()})
    async with stage.serving() as server:
        await server.link(SERIAL).shell(["echo", "it's $(id); `id`", ""])
    assert stage.asked[-1] == """shell,v2,raw:echo 'it'"'"'s $(id); `id`' ''"""


async def test_output_in_crumbs_is_put_together() -> None:
    async def crumbs(wire: Wire) -> None:
        packets = encode_shell(ShellPacket(STDOUT, "héllo".encode())) + encode_shell(ShellPacket(EXIT, b"\0"))
        await wire.say(b"OKAY")
        for byte in packets:
            await wire.say(bytes([byte]))
            await asyncio.sleep(0)

    async with Stage(phone={"shell,v2,raw:": crumbs}).serving() as server:
        assert (await server.link(SERIAL).shell(["x"])).text == "héllo"


async def test_a_stream_without_an_exit_packet_is_a_lost_link() -> None:
    async with Stage(phone={"shell,v2,raw:": cut_shell("half an ans")}).serving() as server:
        with pytest.raises(LinkLost, match="went away") as caught:
            await server.link(SERIAL).shell(["dumpsys", "window"])
    assert caught.value.serial == SERIAL and caught.value.retryable


@pytest.mark.parametrize("before", [b"", b"OK", b"OKAY", b"OKAY" + encode_shell(ShellPacket(STDOUT, b"drip"))[:6]])
async def test_silence_ends_at_the_deadline(before: bytes) -> None:
    async with Stage(phone={"shell,v2,raw:": silent(before)}).serving() as server:
        started = time.monotonic()
        with pytest.raises(DeadlineExceeded) as caught:
            await server.link(SERIAL).shell(["x"], 0.2)
    assert 0.15 <= time.monotonic() - started < 1.0
    assert caught.value.serial == SERIAL


async def test_a_phone_that_drips_cannot_stretch_the_deadline() -> None:
    async def drip(wire: Wire) -> None:
        await wire.say(b"OKAY")
        while True:
            await wire.say(encode_shell(ShellPacket(STDOUT, b".")))
            await asyncio.sleep(0.02)

    async with Stage(phone={"shell,v2,raw:": drip}).serving() as server:
        started = time.monotonic()
        with pytest.raises(DeadlineExceeded):
            await server.link(SERIAL).shell(["x"], 0.3)
    assert time.monotonic() - started < 1.0


async def test_a_server_that_says_nothing_ends_at_the_deadline() -> None:
    async with Stage(host={"host:transport:": silent()}).serving() as server:
        with pytest.raises(DeadlineExceeded) as caught:
            await server.link(SERIAL).open("tcp:1", 0.2)
    assert caught.value.serial == SERIAL


async def test_an_answer_that_is_no_shell_packet_is_a_lost_link() -> None:
    async with Stage(phone={"shell,v2,raw:": said(b"OKAY\x09\x00\x00\x00\x00")}).serving() as server:
        with pytest.raises(LinkLost, match="makes no sense"):
            await server.link(SERIAL).shell(["x"])


async def test_a_length_that_is_no_number_is_a_lost_link() -> None:
    async with Stage(host={"host:version": said(b"OKAYzzzz")}).serving() as server:
        with pytest.raises(LinkLost):
            await server.version()


async def test_raw_output_comes_whole_and_unchanged() -> None:
    data = bytes(range(256)) * 40_000
    async with Stage(phone={"exec:": said(b"OKAY" + data)}).serving() as server:
        assert await server.link(SERIAL).exec(["screencap"]) == data


async def test_a_cancelled_call_leaves_no_connection_behind() -> None:
    closed = asyncio.Event()

    async def watch(wire: Wire) -> None:
        await wire.say(b"OKAY")
        await wire.reader.read()
        closed.set()

    async with Stage(phone={"shell,v2,raw:": watch}).serving() as server:
        call = asyncio.create_task(server.link(SERIAL).shell(["sleep", "100"]))
        await asyncio.sleep(0.05)
        call.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await call
        await asyncio.wait_for(closed.wait(), 1)


async def test_the_hand_over_is_told_before_the_phone_is_asked_and_not_when_it_is_not_there() -> None:
    told: list[str] = []
    async with Stage(phone={"shell,v2,raw:": cut_shell("")}).serving() as server:
        with pytest.raises(LinkLost):
            await server.link(SERIAL).shell(["input"], handed_over=lambda: told.append("asked"))
    assert told == ["asked"]
    async with Stage(host={"host:transport:": fail("device offline")}).serving() as server:
        with pytest.raises(DeviceOffline):
            await server.link(SERIAL).shell(["input"], handed_over=lambda: told.append("again"))
    assert told == ["asked"]


# Attaching phones


def _connecting(*answers: Answer, state: str = "device") -> Stage:
    lines = f"10.0.0.2:5555 {state} transport_id:1\n"
    return Stage(
        host={
            "host:connect:": in_turn(*answers),
            "host:disconnect:": okay("disconnected 10.0.0.2:5555"),
            "host:devices-l": okay(lines),
        }
    )


@pytest.mark.parametrize("words", ["connected to 10.0.0.2:5555", "already connected to 10.0.0.2:5555"])
async def test_a_phone_that_is_there_is_connected(words: str) -> None:
    stage = _connecting(okay(words))
    async with stage.serving() as server:
        await server.connect("10.0.0.2:5555")
    assert not any("disconnect" in one for one in stage.asked)


async def test_an_offline_phone_that_is_already_connected_is_connected_anew() -> None:
    stage = _connecting(okay("already connected to X"), okay("connected to X"), state="offline")
    async with stage.serving() as server:
        await server.connect("10.0.0.2:5555")
    verbs = [one.split(":")[1] for one in stage.asked]
    assert verbs == ["connect", "devices-l", "disconnect", "connect"]


@pytest.mark.parametrize(
    "words, kind",
    [
        ("failed to connect to '10.0.0.2:5555': Connection refused", DeviceNotFound),
        ("failed to connect to 10.0.0.2:5555", DeviceNotFound),
        ("failed to resolve host: 'nowhere': Name or service not known", DeviceNotFound),
        ("unable to connect to 10.0.0.2:5555", DeviceNotFound),
        ("failed to authenticate to 10.0.0.2:5555", DeviceUnauthorized),
    ],
)
async def test_a_failed_connect_is_seen_although_adb_says_okay(words: str, kind: type[DeviceError]) -> None:
    async with _connecting(okay(words)).serving() as server:
        with pytest.raises(kind) as caught:
            await server.connect("10.0.0.2:5555")
    assert caught.value.serial == "10.0.0.2:5555" and caught.value.advice


async def test_disconnecting_a_stranger_is_device_not_found() -> None:
    async with Stage(host={"host:disconnect:": fail("no such device '10.0.0.9:5555'")}).serving() as server:
        with pytest.raises(DeviceNotFound):
            await server.disconnect("10.0.0.9:5555")


async def test_devices_are_tracked_until_the_server_ends() -> None:
    async def changes(wire: Wire) -> None:
        await wire.say(b"OKAY0000")
        for state in ("offline", "device"):
            line = f"phone-1 {state}\n".encode()
            await wire.say(b"%04x" % len(line) + line)
            await asyncio.sleep(0.01)

    async with Stage(host={"host:track-devices-l": changes}).serving() as server:
        seen = []
        with pytest.raises(LinkLost):
            async for phones in server.track():
                seen.append([one.state for one in phones])
    assert seen == [[], ["offline"], ["device"]]


# Files


async def test_a_file_is_pulled_in_pieces() -> None:
    pieces = struct.pack("<4sI", b"DATA", 3) + b"abc" + struct.pack("<4sI", b"DATA", 2) + b"de" + b"DONE" + bytes(4)
    async with Stage(phone={"sync:": said(b"OKAY" + pieces)}).serving() as server:
        assert await server.link(SERIAL).pull("/sdcard/x") == b"abcde"


async def test_a_refused_push_and_pull_tell_the_phones_words() -> None:
    words = b"couldn't create file: Permission denied"
    refusal = struct.pack("<4sI", b"FAIL", len(words)) + words

    async def refuse(wire: Wire) -> None:
        await wire.say(b"OKAY")
        await wire.reader.read(8)
        await wire.say(refusal)
        await wire.reader.read()

    async with Stage(phone={"sync:": refuse}).serving() as server:
        link = server.link(SERIAL)
        with pytest.raises(CommandRefused, match="Permission denied"):
            await link.push(b"x" * 100_000, "/system/x")
        with pytest.raises(CommandRefused, match="Permission denied") as caught:
            await link.pull("/data/x")
    assert caught.value.serial == SERIAL


async def test_a_file_cut_in_the_middle_is_a_lost_link() -> None:
    half = struct.pack("<4sI", b"DATA", 100) + b"abc"
    async with Stage(phone={"sync:": said(b"OKAY" + half)}).serving() as server:
        with pytest.raises(LinkLost):
            await server.link(SERIAL).pull("/sdcard/x")


async def test_stat_tells_a_missing_file() -> None:
    async with Stage(phone={"sync:": said(b"OKAYSTAT" + bytes(12))}).serving() as server:
        assert not (await server.link(SERIAL).stat("/nowhere")).exists
