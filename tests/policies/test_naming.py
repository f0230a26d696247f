"""How well a name fits the words: tables of pairs, and the order of the kinds of fit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.screen import Source
from policies.grounding.naming import Fit, compare, match, matches, nearest_names, normalise, shows, spoken_name
from tests.policies.screens import element, listed, screen


@pytest.mark.parametrize(
    "wanted, name, fit",
    [
        ("Display", "Display", Fit.EXACT),
        ("display", "DISPLAY", Fit.EXACT),
        ("Wi-Fi", "WiFi", Fit.EXACT),
        ("Wi-Fi", "Wi\u2011Fi", Fit.EXACT),
        ("wi fi", "Wi-Fi", Fit.EXACT),
        ("Network and internet", "Network & internet", Fit.EXACT),
        ("Dont allow", "Don’t allow", Fit.EXACT),
        ("ＡＢＣ", "abc", Fit.EXACT),
        ("Maria", "María", Fit.EXACT),
        ("%", "%", Fit.EXACT),
        ("Display", "Display size and text", Fit.PREFIX),
        ("系统", "系统更新", Fit.PREFIX),
        ("theme", "Dark theme", Fit.PHRASE),
        ("更新", "系统更新", Fit.PHRASE),
        ("contact new", "New contact", Fit.WORDS),
        ("Dark theme mode", "Dark theme", Fit.PART),
        ("Dispaly", "Display", Fit.FUZZY),
        ("Kontacts", "Contacts", Fit.FUZZY),
    ],
)
def test_names_fit_in_a_stated_way(wanted: str, name: str, fit: Fit) -> None:
    found = compare(wanted, name)
    assert found is not None and found[1] is fit


@pytest.mark.parametrize(
    "wanted, name",
    [
        ("Display", "Storage"),
        ("Photo 1", "Photo 2"),
        ("install", "Uninstall"),
        ("Allow", "Don't allow"),
        ("允许", "不允许"),
        ("on", "off"),
        ("Add", "Ads"),
        ("art", "Start"),
        ("%", "#"),
        ("", "Display"),
    ],
)
def test_names_that_mean_something_else_do_not_fit(wanted: str, name: str) -> None:
    assert compare(wanted, name) is None


def test_the_kinds_of_fit_come_in_this_order() -> None:
    wanted = "Dark theme mode"
    names = [
        "Dark theme mode",
        "Dark theme mode now",
        "The dark theme mode",
        "Mode: theme, dark",
        "Dark theme",
        "Dark thene modi",
    ]
    found = matches(wanted, screen(*listed(*reversed(names))))
    assert [one.element.text for one in found] == names
    assert [one.fit for one in found] == [Fit.EXACT, Fit.PREFIX, Fit.PHRASE, Fit.WORDS, Fit.PART, Fit.FUZZY]
    assert len({one.score for one in found}) == len(found)


@given(st.text(max_size=20), st.text(max_size=20))
def test_scores_lie_between_none_and_one_and_only_equal_names_have_one(wanted: str, name: str) -> None:
    found = compare(wanted, name)
    if found is not None:
        assert 0 < found[0] <= 1
        assert (found[0] == 1.0) == (normalise(wanted).replace(" ", "") == normalise(name).replace(" ", ""))


@given(st.text(min_size=1, max_size=20))
def test_every_name_fits_itself_exactly(name: str) -> None:
    assert compare(name, name) == (1.0, Fit.EXACT) or not normalise(name)


def test_the_right_accents_win_over_none() -> None:
    found = matches("María", screen(*listed("Maria", "María")))
    assert [one.element.text for one in found] == ["María", "Maria"]
    assert [one.score for one in found] == [1.0, 0.97]


def test_a_letter_that_the_picture_has_wrong_is_nearly_as_good_as_a_part_of_the_name() -> None:
    seen = element("Notificat1ons", source=Source.OCR)
    assert match("Notificatlons", seen) is None, "digits are not letters"
    seen = element("Notificatlons", source=Source.OCR)
    found = match("Notifications", seen)
    assert found is not None and found.fit is Fit.MISREAD and found.score >= 0.8


def test_a_summary_is_no_name() -> None:
    assert match("brightness", element("Display\nDark theme, font size, brightness")) is None
    whole_line = match("Dark theme, font size", element("Display\nDark theme, font size"))
    assert whole_line is not None and whole_line.fit is Fit.DETAIL


def test_a_field_is_called_by_its_label_not_by_its_content() -> None:
    field = element("Display", label="Search settings", role="text_field")
    assert match("Search settings", field) is not None
    found = match("Display", field)
    assert found is not None and found.fit is Fit.DETAIL
    assert spoken_name(field) == "Search settings"


def test_a_field_without_label_is_called_by_its_hint_but_never_spoken() -> None:
    field = element("Search settings", role="text_field")
    found = match("Search settings", field)
    assert found is not None and found.fit is Fit.EXACT
    assert spoken_name(field) == "the field"


def test_what_cannot_be_touched_scores_a_little_less() -> None:
    title = match("Display", element("Display", role="text", interactable=False))
    assert title is not None and title.score == 0.95 and title.fit is Fit.EXACT


@pytest.mark.parametrize(
    "wanted, there", [("font size", True), ("Display", True), ("Saved", False), ("Displax", False)]
)
def test_what_is_written_anywhere_counts_as_shown(wanted: str, there: bool) -> None:
    page = screen(element("Display\nDark theme, font size"), element("Back", role="button", row=1))
    assert (shows(wanted, page) is not None) is there


def test_what_lies_under_the_keyboard_and_what_a_password_field_holds_is_not_shown() -> None:
    page = screen(
        element("Saved", states=("blocked",), interactable=False),
        element("secret", label="Password", role="text_field", password=True, row=1),
    )
    assert shows("Saved", page) is None
    assert shows("secret", page) is None


def test_the_nearest_names_are_names_and_at_most_five() -> None:
    page = screen(
        *listed("Storage", "Displays", "Battery", "Sound", "Apps", "Display size\nmore"),
        element("typed", label="Search", role="text_field", row=8),
        element("", role="image", row=9),
    )
    near = nearest_names("Display", page)
    assert set(near[:2]) == {"Displays", "Display size"}
    assert len(near) == 5
    assert "typed" not in near
