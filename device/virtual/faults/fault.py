"""What a fault is: a frozen set of checked parameters under a name, and the question which operations it fits."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

F = TypeVar("F", bound="Fault")


class BadFault(ValueError):
    """A fault, parameter or condition that is none; the text names it and what would be right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One way in which a phone fails. Its name is the class's in snake case; its fields are its parameters."""

    name: ClassVar[str] = "fault"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        cls.name = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def fits(self, operation: Any) -> bool:
        """Whether this fault could befall the operation; only then the dice are thrown."""
        return True

    def parameters(self) -> dict[str, Any]:
        """All parameters with their values."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}


def number(default: float, low: float, high: float) -> Any:
    """A parameter between two bounds, both included; whole when its default is an int."""
    return dataclasses.field(default=default, metadata={"low": low, "high": high})


def choice(default: str, *others: str) -> Any:
    """A parameter that is one of these words."""
    return dataclasses.field(default=default, metadata={"options": (default, *others)})


def read(kind: type[F], values: Mapping[str, Any]) -> F:
    """The fault with these parameters; raises BadFault for one it does not have, and for a value it cannot be."""
    known = {field.name: field for field in dataclasses.fields(kind)}
    for name in values:
        if name not in known:
            raise BadFault(f"{kind.name} has no parameter {name!r}; it has {', '.join(known) or 'none'}")
    return kind(**{name: _checked(kind.name, known[name], value) for name, value in values.items()})


def _checked(fault: str, field: dataclasses.Field[Any], value: Any) -> Any:
    where = f"{fault}.{field.name}"
    default, limits = field.default, field.metadata
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise BadFault(f"{where} must be true or false, not {value!r}")
    elif isinstance(default, str):
        options = limits.get("options")
        if not isinstance(value, str) or (options is not None and value not in options):
            wanted = f"one of {', '.join(map(repr, options))}" if options is not None else "text"
            raise BadFault(f"{where} must be {wanted}, not {value!r}")
    else:
        whole = isinstance(default, int)
        low, high = limits["low"], limits["high"]
        right = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
        if not right or not low <= value <= high:
            raise BadFault(f"{where} must be a {'whole ' if whole else ''}number from {low} to {high}, not {value!r}")
        return value if whole else float(value)
    return value
