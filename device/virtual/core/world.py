"""The phone's data: tables of rows, settings and files. Only a command changes it, and whole or not at all.

world.table(Contact).find(last="Lovelace")
world.commit("contacts.save", {"first": "Ada"}, cause="i12")
diff(before, world.to_json())   # [{"path": "contacts.contact/7", "before": None, "after": {...}}]
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from device.virtual.core.clock import VirtualClock
from device.virtual.core.codec import decode, decode_row, encode, encode_row, readable, readable_row
from device.virtual.core.files import Files, StoredFile
from device.virtual.core.settings import Settings

if TYPE_CHECKING:
    from device.virtual.core.journal import Journal


class Row(Protocol):
    """A frozen dataclass with an id that never changes."""

    @property
    def id(self) -> int: ...


R = TypeVar("R", bound=Row)

MAGIC = b"tapwright-world-1\n"


class WorldError(Exception):
    """The world cannot do what was asked."""


class OutsideCommand(WorldError):
    """Something tried to change the world without a command."""


class NoSuchCommand(WorldError):
    """No app offers a command of that name."""


class NoSuchRow(WorldError, KeyError):
    """The table has no row of that id."""

    def __str__(self) -> str:
        return str(self.args[0])


class BadArguments(WorldError, TypeError):
    """A command was given arguments that it does not take."""


class Table(Generic[R]):
    """Rows of one type, in the order of their ids."""

    def __init__(self, world: World, row_type: type[R], name: str) -> None:
        self._world = world
        self._type = row_type
        self.name = name
        self._rows: dict[int, R] = {}
        self._next = 1
        self._text: str | None = None  # its JSON, until a row changes

    def __iter__(self) -> Iterator[R]:
        return iter(self.all())

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, id: int) -> bool:
        return id in self._rows

    def get(self, id: int) -> R:
        """The row of that id; raises NoSuchRow."""
        try:
            return self._rows[id]
        except KeyError:
            raise NoSuchRow(f"table {self.name} has no row {id!r}") from None

    def maybe(self, id: int | None) -> R | None:
        """The row of that id, or None."""
        return None if id is None else self._rows.get(id)

    def all(self) -> tuple[R, ...]:
        """Every row, by id."""
        return tuple(self._rows.values())

    def find(self, **values: Any) -> tuple[R, ...]:
        """Rows whose fields hold exactly these values."""
        return tuple(r for r in self._rows.values() if all(getattr(r, k) == v for k, v in values.items()))

    def first(self, **values: Any) -> R | None:
        """The first of `find`, or None."""
        return next(iter(self.find(**values)), None)

    def add(self, **values: Any) -> R:
        """Add a row with the next free id (or the given one) and return it."""
        id = int(values.pop("id", 0) or self._next)
        if id in self._rows:
            raise WorldError(f"table {self.name} already has a row {id}; change it with put() or update()")
        row = self._type(**{"id": id, **values})
        self._change(id, row)
        return row

    def put(self, row: R) -> R:
        """Store this row in place of the one of its id."""
        self._change(row.id, row)
        return row

    def update(self, id: int, **values: Any) -> R:
        """Store a copy of the row with these fields changed and return it."""
        return self.put(cast(R, dataclasses.replace(cast(Any, self.get(id)), **values)))

    def remove(self, id: int) -> R:
        """Take a row away and return it; its id is never given again."""
        row = self.get(id)
        self._change(id, None)
        return row

    def _change(self, id: int, row: R | None) -> None:
        before, following = self._rows.get(id), self._next
        self._world._undoable(lambda: self._set(id, before, following))
        self._set(id, row, max(self._next, id + 1))

    def _set(self, id: int, row: R | None, following: int) -> None:
        self._text = None
        self._next = following
        if row is None:
            self._rows.pop(id, None)
        elif id in self._rows or id == following - 1:
            self._rows[id] = row
        else:  # an older id comes back: keep the order
            self._rows = dict(sorted([*self._rows.items(), (id, row)]))

    def _dump(self) -> str:
        if self._text is None:
            rows = [encode_row(row) for row in self.all()]
            self._text = json.dumps({"next": self._next, "rows": rows}, ensure_ascii=False, separators=(",", ":"))
        return self._text

    def _load(self, text: str | None) -> None:
        if text is not None and text == self._text:
            return
        stored: dict[str, Any] = json.loads(text) if text is not None else {"next": 1, "rows": []}
        rows = [decode_row(self._type, values) for values in stored["rows"]]
        self._rows = {row.id: row for row in rows}
        self._next = stored["next"]
        self._text = text


Command = Callable[..., Any]


class World:
    """Everything a task can change and a check may read. `seed` made it; the same seed makes the same world."""

    def __init__(self, seed: int = 1, clock: VirtualClock | None = None, journal: Journal | None = None) -> None:
        self.seed = seed
        self.clock = clock or VirtualClock()
        self.journal = journal
        self.settings = Settings(self._undoable)
        self.files = Files(self._undoable, self.clock.wall)
        self.version = 0
        """Rises with every change: whoever draws the world knows by it whether to draw again."""
        self._tables: dict[str, Table[Any]] = {}
        self._unread: dict[str, str] = {}  # tables of a snapshot whose row type nobody has named yet
        self._commands: dict[str, Command] = {}
        self._undo: list[Callable[[], None]] | None = None
        self._cause = ""

    @property
    def now(self) -> datetime:
        """The wall's time."""
        return self.clock.wall()

    @property
    def cause(self) -> str:
        """Id of the input behind the command that runs now."""
        return self._cause

    def table(self, row_type: type[R]) -> Table[R]:
        """The table of that row type, empty when it is new."""
        name = table_name(row_type)
        found = self._tables.get(name)
        if found is None:
            parameters = getattr(row_type, "__dataclass_params__", None)
            if parameters is None or not parameters.frozen:
                raise WorldError(f"{row_type.__name__} must be a frozen dataclass with an id to be a row")
            found = self._tables[name] = Table(self, row_type, name)
            if (text := self._unread.pop(name, None)) is not None:
                found._load(text)
        return cast(Table[R], found)

    def clear_tables(self, prefix: str) -> None:
        """Remove every row of the tables whose names begin so. Only inside a command."""
        for name, table in self._tables.items():
            if name.startswith(prefix):
                for row in table.all():
                    table.remove(row.id)

    def register(self, name: str, run: Command) -> None:
        """Offer a command; its first parameter is the world, the others are named."""
        self._commands[name] = run

    def unregister(self, name: str) -> None:
        """Take a command away."""
        self._commands.pop(name, None)

    @property
    def commands(self) -> tuple[str, ...]:
        return tuple(self._commands)

    def commit(
        self, command: str, args: Mapping[str, Any], cause: str, *, shown: Mapping[str, Any] | None = None
    ) -> Any:
        """Run a command and journal it under its cause; if it raises, nothing has changed.

        `shown` are the arguments as the journal may hold them, when the real ones carry a password. Raises
        NoSuchCommand, BadArguments, and whatever the command raises.
        """
        run = self._commands.get(command)
        if run is None:
            raise NoSuchCommand(f"no command {command!r}; known are {', '.join(sorted(self._commands)) or 'none'}")
        if self._undo is not None:
            raise WorldError(f"{command} was committed inside another command: call its function instead")
        if self.journal is not None:
            told = readable(dict(args if shown is None else shown))
            self.journal.append("command", {"command": command, "args": told}, cause)
        return self._inside(command, run, args, cause)

    def _inside(self, name: str, run: Command, args: Mapping[str, Any], cause: str) -> Any:
        self._undo, self._cause = [], cause
        try:
            return run(self, **args)
        except BaseException as error:
            for undo in reversed(self._undo):
                undo()
            if isinstance(error, TypeError) and (tb := error.__traceback__) is not None and tb.tb_next is None:
                raise BadArguments(f"{name}: {error}") from error
            raise
        finally:
            self._undo, self._cause = None, ""
            self.version += 1

    def _undoable(self, undo: Callable[[], None]) -> None:
        if self._undo is None:
            raise OutsideCommand(
                "the world changes only inside a command: mark a method with @command and use commit()"
            )
        self._undo.append(undo)

    def snapshot(self) -> bytes:
        """Everything as bytes; tables unchanged since the last snapshot cost nothing."""
        tables = {name: table._dump() for name, table in self._tables.items()} | self._unread
        files, blobs = self.files.dump()
        head = {"seed": self.seed, "tables": tables, "settings": self.settings.dump(), "files": files}
        text = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode()
        return b"".join([MAGIC, len(text).to_bytes(8, "big"), text, *blobs])

    def restore(self, data: bytes) -> None:
        """Go back to a snapshot. Tables that did not change are kept. Raises ValueError for other bytes."""
        if not data.startswith(MAGIC):
            raise ValueError("these bytes are no snapshot of a world")
        start = len(MAGIC) + 8
        end = start + int.from_bytes(data[len(MAGIC) : start], "big")
        head = json.loads(data[start:end])
        self.seed = head["seed"]
        stored: dict[str, str] = head["tables"]
        self._unread = {name: text for name, text in stored.items() if name not in self._tables}
        for name, table in self._tables.items():
            table._load(stored.get(name))
        self.settings.load(head["settings"])
        self.files.load(head["files"], data, end)
        self.version += 1

    def to_json(self) -> dict[str, Any]:
        """Tables by name and record id, settings by namespace, files by path with size and digest."""
        tables = {
            name: {str(row.id): readable_row(row) for row in table.all()}
            for name, table in sorted(self._tables.items())
        }
        return {"tables": tables, "settings": self.settings.dump(), "files": self.files.to_json()}


def table_name(row_type: type) -> str:
    """`<app>.<row>` in lower case, e.g. `contacts.contact`; a row may name its table itself in `TABLE`."""
    named = row_type.__dict__.get("TABLE")
    if isinstance(named, str):
        return named
    parts = row_type.__module__.split(".")
    home = parts[parts.index("apps") + 1] if "apps" in parts[:-1] else parts[-1]
    return f"{home}.{row_type.__name__.lower()}"


def diff(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What two `to_json` results differ in, as {path, before, after} in the order of the paths.

    A record that came or went is one entry (`contacts.contact/7`); one that changed has an entry per field
    (`contacts.contact/7/phone`). Settings and files are `settings/<namespace>/<key>` and `files<path>`.
    """
    changes: list[dict[str, Any]] = []
    old_tables, new_tables = before["tables"], after["tables"]
    for table in sorted(old_tables.keys() | new_tables.keys()):
        changes += _record_changes(table, old_tables.get(table, {}), new_tables.get(table, {}))
    for ns in sorted(before["settings"].keys() | after["settings"].keys()):
        changes += _value_changes(f"settings/{ns}/", before["settings"].get(ns, {}), after["settings"].get(ns, {}))
    return changes + _value_changes("files", before["files"], after["files"])


def _record_changes(table: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[dict[str, Any]]:
    changes: list[dict[str, Any]] = []
    for id in sorted(old.keys() | new.keys(), key=int):
        path = f"{table}/{id}"
        if id in old and id in new:
            changes += _value_changes(f"{path}/", old[id], new[id])
        else:
            changes.append({"path": path, "before": old.get(id), "after": new.get(id)})
    return changes


def _value_changes(prefix: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {"path": prefix + key, "before": old.get(key), "after": new.get(key)}
        for key in sorted(old.keys() | new.keys())
        if old.get(key) != new.get(key)
    ]


__all__ = [
    "BadArguments",
    "NoSuchCommand",
    "NoSuchRow",
    "OutsideCommand",
    "Row",
    "StoredFile",
    "Table",
    "World",
    "WorldError",
    "decode",
    "diff",
    "encode",
    "table_name",
]
