"""What can go wrong while deciding.

PolicyError
├── UnknownPolicy       no policy has that name
├── UnreadableTask      the policy cannot read the task; says which words
└── Unparsable          a model's answer does not fit its dialect
"""

from __future__ import annotations

from typing import Self

from policies.base import Usage


class PolicyError(Exception):
    """A policy could not decide. `advice` says what a person can do about it.

    `usage` is what was spent on the attempt. `lasting` says that asking again in the same run cannot help; `usually` is
    the advice where there is no better one.
    """

    code = "policy-error"
    lasting = False
    usually = ""

    def __init__(self, message: str, *, advice: str = "") -> None:
        super().__init__(message)
        self.advice = advice or self.usually
        self.usage = Usage()

    def after(self, usage: Usage) -> Self:
        """The same error, with what had been spent before or by it."""
        self.usage = usage + self.usage
        return self


class UnknownPolicy(PolicyError):
    code = "unknown-policy"


class UnreadableTask(PolicyError):
    code = "unreadable-task"


class Unparsable(PolicyError):
    code = "unparsable-answer"

    def __init__(self, raw: str, reason: str) -> None:
        super().__init__(reason, advice="The model's answer is kept with the step; try again or another model.")
        self.raw = raw
