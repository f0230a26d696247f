"""A judgement that a later look has overtaken does not stay in what the policy and the gate remember."""

from __future__ import annotations

import pytest

from agent_server.runs.cast import Lived
from agent_server.runs.gate import Deed
from agent_server.runs.step import corrected
from device.actions import Tap
from device.base import Answer
from device.geometry import Point
from policies.base import Decision, Turn


def lived(step: int, changed: Answer, *, sent: Answer = Answer.YES, late: bool = False) -> Lived:
    turn = Turn(step=step, decision=Decision(choice=Tap(Point(0.5, 0.5))), sent=sent, changed=changed)
    return Lived(turn, Deed(fingerprint="screen", signature="tap", changed=changed), late=late)


def judged(past: tuple[Lived, ...]) -> list[Answer]:
    assert all(one.turn.changed is one.deed.changed for one in past)
    return [one.turn.changed for one in past]


def test_the_last_act_is_doubted_when_the_screen_moved_after_all() -> None:
    past = (lived(1, Answer.NO), lived(2, Answer.NO))
    assert judged(corrected(past, True)) == [Answer.NO, Answer.UNKNOWN]
    assert judged(corrected(past, False)) == [Answer.NO, Answer.NO]


def test_the_doubt_stays_in_later_steps() -> None:
    past = (lived(1, Answer.NO), lived(2, Answer.NO, late=True), lived(3, Answer.NO))
    assert judged(corrected(past, False)) == [Answer.UNKNOWN, Answer.NO, Answer.NO]


@pytest.mark.parametrize(("sent", "changed"), [(Answer.NO, Answer.NO), (Answer.YES, Answer.YES)])
def test_only_an_act_that_was_sent_and_seemed_without_effect_is_doubted(sent: Answer, changed: Answer) -> None:
    past = (lived(1, changed, sent=sent),)
    assert judged(corrected(past, True)) == [changed]
    assert corrected((), True) == ()
