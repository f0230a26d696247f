"""Editing text, and what keys type."""

from __future__ import annotations

import pytest

from device.virtual import editing, keymap
from device.virtual.editing import Edit
from device.virtual.errors import UnmappedCharacter

FAMILY, FLAGS, THUMB = "👨‍👩‍👧", "🇩🇪🇫🇷", "👍🏽"


def test_text_goes_in_at_the_caret_and_replaces_a_selection() -> None:
    assert editing.insert(Edit("held", 2, 2), "llo wor") == Edit("hello world", 9, 9)
    assert editing.insert(Edit("hello", 1, 4), "e") == Edit("heo", 2, 2)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("abc", "ab"),
        ("é", ""),
        ("e\u0301", ""),
        ("a" + FAMILY, "a"),
        ("a" + THUMB, "a"),
        (FLAGS, "🇩🇪"),
        ("日本語", "日本"),
        ("1️⃣", ""),
        ("x❤️", "x"),
        ("", ""),
    ],
)
def test_backspace_takes_a_whole_grapheme(text: str, left: str) -> None:
    assert editing.delete_before(Edit.end_of(text)) == Edit.end_of(left)


def test_forward_delete_and_selections_go_at_once() -> None:
    assert editing.delete_after(Edit(THUMB + "b", 0, 0)) == Edit("b", 0, 0)
    assert editing.delete_before(editing.select_all(Edit.end_of("all of it"))) == Edit("", 0, 0)


def test_arrows_step_over_graphemes_and_extend_selections() -> None:
    edit = Edit.end_of("a" + FAMILY)
    assert editing.left(edit).caret == 1
    assert editing.right(Edit("a" + FAMILY, 1, 1)).caret == len(edit.text)
    picked = editing.left(edit, select=True)
    assert picked.selected == FAMILY
    assert editing.right(picked).caret == len(edit.text)
    assert editing.left(Edit("ab", 0, 0)).caret == 0


def test_graphemes_split_text_as_people_see_it() -> None:
    assert editing.graphemes("a" + FAMILY + FLAGS + "e\u0301") == ["a", FAMILY, "🇩🇪", "🇫🇷", "e\u0301"]


@pytest.mark.parametrize(
    ("code", "meta", "char"),
    [(29, 0, "a"), (54, keymap.META_SHIFT, "Z"), (9, 0, "2"), (9, keymap.META_SHIFT, "@"), (77, 0, "@"), (62, 0, " "),
     (74, keymap.META_SHIFT, ":"), (144, 0, "0"), (4, 0, "")],
)  # fmt: skip
def test_keys_type_what_the_us_key_map_says(code: int, meta: int, char: str) -> None:
    assert keymap.character(code, meta) == char


def test_every_printable_ascii_character_has_a_key_and_no_other_has() -> None:
    keymap.check_typable("".join(map(chr, range(32, 127))))
    with pytest.raises(UnmappedCharacter, match=r"U\+00E9"):
        keymap.check_typable("caf\u00e9")
