"""The contract of a policy: an observation in, a decision out, and no memory in between.

What a policy must remember comes back to it in `history`; so the same object runs live, after a restart, and
on recorded episodes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from device.actions import Action
from device.base import Answer
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
    """What a decision cost. None means unknown, 0 means none."""

    input_tokens: int | None = 0
    output_tokens: int | None = 0
    calls: int = 0
    cost_usd: float | None = 0.0


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One step that lies behind: the decision and what became of it.

    `sent` and `changed` as in `device.base.Outcome`; a decision that was refused by the gate or denied by
    the person has `sent=no` and the reason in `note`. `reply` is the person's answer to an `Ask`.
    """

    step: int
    decision: Decision
    sent: Answer = Answer.NO
    changed: Answer = Answer.UNKNOWN
    note: str = ""
    reply: str = ""


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
    """

    elements: bool = True
    tree: bool = True
    remote_model: str = ""
    remote_host: str = ""


class Policy(Protocol):
    """Decides and does nothing else. Raises `policies.errors.PolicyError`."""

    name: str
    needs: Needs

    async def decide(self, observation: Observation) -> Decision: ...
