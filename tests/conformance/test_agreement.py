"""The same phone in the same state, read by our driver, by adbutils and by uiautomator2: all three must agree."""

from __future__ import annotations

import asyncio
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
import uiautomator2

from device.adb.client import AdbServer as OurServer
from device.adb.device import AdbDevice
from device.base import DeviceInfo, View
from device.virtual.phone import VirtualPhone

from .conftest import AdbServer, LivePhone
from .operations import CONTACTS, SETTINGS

# The libraries leave the socket of each call to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


async def ours(port: int, serial: str) -> tuple[DeviceInfo, View]:
    device = await AdbDevice.open(OurServer("127.0.0.1", port), serial)
    try:
        return await device.describe(), await device.observe()
    finally:
        await device.close()


def seen(xml: str) -> list[tuple[str, ...]]:
    """What a person could compare, in an order that does not depend on the windows'."""
    names = ("text", "content-desc", "class", "bounds")
    nodes = ElementTree.fromstring(xml).iter("node")
    # The clock of the status bar may pass a minute between two looks.
    return sorted(tuple(n.get(a, "") for a in names) for n in nodes if n.get("package") != "com.android.systemui")


@pytest.mark.parametrize("package", [SETTINGS, CONTACTS])
@pytest.mark.parametrize("rotation", [0, 1])
def test_three_clients_read_the_same_phone(server: AdbServer, fresh: LivePhone, package: str, rotation: int) -> None:
    def prepare(phone: VirtualPhone) -> None:
        phone.set_rotation(rotation, True)
        phone.start(package)

    fresh.ask(prepare)
    assert fresh.until(lambda phone: not phone.animating)
    plain = server.client.device(serial=fresh.address)
    automator: Any = uiautomator2.connect(plain)
    try:
        theirs = automator.dump_hierarchy()
        running = asyncio.run(ours(server.port, fresh.address))
        # Closing our device ends only what our device has started.
        assert automator.info["displayRotation"] == rotation
    finally:
        automator.stop_uiautomator()
    alone = asyncio.run(ours(server.port, fresh.address))

    for info, view in (running, alone):
        assert view.tree is not None, view.tree_reason
        assert seen(view.tree) == seen(theirs)
        assert tuple(plain.window_size()) == (view.frame.size.width, view.frame.size.height)
        assert view.frame.rotation == plain.rotation() == rotation
        front = plain.app_current()
        assert (view.foreground.package, view.foreground.activity.removeprefix(front.package)) == (
            front.package,
            front.activity.removeprefix(front.package),
        )
        assert info.model == plain.prop.model
        assert view.frame.pixels.shape[:2] == plain.screenshot().size[::-1]
