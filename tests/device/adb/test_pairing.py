"""Pairing for wireless debugging, in the words of real adb servers."""

from __future__ import annotations

import pytest

from device.adb.pairing import checked_address, pair
from device.errors import CommandRefused, DeviceError
from tests.device.adb.server import Answer, Stage, fail, okay, said

pytestmark = pytest.mark.anyio

CODE = "482913"
ADDRESS = "192.168.1.20:37123"
DONE = f"Successfully paired to {ADDRESS} [guid=adb-R58M123-abcdef]"


def framed(status: str, words: str) -> bytes:
    return b"OKAY" + status.encode() + b"%04x" % len(words) + words.encode()


async def test_a_right_code_pairs_in_adbs_words() -> None:
    stage = Stage(host={"host:pair:": okay(DONE)})
    async with stage.serving() as server:
        assert await pair(server, ADDRESS, CODE) == DONE
    assert stage.asked == [f"host:pair:{CODE}:{ADDRESS}"]


@pytest.mark.parametrize(
    "answer",
    [
        said(framed("FAIL", "Failed: Wrong password or connection was dropped.")),  # adb 36
        okay("Failed: Wrong password or connection was dropped."),
        fail("Failed: Wrong password or connection was dropped."),
    ],
)
async def test_a_wrong_code_is_refused_with_advice_and_without_the_code(answer: Answer) -> None:
    async with Stage(host={"host:pair:": answer}).serving() as server:
        with pytest.raises(DeviceError, match="Wrong password") as caught:
            await pair(server, ADDRESS, CODE)
    assert "Pair device with pairing code" in caught.value.advice
    assert CODE not in f"{caught.value} {caught.value.advice}"


async def test_an_adb_that_is_too_old_is_said() -> None:
    async with Stage(host={"host:pair:": fail("unknown host service")}).serving() as server:
        with pytest.raises(CommandRefused, match="too old to pair"):
            await pair(server, ADDRESS, CODE)


@pytest.mark.parametrize("code", ["", "12345", "1234567", "12a456", "123456\n"])
async def test_a_code_that_is_none_asks_nobody(code: str) -> None:
    stage = Stage()
    async with stage.serving() as server:
        with pytest.raises(CommandRefused, match="six digits"):
            await pair(server, ADDRESS, code)
    assert stage.asked == []


@pytest.mark.parametrize(
    "address", ["192.168.1.20", ":37123", "192.168.1.20:", "192.168.1.20:0", "a b:1", "[zz]:1", "x:99999", "h;rm:1"]
)
def test_an_address_without_host_or_port_is_named(address: str) -> None:
    with pytest.raises(CommandRefused, match="no address"):
        checked_address(address)


@pytest.mark.parametrize("address", [ADDRESS, "phone.local:41000", "[fe80::1]:5555"])
def test_addresses_as_phones_show_them_are_taken(address: str) -> None:
    assert checked_address(address) == address
