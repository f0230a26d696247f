"""Runs on a phone in memory, with real perception, SQLite and blobs."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from agent_server.runs.model import OutcomeCode, QuestionState, RunState
from device.actions import Key, OpenApp, PressKey, Swipe, Tap, TypeText, Wait
from device.base import Answer
from device.errors import CommandRefused, DeadlineExceeded
from device.geometry import Point
from policies.base import Ask, Decision, Finish, Observation, Status
from policies.errors import Unparsable
from tests.agent_server.phone import GRAPH, GraphPhone, Spot, center, edges, with_spot
from tests.agent_server.stage import Move, Script, Stage, stage, tap

pytestmark = pytest.mark.anyio

FILL_IN: list[Move] = ["Contacts", "Create contact", "First name", TypeText("María-张伟"), "Save"]


async def test_a_task_is_carried_out_step_by_step(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await bench.start(*FILL_IN)
        run = await bench.ended(run_id)
        assert (run.state, run.outcome.code, run.outcome.summary) == ("succeeded", "complete", "All done.")
        assert bench.phone.kinds == ["tap", "tap", "tap", "type_text", "tap"]
        assert bench.phone.here == "contacts"
        steps = await bench.steps(run_id)
        assert [(step.n, step.phase) for step in steps] == [(n, "done") for n in range(1, 7)]
        assert [step.sent for step in steps] == ["yes"] * 5 + [""]
        assert {"observe", "perceive", "decide", "act"} <= steps[0].timings.keys()
        script = bench.scripts.scripts["script"]
        assert isinstance(script, Script)
        assert [turn.changed for turn in script.seen[-1].history] == [Answer.YES] * 5


async def test_the_story_has_every_phase_in_order_and_no_gap(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await bench.start("Contacts")
        await bench.ended(run_id)
        events = await bench.events(run_id)
        step = ["step.started", "observation", "perception"]
        assert [event.type for event in events] == [
            *("run.queued", "run.started"),
            *(*step, "thought", "action.planned", "action.done"),
            *step,
            "run.finished",
        ]
        assert [event.id for event in events] == list(range(1, len(events) + 1))
        done = next(event for event in events if event.type == "action.done")
        assert (done.speak, done.step, done.importance) == ("Tapped “Contacts”.", 1, 1)
        assert done.data["sent"] == "yes" and done.data["target"]["role"] == "button"


async def test_pictures_are_stored_before_the_event_that_names_them(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await bench.start("Contacts")
        seen = await bench.until(run_id, "observation")
        for name in ("screenshot", "overlay"):
            path, media_type = await bench.wired.service.artifact(seen.data[name])
            assert media_type.startswith("image/") and path.stat().st_size > 100
        found = await bench.until(run_id, "perception")
        path, _ = await bench.wired.service.artifact(found.data["list"])
        assert [one["text"] for one in json.loads(path.read_text())] == ["Contacts", "Settings"]
        await bench.ended(run_id)


async def test_typed_text_is_in_no_event_and_no_log_but_in_its_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "María-张伟"
    think = Decision(
        choice=TypeText(text), thought=f"I type {text}", summary=f"{text} typed", memo="4", raw=f"<{text}>"
    )
    async with stage(tmp_path, log_level="debug") as bench:
        run_id = await bench.start("Contacts", "Create contact", "First name", lambda _: think, "Save")
        await bench.ended(run_id)
        told = json.dumps([(event.speak, dict(event.data)) for event in await bench.events(run_id)], ensure_ascii=False)
        assert text not in told and "8 characters" in told
        step = (await bench.steps(run_id))[3]
        assert step.choice["text"] == text and step.thought == f"I type {text}"
    assert text not in "".join(capsys.readouterr())


async def test_typing_into_a_password_field_is_refused_told_and_kept_nowhere(tmp_path: Path) -> None:
    secret = "correct horse battery"

    def move(observation: Observation) -> Decision:
        assert not observation.history or observation.history[-1].sent is not Answer.UNKNOWN
        return Decision(choice=TypeText(secret), thought=f"type {secret}", raw=f'{{"text": "{secret}"}}')

    async with stage(tmp_path) as bench:
        run_id = await bench.start("Settings", "Passwords", "Secret word", move)
        run = await bench.ended(run_id)
        assert run.outcome.code == OutcomeCode.COMPLETE
        assert "type_text" not in bench.phone.kinds
        script = bench.scripts.scripts["script"]
        assert isinstance(script, Script)
        refused = script.seen[-1].history[-1]
        assert refused.sent is Answer.NO and "Password fields" in refused.note
        step = (await bench.steps(run_id))[3]
        assert (step.verdict, step.sent) == ("refuse", "no")
        assert "action.blocked" in await bench.types(run_id)
    assert secret.encode() not in everything_in(tmp_path)


def everything_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


async def test_password_boxes_are_painted_over_before_anybody_sees_or_stores_them(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await bench.start("Settings", "Passwords")
        await bench.ended(run_id)
        script = bench.scripts.scripts["script"]
        assert isinstance(script, Script)
        left, top, right, bottom = edges(0)
        policy_saw = script.seen[-1].screen.frame.pixels[top + 5 : bottom - 5, left + 5 : right - 5]
        assert np.abs(policy_saw.astype(int) - 96).max() < 12
        step = (await bench.steps(run_id))[-1]
        path, _ = await bench.wired.service.artifact(step.frame)
        stored = cv2.imdecode(np.frombuffer(path.read_bytes(), np.uint8), cv2.IMREAD_COLOR)
        assert (
            stored is not None
            and np.abs(stored[top + 5 : bottom - 5, left + 5 : right - 5].astype(int) - 96).max() < 12
        )
        preview = await bench.wired.service.picture("test-1", None)
        shown = cv2.imdecode(np.frombuffer(preview, np.uint8), cv2.IMREAD_COLOR)
        assert (
            shown is not None and np.abs(shown[top + 5 : bottom - 5, left + 5 : right - 5].astype(int) - 96).max() < 12
        )


async def test_impossible_is_an_outcome_of_its_own(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await bench.start(Finish(status=Status.IMPOSSIBLE, reason="There is no such app."))
        run = await bench.ended(run_id)
        assert (run.state, run.outcome.code, run.outcome.summary) == ("failed", "impossible", "There is no such app.")


async def test_an_answer_to_the_task_is_kept_and_spoken(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await bench.start(Finish(status=Status.COMPLETE, reason="read", answer="It is nine o'clock."))
        run = await bench.ended(run_id)
        assert run.outcome.answer == "It is nine o'clock."
        assert (await bench.events(run_id))[-1].speak == "Done. It is nine o'clock."


# Budgets and loops


async def test_a_run_may_act_in_as_many_steps_as_its_budget_and_then_finish(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        enough = await bench.start("Settings", "Display", steps=2)
        assert (await bench.ended(enough)).outcome.code == OutcomeCode.COMPLETE
        bench.phone.here = "home"
        short = await bench.start("Settings", "Display", "Dark theme", steps=2)
        run = await bench.ended(short)
        assert (run.state, run.outcome.code) == ("expired", "out_of_steps")
        assert "2 steps" in run.outcome.summary and bench.phone.here == "display"


async def test_a_policy_that_thinks_longer_than_the_run_may_last_is_cut_off(tmp_path: Path) -> None:
    async def think(_: Observation) -> Decision:
        await asyncio.Event().wait()
        raise AssertionError

    async with stage(tmp_path) as bench:
        run = await bench.ended(await bench.start(think, seconds=0.3))
        assert (run.state, run.outcome.code) == ("expired", "out_of_seconds")


async def test_the_same_act_in_vain_is_told_and_then_ends_the_run(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await bench.start("Settings", "Nothing happens", "Nothing happens", "Nothing happens")
        run = await bench.ended(run_id)
        assert (run.outcome.code, run.outcome.cause) == ("stuck", "same-act-thrice")
        assert len(bench.phone.touched) == 3
        script = bench.scripts.scripts["script"]
        assert isinstance(script, Script)
        notes = [turn.note for turn in script.seen[-1].history]
        assert notes[:2] == ["", ""] and "changed nothing before" in notes[2]


# Questions


async def test_a_sensitive_word_asks_and_a_yes_lets_it_through(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await bench.start("Contacts", "Delete all")
        asked = await bench.until(run_id, "question.asked")
        assert asked.speak == "May I tap “Delete all”? Say yes or no." and asked.importance == 3
        assert "delete" in asked.data["why"] and asked.data["target"]["name"] == "Delete all"
        assert (await bench.wired.service.run(run_id)).state is RunState.WAITING
        assert bench.phone.kinds == ["tap"]
        question = await bench.wired.service.answer(asked.data["question_id"], "Yes, please"[:3])
        assert (question.state, question.answer) == (QuestionState.ANSWERED, "allow")
        assert (await bench.ended(run_id)).state is RunState.SUCCEEDED
        assert bench.phone.here == "contacts_empty"
        types = await bench.types(run_id)
        assert types.index("question.answered") < len(types) - types[::-1].index("action.planned") - 1


async def test_a_no_is_told_to_the_policy_and_the_second_try_ends_the_run(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await bench.start("Contacts", "Delete all", "Delete all")
        asked = await bench.until(run_id, "question.asked")
        await bench.wired.service.answer(asked.data["question_id"], "no")
        run = await bench.ended(run_id)
        assert (run.state, run.outcome.code, run.outcome.cause) == ("failed", "denied", "said-no")
        assert bench.phone.here == "contacts" and len(bench.phone.touched) == 1
        assert (await bench.types(run_id)).count("question.asked") == 1


async def test_no_answer_in_time_counts_as_no(tmp_path: Path) -> None:
    async with stage(tmp_path, question_seconds=0.2) as bench:
        run_id = await bench.start("Contacts", "Delete all", "Create contact")
        run = await bench.ended(run_id)
        assert run.outcome.code == OutcomeCode.COMPLETE and bench.phone.here == "new"
        (question,) = await bench.wired.service.questions(run_id, only_open=False)
        assert (question.state, question.answer) == (QuestionState.EXPIRED, "deny")
        assert "question.expired" in await bench.types(run_id)


async def test_a_yes_does_not_hold_when_the_screen_has_changed_meanwhile(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await bench.start("Contacts", "Delete all")
        asked = await bench.until(run_id, "question.asked")
        bench.phone.here = "new"
        await bench.wired.service.answer(asked.data["question_id"], "yes")
        await bench.ended(run_id)
        assert len(bench.phone.touched) == 1 and bench.phone.here == "new"
        blocked = next(event for event in await bench.events(run_id) if event.type == "action.blocked")
        assert blocked.data["cause"] == "screen-changed"


async def test_a_policys_question_gets_the_chosen_label_as_reply(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await bench.start(Ask(prompt="Which app?", options=("Contacts", "Settings")), "Settings")
        asked = await bench.until(run_id, "question.asked")
        assert asked.speak == "Which app? 1: Contacts. 2: Settings."
        await bench.wired.service.answer(asked.data["question_id"], "the second")
        await bench.ended(run_id)
        script = bench.scripts.scripts["script"]
        assert isinstance(script, Script)
        assert script.seen[-1].history[0].reply == "Settings"


async def test_a_free_answer_reaches_the_policy_and_no_event(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await bench.start(
            Ask(prompt="Which code?"), lambda o: Finish(status=Status.COMPLETE, reason=o.history[0].reply)
        )
        asked = await bench.until(run_id, "question.asked")
        await bench.wired.service.answer(asked.data["question_id"], "swordfish-77")
        run = await bench.ended(run_id)
        assert run.outcome.summary == "swordfish-77"
        assert "swordfish" not in json.dumps([(one.speak, dict(one.data)) for one in await bench.events(run_id)])


async def test_the_same_question_is_not_asked_for_ever(tmp_path: Path) -> None:
    question = Ask(prompt="Which app?", options=("a", "b"))
    async with stage(tmp_path, question_seconds=0.05) as bench:
        run = await bench.ended(await bench.start(*[question] * 5))
        assert (run.outcome.code, run.outcome.cause) == ("stuck", "same-question")


async def test_on_a_real_phone_each_act_asks_unless_the_run_is_trusted(tmp_path: Path) -> None:
    async with stage(tmp_path, GraphPhone(virtual=False)) as bench:
        run_id = await bench.start("Contacts", trusted=True)
        assert (await bench.ended(run_id)).outcome.code == OutcomeCode.COMPLETE
        bench.phone.here = "home"
        run_id = await bench.start("Contacts")
        asked = await bench.until(run_id, "question.asked")
        assert asked.data["cause"] == "untrusted-phone"
        await bench.wired.service.answer(asked.data["question_id"], "可以")
        await bench.ended(run_id)
        assert bench.phone.kinds == ["tap", "tap"]


async def test_a_trusted_run_still_asks_before_it_deletes(tmp_path: Path) -> None:
    async with stage(tmp_path, GraphPhone(virtual=False)) as bench:
        run_id = await bench.start("Contacts", "Delete all", trusted=True)
        assert (await bench.until(run_id, "question.asked")).data["cause"] == "sensitive-word"
        await bench.wired.service.stop(run_id)
        await bench.ended(run_id)


async def test_questions_and_sentences_come_in_the_runs_language(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await bench.start("Contacts", "Delete all", lang="zh-CN")
        asked = await bench.until(run_id, "question.asked")
        assert asked.speak == "可以点按“Delete all”吗？请说可以或不可以。" and asked.lang == "zh"
        await bench.wired.service.answer(asked.data["question_id"], "不可以")
        run = await bench.ended(run_id)
        assert (await bench.events(run_id))[-1].speak.startswith("完成。")
        assert run.state is RunState.SUCCEEDED


# Stopping


async def stopped_at(bench: Stage, run_id: str) -> Any:
    """Stop the run and give it half a second."""
    await bench.wired.service.stop(run_id)
    return await bench.ended(run_id, 2.0)


@pytest.mark.parametrize("verb", ["observe", "after_act"])
async def test_a_run_is_stopped_while_the_phone_is_looked_at_or_touched(tmp_path: Path, verb: str) -> None:
    async with stage(tmp_path) as bench:
        go = bench.phone.hold(verb)
        run_id = await bench.start("Contacts", "Create contact")
        await bench.phone.entered[verb].wait()
        stopping = asyncio.create_task(stopped_at(bench, run_id))
        await asyncio.sleep(0.05)
        go.set()
        run = await stopping
        assert (run.state, run.outcome.code) == ("stopped", "stopped")
        assert len(bench.phone.touched) == (1 if verb == "after_act" else 0)
        types = await bench.types(run_id)
        assert types[-1] == "run.finished" and "run.stopping" in types
        assert ("action.done" in types) == (verb == "after_act")


async def test_a_stop_ends_a_slow_policy_at_once(tmp_path: Path) -> None:
    thinking, cancelled = asyncio.Event(), asyncio.Event()

    async def think(_: Observation) -> Decision:
        thinking.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        raise AssertionError

    async with stage(tmp_path) as bench:
        run_id = await bench.start("Contacts", think)
        await thinking.wait()
        run = await stopped_at(bench, run_id)
        assert run.outcome.code == OutcomeCode.STOPPED and cancelled.is_set()
        assert run.outcome.summary == "You stopped the run. The last act was: tap “Contacts”."


async def test_a_stop_ends_a_waiting_question(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await bench.start("Contacts", "Delete all")
        asked = await bench.until(run_id, "question.asked")
        run = await stopped_at(bench, run_id)
        assert run.outcome.code == OutcomeCode.STOPPED
        question = (await bench.wired.service.questions(run_id, only_open=False))[0]
        assert question.id == asked.data["question_id"] and question.state is QuestionState.WITHDRAWN


async def test_saying_stop_to_a_question_stops_the_run(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await bench.start("Contacts", "Delete all")
        asked = await bench.until(run_id, "question.asked")
        await bench.wired.service.answer(asked.data["question_id"], "Stop!")
        assert (await bench.ended(run_id)).outcome.code == OutcomeCode.STOPPED


async def test_a_stop_ends_a_wait_at_once(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        bench.phone.hold("act")
        run_id = await bench.start(Wait(3600))
        await bench.until(run_id, "action.planned")
        run = await stopped_at(bench, run_id)
        assert run.outcome.code == OutcomeCode.STOPPED
        assert "action.uncertain" not in await bench.types(run_id)


async def test_a_queued_run_is_stopped_without_ever_starting(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        bench.phone.hold("observe")
        first = await bench.start("Contacts", script="a")
        await bench.phone.entered["observe"].wait()
        second = await bench.start("Settings", script="b")
        run = await stopped_at(bench, second)
        assert (run.state, run.outcome.summary) == ("stopped", "You stopped the run. Nothing had been touched.")
        await stopped_at(bench, first)
        assert bench.phone.touched == []


async def test_stopping_twice_or_after_the_end_is_harmless(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await bench.start("Contacts")
        await bench.ended(run_id)
        before = await bench.types(run_id)
        assert (await bench.wired.service.stop(run_id)).state is RunState.SUCCEEDED
        assert await bench.types(run_id) == before


# What goes wrong


async def test_an_error_before_sending_is_told_and_the_run_goes_on(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await bench.start(OpenApp("Nonsense"), "Contacts")
        run = await bench.ended(run_id)
        assert run.outcome.code == OutcomeCode.COMPLETE
        script = bench.scripts.scripts["script"]
        assert isinstance(script, Script)
        failed = script.seen[1].history[0]
        assert failed.sent is Answer.NO and "Nonsense" in failed.note
        assert "action.failed" in await bench.types(run_id)


async def test_a_lost_answer_is_uncertain_and_nothing_is_sent_twice(tmp_path: Path) -> None:
    async with stage(tmp_path, GraphPhone(silent=True)) as bench:
        run_id = await bench.start("Contacts")
        await bench.ended(run_id)
        assert "action.uncertain" in await bench.types(run_id) and len(bench.phone.touched) == 1
        script = bench.scripts.scripts["script"]
        assert isinstance(script, Script)
        assert script.seen[1].history[0].sent is Answer.UNKNOWN


@pytest.mark.parametrize("verb", ["observe", "act"])
async def test_a_phone_unplugged_in_mid_step_ends_the_run_with_advice(tmp_path: Path, verb: str) -> None:
    async with stage(tmp_path) as bench:
        go = bench.phone.hold(verb)
        run_id = await bench.start("Contacts", "Create contact")
        await bench.phone.entered[verb].wait()
        bench.shelf.unplug("test-1")
        go.set()
        run = await bench.ended(run_id)
        assert (run.state, run.outcome.code, run.outcome.cause) == ("failed", "device_lost", "device-link-lost")
        assert "cable" in run.outcome.advice
        assert (await bench.events(run_id))[-1].importance == 3


async def test_a_phone_that_has_left_is_named_as_gone_whatever_broke_first(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        go = bench.phone.hold("observe")
        run_id = await bench.start("Contacts")
        await bench.phone.entered["observe"].wait()
        bench.shelf.unplug("test-1").faults["observe"] = [CommandRefused("closed")]
        go.set()
        run = await bench.ended(run_id)
        assert (run.outcome.code, run.outcome.cause) == ("device_lost", "device-not-found")


async def test_a_phone_that_fails_while_looking_ends_the_run_with_its_own_cause(tmp_path: Path) -> None:
    async with stage(tmp_path, GraphPhone(faults={"observe": [DeadlineExceeded("no answer")]})) as bench:
        run = await bench.ended(await bench.start("Contacts"))
        assert (run.outcome.code, run.outcome.cause) == ("device_lost", "device-timeout")


async def test_a_policy_that_fails_ends_the_run_with_its_own_cause(tmp_path: Path) -> None:
    def fail(_: Observation) -> Decision:
        raise Unparsable("<raw>", "no action in the answer")

    async with stage(tmp_path) as bench:
        run = await bench.ended(await bench.start(fail))
        assert (run.outcome.code, run.outcome.cause) == ("policy_error", "unparsable-answer")
        assert run.outcome.advice


async def test_an_unforeseen_error_ends_its_run_and_not_the_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: Observation) -> Decision:
        raise KeyError("what somebody typed")

    async with stage(tmp_path) as bench:
        run = await bench.ended(await bench.start(fail, script="a"))
        assert (run.outcome.code, run.outcome.cause) == ("internal", "KeyError")
        assert (await bench.ended(await bench.start("Contacts", script="b"))).state is RunState.SUCCEEDED
    logged = "".join(capsys.readouterr())
    assert "KeyError" in logged and "what somebody typed" not in logged


async def test_an_element_of_another_screen_is_not_believed(tmp_path: Path) -> None:
    kept: list[Decision] = []

    def first(observation: Observation) -> Decision:
        kept.append(tap(observation.screen, "Contacts"))
        return kept[0]

    def again(observation: Observation) -> Decision:
        stale = kept[0].element
        return Decision(choice=Tap(center(1)), element=stale)  # on the contacts screen this is "Delete all"

    async with stage(tmp_path) as bench:
        run_id = await bench.start(first, again)
        asked = await bench.until(run_id, "question.asked")
        assert asked.data["target"]["name"] == "Delete all"
        await bench.wired.service.stop(run_id)
        await bench.ended(run_id)


# Many runs


async def test_runs_on_one_phone_take_turns_and_on_two_phones_run_at_once(tmp_path: Path) -> None:
    one, two = GraphPhone("one"), GraphPhone("two")
    async with stage(tmp_path, one, two) as bench:
        go = one.hold("observe")
        first = await bench.start("Contacts", script="a", serial="one")
        await one.entered["observe"].wait()
        second = await bench.start("Create contact", script="b", serial="one")
        other = await bench.start("Settings", script="c", serial="two")
        assert (await bench.ended(other)).state is RunState.SUCCEEDED
        assert (await bench.wired.service.run(second)).state is RunState.QUEUED
        queued = (await bench.events(second))[0]
        assert queued.data["position"] == 1 and queued.speak == "The run waits for its phone; 1 before it."
        go.set()
        assert (await bench.ended(first)).state is RunState.SUCCEEDED
        assert (await bench.ended(second)).state is RunState.SUCCEEDED
        assert one.here == "new" and one.kinds == ["tap", "tap"] and two.kinds == ["tap"]


async def test_a_swipe_and_a_key_are_recorded_like_a_tap(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await bench.start("Settings", Swipe(Point(0.5, 0.8), Point(0.5, 0.3)), PressKey(Key.HOME))
        await bench.ended(run_id)
        said = [event.speak for event in await bench.events(run_id) if event.type == "action.done"]
        assert said == ["Tapped “Settings”.", "Swiped up. Nothing changed.", "Pressed Home."]


async def test_what_is_written_in_a_field_is_not_told_as_its_name(tmp_path: Path) -> None:
    graph = with_spot(GRAPH, "new", Spot("my diary entry", field=True, hint="Notes"))
    async with stage(tmp_path, GraphPhone(graph=graph)) as bench:
        run_id = await bench.start("Contacts", "Create contact", "Notes")
        await bench.ended(run_id)
        last = [event for event in await bench.events(run_id) if event.type == "action.done"][-1]
        assert last.data["target"]["name"] == "Notes"
