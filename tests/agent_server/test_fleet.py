from __future__ import annotations

import asyncio

import pytest

from agent_server.fleet import Fleet
from device.errors import DeviceNotFound, DeviceOffline, DeviceUnauthorized, LinkLost
from tests.agent_server.phone import GraphPhone, Shelf

pytestmark = pytest.mark.anyio


async def test_a_phone_is_opened_once_and_kept() -> None:
    shelf = Shelf(GraphPhone())
    fleet = Fleet(shelf)
    first, second = await asyncio.gather(fleet.device("test-1"), fleet.device("test-1"))
    assert first is second and shelf.opened == ["test-1"]
    info = fleet.known("test-1")
    assert info is not None and info.virtual
    await fleet.close()
    assert shelf.phones["test-1"].closed.is_set() and fleet.known("test-1") is None


async def test_a_serial_that_adb_does_not_list_is_named_with_those_it_does() -> None:
    fleet = Fleet(Shelf(GraphPhone("a"), GraphPhone("b")))
    with pytest.raises(DeviceNotFound, match=r"'c'.*connected: a, b") as caught:
        await fleet.device("c")
    assert "GET /v1/devices" in caught.value.advice


async def test_a_phone_that_is_not_ready_says_what_to_do() -> None:
    fleet = Fleet(Shelf(GraphPhone("a"), states={"a": "unauthorized", "b": "offline"}))
    with pytest.raises(DeviceUnauthorized) as unauthorized:
        await fleet.device("a")
    with pytest.raises(DeviceOffline) as offline:
        await fleet.device("b")
    assert "tap Allow" in unauthorized.value.advice and "adb reconnect" in offline.value.advice


async def test_a_phone_whose_link_breaks_is_opened_afresh() -> None:
    phone = GraphPhone(faults={"observe": [LinkLost("gone")]})
    shelf = Shelf(phone)
    fleet = Fleet(shelf)
    with pytest.raises(LinkLost):
        async with fleet.using("test-1") as device:
            await device.observe()
    assert phone.closed.is_set()
    async with fleet.using("test-1") as device:
        await device.observe()
    assert shelf.opened == ["test-1", "test-1"]
    await fleet.close()


async def test_a_phone_that_leaves_the_list_is_dropped_without_being_asked() -> None:
    shelf = Shelf(GraphPhone())
    fleet = Fleet(shelf)
    await fleet.device("test-1")
    await asyncio.sleep(0)
    phone = shelf.unplug("test-1")
    async with asyncio.timeout(2):
        await phone.closed.wait()
    with pytest.raises(DeviceNotFound):
        await fleet.device("test-1")
    await fleet.close()
