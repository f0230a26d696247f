"""The world: changed by commands alone, whole or not at all, kept and compared exactly."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, ClassVar

import pytest

from device.virtual.core.codec import NotStorable
from device.virtual.core.journal import Journal
from device.virtual.core.world import (
    BadArguments,
    NoSuchCommand,
    NoSuchRow,
    OutsideCommand,
    World,
    WorldError,
    diff,
    table_name,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    TABLE: ClassVar[str] = "notes.note"

    id: int
    title: str
    tags: tuple[str, ...] = ()
    day: date | None = None
    more: Mapping[str, Any] = field(default_factory=dict)
    data: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    id: int
    name: str = ""


def change(world: World, run: Callable[[World], Any]) -> Any:
    world.register("test.change", lambda w: run(w))
    return world.commit("test.change", {}, "i1")


def two_notes() -> World:
    world = World(seed=3)
    change(world, lambda w: [w.table(Note).add(title="Bread"), w.table(Note).add(title="Milk", tags=("shop", "cold"))])
    return world


def test_rows_get_rising_ids_that_are_never_given_again() -> None:
    world = two_notes()
    change(world, lambda w: w.table(Note).remove(2))
    assert change(world, lambda w: w.table(Note).add(title="Eggs")).id == 3
    assert [row.id for row in world.table(Note)] == [1, 3]


def test_rows_are_found_by_what_their_fields_hold() -> None:
    notes = two_notes().table(Note)
    assert notes.get(2).title == "Milk"
    assert notes.find(title="Milk") == (notes.get(2),)
    assert notes.first(title="Tea") is None
    assert notes.maybe(None) is None
    with pytest.raises(NoSuchRow, match=r"notes\.note has no row 9"):
        notes.get(9)


def test_update_changes_a_copy() -> None:
    world = two_notes()
    before = world.table(Note).get(1)
    change(world, lambda w: w.table(Note).update(1, title="Rye bread"))
    assert (before.title, world.table(Note).get(1).title) == ("Bread", "Rye bread")


def test_nothing_changes_outside_a_command() -> None:
    world = two_notes()
    attempts: list[Callable[[], object]] = [
        lambda: world.table(Note).add(title="x"),
        lambda: world.table(Note).remove(1),
        lambda: world.settings.put("system", "x", "1"),
        lambda: world.settings.delete("system", "x"),
        lambda: world.files.write("/sdcard/a", b""),
        lambda: world.files.remove("/sdcard/a"),
    ]
    for attempt in attempts[:5]:
        with pytest.raises(OutsideCommand):
            attempt()
    with pytest.raises(FileNotFoundError):
        attempts[5]()
    assert world.to_json() == two_notes().to_json()


def test_a_command_that_raises_has_changed_nothing() -> None:
    world = two_notes()
    before = world.snapshot()

    def spoil(w: World) -> None:
        w.table(Note).add(title="x")
        w.table(Note).remove(1)
        w.table(Note).update(2, title="y")
        w.settings.put("secure", "k", "v")
        w.files.write("/sdcard/a.txt", b"1")
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        change(world, spoil)
    assert world.snapshot() == before
    assert [row.id for row in world.table(Note)] == [1, 2]


def test_commands_inside_commands_unknown_ones_and_wrong_arguments_are_refused() -> None:
    world = two_notes()
    with pytest.raises(WorldError, match="inside another"):
        change(world, lambda w: w.commit("test.change", {}, "i1"))
    with pytest.raises(NoSuchCommand, match="known are"):
        world.commit("notes.fly", {}, "i1")
    world.register("notes.save", lambda w, *, title: None)
    with pytest.raises(BadArguments, match=r"notes\.save"):
        world.commit("notes.save", {"titel": "x"}, "i1")


def test_every_command_is_journalled_with_its_cause_and_may_hide_a_secret() -> None:
    journal = Journal(lambda: 7.0)
    world = World(journal=journal)
    seen: list[str] = []
    world.register("wifi.join", lambda w, *, password: seen.append(w.cause + password))
    world.commit("wifi.join", {"password": "hunter2"}, "i4", shown={"password": {"length": 7}})
    (entry,) = journal.entries("command")
    assert seen == ["i4hunter2"]
    assert (entry.cause, entry.ms) == ("i4", 7.0)
    assert entry.data == {"command": "wifi.join", "args": {"password": {"length": 7}}}


def test_a_row_must_be_a_frozen_dataclass() -> None:
    class Loose:
        id = 1

    with pytest.raises(WorldError, match="frozen dataclass"):
        World().table(Loose)


def test_a_snapshot_comes_back_exactly_in_this_world_and_in_a_fresh_one() -> None:
    world = two_notes()

    def fill(w: World) -> None:
        w.table(Note).add(
            title="日记 📝", day=date(2026, 2, 3), more={"at": datetime(2026, 1, 1), "n": 1}, data=b"\0\1"
        )
        w.settings.put("system", "font_scale", 1.3)
        w.files.write("/sdcard/Download/a.bin", bytes(range(256)), mode=0o100644, mtime=datetime(2026, 4, 4))
        w.files.make_folder("/sdcard/DCIM")

    change(world, fill)
    kept, told = world.snapshot(), world.to_json()

    def spoil(w: World) -> None:
        w.table(Note).remove(1)
        w.files.remove("/sdcard/DCIM")
        w.table(Plain).add(name="x")

    change(world, spoil)
    assert world.to_json() != told
    world.restore(kept)
    assert world.to_json() == {**told, "tables": {**told["tables"], table_name(Plain): {}}}
    fresh = World()
    fresh.restore(kept)
    assert fresh.table(Note).all() == world.table(Note).all()
    assert fresh.to_json() == told
    assert fresh.seed == 3
    assert fresh.files.read("/sdcard/Download/a.bin") == bytes(range(256))
    assert change(fresh, lambda w: w.table(Note).add(title="next")).id == 4


def test_a_snapshot_of_a_large_world_takes_milliseconds() -> None:
    world = World()
    change(world, lambda w: [w.table(Note).add(title=f"Note {n}", tags=("a", "b")) for n in range(3000)])
    kept = world.snapshot()
    change(world, lambda w: w.settings.put("system", "x", "1"))
    took = []
    for _ in range(5):
        start = time.perf_counter()
        world.snapshot()
        world.restore(kept)
        took.append(time.perf_counter() - start)
    assert min(took) < 0.02  # 5 ms is the aim; a busy machine is given four times as long


def test_other_bytes_are_no_snapshot() -> None:
    with pytest.raises(ValueError, match="no snapshot"):
        World().restore(b"hello")


def test_values_that_cannot_be_kept_are_named() -> None:
    world = World()
    change(world, lambda w: w.table(Note).add(title="x", more={"f": print}))
    with pytest.raises(NotStorable, match="builtin_function"):
        world.snapshot()


def test_diff_names_records_and_fields() -> None:
    world = two_notes()
    change(world, lambda w: w.files.write("/sdcard/a.txt", b"one"))
    before = world.to_json()

    def alter(w: World) -> None:
        w.table(Note).remove(1)
        w.table(Note).update(2, title="Oat milk", tags=())
        w.table(Note).add(title="Eggs")
        w.settings.put("global", "wifi_on", "0")
        w.files.write("/sdcard/a.txt", b"two")

    change(world, alter)
    found = diff(before, world.to_json())
    assert [change["path"] for change in found] == [
        "notes.note/1",
        "notes.note/2/tags",
        "notes.note/2/title",
        "notes.note/3",
        "settings/global/wifi_on",
        "files/storage/emulated/0/a.txt",
    ]
    assert found[0]["after"] is None
    assert found[0]["before"]["title"] == "Bread"
    assert (found[2]["before"], found[2]["after"]) == ("Milk", "Oat milk")
    assert found[3]["before"] is None
    assert diff(before, before) == []


def test_the_table_of_a_row_is_named_after_its_app() -> None:
    from device.virtual.apps.contacts.model import Contact

    assert table_name(Contact) == "contacts.contact"
    assert table_name(Note) == "notes.note"


def test_settings_are_text_in_three_namespaces() -> None:
    world = World()
    change(world, lambda w: w.settings.put("system", "a", True))
    change(world, lambda w: w.settings.put("global", "b", 0.5))
    assert world.settings.get("system", "a") == "1"
    assert world.settings.flag("system", "a")
    assert not world.settings.flag("system", "missing")
    assert world.settings.number("global", "b", 1.0) == 0.5
    assert world.settings.get("secure", "none", "fallback") == "fallback"
    with pytest.raises(ValueError, match="system, secure, global"):
        world.settings.get("vendor", "a")


def test_files_know_folders_links_and_listings() -> None:
    world = World()

    def fill(w: World) -> None:
        w.files.write("/sdcard/Music/../Download/a.txt", b"abc")
        w.files.make_folder("/sdcard/Empty")

    change(world, fill)
    files = world.files
    assert files.read("/storage/emulated/0/Download/a.txt") == b"abc"
    assert files.listing("/sdcard") == ("Download", "Empty")
    folder = files.get("/sdcard/Download")
    assert folder is not None
    assert folder.is_folder
    with pytest.raises(IsADirectoryError):
        files.read("/sdcard/Empty")
    with pytest.raises(NotADirectoryError):
        files.listing("/sdcard/Download/a.txt")
    with pytest.raises(FileNotFoundError):
        files.listing("/sdcard/none")
    with pytest.raises(OSError, match="recursive"):
        change(world, lambda w: w.files.remove("/sdcard/Download"))
    change(world, lambda w: w.files.remove("/sdcard/Download", recursive=True))
    assert "/sdcard/Download/a.txt" not in files
