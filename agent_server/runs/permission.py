"""What only the phone's owner can permit: that pictures of it leave this machine."""

from __future__ import annotations

from agent_server.runs import speak
from agent_server.runs.cast import Cast, end
from agent_server.runs.model import Ending, Option, OutcomeCode, QuestionKind, QuestionState, Run
from agent_server.runs.phrases import Lang
from agent_server.runs.questions import Draft

OPTIONS: dict[Lang, tuple[Option, ...]] = {
    "en": (Option(id="allow", label="Allow for this phone"), Option(id="deny", label="No")),
    "zh": (Option(id="allow", label="允许这部手机"), Option(id="deny", label="不允许")),
}


async def may_send(run: Run, cast: Cast) -> Ending | None:
    """None when pictures may go where the policy sends them; else the end of a run that has sent nothing more.

    Looked up before each step, so a consent that is taken back is asked for anew. A yes is remembered for the phone
    and the host; a no, and no answer, end the run.
    """
    needs = cast.policy.needs
    host = cast.consents.needed(needs)
    if not host or await cast.consents.given(run.serial, host):
        return None
    model = needs.remote_model or run.policy
    wanted = {"host": host, "model": model, "serial": run.serial, "policy": run.policy}
    draft = Draft(
        kind=QuestionKind.APPROVAL,
        prompt=speak.may_send(wanted, run.lang),
        options=OPTIONS[speak.language(run.lang)],
        default="deny",
        why=speak.reason("consent", run.lang),
        data={"cause": "consent", "consent": wanted},
    )
    with cast.watch.paused():
        asked = await cast.desk.ask(run.id, run.lang, cast.record.step, draft, cast.record, cast.latch)
    if asked.state is QuestionState.ANSWERED and asked.answer == "allow":
        await cast.consents.remember(run.serial, host, model=model, run_id=run.id)
        return None
    denied = asked.state is QuestionState.ANSWERED
    return end(run, OutcomeCode.DENIED, "consent-denied" if denied else "consent-unanswered")
