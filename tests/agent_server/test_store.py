from __future__ import annotations

import asyncio
import hashlib
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import alembic.command
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, text

from agent_server.runs.model import Budgets
from agent_server.runs.records import run_of
from agent_server.store import events
from agent_server.store.blobs import BlobStore
from agent_server.store.database import Database, migration_config
from agent_server.store.names import Names
from agent_server.store.tables import Row, RunRow
from device.clock import ManualClock
from policies.base import Usage

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 1, 1, 12, 0, 0, 123456, tzinfo=UTC)


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Database]:
    database = Database(folder / "test.sqlite3")
    try:
        await database.migrate()
        yield database
    finally:
        await database.close()


def run_row(name: str = "run_1") -> RunRow:
    return RunRow(
        id=name, task="t", serial="s", policy="p", params={}, lang="en", trusted=False, budget_steps=1,
        budget_seconds=1.0, state="queued", created_at=NOW,
    )  # fmt: skip


async def add_event(database: Database, n: int = 0, run_id: str = "run_1") -> int:
    async with database.write() as session:
        return await events.append(
            session,
            run_id,
            ts=NOW,
            type="thought",
            step=None,
            actor="agent",
            importance=0,
            speak="",
            lang="en",
            data={"n": n},
        )


async def test_the_migrations_end_in_the_shape_of_the_tables(tmp_path: Path) -> None:
    def differences(connection: Connection) -> list[object]:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return list(compare_metadata(context, Row.metadata))

    async with opened(tmp_path) as database, database._writer.begin() as connection:
        assert await connection.run_sync(differences) == []


async def test_the_migrations_go_down_and_up_again(tmp_path: Path) -> None:
    def down_and_up(connection: Connection) -> list[str]:
        alembic.command.downgrade(migration_config(connection), "base")
        left = [row[0] for row in connection.execute(text("SELECT name FROM sqlite_master WHERE type='table'"))]
        alembic.command.upgrade(migration_config(connection), "head")
        return left

    async with opened(tmp_path) as database, database._writer.begin() as connection:
        assert set(await connection.run_sync(down_and_up)) == {"alembic_version"}


async def test_a_run_of_the_time_before_usage_was_counted_has_used_nothing_and_has_no_bounds(tmp_path: Path) -> None:
    def go_back(connection: Connection) -> None:
        alembic.command.downgrade(migration_config(connection), "0001")
        connection.execute(
            text(
                "INSERT INTO run (id, task, serial, policy, params, lang, trusted, budget_steps, budget_seconds, "
                "state, steps, created_at) VALUES ('run_1', 't', 's', 'p', '{}', 'en', 0, 1, 1.0, 'stopped', 0, :now)"
            ),
            {"now": "2026-01-01T12:00:00.123Z"},
        )

    async with opened(tmp_path) as database:
        async with database._writer.begin() as connection:
            await connection.run_sync(go_back)
        await database.migrate()
        async with database.read() as session:
            found = run_of(await session.get_one(RunRow, "run_1"))
    assert (found.usage, found.budgets) == (Usage(), Budgets(steps=1, seconds=1.0))


async def test_every_connection_writes_ahead_and_waits_for_the_disk(tmp_path: Path) -> None:
    async with opened(tmp_path) as database, database.write() as session:
        found = {
            name: await session.scalar(text(f"PRAGMA {name}"))
            for name in ("journal_mode", "synchronous", "foreign_keys")
        }
    assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


async def test_events_of_a_run_are_numbered_from_one_without_a_gap_however_many_write_at_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as database:
        async with database.write() as session:
            session.add_all([run_row(), run_row("run_2")])
        numbers = await asyncio.gather(*(add_event(database, n, f"run_{1 + n % 2}") for n in range(40)))
        assert sorted(numbers) == sorted([*range(1, 21), *range(1, 21)])
        async with database.read() as session:
            kept = await events.after(session, "run_1", 5, 100)
        assert [row.seq for row in kept] == list(range(6, 21))


async def test_a_transaction_that_fails_leaves_nothing_and_uses_up_no_number(tmp_path: Path) -> None:
    async with opened(tmp_path) as database:
        async with database.write() as session:
            session.add(run_row())
        with pytest.raises(RuntimeError):
            async with database.write() as session:
                await events.append(
                    session,
                    "run_1",
                    ts=NOW,
                    type="x",
                    step=None,
                    actor="agent",
                    importance=0,
                    speak="",
                    lang="en",
                    data={},
                )
                raise RuntimeError
        assert await add_event(database) == 1


async def test_a_writer_that_is_cancelled_holds_nobody_up(tmp_path: Path) -> None:
    async with opened(tmp_path) as database:
        async with database.write() as session:
            session.add(run_row())
        for n in range(30):
            task = asyncio.create_task(add_event(database, n))
            await asyncio.sleep(0.0002 * n)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        last = await add_event(database)
        async with database.read() as session:
            assert [row.seq for row in await events.after(session, "run_1", 0, 100)] == list(range(1, last + 1))


async def test_a_reader_sees_the_last_commit_while_a_writer_is_at_work(tmp_path: Path) -> None:
    async with opened(tmp_path) as database:
        async with database.write() as session:
            session.add(run_row())
        async with database.write() as session:
            await events.append(
                session, "run_1", ts=NOW, type="x", step=None, actor="agent", importance=0, speak="", lang="en", data={}
            )
            async with database.read() as reader:
                assert list(await events.after(reader, "run_1", 0, 10)) == []


async def test_moments_come_back_in_utc_to_the_millisecond_and_sort_as_text(tmp_path: Path) -> None:
    async with opened(tmp_path) as database:
        async with database.write() as session:
            row = run_row()
            row.started_at = NOW.astimezone(timezone(timedelta(hours=5)))
            session.add(row)
        async with database.read() as session:
            found = await session.get_one(RunRow, "run_1")
    assert found.created_at == NOW.replace(microsecond=123000) == found.started_at
    raw = sqlite3.connect(tmp_path / "test.sqlite3")
    assert raw.execute("SELECT created_at, started_at FROM run").fetchone() == ("2026-01-01T12:00:00.123Z",) * 2
    raw.close()


async def test_a_bell_rings_for_its_run_only_and_for_all_at_the_end() -> None:
    bell = events.Bell()
    one, two = bell.listen("one"), bell.listen("two")
    bell.ring("one")
    assert one.done() and not two.done()
    bell.close()
    assert two.done() and bell.listen("three").done()


async def test_leaving_a_bell_forgets_the_listener() -> None:
    bell = events.Bell()
    future = bell.listen("one")
    bell.leave("one", future)
    bell.ring("one")
    assert future.cancelled() and not bell._listening


def test_a_blob_is_kept_once_under_its_hash(tmp_path: Path) -> None:
    store = BlobStore(tmp_path)
    digest = store.put(b"picture")
    assert store.put(b"picture") == digest
    assert digest == hashlib.sha256(b"picture").hexdigest()
    assert store.get(digest) == b"picture"
    assert store.path(digest).relative_to(tmp_path).as_posix() == f"sha256/{digest[:2]}/{digest[2:4]}/{digest}"
    assert [one.name for one in tmp_path.rglob("*") if one.is_file()] == [digest]


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "A" * 64, "0" * 63])
def test_only_a_hash_names_a_blob(tmp_path: Path, name: str) -> None:
    store = BlobStore(tmp_path)
    assert store.get(name) is None
    with pytest.raises(ValueError, match="sha256"):
        store.path(name)


def test_a_blob_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    store = BlobStore(tmp_path / "blobs")
    (tmp_path / "blobs").touch()  # a file where the folder should be
    with pytest.raises(NotADirectoryError):
        store.put(b"picture")
    assert [one.name for one in tmp_path.rglob("*")] == ["blobs"]


def test_names_grow_even_when_the_clock_stands_still_or_goes_back() -> None:
    clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    names = Names(clock)
    made = [names.make("run") for _ in range(100)]
    clock.advance(-5)
    made += [names.make("run") for _ in range(100)]
    assert made == sorted(made) and len(set(made)) == 200
    assert all(len(name) == 30 and name.startswith("run_") for name in made)
