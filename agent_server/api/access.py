"""Who may come in: the token, one-time login links, and the cookie a browser gets for one."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable

TICKET_SECONDS = 600.0
"""A login link is printed for a person who is about to open it."""
SESSION_SECONDS = 12 * 3600
"""A day's work in front of a dashboard."""


class Tickets:
    """Login tickets: each opens the door once, and not for long."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._open: dict[str, float] = {}

    def issue(self) -> str:
        """A new ticket for `/login?ticket=`."""
        now = self._now()
        self._open = {ticket: ends for ticket, ends in self._open.items() if ends > now}
        ticket = secrets.token_urlsafe(24)
        self._open[_digest(ticket)] = now + TICKET_SECONDS
        return ticket

    def redeem(self, ticket: str) -> bool:
        """Whether the ticket was good; it is not good again."""
        return self._open.pop(_digest(ticket), 0.0) > self._now()


def _digest(ticket: str) -> str:
    # Looked up by digest, so that how long the look-up takes tells nothing about the tickets.
    return hashlib.sha256(ticket.encode()).hexdigest()


class Access:
    """Checks tokens and session cookies. Cookies are signed with the token, so they outlive a restart."""

    def __init__(self, token: str, *, required: bool, now: Callable[[], float] = time.time) -> None:
        self._token = token
        self.required = required
        self._now = now
        # Cookies ignore ports: two servers on one machine must not overwrite each other's.
        self.cookie = f"tapwright_{hashlib.sha256(token.encode()).hexdigest()[:8]}"

    def by_header(self, authorization: str) -> bool:
        scheme, _, token = authorization.partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(token.strip().encode(), self._token.encode())

    def new_session(self) -> str:
        """A cookie's value: when it ends, a nonce, and a signature over both."""
        body = f"{int(self._now()) + SESSION_SECONDS}.{secrets.token_urlsafe(12)}"
        return f"{body}.{self._sign(body)}"

    def by_cookie(self, value: str) -> bool:
        body, _, signature = value.rpartition(".")
        ends = body.partition(".")[0]
        good = hmac.compare_digest(signature.encode(), self._sign(body).encode())
        return good and ends.isdecimal() and int(ends) > self._now()

    def _sign(self, body: str) -> str:
        return hmac.new(self._token.encode(), f"session:{body}".encode(), hashlib.sha256).hexdigest()
