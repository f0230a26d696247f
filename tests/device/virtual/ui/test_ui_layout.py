from __future__ import annotations

import pytest

from device.virtual.ui import (
    Box,
    Button,
    Column,
    Fab,
    Grid,
    Icon,
    LayoutState,
    ListItem,
    Node,
    Row,
    Scaffold,
    Scroll,
    Slider,
    Spacer,
    Switch,
    Text,
    TextField,
    TopBar,
    hit,
    lay_out,
    scroll_limit,
    slider_value,
    text_index,
)
from tests.device.virtual.ui.gallery import ACT, HEIGHT, WIDTH, alone, env, laid


def block(w: float, h: float, **props: float) -> Node:
    return Box(w=w, h=h, **props)  # type: ignore[arg-type]


def spots(node: Node) -> list[tuple[float, float, float, float]]:
    return [(child.left, child.top, child.width, child.height) for child in laid(node).children]


def test_a_column_places_children_below_each_other() -> None:
    assert spots(Column(block(10, 20), block(30, 40), gap=5, pad=(1, 2, 3, 4))) == [(1, 2, 10, 20), (1, 27, 30, 40)]


@pytest.mark.parametrize(("align", "left"), [("start", 0), ("center", 190), ("end", 380)])
def test_a_column_aligns_across(align: str, left: float) -> None:
    assert spots(Column(block(20, 20), align=align)) == [(left, 0, 20, 20)]


@pytest.mark.parametrize(("justify", "top"), [("start", 0), ("center", 390), ("end", 780)])
def test_a_column_justifies_along(justify: str, top: float) -> None:
    assert spots(Column(block(20, 20), justify=justify)) == [(0, top, 20, 20)]


def test_weights_share_what_is_left() -> None:
    row = Row(block(100, 10), Column(weight=1), Column(weight=2), gap=10)
    assert [(left, width) for left, _, width, _ in spots(row)] == [
        (0, 100),
        (110, pytest.approx(280 / 3)),
        (pytest.approx(110 + 280 / 3 + 10), pytest.approx(560 / 3)),
    ]
    column = Column(block(10, 100), Spacer(weight=1), block(10, 50))
    assert [top for _, top, _, _ in spots(column)] == [0, 100, 750]


def test_a_stretched_row_gives_its_height_to_its_children() -> None:
    assert [height for *_, height in spots(Row(Column(), Text("x"), align="stretch"))] == [800, 800]


def test_a_box_lays_children_over_each_other() -> None:
    box = Box(Column(weight=1), block(20, 10), align=("center", "end"))
    assert spots(box)[1] == (190, 790, 20, 10)
    stretched = Box(Column(Text("x"), align="center"), Icon("wifi"))
    assert [width for _, _, width, _ in spots(stretched)] == [400, 24]


def test_a_grid_has_cells_of_equal_width() -> None:
    grid = Column(Grid(block(10, 20), block(10, 40), block(10, 30), columns=2, gap=10), align="stretch")
    cells = [(cell.left, cell.top, cell.width, cell.height) for cell in laid(grid).children[0].children]
    assert cells == [(0, 0, 195, 40), (205, 0, 195, 40), (0, 50, 195, 30)]


def test_text_wraps_to_the_width_it_has() -> None:
    one, many = alone(Text("word")), alone(Text("word " * 60))
    assert one.height == 24
    assert many.height % 24 == 0
    assert many.height > 48
    assert many.width <= WIDTH
    assert alone(Text("word " * 60, max_lines=2)).height == 48


def test_larger_fonts_make_larger_rows() -> None:
    item = ListItem("Battery", summary="87%")
    assert alone(item, around=env(font_scale=1.5)).height > alone(item).height


def test_a_node_of_an_unknown_kind_is_named() -> None:
    with pytest.raises(ValueError, match="node kind is 'gizmo'"):
        laid(Column(Node(kind="gizmo")))


# lists


def rows(count: int) -> Node:
    return Scroll(*(ListItem(f"Row {number}", on_tap=ACT) for number in range(count)))


def test_only_rows_that_show_are_placed_and_keep_their_index() -> None:
    listed = laid(rows(100), LayoutState(scroll={"list": 640.0}))
    assert [child.path for child in listed.children] == [(number,) for number in range(10, 23)]
    assert listed.children[0].top == 0
    assert listed.scroll_extent == 6400


def test_an_offset_stays_within_the_content() -> None:
    assert laid(rows(100), LayoutState(scroll={"list": 1e9})).children[-1].bottom == pytest.approx(HEIGHT)
    assert laid(rows(100), LayoutState(scroll={"list": -50})).children[0].top == 0
    assert laid(rows(3), LayoutState(scroll={"list": 50})).children[0].top == 0


def test_the_scroll_limit_is_what_does_not_fit() -> None:
    assert scroll_limit(laid(rows(100))) == 6400 - 800
    assert scroll_limit(laid(rows(3))) == 0


def test_a_thousand_rows_cost_no_more_nodes_than_fit() -> None:
    assert len(list(laid(rows(1000)).walk())) < 60


# scaffolds


def test_a_scaffold_keeps_clear_of_the_bars_and_lets_lists_run_under_the_gesture_bar() -> None:
    screen = Scaffold(top=TopBar("Title"), body=rows(100), fab=Fab("add", desc="New", on_tap=ACT))
    top, body, fab = laid(screen, around=env(insets=(0, 36, 0, 24))).children
    assert (top.top, top.height) == (36, 64)
    assert (body.top, body.bottom) == (100, 800)
    assert body.scroll_extent == 6400 + 24
    assert (fab.right, fab.bottom) == (384, 760)


def test_a_keyboard_makes_the_body_smaller() -> None:
    body = laid(Scaffold(body=rows(100)), around=env(insets=(0, 36, 0, 300))).children[0]
    assert (body.top, body.bottom) == (36, 500)
    assert body.scroll_extent == 6400


def test_slots_are_found_by_their_path() -> None:
    placed = laid(Scaffold(top=TopBar("Title"), body=rows(5)))
    row = placed.at((1, 2))
    assert row is not None
    assert row.node.on_tap == ACT
    assert placed.at((1, 99)) is None


# touching


def test_a_touch_goes_to_the_deepest_node_that_answers() -> None:
    placed = laid(Scaffold(body=Scroll(ListItem("Row", on_tap=ACT, trailing=Switch(True, ACT)), *rows(30).children)))
    assert hit(placed, 30, 20, "tap").node.kind == "list_item"  # type: ignore[union-attr]
    assert hit(placed, 360, 32, "tap").node.kind == "switch"  # type: ignore[union-attr]
    assert hit(placed, 30, 20, "scroll").node.kind == "scroll"  # type: ignore[union-attr]
    assert hit(placed, 30, 20, "long") is None
    assert hit(placed, 500, 20) is None


def test_what_is_disabled_or_clipped_away_is_not_touched() -> None:
    assert hit(laid(Column(Button("Save", on_tap=ACT, enabled=False))), 10, 10, "tap") is None
    placed = laid(
        Scaffold(top=TopBar("Title"), body=Scroll(*rows(30).children, key="list")), LayoutState(scroll={"list": 32})
    )
    assert hit(placed, 200, 63, "tap") is None
    assert hit(placed, 200, 65, "tap").path == (1, 0)  # type: ignore[union-attr]


def test_fields_and_sliders_answer_without_a_handler_of_their_own() -> None:
    placed = laid(Column(TextField("name", label="Name"), Slider(0, 0, 1)))
    assert hit(placed, 50, 30, "tap").node.kind == "text_field"  # type: ignore[union-attr]
    assert hit(placed, 50, 90, "tap").node.kind == "slider"  # type: ignore[union-attr]


@pytest.mark.parametrize(("x", "value"), [(0, 20.0), (10, 20.0), (200, 40.0), (390, 60.0), (400, 60.0)])
def test_a_touch_on_a_slider_gives_the_value_there(x: float, value: float) -> None:
    assert slider_value(alone(Slider(30, 20, 60)), x) == pytest.approx(value)


def test_a_touch_in_a_field_finds_the_nearest_character() -> None:
    around = env()
    placed = alone(TextField("name", value="Hello world"), around=around)
    assert text_index(placed, around, 0, 30) == 0
    assert text_index(placed, around, 399, 30) == 11
    assert 4 <= text_index(placed, around, 16 + 36, 30) <= 6
    note = alone(TextField("note", value="first\nsecond", multiline=True), around=around)
    assert text_index(note, around, 16, 16 + 30) == 6


def test_layout_is_pure() -> None:
    node, state = rows(40), LayoutState(scroll={"list": 100})
    assert lay_out(node, env(), 400, 800, state) == lay_out(node, env(), 400, 800, state)
