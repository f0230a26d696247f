from __future__ import annotations

import hashlib

import pytest

from device.virtual.ui import (
    Act,
    Column,
    Dialog,
    LayoutState,
    ListItem,
    Node,
    RadioItem,
    SearchBar,
    Switch,
    SwitchItem,
    Tabs,
    Text,
    TextField,
    widgets,
)
from tests.device.virtual.ui.gallery import ACT, ONE_OF_EACH, alone, env, every, laid, pixels, tree

SILENT = {"Spacer", "Divider"}


def test_the_gallery_knows_every_constructor() -> None:
    assert set(ONE_OF_EACH) == set(widgets.__all__)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", [name for name in ONE_OF_EACH if name != "Spacer"])
def test_every_widget_draws_something(name: str, dark: bool) -> None:
    around = env(dark=dark)
    assert pixels(ONE_OF_EACH[name](), around=around) != pixels(Column(), around=around)


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_every_widget_looks_the_same_twice(name: str) -> None:
    first, second = (hashlib.sha256(pixels(ONE_OF_EACH[name]())).hexdigest() for _ in range(2))
    assert first == second


@pytest.mark.parametrize("name", [name for name in ONE_OF_EACH if name not in SILENT])
def test_every_widget_is_in_the_accessibility_tree_with_its_texts(name: str) -> None:
    node = ONE_OF_EACH[name]()
    found = every(tree(node if name == "Scaffold" else Column(node)))
    assert len(found) > 1
    said = {part.text for part in found} | {part.desc for part in found} | {part.hint for part in found}
    assert {text for text in texts(node) if text} <= said


@pytest.mark.parametrize("name", sorted(SILENT))
def test_space_and_lines_are_not_in_the_accessibility_tree(name: str) -> None:
    assert tree(Column(ONE_OF_EACH[name]())).children == ()


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_every_widget_takes_an_id_and_a_description(name: str) -> None:
    if name in ("Spacer", "SearchBar"):
        return
    node = {
        "Text": lambda: Text("Hello", id="x", desc="said"),
        "Column": lambda: Column(id="x", desc="said"),
    }.get(name, lambda: Column(ONE_OF_EACH[name](), id="x", desc="said"))()
    assert (node.id, node.desc) == ("x", "said")


def texts(node: Node) -> list[str]:
    label = node.props.get("label", "")
    return [node.text, label, *(text for child in node.children for text in texts(child))]


@pytest.mark.parametrize(
    ("name", "width", "height"),
    [
        ("Switch", 52, 48),
        ("IconButton", 48, 48),
        ("Fab", 56, 56),
        ("Avatar", 40, 40),
        ("Icon", 24, 24),
        ("ListItem", 400, 72),
        ("SwitchItem", 400, 72),
        ("RadioItem", 400, 56),
        ("TopBar", 400, 64),
        ("SearchBar", 400, 56),
        ("BottomNav", 400, 80),
        ("Tabs", 400, 48),
        ("TextField", 400, 64),
        ("Slider", 400, 48),
        ("Divider", 400, 1),
        ("MenuItem", 400, 48),
        ("Progress", 400, 4),
    ],
)
def test_sizes_are_those_of_material_3(name: str, width: float, height: float) -> None:
    placed = alone(ONE_OF_EACH[name]())
    assert (placed.width, placed.height) == (width, height)


@pytest.mark.parametrize("name", ["Button", "Chip", "Checkbox", "Radio"])
def test_what_can_be_touched_is_at_least_48_dp_high(name: str) -> None:
    assert alone(ONE_OF_EACH[name]()).height >= 48


def test_texts_of_rows_begin_72_dp_from_the_edge_beside_an_icon() -> None:
    row = alone(ListItem("Battery", summary="87%", icon="battery_full"))
    icon, column = row.children
    assert icon.left == 24
    assert column.left == 72
    assert [child.node.id for child in column.children] == ["android:id/title", "android:id/summary"]


def test_a_switch_carries_the_opposite_of_what_it_shows() -> None:
    assert Switch(True, ACT).on_tap == Act("test.act", {"value": False})
    row = SwitchItem("Wi-Fi", False, ACT)
    assert row.on_tap == Act("test.act", {"value": True})
    assert row.children[-1].on_tap is None
    assert row.children[-1].checked is False


def test_a_radio_row_carries_true_and_a_tab_its_index() -> None:
    assert RadioItem("Mobile", on_change=ACT).on_tap == Act("test.act", {"value": True})
    assert [tab.on_tap for tab in Tabs(("a", "b"), 0, ACT).children] == [ACT.with_value(0), ACT.with_value(1)]


def test_a_search_bar_has_a_clear_button_only_while_it_holds_text() -> None:
    bar = SearchBar("query", "Search", id="bar")
    assert [part.node.kind for part in alone(bar).children] == ["icon", "text_field"]
    typed = alone(bar, LayoutState(fields={"query": "wifi"}))
    assert [part.node.kind for part in typed.children] == ["icon", "text_field", "icon_button"]
    assert typed.children[1].node.text == "wifi"
    assert typed.children[2].node.on_tap == Act("field.clear", {"bind": "query"})
    around = env()
    assert pixels(bar, LayoutState(fields={"query": "wifi"}), around) != pixels(bar, around=around)


def test_a_field_shows_what_was_typed_instead_of_its_first_value() -> None:
    field = TextField("name", label="Name", value="Ada")
    assert alone(field).node.text == "Ada"
    assert alone(field, LayoutState(fields={"name": ""})).node.text == ""
    assert pixels(field, LayoutState(fields={"name": "Bob"})) != pixels(field)


def test_focus_caret_and_press_can_be_seen() -> None:
    field = Column(TextField("name", label="Name", value="Ada"))
    plain = pixels(field)
    focused = pixels(field, LayoutState(focus="name", caret=1))
    with_caret = pixels(field, LayoutState(focus="name", caret=1, caret_on=True))
    assert len({plain, focused, with_caret}) == 3
    row = Column(ListItem("Battery", on_tap=ACT))
    assert pixels(row, LayoutState(pressed=(0,))) != pixels(row)


def test_what_is_disabled_looks_faint() -> None:
    assert pixels(ListItem("Battery", enabled=False)) != pixels(ListItem("Battery"))
    assert pixels(Switch(True, enabled=False)) != pixels(Switch(True))


def test_a_long_text_in_a_field_moves_so_that_the_caret_shows() -> None:
    field = Column(TextField("name", value="a" * 60 + "END"))
    at_end = pixels(field, LayoutState(focus="name", caret=63, caret_on=True))
    at_start = pixels(field, LayoutState(focus="name", caret=0, caret_on=True))
    assert at_end != at_start


def test_a_dialog_stands_in_the_middle_with_its_buttons_at_the_end() -> None:
    card = laid(ONE_OF_EACH["Dialog"]())
    assert card.left + card.right == pytest.approx(400)
    assert card.top + card.bottom == pytest.approx(800)
    assert card.width == 304
    button = card.children[-1]
    assert button.right == pytest.approx(card.right - 24)
    assert button.bottom <= card.bottom


def test_a_dialog_body_that_is_too_high_can_be_scrolled() -> None:
    rows = Column(*(RadioItem(f"Row {number}") for number in range(40)), align="stretch")
    body = laid(Dialog("Choose", rows)).children[1]
    assert body.node.kind == "scroll"
    assert body.scroll_extent == pytest.approx(40 * 56)
    assert body.bottom <= 800


def test_a_menu_stands_at_the_upper_end_corner() -> None:
    menu = laid(ONE_OF_EACH["Menu"](), around=env(insets=(0, 36, 0, 24)))
    assert (menu.right, menu.top) == (392, 44)
    assert menu.height == 2 * 48 + 16
