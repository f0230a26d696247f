"""Wireless debugging: trust between this computer and a phone, made once by the code that the phone shows.

The pairing address is not the one to connect to afterwards: the phone shows both, and both ports change whenever
wireless debugging is switched (reference: device B, wireless debugging). The adb server does the cryptography; it has
known how since version 30.
"""

from __future__ import annotations

import ipaddress
import re

from device.adb.client import AdbServer
from device.adb.connection import Connection, Deadline, talking_to
from device.adb.refusals import translated
from device.errors import CommandRefused, DeviceError
from device.wire import decode_length

PAIR_DEADLINE = 20.0
"""The phone's own dialog gives up after that long without its network; a wrong code is answered at once."""
CODE = re.compile(r"[0-9]{6}")
HOST = re.compile(r"[A-Za-z0-9._-]{1,253}")
_ON_PHONE = "On the phone: Developer options, Wireless debugging, Pair device with pairing code."


def checked_address(address: str) -> str:
    """`host:port`, as adb writes it; IPv6 in brackets. Raises CommandRefused naming what is wrong."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal() or not 0 < int(port) < 65536 or not _is_host(host):
        raise CommandRefused(
            f"{address!r} is no address of a phone", advice="Write HOST:PORT, for example 192.168.1.20:37123."
        )
    return address


def _is_host(host: str) -> bool:
    if host.startswith("[") and host.endswith("]"):
        try:
            ipaddress.IPv6Address(host[1:-1])
        except ValueError:
            return False
        return True
    return HOST.fullmatch(host) is not None


async def pair(server: AdbServer, address: str, code: str) -> str:
    """Make the phone at that pairing address trust this computer; adb's sentence about it.

    Raises CommandRefused for a wrong code or address, for a phone that does not answer and for an adb server that is
    too old. The code is in no message.
    """
    checked_address(address)
    if not CODE.fullmatch(code):
        raise CommandRefused("a pairing code has six digits", advice=_ON_PHONE)
    deadline = Deadline.after(PAIR_DEADLINE)
    try:
        with talking_to(address):
            async with await server.connection(deadline) as connection:
                await connection.request(f"host:pair:{code}:{address}", deadline)
                said = await _said(connection, deadline)
    except DeviceError as error:
        if "unknown host service" in str(error):
            raise CommandRefused(
                "this adb server is too old to pair; version 30 and newer can",
                serial=address,
                advice="End it (adb kill-server) and start a newer one; the adb that adbutils brings is new enough.",
            ) from None
        if error.advice == error.mending:
            error.advice = f"Check code and pairing address. {_ON_PHONE}"
        raise
    if not said.startswith("Successfully paired to"):
        raise CommandRefused(said, serial=address, advice=f"Check code and pairing address. {_ON_PHONE}")
    return said


async def _said(connection: Connection, deadline: Deadline) -> str:
    """adb's sentence. A failure comes as a second status after the OKAY (seen with adb 36), a success as plain text."""
    head = await connection.exactly(4, deadline, "pair")
    if head in (b"FAIL", b"OKAY"):
        words = await connection.text(deadline, "pair")
        if head == b"FAIL":
            raise translated(words)
        return words
    return (await connection.exactly(decode_length(head), deadline, "pair")).decode(errors="replace")
