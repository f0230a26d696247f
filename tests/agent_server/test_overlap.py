"""A policy that looks back at its steps: beside the act, never in its way, and on record as it comes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agent_server.runs.model import OutcomeCode, RunState
from agent_server.service import NewRun
from agent_server.wiring import Parts, running
from device.base import Answer, View
from device.clock import Clock, SystemClock
from device.errors import LinkLost
from device.frame import Frame
from perception.pipeline import Pipeline
from perception.screen import Screen
from policies.base import Aftermath, Ask, Decision, Finish, Moment, Needs, Observation, Reflection, Status, Usage
from policies.errors import PolicyError, Unparsable
from policies.llm.errors import Unauthorized, Unavailable
from tests.agent_server.phone import GraphPhone, Shelf, edges
from tests.agent_server.stage import Move, Script, Scripts, Stage, settings, stage, tap

pytestmark = pytest.mark.anyio

CALL = Usage(input_tokens=90, output_tokens=10, calls=1, cost_usd=0.01)
UNPRICED = Usage(input_tokens=90, output_tokens=10, calls=1, cost_usd=None)
NEARBY = Needs(remote_model="a model on this machine", remote_host="127.0.0.1:1")
Thought = Callable[[Observation, Decision, Aftermath | None], Awaitable[Reflection]]


async def noted(observation: Observation, decision: Decision, after: Aftermath | None) -> Reflection:
    n = len(observation.history) + 1
    return Reflection(memo=f"memo {n}", summary=f"Did step {n}.", usage=CALL)


@dataclass
class Thinker(Script):
    """A script that looks back: `held` reflections wait for `go`, and `think` says what comes of them."""

    moves: Sequence[Move] = ()
    reflects: Moment | None = Moment.DECIDED
    think: Thought = noted
    held: bool = False
    go: asyncio.Event = field(default_factory=asyncio.Event)
    entered: asyncio.Event = field(default_factory=asyncio.Event)
    reflected: list[tuple[Decision, Aftermath | None]] = field(default_factory=list)
    closed: int = 0

    async def reflect(self, observation: Observation, decision: Decision, after: Aftermath | None = None) -> Reflection:
        self.reflected.append((decision, after))
        self.entered.set()
        if self.held:
            await self.go.wait()
        return await self.think(observation, decision, after)

    async def close(self) -> None:
        self.closed += 1


def paid(name: str, usage: Usage = CALL) -> Move:
    """A tap that a model was asked for."""

    def move(observation: Observation) -> Decision:
        found = tap(observation.screen, name)
        return Decision(choice=found.choice, element=found.element, thought=found.thought, usage=usage)

    return move


def failing(error: Exception) -> Thought:
    async def think(*_: object) -> Reflection:
        raise error

    return think


async def begin(bench: Stage, policy: Thinker, **values: Any) -> str:
    bench.scripts.scripts["thinker"] = policy
    new = NewRun(**{"task": "do it", "serial": bench.phone.serial, "policy": "thinker", **values})
    run, _ = await bench.wired.service.create_run(new)
    return run.id


async def waited(event: asyncio.Event) -> None:
    async with asyncio.timeout(10):
        await event.wait()


async def second(bench: Stage, run_id: str, type: str) -> None:
    """Wait for the second event of that type."""
    first = await bench.until(run_id, type)
    async with (
        asyncio.timeout(10),
        contextlib.aclosing(bench.wired.service.follow(run_id, after=first.id, idle=10)) as events,
    ):
        async for event in events:
            if event is not None and event.type == type:
                return
    raise AssertionError(f"the run ended without a second {type}")


def memos(policy: Thinker) -> list[str]:
    return [turn.decision.memo for turn in policy.seen[-1].history]


def at_work() -> list[str]:
    return [task.get_name() for task in asyncio.all_tasks() if task.get_name().startswith("reflect")]


async def missing(bench: Stage, run_id: str) -> list[str]:
    """Why there is no summary, for each step that has none."""
    events = [event for event in await bench.events(run_id) if event.type == "step.reflected"]
    return [event.data["cause"] for event in events if event.data["cause"]]


# Beside the act and the next look


async def test_the_summary_is_asked_for_and_recorded_while_the_act_is_under_way(tmp_path: Path) -> None:
    policy = Thinker(["Contacts"])
    async with stage(tmp_path) as bench:
        act = bench.phone.hold("act")
        run_id = await begin(bench, policy)
        await waited(policy.entered)
        told = await bench.until(run_id, "step.reflected")
        assert bench.phone.touched == [], "the act is still held"
        assert (told.step, told.speak, told.importance) == (1, "Noted: Did step 1.", 0)
        (step,) = await bench.steps(run_id)
        assert (step.memo, step.summary, step.phase) == ("memo 1", "Did step 1.", "planned")
        act.set()
        assert (await bench.ended(run_id)).state is RunState.SUCCEEDED
        types = await bench.types(run_id)
        assert types.index("action.planned") < types.index("step.reflected") < types.index("action.done")


async def test_the_next_screen_is_looked_at_while_the_summary_is_still_out(tmp_path: Path) -> None:
    policy = Thinker(["Contacts"], held=True)
    async with stage(tmp_path) as bench:
        run_id = await begin(bench, policy)
        await second(bench, run_id, "perception")
        assert policy.reflected and len(policy.seen) == 1, "the next decision needs the memo"
        policy.go.set()
        await bench.ended(run_id)
        assert memos(policy) == ["memo 1"]


async def test_a_policy_may_wait_for_the_picture_and_think_while_it_is_perceived(tmp_path: Path) -> None:
    policy = Thinker(["Settings", "Passwords"], reflects=Moment.SEEN)
    async with slow_to_perceive(tmp_path) as (bench, perceiver):
        perceiver.held[2] = asyncio.Event()
        run_id = await begin(bench, policy)
        await waited(policy.entered)
        assert not perceiver.held[2].is_set(), "thinking began before its picture was perceived"
        perceiver.held[2].set()
        await bench.ended(run_id)
        (first, seen_first), (_, seen_second) = policy.reflected
        assert seen_first is not None and seen_second is not None
        assert (seen_first.turn.step, seen_first.turn.decision, seen_first.turn.sent) == (1, first, Answer.YES)
        assert seen_first.frame.sha256 != policy.seen[0].screen.frame.sha256
        assert memos(policy) == ["memo 1", "memo 2"]
        covered(seen_second.frame)


async def test_a_picture_without_a_tree_is_waited_for_until_it_is_perceived(tmp_path: Path) -> None:
    policy = Thinker(["Settings"], reflects=Moment.SEEN)
    async with slow_to_perceive(tmp_path, blind_from=2) as (bench, perceiver):
        perceiver.held[2] = asyncio.Event()
        run_id = await begin(bench, policy)
        await waited(perceiver.entered(2))
        assert not policy.reflected, "nobody knows yet what must be covered"
        perceiver.held[2].set()
        await bench.ended(run_id)
        assert len(policy.reflected) == 1


def covered(frame: Frame) -> None:
    left, top, right, bottom = edges(0)
    assert np.abs(frame.pixels[top + 5 : bottom - 5, left + 5 : right - 5].astype(int) - 96).max() < 12


# What a memo is for


async def test_the_memo_of_each_step_is_in_the_history_and_its_cost_in_the_step(tmp_path: Path) -> None:
    policy = Thinker([paid("Settings"), paid("Display")])
    async with stage(tmp_path) as bench:
        run_id = await begin(bench, policy)
        run = await bench.ended(run_id)
        assert memos(policy) == ["memo 1", "memo 2"]
        steps = await bench.steps(run_id)
        assert [step.usage["input_tokens"] for step in steps] == [180, 180, 0]
        assert {"recall", "decide", "reflect", "act"} <= steps[0].timings.keys()
        assert run.usage == Usage(input_tokens=360, output_tokens=40, calls=4, cost_usd=0.04)
        used = [event.data for event in await bench.events(run_id) if event.type == "usage"]
        assert [data["of"] for data in used] == ["decision", "reflection"] * 2
        assert [data["total"]["tokens"] for data in used] == [100, 200, 300, 400]


async def test_an_end_is_not_looked_back_at(tmp_path: Path) -> None:
    policy = Thinker(["Contacts"])
    async with stage(tmp_path) as bench:
        await bench.ended(await begin(bench, policy))
        assert [decision.thought for decision, _ in policy.reflected] == ["tap Contacts"]


async def test_an_act_that_the_person_refused_is_looked_back_at_too(tmp_path: Path) -> None:
    policy = Thinker(["Contacts", "Delete all", "Create contact"])
    async with stage(tmp_path) as bench:
        run_id = await begin(bench, policy)
        asked = await bench.until(run_id, "question.asked")
        assert len(policy.reflected) == 1, "nothing is said of an act that nobody has allowed yet"
        await bench.wired.service.answer(asked.data["question_id"], "no")
        await bench.ended(run_id)
        refused = policy.seen[-1].history[1]
        assert (refused.sent, refused.decision.memo) == (Answer.NO, "memo 2") and refused.note


async def test_a_question_to_the_person_is_looked_back_at_while_they_think(tmp_path: Path) -> None:
    policy = Thinker([Ask(prompt="Which app?", options=("Contacts", "Settings"))])
    async with stage(tmp_path) as bench:
        run_id = await begin(bench, policy)
        await bench.until(run_id, "step.reflected")
        (question,) = await bench.wired.service.questions(run_id, only_open=True)
        await bench.wired.service.answer(question.id, "the second")
        await bench.ended(run_id)
        assert (policy.seen[-1].history[0].reply, memos(policy)) == ("Settings", ["memo 1"])


async def test_a_policy_that_does_not_look_back_is_not_asked_to(tmp_path: Path) -> None:
    policy = Thinker(["Contacts"], reflects=None)
    async with stage(tmp_path) as bench:
        run_id = await begin(bench, policy)
        await bench.ended(run_id)
        assert policy.reflected == [] and "step.reflected" not in await bench.types(run_id)


# When it fails


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (Unavailable("The model broke.").after(Usage(calls=1)), "model-unavailable"),
        (Unparsable("?", "No summary."), "unparsable-answer"),
        (KeyError("a mistake of theirs"), "internal"),
    ],
)
async def test_a_summary_that_fails_is_said_to_be_missing_and_the_run_goes_on(
    tmp_path: Path, error: Exception, cause: str
) -> None:
    policy = Thinker(["Settings", "Display"], think=failing(error))
    async with stage(tmp_path) as bench:
        run_id = await begin(bench, policy)
        run = await bench.ended(run_id)
        assert run.outcome.code == OutcomeCode.COMPLETE
        assert bench.phone.kinds == ["tap", "tap"], "nothing was undone or repeated"
        assert await missing(bench, run_id) == [cause] * 2
        told = await bench.until(run_id, "step.reflected")
        assert told.speak.startswith("There is no summary of this step.") and told.data["reason"]
        history = policy.seen[-1].history
        assert [(turn.decision.memo, turn.sent, turn.changed) for turn in history] == [("", "yes", "yes")] * 2


async def test_a_wrong_key_ends_the_run_after_the_act_and_before_the_next_decision(tmp_path: Path) -> None:
    policy = Thinker(["Settings", "Display"], think=failing(Unauthorized("No such key.", advice="Check the key.")))
    async with stage(tmp_path) as bench:
        run_id = await begin(bench, policy)
        run = await bench.ended(run_id)
        assert (run.outcome.code, run.outcome.cause) == ("policy_error", "model-unauthorized")
        assert run.outcome.advice == "Check the key."
        assert (len(policy.seen), bench.phone.kinds) == (1, ["tap"])
        assert (await bench.steps(run_id))[0].sent == "yes"


# When the run ends first


async def test_a_stop_cuts_the_summary_off_and_nothing_is_said_after_the_end(tmp_path: Path) -> None:
    policy = Thinker(["Contacts"], held=True, needs=NEARBY)
    async with stage(tmp_path) as bench:
        run_id = await begin(bench, policy)
        await bench.until(run_id, "action.done")
        await waited(policy.entered)
        await bench.wired.service.stop(run_id)
        run = await bench.ended(run_id)
        assert (run.state, at_work()) == ("stopped", [])
        assert await missing(bench, run_id) == ["run-ended"]
        assert (await bench.types(run_id))[-1] == "run.finished"
        assert run.usage == Usage(input_tokens=None, output_tokens=None, calls=1, cost_usd=None)
        policy.go.set()


async def test_a_summary_that_never_comes_ends_with_the_time_of_the_run(tmp_path: Path) -> None:
    clock = LeapingClock()

    async def late(*_: object) -> Reflection:
        clock.ahead = 1000.0
        await asyncio.Event().wait()
        raise AssertionError

    policy = Thinker(["Contacts"], think=late)
    async with slow_to_perceive(tmp_path, clock=clock) as (bench, _):
        run_id = await begin(bench, policy, seconds=900)
        run = await bench.ended(run_id)
        assert (run.outcome.code, at_work()) == ("out_of_seconds", [])
        assert (await bench.steps(run_id))[0].sent == "yes"
        assert await missing(bench, run_id) == ["run-ended"]


async def test_a_summary_that_swallows_its_end_says_nothing_afterwards(tmp_path: Path) -> None:
    async def stubborn(*_: object) -> Reflection:
        while not late.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await late.wait()
        return Reflection(memo="too late")

    late = asyncio.Event()
    policy = Thinker(["Contacts"], think=stubborn)
    async with stage(tmp_path) as bench:
        run_id = await begin(bench, policy)
        await bench.until(run_id, "action.done")
        await bench.wired.service.stop(run_id)
        await bench.ended(run_id)
        (task,) = [task for task in asyncio.all_tasks() if task.get_name().startswith("reflect")]
        late.set()
        await asyncio.wait({task}, timeout=10)
        assert task.done() and (await bench.types(run_id))[-1] == "run.finished"
        assert (await bench.steps(run_id))[0].memo == ""


# Money


@pytest.mark.parametrize(
    ("budget", "cause"), [({"tokens": 150}, "out-of-tokens"), ({"cost_usd": 0.015}, "out-of-money")]
)
async def test_a_run_ends_before_the_call_that_nobody_would_pay_for(
    tmp_path: Path, budget: dict[str, Any], cause: str
) -> None:
    policy = Thinker([paid("Settings"), paid("Display")])
    async with stage(tmp_path) as bench:
        run_id = await begin(bench, policy, **budget)
        run = await bench.ended(run_id)
        assert (run.state, run.outcome.code, run.outcome.cause) == ("expired", "out_of_budget", cause)
        assert run.outcome.summary.startswith("The budget of ") and run.outcome.advice
        assert (len(policy.seen), run.usage.calls, run.usage.tokens) == (1, 2, 200)
        assert bench.phone.kinds == ["tap"], "what was paid for was done"


async def test_a_summary_that_nobody_would_pay_for_is_not_asked_for(tmp_path: Path) -> None:
    policy = Thinker([paid("Settings"), paid("Display")])
    async with stage(tmp_path) as bench:
        run_id = await begin(bench, policy, tokens=100)
        run = await bench.ended(run_id)
        assert (run.outcome.code, run.usage.calls, policy.reflected) == ("out_of_budget", 1, [])
        assert await missing(bench, run_id) == ["out-of-tokens"]
        assert bench.phone.kinds == ["tap"]


async def test_a_budget_that_cannot_be_kept_ends_the_run_after_the_first_call(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await begin(bench, Thinker([paid("Settings", UNPRICED)] * 2, reflects=None), cost_usd=5.0)
        run = await bench.ended(run_id)
        assert (run.outcome.cause, run.usage.calls, run.usage.cost_usd) == ("price-unknown", 1, None)
        bench.phone.here = "home"
        unbound = await begin(bench, Thinker([paid("Settings", UNPRICED)], reflects=None), tokens=10**6)
        assert (await bench.ended(unbound)).outcome.code == "complete", "its tokens are known"


async def test_what_a_failed_decision_cost_is_counted(tmp_path: Path) -> None:
    def move(_: Observation) -> Decision:
        raise Unparsable("{nonsense", "It cannot be read.").after(CALL + CALL)

    async with stage(tmp_path) as bench:
        run_id = await begin(bench, Thinker([move]))
        run = await bench.ended(run_id)
        assert (run.outcome.cause, run.usage) == ("unparsable-answer", CALL + CALL)
        (step,) = await bench.steps(run_id)
        assert (step.raw, step.usage["calls"]) == ("{nonsense", 2)


@pytest.mark.parametrize(("needs", "tokens"), [(NEARBY, None), (Needs(), 0)])
async def test_a_thought_that_is_cut_off_may_have_been_billed(tmp_path: Path, needs: Needs, tokens: int | None) -> None:
    thinking = asyncio.Event()

    async def think(observation: Observation) -> Decision:
        thinking.set()
        return await for_ever(observation)

    async with stage(tmp_path) as bench:
        run_id = await begin(bench, Thinker([think], needs=needs))
        await waited(thinking)
        await bench.wired.service.stop(run_id)
        run = await bench.ended(run_id)
        assert (run.outcome.code, run.usage.tokens, run.usage.cost_usd) == ("stopped", tokens, tokens)


# Connections


async def for_ever(_: Observation) -> Decision:
    await asyncio.Event().wait()
    raise AssertionError


def broken(_: Observation) -> Decision:
    raise RuntimeError("a mistake")


def unwilling(_: Observation) -> Decision:
    raise PolicyError("no")


@pytest.mark.parametrize(
    ("moves", "values", "code"),
    [
        (["Contacts"], {}, "complete"),
        ([Finish(status=Status.IMPOSSIBLE)], {}, "impossible"),
        ([unwilling], {}, "policy_error"),
        ([broken], {}, "internal"),
        ([for_ever], {"seconds": 0.2}, "out_of_seconds"),
        (["Contacts", "Create contact"], {"steps": 1}, "out_of_steps"),
        ([for_ever], {}, "stopped"),
        (["Contacts"], {}, "device_lost"),
    ],
)
async def test_the_policy_is_closed_whatever_way_its_run_ends(
    tmp_path: Path, moves: list[Move], values: dict[str, Any], code: str
) -> None:
    policy = Thinker(moves, reflects=None)
    async with stage(tmp_path) as bench:
        if code == "device_lost":
            bench.phone.faults["observe"] = [LinkLost("the cable is out", serial=bench.phone.serial)]
        run_id = await begin(bench, policy, **values)
        if code == "stopped":
            await bench.until(run_id, "perception")
            await bench.wired.service.stop(run_id)
        assert (await bench.ended(run_id)).outcome.code == code
    assert policy.closed == 1


async def test_a_policy_that_cannot_be_closed_changes_nothing_about_its_run(tmp_path: Path) -> None:
    @dataclass
    class Clinging(Thinker):
        async def close(self) -> None:
            self.closed += 1
            raise OSError("it clings")

    policy = Clinging(["Contacts"])
    async with stage(tmp_path) as bench:
        assert (await bench.ended(await begin(bench, policy))).outcome.code == "complete"
        bench.phone.here = "home"
        assert (await bench.ended(await bench.start("Contacts"))).outcome.code == "complete"
    assert policy.closed == 1


# A bench whose perception can be held


@dataclass
class SlowPerceiver:
    """Real perception that waits at a look, counted from 1, for as long as it is held there."""

    pipeline: Pipeline
    held: dict[int, asyncio.Event] = field(default_factory=dict)
    looks: int = 0
    _entered: dict[int, asyncio.Event] = field(default_factory=dict)

    def entered(self, look: int) -> asyncio.Event:
        return self._entered.setdefault(look, asyncio.Event())

    async def perceive(self, view: View) -> Screen:
        self.looks += 1
        look = self.looks
        self.entered(look).set()
        if look in self.held:
            await self.held[look].wait()
        return await self.pipeline.perceive(view)


@dataclass
class Blinking(GraphPhone):
    """A phone that gives no tree from a certain look on."""

    blind_from: int = 10**6

    async def observe(self, *, tree: bool = True) -> View:
        return await GraphPhone.observe(self, tree=tree and self.looks + 1 < self.blind_from)


class LeapingClock(SystemClock):
    """Goes `ahead` seconds before the real one."""

    ahead = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead


@contextlib.asynccontextmanager
async def slow_to_perceive(
    folder: Path, *, blind_from: int = 10**6, clock: Clock | None = None
) -> AsyncIterator[tuple[Stage, SlowPerceiver]]:
    shelf, scripts = Shelf(Blinking(blind_from=blind_from)), Scripts()
    perceiver = SlowPerceiver(Pipeline(None, ocr="never"))
    try:
        parts = Parts(source=shelf, perceiver=perceiver, policies=scripts, clock=clock)
        async with running(settings(folder), parts) as wired:
            yield Stage(wired, shelf, scripts), perceiver
    finally:
        perceiver.pipeline.close()
