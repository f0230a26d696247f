"""What a benchmark hands back: medians in milliseconds, and the ratio that is asserted."""

from __future__ import annotations

import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of a table. `ratio` is theirs / ours; `wanted` is the ratio or bound that must hold.

    With `at_most` the ratio is ours / theirs, and what must stay below that.
    """

    what: str
    ours: str
    theirs: str = ""
    ratio: float | None = None
    wanted: float | None = None
    at_most: float | None = None

    @property
    def holds(self) -> bool:
        """With the 50 % slack that assertions on time get on a shared machine; above 1, of the excess."""
        if self.ratio is None:
            return True
        if self.at_most is not None:
            return self.ratio - 1 <= (self.at_most - 1) * 1.5
        return self.wanted is None or self.ratio >= self.wanted * 0.5

    @property
    def aim(self) -> str:
        """What the ratio should be."""
        if self.at_most is not None:
            return f"at most {self.at_most:g}x"
        return f"{self.wanted:g}x" if self.wanted is not None else ""


def ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def time_blocking(work: Callable[[], object], repeat: int) -> list[float]:
    """Seconds of each of `repeat` calls, after one call that does not count."""
    work()
    taken = []
    for _ in range(repeat):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return taken


async def time_waiting(work: Callable[[], Awaitable[object]], repeat: int) -> list[float]:
    """Seconds of each of `repeat` awaited calls, after one call that does not count."""
    await work()
    taken = []
    for _ in range(repeat):
        started = time.perf_counter()
        await work()
        taken.append(time.perf_counter() - started)
    return taken


def against(what: str, ours: list[float], theirs: list[float], who: str, wanted: float) -> Figure:
    """Median against median."""
    mine, other = statistics.median(ours), statistics.median(theirs)
    return Figure(what, ms(mine), f"{who} {ms(other)}", other / mine, wanted)


def table(title: str, figures: list[Figure]) -> str:
    """A Markdown table."""
    rows = [f"### {title}", "", "| what | Tapwright | otherwise | ratio | wanted |", "| --- | --- | --- | --- | --- |"]
    for one in figures:
        digits = 2 if one.ratio is not None and one.ratio < 2 else 1
        ratio = f"{one.ratio:.{digits}f}x" if one.ratio is not None else ""
        rows.append(f"| {one.what} | {one.ours} | {one.theirs} | {ratio} | {one.aim} |")
    return "\n".join(rows) + "\n"
