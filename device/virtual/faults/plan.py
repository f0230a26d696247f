"""Plans: which faults befall the phone, and when. Read strictly: a misspelt fault must not pass for a calm phone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from device.virtual.faults.catalogue import FAULTS
from device.virtual.faults.fault import BadFault, Fault, read


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """All conditions that are given must hold; none means always.

    `after_acts`: that many acts have been injected since arming. `at_ms`: so many milliseconds of the phone's clock
    have passed since arming. `screen`: the name or the package of the screen in front. `probability`: of each
    occasion. `next`: how often at most.
    """

    after_acts: int | None = None
    at_ms: float | None = None
    screen: str | None = None
    probability: float | None = None
    next: int | None = None

    @property
    def at_once(self) -> bool:
        """Whether nothing has to happen first."""
        return self.after_acts is None and self.at_ms is None and self.screen is None and self.probability is None

    def to_json(self) -> dict[str, Any]:
        return {f.name: value for f in fields(self) if (value := getattr(self, f.name)) is not None}


ALWAYS = When()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A fault and its conditions."""

    fault: Fault
    when: When = ALWAYS

    def to_json(self) -> dict[str, Any]:
        return {"fault": self.fault.name, "parameters": self.fault.parameters(), "when": self.when.to_json()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Rules in order, and the seed of their dice: the same plan and the same inputs give the same firings."""

    rules: tuple[Rule, ...] = ()
    seed: int = 0

    def to_json(self) -> dict[str, Any]:
        return {"seed": self.seed, "plan": [rule.to_json() for rule in self.rules]}


def read_fault(name: Any, parameters: Any, where: str) -> Fault:
    """The fault of that name; raises BadFault."""
    kind = FAULTS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise BadFault(f"{where}no fault {name!r}; known are {', '.join(FAULTS)}")
    if not isinstance(parameters, Mapping):
        raise BadFault(f"{where}parameters of {name} must be an object, not {parameters!r}")
    try:
        return read(kind, parameters)
    except BadFault as error:
        raise BadFault(f"{where}{error}") from None


def read_plan(value: Any, seed: int | None = None) -> Plan:
    """A plan from `{"seed": 7, "plan": [{"fault": ..., "parameters": {...}, "when": {...}}, ...]}` or its list alone.

    `seed` goes before the plan's own. Raises BadFault with the place and what would be right.
    """
    body: Mapping[str, Any] = {"plan": value} if isinstance(value, list) else value
    if not isinstance(body, Mapping):
        raise BadFault(f"a fault plan must be an object or a list, not {value!r}")
    _known(body, ("seed", "plan"), "the plan")
    rules, own = body.get("plan"), body.get("seed", 0)
    if not isinstance(rules, list):
        raise BadFault(f"plan must be a list of rules, not {rules!r}")
    if not isinstance(own, int) or isinstance(own, bool):
        raise BadFault(f"seed must be a whole number, not {own!r}")
    return Plan(
        rules=tuple(_rule(rule, f"plan[{n}]: ") for n, rule in enumerate(rules)), seed=own if seed is None else seed
    )


def _rule(value: Any, where: str) -> Rule:
    if not isinstance(value, Mapping):
        raise BadFault(f"{where}a rule must be an object, not {value!r}")
    _known(value, ("fault", "parameters", "when"), where + "a rule")
    fault = read_fault(value.get("fault"), value.get("parameters", {}), where)
    return Rule(fault=fault, when=_when(value.get("when", {}), where))


def _when(value: Any, where: str) -> When:
    if not isinstance(value, Mapping):
        raise BadFault(f"{where}when must be an object, not {value!r}")
    _known(value, tuple(f.name for f in fields(When)), where + "when")
    for name, condition in value.items():
        if not _CONDITIONS[name][0](condition):
            raise BadFault(f"{where}when.{name} must be {_CONDITIONS[name][1]}, not {condition!r}")
    return When(**value)


def _known(value: Mapping[str, Any], names: tuple[str, ...], what: str) -> None:
    for name in value:
        if name not in names:
            raise BadFault(f"{what} has no {name!r}; it has {', '.join(names)}")


def _is_number(value: Any, low: float, high: float = float("inf"), *, whole: bool = False) -> bool:
    kind = int if whole else (int, float)
    return isinstance(value, kind) and not isinstance(value, bool) and low <= value <= high


_CONDITIONS: Mapping[str, tuple[Any, str]] = {
    "after_acts": (lambda value: _is_number(value, 0, whole=True), "a whole number from 0"),
    "at_ms": (lambda value: _is_number(value, 0), "a number from 0"),
    "screen": (lambda value: isinstance(value, str) and value, "the name of a screen or a package"),
    "probability": (lambda value: _is_number(value, 0, 1), "a number from 0 to 1"),
    "next": (lambda value: _is_number(value, 1, whole=True), "a whole number from 1"),
}
