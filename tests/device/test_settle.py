"""When a screen stands still, on a clock that only moves when somebody waits."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np
import pytest

from device import settle
from device.clock import ManualClock
from device.frame import Frame
from device.geometry import Size

SIZE = Size(320, 640)
Painter = Callable[[float], "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]"]


def frame(pixels: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> Frame:
    return Frame(
        data=pixels.tobytes(),
        media_type="image/x-rgba",
        size=SIZE,
        rotation=0,
        taken_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def plain(grey: int = 200) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.full((SIZE.height, SIZE.width, 4), grey, np.uint8)


async def watch(paint: Painter, bound: float = 2.5) -> tuple[settle.Settled, float]:
    clock = ManualClock()

    async def capture() -> Frame:
        return frame(paint(clock.monotonic()))

    settled = await settle.settle(capture, clock, bound)
    return settled, clock.monotonic()


@pytest.mark.anyio
async def test_a_still_screen_settles_after_two_quiet_pairs() -> None:
    settled, took = await watch(lambda _: plain())
    assert settled.stable
    assert took == pytest.approx(2 * settle.INTERVAL)


@pytest.mark.anyio
async def test_a_moving_screen_is_waited_for() -> None:
    def paint(now: float) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        pixels = plain()
        top = 100 + int(min(now, 1.0) * 300)
        pixels[top : top + 80] = 20
        return pixels

    settled, took = await watch(paint)
    assert settled.stable
    assert 1.1 <= took <= 1.5


@pytest.mark.anyio
async def test_a_restless_screen_costs_the_bound_once_and_says_so() -> None:
    settled, took = await watch(lambda now: plain(200 if round(now * 10) % 2 else 60), bound=1.0)
    assert not settled.stable
    assert took == pytest.approx(1.0, abs=0.15)


@pytest.mark.anyio
async def test_a_ticking_clock_in_the_status_bar_is_no_movement() -> None:
    def paint(now: float) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        pixels = plain()
        pixels[4:14, 10:60] = round(now * 10) % 2 * 255
        return pixels

    settled, took = await watch(paint)
    assert settled.stable and took == pytest.approx(0.2)


def test_one_letter_is_a_change_and_noise_is_none() -> None:
    before, after = plain(), plain()
    after[300:332, 100:124] = 0
    assert settle.changed(settle.thumbnail(frame(before)), settle.thumbnail(frame(after)))
    noisy = plain(205)
    assert not settle.changed(settle.thumbnail(frame(before)), settle.thumbnail(frame(noisy)))


def test_another_size_is_all_change() -> None:
    wide = Frame(
        data=bytes(640 * 320 * 4),
        media_type="image/x-rgba",
        size=Size(640, 320),
        rotation=1,
        taken_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    assert settle.changed(settle.thumbnail(frame(plain())), settle.thumbnail(wide))


def test_a_protected_window_is_black() -> None:
    assert settle.black(settle.thumbnail(frame(plain(0))))
    assert not settle.black(settle.thumbnail(frame(plain(30))))
