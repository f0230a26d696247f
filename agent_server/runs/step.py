"""One step of a run: observe, perceive, decide, gate, act, record.

Each phase is on record before the next begins. The intent to touch the phone is committed before the touch
and its effect after; nothing is ever sent twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from agent_server.runs import gate, speak
from agent_server.runs.budget import Brake, Halted, Latch, Stopwatch
from agent_server.runs.gate import Admit, AskPerson, Conclude, Deed, Refuse, Rules, Verdict
from agent_server.runs.journal import RunRecord, act_json
from agent_server.runs.model import Ending, Option, OutcomeCode, QuestionKind, QuestionState, Run
from agent_server.runs.pictures import cover, prepare
from agent_server.runs.questions import APPROVAL, Desk, Draft, label_of
from device.actions import Action, TypeText, Wait
from device.base import Answer, Device, Outcome, View
from device.errors import (
    DeviceError,
    DeviceNotFound,
    DeviceOffline,
    DeviceUnauthorized,
    LinkLost,
    ServerUnavailable,
)
from perception.base import Perceiver
from perception.screen import Element, Screen
from policies.base import Ask, Decision, Finish, Observation, Policy, Status, Turn

T = TypeVar("T")
Checkpoint = Callable[[str, int], None]
"""Called with the name of a point and the step's number; tests of recovery end the process in it."""

GONE = (LinkLost, DeviceOffline, DeviceNotFound, DeviceUnauthorized, ServerUnavailable)
"""Errors after which looking again is pointless: the phone is not there any more."""
ACT_GRACE = 3.0
"""Seconds that an act in progress gets to end after a stop; the longest gesture takes two and then settles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """Everybody who has a part in a run."""

    device: Device
    perceiver: Perceiver
    policy: Policy
    record: RunRecord
    desk: Desk
    latch: Latch
    brake: Brake
    watch: Stopwatch
    rules: Rules
    checkpoint: Checkpoint
    overlay_width: int

    async def within(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for it, but not after a stop and not beyond the run's time."""
        return await self.latch.during(work, self.watch.left)


@dataclass(frozen=True, slots=True)
class Lived:
    """A step that lies behind: what the policy is told of it, and what the gate remembers."""

    turn: Turn
    deed: Deed


@dataclass(frozen=True, slots=True)
class Sight:
    """What a look gave. Password boxes in the screen's picture are painted over."""

    view: View
    screen: Screen


async def take_step(n: int, run: Run, past: Sequence[Lived], cast: Cast) -> Lived | Ending:
    """One look, one decision, at most one act. Raises DeviceError, PolicyError, Halted, OutOfTime, LeaseLost."""
    await cast.record.step_started(n)
    view = await cast.within(cast.device.observe())
    await cast.record.observed(n, view)
    screen = await cast.within(_perceive(cast, view))
    await cast.record.perceived(n, view, screen, await asyncio.to_thread(prepare, screen, cast.overlay_width))
    cast.checkpoint("in_policy", n)
    seen = Observation(goal=run.task, screen=screen, history=tuple(one.turn for one in past), lang=run.lang)
    decision = await cast.within(cast.policy.decide(seen))
    decision = replace(decision, element=_real(decision.element, screen))
    target = _target(decision, screen)
    await cast.record.decided(n, decision, target, secret=_secret(decision, screen))
    deeds = [one.deed for one in past]
    match decision.choice:
        case Finish() as finish:
            await cast.record.step_ended(n)
            return _finished(finish, run)
        case Ask() as question:
            lived = await _ask(n, run, question, decision, screen, deeds, cast)
        case action:
            lived = await _gate(n, run, action, decision, Sight(view, screen), target, deeds, cast)
    if isinstance(lived, Lived):
        await cast.record.step_ended(n, lived.turn.reply)
    return lived


async def _perceive(cast: Cast, view: View) -> Screen:
    return await asyncio.to_thread(cover, await cast.perceiver.perceive(view))


def _real(element: Element | None, screen: Screen) -> Element | None:
    # A policy of a third party may hand back anything; only what is on this screen counts.
    return element if element is not None and screen.element(element.mark) == element else None


def _target(decision: Decision, screen: Screen) -> Element | None:
    if isinstance(decision.choice, Finish | Ask):
        return None
    return gate.target_of(decision.choice, decision.element, screen)


def _secret(decision: Decision, screen: Screen) -> bool:
    return isinstance(decision.choice, TypeText) and gate.takes_secret(decision.element, screen)


def _finished(finish: Finish, run: Run) -> Ending:
    code = OutcomeCode.COMPLETE if finish.status is Status.COMPLETE else OutcomeCode.IMPOSSIBLE
    return Ending(code=code, summary=finish.reason, answer=finish.answer)


def _facts(run: Run) -> dict[str, Any]:
    return {"steps": run.budgets.steps, "seconds": round(run.budgets.seconds)}


def end(run: Run, code: OutcomeCode, cause: str) -> Ending:
    """An ending that the service itself decided on, with its sentence in the run's language."""
    return Ending(code=code, summary=speak.reason(cause, run.lang, **_facts(run)), cause=cause)


async def _ask(
    n: int, run: Run, question: Ask, decision: Decision, screen: Screen, deeds: list[Deed], cast: Cast
) -> Lived | Ending:
    """Put the policy's own question to the person."""
    sign = gate.signature(question, None)
    if n > cast.rules.budgets.steps:
        return end(run, OutcomeCode.OUT_OF_STEPS, "out-of-steps")
    if len(gate.repeats(sign, screen, deeds)) >= 2:
        return end(run, OutcomeCode.STUCK, "same-question")
    options = tuple(Option(id=str(i), label=label) for i, label in enumerate(question.options, 1))
    kind = QuestionKind.CHOICE if options else QuestionKind.TEXT
    draft = Draft(kind=kind, prompt=question.prompt, options=options, why=question.reason)
    with cast.watch.paused():
        asked = await cast.desk.ask(run.id, run.lang, n, draft, cast.record, cast.latch)
    reply = label_of(asked, asked.answer or "") if asked.state is QuestionState.ANSWERED else ""
    note = "" if reply else speak.reason("no-answer", run.lang)
    deed = Deed(fingerprint=gate.fingerprint(screen), signature=sign, changed=Answer.NO)
    return Lived(Turn(step=n, decision=decision, note=note, reply=reply), deed)


async def _gate(
    n: int,
    run: Run,
    action: Action,
    decision: Decision,
    sight: Sight,
    target: Element | None,
    deeds: list[Deed],
    cast: Cast,
) -> Lived | Ending:
    """Let the act through, ask the person first, or keep it from the phone."""
    verdict = gate.judge(
        action,
        decision.element,
        sight.screen,
        deeds,
        rules=cast.rules,
        step=n,
        seconds_left=cast.watch.left,
    )
    deed = Deed(fingerprint=gate.fingerprint(sight.screen), signature=gate.signature(action, decision.element))
    await cast.record.judged(n, type(verdict).__name__.lower(), _why(verdict, run))
    match verdict:
        case Conclude(code, cause):
            return end(run, code, cause)
        case Refuse(cause):
            return await _kept(n, run, action, decision, target, deed, cause, cast)
        case AskPerson():
            refusal = await _approval(n, run, action, target, verdict, cast)
            if refusal:
                denied = replace(deed, denied=refusal)
                return await _kept(n, run, action, decision, target, denied, refusal, cast)
            fresh = await _look_again(action, sight, cast)
            if fresh is None:
                return await _kept(n, run, action, decision, target, deed, "screen-changed", cast)
            outcome = await _act(n, run, action, fresh, target, cast)
            return Lived(_turn(n, decision, outcome, ""), replace(deed, changed=outcome.changed))
        case Admit(cause):
            outcome = await _act(n, run, action, sight.view, target, cast)
            note = speak.reason(cause, run.lang) if cause and outcome.changed is not Answer.YES else ""
            return Lived(_turn(n, decision, outcome, note), replace(deed, changed=outcome.changed))


def _why(verdict: Verdict, run: Run) -> str:
    word = verdict.word if isinstance(verdict, AskPerson) else ""
    return speak.reason(verdict.cause, run.lang, word=word, **_facts(run)) if verdict.cause else ""


def _turn(n: int, decision: Decision, outcome: Outcome, note: str) -> Turn:
    said = " ".join(part for part in (outcome.note, note) if part)
    return Turn(step=n, decision=decision, sent=outcome.sent, changed=outcome.changed, note=said)


async def _kept(
    n: int, run: Run, action: Action, decision: Decision, target: Element | None, deed: Deed, cause: str, cast: Cast
) -> Lived:
    """The act stays undone, and the policy is told why."""
    reason = speak.reason(cause, run.lang, **_facts(run))
    await cast.record.blocked(n, action, target, cause, reason)
    turn = Turn(step=n, decision=decision, sent=Answer.NO, changed=Answer.NO, note=reason)
    return Lived(turn, replace(deed, changed=Answer.NO))


async def _approval(n: int, run: Run, action: Action, target: Element | None, verdict: AskPerson, cast: Cast) -> str:
    """An empty string for yes, else the cause of the no."""
    told = act_json(action, target)
    lang = speak.language(run.lang)
    draft = Draft(
        kind=QuestionKind.APPROVAL,
        prompt=speak.may_i(told, run.lang),
        options=APPROVAL[lang],
        default="deny",
        why=_why(verdict, run),
        data={**told, "cause": verdict.cause},
    )
    with cast.watch.paused():
        asked = await cast.desk.ask(run.id, run.lang, n, draft, cast.record, cast.latch)
    if asked.state is not QuestionState.ANSWERED:
        return "no-answer"
    return "" if asked.answer == "allow" else "said-no"


async def _look_again(action: Action, sight: Sight, cast: Cast) -> View | None:
    """A person takes time: the yes holds only if what lies under the finger is still what they agreed to."""
    view = await cast.within(cast.device.observe())
    screen = await cast.within(_perceive(cast, view))
    same = gate.touched_text(action, None, screen) == gate.touched_text(action, None, sight.screen)
    return view if same and screen.foreground.package == sight.screen.foreground.package else None


async def _act(n: int, run: Run, action: Action, on: View, target: Element | None, cast: Cast) -> Outcome:
    """Intent, touch, effect. Raises Halted or a DeviceError when the run cannot go on, after the record is made."""
    cast.checkpoint("before_intent", n)
    await cast.record.planned(n, action, target)
    cast.checkpoint("after_intent", n)
    cast.checkpoint("before_injection", n)
    try:
        cast.latch.check()
        outcome = await _send(action, on, cast)
    except Halted:
        reason = speak.reason("stopped-before-sent", run.lang)
        await cast.record.effect(n, action, target, _unsent(reason), reason)
        raise
    except DeviceError as error:
        reason = speak.reason(error.code, run.lang, said=str(error))
        await cast.record.effect(n, action, target, _unsent(str(error)), reason)
        if isinstance(error, GONE):
            raise
        return _unsent(str(error))
    cast.checkpoint("after_injection", n)
    await cast.record.effect(n, action, target, outcome)
    cast.checkpoint("after_effect", n)
    cast.latch.check()
    return outcome


async def _send(action: Action, on: View, cast: Cast) -> Outcome:
    idle = isinstance(action, Wait)
    outcome = await cast.latch.unless(cast.device.act(action, on=on), 0.0 if idle else ACT_GRACE)
    if outcome is None:
        # Cut off in the middle: a wait has touched nothing, anything else may have reached the phone.
        return Outcome(sent=Answer.NO if idle else Answer.UNKNOWN, path="", changed=Answer.UNKNOWN)
    return outcome


def _unsent(note: str) -> Outcome:
    return Outcome(sent=Answer.NO, path="", changed=Answer.NO, note=note)
