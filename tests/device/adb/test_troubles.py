"""Our device on a virtual phone with the troubles that real phones have, switched on at the owner's endpoint."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator

import pytest

from device.actions import Key, PressKey, Tap
from device.adb.client import AdbServer
from device.adb.device import AdbDevice
from device.base import Answer, State
from device.errors import InjectionRefused
from device.geometry import Point
from tests.lab import Lab, Phone

pytestmark = pytest.mark.anyio

HEALTHY = {
    "refuse_injection": False,
    "automation_taken": False,
    "empty_tree": False,
    "null_screenshot": False,
    "rpc": "",
    "display_warning": False,
}
MIDDLE = Point(0.5, 0.3)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lab, Phone]]:
    lab = Lab(tmp_path_factory.mktemp("bench"))
    with lab.adb_server(), lab.phone() as phone:
        yield lab, phone


@contextlib.asynccontextmanager
async def opened(bench: tuple[Lab, Phone]) -> AsyncIterator[AdbDevice]:
    lab, phone = bench
    device = await AdbDevice.open(AdbServer("127.0.0.1", lab.adb_port), phone.serial)
    try:
        yield device
    finally:
        await device.close()


@contextlib.contextmanager
def trouble(bench: tuple[Lab, Phone], **faults: object) -> Iterator[None]:
    bench[1].ask("POST", "/faults", json={**HEALTHY, **faults})
    try:
        yield
    finally:
        bench[1].ask("POST", "/faults", json=HEALTHY)


async def test_refused_injection_is_named_with_what_the_owner_can_do(bench: tuple[Lab, Phone]) -> None:
    async with opened(bench) as device:
        with trouble(bench, refuse_injection=True):
            for act in (Tap(MIDDLE), PressKey(Key.WAKE)):
                with pytest.raises(InjectionRefused) as caught:
                    await device.act(act)
                assert "developer options" in caught.value.advice
            assert (await device.observe()).tree is not None


async def test_a_taken_automation_leaves_pictures_and_input(bench: tuple[Lab, Phone]) -> None:
    with trouble(bench, automation_taken=True):
        async with opened(bench) as device:
            assert "tree" not in (await device.describe()).capabilities
            view = await device.observe()
            assert view.tree is None and "already registered" in view.tree_reason
            assert view.frame.pixels.std() > 5 and view.foreground.package
            outcome = await device.act(PressKey(Key.HOME), on=view)
            assert (outcome.sent, outcome.path) == (Answer.YES, "input")


async def test_an_empty_tree_is_no_tree(bench: tuple[Lab, Phone]) -> None:
    async with opened(bench) as device:
        with trouble(bench, empty_tree=True):
            view = await device.observe()
            assert view.tree is None and "empty" in view.tree_reason and State.NO_TREE in view.states
        assert (await device.observe()).tree is not None


async def test_a_refused_screenshot_falls_back_and_comes_back(bench: tuple[Lab, Phone]) -> None:
    async with opened(bench) as device:
        with trouble(bench, null_screenshot=True):
            refused = await device.observe()
        assert refused.frame.media_type in ("image/x-rgba", "image/png")
        assert (await device.observe()).frame.media_type == "image/jpeg"


async def test_a_warning_before_the_picture_is_passed_over(bench: tuple[Lab, Phone]) -> None:
    with trouble(bench, display_warning=True, automation_taken=True):
        async with opened(bench) as device:
            frame = (await device.observe()).frame
    assert frame.pixels.shape == (frame.size.height, frame.size.width, 3)


@pytest.mark.parametrize("kind", ["drop", "disconnected"])
async def test_a_server_that_fails_every_call_is_done_without(bench: tuple[Lab, Phone], kind: str) -> None:
    async with opened(bench) as device:
        with trouble(bench, rpc=kind):
            view = await device.observe()
            assert view.tree is None and view.tree_reason and view.foreground.package
            outcome = await device.act(PressKey(Key.HOME))
            assert (outcome.sent, outcome.path) == (Answer.YES, "input")
