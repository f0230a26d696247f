"""Codecs on literal bytes, whole and one byte at a time."""

from __future__ import annotations

import pytest

from device import wire
from device.wire import Message, MessageDecoder, ShellDecoder, ShellPacket, WireError

OPEN = (
    bytes.fromhex(
        "4f50454e"  # OPEN
        "01000000"  # our stream id
        "00000000"  # their stream id, not known yet
        "08000000"  # eight bytes of payload
        "00000000"  # no checksum since version 0x01000001
        "b0afbab1"  # the command with every bit flipped
    )
    + b"shell:x\0"
)


def test_a_message_is_these_bytes() -> None:
    assert wire.encode_message(Message(b"OPEN", 1, 0, b"shell:x\0")) == OPEN
    assert MessageDecoder().feed(OPEN) == [Message(b"OPEN", 1, 0, b"shell:x\0")]


def test_a_message_arrives_one_byte_at_a_time() -> None:
    decoder = MessageDecoder()
    got = [message for byte in OPEN + OPEN for message in decoder.feed(bytes([byte]))]
    assert got == [Message(b"OPEN", 1, 0, b"shell:x\0")] * 2


def test_the_checksum_of_old_versions_is_the_sum_of_the_bytes() -> None:
    encoded = wire.encode_message(Message(b"WRTE", 1, 2, b"\x01\x02\xff"), checksum=True)
    assert int.from_bytes(encoded[16:20], "little") == 0x102


def test_noise_is_not_taken_for_a_message() -> None:
    with pytest.raises(WireError, match="not an adb message"):
        MessageDecoder().feed(b"GET / HTTP/1.1\r\nHost: x\r\n")


def test_a_payload_over_the_agreed_size_is_refused_before_it_arrives() -> None:
    header = wire.encode_message(Message(b"WRTE", 1, 2, b"x" * 100))[:24]
    with pytest.raises(WireError, match="more than the agreed 64"):
        MessageDecoder(64).feed(header)


def test_shell_packets_arrive_one_byte_at_a_time() -> None:
    data = b"\x01\x03\x00\x00\x00hi\n" + b"\x03\x01\x00\x00\x00\x07"
    decoder = ShellDecoder()
    got = [packet for byte in data for packet in decoder.feed(bytes([byte]))]
    assert got == [ShellPacket(wire.STDOUT, b"hi\n"), ShellPacket(wire.EXIT, b"\x07")]
    assert b"".join(map(wire.encode_shell, got)) == data


def test_an_unknown_shell_packet_is_refused() -> None:
    with pytest.raises(WireError, match="9 is no kind"):
        ShellDecoder().feed(b"\x09\x00\x00\x00\x00")


def test_a_request_counts_bytes_not_letters() -> None:
    assert wire.encode_request("host:version") == b"000chost:version"
    assert wire.encode_request("shell:echo é") == b"000dshell:echo \xc3\xa9"


@pytest.mark.parametrize("digits", [b"00g0", b"12", b"", b"-001x"])
def test_a_length_is_four_hexadecimal_digits(digits: bytes) -> None:
    with pytest.raises(WireError, match="four hexadecimal digits"):
        wire.decode_length(digits)


def test_sync_packets_are_these_bytes() -> None:
    assert wire.encode_sync(b"STAT", b"/sdcard") == b"STAT\x07\x00\x00\x00/sdcard"
    assert wire.encode_sync_done(0x01020304) == b"DONE\x04\x03\x02\x01"
    stat = wire.decode_stat(b"STAT" + bytes.fromhex("a4810000 0a000000 00e1f505"))
    assert (stat.mode, stat.size, stat.mtime, stat.exists) == (0o100644, 10, 100_000_000, True)
    with pytest.raises(WireError, match="expected STAT"):
        wire.decode_stat(b"FAIL" + bytes(12))
