from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from PIL import Image

from device.virtual.ui import Column, ListItem, Picture, PilCanvas, Scaffold, Scroll, SwitchItem, Text, Theme, TopBar
from device.virtual.ui.cache import ByteCache
from device.virtual.ui.fonts import ASSETS, run
from device.virtual.ui.icons import area, fill, flatten, icon_mask, known
from device.virtual.ui.pictures import picture
from device.virtual.ui.theme import ACCENTS
from tests.device.virtual.ui.gallery import ACT, env, pixels

RED = (255, 0, 0, 255)


def canvas() -> PilCanvas:
    made = PilCanvas(60, 40)
    made.clear((255, 255, 255, 255))
    return made


def at(made: PilCanvas, x: int, y: int) -> object:
    return made.image.getpixel((x, y))


# canvas


def test_grabbed_pixels_are_opaque_rgba_rows() -> None:
    made = canvas()
    made.rect((0, 0, 1, 1), RED)
    data = made.grab()
    assert len(data) == 60 * 40 * 4
    assert data[:8] == bytes([255, 0, 0, 255, 255, 255, 255, 255])
    assert set(data[3::4]) == {255}


def test_nothing_is_drawn_outside_the_clip() -> None:
    made = canvas()
    made.clip = (10, 10, 20, 20)
    made.rect((0, 0, 60, 40), RED)
    made.round_rect((0, 0, 60, 40), 8, RED)
    made.outline((0, 0, 60, 40), 8, 2, RED)
    made.mask(0, 0, Image.new("L", (60, 40), 255), RED)
    made.picture(0, 0, Image.new("RGB", (60, 40), (255, 0, 0)))
    made.scrim(RED)
    red = [(x, y) for x in range(60) for y in range(40) if at(made, x, y) == RED]
    assert red == [(x, y) for x in range(10, 20) for y in range(10, 20)]


def test_round_corners_are_smooth_and_symmetric() -> None:
    made = canvas()
    made.round_rect((0, 0, 40, 30), 12, (0, 0, 0, 255))
    image = made.image.crop((0, 0, 40, 30)).convert("L")
    assert image.tobytes() == image.transpose(Image.Transpose.FLIP_LEFT_RIGHT).tobytes()
    assert image.tobytes() == image.transpose(Image.Transpose.FLIP_TOP_BOTTOM).tobytes()
    assert image.getpixel((0, 0)) == 255
    assert image.getpixel((20, 15)) == 0
    assert len(set(image.tobytes())) > 8


def test_an_outline_leaves_the_inside_alone() -> None:
    made = canvas()
    made.outline((5, 5, 55, 35), 8, 2, RED)
    assert at(made, 30, 5) == RED
    assert at(made, 30, 6) == RED
    assert at(made, 30, 7) == (255, 255, 255, 255)
    assert at(made, 30, 20) == (255, 255, 255, 255)


def test_translucent_colours_mix_and_stay_opaque() -> None:
    made = canvas()
    made.scrim((0, 0, 0, 128))
    made.round_rect((0, 0, 40, 40), 10, (255, 0, 0, 128))
    red, green, blue, alpha = made.image.getpixel((20, 20))  # type: ignore[misc]
    assert (green, blue, alpha) == (pytest.approx(63, abs=2), pytest.approx(63, abs=2), 255)
    assert red > 180


def test_blending_mixes_another_canvas_at_an_offset() -> None:
    made, other = canvas(), canvas()
    other.clear((0, 0, 0, 255))
    made.blend(other, 0.5, 30, 0)
    assert at(made, 10, 10) == (255, 255, 255, 255)
    assert at(made, 40, 10) in ((127, 127, 127, 255), (128, 128, 128, 255))
    made.blend(other, 1.0)
    assert set(made.grab()) == {0, 255}
    made.blend(canvas(), 0.0)
    assert at(made, 10, 10) == (0, 0, 0, 255)


def test_a_shadow_is_dark_beside_the_shape_and_fades() -> None:
    made = canvas()
    made.shadow((20, 10, 40, 20), 4, 9, 0.5)
    below = [made.image.getpixel((30, y))[0] for y in range(20, 32)]  # type: ignore[index]
    assert below[0] < 235
    assert all(upper <= lower + 1 for upper, lower in pairwise(below))


# icons


def test_svg_commands_lead_to_the_same_square_absolute_and_relative() -> None:
    square = [(0.0, -960.0), (960.0, -960.0), (960.0, 0.0), (0.0, 0.0)]
    assert list(flatten("M0-960H960V0H0Z")) == [square]
    assert list(flatten("m0-960h960v960h-960z")) == [square]
    assert list(flatten("M0-960L960-960 960 0 0 0Z")) == [square]


def test_curves_and_arcs_end_where_they_say() -> None:
    for path in (
        "M0 0C0 100 100 100 100 0",
        "M0 0Q50 100 100 0",
        "M0 0S50 80 100 0",
        "M0 0T100 0",
        "M0 0A50 50 0 0 1 100 0",
    ):
        (points,) = flatten(path)
        assert points[-1] == (100.0, 0.0)
    (half,) = flatten("M0 0A50 50 0 0 1 100 0")
    assert min(y for _, y in half) == pytest.approx(-50, abs=0.5)
    (other,) = flatten("M0 0a50 50 0 0 0 100 0")
    assert max(y for _, y in other) == pytest.approx(50, abs=0.5)
    (smooth,) = flatten("M0 0C0 50 50 50 50 0s50-50 50 0")
    assert min(y for _, y in smooth) < -30


def test_a_circle_of_two_arcs_has_the_area_of_a_circle() -> None:
    (circle,) = flatten("M0-480a480 480 0 1 1 960 0a480 480 0 1 1-960 0Z")
    assert abs(area(circle)) == pytest.approx(3.14159 * 480**2, rel=0.01)


def test_a_subpath_in_the_other_direction_is_a_hole_and_one_in_the_same_direction_is_not() -> None:
    outer, inner, turned = "M0-960H960V0H0Z", "M240-720H720V-240H240Z", "M240-720V-240H720V-720Z"
    assert fill(list(flatten(outer + inner)), 32, 4).getpixel((16, 16)) == 255
    assert fill(list(flatten(outer + turned)), 32, 4).getpixel((16, 16)) == 0
    assert fill(list(flatten(outer + turned)), 32, 4).getpixel((2, 2)) == 255


@pytest.mark.parametrize("name", ["wifi", "settings", "nav_back", "nav_home", "nav_recents", "airplanemode_active"])
def test_icons_have_ink_within_their_square(name: str) -> None:
    mask = icon_mask(name, 63)
    assert mask.size == (63, 63)
    assert 0.03 < sum(mask.tobytes()) / (255 * 63 * 63) < 0.9


def test_filled_icons_differ_and_unknown_ones_are_named() -> None:
    assert icon_mask("star", 48, filled=True).tobytes() != icon_mask("star", 48).tobytes()
    assert known("star")
    with pytest.raises(ValueError, match="icon is 'no_such_icon'"):
        icon_mask("no_such_icon", 24)


# colours, pictures, caches


@pytest.mark.parametrize("accent", ACCENTS)
@pytest.mark.parametrize("dark", [False, True])
def test_text_colours_stand_out_against_their_background(accent: str, dark: bool) -> None:
    theme = Theme.of(dark, accent)

    def luminance(role: str) -> float:
        linear = [((v / 255 + 0.055) / 1.055) ** 2.4 if v > 10 else v / 255 / 12.92 for v in theme.rgb(role)]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for ink, paper in (
        ("on_surface", "surface"),
        ("on_surface_variant", "surface"),
        ("on_surface_variant", "surface_container_high"),
        ("on_primary", "primary"),
        ("primary", "surface"),
        ("on_primary_container", "primary_container"),
        ("on_secondary_container", "secondary_container"),
        ("on_key", "key"),
        ("error", "surface"),
    ):
        light, deep = sorted((luminance(ink), luminance(paper)), reverse=True)
        assert (light + 0.05) / (deep + 0.05) >= 4.5, (ink, paper)  # WCAG 2.2, 1.4.3


def test_colours_are_roles_or_hex_with_an_opacity() -> None:
    theme = Theme.of(False)
    assert theme.color("white") == (255, 255, 255, 255)
    assert theme.color("#102030") == (16, 32, 48, 255)
    assert theme.color("#10203040") == (16, 32, 48, 64)
    assert theme.color("black/50") == (0, 0, 0, 127)
    with pytest.raises(ValueError, match="color is 'purplish'"):
        theme.color("purplish")
    with pytest.raises(ValueError, match="accent is 'pink'"):
        Theme.of(False, "pink")


def test_pictures_depend_on_their_seed_and_theme_only() -> None:
    size = (90, 160)
    looks = {
        (seed, dark): picture("wallpaper", seed, size, dark).tobytes() for seed in (1, 2, 7) for dark in (False, True)
    }
    assert len(set(looks.values())) == 6
    assert picture("wallpaper", 1, size, False).tobytes() == looks[(1, False)]
    with pytest.raises(ValueError, match="picture is 'cat'"):
        picture("cat", 1, size, False)


def test_a_picture_is_drawn_where_its_node_is() -> None:
    assert pixels(Column(Picture(seed=1, w=50, h=50))) != pixels(Column(Picture(seed=2, w=50, h=50)))


def test_a_cache_forgets_what_was_used_least_recently_and_stays_below_its_limit() -> None:
    cache: ByteCache[bytes] = ByteCache(100, len)
    for name in "abc":
        cache.get(name, lambda: bytes(40))
    assert cache.bytes == 80
    made: list[str] = []
    cache.get("c", lambda: made.append("c") or bytes(40))  # type: ignore[func-returns-value]
    cache.get("a", lambda: made.append("a") or bytes(40))  # type: ignore[func-returns-value]
    assert made == ["a"]
    assert len(cache.get("huge", lambda: bytes(1000))) == 1000
    assert cache.bytes <= 100


def screen(title: str) -> Scaffold:  # type: ignore[valid-type]
    rows = [SwitchItem(f"Row {n} 你好 👍🏽", n % 2 == 0, ACT, summary="é 张伟", icon="wifi") for n in range(20)]
    return Scaffold(top=TopBar(title), body=Scroll(*rows, Text("end")))


def test_many_threads_draw_the_same_pixels() -> None:
    around = env(density=2.0)
    expected = hashlib.sha256(pixels(screen("Same"), around=around)).hexdigest()
    with ThreadPoolExecutor(4) as pool:
        drawn = pool.map(lambda _: hashlib.sha256(pixels(screen("Same"), around=around)).hexdigest(), range(8))
    assert set(drawn) == {expected}


def test_density_changes_the_pixels_but_not_the_layout() -> None:
    assert len(pixels(ListItem("Row"), around=env(density=2.0))) == 4 * len(pixels(ListItem("Row")))


def test_the_shipped_assets_are_small_and_carry_their_licences() -> None:
    files = [path for path in ASSETS.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert sum(path.stat().st_size for path in files) < 3_000_000
    assert {path.name for path in (ASSETS / "licenses").iterdir()} == {
        "MaterialSymbols-Apache-2.0.txt",
        "NotoColorEmoji-OFL.txt",
        "NotoSansSC-OFL.txt",
        "Roboto-OFL.txt",
    }


def test_a_run_that_was_drawn_is_kept() -> None:
    assert run("Kept", 400, 42.0) is run("Kept", 400, 42.0)
