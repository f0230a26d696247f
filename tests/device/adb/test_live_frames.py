"""Live pictures: one capture for everybody who watches, and never ahead of the one who works with the phone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from agent_server.camera import AdbCamera
from device.adb.frames import LiveFrames
from device.base import FrameSource
from device.clock import ManualClock, SystemClock
from device.errors import BadFrame, DeviceError, LinkLost
from device.frame import Frame
from device.geometry import Size
from tests.device.adb.phone_bench import Bench
from tests.lab import Lab

pytestmark = pytest.mark.anyio


def picture(number: int = 0) -> Frame:
    return Frame(str(number).encode(), "image/png", Size(1, 1), 0, datetime(2026, 1, 1, tzinfo=UTC))


class Screen:
    """Something to be filmed. `gate` holds a capture back; `faults` are raised by the next ones."""

    def __init__(self) -> None:
        self.taken = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.faults: list[DeviceError] = []

    async def __call__(self) -> Frame:
        self.taken += 1
        number = self.taken
        await self.gate.wait()
        await asyncio.sleep(0)
        if self.faults:
            raise self.faults.pop(0)
        return picture(number)


async def test_ten_watchers_share_one_capture() -> None:
    screen, clock = Screen(), ManualClock()
    live = LiveFrames(screen, clock)
    watchers = [live.frames(10) for _ in range(10)]
    seen = [await asyncio.gather(*(anext(one) for one in watchers)) for _ in range(5)]
    assert all(len({frame.data for frame in each}) <= 2 for each in seen)
    assert screen.taken <= 12 and live.watchers == 10
    for one in watchers:
        await one.aclose()
    assert live.watchers == 0
    await live.close()


async def test_nothing_is_taken_while_nobody_asks() -> None:
    screen, clock = Screen(), ManualClock()
    live = LiveFrames(screen, clock)
    watcher = live.frames(30)
    await anext(watcher)
    for _ in range(50):
        await clock.sleep(1)
    taken = screen.taken
    for _ in range(50):
        await clock.sleep(1)
    assert screen.taken == taken <= 2
    await watcher.aclose()


@pytest.mark.parametrize("fps", [2.0, 30.0])
async def test_a_watcher_gets_no_more_frames_a_second_than_it_asked_for(fps: float) -> None:
    screen, clock = Screen(), ManualClock()
    watcher = LiveFrames(screen, clock).frames(fps)
    started = clock.monotonic()
    for _ in range(21):
        await anext(watcher)
    assert clock.monotonic() - started >= 20 / fps - 0.01
    await watcher.aclose()


@pytest.mark.parametrize("fps", [0.0, 1.9, 31.0, float("nan")])
async def test_a_rate_that_is_not_offered_is_refused_with_those_that_are(fps: float) -> None:
    with pytest.raises(ValueError, match="2 to 30"):
        await anext(LiveFrames(Screen(), ManualClock()).frames(fps))


async def test_while_somebody_works_only_their_pictures_are_shown_and_none_is_taken_beside() -> None:
    screen = Screen()
    live = LiveFrames(screen, SystemClock())
    watcher = live.frames(30)
    await anext(watcher)
    with live.at_work():
        taken = screen.taken
        waiting = asyncio.ensure_future(anext(watcher))
        await asyncio.sleep(0.1)
        assert not waiting.done() and screen.taken == taken
        live.publish(picture(77))
        assert (await waiting).data == b"77" and screen.taken == taken
    assert (await anext(watcher)).data != b"77" and screen.taken > taken
    await watcher.aclose()
    await live.close()


async def test_a_picture_that_was_asked_for_before_the_worker_came_does_not_replace_a_newer_one() -> None:
    screen = Screen()
    live = LiveFrames(screen, SystemClock())
    watcher = live.frames(30)
    screen.gate.clear()
    first = asyncio.ensure_future(anext(watcher))
    while not screen.taken:  # noqa: ASYNC110 - what is waited for rings no bell
        await asyncio.sleep(0)
    with live.at_work():
        live.publish(picture(50))
        assert (await first).data == b"50"
        screen.gate.set()
        await asyncio.sleep(0.01)
        assert live.latest(0) is not None and live.latest(0)[1].data == b"50"  # type: ignore[index]
    await watcher.aclose()
    await live.close()


async def test_one_bad_picture_is_passed_over_and_a_lost_link_is_told_to_all() -> None:
    screen = Screen()
    live = LiveFrames(screen, ManualClock())
    watchers = [live.frames(10), live.frames(10)]
    screen.faults = [BadFrame("half")]
    assert (await anext(watchers[0])).data
    screen.faults = [LinkLost("gone"), LinkLost("gone")]

    async def to_the_end(watcher: AsyncIterator[Frame]) -> None:
        async for _ in watcher:
            pass

    results = await asyncio.gather(*map(to_the_end, watchers), return_exceptions=True)
    assert [type(one) for one in results] == [LinkLost, LinkLost]
    await live.close()


async def test_the_end_of_the_source_ends_everybodys_frames() -> None:
    live = LiveFrames(Screen(), SystemClock())
    with live.at_work():
        watching = asyncio.ensure_future(anext(live.frames(5), None))
        beside = asyncio.ensure_future(live.beside(0))
        await asyncio.sleep(0.01)
        await live.close()
        assert await asyncio.wait_for(watching, 1) is None and await asyncio.wait_for(beside, 1) is None


async def test_on_a_phone_watchers_see_what_the_agent_sees_while_it_looks(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    lab = Lab(tmp_path_factory.mktemp("watched"))
    with lab.adb_server(), lab.phone() as phone:
        bench = Bench(lab, phone)
        async with bench.opened(SystemClock()) as device:
            source: FrameSource = device
            watcher = source.frames(10)
            assert (await anext(watcher)).pixels.std() > 5
            info = await device.describe()
            camera = AdbCamera(
                bench.server.link(phone.serial),
                SystemClock(),
                info.size,
                automation=True,
                tree=True,
                beside=device.live.beside,
            )
            alone = await camera.frame(540)
            assert min(alone.size.width, alone.size.height) == 540, "a picture of its own, in the size that is wanted"
            looking = asyncio.create_task(device.observe())
            await asyncio.sleep(0)
            shared = await camera.frame(540)
            view = await looking
            assert shared.size == view.frame.size, "the agent's own"
            await camera.close()
            await watcher.aclose()  # type: ignore[attr-defined]
