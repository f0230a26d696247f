"""Names of rows: a prefix that says what it is, and a ULID, so that names sort by time."""

from __future__ import annotations

import secrets

from device.clock import Clock

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32, as the ULID specification has it: no I, L, O, U."""


class Names:
    """Makes names that never repeat and grow even within one millisecond (ULID specification, monotonicity)."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = 0

    def make(self, prefix: str) -> str:
        """Such as `run_01JB2Z...`: 26 characters after the prefix."""
        moment = int(self._clock.now().timestamp() * 1000)
        self._last = max(self._last + 1, (moment << 80) | secrets.randbits(80))
        value = self._last
        digits = []
        for _ in range(26):
            value, digit = divmod(value, 32)
            digits.append(_ALPHABET[digit])
        return f"{prefix}_{''.join(reversed(digits))}"
