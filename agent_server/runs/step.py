"""One step of a run: observe, perceive, decide, gate, act, record; and beside the act, what the policy makes of it.

Each phase is on record before the next begins. The intent to touch the phone is committed before the touch
and its effect after; nothing is ever sent twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from agent_server.runs import gate, speak
from agent_server.runs.acting import carry_out, perceive
from agent_server.runs.budget import Halted, OutOfTime
from agent_server.runs.cast import Cast, Lived, Proposal, Sight, end
from agent_server.runs.gate import Deed
from agent_server.runs.model import Ending, Option, OutcomeCode, QuestionKind, QuestionState, Run
from agent_server.runs.pictures import cover_early, prepare
from agent_server.runs.questions import Draft, label_of
from device.actions import TypeText
from device.base import Answer
from perception.screen import Element, Screen
from policies.base import UNKNOWN_CALL, Ask, Decision, Finish, Observation, Status, Turn
from policies.errors import PolicyError, Unparsable


async def take_step(n: int, run: Run, past: Sequence[Lived], cast: Cast) -> Lived | Ending:
    """One look, one decision, at most one act.

    Raises DeviceError, PolicyError, Halted, OutOfTime, OutOfBudget, LeaseLost.
    """
    await cast.record.step_started(n)
    sight = await _look(n, past, cast)
    past = corrected(past, sight.view.late_change)
    cast.checkpoint("in_policy", n)
    proposal = await _decide(n, run, sight, past, cast)
    match proposal.decision.choice:
        case Finish() as finish:
            await cast.record.step_ended(n)
            return _finished(finish, run)
        case Ask() as question:
            lived = await _ask(proposal, question, cast)
        case action:
            lived = await carry_out(proposal, action, cast)
    if isinstance(lived, Ending):
        return lived
    await cast.record.step_ended(n, lived.turn.reply)
    return replace(lived, turn=replace(lived.turn, frame=sight.screen.frame), late=sight.view.late_change)


def corrected(past: Sequence[Lived], late_change: bool) -> tuple[Lived, ...]:
    """A phone under load moves late: whether an act that seemed to change nothing did so is then unknown."""
    followed = [*(one.late for one in past[1:]), late_change]
    return tuple(_doubted(one) if late else one for one, late in zip(past, followed, strict=False))


def _doubted(lived: Lived) -> Lived:
    if (lived.turn.sent, lived.turn.changed) != (Answer.YES, Answer.NO):
        return lived
    return replace(
        lived,
        turn=replace(lived.turn, changed=Answer.UNKNOWN),
        deed=replace(lived.deed, changed=Answer.UNKNOWN),
    )


async def _look(n: int, past: Sequence[Lived], cast: Cast) -> Sight:
    """Observe and perceive. A policy that looks back at a picture gets this one as early as it may be shown."""
    view = await cast.within(cast.device.observe())
    await cast.record.observed(n, view)
    if past and cast.hindsight.waits_for_picture:
        early = await asyncio.to_thread(cover_early, view, cast.vault)
        if early is not None:
            cast.hindsight.seen(past[-1].turn, early)
    screen = await cast.within(perceive(cast, view))
    if past and cast.hindsight.waits_for_picture:
        cast.hindsight.seen(past[-1].turn, screen.frame)
    await cast.record.perceived(n, view, screen, await asyncio.to_thread(prepare, screen, cast.overlay_width))
    return Sight(view, screen)


async def _decide(n: int, run: Run, sight: Sight, past: Sequence[Lived], cast: Cast) -> Proposal:
    """Ask the policy, once the last step's memo is there and if the run may still pay for it."""
    cast.record.lap()
    turns = await cast.within(cast.hindsight.told([one.turn for one in past]))
    waited = cast.record.lap() if cast.hindsight.active else None
    cast.record.allowance.check()
    seen = Observation(goal=run.task, screen=sight.screen, history=turns, lang=run.lang)
    decision = await _decision(n, seen, cast)
    decision = replace(decision, element=_real(decision.element, sight.screen))
    target, secret = _target(decision, sight.screen), _secret(decision, sight.screen)
    await cast.record.decided(n, decision, target, secret=secret, waited=waited)
    return Proposal(
        n=n,
        run=run,
        sight=sight,
        observation=seen,
        decision=decision,
        target=target,
        secret=secret,
        deeds=tuple(one.deed for one in past),
    )


async def _decision(n: int, seen: Observation, cast: Cast) -> Decision:
    """What a decision cost that did not come about is on record all the same."""
    try:
        return await cast.within(cast.policy.decide(seen))
    except PolicyError as error:
        await cast.record.undecided(n, error.usage, error.raw if isinstance(error, Unparsable) else "")
        raise
    except (Halted, OutOfTime):
        if cast.policy.needs.remote_model:
            await cast.record.undecided(n, UNKNOWN_CALL)
        raise


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


async def _ask(step: Proposal, question: Ask, cast: Cast) -> Lived | Ending:
    """Put the policy's own question to the person."""
    run, screen = step.run, step.sight.screen
    sign = gate.signature(question, None)
    if step.n > cast.rules.budgets.steps:
        return end(run, OutcomeCode.OUT_OF_STEPS, "out-of-steps")
    if len(gate.repeats(sign, screen, step.deeds)) >= 2:
        return end(run, OutcomeCode.STUCK, "same-question")
    cast.hindsight.begin(step.pondered)
    options = tuple(Option(id=str(i), label=label) for i, label in enumerate(question.options, 1))
    kind = QuestionKind.CHOICE if options else QuestionKind.TEXT
    draft = Draft(kind=kind, prompt=question.prompt, options=options, why=question.reason)
    with cast.watch.paused():
        asked = await cast.desk.ask(run.id, run.lang, step.n, draft, cast.record, cast.latch)
    reply = label_of(asked, asked.answer or "") if asked.state is QuestionState.ANSWERED else ""
    note = "" if reply else speak.reason("no-answer", run.lang)
    deed = Deed(fingerprint=gate.fingerprint(screen), signature=sign, changed=Answer.NO)
    return Lived(Turn(step=step.n, decision=step.decision, note=note, reply=reply), deed)
