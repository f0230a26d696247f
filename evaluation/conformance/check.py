"""What a check is, and how one says that it failed or has nothing to look at."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evaluation.conformance.bench import Bench

Body = Callable[["Bench"], Awaitable[str]]
"""Returns what was measured, for the report; raises Failed or NotHere."""


class Failed(Exception):
    """The phone or the driver does otherwise; the text says what was expected and what was seen."""


class NotHere(Exception):
    """The check does not apply to this phone; the text says why."""


@dataclass(frozen=True, slots=True)
class Check:
    """One promise. `destructive` checks change the phone for a moment (rotation, screen off, its link)."""

    group: str
    promise: str
    body: Body
    destructive: bool = False

    @property
    def name(self) -> str:
        return f"{self.group}: {self.promise}"


def expect(holds: bool, said: str) -> None:
    """Raises Failed unless it holds."""
    if not holds:
        raise Failed(said)


class Group:
    """Collects the checks of one module, in the order in which they are written."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.checks: list[Check] = []

    def check(self, promise: str, *, destructive: bool = False) -> Callable[[Body], Body]:
        def take(body: Body) -> Body:
            self.checks.append(Check(self.name, promise, body, destructive))
            return body

        return take
