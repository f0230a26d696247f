"""When a screen stands still, on a clock that only moves when somebody waits."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np
import pytest

from device import settle
from device.clock import ManualClock
from device.frame import Foreground, Frame
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
async def test_a_phone_whose_pictures_take_a_second_each_is_still_seen_to_stand_still() -> None:
    clock = ManualClock()

    async def capture() -> Frame:
        clock.advance(1.0)
        return frame(plain() if clock.monotonic() > 1.5 else plain(90))

    settled = await settle.settle(capture, clock, 1.0)
    assert settled.stable and clock.monotonic() < 5


@pytest.mark.anyio
async def test_a_caret_that_blinks_on_a_small_screen_is_no_movement() -> None:
    def paint(now: float) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        pixels = plain()
        if round(now * 10) % 2:
            pixels[304:384, 104:112] = 0
        return pixels

    settled, took = await watch(paint)
    assert settled.stable and took == pytest.approx(0.2)


@pytest.mark.anyio
async def test_the_first_move_is_found_and_none_is_none_at_the_bound() -> None:
    clock = ManualClock()
    before = settle.thumbnail(frame(plain()))

    async def capture() -> Frame:
        return frame(plain() if clock.monotonic() < 0.6 else plain(90))

    moved = await settle.first_move(capture, clock, before, until=1.0)
    assert moved is not None and 0.6 <= clock.monotonic() < 0.8
    start = clock.monotonic()
    again = await settle.first_move(capture, clock, settle.thumbnail(moved), until=start + 1.0)
    assert again is None and clock.monotonic() == pytest.approx(start + 1.0, abs=0.11)


HERE, THERE = Foreground("com.a", "com.a.Film"), Foreground("com.a", "com.a.List")


def film(now: float, top: int = 100, bottom: int = 300) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    pixels = plain()
    pixels[400:420, 20:300] = 30
    pixels[top:bottom] = 255 if round(now * 10) % 2 else 0
    return pixels


@pytest.mark.anyio
async def test_a_restless_screen_is_known_again_by_what_stands_still_on_it() -> None:
    known = settle.RestlessScreens()
    seen, _ = await watch(film, bound=1.0)
    assert not seen.stable and not known
    known.learn(HERE, seen)
    later = settle.thumbnail(frame(film(0.1)))
    assert known.bound(HERE, later, 2.5) == settle.RESTLESS_BOUND
    assert known.bound(THERE, later, 2.5) == 2.5, "another window"
    assert known.bound(HERE, settle.thumbnail(frame(plain())), 2.5) == 2.5, "another page of the same window"
    assert known.bound(HERE, later, 0.3) == 0.3, "never longer than it would have been"


@pytest.mark.anyio
async def test_a_film_over_the_whole_screen_is_known_again_by_its_window() -> None:
    known = settle.RestlessScreens()
    seen, _ = await watch(lambda now: film(now, 0, SIZE.height), bound=1.0)
    known.learn(HERE, seen)
    assert known.bound(HERE, settle.thumbnail(frame(plain(255))), 2.5) == settle.RESTLESS_BOUND
    assert known.bound(THERE, settle.thumbnail(frame(plain(255))), 2.5) == 2.5


@pytest.mark.anyio
async def test_a_restless_screen_that_has_come_to_rest_is_forgotten() -> None:
    known = settle.RestlessScreens()
    seen, _ = await watch(film, bound=1.0)
    known.learn(HERE, seen)
    known.learn(HERE, seen)
    rest, _ = await watch(lambda _: film(0.1))
    known.learn(HERE, rest)
    assert not known


@pytest.mark.anyio
async def test_only_so_many_restless_screens_are_remembered() -> None:
    known = settle.RestlessScreens()
    seen, _ = await watch(film, bound=1.0)
    for number in range(settle.REMEMBERED + 5):
        known.learn(Foreground("com.a", str(number)), seen)
    grey = settle.thumbnail(frame(film(0.1)))
    bounds = [known.bound(Foreground("com.a", str(n)), grey, 2.5) for n in range(settle.REMEMBERED + 5)]
    assert bounds.count(settle.RESTLESS_BOUND) == settle.REMEMBERED and bounds[0] == 2.5


def test_rows_without_light_are_counted_between_the_bars() -> None:
    half = plain()
    half[SIZE.height // 2 :] = 0
    assert settle.dark_rows(settle.thumbnail(frame(plain()))) == 0
    assert settle.dark_rows(settle.thumbnail(frame(plain(0)))) == 1
    assert settle.dark_rows(settle.thumbnail(frame(half))) == pytest.approx(0.5, abs=0.05)


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
