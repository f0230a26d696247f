"""Asking again where that can help, within one deadline for everything."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from device.clock import Clock
from policies.llm.errors import RateLimited, TimedOut, Unavailable

T = TypeVar("T")

ATTEMPTS = 3
"""Two repetitions, as both SDKs have by default."""
FIRST_WAIT, LONGEST_WAIT = 0.5, 8.0
"""Seconds before the first repetition, doubled each time: the backoff of both SDKs."""


async def persist(call: Callable[[], Awaitable[T]], *, seconds: float, clock: Clock) -> T:
    """The first success of `call`, asked at most ATTEMPTS times.

    Only a limited rate and a provider that is down are worth a repetition; anything else might be answered, and
    paid for, twice. A wait that the provider asks for is honoured when it ends before the deadline, and otherwise
    its error is raised at once. Raises TimedOut when the deadline passes in the middle of a call.
    """
    end = clock.monotonic() + seconds
    for attempt in range(ATTEMPTS):
        try:
            async with asyncio.timeout(end - clock.monotonic()):
                return await call()
        except TimeoutError:
            raise TimedOut(f"No complete answer within {seconds:g} seconds.") from None
        except (RateLimited, Unavailable) as error:
            backoff = min(FIRST_WAIT * 2**attempt, LONGEST_WAIT)
            wait = backoff if error.retry_after is None else error.retry_after
            if attempt == ATTEMPTS - 1 or clock.monotonic() + wait >= end:
                raise
        await clock.sleep(wait)
    raise AssertionError("the last attempt returns or raises")


def seconds_of(header: str | None) -> float | None:
    """A Retry-After header given in seconds; None for none, a date, or nonsense."""
    try:
        seconds = float(header) if header is not None else -1.0
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
