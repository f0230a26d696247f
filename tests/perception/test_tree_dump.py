"""What is read out of an accessibility dump, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from dumps import PHONE, dump, keyboard, node, row, text, window

from device.frame import Foreground
from device.geometry import Size
from perception.errors import BrokenTree
from perception.tree import WindowKind, parse

RECORDED = Path(__file__).parents[1] / "recorded" / "screens"


def test_a_stock_dump_of_a_real_phone_gives_every_node_with_its_place() -> None:
    tree = parse((RECORDED / "pair_trains.xml").read_text(encoding="utf-8"), Size(1080, 2414))
    assert len(tree.nodes) == 77
    assert [w.kind for w in tree.windows] == [WindowKind.APP]
    title = next(n for n in tree.nodes if n.text == "Where is my Train")
    assert title.box is not None
    assert title.box.to_pixel(Size(1080, 2414)) == (216, 158, 764, 252)
    assert tree.content.to_pixel(Size(1080, 2414)) == (0, 121, 1080, 2282)


def test_unknown_attributes_and_missing_ones_do_no_harm() -> None:
    xml = (
        '<hierarchy rotation="1"><node xpos="7" NAF="true" class="vendor.Thing" bounds="[-20,0][100,50]" />'
        '<node bounds="nonsense"/><node bounds="[5,5][5,9]"/></hierarchy>'
    )
    tree = parse(xml, Size(200, 100))
    assert tree.rotation == 1
    assert [n.box.to_pixel(Size(200, 100)) if n.box else None for n in tree.nodes] == [(0, 0, 100, 50), None, None]
    assert tree.nodes[0].enabled


def test_text_around_the_hierarchy_is_ignored() -> None:
    xml = "warning: linker\n" + dump(text((0, 0, 10, 10), "hello")) + "UI hierchary dumped to: /dev/tty\n"
    assert parse(xml, PHONE).nodes[0].text == "hello"


def test_an_empty_hierarchy_is_a_tree_without_nodes() -> None:
    assert parse('<?xml version="1.0"?><hierarchy rotation="0" />', PHONE).nodes == ()


@pytest.mark.parametrize(
    ("xml", "words"),
    [
        ("", "no <hierarchy>"),
        ("ERROR: could not get idle state.", "no <hierarchy>"),
        (dump(row(0, "Wi-Fi"))[:-60], "cut off"),
        ('<hierarchy rotation="0"><node text="a" bounds="[0,0][1,1]"></hierarchy>', "no XML"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><hierarchy><node text="&a;"/></hierarchy>', "document type"),
        ('<hierarchy rotation="0">' + " " * 20_000_000 + "</hierarchy>", "cannot be one screen"),
    ],
    ids=["empty", "refusal", "truncated", "unclosed", "entities", "huge"],
)
def test_a_dump_that_cannot_be_read_is_a_named_error(xml: str, words: str) -> None:
    with pytest.raises(BrokenTree, match=words):
        parse(xml, PHONE)


def test_emoji_written_as_two_surrogates_and_control_characters_are_repaired() -> None:
    tree = parse(
        '<hierarchy><node text="a&#55357;&#56832;b&#0;c&#x1F600;\x07" bounds="[0,0][9,9]"/></hierarchy>', PHONE
    )
    assert tree.nodes[0].text == "a😀b.c😀."


def test_invisible_characters_vanish_and_written_lines_stay() -> None:
    tree = parse(dump(text((0, 0, 9, 9), "\u200e12  Main St \n\n Berlin\ufffc")), PHONE)
    # An XML attribute keeps line breaks only as references, which the phone writes.
    assert tree.nodes[0].text == "12 Main St\nBerlin"


def test_what_is_scrolled_out_of_its_list_or_not_visible_has_no_box() -> None:
    xml = dump(
        window(
            node(
                (0, 500, 1080, 900),
                text((0, 950, 1080, 990), "below"),
                text((0, 450, 1080, 550), "half"),
                scrollable=True,
            ),
            text((0, 0, 100, 100), "hidden", visible_to_user=False),
        )
    )
    boxes = {n.text: n.box for n in parse(xml, PHONE).nodes}
    assert boxes["below"] is None
    assert boxes["hidden"] is None
    assert boxes["half"] is not None
    assert boxes["half"].to_pixel(PHONE) == (0, 500, 1080, 550)


def test_system_bars_and_keyboard_are_kept_apart_from_the_app() -> None:
    xml = dump(
        keyboard(1600),
        window(text((0, 10, 200, 70), "9:41"), bounds=(0, 0, 1080, 80), package="com.android.systemui"),
        window(row(300, "Wi-Fi")),
        window(bounds=(0, 2337, 1080, 2400), package="com.android.systemui"),
    )
    tree = parse(xml, PHONE, Foreground("org.example"))
    assert [w.kind for w in tree.windows] == [
        WindowKind.APP,
        WindowKind.KEYBOARD,
        WindowKind.STATUS_BAR,
        WindowKind.NAVIGATION_BAR,
    ]
    assert tree.keyboard is not None
    assert tree.keyboard.to_pixel(PHONE) == (0, 1600, 1080, 2337)
    assert tree.content.to_pixel(PHONE) == (0, 80, 1080, 2337)
    assert {n.text for n in tree.shown() if n.text} == {"Wi-Fi"}


def test_an_app_about_keyboards_is_no_keyboard() -> None:
    xml = dump(window(row(300, "Themes"), package="org.tapwright.keyboard"))
    assert parse(xml, PHONE, Foreground("org.tapwright.keyboard")).keyboard is None
    assert parse(xml, PHONE, Foreground("org.example")).keyboard is not None


@pytest.mark.parametrize("dialog_first", [True, False])
def test_a_dialog_takes_the_touches_of_the_app_in_whatever_order_they_are_dumped(dialog_first: bool) -> None:
    app = window(row(300, "Wi-Fi"))
    dialog = window(
        text((150, 1000, 900, 1100), "Reset?"),
        node((700, 1300, 900, 1400), cls="android.widget.Button", text="OK", clickable=True),
        bounds=(100, 900, 980, 1450),
    )
    tree = parse(dump(*((dialog, app) if dialog_first else (app, dialog))), PHONE)
    assert [w.behind for w in tree.windows] == [True, False]
    assert {n.text for n in tree.shown() if n.text} == {"Reset?", "OK"}


def test_a_toast_and_another_apps_bubble_leave_the_app_in_reach() -> None:
    toast = window(text((300, 2100, 780, 2200), "Saved"), bounds=(280, 2080, 800, 2220), package="org.example")
    bubble = window(node((900, 500, 1060, 660), clickable=True), bounds=(900, 500, 1060, 660), package="org.chat")
    tree = parse(dump(window(row(300, "Wi-Fi")), toast, bubble), PHONE)
    assert not any(w.behind for w in tree.windows)
    assert {n.text for n in tree.shown() if n.text} == {"Wi-Fi", "Saved"}


def test_the_halves_of_a_split_screen_are_both_in_reach() -> None:
    upper = window(row(100, "Map"), bounds=(0, 0, 1080, 1190), package="a.maps")
    lower = window(row(1400, "Mail"), bounds=(0, 1210, 1080, 2400), package="b.mail")
    assert not any(w.behind for w in parse(dump(upper, lower), PHONE).windows)


def test_drawing_order_decides_which_of_two_siblings_is_above() -> None:
    xml = dump(
        window(
            text((0, 0, 500, 500), "upper", drawing_order="2"),
            text((0, 0, 500, 500), "lower", drawing_order="1"),
        )
    )
    nodes = {n.text: n for n in parse(xml, PHONE).nodes}
    assert nodes["upper"].paint > nodes["lower"].paint
    assert nodes["upper"].index < nodes["lower"].index
