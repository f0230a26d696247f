"""What was changed on a phone is written down before it is changed, and a phone has one owner at a time."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.adb.changes import Change, ChangeJournal, digest, read
from device.adb.lease import Lease, file_name
from device.errors import DeviceBusy, DeviceError


def change(name: str = "system/user_rotation", before: str = "0", ours: str = "1") -> Change:
    return Change(kind="setting", name=name, before=before, ours=ours)


def test_a_change_is_on_the_disk_when_it_has_been_recorded_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "phones" / "one.json"
    journal = ChangeJournal(path)
    journal.record(change())
    assert read(path) == (change(),) and stat.S_IMODE(path.stat().st_mode) == 0o600
    assert ChangeJournal(path).pending == (change(),)
    journal.forget("setting", "system/user_rotation")
    assert read(path) == () and not journal.pending


def test_what_its_owner_had_is_kept_however_often_it_is_changed() -> None:
    journal = ChangeJournal()
    journal.record(change(before="0", ours="1"))
    journal.record(change(before="1", ours="3"))
    assert journal.pending == (change(before="0", ours="3"),)


def test_changes_are_undone_newest_first() -> None:
    journal = ChangeJournal()
    for name in ("a", "b", "c"):
        journal.record(change(name))
    assert [one.name for one in journal.pending] == ["c", "b", "a"]
    journal.forget("setting", "unknown")
    assert len(journal.pending) == 3


def test_a_change_does_not_show_what_its_owner_had_copied() -> None:
    assert "secret" not in repr(Change(kind="clipboard", name="", before="secret", ours=digest("other")))


def test_what_cannot_be_written_down_is_an_error_with_advice(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    journal = ChangeJournal(tmp_path / "file" / "x.json")
    with pytest.raises(DeviceError, match="cannot be written down") as caught:
        journal.record(change())
    assert str(tmp_path / "file") in caught.value.advice and not journal.pending


@given(data=st.binary() | st.recursive(st.none() | st.text() | st.integers(), st.lists).map(json.dumps).map(str.encode))
def test_any_file_gives_changes_or_none(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_bytes(data)
    assert all(isinstance(one, Change) for one in read(path))


def test_entries_that_make_no_sense_are_left_out(tmp_path: Path) -> None:
    good = {"kind": "setting", "name": "n", "before": "b", "ours": "o"}
    bad = [{}, {**good, "kind": "app"}, {**good, "more": "x"}, {**good, "before": 3}, 7]
    (tmp_path / "x").write_text(json.dumps([*bad, good]))
    assert read(tmp_path / "x") == (change("n", "b", "o"),)


def test_a_text_that_is_no_unicode_has_a_digest_and_can_be_written(tmp_path: Path) -> None:
    journal = ChangeJournal(tmp_path / "x")
    journal.record(Change(kind="clipboard", name="", before="\ud83d", ours=digest("\ud83d")))
    assert read(tmp_path / "x")[0].before == "\ud83d"


# Leases


def test_a_second_lease_of_a_phone_is_refused_until_the_first_is_released(tmp_path: Path) -> None:
    first = Lease.take(tmp_path / "phones", "10.0.0.2:5555")
    with pytest.raises(DeviceBusy) as caught:
        Lease.take(tmp_path / "phones", "10.0.0.2:5555")
    assert caught.value.serial == "10.0.0.2:5555" and "owner" in caught.value.advice and caught.value.doing
    Lease.take(tmp_path / "phones", "10.0.0.3:5555").release()
    first.release()
    first.release()
    Lease.take(tmp_path / "phones", "10.0.0.2:5555").release()


def test_a_lease_ends_with_its_process_however_that_dies(tmp_path: Path) -> None:
    child = os.fork()
    if child == 0:
        Lease.take(tmp_path, "phone-1")
        os.kill(os.getpid(), 9)
    os.waitpid(child, 0)
    Lease.take(tmp_path, "phone-1").release()


@given(one=st.text(), other=st.text())
def test_a_serial_is_a_file_name_of_its_own(one: str, other: str) -> None:
    name = file_name(one)
    assert "/" not in name and "\0" not in name and (name == file_name(other)) == (one == other)
