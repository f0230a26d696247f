"""What a provider's refusals mean. Both SDKs raise the same kinds of errors over the same HTTP library."""

from __future__ import annotations

import httpx2

from policies.base import UNKNOWN_CALL, Usage
from policies.llm.errors import (
    ContextOverflow,
    ModelError,
    RateLimited,
    Refused,
    Rejected,
    StreamCut,
    TimedOut,
    Unauthorized,
    Unavailable,
)
from policies.llm.retry import seconds_of

_OVERFLOW = ("context_length_exceeded", "prompt is too long", "context window", "maximum context length")
_FILTERED = ("content_policy_violation", "content_filter")


TURNED_AWAY = Usage(calls=1)
"""Providers bill answers, not refusals by status."""


def of_status(response: httpx2.Response, message: str, host: str) -> ModelError:
    """An answer with an error status. `message` is the provider's, with its code where it gave one."""
    return _of_status(response, message, host).after(TURNED_AWAY)


def _of_status(response: httpx2.Response, message: str, host: str) -> ModelError:
    status, said = response.status_code, message.casefold()
    told = f"{host} answered {status}: {message}"
    if status in (401, 403):
        return Unauthorized(told, advice="Check the key in the environment of the server, and what it may do.")
    if status == 429:
        return RateLimited(told, retry_after=seconds_of(response.headers.get("retry-after")))
    if status in (408, 409, 425) or status >= 500:
        return Unavailable(told, retry_after=seconds_of(response.headers.get("retry-after")))
    if status == 413 or any(sign in said for sign in _OVERFLOW):
        return ContextOverflow(told)
    if any(sign in said for sign in _FILTERED):
        return Refused(told, advice="The provider's filter declined; put the task in other words.")
    if status == 404:
        return Rejected(told, advice="Check the model's name and the address.")
    return Rejected(told, advice="If it takes no JSON schema, set structured to false.")


def of_connection(error: Exception, host: str) -> ModelError:
    """No answer, or half of one."""
    cause = error.__cause__
    if isinstance(cause, httpx2.TimeoutException):
        return TimedOut(f"{host} did not answer in time.").after(UNKNOWN_CALL)
    if isinstance(cause, httpx2.RemoteProtocolError | httpx2.ReadError):
        return StreamCut(f"The connection to {host} ended in the middle of the answer.").after(UNKNOWN_CALL)
    return Unavailable(f"{host} cannot be reached: {cause or error}")
