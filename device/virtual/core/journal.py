"""What happened, in order: every input with its cause id, every command with the input that caused it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

Kind = Literal["input", "command", "start", "toast", "key", "text", "fault", "unknown", "window", "accessibility"]
KINDS: tuple[str, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One event. `n` counts from 1, `ms` is the clock's `now_ms`, `cause` is the id of the input behind it."""

    n: int
    ms: float
    kind: Kind
    cause: str
    data: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        return {"n": self.n, "ms": self.ms, "kind": self.kind, "cause": self.cause, "data": dict(self.data)}


class Journal:
    """Append-only list of entries.

    Text typed into a password field is written by its length alone; whoever appends takes care of that through
    `text_data`.
    """

    def __init__(self, now_ms: Callable[[], float]) -> None:
        self._now_ms = now_ms
        self._entries: list[Entry] = []
        self._inputs = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    @property
    def last_cause(self) -> str:
        """Id of the last input, empty before the first."""
        return f"i{self._inputs}" if self._inputs else ""

    def append(self, kind: Kind, data: Mapping[str, Any], cause: str = "") -> Entry:
        """Add an entry; `kind` must be one of KINDS."""
        if kind not in KINDS:
            raise ValueError(f"journal kind must be one of {', '.join(KINDS)}, not {kind!r}")
        entry = Entry(n=len(self._entries) + 1, ms=self._now_ms(), kind=kind, cause=cause, data=dict(data))
        self._entries.append(entry)
        return entry

    def input(self, data: Mapping[str, Any], kind: Literal["input", "key", "text"] = "input") -> str:
        """Add an input and give its cause id, `i<n>`."""
        self._inputs += 1
        cause = f"i{self._inputs}"
        self.append(kind, data, cause)
        return cause

    def entries(self, kind: Kind | None = None, since: int = 0) -> tuple[Entry, ...]:
        """Entries with a number above `since`, all kinds or one."""
        later = self._entries[since:]
        return tuple(later) if kind is None else tuple(entry for entry in later if entry.kind == kind)

    def to_json(self, since: int = 0) -> list[dict[str, Any]]:
        return [entry.to_json() for entry in self._entries[since:]]


def text_data(text: str, *, password: bool) -> dict[str, Any]:
    """How typed text is written down: as it is, or by its length when it went into a password field."""
    return {"length": len(text), "password": True} if password else {"text": text}
