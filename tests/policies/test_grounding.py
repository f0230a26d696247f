"""Which element is meant: labels before details, touchable before not, switches, fields, and honest doubt."""

from __future__ import annotations

import pytest

from perception.screen import Screen, TreeStatus
from policies.grounding.naming import Match
from policies.grounding.targets import Unclear, Want, control_of, digest, find, state, tell_apart
from tests.policies.screens import element, listed, read, screen


def name_of(found: Match | Unclear | None) -> str:
    assert isinstance(found, Match), found
    return found.element.name.split("\n")[0]


def test_an_equal_name_wins_over_longer_ones_and_over_summaries() -> None:
    page = screen(
        *listed("Display size and text", "Accessibility\nDisplay, interaction, audio", "Display\nDark theme, font size")
    )
    found = find("Display", Want.TOUCH, page)
    assert isinstance(found, Match) and found.element.mark == 3 and found.score == 1.0


def test_the_row_is_meant_and_not_the_title_above_it() -> None:
    page = screen(element("Display", role="text", interactable=False), element("Display", row=2))
    found = find("Display", Want.TOUCH, page)
    assert isinstance(found, Match) and found.element.mark == 2


@pytest.mark.parametrize("weak", ["Old contact new", "Contakt"])
def test_a_mere_likeness_is_only_taken_when_everything_was_searched(weak: str) -> None:
    page = screen(*listed("Storage", weak))
    wanted = "new contact" if weak.startswith("Old") else "Contact"
    assert find(wanted, Want.TOUCH, page) is None
    assert name_of(find(wanted, Want.TOUCH, page, searched=True)) == weak


def test_a_part_of_a_name_is_sure_enough_to_tap_but_not_to_switch() -> None:
    page = screen(element("Bluetooth tethering", role="switch", states=("unchecked",)))
    assert name_of(find("Bluetooth", Want.TOUCH, page)) == "Bluetooth tethering"
    assert find("Bluetooth", Want.SWITCH, page) is None


@pytest.mark.parametrize("title", ["Display", "Display size", "Show display"])
def test_what_only_informs_is_the_last_resort(title: str) -> None:
    page = screen(element(title, role="text", interactable=False))
    assert find("Display", Want.TOUCH, page) is None
    assert find("Display", Want.TOUCH, page, searched=True) is None
    assert name_of(find("Display", Want.TOUCH, page, last=True)) == title


@pytest.mark.parametrize("state", ["blocked", "disabled"])
def test_what_cannot_be_touched_just_now_is_meant_all_the_same(state: str) -> None:
    page = screen(element("Save", role="button", states=(state,), interactable=False))
    assert name_of(find("Save", Want.TOUCH, page)) == "Save"


def test_by_sight_alone_a_part_of_a_name_is_not_sure() -> None:
    page = screen(read("System version"), read("Build nunber", row=1), tree=TreeStatus.ABSENT)
    assert find("System", Want.TOUCH, page) is None
    assert name_of(find("System", Want.TOUCH, page, searched=True)) == "System version"
    assert name_of(find("Build number", Want.TOUCH, page)) == "Build nunber"


def test_the_field_is_meant_and_not_the_writing_beside_it() -> None:
    page = screen(
        element("First name", role="text", interactable=False),
        element("", label="First name", role="text_field", row=1),
        element("First name", role="button", row=2),
    )
    found = find("First name", Want.FIELD, page)
    assert isinstance(found, Match) and found.element.mark == 2


def test_without_a_tree_the_writing_stands_for_the_field() -> None:
    found = find("First name", Want.FIELD, screen(read("First name"), tree=TreeStatus.ABSENT))
    assert isinstance(found, Match) and found.element.mark == 1


ROW_WITH_SWITCH = (
    element("Wi-Fi\nConnected", right=0.8),
    element("", label="Wi-Fi", role="switch", states=("checked",), left=0.8),
)


def test_of_a_row_and_its_own_switch_the_step_decides_which_is_touched() -> None:
    page = screen(*ROW_WITH_SWITCH)
    tapped, switched = find("Wi-Fi", Want.TOUCH, page), find("Wi-Fi", Want.SWITCH, page)
    assert isinstance(tapped, Match) and tapped.element.mark == 1
    assert isinstance(switched, Match) and switched.element.mark == 2


def test_a_nameless_switch_belongs_to_the_row_it_stands_in() -> None:
    page = screen(
        element("Wi-Fi", right=0.8),
        element("", role="switch", states=("checked",), left=0.8),
        element("Hotspot", row=1, right=0.8),
        element("", role="switch", states=("unchecked",), row=1, left=0.8),
    )
    found = find("Hotspot", Want.SWITCH, page)
    assert isinstance(found, Match) and found.element.mark == 4
    assert state(page.elements[0], page) is True
    assert state(page.elements[2], page) is False


def test_a_switch_of_another_name_in_the_same_row_is_not_taken() -> None:
    page = screen(element("Sounds", right=0.4), element("Vibrate", role="checkbox", states=("checked",), left=0.5))
    assert control_of(page.elements[0], page) is None
    assert state(page.elements[0], page) is None


def test_without_a_tree_no_state_is_known() -> None:
    page = screen(element("Dark theme", role="switch", states=("checked",)), tree=TreeStatus.STALE)
    assert state(page.elements[0], page) is None


def test_a_thing_within_a_thing_of_the_same_name_is_one_target() -> None:
    page = screen(element("Save", rows=2), element("Save", role="button", left=0.2, right=0.8))
    found = find("Save", Want.TOUCH, page)
    assert isinstance(found, Match) and found.element.mark == 2


TWINS: list[tuple[str, Screen, tuple[str, ...]]] = [
    (
        "by their details",
        screen(*listed("Alex Chen\nNova Labs", "Alex Chen\nHome")),
        ("Alex Chen, Nova Labs", "Alex Chen, Home"),
    ),
    (
        "by their fuller names",
        screen(*listed("Alex Chen", "Alex Kim")),
        ("Alex Chen", "Alex Kim"),
    ),
    (
        "by what stands beside them",
        screen(
            element("Home", right=0.6),
            element("Alex", role="button", left=0.7),
            element("Work", row=1, right=0.6),
            element("Alex", role="button", left=0.7, row=1),
        ),
        ("Alex, beside Home", "Alex, beside Work"),
    ),
    (
        "by what stands above them",
        screen(
            element("Favorites", role="text", interactable=False),
            element("Alex", row=1),
            element("Everybody", role="text", interactable=False, row=2),
            element("Alex", row=3),
        ),
        ("Alex, below Favorites", "Alex, below Everybody"),
    ),
    (
        "by their places, one above the other",
        screen(element("Alex"), element("Alex", row=3)),
        ("Alex, the upper one", "Alex, the lower one"),
    ),
    (
        "by their places, side by side",
        screen(element("Alex", right=0.4), element("Alex", left=0.6)),
        ("Alex, on the left", "Alex, on the right"),
    ),
    (
        "by their places, three of them",
        screen(*listed("Alex", "Alex", "Alex")),
        ("Alex, number 1 from the top", "Alex, number 2 from the top", "Alex, number 3 from the top"),
    ),
]


@pytest.mark.parametrize("how, page, options", TWINS, ids=[how for how, *_ in TWINS])
def test_equals_are_told_apart(how: str, page: Screen, options: tuple[str, ...]) -> None:
    found = find("Alex", Want.TOUCH, page)
    assert isinstance(found, Unclear)
    assert found.options == options


def test_equals_of_which_one_can_be_touched_are_no_question() -> None:
    page = screen(element("Save", interactable=False), element("Save", row=1))
    found = find("Save", Want.TOUCH, page)
    assert isinstance(found, Match) and found.element.mark == 2


def test_the_chosen_one_is_found_again_on_another_screen() -> None:
    before = screen(*listed("Alex\nHome", "Alex\nWork"))
    after = screen(element("Top"), *listed("Alex\nHome", "Alex\nWork"))
    found = find("Alex", Want.TOUCH, after, chosen=digest(before.elements[1]))
    assert isinstance(found, Match) and found.element.mark == 3


def test_a_digest_says_nothing_of_what_is_written() -> None:
    one = screen(element("María")).elements[0]
    assert "María" not in digest(one) and len(digest(one)) == 12


def test_more_twins_than_one_can_remember_are_cut() -> None:
    found = find("Alex", Want.TOUCH, screen(*listed(*["Alex"] * 10)))
    assert isinstance(found, Unclear) and len(found.options) == len(found.candidates) == 6
    assert tell_apart(found.candidates, screen(*listed(*["Alex"] * 10))) == found.options
