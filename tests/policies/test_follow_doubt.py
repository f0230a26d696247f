"""What `follow` does when it is not sure: equals, acts without effect, uncertain acts, strange histories."""

from __future__ import annotations

import json

import pytest

from device.base import Answer
from policies.base import Decision, Finish, Observation, Status, Turn
from policies.errors import PolicyError, UnreadableTask
from policies.follow import Follow
from policies.follow.replies import RETRY, SKIP, STOP
from tests.policies.phone import decide, live
from tests.policies.screens import element, listed, screen
from tests.policies.test_grammar import DEMO
from tests.policies.world import complete, impossible, phone


@pytest.mark.parametrize(
    "reply, page",
    [
        ("the second", "mine"),
        ("2", "mine"),
        ("second", "mine"),
        ("number two", "mine"),
        ("第二个", "mine"),
        ("Alex Chen, Home", "mine"),
        ("home", "mine"),
        ("the last one", "mine"),
        ("first", "nova"),
        ("第一个", "nova"),
        ("the Nova one", "nova"),
    ],
)
def test_of_two_equals_the_person_chooses(reply: str, page: str) -> None:
    world = phone(at="contacts")
    episode = live("tap Alex Chen", world, [reply])
    (asked,) = episode.questions
    assert asked.prompt == "2 things fit Alex Chen. Which one?"
    assert asked.options == ("Alex Chen, Nova Labs", "Alex Chen, Home")
    assert world.at == page
    assert episode.thoughts[-1] == "Tapping Alex Chen, as you chose."


def test_an_unclear_reply_is_asked_once_more_and_then_nothing_is_guessed() -> None:
    world = phone(at="contacts")
    complete(live("tap Alex Chen", world, ["the blue one", "2"]))
    assert world.at == "mine"
    world = phone(at="contacts")
    episode = live("tap Alex Chen", world, ["the blue one", "the ninth"])
    assert episode.questions[1].prompt == "I did not understand that. 2 things fit Alex Chen. Which one?"
    assert "did not understand" in impossible(episode) and world.acts == []


def test_no_reply_ends_the_run_without_an_act() -> None:
    world = phone(at="contacts")
    assert "nobody answered" in impossible(live("tap Alex Chen", world))
    assert world.acts == []


@pytest.mark.parametrize("reply", ["skip", "跳过"])
def test_a_choice_may_be_skipped(reply: str) -> None:
    assert complete(live("tap Alex Chen, go home", phone(at="contacts"), [reply])).startswith("1 of 2 steps are done")


# What became of an act


def test_a_tap_that_changes_nothing_is_looked_at_again_and_then_asked_about() -> None:
    world = phone(at="broken")
    episode = live("tap Dead end, tap Next", world, [SKIP])
    assert episode.acts == ["tap Dead end", "wait", "tap Next"]
    assert episode.questions[0].prompt == "I tapped Dead end, but nothing has changed. What now?"
    assert episode.questions[0].options == (RETRY, SKIP, STOP)
    assert complete(episode) == "1 of 2 steps are done; 1 skipped as you said."


def test_a_retry_is_the_persons_decision_and_is_counted() -> None:
    episode = live("tap Dead end", phone(at="broken"), ["again", "重试", "3"])
    assert episode.acts == ["tap Dead end", "wait"] * 3
    assert "This was try 3." in episode.questions[2].prompt
    assert "you stopped here" in impossible(episode)


def test_a_field_that_takes_no_focus_is_asked_about_and_nothing_is_typed() -> None:
    episode = live("type hello into Title", phone(at="broken"), [STOP])
    assert episode.acts == ["tap Title", "wait"]
    assert "does not take text" in episode.questions[0].prompt


def test_the_same_text_typed_again_changes_nothing_and_is_done() -> None:
    world = phone(at="search", focus="query", texts={"query": "hello"})
    assert live("type hello into Search here", world).acts == ["type_text Search here"]


@pytest.mark.parametrize(
    "role, states, done",
    [("tab", ["selected"], True), ("radio", ["checked"], True), ("text_field", ["focused"], True), ("tab", [], False)],
)
def test_a_tap_on_what_is_chosen_already_changes_nothing_and_is_done(role: str, states: list[str], done: bool) -> None:
    text, label = ("", "Alarms") if role == "text_field" else ("Alarms", "")
    page = screen(element(text, label=label, role=role, states=states))
    first = decide(Follow(), Observation(goal="tap Alarms", screen=page))
    turn = Turn(step=1, decision=first, sent=Answer.YES, changed=Answer.NO)
    then = decide(Follow(), Observation(goal="tap Alarms", screen=page, history=(turn,)))
    assert isinstance(then.choice, Finish) is done


def test_an_app_that_is_open_already_and_home_at_home_are_done() -> None:
    assert live("go home, open Home, wait 2 seconds", phone()).questions == []


def test_a_key_that_changes_nothing_is_asked_about() -> None:
    episode = live("go back", phone(), [SKIP])
    assert episode.questions[0].prompt == "I pressed back, but nothing has changed. What now?"


def test_an_act_that_never_left_is_told_with_its_reason() -> None:
    episode = live("open Nothing", phone(refused={"open_app": "There is no such app."}), [STOP])
    assert episode.questions[0].prompt == "I could not open Nothing. There is no such app. What now?"
    assert episode.acts == ["open_app"]


def test_an_uncertain_act_whose_aim_is_seen_counts() -> None:
    world = phone(at="edit", uncertain={"tap": True, "type_text": True})
    assert complete(live("type María into First name, tap Save", world))
    assert world.texts == {"first": "María"} and world.at == "saved"
    world = phone(at="display", uncertain={"tap": True})
    assert live("turn on Dark theme", world).questions == []
    world = phone(uncertain={"open_app": True})
    assert live("open Settings", world).questions == []


@pytest.mark.parametrize(
    "goal, at, kind, prompt",
    [
        ("tap Next", "broken", "tap", "It is not certain whether I tapped Next. What now?"),
        ("turn on Dark theme", "display", "tap", "It is not certain whether I turned on Dark theme. What now?"),
        ("type hello into Title", "notes", "tap", "It is not certain whether I tapped Title. What now?"),
        ("type hello", "search", "type_text", "It is not certain whether I typed the text. What now?"),
        ("open Settings", "home", "open_app", "It is not certain whether I opened Settings. What now?"),
    ],
)
def test_an_uncertain_act_whose_aim_is_not_seen_is_asked_about(goal: str, at: str, kind: str, prompt: str) -> None:
    world = phone(at=at, uncertain={kind: False})
    episode = live(goal, world, [STOP])
    assert [question.prompt for question in episode.questions] == [prompt]
    assert len([act for act in episode.acts if act.startswith(kind)]) == 1, "never sent twice"


# The contract


def test_an_unreadable_task_is_refused_before_and_during_the_run() -> None:
    with pytest.raises(UnreadableTask):
        Follow().check("sing")
    with pytest.raises(UnreadableTask):
        decide(Follow(), Observation(goal="sing", screen=screen()))
    Follow().check(DEMO)


def test_turns_of_others_in_the_history_are_passed_over() -> None:
    first = decide(Follow(), Observation(goal="tap A, tap B", screen=screen(*listed("A", "B"))))
    mine = Turn(step=1, decision=first, sent=Answer.YES, changed=Answer.YES)
    other = Turn(step=2, decision=Decision(choice=first.choice, memo="taken over by a person"))
    seen = Observation(goal="tap A, tap B", screen=screen(*listed("A", "B")), history=(mine, other))
    assert decide(Follow(), seen).thought == "Tapping B, which matches exactly."


@pytest.mark.parametrize(
    "memo", ["", "[]", '{"step": "one"}', '{"phase": "dancing"}', '{"steps": 1}', '{"step": true}']
)
def test_a_history_that_is_not_ours_is_an_error_and_not_a_fresh_start(memo: str) -> None:
    strange = Turn(step=1, decision=Decision(choice=Finish(status=Status.COMPLETE), memo=memo))
    with pytest.raises(PolicyError, match="no decision of the policy follow"):
        decide(Follow(), Observation(goal="tap A", screen=screen(*listed("A")), history=(strange,)))


def test_the_memo_holds_the_step_the_phase_the_tries_and_the_scrolls() -> None:
    episode = live("tap Display, go back, tap About phone", phone(at="settings"))
    memos = [json.loads(turn.decision.memo) for turn in episode.turns]
    assert memos[0] == {"phase": "acted", "tries": 1}
    assert memos[1] == {"step": 1, "phase": "acted", "tries": 1}
    assert memos[3] == {"step": 2, "phase": "search", "down": 2}
