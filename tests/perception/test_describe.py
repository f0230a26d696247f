"""What people hear about a screen."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from device.frame import Frame
from device.geometry import Box, Size
from perception.describe import describe, name, spoken
from perception.screen import Element, Screen, TreeStatus

BOX = Box(0, 0.5, 1, 0.6)


def element(role: str, text: str = "", label: str = "", *states: str, top: float = 0.5, **more: bool) -> Element:
    box = Box(0, top, 1, top + 0.05)
    return Element(
        mark=1, key="k", box=box, click=box.center, role=role, text=text, label=label, states=frozenset(states), **more
    )  # type: ignore[arg-type]


def screen(*elements: Element, keyboard: bool | None = None, secure: bool = False) -> Screen:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    frame = Frame(b"", "image/png", Size(1, 1), 0, now, keyboard=keyboard, secure=secure)
    return Screen(frame=frame, elements=elements, tree_status=TreeStatus.FRESH)


SETTINGS = (
    element("text", "Display", top=0.05, interactable=False),
    element("button", "", "Back", top=0.05),
    element("switch", "Dark theme\nOff until sunset", "", "unchecked"),
    element("text_field", "Ada", "First name"),
    element("text_field", "", "PIN", password=True),
    *(element("list_item", f"Entry {i}") for i in range(8)),
    element("button"),
)


def test_a_screen_is_told_by_title_fields_controls_entries_and_buttons() -> None:
    assert describe(screen(*SETTINGS, keyboard=True)) == (
        "The screen shows “Display”. Fields: First name (holds “Ada”), PIN (password, hidden). "
        "Switches: Dark theme (off). Entries: Entry 0, Entry 1, Entry 2, Entry 3, Entry 4, Entry 5, and 2 more. "
        "Buttons: Back. One button has no name. The keyboard is open."
    )


def test_the_same_screen_in_chinese() -> None:
    assert describe(screen(*SETTINGS), "zh-CN") == (
        "屏幕显示“Display”。输入框：First name（内容为“Ada”）、PIN（密码，已隐藏）。开关：Dark theme（已关闭）。"
        "条目：Entry 0、Entry 1、Entry 2、Entry 3、Entry 4、Entry 5、另有2项。按钮：Back。有一个按钮没有名称。"
    )


def test_nothing_is_said_plainly() -> None:
    assert describe(screen()) == "Nothing could be made out on the screen."
    assert describe(screen(secure=True)) == "The app does not let its screen be seen."


@pytest.mark.parametrize(
    ("thing", "english", "chinese"),
    [
        (element("button", "Save"), "the button “Save”", "“Save”按钮"),
        (element("list_item", "Display\nDark theme, font size"), "the entry “Display”", "“Display”条目"),
        (element("text_field", "hello", "Message"), "the field “Message”", "“Message”输入框"),
        (element("button"), "the button", "按钮"),
        (element("text_field", "secret", "", password=True), "the field", "输入框"),
    ],
)
def test_one_element_in_a_sentence(thing: Element, english: str, chinese: str) -> None:
    assert (spoken(thing, "en"), spoken(thing, "zh")) == (english, chinese)


def test_long_names_are_cut() -> None:
    assert len(name(element("list_item", "word " * 50))) <= 60
