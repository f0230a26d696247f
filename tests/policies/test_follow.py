"""Whole episodes of `follow` on phones of pure data, every decision rebuilt from the history."""

from __future__ import annotations

import pytest

from device.actions import LongPress, Swipe, TypeText
from device.base import Answer
from policies.base import Finish, Observation, Turn
from policies.follow import Follow
from tests.policies.phone import Phone, Row, decide, live
from tests.policies.screens import element, listed, screen
from tests.policies.test_grammar import DEMO
from tests.policies.world import PAGES, complete, impossible, phone


def test_the_demo_is_done_step_by_step() -> None:
    world = phone()
    episode = live(DEMO, world)
    assert complete(episode) == "All 10 steps are done."
    assert world.on == {"dark"}
    assert world.texts == {"first": "María", "last": "García-张伟", "phone": "+34 600 555 0123"}
    assert world.at == "saved"
    assert episode.acts == [
        "open_app",
        "tap Display",
        "tap Dark theme",
        "press_key",
        "open_app",
        "tap Create contact",
        "tap First name",
        "type_text First name",
        "tap Last name",
        "type_text Last name",
        "press_key",
        "tap Phone",
        "type_text Phone",
        "tap Save",
    ]
    assert episode.questions == []


def test_the_demo_is_done_by_sight_alone() -> None:
    world = phone(tree=False)
    assert complete(live(DEMO, world)) == "All 10 steps are done."
    assert world.on == {"dark"} and world.at == "saved"
    assert world.texts["first"] == "María" and world.texts["phone"] == "+34 600 555 0123"


def test_a_thought_says_what_was_taken_and_how_well_it_fits() -> None:
    episode = live("open Settings, tap Display, tap dark", phone())
    assert "Tapping Display, which matches exactly." in episode.thoughts
    assert "Tapping Dark theme, which begins with the words, a match of 88%." in episode.thoughts[-1:]
    assert episode.turns[1].decision.summary == "Step 2 of 3: tap Display."


def test_a_text_field_that_has_the_focus_is_not_tapped_again() -> None:
    episode = live("type Ada into First name, type Bo into First name", phone(at="edit"))
    assert episode.acts == ["tap First name", "type_text First name", "type_text First name"]


def test_typing_replaces_what_is_in_the_named_field_and_adds_where_the_cursor_is() -> None:
    world = phone(at="edit", texts={"first": "Old"})
    complete(live("type New into First name, type er", world))
    assert world.texts["first"] == "Newer"
    typed = [act for act in world.acts if isinstance(act, TypeText)]
    assert [act.replace for act in typed] == [True, False]


def test_without_a_name_the_only_field_is_taken() -> None:
    world = phone(at="search")
    assert live("type hello", world).acts == ["tap Search here", "type_text Search here"]
    assert world.texts == {"query": "hello"}


def test_without_a_name_and_with_several_fields_the_person_chooses() -> None:
    world = phone(at="notes")
    episode = live("type hello", world, ["the second"])
    assert episode.questions[0].options == ("Message", "Title")
    assert world.texts == {"title": "hello"}


def test_a_field_named_by_the_last_words_of_the_text_is_a_question() -> None:
    both = "type call me in Title"
    asked = live(both, phone(at="notes"), ["1"]).questions[0]
    assert asked.prompt == "Do the last words belong to the text, or is Title the field?"
    world = phone(at="notes")
    complete(live(both, world, ["Type into Title"]))
    assert world.texts == {"title": "call me"}
    world = phone(at="notes", focus="message")
    complete(live(both, world, ["the first"]))
    assert world.texts == {"message": "call me in Title"}
    world = phone(at="search")
    assert live(both, world).questions == []
    assert world.texts == {"query": "call me in Title"}


def test_a_field_is_cleared() -> None:
    world = phone(at="edit", texts={"first": "Old", "last": "Name"})
    assert live("clear the First name field", world).acts == ["tap First name", "clear_text First name"]
    assert world.texts == {"first": "", "last": "Name"}


def test_a_field_under_the_keyboard_is_uncovered_once() -> None:
    world = phone(at="edit", keyboard=True, focus="first")
    assert live("type 0123 into Phone", world).acts == ["press_key", "tap Phone", "type_text Phone"]


def test_back_is_not_pressed_where_the_phone_says_that_there_is_no_keyboard() -> None:
    covered = element("Save", states=("blocked",), interactable=False)
    decision = decide(Follow(), Observation(goal="tap Save", screen=screen(covered, keyboard=False)))
    assert decision.thought == "Save is covered. What now?"


def test_a_disabled_target_is_told_and_not_touched() -> None:
    save = element("Save", role="button", states=("disabled",), interactable=False)
    decision = decide(Follow(), Observation(goal="tap Save", screen=screen(save)))
    assert decision.thought == "Save is there, but it is disabled. What now?"
    wifi = element("Wi-Fi", role="switch", states=("disabled", "checked"), interactable=False)
    done = decide(Follow(), Observation(goal="turn on Wi-Fi", screen=screen(wifi)))
    assert done.thought == "Wi-Fi is already on. The step is done."


def test_the_title_of_a_page_is_no_target_while_anything_is_left_to_look_through() -> None:
    deep = dict(PAGES) | {
        "settings": [Row("Display", text_only=True), Row("Navigate up", go="top")],
        "top": PAGES["settings"],
    }
    world = phone(pages=deep)
    complete(live("open Settings, tap Display", world))
    assert world.at == "display"


@pytest.mark.parametrize("keyboard", [True, None])
def test_back_is_pressed_where_a_keyboard_covers_the_target(keyboard: bool | None) -> None:
    covered = element("Save", states=("blocked",), interactable=False)
    decision = decide(Follow(), Observation(goal="tap Save", screen=screen(covered, keyboard=keyboard)))
    assert decision.thought == "Putting the keyboard away, which may hide Save."


def test_a_long_touch_holds() -> None:
    world = phone(at="gallery")
    complete(live("long-press Beach, tap Share", world))
    assert isinstance(world.acts[0], LongPress)


# Switches


@pytest.mark.parametrize("goal, on", [("turn on Dark theme", {"dark"}), ("turn off Dark theme", set())])
def test_a_switch_that_is_right_already_is_left_alone(goal: str, on: set[str]) -> None:
    world = phone(at="display", on=set(on))
    word = "on" if on else "off"
    assert complete(live(goal, world)) == f"Dark theme is already {word}. The step is done."
    assert world.acts == [] and world.on == on


def test_a_step_without_an_act_goes_on_to_the_next_in_the_same_decision() -> None:
    world = phone(at="display", on={"dark"})
    episode = live("turn on Dark theme, turn on Dark theme, go home", world)
    assert episode.acts == ["press_key"]
    assert episode.thoughts == ["Dark theme is already on. Dark theme is already on. Pressing home."]


def test_a_switch_that_takes_its_time_is_looked_at_again_and_not_touched_again() -> None:
    world = phone(at="display")
    assert live("turn on Night light", world).acts == ["tap Night light", "wait"]
    assert world.on == {"night"}


def test_a_switch_that_stays_off_is_a_question() -> None:
    world = phone(at="broken")
    episode = live("turn on Dark theme", world, ["stop"])
    assert episode.acts == ["tap Dark theme", "wait"]
    assert episode.questions[0].prompt == "I tapped Dark theme, but it is still off. What now?"
    assert impossible(episode) == "Step 1, turn on Dark theme: you stopped here."


def test_a_row_that_leads_to_its_switch_is_followed_to_the_switch() -> None:
    world = phone(at="settings")
    pages = dict(PAGES) | {"location": [Row("Location", switch="location")]}
    world.pages = pages
    assert live("turn on Location", world).acts == ["tap Location", "tap Location"]
    assert world.on == {"location"}


def test_after_a_switch_on_a_page_of_its_own_the_page_above_is_looked_through_too() -> None:
    pages = {
        "home": [Row("Wi-Fi", go="wifi"), Row("Airplane mode", switch="plane")],
        "wifi": [Row("Navigate up", go="home"), Row("Wi-Fi", switch="wifi")],
    }
    world = phone(pages=pages)
    complete(live("turn on Wi-Fi, turn on Airplane mode", world))
    assert world.on == {"wifi", "plane"}


def test_without_a_tree_a_switch_is_touched_once_and_believed() -> None:
    world = phone(at="display", tree=False)
    assert live("turn on Dark theme", world).acts == ["tap Dark theme"]


# Searching


def test_what_is_further_down_is_scrolled_to() -> None:
    world = phone(at="settings")
    episode = live("tap About phone", world)
    assert episode.acts == ["swipe"] * 5 + ["tap About phone"]
    assert all(isinstance(act, Swipe) and act.start.y > act.end.y for act in world.acts[:-1])
    assert world.at == "about"


def test_what_is_further_up_is_found_on_the_way_back() -> None:
    world = phone(at="settings", offset=20)
    complete(live("tap Display", world))
    assert world.at == "display"


def test_what_is_nowhere_is_named_with_its_nearest_names() -> None:
    world = phone(at="settings")
    episode = live("open Settings, tap Quantum mode", world)
    reason = impossible(episode)
    assert reason.startswith(
        "Step 2, tap Quantum mode: “Quantum mode” is not there. The nearest names on the screen are: "
    )
    assert reason.count(",") == 1 + 4
    assert len([act for act in world.acts if isinstance(act, Swipe)]) <= 24
    assert world.offset == 0, "the search ends at the top"


def test_a_search_gives_up_after_eight_swipes_down_where_changes_cannot_be_seen() -> None:
    history: list[Turn] = []
    page = screen(*listed("Storage", "Battery"))
    while len(history) < 60:
        decision = decide(Follow(), Observation(goal="tap Quantum mode", screen=page, history=tuple(history)))
        if isinstance(decision.choice, Finish):
            break
        history.append(Turn(step=len(history) + 1, decision=decision, sent=Answer.YES))
    down = [turn for turn in history if isinstance(act := turn.decision.choice, Swipe) and act.start.y > act.end.y]
    assert len(down) == 8
    assert len(history) == 8 + 16


def test_an_app_that_opens_on_a_deeper_page_is_gone_up_to_its_first() -> None:
    deep = dict(PAGES) | {"settings": [Row("Model"), Row("Navigate up", go="system")]}
    deep |= {"system": [Row("About", go="settings"), Row("Navigate up", go="top")], "top": PAGES["settings"]}
    world = phone(pages=deep)
    episode = live("open Settings, tap Display", world)
    assert [act for act in episode.acts if act != "swipe"] == [
        "open_app",
        "tap Navigate up",
        "tap Navigate up",
        "tap Display",
    ]
    assert world.at == "display"


def test_only_what_follows_the_opening_goes_up_and_never_through_a_cross() -> None:
    deep = dict(PAGES) | {"settings": [Row("Model", go="saved"), Row("Navigate up", go="home")]}
    assert "tap Navigate up" not in live("tap Display", phone(pages=deep, at="settings")).acts
    assert "tap Navigate up" not in live("open Settings, check that Display is shown", phone(pages=deep)).acts
    deep["settings"] = [Row("Close", go="home")]
    assert "tap Close" not in live("open Settings, tap Display", phone(pages=deep)).acts


def test_an_arrow_that_leads_nowhere_is_touched_once() -> None:
    deep = dict(PAGES) | {"settings": [Row("Navigate up", deaf=True)]}
    episode = live("open Settings, tap Display", phone(pages=deep))
    assert episode.acts.count("tap Navigate up") == 1
    assert "“Display” is not there" in impossible(episode)


def test_a_likeness_is_taken_only_after_a_search() -> None:
    world = phone(at="settings")
    episode = live("tap Abuot phone", world)
    assert world.at == "about"
    assert episode.thoughts[-1] == "Tapping About phone, which is spelt alike, a match of 60%."


def test_an_empty_screen_is_said_to_be_empty() -> None:
    world = Phone({"home": []})
    assert "nothing to read" in impossible(live("tap Save", world))


@pytest.mark.parametrize("goal", ["check that Model is shown", "check that Tapwright One is shown"])
def test_a_check_of_what_is_shown_needs_no_act(goal: str) -> None:
    world = phone(at="about")
    assert "is shown. The step is done." in complete(live(goal, world))
    assert world.acts == []


def test_a_check_scrolls_and_then_says_that_it_is_not_there() -> None:
    world = phone(at="settings")
    complete(live("check that Entry z is shown", world))
    reason = impossible(live("check that Saved is shown", phone(at="about")))
    assert reason.startswith("Step 1, check that Saved is shown: “Saved” is not there.")


def test_scrolling_to_a_name_stops_where_it_is_in_view() -> None:
    world = phone(at="settings")
    assert complete(live("scroll down to Entry z", world)) == "Entry z is in view. The step is done."
    assert complete(live("scroll up to Network", world)) == "Network is in view. The step is done."
    assert "not there" in impossible(live("scroll up to Nowhere", world))


def test_scrolling_to_the_end_stops_where_nothing_moves() -> None:
    world = phone(at="settings")
    complete(live("scroll to the bottom", world))
    assert world.offset == len(PAGES["settings"]) - world.visible
    complete(live("scroll to the top", world))
    assert world.offset == 0


def test_scrolling_to_an_end_that_never_comes_is_given_up_and_said_so() -> None:
    world = phone(pages=dict(PAGES) | {"feed": [Row(f"Post {n}") for n in range(500)]}, at="feed")
    assert complete(live("scroll to the bottom", world)) == "I stop after 20 swipes. The step is done."


def test_one_swipe_is_one_swipe_and_may_change_nothing() -> None:
    world = phone(at="about")
    assert live("scroll down, swipe left", world).acts == ["swipe", "swipe"]
