"""Picture faults: what a program captures is not what is on the screen."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageChops, ImageStat

from .bench import Bench


def differs(one: Image.Image, other: Image.Image) -> float:
    """Mean difference of two pictures of one size, 0 to 255."""
    return max(ImageStat.Stat(ImageChops.difference(one, other)).mean)


def test_a_picture_without_faults_is_the_screen(bench: Bench) -> None:
    bench.arm("crlf")
    assert differs(bench.picture(), bench.seen()) == 0


def test_a_stale_frame_is_the_one_captured_before(bench: Bench) -> None:
    bench.arm("stale_frame", {"after_acts": 1, "next": 1})
    before = bench.picture()
    bench.hand().key(3)
    bench.open_settings()
    assert differs(bench.picture(), before) == 0
    assert differs(bench.picture(), bench.seen()) == 0 and differs(bench.seen(), before) > 5
    assert bench.fired()[0]["path"] == "screencap"


def test_the_first_capture_after_arming_is_honest(bench: Bench) -> None:
    bench.arm("stale_frame")
    assert differs(bench.picture(), bench.seen()) == 0 and bench.fired() == []


def test_half_of_a_frame_is_drawn(bench: Bench) -> None:
    bench.arm("half_drawn", share=0.25)
    taken, seen = bench.picture(), bench.seen()
    assert differs(taken.crop((0, 0, 1080, 600)), seen.crop((0, 0, 1080, 600))) == 0
    assert taken.crop((0, 600, 1080, 2400)).getextrema() == ((0, 0),) * 3


def test_a_frame_is_black(bench: Bench) -> None:
    bench.arm("black_frame", {"next": 1})
    assert bench.picture().getextrema() == ((0, 0),) * 3
    assert differs(bench.picture(), bench.seen()) == 0


@pytest.mark.parametrize(("path", "form"), [("screencap", "raw"), ("screencap", "png"), ("u2", "jpeg")])
def test_only_the_first_bytes_of_a_picture_come(bench: Bench, path: str, form: str) -> None:
    whole = bench.shot(path, form)
    bench.arm("truncated_image", share=0.6)
    part = bench.shot(path, form)
    assert whole is not None and part is not None
    assert part.data == whole.data[: int(len(whole.data) * 0.6)]


def test_a_picture_lies_on_its_side_for_one_frame(bench: Bench) -> None:
    bench.arm("wrong_rotation", {"next": 1})
    assert bench.picture().size == (2400, 1080) and bench.picture().size == (1080, 2400)
    raw = bench.shot("screencap", "raw")
    assert raw is not None and len(raw.data) == 1080 * 2400 * 4


def test_a_picture_is_smaller_or_in_a_black_frame(bench: Bench) -> None:
    bench.arm("scaled_frame", factor=0.5)
    assert bench.picture().size == (540, 1200)
    raw = bench.shot("screencap", "raw")
    assert raw is not None and raw.size == (540, 1200) and len(raw.data) == 540 * 1200 * 4
    bench.arm("scaled_frame", factor=0.5, letterbox=True)
    boxed = bench.picture()
    assert boxed.size == (1080, 2400) and boxed.crop((0, 0, 1080, 500)).getextrema() == ((0, 0),) * 3
    assert boxed.getpixel((540, 1200)) != (0, 0, 0)


def test_a_picture_may_be_mud(bench: Bench) -> None:
    bench.arm("jpeg_artefacts", quality=3)
    assert 1 < differs(bench.picture(), bench.seen()) < 60


def test_a_path_of_capture_is_spared(bench: Bench) -> None:
    bench.arm("black_frame", path="u2")
    assert differs(bench.picture("screencap"), bench.seen()) == 0 and bench.fired() == []
    taken = bench.shot("u2", "jpeg")
    assert taken is not None and Image.open(io.BytesIO(taken.data)).convert("L").getextrema() == (0, 0)


def test_the_servers_screenshot_may_be_null_and_screencap_may_warn(bench: Bench) -> None:
    bench.arm("null_screenshot")
    assert bench.shot("u2", "jpeg") is None and bench.shot("screencap") is not None
    bench.arm("display_warning")
    warned, named = bench.shot("screencap"), bench.shot("screencap", named_display=True)
    assert warned is not None and warned.warned and named is not None and not named.warned
