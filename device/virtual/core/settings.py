"""Settings as Android keeps them: text by key in the namespaces system, secure and global."""

from __future__ import annotations

from collections.abc import Callable, Mapping

NAMESPACES = ("system", "secure", "global")

Undoable = Callable[[Callable[[], None]], None]


class Settings:
    """The only home of the phone's switches. Values are text; "1" is on and "0" is off."""

    def __init__(self, undoable: Undoable) -> None:
        self._undoable = undoable
        self._values: dict[str, dict[str, str]] = {ns: {} for ns in NAMESPACES}

    def get(self, ns: str, key: str, default: str = "") -> str:
        """The stored value or the default; raises ValueError for another namespace."""
        return self._space(ns).get(key, default)

    def has(self, ns: str, key: str) -> bool:
        return key in self._space(ns)

    def flag(self, ns: str, key: str, default: bool = False) -> bool:
        """Whether a switch is on: anything but "0" and nothing."""
        return self.get(ns, key, "1" if default else "0") not in ("0", "")

    def number(self, ns: str, key: str, default: float) -> float:
        """A number, or the default when none is stored or the text is none."""
        try:
            return float(self.get(ns, key, str(default)))
        except ValueError:
            return default

    def put(self, ns: str, key: str, value: str | int | float | bool) -> None:
        """Store a value as text, truth as "1" and "0". Only inside a command."""
        space, before = self._space(ns), self._space(ns).get(key)
        text = str(int(value)) if isinstance(value, bool) else str(value)
        self._undoable(lambda: _set(space, key, before))
        space[key] = text

    def delete(self, ns: str, key: str) -> bool:
        """Forget a key; whether there was one. Only inside a command."""
        space, before = self._space(ns), self._space(ns).get(key)
        self._undoable(lambda: _set(space, key, before))
        return space.pop(key, None) is not None

    def items(self, ns: str) -> tuple[tuple[str, str], ...]:
        """All keys and values of a namespace, by key."""
        return tuple(sorted(self._space(ns).items()))

    def dump(self) -> dict[str, dict[str, str]]:
        return {ns: dict(sorted(values.items())) for ns, values in self._values.items()}

    def load(self, stored: Mapping[str, Mapping[str, str]]) -> None:
        self._values = {ns: dict(stored.get(ns, {})) for ns in NAMESPACES}

    def _space(self, ns: str) -> dict[str, str]:
        try:
            return self._values[ns]
        except KeyError:
            raise ValueError(f"settings namespace must be one of {', '.join(NAMESPACES)}, not {ns!r}") from None


def _set(space: dict[str, str], key: str, value: str | None) -> None:
    if value is None:
        space.pop(key, None)
    else:
        space[key] = value
