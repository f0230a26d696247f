"""Policies by name: ours, and those that other packages offer.

Another package offers one by an entry point in the group `tapwright.policies`: an object that is called with the
run's parameters as keywords and returns a `policies.base.Policy`. Its `description` (or the first line of its
docstring) and its `needs` are shown to people.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from typing import Any, get_type_hints

from pydantic import PydanticUserError, create_model

from policies.base import Needs, Policy
from policies.errors import PolicyError, UnknownPolicy
from policies.follow import Follow
from policies.mm_navigator import MmNavigator
from policies.odyssey.policy import Odyssey
from policies.scripted import Scripted

GROUP = "tapwright.policies"

Factory = Callable[..., Policy]
_OURS: Mapping[str, Factory] = {"follow": Follow, "scripted": Scripted, "mm_navigator": MmNavigator, "odyssey": Odyssey}


class BadParams(PolicyError):
    """The run's parameters do not fit the policy."""

    code = "bad-policy-params"


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyInfo:
    """What a policy is called, what it is for, what it needs, and its parameters as JSON Schema."""

    name: str
    description: str
    needs: Needs
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """An entry point that could not be used, and why."""

    name: str
    package: str
    reason: str


@dataclass(frozen=True, slots=True)
class _Found:
    factories: Mapping[str, Factory]
    broken: tuple[Broken, ...]


def names() -> tuple[PolicyInfo, ...]:
    """All policies that can be used, ours first, others by name."""
    factories = _load().factories
    ordered = [*_OURS, *sorted(factories.keys() - _OURS.keys())]
    return tuple(_info(name, factories[name]) for name in ordered)


def broken() -> tuple[Broken, ...]:
    """Policies of other packages that are installed and cannot be used."""
    return _load().broken


def create(name: str, params: Mapping[str, Any] | None = None) -> Policy:
    """A policy for one run. Raises UnknownPolicy, BadParams, or the policy's own PolicyError."""
    found = _load()
    factory = found.factories.get(name)
    if factory is None:
        reason = next(
            (f" It is installed but cannot be used: {one.reason}" for one in found.broken if one.name == name), ""
        )
        raise UnknownPolicy(
            f"There is no policy called {name!r}.{reason}", advice=f"Choose one of: {', '.join(found.factories)}."
        )
    given = dict(params or {})
    try:
        inspect.signature(factory).bind(**given)
    except TypeError as error:
        takes = ", ".join(inspect.signature(factory).parameters) or "no parameters"
        raise BadParams(f"The parameters of {name} do not fit: {error}.", advice=f"It takes {takes}.") from error
    return factory(**given)


def check(name: str, params: Mapping[str, Any] | None, goal: str) -> None:
    """Raise what would fail at the first decision: UnknownPolicy, UnreadableTask, another PolicyError."""
    read = getattr(create(name, params), "check", None)
    if read is not None:
        read(goal)


def _info(name: str, factory: Factory) -> PolicyInfo:
    described = getattr(factory, "description", "") or (inspect.getdoc(factory) or "").partition("\n")[0]
    needs = getattr(factory, "needs", None)
    needed = needs if isinstance(needs, Needs) else Needs()
    return PolicyInfo(name=name, description=str(described), needs=needed, params=_schema(factory))


def _schema(factory: Factory) -> Mapping[str, Any]:
    """The factory's keywords as JSON Schema; one that allows anything where their types cannot be told."""
    try:
        hints = get_type_hints(factory.__init__ if inspect.isclass(factory) else factory)
        takes = {
            name: (hints.get(name, Any), ... if one.default is inspect.Parameter.empty else one.default)
            for name, one in inspect.signature(factory).parameters.items()
        }
        return dict(create_model("Parameters", **takes).model_json_schema())  # type: ignore[call-overload]
    except (NameError, TypeError, ValueError, PydanticUserError):
        # Another package's annotations; whether a run's parameters fit is asked of the factory itself anyway.
        return {"type": "object"}


def _load() -> _Found:
    factories = dict(_OURS)
    failed: list[Broken] = []
    for point in sorted(entry_points(group=GROUP), key=lambda one: (one.name, one.value)):
        loaded = _factory(point)
        if isinstance(loaded, str):
            failed.append(Broken(name=point.name, package=_package(point), reason=loaded))
        elif point.name in factories:
            failed.append(Broken(name=point.name, package=_package(point), reason="another policy has this name."))
        else:
            factories[point.name] = loaded
    return _Found(factories, tuple(failed))


def _factory(point: EntryPoint) -> Factory | str:
    """What the entry point names, or why it cannot be used."""
    try:
        loaded = point.load()
    except Exception as error:  # the border to other people's code: whatever it raises concerns only itself
        return f"{type(error).__name__}: {error}"
    return loaded if callable(loaded) else f"{point.value} is of type {type(loaded).__name__} and cannot be called."


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else ""
