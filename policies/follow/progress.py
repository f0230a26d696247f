"""Where `follow` is in its steps: read from the history at every decision, never kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from typing import Any

from policies.base import Turn
from policies.errors import PolicyError


class Phase(StrEnum):
    """What the last decision was for."""

    START = "start"  # nothing has been done for the step yet
    ACTED = "acted"  # the act that completes the step
    FOCUSED = "focused"  # touching a field, to type next
    SEARCH = "search"  # scrolling for the target
    CLIMB = "climb"  # going up a page of the app that was just opened
    UNCOVER = "uncover"  # putting the keyboard away
    LOOK = "look"  # waiting a moment for a second look
    CHOOSE = "choose"  # asking which of several is meant
    READING = "reading"  # asking whether the last words are a field or text
    ASK = "ask"  # asking whether to try again, skip or stop


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The step that is worked on and what has been done for it. Holds no text that was typed or read.

    `down` and `up` count swipes of the search; `turned` says that it has seen the lower end and goes back,
    `exhausted` that it is at the top again; `climbs` counts pages gone up. `among` and `chosen` are digests of
    element keys. `blind`: what was touched did not show whether it was on. `looked`: a second look has been
    taken; `for_` says after what. `words`: the person says that the last words are "field" or "text". `unclear`
    counts replies that were not understood.
    """

    step: int = 0
    phase: Phase = Phase.START
    tries: int = 0
    down: int = 0
    up: int = 0
    turned: bool = False
    exhausted: bool = False
    climbs: int = 0
    uncovered: bool = False
    looked: bool = False
    for_: Phase = Phase.START
    blind: bool = False
    unclear: int = 0
    among: tuple[str, ...] = ()
    chosen: str = ""
    words: str = ""
    skipped: int = 0

    def next_step(self, *, skipped: bool = False) -> Progress:
        return Progress(step=self.step + 1, skipped=self.skipped + skipped)

    def again(self) -> Progress:
        """The same step from its beginning; what the person has said about it stays."""
        return Progress(step=self.step, tries=self.tries, chosen=self.chosen, words=self.words, skipped=self.skipped)

    def memo(self) -> str:
        """For `Decision.memo`: what differs from a fresh start, as JSON."""
        fresh = asdict(Progress())
        return json.dumps({name: value for name, value in asdict(self).items() if value != fresh[name]})


def read(history: Sequence[Turn]) -> tuple[Progress, Turn | None]:
    """The progress that our last decision left, and that turn; turns of others in between are passed over.

    Raises PolicyError when the history holds turns, but none of ours.
    """
    for turn in reversed(history):
        progress = _progress(turn.decision.memo)
        if progress is not None:
            return progress, turn
    if history:
        raise PolicyError(
            "The history holds no decision of the policy follow.",
            advice="Start the run anew; what another policy has begun cannot be continued.",
        )
    return Progress(), None


def _progress(memo: str) -> Progress | None:
    try:
        values: Any = json.loads(memo)
    except ValueError:
        return None
    if not isinstance(values, dict):
        return None
    fresh = Progress()
    for one in fields(Progress):
        value = values.get(one.name, getattr(fresh, one.name))
        kind = type(getattr(fresh, one.name))
        if kind is Phase and value in list(Phase):
            value = Phase(value)
        elif kind is tuple and isinstance(value, list) and all(isinstance(part, str) for part in value):
            value = tuple(value)
        if type(value) is not kind:
            return None
        values[one.name] = value
    return replace(fresh, **values) if values.keys() <= {one.name for one in fields(Progress)} else None
