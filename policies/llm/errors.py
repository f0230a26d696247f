"""How asking a model can fail; each way has its own name, and none of them leaves an answer behind.

PolicyError
└── ModelError
    ├── TimedOut            no complete answer before the deadline
    ├── RateLimited         too many requests; `retry_after` seconds if the provider said so
    ├── Unavailable         the provider cannot be reached, or broke
    ├── StreamCut           the connection ended in the middle of the answer
    ├── Refused             the model or its filter declined
    ├── Truncated           the answer ran into the token limit
    ├── ContextOverflow     the conversation is longer than the model can read
    ├── Unauthorized        no key, a wrong one, or one that may not do this
    ├── Rejected            the provider does not take the request as it is
    └── WouldShrink         the provider would make the picture smaller without saying so

`usage` of each is what the failed calls cost: nothing for a call that was turned away, unknown for one whose answer
never came.

An answer that came and does not fit its dialect, even after it was corrected once, is `policies.errors.Unparsable`.
"""

from __future__ import annotations

from policies.errors import PolicyError


class ModelError(PolicyError):
    """A model gave no usable answer."""

    code = "model-error"


class TimedOut(ModelError):
    code = "model-timed-out"
    usually = "Give the policy a longer timeout, or use a faster model."


class RateLimited(ModelError):
    code = "model-rate-limited"
    usually = "Wait a while, or use another model."

    def __init__(self, message: str, *, retry_after: float | None = None, advice: str = "") -> None:
        super().__init__(message, advice=advice)
        self.retry_after = retry_after


class Unavailable(ModelError):
    code = "model-unavailable"
    usually = "Try again later, or check the model's address."

    def __init__(self, message: str, *, retry_after: float | None = None, advice: str = "") -> None:
        super().__init__(message, advice=advice)
        self.retry_after = retry_after


class StreamCut(ModelError):
    code = "model-answer-cut"
    usually = "Start the run again; what was answered before counts nothing."


class Refused(ModelError):
    code = "model-refused"
    usually = "Put the task in other words, or use another model."


class Truncated(ModelError):
    code = "model-answer-truncated"
    usually = "Give the policy more max_tokens."


class ContextOverflow(ModelError):
    code = "model-context-overflow"
    usually = "Use a model with a longer context, or a run without text listing."


class Unauthorized(ModelError):
    code = "model-unauthorized"
    lasting = True


class Rejected(ModelError):
    code = "model-request-rejected"


class WouldShrink(ModelError):
    code = "picture-would-shrink"
