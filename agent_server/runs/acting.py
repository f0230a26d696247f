"""From a proposal to the phone: the gate, the person's yes, and one act that is never sent twice."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

from agent_server import secrets
from agent_server.errors import UnknownSecret
from agent_server.runs import gate, speak
from agent_server.runs.budget import Halted
from agent_server.runs.cast import Cast, Lived, Proposal, Sight, end
from agent_server.runs.gate import Admit, AskPerson, Conclude, Deed, Keys, Refuse, Verdict
from agent_server.runs.journal import act_json
from agent_server.runs.model import Ending, QuestionKind, QuestionState, Run
from agent_server.runs.pictures import cover
from agent_server.runs.questions import APPROVAL, Draft
from device.actions import Action, TypeText, Wait
from device.base import Answer, Outcome, View
from device.errors import (
    DeviceError,
    DeviceNotFound,
    DeviceOffline,
    DeviceUnauthorized,
    LinkLost,
    ServerUnavailable,
)
from device.geometry import Box
from perception.screen import Screen
from policies.base import Turn

GONE = (LinkLost, DeviceOffline, DeviceNotFound, DeviceUnauthorized, ServerUnavailable)
"""Errors after which looking again is pointless: the phone is not there any more."""
WHOLE = (Box(0.0, 0.0, 1.0, 1.0),)
ACT_GRACE = 3.0
"""Seconds that an act in progress gets to end after a stop; the longest gesture takes two and then settles."""


async def perceive(cast: Cast, view: View) -> Screen:
    """The elements of a look, with what nobody may see painted over."""
    covered = await asyncio.to_thread(cover, await cast.perceiver.perceive(view), view, cast.vault)
    cast.record.private = covered.boxes
    return covered.screen


async def carry_out(step: Proposal, action: Action, cast: Cast) -> Lived | Ending:
    """Let the act through, ask the person first, or keep it from the phone."""
    screen, element = step.sight.screen, step.decision.element
    verdict = gate.judge(
        action,
        element,
        screen,
        step.deeds,
        rules=cast.rules,
        step=step.n,
        seconds_left=cast.watch.left,
        keys=_keys(step, cast),
    )
    deed = Deed(fingerprint=gate.fingerprint(screen), signature=gate.signature(action, element))
    await cast.record.judged(step.n, type(verdict).__name__.lower(), _why(verdict, step.run))
    match verdict:
        case Conclude(code, cause):
            return end(step.run, code, cause)
        case Refuse(cause):
            return await _kept(step, action, deed, cause, cast)
        case AskPerson():
            refusal = await _approval(step, action, verdict, cast)
            if refusal:
                return await _kept(step, action, replace(deed, denied=refusal), refusal, cast)
            fresh = await _look_again(action, step.sight, cast)
            if fresh is None:
                return await _kept(step, action, deed, "screen-changed", cast)
            outcome = await _act(step, action, fresh, cast)
            return _lived(step, outcome, "", deed)
        case Admit(cause):
            outcome = await _act(step, action, step.sight.view, cast)
            note = speak.reason(cause, step.run.lang) if cause and outcome.changed is not Answer.YES else ""
            return _lived(step, outcome, note, deed)


def _keys(step: Proposal, cast: Cast) -> Keys:
    """The person names a secret in the task, in the policy's parameters, or in an answer of theirs."""
    replies = [turn.reply for turn in step.observation.history]
    named = secrets.names_in([step.run.task, step.run.params, replies])
    return Keys(kept=frozenset(cast.vault.names()), named=named)


def _why(verdict: Verdict, run: Run) -> str:
    if not verdict.cause:
        return ""
    facts = {"word": verdict.word, "name": verdict.name} if isinstance(verdict, AskPerson) else {}
    return speak.reason(verdict.cause, run.lang, **facts, **speak.bounds(run.budgets))


def _lived(step: Proposal, outcome: Outcome, note: str, deed: Deed) -> Lived:
    said = " ".join(part for part in (outcome.note, note) if part)
    turn = Turn(step=step.n, decision=step.decision, sent=outcome.sent, changed=outcome.changed, note=said)
    return Lived(turn, replace(deed, changed=outcome.changed))


async def _kept(step: Proposal, action: Action, deed: Deed, cause: str, cast: Cast) -> Lived:
    """The act stays undone, and the policy is told why."""
    reason = speak.reason(cause, step.run.lang, **speak.bounds(step.run.budgets))
    await cast.record.blocked(step.n, action, step.target, cause, reason)
    cast.hindsight.begin(step.pondered)
    turn = Turn(step=step.n, decision=step.decision, sent=Answer.NO, changed=Answer.NO, note=reason)
    return Lived(turn, replace(deed, changed=Answer.NO))


async def _approval(step: Proposal, action: Action, verdict: AskPerson, cast: Cast) -> str:
    """An empty string for yes, else the cause of the no."""
    run = step.run
    told = act_json(action, step.target)
    draft = Draft(
        kind=QuestionKind.APPROVAL,
        prompt=speak.may_i(told, run.lang),
        options=APPROVAL[speak.language(run.lang)],
        default="deny",
        why=_why(verdict, run),
        data={**told, "cause": verdict.cause},
    )
    with cast.watch.paused():
        asked = await cast.desk.ask(run.id, run.lang, step.n, draft, cast.record, cast.latch)
    if asked.state is not QuestionState.ANSWERED:
        return "no-answer"
    return "" if asked.answer == "allow" else "said-no"


async def _look_again(action: Action, sight: Sight, cast: Cast) -> View | None:
    """A person takes time: the yes holds only if what lies under the finger is still what they agreed to."""
    view = await cast.within(cast.device.observe())
    screen = await cast.within(perceive(cast, view))
    return view if gate.same_aim(action, sight.screen, screen) else None


async def _act(step: Proposal, action: Action, on: View, cast: Cast) -> Outcome:
    """Intent, touch, effect. Raises Halted or a DeviceError when the run cannot go on, after the record is made."""
    n, run, target = step.n, step.run, step.target
    cast.checkpoint("before_intent", n)
    await cast.record.planned(n, action, target)
    cast.checkpoint("after_intent", n)
    cast.checkpoint("before_injection", n)
    try:
        cast.latch.check()
        # From here on the policy looks back at the step while the phone acts and settles.
        cast.hindsight.begin(step.pondered)
        outcome = await _send(action, on, cast)
    except Halted:
        reason = speak.reason("stopped-before-sent", run.lang)
        await cast.record.effect(n, action, target, _unsent(reason), reason)
        raise
    except UnknownSecret:
        # It was taken away while the person was asked.
        reason = speak.reason("unknown-secret", run.lang)
        await cast.record.effect(n, action, target, _unsent(reason), reason)
        return _unsent(reason)
    except DeviceError as error:
        said = cast.record.redactor.conceal(str(error))
        reason = speak.reason(error.code, run.lang, said=said)
        await cast.record.effect(n, action, target, _unsent(said), reason)
        if isinstance(error, GONE):
            raise
        return _unsent(said)
    cast.checkpoint("after_injection", n)
    await cast.record.effect(n, action, target, outcome)
    cast.checkpoint("after_effect", n)
    cast.latch.check()
    return outcome


async def _send(action: Action, on: View, cast: Cast) -> Outcome:
    """Hand the act to the phone. Raises UnknownSecret before anything is sent."""
    if isinstance(action, TypeText) and secrets.names_in(action.text):
        resolved = replace(action, text=cast.vault.resolve(action.text))
        # Until the next look tells where the secret stands, whoever watches sees nothing.
        cast.record.private = WHOLE
        return _discreet(await _hand_over(resolved, on, cast))
    return await _hand_over(action, on, cast)


async def _hand_over(action: Action, on: View, cast: Cast) -> Outcome:
    idle = isinstance(action, Wait)
    outcome = await cast.latch.unless(cast.device.act(action, on=on), 0.0 if idle else ACT_GRACE)
    if outcome is None:
        # Cut off in the middle: a wait has touched nothing, anything else may have reached the phone.
        return Outcome(sent=Answer.NO if idle else Answer.UNKNOWN, path="", changed=Answer.UNKNOWN)
    return outcome


def _discreet(outcome: Outcome) -> Outcome:
    """What may be told of a typed secret: not what the field holds, nor how long that is."""
    return replace(outcome, landed=None, note=re.sub(r"\d+", "some", outcome.note))


def _unsent(note: str) -> Outcome:
    return Outcome(sent=Answer.NO, path="", changed=Answer.NO, note=note)
