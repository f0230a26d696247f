"""What is made of OCR lines where there is no tree."""

from __future__ import annotations

import pytest
from dumps import PHONE

from device.geometry import Box
from perception.base import TextLine
from perception.draft import Dp
from perception.ocr import is_icon, is_readable
from perception.paragraphs import drafts, grouped, sort_lines

DP = Dp.of(PHONE)
WHOLE = Box(0.0, 0.0, 1.0, 1.0)


def line(left: int, top: int, right: int, bottom: int, text: str, score: float = 0.99) -> TextLine:
    return TextLine(Box.from_pixel(left, top, right, bottom, PHONE), text, score)


# As the engine read them: two settings rows, the second with a title shorter than its details.
ROWS = [
    line(176, 495, 615, 555, "Network & internet"),
    line(178, 555, 566, 610, "Mobile, Wi-Fi, hotspot"),
    line(176, 902, 313, 971, "Apps"),
    line(178, 966, 810, 1018, "Assistant, recent apps, default apps"),
]


def texts(*lines: TextLine, typing: bool | None = None) -> list[str]:
    reading = sort_lines(lines, DP, content=WHOLE, keyboard=None, typing=typing)
    return [draft.text for draft in drafts(reading, DP)]


def test_a_title_and_its_details_are_one_thing_touched_at_the_title() -> None:
    reading = sort_lines(ROWS, DP, content=WHOLE, keyboard=None, typing=None)
    made = drafts(reading, DP)
    assert [d.text for d in made] == [
        "Network & internet\nMobile, Wi-Fi, hotspot",
        "Apps\nAssistant, recent apps, default apps",
    ]
    assert 495 <= made[0].click.to_pixel(PHONE)[1] < 555
    assert all(d.interactable and d.confidence <= 0.7 for d in made)


def test_a_wrapped_sentence_is_one_line_again() -> None:
    assert texts(
        line(336, 630, 876, 684, "Yes! 3-2 in the 89th minute,"),
        line(336, 690, 586, 744, "unbelievable"),
    ) == ["Yes! 3-2 in the 89th minute, unbelievable"]
    assert texts(line(100, 600, 700, 660, "这个操作会重置所有网络设置，"), line(100, 662, 330, 722, "包括蓝牙。")) == [
        "这个操作会重置所有网络设置，包括蓝牙。"
    ]


def test_columns_rows_apart_and_other_sizes_stay_apart() -> None:
    lines = [
        line(78, 864, 462, 912, "Running shoes Pro 5"),
        line(588, 864, 970, 912, "Wireless earbuds X2"),
        line(78, 1440, 439, 1488, "Trail backpack 24 L"),
    ]
    assert len(grouped(lines, DP)) == 3
    large = [line(50, 600, 900, 690, "10-Day Weather Forecast"), line(50, 690, 130, 780, "IL")]
    small = [line(50, 790, 900, 840, "Showers early, then clearing overnight. Low 55")]
    assert len(grouped(large + small, DP)) == 2


def test_the_status_bar_is_left_out_but_a_full_screen_title_is_not() -> None:
    assert texts(line(38, 9, 131, 64, "9:41"), line(160, 40, 420, 115, "Camera")) == ["Camera"]


@pytest.mark.parametrize(
    ("typing", "expected"), [(True, ["Hello"]), (None, ["Hello"]), (False, ["Hello", *"qwertyuiop"])]
)
def test_keys_of_the_keyboard_are_no_text(typing: bool | None, expected: list[str]) -> None:
    keys = [line(20 + i * 108, 1640, 64 + i * 108, 1710, letter) for i, letter in enumerate("qwertyuiop")]
    got = texts(line(60, 500, 300, 560, "Hello"), *keys, typing=typing)
    assert got[: len(expected)] == expected or sorted(got) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "score", "width", "icon"),
    [
        ("Q", 0.99, 68, True),  # magnifier
        ("Q", 0.99, 48, False),  # the letter
        ("L", 0.95, 40, False),
        ("L", 0.60, 40, True),
        ("←", 0.95, 68, True),
        ("日", 0.95, 68, True),
        ("(0)", 0.85, 110, True),
        ("(2)", 0.99, 110, False),
        ("•••", 0.99, 110, True),
        ("OK", 0.7, 80, False),
    ],
)
def test_pictures_taken_for_writing(text: str, score: float, width: int, icon: bool) -> None:
    assert is_icon(line(100, 500, 100 + width, 568, text, score), DP) is icon


def test_a_single_chinese_character_counts_on_a_chinese_screen() -> None:
    yes = line(100, 500, 160, 560, "是", 0.95)
    assert is_icon(yes, DP) and not is_icon(yes, DP, chinese=True)


def test_icons_are_kept_as_nameless_things_to_touch() -> None:
    reading = sort_lines([line(791, 129, 859, 197, "Q")], DP, content=WHOLE, keyboard=None, typing=None)
    (draft,) = drafts(reading, DP)
    assert (draft.role, draft.text, draft.interactable) == ("image", "", True)


@pytest.mark.parametrize(
    ("read", "top", "text", "icons"),
    [
        ("Q PNR", 2174, "PNR", 1),
        ("①System", 1500, "System", 1),
        (":: Apps", 900, "Apps", 1),
        ("X Create contact", 150, "Create contact", 1),
        ("X Games", 1200, "X Games", 0),
        ("#1 hit", 1200, "#1 hit", 0),
        ("-5 °C", 1200, "-5 °C", 0),
        ("“Hello”", 1200, "“Hello”", 0),
    ],
)
def test_an_icon_read_as_the_beginning_of_a_line_is_set_apart(read: str, top: int, text: str, icons: int) -> None:
    reading = sort_lines([line(165, top, 568, top + 66, read)], DP, content=WHOLE, keyboard=None, typing=None)
    assert [found.text for found in reading.lines] == [text]
    assert len(reading.icons) == icons
    if icons:
        assert reading.icons[0].box.right <= reading.lines[0].box.left


@pytest.mark.parametrize(
    ("text", "readable"),
    [("Wi-Fi", True), ("设置", True), ("Настройки", False), ("إعدادات", False), ("한국어", False), ("7", False)],
)
def test_scripts_the_engine_does_not_know_are_not_expected_of_it(text: str, readable: bool) -> None:
    assert is_readable(text) is readable
