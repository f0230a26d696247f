"""Policies by name: ours, and those that other packages offer.

A package adds a policy by an entry point in the group `tapwright.policies`, whose object is called with the run's
parameters as keywords and returns a `policies.base.Policy`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any

import structlog

from policies.base import Needs, Policy
from policies.errors import PolicyError, UnknownPolicy
from policies.follow import Follow
from policies.scripted import Scripted

GROUP = "tapwright.policies"
Make = Callable[..., Policy]

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyInfo:
    """What a policy is called, what it is for, and what it needs."""

    name: str
    description: str
    needs: Needs


_OURS: dict[str, Make] = {"follow": Follow, "scripted": Scripted}


@lru_cache(maxsize=1)
def _all() -> Mapping[str, Make]:
    found: dict[str, Make] = {}
    for point in entry_points(group=GROUP):
        try:
            found[point.name] = point.load()
        except Exception as error:  # the border to other people's packages: theirs may fail, ours go on
            log.warning("policy not loaded", policy=point.name, source=point.value, error=repr(error))
    return {**found, **_OURS}


def names() -> tuple[PolicyInfo, ...]:
    """All policies, ours first."""
    infos = []
    for name, make in sorted(_all().items(), key=lambda item: (item[0] not in _OURS, item[0])):
        first = (make.__doc__ or "").strip().split("\n")[0]
        needs = getattr(make, "needs", Needs())
        infos.append(PolicyInfo(name=name, description=first, needs=needs))
    return tuple(infos)


def create(name: str, params: Mapping[str, Any] | None = None) -> Policy:
    """A policy ready to decide. Raises UnknownPolicy, PolicyError when the parameters do not fit."""
    make = _all().get(name)
    if make is None:
        raise UnknownPolicy(
            f"there is no policy {name!r}; there are {', '.join(info.name for info in names())}",
            advice="`tapwright policies` says what each is for.",
        )
    try:
        return make(**(params or {}))
    except TypeError as error:
        raise PolicyError(f"params do not fit the policy {name!r}: {error}") from error


def check(name: str, params: Mapping[str, Any] | None, goal: str) -> None:
    """Raises UnknownPolicy, UnreadableTask or PolicyError for what would fail at the first decision."""
    policy = create(name, params)
    read = getattr(policy, "check", None)
    if read is not None:
        read(goal)
