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

An answer that came and does not fit its dialect, even after it was corrected once, is `policies.errors.Unparsable`.
"""

from __future__ import annotations

from policies.errors import PolicyError


class ModelError(PolicyError):
    """A model gave no usable answer."""

    code = "model-error"


class TimedOut(ModelError):
    code = "model-timed-out"


class RateLimited(ModelError):
    code = "model-rate-limited"

    def __init__(self, message: str, *, retry_after: float | None = None, advice: str = "") -> None:
        super().__init__(message, advice=advice or "Wait a while, or use another model.")
        self.retry_after = retry_after


class Unavailable(ModelError):
    code = "model-unavailable"

    def __init__(self, message: str, *, retry_after: float | None = None, advice: str = "") -> None:
        super().__init__(message, advice=advice or "Try again later, or check the model's address.")
        self.retry_after = retry_after


class StreamCut(ModelError):
    code = "model-answer-cut"


class Refused(ModelError):
    code = "model-refused"


class Truncated(ModelError):
    code = "model-answer-truncated"


class ContextOverflow(ModelError):
    code = "model-context-overflow"


class Unauthorized(ModelError):
    code = "model-unauthorized"


class Rejected(ModelError):
    code = "model-request-rejected"


class WouldShrink(ModelError):
    code = "picture-would-shrink"
