from __future__ import annotations

from datetime import UTC, datetime

import pytest

from agent_server.runs import answers
from agent_server.runs.model import Option, Question, QuestionKind

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def question(kind: QuestionKind, *labels: str) -> Question:
    options = tuple(Option(id=str(i), label=label) for i, label in enumerate(labels, 1))
    return Question(
        id="q",
        run_id="r",
        step=1,
        kind=kind,
        prompt="?",
        speak="?",
        lang="en",
        options=options,
        asked_at=NOW,
        deadline=NOW,
    )


APPROVAL = question(QuestionKind.APPROVAL, "Yes", "No")
PHONES = question(QuestionKind.CHOICE, "Home, 555 0100", "Work, 555 0199", "Mobile of the blue car")


@pytest.mark.parametrize(
    "said", ["yes", "Yes.", " YES! ", "ok", "Okay", "sure", "go ahead", "allow", "是", "好的。", "可以", "同意", "允许"]
)
def test_a_yes_in_many_words(said: str) -> None:
    assert answers.read(said, APPROVAL) == "allow"


@pytest.mark.parametrize(
    "said", ["no", "No!", "nope", "don't", "Don’t", "cancel", "never", "不", "不要", "不可以", "拒绝", "取消"]
)
def test_a_no_in_many_words(said: str) -> None:
    assert answers.read(said, APPROVAL) == "deny"


@pytest.mark.parametrize("said", ["", "  ", "maybe", "yes and no", "yesterday", "the second", "know", "不知道", "1"])
def test_what_is_not_clearly_yes_or_no_is_not_taken_for_either(said: str) -> None:
    with pytest.raises(answers.NotClear, match="yes or no"):
        answers.read(said, APPROVAL)


@pytest.mark.parametrize(
    ("said", "chosen"),
    [
        ("1", "1"),
        ("2.", "2"),
        ("the first", "1"),
        ("The second one, please", "2"),
        ("second", "2"),
        ("2nd", "2"),
        ("number three", "3"),
        ("option 3", "3"),
        ("the last one", "3"),
        ("第一个", "1"),
        ("第二", "2"),
        ("第三项", "3"),
        ("二", "2"),
        ("选2", "2"),
        ("最后一个", "3"),
        ("Work, 555 0199", "2"),
        ("work, 555 0199", "2"),
        ("the blue one", "3"),
        ("mobile", "3"),
    ],
)
def test_a_choice_by_number_ordinal_name_or_telling_word(said: str, chosen: str) -> None:
    assert answers.read(said, PHONES) == chosen


@pytest.mark.parametrize("said", ["", "0", "4", "the ninth", "555", "yes", "the red one", "第四个"])
def test_an_unclear_choice_is_refused_and_the_options_are_named(said: str) -> None:
    with pytest.raises(answers.NotClear, match="1: Home"):
        answers.read(said, PHONES)


def test_a_free_answer_is_taken_as_it_is() -> None:
    free = question(QuestionKind.TEXT)
    assert answers.read("  Rue de l'Église 5 ", free) == "Rue de l'Église 5"
    with pytest.raises(answers.NotClear):
        answers.read("   ", free)


@pytest.mark.parametrize("said", ["stop", "Stop!", "STOP IT", "停", "停止。"])
def test_the_stop_word_is_known(said: str) -> None:
    assert answers.said_stop(said)


@pytest.mark.parametrize("said", ["stop by the shop", "no", "bus stop", "不停"])
def test_other_words_do_not_stop(said: str) -> None:
    assert not answers.said_stop(said)
