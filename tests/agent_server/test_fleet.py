from __future__ import annotations

import asyncio
import logging

import pytest
import structlog
from structlog.testing import capture_logs

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
    fleet = Fleet(shelf, grace=0.05)
    await fleet.device("test-1")
    await asyncio.sleep(0)
    phone = shelf.unplug("test-1")
    async with asyncio.timeout(2):
        await phone.closed.wait()
    with pytest.raises(DeviceNotFound):
        await fleet.device("test-1")
    await fleet.close()


async def told(fleet: Fleet, states: dict[str, str]) -> None:
    """Wait until the fleet has heard it."""
    async with asyncio.timeout(5):
        while fleet.states != states:  # noqa: ASYNC110 - what is waited for rings no bell
            await asyncio.sleep(0.01)


async def test_a_phone_that_is_away_for_a_moment_stays_open_and_no_newcomer_gets_it_meanwhile() -> None:
    phone = GraphPhone()
    shelf = Shelf(phone)
    fleet = Fleet(shelf, grace=30)
    held = await fleet.device("test-1")
    await told(fleet, {"test-1": "device"})
    shelf.unplug("test-1")
    await told(fleet, {})
    with pytest.raises(DeviceNotFound):
        await fleet.device("test-1")
    shelf.plug(phone)
    await told(fleet, {"test-1": "device"})
    assert await fleet.device("test-1") is held and not phone.closed.is_set() and shelf.opened == ["test-1"]
    await fleet.close()


async def test_what_changes_in_the_list_is_logged_once_with_both_states() -> None:
    shelf = Shelf(GraphPhone(), states={"other": "unauthorized"})
    fleet = Fleet(shelf)
    wrapper = structlog.get_config()["wrapper_class"]
    # Other tests may have configured a level above these lines.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.INFO))
    try:
        with capture_logs() as logs:
            fleet.start()
            await told(fleet, {"test-1": "device", "other": "unauthorized"})
            shelf.states["other"] = "device"
            shelf.unplug("test-1")
            await told(fleet, {"other": "device"})
    finally:
        structlog.configure(wrapper_class=wrapper)
    assert [(one["serial"], one["before"], one["after"]) for one in logs] == [
        ("other", "absent", "unauthorized"),
        ("test-1", "absent", "device"),
        ("other", "unauthorized", "device"),
        ("test-1", "device", "absent"),
    ]
    await fleet.close()


async def test_phones_come_and_go_without_anything_being_restarted() -> None:
    shelf = Shelf(GraphPhone("a"))
    fleet = Fleet(shelf, grace=0.01)
    first = await fleet.device("a")
    for _ in range(2):
        await asyncio.sleep(0)
        phone = shelf.unplug("a")
        async with asyncio.timeout(2):
            await phone.closed.wait()
        fresh = GraphPhone("a")
        shelf.plug(fresh)
        assert await fleet.device("a") is fresh
    shelf.plug(GraphPhone("b"))
    assert (await fleet.device("b")).serial == "b" and await fleet.device("a") is not first
    await fleet.close()


async def test_a_phone_that_is_opened_again_waits_until_it_was_let_go() -> None:
    phone = GraphPhone()
    shelf = Shelf(phone)
    fleet = Fleet(shelf)
    await fleet.device("test-1")
    closing = asyncio.create_task(fleet.forget("test-1"))
    await asyncio.sleep(0)
    await fleet.device("test-1")
    assert closing.done() and phone.closed.is_set() and shelf.opened == ["test-1", "test-1"]
    await fleet.close()
