"""Where `follow` is in its steps: rebuilt from the history at every decision, never kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

from policies.base import Turn
from policies.errors import PolicyError

Did = Literal["", "act", "focus", "scroll", "unblock", "which", "unchanged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The step that was worked on and what was just done for it.

    `scrolls` counts the looks taken by scrolling, `turned` says that the search goes back up, `unblocked` that
    the keyboard was already put away for this step, `asked` counts questions, `chosen` is a person's pick.
    """

    at: int = 0
    did: Did = ""
    scrolls: int = 0
    turned: bool = False
    unblocked: bool = False
    focused: bool = False
    asked: int = 0
    chosen: int = -1

    def next_step(self) -> Progress:
        return Progress(at=self.at + 1)

    def doing(self, did: Did) -> Progress:
        return replace(self, did=did)

    def memo(self) -> str:
        """For `Decision.memo`: numbers and flags only, so that nothing typed or read is in it."""
        plain = asdict(Progress())
        return json.dumps({name: value for name, value in asdict(self).items() if value != plain[name]})


def read(history: Sequence[Turn]) -> Progress:
    """The progress that the last decision left. Raises PolicyError when the memo is not one of ours."""
    if not history:
        return Progress()
    memo = history[-1].decision.memo
    try:
        return Progress(**json.loads(memo))
    except (ValueError, TypeError) as error:
        raise PolicyError(
            f"the history holds a memo that `follow` did not write: {memo[:80]!r}",
            advice="Start the run anew; histories of other policies cannot be continued.",
        ) from error
