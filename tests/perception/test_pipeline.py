"""A view becomes a screen: when OCR runs, what a deadline leaves, what is not done twice."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from dumps import dump, node, row, window

from device.base import View
from device.clock import ManualClock
from device.errors import BadFrame
from device.frame import Foreground, Frame, Pixels
from device.geometry import Box, Size
from perception.base import TextLine
from perception.errors import ReaderUnavailable
from perception.pipeline import Pipeline
from perception.screen import TreeStatus

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 1, 1, tzinfo=UTC)
TITLES = ("Network & internet", "Connected devices", "Apps", "Notifications", "Battery", "Storage", "Display")
SIZE = Size(1080, 2400)


class Reader:
    """An engine that knows what it will read, counts how often it is asked, and can be held up."""

    name = "known"

    def __init__(self, *lines: TextLine, error: Exception | None = None) -> None:
        self.lines = lines
        self.error = error
        self.asked = 0
        self.go = threading.Event()
        self.go.set()

    def read(self, pixels: Pixels) -> tuple[TextLine, ...]:
        assert self.go.wait(10)
        self.asked += 1
        if self.error is not None:
            raise self.error
        return self.lines


def settings() -> str:
    return dump(window(*(row(330 + i * 200, title) for i, title in enumerate(TITLES))))


def lines(*titles: str) -> tuple[TextLine, ...]:
    return tuple(
        TextLine(Box.from_pixel(175, 355 + i * 200, 400, 425 + i * 200, SIZE), title, 0.99)
        for i, title in enumerate(titles)
    )


def view(tree: str | None, shade: int = 0, package: str = "org.example", **more: Any) -> View:
    ok, data = cv2.imencode(".png", np.full((2400, 1080, 3), shade, np.uint8))
    assert ok
    frame = Frame(data.tobytes(), "image/png", SIZE, 0, NOW, Foreground(package))
    return View(frame=frame, tree=tree, **more)


@contextmanager
def pipeline(reader: Reader | None, **options: Any) -> Iterator[Pipeline]:
    made = Pipeline(reader, **options)
    try:
        yield made
    finally:
        if reader is not None:
            reader.go.set()
        made.close()


async def test_the_first_screen_of_an_app_is_compared_with_its_picture_and_then_trusted() -> None:
    reader = Reader(*lines(*TITLES))
    with pipeline(reader) as p:
        first = await p.perceive(view(settings(), 1))
        assert (first.confirm_ratio, reader.asked) == (1.0, 1)
        for shade in range(2, 22):
            later = await p.perceive(view(settings(), shade))
            assert later.tree_status is TreeStatus.FRESH
        assert reader.asked == 1
        await p.perceive(view(settings(), 22))
        assert reader.asked == 2
        await p.perceive(view(settings(), 1, package="org.other"))
        assert reader.asked == 2, "the same bytes are not read twice, whosever they are"


async def test_a_stale_tree_is_not_trusted_on_the_next_screen_either() -> None:
    reader = Reader(*lines("Photos", "Albums"))
    with pipeline(reader) as p:
        for shade in (1, 2, 3):
            screen = await p.perceive(view(settings(), shade))
            assert screen.tree_status is TreeStatus.STALE
            assert "0%" in screen.tree_reason
        assert reader.asked == 3


@pytest.mark.parametrize(
    "extra",
    [
        node((900, 2000, 1050, 2150), cls="android.widget.ImageButton", clickable=True),
        node((0, 1700, 1080, 2400), cls="android.webkit.WebView"),
        node((0, 1700, 1080, 2400), cls="com.example.MapSurface"),
    ],
    ids=["nameless button", "web page", "large nameless leaf"],
)
async def test_a_trusted_tree_is_helped_where_it_says_too_little(extra: str) -> None:
    reader = Reader(*lines(*TITLES))
    with pipeline(reader) as p:
        await p.perceive(view(settings(), 1))
        rows = [row(330 + i * 200, title) for i, title in enumerate(TITLES[:4])]
        await p.perceive(view(dump(window(*rows, extra)), 2))
        assert reader.asked == 2


async def test_an_unchanged_view_costs_nothing() -> None:
    reader = Reader(*lines("Hello"))
    with pipeline(reader) as p:
        first = await p.perceive(view(None, tree_reason="no tree"))
        again = await p.perceive(view(None, tree_reason="no tree"))
        assert again.elements is first.elements
        assert set(again.timings) == {"total"}
        assert reader.asked == 1


@pytest.mark.parametrize(("use", "asked"), [("always", 2), ("never", 0)])
async def test_ocr_can_be_forced_and_forbidden(use: Any, asked: int) -> None:
    reader = Reader(*lines(*TITLES))
    with pipeline(reader, ocr=use) as p:
        for shade in (1, 2):
            await p.perceive(view(settings(), shade))
        assert reader.asked == asked


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        (None, "the phone said no"),
        ("<hierarchy", "cut off"),
        ('<hierarchy rotation="0" />', "empty tree"),
        (dump(row(300, "Wi-Fi"), rotation=1), "rotation 1"),
    ],
    ids=["none", "broken", "empty", "turned"],
)
async def test_without_a_usable_tree_the_picture_is_read_and_the_reason_kept(tree: str | None, reason: str) -> None:
    with pipeline(Reader(*lines("Hello"))) as p:
        screen = await p.perceive(view(tree, tree_reason="the phone said no"))
    assert screen.tree_status is TreeStatus.ABSENT
    assert reason in screen.tree_reason
    assert [e.text for e in screen.elements] == ["Hello"]


async def test_after_the_deadline_the_tree_alone_answers_and_the_text_comes_with_the_next_look() -> None:
    reader = Reader(*lines(*TITLES))
    reader.go.clear()
    with pipeline(reader, clock=ManualClock()) as p:
        screen = await p.perceive(view(settings()))
        assert [e.text for e in screen.elements] == list(TITLES)
        assert screen.confirm_ratio is None
        assert screen.tree_reason == "text was not read within 8 s"
        reader.go.set()
        for _ in range(500):
            screen = await p.perceive(view(settings()))
            if screen.confirm_ratio is not None:
                break
            await asyncio.sleep(0.01)
        assert screen.confirm_ratio == 1.0
        assert screen.tree_reason == ""


async def test_pictures_beyond_the_queue_are_not_waited_for() -> None:
    reader = Reader(*lines("Hello"))
    reader.go.clear()
    with pipeline(reader, queue=1, clock=ManualClock()) as p:
        reasons = [(await p.perceive(view(None, shade))).tree_reason for shade in range(3)]
    assert reasons[0] == "text was not read within 8 s"
    assert reader.asked <= 2


async def test_an_engine_that_cannot_work_leaves_the_tree_and_says_why() -> None:
    with pipeline(Reader(error=ReaderUnavailable("text cannot be read: no model"))) as p:
        screen = await p.perceive(view(settings()))
    assert len(screen.elements) == len(TITLES)
    assert screen.tree_reason == "text cannot be read: no model"


async def test_no_engine_at_all_leaves_the_tree() -> None:
    with pipeline(None) as p:
        await p.warm_up()
        assert len((await p.perceive(view(settings()))).elements) == len(TITLES)


async def test_a_truncated_picture_is_a_named_error() -> None:
    whole = view(None)
    frame = Frame(whole.frame.data[:-200], "image/png", SIZE, 0, NOW)
    with pipeline(Reader()) as p, pytest.raises(BadFrame):
        await p.perceive(View(frame=frame, tree=None))


async def test_five_thousand_nodes_are_perceived_within_the_deadline() -> None:
    rows = [row(100 + (i % 12) * 180, f"Entry {i}", "Summary") for i in range(1700)]
    with pipeline(Reader(), deadline=5.0) as p:
        screen = await p.perceive(view(dump(window(*rows))))
    assert len(screen.elements) <= 60
    assert screen.timings["tree"] + screen.timings["merge"] < 5.0


@pytest.mark.parametrize("options", [{"ocr": "sometimes"}, {"deadline": 0}, {"queue": 0}])
def test_impossible_settings_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        Pipeline(None, **options)


def test_recorded_pictures_name_their_origin() -> None:
    folder = Path(__file__).parents[1] / "recorded"
    sources = (folder / "SOURCES.md").read_text(encoding="utf-8")
    assert all(f"screens/{file.name}" in sources for file in (folder / "screens").iterdir())
