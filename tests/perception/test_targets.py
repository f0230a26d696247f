"""What of a tree can be touched, what it is called, and where it is touched."""

from __future__ import annotations

from pathlib import Path

import pytest
from dumps import PHONE, dump, keyboard, node, row, text, window

from device.frame import Foreground
from device.geometry import Size
from perception.draft import Dp, Draft
from perception.targets import drafts
from perception.tree import parse

RECORDED = Path(__file__).parents[1] / "recorded" / "screens"
SWITCH = "android.widget.Switch"


def found(*windows: str, size: Size = PHONE) -> list[Draft]:
    return list(drafts(parse(dump(*windows), size, Foreground("org.example")), Dp.of(size)))


def only(*windows: str) -> Draft:
    targets = [draft for draft in found(*windows) if draft.role not in ("text", "list")]
    assert len(targets) == 1, targets
    return targets[0]


def field(bounds: tuple[int, int, int, int] = (60, 500, 1020, 650), **attributes: str | bool) -> str:
    return node(bounds, cls="android.widget.EditText", clickable=True, focusable=True, **attributes)


def test_a_row_is_one_element_with_its_title_first() -> None:
    draft = only(window(row(300, "Display", "Dark theme, font size")))
    assert (draft.role, draft.text, draft.label) == ("list_item", "Display\nDark theme, font size", "")


def test_a_row_that_toggles_as_a_whole_takes_role_and_state_of_its_switch() -> None:
    switch = node((900, 340, 1020, 440), cls=SWITCH, checkable=True, checked=True, text="ON")
    draft = only(window(row(300, "Dark theme", "", switch)))
    assert (draft.role, draft.text, draft.states) == ("switch", "Dark theme", {"checked"})
    assert draft.box.to_pixel(PHONE) == (0, 300, 1080, 480)


def test_a_switch_of_its_own_is_a_second_element_called_after_its_row() -> None:
    switch = node((900, 340, 1020, 440), cls=SWITCH, checkable=True, clickable=True)
    made = [d for d in found(window(row(300, "Wi-Fi", "Home", switch))) if d.role != "text"]
    assert [(d.role, d.text, d.label, d.states) for d in made] == [
        ("list_item", "Wi-Fi\nHome", "", set()),
        ("switch", "", "Wi-Fi", {"unchecked"}),
    ]
    x, y = made[0].click.to_pixel(PHONE)
    assert not (900 <= x < 1020 and 340 <= y < 440)


def test_the_click_point_keeps_off_what_is_nested() -> None:
    star = node((460, 300, 640, 480), cls="android.widget.ImageButton", desc="Star", clickable=True)
    row_draft, star_draft = found(window(row(300, "Ada Lovelace", "", star)))
    assert star_draft.click.to_pixel(PHONE) == (550, 390)
    assert not 460 <= row_draft.click.to_pixel(PHONE)[0] < 640


@pytest.mark.parametrize(
    ("cls", "attributes", "role"),
    [
        ("android.widget.Button", {"clickable": True, "text": "Save"}, "button"),
        ("android.widget.ImageButton", {"clickable": True, "desc": "Back"}, "button"),
        ("androidx.appcompat.widget.SwitchCompat", {"checkable": True, "text": "x"}, "switch"),
        ("android.widget.CheckBox", {"checkable": True, "text": "x"}, "checkbox"),
        ("android.widget.RadioButton", {"checkable": True, "text": "x"}, "radio"),
        ("android.widget.SeekBar", {"clickable": True, "text": "40.0"}, "slider"),
        ("android.app.ActionBar$Tab", {"clickable": True, "text": "Chats"}, "tab"),
        ("android.widget.Spinner", {"clickable": True, "text": "Berlin"}, "button"),
        ("android.widget.MultiAutoCompleteTextView", {}, "text_field"),
        ("android.view.View", {"long_clickable": True, "text": "hold me"}, "button"),
        ("androidx.recyclerview.widget.RecyclerView", {"scrollable": True}, "list"),
    ],
)
def test_the_class_decides_the_role(cls: str, attributes: dict[str, str | bool], role: str) -> None:
    made = found(window(node((100, 500, 500, 620), cls=cls, **attributes)))
    assert [draft.role for draft in made] == [role]


def test_children_of_a_tab_bar_are_tabs() -> None:
    tab = node(
        (0, 200, 540, 320),
        text((200, 240, 340, 280), "Calls"),
        cls="android.widget.LinearLayout",
        clickable=True,
        selected=True,
    )
    bar = node((0, 200, 1080, 320), node((0, 200, 1080, 320), tab), cls="com.google.android.material.tabs.TabLayout")
    draft = only(window(bar))
    assert (draft.role, draft.text, draft.states) == ("tab", "Calls", {"selected"})


@pytest.mark.parametrize(
    ("attributes", "text_", "label"),
    [
        ({"text": "Ada", "hint": "First name"}, "Ada", "First name"),
        ({"text": "First name", "hint": "First name"}, "", "First name"),
        ({"text": "Ada", "desc": "Name of the contact"}, "Ada", "Name of the contact"),
        ({"text": "Ada"}, "Ada", ""),
    ],
    ids=["floating label", "empty: text is the hint", "description", "nameless"],
)
def test_a_field_keeps_content_and_label_apart(attributes: dict[str, str | bool], text_: str, label: str) -> None:
    draft = only(window(field(**attributes)))
    assert (draft.role, draft.text, draft.label) == ("text_field", text_, label)


def test_a_text_drawn_inside_a_field_is_its_label() -> None:
    inner = text((100, 540, 700, 610), "Station departure board")
    draft = only(window(node((60, 500, 1020, 650), inner, cls="android.widget.EditText")))
    assert (draft.text, draft.label) == ("", "Station departure board")


def test_a_form_label_above_a_field_is_its_label_and_no_element_of_its_own() -> None:
    form = node((0, 400, 1080, 700), text((60, 430, 500, 490), "Phone number"), field())
    made = found(window(form))
    assert [(d.role, d.label) for d in made] == [("text_field", "Phone number")]


def test_the_text_of_a_password_field_is_never_taken() -> None:
    draft = only(window(field(text="hunter2", hint="Password", password=True)))
    assert draft.password
    assert (draft.text, draft.label) == ("", "Password")


def test_a_slider_is_called_after_its_caption() -> None:
    slider = node((60, 500, 1020, 650), cls="android.widget.SeekBar", text="40.0", clickable=True)
    made = found(window(node((0, 400, 1080, 700), text((60, 430, 500, 490), "Brightness"), slider)))
    assert [(d.role, d.text, d.label) for d in made] == [("slider", "40.0", "Brightness")]


def test_nameless_containers_huge_catchers_and_twins_are_no_elements() -> None:
    button = node((400, 1000, 700, 1120), cls="android.widget.Button", text="Go", clickable=True)
    twin = node((400, 1000, 700, 1120), button, clickable=True)
    catcher = node((0, 100, 1080, 2300), text((0, 200, 500, 260), "Welcome"), twin, clickable=True)
    made = found(window(catcher))
    assert [(d.role, d.text) for d in made] == [("text", "Welcome"), ("button", "Go")]


def test_a_twin_hands_its_name_to_the_element_inside() -> None:
    inner = node((400, 1000, 700, 1120), clickable=True)
    draft = only(window(node((400, 1000, 700, 1120), inner, clickable=True, desc="Play")))
    assert draft.label == "Play"


def test_slivers_are_no_elements() -> None:
    assert found(window(node((538, 2168, 541, 2234), clickable=True))) == []


def test_what_a_later_sibling_covers_is_left_out() -> None:
    covered = node((100, 1000, 500, 1120), text="Old", clickable=True)
    sheet = node((0, 900, 1080, 2400), text((100, 950, 600, 1010), "Share with"), clickable=True)
    assert [d.text for d in found(window(covered, sheet))] == ["Share with"]


def test_what_lies_under_the_keyboard_is_blocked_and_its_keys_are_no_elements() -> None:
    save = node((800, 2000, 1040, 2120), cls="android.widget.Button", text="Save", clickable=True)
    scroll = node((0, 200, 1080, 2300), field(), save, scrollable=True)
    made = found(window(scroll), keyboard(1600))
    assert [d.role for d in made] == ["list", "text_field", "button"]
    assert made[0].box.to_pixel(PHONE) == (0, 200, 1080, 1600)
    assert made[1].interactable
    assert made[2].states == {"blocked"}
    assert not made[2].interactable


def test_disabled_things_stay_but_are_not_to_be_touched() -> None:
    draft = only(
        window(node((100, 500, 500, 620), cls="android.widget.Button", text="Next", clickable=True, enabled=False))
    )
    assert not draft.interactable
    assert draft.states == {"disabled"}


def test_behind_a_dialog_nothing_is_listed() -> None:
    ok = node((700, 1300, 900, 1400), cls="android.widget.Button", text="OK", clickable=True)
    dialog = window(text((150, 1000, 900, 1100), "Reset?"), ok, bounds=(100, 900, 980, 1450))
    assert [d.text for d in found(window(row(300, "Wi-Fi")), dialog)] == ["Reset?", "OK"]


def test_a_flutter_screen_is_called_by_its_descriptions() -> None:
    xml = (RECORDED / "flutter_catalog.xml").read_text(encoding="utf-8")
    made = drafts(parse(xml, PHONE), Dp.of(PHONE))
    assert [d.label.split("\n")[0] for d in made if d.role == "text"] == ["Fractal Catalog", "3D", "2D"]
    assert sum(d.role == "button" for d in made) == 7
