"""A phone with two displays, of which one is on: which one changes when it is folded, also between two calls."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from device.actions import OpenApp, Tap
from device.adb.capture import MEDIA, Path, preference
from device.errors import StaleView
from device.geometry import Point, Size
from tests.device.adb.phone_bench import SETTINGS, Bench
from tests.lab import Lab

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Bench, bytes]]:
    lab = Lab(tmp_path_factory.mktemp("displays"))
    with lab.adb_server(), lab.phone("--profile", "foldable") as phone:
        bench = Bench(lab, phone)
        bench.do("start", package=SETTINGS)
        yield bench, bench.snapshot()


@pytest.fixture
def bench(shared: tuple[Bench, bytes]) -> Bench:
    one, fresh = shared
    one.fresh(fresh)
    return one


@pytest.mark.parametrize("path", list(Path))
async def test_a_phone_that_is_folded_is_seen_on_the_display_that_is_on(bench: Bench, path: Path) -> None:
    async with bench.opened() as device:
        for other in Path:
            if other is not path:
                device._eyes._capture.doubt(other)
        sizes = []
        for folded in (False, True, False):
            bench.do("fold", folded=folded)
            view = await device.observe()
            assert view.frame.pixels[200:-200].std() > 5, "the other display is black"
            assert MEDIA[view.frame.media_type] is path and view.tree is not None
            sizes.append(view.frame.size)
    assert sizes[0] == sizes[2] != sizes[1]


async def test_a_view_from_before_the_folding_is_stale(bench: Bench) -> None:
    async with bench.opened() as device:
        view = await device.observe()
        bench.do("fold", folded=True)
        with pytest.raises(StaleView):
            await device.act(Tap(Point(0.5, 0.5)), on=view)
        folded = await device.observe()
        mark = bench.mark()
        await device.act(OpenApp(SETTINGS))
        await device.act(Tap(Point(0.5, 0.3)), on=folded)
        (data,) = (one["data"] for one in bench.journal(mark) if one["data"].get("action") == "tap")
        assert (data["x"], data["y"]) == Point(0.5, 0.3).to_pixel(folded.frame.size)


async def test_no_warning_and_no_dark_panel_gets_into_a_picture_without_our_server(bench: Bench) -> None:
    bench.faults(server_quits=True)
    async with bench.opened() as device:
        view = await device.observe()
        assert view.frame.pixels[200:-200].std() > 5
        info = await device.describe()
        assert view.frame.size in (info.size, Size(info.size.height, info.size.width))


def test_paths_are_preferred_by_speed_and_by_what_their_frames_cost_everybody() -> None:
    never = float("inf")
    jpeg, raw, png = Path.JPEG, Path.RAW, Path.PNG
    assert preference({jpeg: 0.10, raw: 0.30, png: 0.45}) == [jpeg, raw, png]
    assert preference({jpeg: 0.10, raw: 0.06, png: 0.45}) == [jpeg, raw, png]
    assert preference({jpeg: 0.10, raw: 0.04, png: 0.45}) == [raw, png, jpeg]
    assert preference({jpeg: never, raw: 1.90, png: 0.50}) == [png, raw, jpeg]
    assert preference({}) == [jpeg, raw, png]
