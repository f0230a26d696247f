from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from device.virtual.ui import (
    A11yNode,
    Box,
    Button,
    Column,
    IconButton,
    LayoutState,
    ListItem,
    Node,
    Scaffold,
    Scroll,
    SliderItem,
    SwitchItem,
    Text,
    TextField,
    TopBar,
    accessible,
    to_xml,
)
from device.virtual.ui.a11y import quoted, unlabelled
from tests.device.virtual.ui.gallery import ACT, ONE_OF_EACH, env, every, laid, tree, window

# First node of dtmilano/AndroidViewClient @ c75c684b7a5b, tests/comm/dtmilano/android/mocks.py, UIAUTOMATOR_DUMP_API27
# (Apache-2.0): a dump of `uiautomator dump` on Android 8.1.
RECORDED = (
    '<node index="0" text="" resource-id="" class="android.widget.FrameLayout" '
    'package="com.google.android.apps.nexuslauncher" content-desc="" checkable="false" checked="false" '
    'clickable="false" enabled="true" focusable="false" focused="false" scrollable="false" long-clickable="false" '
    'password="false" selected="false" bounds="[0,0][1080,1794]">'
)
U2_ORDER = [
    *re.findall(r' ([\w-]+)="', RECORDED)[:-1],
    "visible-to-user",
    "bounds",
    "drawing-order",
    "hint",
    "display-id",
]


def dump(node: Node, state: LayoutState | None = None, *, u2: bool = True, **options: int) -> str:
    return to_xml([window(tree(node, state))], 0, u2=u2, **options)  # type: ignore[arg-type]


def one(found: list[A11yNode], cls: str) -> A11yNode:
    (match,) = [node for node in found if node.cls.endswith(cls)]
    return match


def test_the_stock_dump_has_the_attributes_of_a_recorded_one_in_the_same_order_and_one_line() -> None:
    text = dump(Scaffold(body=Text("Hello")), u2=False)
    assert text.startswith(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\"><node index="
    )
    first = re.search(r"<node [^>]*>", text)
    assert first is not None
    assert re.findall(r' ([\w-]+)="', first.group()) == re.findall(r' ([\w-]+)="', RECORDED)


def test_the_uiautomator2_dump_has_its_extra_attributes_and_line_ends() -> None:
    text = dump(Scaffold(body=Text("Hello")))
    assert text.startswith(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\r\n<hierarchy rotation=\"0\">\r\n  <node "
    )
    for element in re.findall(r"<node [^>]*>", text):
        assert re.findall(r' ([\w-]+)="', element) == U2_ORDER


def test_a_dump_without_windows_is_an_empty_hierarchy() -> None:
    assert to_xml([], 1, u2=True).endswith('\r\n<hierarchy rotation="1" />')


def test_only_the_uiautomator2_dump_has_more_than_one_window() -> None:
    roots = [window(tree(Text("one"))), window(tree(Text("two")))]
    assert len(ElementTree.fromstring(to_xml(roots, 0, u2=True))) == 2
    assert len(ElementTree.fromstring(to_xml(roots, 0, u2=False))) == 1


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("plain", '"plain"'),
        ("a & b <c>", '"a &amp; b &lt;c&gt;"'),
        ('say "hi"', "'say \"hi\"'"),
        ("it's", '"it\'s"'),
        ('"it\'s"', "'\"it&apos;s\"'"),
        ("two\nlines\ttab", '"two&#10;lines&#9;tab"'),
        ("bell\x07null\x00del\x7f", '"bell.null.del."'),
        ("👍 你好", '"&#128077; 你好"'),
        ("lone \ud83d surrogate", '"lone . surrogate"'),
    ],
)
def test_values_are_escaped_as_android_does(value: str, written: str) -> None:
    assert quoted(value) == written


@pytest.mark.parametrize("u2", [True, False])
def test_every_text_survives_the_way_through_xml(u2: bool) -> None:
    texts = ["a & b", '"quoted"', "it's", "\"both'", "你好 👨‍👩‍👧", "<tag>", "é"]
    parsed = ElementTree.fromstring(dump(Column(*map(Text, texts)), u2=u2))
    assert [node.get("text") for node in parsed.iter("node") if node.get("text")] == texts


@pytest.mark.parametrize(
    ("name", "cls"),
    [
        ("Text", "android.widget.TextView"),
        ("Button", "android.widget.Button"),
        ("IconButton", "android.widget.ImageButton"),
        ("Switch", "android.widget.Switch"),
        ("Checkbox", "android.widget.CheckBox"),
        ("Radio", "android.widget.RadioButton"),
        ("Slider", "android.widget.SeekBar"),
        ("TextField", "android.widget.EditText"),
        ("Progress", "android.widget.ProgressBar"),
        ("Icon", "android.widget.ImageView"),
        ("ListItem", "android.widget.LinearLayout"),
        ("Box", "android.widget.FrameLayout"),
        ("Scroll", "android.widget.ScrollView"),
        ("Fab", "android.widget.ImageButton"),
        ("TopBar", "android.view.ViewGroup"),
    ],
)
def test_classes_are_those_of_android_views(name: str, cls: str) -> None:
    assert tree(Column(ONE_OF_EACH[name]())).children[0].cls == cls


def test_a_switch_row_is_one_target_with_a_checkable_child() -> None:
    row = tree(Column(SwitchItem("Wi-Fi", True, ACT, summary="On", icon="wifi", id="wifi"))).children[0]
    assert (row.resource_id, row.clickable, row.checkable) == ("org.example:id/wifi", True, False)
    switch = one(every(row), "Switch")
    assert (switch.checkable, switch.checked, switch.clickable) == (True, True, False)
    assert switch.resource_id == "android:id/switch_widget"
    titles = [(node.resource_id, node.text) for node in every(row) if node.text]
    assert titles == [("android:id/title", "Wi-Fi"), ("android:id/summary", "On")]


def test_an_empty_field_says_its_hint_and_a_password_says_bullets() -> None:
    empty = one(every(tree(Column(TextField("name", label="First name", id="first")))), "EditText")
    assert (empty.text, empty.hint, empty.clickable, empty.long_clickable, empty.editable) == (
        "First name",
        "First name",
        True,
        True,
        True,
    )
    field = Column(TextField("pin", label="PIN", kind="password"))
    secret = one(every(tree(field, LayoutState(fields={"pin": "1234"}, focus="pin"))), "EditText")
    assert (secret.text, secret.password, secret.focused) == ("••••", True, True)
    assert "1234" not in dump(field, LayoutState(fields={"pin": "1234"}))


def test_a_seek_bar_tells_its_value_as_a_float_in_the_uiautomator2_dump_only() -> None:
    node = Column(SliderItem("Volume", 30, 0, 100, ACT))
    parsed = ElementTree.fromstring(dump(node))
    (bar,) = [found for found in parsed.iter("node") if found.get("class") == "android.widget.SeekBar"]
    assert (bar.get("text"), bar.get("content-desc")) == ("30.0", "Volume")
    (stock,) = [
        f for f in ElementTree.fromstring(dump(node, u2=False)).iter("node") if f.get("class", "").endswith("SeekBar")
    ]
    assert stock.get("text") == ""


def test_only_a_list_that_is_too_long_is_scrollable_and_it_holds_no_rows_that_are_scrolled_away() -> None:
    long, short = (Scroll(*(ListItem(f"Row {number}") for number in range(count))) for count in (50, 3))
    listed = tree(long, LayoutState(scroll={"list": 640.0}))
    assert (listed.cls, listed.scrollable) == ("androidx.recyclerview.widget.RecyclerView", True)
    assert tree(short).scrollable is False
    texts = [node.text for node in every(listed) if node.text]
    assert texts[0] == "Row 10"
    assert "Row 0" not in texts


def test_bounds_are_clipped_to_what_shows_and_moved_with_the_window() -> None:
    placed = laid(
        Scaffold(top=TopBar("Title"), body=Scroll(*(ListItem(f"Row {n}") for n in range(50)))),
        LayoutState(scroll={"list": 20}),
    )
    (root,) = accessible(placed, "org.example", (10.0, 5.0), env(), LayoutState(), 3)
    first = next(node for node in every(root) if node.cls.endswith("LinearLayout") and node.children)
    assert first.bounds == (10, 64 + 5, 410, 108 + 5)
    assert {node.window for node in every(root)} == {3}
    found = placed.at(first.path)
    assert found is not None
    assert found.node.kind == "list_item"


def test_what_can_be_touched_without_any_label_is_marked() -> None:
    bare, named = (
        tree(Column(IconButton("close", on_tap=ACT))),
        tree(Column(IconButton("close", desc="Close", on_tap=ACT))),
    )
    assert unlabelled(bare.children[0])
    assert not unlabelled(named.children[0])
    assert '<node NAF="true" index="0"' in dump(Column(IconButton("close", on_tap=ACT)))
    assert not unlabelled(tree(Column(ListItem("Row", on_tap=ACT))).children[0])


def test_a_compressed_dump_leaves_out_plain_containers_only() -> None:
    node = Scaffold(body=Column(Box(Text("deep")), Button("Save", on_tap=ACT, enabled=False)))
    full, small = dump(node), dump(node, compressed=True)
    assert full.count("<node") > small.count("<node")
    assert 'text="deep"' in small
    assert re.findall(r'text="(Save)"[^>]*enabled="false"', small) == ["Save"]


def test_a_depth_limit_cuts_the_tree() -> None:
    node = Scaffold(body=Column(Column(Text("deep"))))
    assert dump(node, max_depth=2).count("<node") == 2
    assert 'text="deep"' not in dump(node, max_depth=3)
    assert 'text="deep"' in dump(node, max_depth=4)


def test_selected_and_disabled_states_are_told() -> None:
    tabs = tree(Column(ONE_OF_EACH["Tabs"]())).children[0].children
    assert [(tab.desc, tab.selected) for tab in tabs] == [("One", False), ("Two", True)]
    row = tree(Column(SwitchItem("Wi-Fi", False, ACT, enabled=False))).children[0]
    assert row.enabled is False
    assert one(every(row), "Switch").enabled is False
