"""What the client itself reads in an accessibility dump."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from device.adb import tree
from device.adb.tree import Field

RECORDED = Path(__file__).parents[2] / "recorded"


def dump(*nodes: str) -> str:
    return f'<?xml version="1.0"?>\r\n<hierarchy rotation="0">{"".join(nodes)}</hierarchy>'


def node(**attributes: str) -> str:
    given = {"class": "android.widget.EditText", "focused": "false", **attributes}
    return "<node " + " ".join(f'{name.replace("_", "-")}="{value}"' for name, value in given.items()) + " />"


def test_the_focused_field_is_the_editable_one_with_the_focus() -> None:
    page = node(**{"class": "android.webkit.WebView"}, focused="true", text="page")
    xml = dump(page, node(text="one"), node(text="two", focused="true"))
    field = tree.focused_field(xml)
    assert field is not None and field.text == "two"


def test_no_focus_is_no_field() -> None:
    assert tree.focused_field(dump(node(text="one"))) is None
    assert tree.focused_field("") is None


def test_a_hint_is_not_what_the_field_holds() -> None:
    assert tree.focused_field(dump(node(text="Search", hint="Search", focused="true"))) == Field(
        class_name="android.widget.EditText", text="", hint="Search", name="Search"
    )


def test_a_password_field_says_so() -> None:
    field = tree.focused_field(dump(node(text="•••", password="true", focused="true")))
    assert field is not None and field.password and tree.hidden(field.text)


def test_fields_are_named_by_hint_description_or_id_and_never_by_contents() -> None:
    xml = dump(
        node(text="secret one", hint="Name"),
        node(text="secret two", content_desc="Street"),
        node(text="secret three", resource_id="com.a:id/town"),
        node(text="secret four"),
    )
    assert tree.field_names(xml) == ("Name", "Street", "town")


def test_references_are_read_as_characters_also_in_surrogate_pairs() -> None:
    field = tree.focused_field(dump(node(text="a&amp;b &lt;&#10;&#x4f60; &#55357;&#56397;", focused="true")))
    assert field is not None and field.text == "a&b <\n你 👍"


def test_half_a_surrogate_is_a_replacement_character() -> None:
    field = tree.focused_field(dump(node(text="x&#55357;y&#9999999;", focused="true")))
    assert field is not None and field.text == "x\ufffdy\ufffd"


@given(text=st.text(), hint=st.text())
def test_any_text_gives_a_value(text: str, hint: str) -> None:
    for xml in (text, dump(f'<node class="EditText" focused="true" text="{text}" hint="{hint}" />')):
        tree.focused_field(xml)
        tree.field_names(xml)


def test_every_truncation_of_a_recorded_dump_gives_a_value() -> None:
    xml = (RECORDED / "avc_uiautomator_dump_api27.xml").read_text()
    for end in range(0, len(xml), 97):
        tree.focused_field(xml[:end])
        tree.field_names(xml[:end])
