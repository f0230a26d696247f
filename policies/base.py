"""The contract of a policy: an observation in, a decision out, and no memory in between.

What a policy must remember comes back to it in `history`; so the same object runs live, after a restart, and
on recorded episodes. Some look back at a step in a call of its own (`Reflective`), which costs no time while the
phone acts.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol, runtime_checkable

from device.actions import Action
from device.base import Answer
from device.frame import Frame
from perception.screen import Element, Screen


class Status(StrEnum):
    """How a policy ends a run."""

    COMPLETE = "complete"
    IMPOSSIBLE = "impossible"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """The policy has nothing left to do. `answer` is for tasks that ask for information."""

    status: Status
    reason: str = ""
    answer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A question to the person. With `options` it is a choice, otherwise free text is expected."""

    prompt: str
    options: tuple[str, ...] = ()
    reason: str = ""


Choice = Action | Finish | Ask


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What asking models cost: failed calls count as well. None means unknown, 0 means none."""

    input_tokens: int | None = 0
    output_tokens: int | None = 0
    calls: int = 0
    cost_usd: float | None = 0.0

    @property
    def tokens(self) -> int | None:
        """Both kinds together."""
        return _sum(self.input_tokens, self.output_tokens)

    def __add__(self, other: Usage) -> Usage:
        """Both together; what is unknown of one is unknown of the sum."""
        return Usage(
            input_tokens=_sum(self.input_tokens, other.input_tokens),
            output_tokens=_sum(self.output_tokens, other.output_tokens),
            calls=self.calls + other.calls,
            cost_usd=None if self.cost_usd is None or other.cost_usd is None else self.cost_usd + other.cost_usd,
        )


UNKNOWN_CALL = Usage(input_tokens=None, output_tokens=None, calls=1, cost_usd=None)
"""A call that nobody told the price of: its answer never came, or came without a count."""


def _sum(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else first + second


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflection:
    """What a policy makes of a step when it looks back: its memo, a line for people, and what that alone cost."""

    memo: str
    summary: str = ""
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What to do next, and why.

    `element` is the one that was meant, on the very screen the policy saw; the choice carries its place.
    `memo` is handed back verbatim in the history; it must not hold secrets. `raw` is the model's own words.
    """

    choice: Choice
    thought: str = ""
    summary: str = ""
    element: Element | None = None
    memo: str = ""
    raw: str = field(default="", repr=False)
    usage: Usage = Usage()

    def reflected(self, reflection: Reflection) -> Decision:
        """The same choice with what was made of it afterwards."""
        summary = reflection.summary or self.summary
        return replace(self, memo=reflection.memo, summary=summary, usage=self.usage + reflection.usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One step that lies behind: the decision and what became of it.

    `sent` and `changed` as in `device.base.Outcome`; a decision that was refused by the gate or denied by
    the person has `sent=no` and the reason in `note`. `reply` is the person's answer to an `Ask`. `frame` is the
    picture that was decided on, covered as the policy saw it; only the last turns have one (`Needs.pictures`).
    """

    step: int
    decision: Decision
    sent: Answer = Answer.NO
    changed: Answer = Answer.UNKNOWN
    note: str = ""
    reply: str = ""
    frame: Frame | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """Everything a policy may know: the goal in the person's words, the screen, what has been done."""

    goal: str
    screen: Screen
    history: tuple[Turn, ...] = ()
    lang: str = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What a policy wants computed before it is asked, and where it sends pictures of the screen, if anywhere.

    `remote_model` names the model for people; `remote_host` is its host, with a port where that is unusual.
    `pictures`: of how many steps that lie behind the pictures are kept for it.
    """

    elements: bool = True
    tree: bool = True
    pictures: int = 0
    remote_model: str = ""
    remote_host: str = ""


class Policy(Protocol):
    """Decides and does nothing else. Raises `policies.errors.PolicyError`."""

    name: str
    needs: Needs

    async def decide(self, observation: Observation) -> Decision: ...


class Moment(StrEnum):
    """What a reflection waits for, and so what it runs beside."""

    DECIDED = "decided"  # nothing more: it runs while the phone acts, settles, and is looked at again
    SEEN = "seen"  # the first picture of what came of the step: it runs while that picture is perceived


@dataclass(frozen=True, slots=True, kw_only=True)
class Aftermath:
    """What came of a step: its turn, and the next picture with password boxes painted over."""

    turn: Turn
    frame: Frame


@runtime_checkable
class Reflective(Policy, Protocol):
    """A policy that looks back at each step in a call of its own; `reflects` None switches that off.

    The run asks for it once per step, unless the step ended the run, and puts its memo into the history before the
    next decision. It may fail or be cut off: the history then has the decision and what became of it, without memo.
    """

    reflects: Moment | None

    async def reflect(self, observation: Observation, decision: Decision, after: Aftermath | None = None) -> Reflection:
        """`after` is given when `reflects` is SEEN. Raises PolicyError."""
        ...


@runtime_checkable
class Closable(Protocol):
    """A policy that holds connections. The run closes it when it ends, whatever way it ends."""

    async def close(self) -> None: ...
