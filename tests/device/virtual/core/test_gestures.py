"""From positions of a finger to gestures."""

from __future__ import annotations

import math

import pytest

from device.virtual.ui.anim import Fling, Span, ease_out, fling_distance, fling_ms
from device.virtual.ui.gestures import (
    Dragged,
    Flung,
    Gesture,
    GestureEngine,
    LongPressed,
    Released,
    Scrolled,
    Swiped,
    SystemSwiped,
    Tapped,
    Target,
)

LIST = Target(scrolls=frozenset({"up", "down"}))


def draw(target: Target, way: list[tuple[float, float, float]], *, rest: float = 0.0) -> list[Gesture]:
    """Gestures of a finger that goes (ms, x, y) by (ms, x, y), leaving `rest` ms after the last."""
    engine = GestureEngine()
    found = engine.down(*way[0], target)
    for ms, x, y in way[1:]:
        found += engine.move(ms, x, y)
    ms, x, y = way[-1]
    return found + engine.up(ms + rest, x, y)


def line(
    start: tuple[float, float], end: tuple[float, float], ms: float, steps: int = 20
) -> list[tuple[float, float, float]]:
    return [
        (ms * n / steps, start[0] + (end[0] - start[0]) * n / steps, start[1] + (end[1] - start[1]) * n / steps)
        for n in range(steps + 1)
    ]


def of(kind: type, gestures: list[Gesture]) -> list[Gesture]:
    return [gesture for gesture in gestures if isinstance(gesture, kind)]


def test_a_finger_that_stays_within_the_slop_taps() -> None:
    assert draw(LIST, [(0, 50, 50), (30, 54, 55)], rest=20) == [Released(), Tapped(54, 55)]


def test_a_finger_beyond_the_slop_does_not_tap() -> None:
    assert of(Tapped, draw(Target(), [(0, 50, 50), (30, 50, 59)])) == []


def test_a_long_press_comes_after_half_a_second_where_somebody_waits_for_it() -> None:
    engine = GestureEngine()
    engine.down(100, 5, 5, Target(long=True))
    assert engine.due == 600
    assert engine.tick(599) == []
    assert engine.tick(600) == [LongPressed(5, 5), Released()]
    assert engine.up(900, 5, 5) == []


def test_a_long_touch_where_nobody_waits_is_a_tap() -> None:
    assert draw(Target(), [(0, 5, 5)], rest=2000) == [Released(), Tapped(5, 5)]


def test_a_list_follows_the_finger_one_to_one_after_the_slop() -> None:
    found = draw(LIST, line((50, 300), (50, 200), 400), rest=200)
    moved = sum(gesture.dy for gesture in of(Scrolled, found) if isinstance(gesture, Scrolled))
    assert moved == pytest.approx(-92)  # 100 dp less the slop of 8
    assert found[-1] == Flung(0.0)  # it rested before it left


def test_a_quick_finger_flings_at_its_own_speed() -> None:
    found = draw(LIST, line((50, 500), (50, 300), 200))
    assert isinstance(found[-1], Flung)
    assert found[-1].velocity == pytest.approx(-1000, rel=0.01)


def test_the_speed_of_a_fling_has_an_upper_limit() -> None:
    (flung,) = of(Flung, draw(LIST, line((50, 900), (50, 0), 30)))
    assert flung == Flung(-8000.0)


def test_a_sideways_finger_on_a_list_does_not_scroll() -> None:
    found = draw(LIST, line((50, 300), (250, 310), 200))
    assert of(Scrolled, found) == []
    assert of(Tapped, found) == []


def test_a_slider_is_dragged_to_where_the_finger_leaves() -> None:
    found = draw(Target(drags=True, scrolls=frozenset({"up"})), line((50, 50), (150, 52), 300))
    assert found[-1] == Dragged(150, 52, True)
    assert of(Scrolled, found) == []


@pytest.mark.parametrize(
    ("end", "ms", "swiped"),
    [
        ((50, 440), 300, [Swiped("up")]),  # 60 dp at rest or not
        ((50, 480), 60, [Swiped("up")]),  # 20 dp, flung
        ((50, 480), 2000, []),  # 20 dp, slowly
        ((150, 500), 300, []),  # a direction nobody answers
    ],
)
def test_a_view_that_answers_swipes_gets_far_or_quick_ones(
    end: tuple[float, float], ms: float, swiped: list[Gesture]
) -> None:
    target = Target(swipes=frozenset({"up"}))
    assert of(Swiped, draw(target, line((50, 500), end, ms), rest=0 if ms < 1000 else 100)) == swiped


@pytest.mark.parametrize(
    ("edge", "start", "end", "name"),
    [
        ("back", (5, 400), (120, 410), "back"),
        ("back", (405, 400), (300, 400), "back"),
        ("home", (200, 910), (200, 600), "home"),
        ("shade", (200, 5), (200, 300), "shade"),
    ],
)
def test_system_gestures_begin_at_the_edges(
    edge: str, start: tuple[float, float], end: tuple[float, float], name: str
) -> None:
    target = Target(edge=edge, scrolls=frozenset({"up", "down"}))  # type: ignore[arg-type]
    assert of(SystemSwiped, draw(target, line(start, end, 200))) == [SystemSwiped(name)]  # type: ignore[arg-type]


def test_a_pause_at_the_end_of_the_bottom_swipe_asks_for_the_overview() -> None:
    way = [*line((200, 910), (200, 600), 200), (400, 200, 600), (500, 201, 600)]
    assert draw(Target(edge="home"), way)[-1] == SystemSwiped("recents")


def test_a_short_edge_swipe_means_nothing() -> None:
    found = draw(Target(edge="back"), line((5, 400), (20, 400), 200))
    assert of(SystemSwiped, found) == []
    assert of(Tapped, found) == []


def test_a_list_at_the_edge_still_scrolls() -> None:
    target = Target(edge="back", scrolls=frozenset({"up", "down"}))
    assert of(Scrolled, draw(target, line((5, 400), (6, 200), 200))) != []


def test_a_cancelled_finger_does_nothing() -> None:
    engine = GestureEngine()
    engine.down(0, 5, 5, Target())
    assert engine.cancel() == [Released()]
    assert engine.up(10, 5, 5) == []


def test_a_fling_goes_far_quickly_and_then_slows_down() -> None:
    fling = Fling("list", 0.0, 0.0, 2000.0, 100_000.0)
    whole = fling_distance(2000.0)
    assert fling.length == pytest.approx(fling_ms(2000.0))
    assert fling.at(fling.length) == pytest.approx(whole)
    assert fling.at(fling.length / 4) > whole / 2
    places = [fling.at(fling.length * n / 50) for n in range(51)]
    assert places == sorted(places)
    assert (places[1] - places[0]) / (fling.length / 50) * 1000 == pytest.approx(2000, rel=0.25)  # begins at its speed


def test_flings_have_the_lengths_of_android() -> None:
    # OverScroller at 160 dpi, worked out by hand: 778.35 * exp(1.7363 * ln(0.35 * v / 778.35)) and so on.
    assert fling_distance(1000) == pytest.approx(194.3, rel=0.001)
    assert fling_ms(1000) == pytest.approx(555.1, rel=0.001)
    assert math.isclose(fling_distance(-1000), fling_distance(1000))


def test_a_fling_stops_at_the_end_of_the_list_and_no_later() -> None:
    fling = Fling("list", 100.0, 400.0, 3000.0, 450.0)
    assert fling.at(100.0 + fling.length) == pytest.approx(450.0, abs=0.5)
    assert fling.length < fling_ms(3000.0) / 4
    assert not fling.running(100.0 + fling.length)
    assert Fling("list", 0.0, 450.0, 3000.0, 450.0).length == 0.0


def test_spans_and_easing_stay_between_nothing_and_all() -> None:
    span = Span(100, 200)
    assert [span.share(ms) for ms in (0, 200, 400)] == [0.0, 0.5, 1.0]
    assert Span(0, 0).share(0) == 1.0
    assert [ease_out(share) for share in (-1, 0, 1, 2)] == [0.0, 0.0, 1.0, 1.0]
