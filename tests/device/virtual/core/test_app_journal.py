"""How apps declare themselves, and what the journal writes down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import pytest

from device.virtual.core.app import App, ScreenState, command, screen
from device.virtual.core.journal import Journal, text_data
from device.virtual.core.world import World
from device.virtual.ui.node import Node

if TYPE_CHECKING:
    from device.virtual.ui.env import Env


class Notes(App):
    package = "org.example.notes"
    label: ClassVar[Mapping[str, str]] = {"en": "Notes", "zh": "笔记"}

    @screen("main")
    def main(self, w: World, s: ScreenState, env: Env) -> Node:
        return Node(kind="text", text=s.field("title", "none"))

    @command
    def save(self, w: World, *, title: str) -> str:
        return title.upper()

    @command(name="wipe")
    def wipe_everything(self, w: World) -> None:
        """Nothing to wipe."""


class Better(Notes):
    package = "org.example.better"

    @screen("more")
    def more(self, w: World, s: ScreenState, env: Env) -> Node:
        return Node(kind="text")


def test_an_app_is_named_after_its_package_and_has_a_main_activity() -> None:
    app = Notes()
    assert app.name == "notes"
    assert dict(app.activities) == {".Notes": "main"}
    assert (app.title("zh"), app.title("fr")) == ("笔记", "Notes")


def test_screens_and_commands_are_found_by_their_marks_also_in_a_subclass() -> None:
    assert list(Notes().screens()) == ["main"]
    assert list(Notes().commands()) == ["notes.save", "notes.wipe"]
    assert sorted(Better().screens()) == ["main", "more"]
    assert "better.save" in Better().commands()


def test_a_registered_command_is_run_by_its_full_name() -> None:
    world = World()
    for name, run in Notes().commands().items():
        world.register(name, run)
    assert world.commit("notes.save", {"title": "abc"}, "i1") == "ABC"


def test_a_screen_reads_defaults_where_nothing_was_typed_or_set() -> None:
    state = ScreenState(views={"tab": 2}, fields={"title": "typed"})
    assert (state.view("tab"), state.view("page", 7)) == (2, 7)
    assert (state.field("title", "old"), state.field("body", "old")) == ("typed", "old")


def test_inputs_get_cause_ids_and_entries_are_numbered() -> None:
    journal = Journal(lambda: 5.0)
    first = journal.input({"action": "tap"})
    journal.append("command", {"command": "x"}, first)
    assert (first, journal.input({"code": 4}, kind="key")) == ("i1", "i2")
    assert [(e.n, e.kind, e.cause) for e in journal.entries()] == [
        (1, "input", "i1"),
        (2, "command", "i1"),
        (3, "key", "i2"),
    ]
    assert len(journal.entries(since=1)) == 2
    assert journal.to_json()[0] == {"n": 1, "ms": 5.0, "kind": "input", "cause": "i1", "data": {"action": "tap"}}


def test_unknown_kinds_are_refused() -> None:
    with pytest.raises(ValueError, match="kind must be one of"):
        Journal(lambda: 0.0).append("gossip", {})  # type: ignore[arg-type]


def test_a_password_is_written_by_its_length() -> None:
    assert text_data("hunter2", password=True) == {"length": 7, "password": True}
    assert text_data("hello", password=False) == {"text": "hello"}
