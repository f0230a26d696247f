"""What people answer, in English and Chinese."""

from __future__ import annotations

import pytest

from policies.follow.replies import RETRY, SKIP, STOP, chosen, decided

OPTIONS = ("Alex Chen, Nova Labs", "Alex Chen, Home", "Alex Kim")


@pytest.mark.parametrize(
    "reply, place",
    [
        ("1", 0),
        ("Number 1", 0),
        ("the first", 0),
        ("The first one, please.", 0),
        ("option 3", 2),
        ("third", 2),
        ("3rd", 2),
        ("three", 2),
        ("the last one", 2),
        ("最后一个", 2),
        ("第二个", 1),
        ("二", 1),
        ("第2个", 1),
        ("选第三项", 2),
        ("第两个", 1),
        ("Alex Chen, Home", 1),
        ("alex kim", 2),
        ("Kim", 2),
        ("the Nova one", 0),
        ("Alex", None),
        ("4", None),
        ("0", None),
        ("the tenth", None),
        ("the blue one", None),
        ("", None),
        ("  ", None),
        ("...", None),
    ],
)
def test_an_option_is_chosen_by_number_ordinal_or_name(reply: str, place: int | None) -> None:
    assert chosen(reply, OPTIONS) == place


def test_options_that_are_numbers_are_meant_by_their_names() -> None:
    assert chosen("2", ("2", "1")) == 0


@pytest.mark.parametrize(
    "reply, option",
    [
        ("Try again", RETRY),
        ("retry", RETRY),
        ("the first", RETRY),
        ("再试一次", RETRY),
        ("skip this step", SKIP),
        ("Skip it.", SKIP),
        ("2", SKIP),
        ("跳过", SKIP),
        ("stop", STOP),
        ("Cancel!", STOP),
        ("第三个", STOP),
        ("停止", STOP),
        ("maybe", None),
        ("", None),
    ],
)
def test_what_to_do_in_trouble_is_read_from_many_words(reply: str, option: str | None) -> None:
    assert decided(reply) == option
