"""How tree and OCR become one numbered list."""

from __future__ import annotations

from itertools import pairwise

import pytest
from dumps import PHONE, dump, node, row, text, window
from hypothesis import given
from hypothesis import strategies as st

from device.frame import Foreground
from device.geometry import Box
from perception.base import TextLine
from perception.merge import Merged, merge
from perception.screen import Source, TreeStatus
from perception.tree import Tree, parse

TITLES = ("Network & internet", "Connected devices", "Apps", "Notifications", "Battery", "Storage", "Display")


def line(left: int, top: int, right: int, bottom: int, written: str, score: float = 0.99) -> TextLine:
    return TextLine(Box.from_pixel(left, top, right, bottom, PHONE), written, score)


def tree(*windows: str) -> Tree:
    return parse(dump(*windows), PHONE, Foreground("org.example"))


def settings() -> Tree:
    return tree(window(*(row(300 + i * 200, title) for i, title in enumerate(TITLES))))


def read(*titles: str) -> list[TextLine]:
    return [line(175, 325 + i * 200, 400, 395 + i * 200, title) for i, title in enumerate(titles)]


def listed(merged: Merged) -> list[tuple[int, str, str, str]]:
    return [(e.mark, e.role, e.text, e.label) for e in merged.elements]


def test_text_seen_by_both_sources_is_one_element_of_both() -> None:
    merged = merge(PHONE, settings(), read(*TITLES))
    assert (merged.tree_status, merged.confirm_ratio) == (TreeStatus.FRESH, 1.0)
    assert [e.text for e in merged.elements] == list(TITLES)
    assert all(e.sources == {Source.TREE, Source.OCR} for e in merged.elements)


def test_small_reading_errors_and_capitals_still_confirm() -> None:
    merged = merge(
        PHONE, settings(), read("NETWORK & INTERNET", "Connected device5", "Apps", "Notificatlons", *TITLES[4:])
    )
    assert merged.confirm_ratio == 1.0


def test_a_tree_of_another_moment_is_stale_and_only_the_picture_counts() -> None:
    other = ("Photos", "Albums", "Library", "Search", "Sharing", "Memories", "Trash")
    merged = merge(PHONE, settings(), read(*other))
    assert merged.tree_status is TreeStatus.STALE
    assert merged.confirm_ratio == 0.0
    assert [e.text for e in merged.elements] == list(other)
    assert all(e.sources == {Source.OCR} and e.interactable for e in merged.elements)


def test_with_fewer_than_six_texts_the_share_says_nothing() -> None:
    few = tree(window(*(row(300 + i * 200, title) for i, title in enumerate(TITLES[:5]))))
    merged = merge(PHONE, few, read("Photos"))
    assert (merged.tree_status, merged.confirm_ratio) == (TreeStatus.FRESH, None)


def test_russian_texts_do_not_make_a_tree_stale() -> None:
    names = ("Настройки", "Сеть", "Экран", "Звук", "Память", "Батарея", "Язык")
    merged = merge(PHONE, tree(window(*(row(300 + i * 200, n) for i, n in enumerate(names)))), read("2"))
    assert (merged.tree_status, merged.confirm_ratio) == (TreeStatus.FRESH, None)


def test_without_ocr_the_tree_stands_alone() -> None:
    merged = merge(PHONE, settings(), None)
    assert (merged.tree_status, merged.confirm_ratio) == (TreeStatus.FRESH, None)
    assert len(merged.elements) == len(TITLES)


def test_with_neither_there_is_nothing_and_the_reason_stays() -> None:
    merged = merge(PHONE, None, (), tree_reason="an accessibility service is on")
    assert merged == Merged(
        elements=(), tree_status=TreeStatus.ABSENT, tree_reason="an accessibility service is on", confirm_ratio=None
    )


def test_ocr_names_what_the_tree_leaves_nameless() -> None:
    button = node((60, 900, 1020, 1020), clickable=True)
    merged = merge(PHONE, tree(window(button)), [line(400, 930, 680, 990, "Sign in")])
    assert listed(merged) == [(1, "button", "Sign in", "")]


def test_a_description_that_is_also_written_becomes_text_and_an_icon_does_not() -> None:
    written = node((60, 900, 1020, 1020), desc="Mandelbulb, 3D fractal", clickable=True)
    icon = node((60, 1100, 200, 1240), desc="Search", clickable=True)
    merged = merge(
        PHONE, tree(window(written, icon)), [line(100, 930, 500, 990, "Mandelbulb"), line(96, 1136, 164, 1204, "Q")]
    )
    assert listed(merged) == [(1, "button", "Mandelbulb", "Mandelbulb, 3D fractal"), (2, "button", "", "Search")]


def test_a_nameless_button_is_called_after_its_resource_id() -> None:
    ids = ("a.b:id/btn_search", "a.b:id/ivPlayPause", "a.b:id/0_resource_name_obfuscated", "a.b:id/a1")
    buttons = [node((i * 200, 900, i * 200 + 150, 1050), id=rid, clickable=True) for i, rid in enumerate(ids)]
    merged = merge(PHONE, tree(window(*buttons)), None)
    assert [e.label for e in merged.elements] == ["search", "play pause", "", ""]
    assert [e.confidence for e in merged.elements] == [0.8, 0.8, 1.0, 1.0]


def test_what_only_the_picture_shows_becomes_a_likely_element() -> None:
    web = node((0, 300, 1080, 2300), cls="android.webkit.WebView", scrollable=True)
    merged = merge(PHONE, tree(window(web)), [line(100, 1000, 400, 1060, "Add to cart")])
    assert listed(merged) == [(1, "list", "", ""), (2, "text", "Add to cart", "")]
    assert merged.elements[1].interactable
    assert merged.elements[1].confidence < 0.75


def test_lines_in_a_password_field_are_dropped() -> None:
    secret = node((60, 500, 1020, 650), cls="android.widget.EditText", password=True, hint="PIN", clickable=True)
    merged = merge(PHONE, tree(window(secret)), [line(100, 540, 400, 610, "hunter2")])
    assert listed(merged) == [(1, "text_field", "", "PIN")]
    assert merged.elements[0].password
    assert not any("hunter2" in repr(e) for e in merged.elements)


def test_a_label_drawn_on_the_edge_of_a_field_is_its_label() -> None:
    outlined = node((60, 500, 1020, 650), cls="android.widget.EditText", text="Ada", clickable=True)
    merged = merge(
        PHONE, tree(window(outlined)), [line(100, 480, 280, 520, "First name"), line(100, 550, 190, 610, "Ada")]
    )
    assert listed(merged) == [(1, "text_field", "Ada", "First name")]


def test_writing_dimmed_behind_a_dialog_is_no_element() -> None:
    ok = node((700, 1300, 900, 1400), cls="android.widget.Button", text="OK", clickable=True)
    dialog = window(text((150, 1000, 900, 1100), "Reset?"), ok, bounds=(100, 900, 980, 1450))
    merged = merge(PHONE, tree(dialog), [line(180, 400, 500, 460, "Network"), line(150, 1010, 400, 1090, "Reset?")])
    assert [e.text for e in merged.elements] == ["Reset?", "OK"]


def test_marks_count_in_reading_order_and_name_their_place() -> None:
    switch = node((900, 340, 1020, 440), cls="android.widget.Switch", checkable=True, clickable=True)
    top = node((0, 120, 150, 270), desc="Back", clickable=True)
    title = text((180, 160, 500, 230), "Settings")
    merged = merge(PHONE, tree(window(row(300, "Wi-Fi", "", switch), row(500, "Bluetooth"), title, top)), None)
    assert [e.name for e in merged.elements] == ["Back", "Settings", "Wi-Fi", "Wi-Fi", "Bluetooth"]
    assert [e.mark for e in merged.elements] == [1, 2, 3, 4, 5]


def test_at_most_sixty_and_mere_text_goes_first() -> None:
    buttons = [node((0, i * 40, 500, i * 40 + 36), text=f"B{i}", clickable=True) for i in range(55)]
    labels = [text((540, i * 40, 1000, i * 40 + 36), f"T{i}") for i in range(55)]
    merged = merge(PHONE, tree(window(*buttons, *labels)), None)
    assert len(merged.elements) == 60
    assert sum(e.interactable for e in merged.elements) == 55
    assert [e.mark for e in merged.elements] == list(range(1, 61))


def test_keys_last_while_what_they_name_changes() -> None:
    def screen(state: bool, content: str, battery: str) -> Tree:
        switch = node((900, 340, 1020, 440), cls="android.widget.Switch", checkable=True, checked=state)
        field = node((60, 900, 1020, 1050), cls="android.widget.EditText", text=content, hint="Name", id="a:id/name")
        return tree(
            window(row(300, "Dark theme", "On" if state else "Off", switch), row(500, "Battery", battery), field)
        )

    before = merge(PHONE, screen(False, "", "73 %"), None).elements
    after = merge(PHONE, screen(True, "Ada", "72 %"), None).elements
    assert [e.key for e in before] == [e.key for e in after]
    assert [e.states for e in before] != [e.states for e in after]


def test_equal_things_get_different_keys() -> None:
    merged = merge(PHONE, tree(window(*(row(300 + i * 200, "Follow") for i in range(3)))), None)
    assert [e.key for e in merged.elements] == ["list_item:Follow", "list_item:Follow#2", "list_item:Follow#3"]


boxes = st.tuples(st.integers(0, 1000), st.integers(0, 2300), st.integers(1, 400), st.integers(1, 300))


@given(st.lists(st.tuples(boxes, st.text(max_size=8), st.floats(0.5, 1)), max_size=40))
@pytest.mark.filterwarnings("default")
def test_whatever_lines_come_the_result_is_a_sound_screen(
    found: list[tuple[tuple[int, int, int, int], str, float]],
) -> None:
    lines = [line(x, y, x + w, y + h, written or "?", score) for (x, y, w, h), written, score in found]
    for source in (None, settings()):
        elements = merge(PHONE, source, lines).elements
        assert [e.mark for e in elements] == list(range(1, len(elements) + 1))
        assert len({e.key for e in elements}) == len(elements)
        assert all(e.box.contains(e.click) for e in elements)
        assert all(a.box.top - 0.2 < b.box.bottom for a, b in pairwise(elements))
