"""What we have changed on a phone and owe its owner: written down before it is done, struck out when it is undone.

A process that dies leaves its list behind, and the next one to open the phone puts everything back that is still as
we made it. What the owner has changed meanwhile is theirs. A typed text is never written, only its digest.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

from device.errors import DeviceError

Kind = Literal["setting", "keyboard", "clipboard"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that is no longer as its owner had it.

    `name`: of a setting its namespace and name (`system/user_rotation`), of a keyboard the component we chose, of the
    clipboard nothing. `before` is put back, "" for unset or empty. `ours` is what we set; of the clipboard, the
    `digest` of it.
    """

    kind: Kind
    name: str
    before: str
    ours: str

    def __repr__(self) -> str:
        # A clipboard holds what its owner copied.
        return f"Change({self.kind}, {self.name})"


def digest(text: str) -> str:
    """A name for a text that does not give it away."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


class ChangeJournal:
    """The changes that still have to be undone, in a file that only its owner can read, or in memory alone."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._changes = list(read(path)) if path is not None else []

    @property
    def pending(self) -> Sequence[Change]:
        """Newest first: the order in which they are undone."""
        return tuple(reversed(self._changes))

    def record(self, change: Change) -> None:
        """Call it before the change; it is on the disk when this returns.

        The first `before` of a thing stays: it is what its owner had. Raises DeviceError when it cannot be written;
        then nothing may be changed.
        """
        earlier = self._found(change.kind, change.name)
        kept = change if earlier is None else _renewed(earlier, change)
        self._write([*(one for one in self._changes if one is not earlier), kept])

    def forget(self, kind: Kind, name: str = "") -> None:
        """Call it when the thing is as its owner had it, or has become theirs again. Raises DeviceError."""
        found = self._found(kind, name)
        if found is not None:
            self._write([one for one in self._changes if one is not found])

    def _found(self, kind: Kind, name: str) -> Change | None:
        return next((one for one in self._changes if (one.kind, one.name) == (kind, name)), None)

    def _write(self, changes: list[Change]) -> None:
        if self._path is not None:
            try:
                _replace(self._path, json.dumps([asdict(one) for one in changes], ensure_ascii=False))
            except OSError as error:
                raise DeviceError(
                    f"what is changed on the phone cannot be written down: {error}",
                    advice=f"Make room in {self._path.parent}, or see who may write there.",
                    doing="writing down a change",
                ) from error
        self._changes = changes


def _renewed(earlier: Change, later: Change) -> Change:
    return Change(kind=earlier.kind, name=earlier.name, before=earlier.before, ours=later.ours)


def read(path: Path) -> tuple[Change, ...]:
    """What a journal's file holds; entries that make no sense are left out, and so is a file that does."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return ()
    return tuple(_change(one) for one in found if _sound(one)) if isinstance(found, list) else ()


def _sound(entry: Any) -> bool:
    names = {one.name for one in fields(Change)}
    if not isinstance(entry, dict) or entry.keys() != names or entry["kind"] not in get_args(Kind):
        return False
    return all(isinstance(value, str) for value in entry.values())


def _change(entry: dict[str, Any]) -> Change:
    return Change(kind=entry["kind"], name=entry["name"], before=entry["before"], ours=entry["ours"])


def _replace(path: Path, text: str) -> None:
    """The whole file or the one before it, whenever the power goes."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    beside = path.with_name(path.name + ".new")
    with contextlib.suppress(FileNotFoundError):
        beside.unlink()
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8", errors="surrogatepass") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
