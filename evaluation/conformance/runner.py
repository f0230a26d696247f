"""Carries checks out one after the other and keeps what was found."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from device.errors import DeviceError
from evaluation.conformance import acting, apps, link, looking, safety, texts
from evaluation.conformance.bench import Bench
from evaluation.conformance.check import Check, Failed, NotHere

GROUPS = (link.group, looking.group, acting.group, texts.group, apps.group, safety.group)


class Verdict(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one check; `detail` is what was measured, or why it failed or was left out."""

    group: str
    promise: str
    verdict: Verdict
    seconds: float
    detail: str


@dataclass(frozen=True, slots=True)
class Report:
    """Everything about one phone. `timings` in seconds, medians of what the checks measured on the way."""

    phone: dict[str, Any]
    results: tuple[Result, ...]
    disturbed: tuple[str, ...] = ()
    timings: dict[str, float] = field(default_factory=dict)

    @property
    def conforms(self) -> bool:
        return not self.disturbed and all(one.verdict is not Verdict.FAILED for one in self.results)

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "conforms": self.conforms}


def chosen(groups: Collection[str] = (), *, destructive: bool = False) -> tuple[Check, ...]:
    """The checks of these groups, or of all. Raises ValueError for a group that is none."""
    known = [group.name for group in GROUPS]
    if unknown := [name for name in groups if name not in known]:
        raise ValueError(f"no group {', '.join(unknown)}; there are {', '.join(known)}")
    every = [one for group in GROUPS if not groups or group.name in groups for one in group.checks]
    return tuple(one for one in every if destructive or not one.destructive)


async def carry_out(bench: Bench, checks: Sequence[Check], tell: Callable[[Result], None]) -> Report:
    """All checks, whatever each of them finds; `tell` hears of each as it ends. Raises nothing of the phone's."""
    before = await bench.preferences()
    results = []
    for check in checks:
        result = await judged(bench, check)
        tell(result)
        results.append(result)
    after = await bench.preferences()
    changed = tuple(f"{name}: {before[name]} is now {after[name]}" for name in before if before[name] != after[name])
    info = bench.info
    phone = {
        "model": info.model,
        "sdk": info.sdk,
        "virtual": info.virtual,
        "size": str(info.size),
        "density": info.density,
        "capabilities": sorted(info.capabilities),
        "accessibility_services": list(info.accessibility_services),
    }
    return Report(phone, tuple(results), changed, dict(bench.timings))


async def judged(bench: Bench, check: Check) -> Result:
    """One check and its verdict."""
    started = time.monotonic()
    try:
        detail, verdict = await check.body(bench), Verdict.PASSED
    except NotHere as reason:
        detail, verdict = str(reason), Verdict.SKIPPED
    except Failed as finding:
        detail, verdict = str(finding), Verdict.FAILED
    except DeviceError as error:
        detail, verdict = f"{type(error).__name__}: {error}", Verdict.FAILED
    except Exception as error:  # the border: an oracle may raise anything, and that too is a finding
        detail, verdict = f"{type(error).__name__}: {error}"[:400], Verdict.FAILED
    return Result(check.group, check.promise, verdict, round(time.monotonic() - started, 3), detail)
