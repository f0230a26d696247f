from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from device.virtual.ui.fonts import emoji_picture, face, font_of, run, segments, width
from device.virtual.ui.text import ELLIPSIS, STYLES, caret_index, caret_x, ellipsize, pixels, style, wrap

PX = 42.0


def keys(text: str) -> list[tuple[str, str]]:
    return [(segment.font, segment.text) for segment in segments(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Café", [("roboto", "Café")]),
        ("García-张伟", [("roboto", "García-"), ("hanzi", "张伟")]),
        ("鹦鹉", [("hanzi-rare", "鹦鹉")]),
        ("👍🏽", [("emoji", "👍🏽")]),
        ("👨‍👩‍👧!", [("emoji", "👨‍👩‍👧"), ("roboto", "!")]),
        ("👍👍🏿", [("emoji", "👍"), ("emoji", "👍🏿")]),
        ("❤️", [("emoji", "❤")]),
        ("🇩🇪🇫🇷", [("emoji", "🇩🇪"), ("emoji", "🇫🇷")]),
        ("5 5️⃣", [("roboto", "5 "), ("emoji", "5⃣")]),
        ("👨‍👩‍🚀", [("emoji", "👨"), ("emoji", "👩‍🚀")]),
        ("", []),
    ],
)
def test_each_character_is_drawn_by_the_font_that_has_it_and_each_emoji_sequence_is_one_picture(
    text: str, expected: list[tuple[str, str]]
) -> None:
    assert keys(text) == expected


def test_segments_say_where_in_the_text_they_are() -> None:
    text = "a👍🏽b❤️你"
    assert [(text[s.start : s.end]) for s in segments(text)] == ["a", "👍🏽", "b", "❤️", "你"]


def test_an_emoji_sequence_takes_the_place_of_one_emoji() -> None:
    assert width("👨‍👩‍👧", 400, PX) == width("😀", 400, PX)


def test_an_unknown_character_is_drawn_as_the_empty_box() -> None:
    assert font_of("\u0e01") == ""
    unknown = run("\u0e01", 400, PX)
    assert unknown.mask is not None
    assert unknown.mask.getbbox() is not None


def test_text_is_laid_out_by_the_basic_engine_so_that_widths_are_the_same_on_every_system() -> None:
    assert face("roboto", 400, PX).layout_engine == 0
    assert width("Network & internet", 400, PX) == 351.0


def test_accents_reach_into_the_drawn_run() -> None:
    plain, accented = run("e", 400, PX), run("é", 400, PX)
    assert accented.top < plain.top


def test_hanzi_in_a_strong_style_are_thicker() -> None:
    def ink(weight: int) -> int:
        mask = run("中", weight, PX).mask
        assert mask is not None
        return sum(value * count for value, count in enumerate(mask.histogram()))

    assert ink(500) > ink(400) * 1.1


def test_emoji_have_colour_and_the_size_that_was_asked_for() -> None:
    picture = emoji_picture("👨‍👩‍👧", 46)
    assert picture.height == 46
    assert picture.mode == "RGBA"
    assert (
        len(set(picture.getdata() if not hasattr(picture, "get_flattened_data") else picture.get_flattened_data())) > 8
    )


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("The quick brown-fox jumps", 300, ("The quick", "brown-fox", "jumps")),
        ("one\ntwo\n", 300, ("one", "two", "")),
        ("", 300, ("",)),
        ("你好，世界", 100, ("你", "好，", "世界")),
        ("（你）好", 130, ("（你）", "好")),
        ("👍🏽👍🏽👍🏽", 100, ("👍🏽👍🏽", "👍🏽")),
    ],
)
def test_lines_break_at_spaces_hyphens_and_hanzi_but_never_before_closing_punctuation(
    text: str, limit: int, expected: tuple[str, ...]
) -> None:
    assert wrap(text, 400, PX, limit) == expected


def test_a_word_wider_than_the_line_is_cut() -> None:
    lines = wrap("Supercalifragilisticexpialidocious", 400, PX, 200)
    assert len(lines) > 2
    assert "".join(lines) == "Supercalifragilisticexpialidocious"
    assert all(width(line, 400, PX) <= 200 for line in lines)


def test_text_beyond_the_last_line_ends_in_an_ellipsis() -> None:
    lines = wrap("The quick brown fox jumps over the lazy dog", 400, PX, 300, 2)
    assert len(lines) == 2
    assert lines[1].endswith(ELLIPSIS)
    assert width(lines[1], 400, PX) <= 300
    assert wrap("short", 400, PX, 300, 1) == ("short",)


def test_an_ellipsis_never_splits_an_emoji_sequence() -> None:
    text = "ab👨‍👩‍👧‍👦"
    limit = width("ab", 400, PX) + width(ELLIPSIS, 400, PX) + 20
    assert ellipsize(text, 400, PX, limit) == "ab" + ELLIPSIS


@given(st.text(alphabet="ab 你，好-\n👍", max_size=60), st.integers(120, 400))
@settings(max_examples=60, deadline=None)
def test_breaking_loses_nothing_but_white_space(text: str, limit: int) -> None:
    lines = wrap(text, 400, PX, limit)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(width(line, 400, PX) <= limit for line in lines)


def test_the_caret_stands_where_the_text_before_it_ends() -> None:
    assert caret_x("Maria", 0, 400, PX) == 0
    assert caret_x("Maria", 5, 400, PX) == width("Maria", 400, PX)
    positions = [caret_x("Maria", index, 400, PX) for index in range(6)]
    assert positions == sorted(positions)
    assert [caret_index("Maria", x, 400, PX) for x in positions] == [0, 1, 2, 3, 4, 5]


def test_a_touch_never_puts_the_caret_into_an_emoji_sequence() -> None:
    text = "a👨‍👩‍👧b"
    stops = {caret_index(text, x, 400, PX) for x in range(0, 200, 3)}
    assert stops == {0, 1, 6, 7}


def test_font_sizes_are_rounded_to_quarters() -> None:
    assert pixels(16, 2.625) == 42.0
    assert pixels(14, 1.013) == 14.25


def test_an_unknown_style_is_named() -> None:
    assert style("body") is STYLES["body"]
    with pytest.raises(ValueError, match="style is 'huge'"):
        style("huge")
