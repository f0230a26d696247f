"""One SQLite file: one writer at a time, any number of readers, migrated when opened."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiosqlite
import alembic.command
import alembic.config
from sqlalchemy import Connection, event
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool

MIGRATIONS = Path(__file__).parent / "migrations"


class Database:
    """Transactions on the service's tables.

    `journal_mode=WAL` lets readers go on while a run is written. `synchronous=FULL` makes every commit reach
    the disk before it returns: the intent to touch a phone has to outlive a power cut that comes right after
    the touch, or the touch could be repeated; NORMAL would lose the last commits of a WAL. It costs a
    fraction of a millisecond per commit, of which a step makes about ten.
    """

    def __init__(self, path: Path) -> None:
        url = "sqlite+aiosqlite://"

        async def connect() -> aiosqlite.Connection:
            return await _connect(path)

        # A pool of one connection makes writers queue in this process instead of meeting SQLITE_BUSY.
        self._writer = create_async_engine(
            url, async_creator=connect, poolclass=AsyncAdaptedQueuePool, pool_size=1, max_overflow=0, pool_timeout=60
        )
        self._reader = create_async_engine(
            url, async_creator=connect, poolclass=AsyncAdaptedQueuePool, pool_size=5, max_overflow=10
        )
        _prepare(self._writer, begin="BEGIN IMMEDIATE")
        _prepare(self._reader, begin="BEGIN")

    async def migrate(self) -> None:
        """Bring the tables to the newest shape."""
        async with self._writer.begin() as connection:
            await connection.run_sync(_upgrade)

    @contextlib.asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncSession]:
        """A session whose changes are committed together on leaving, or not at all after an exception."""
        async with AsyncSession(self._writer, expire_on_commit=False) as session, session.begin():
            yield session

    @contextlib.asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncSession]:
        """A session that sees one state of the database."""
        async with AsyncSession(self._reader) as session:
            yield session

    async def close(self) -> None:
        await self._writer.dispose()
        await self._reader.dispose()


class _Connection(aiosqlite.Connection):
    """Ends its transaction before it closes.

    SQLAlchemy gives a connection up when its caller is cancelled in the middle of a statement. SQLite keeps a
    closed connection alive as long as a statement of it is (`sqlite3_close_v2`), with the lock of its open
    transaction, and the traceback of the cancelled caller holds the statement: without the rollback every other
    writer meets "database is locked".
    """

    async def close(self) -> None:
        if self._connection is not None:
            await self.rollback()
        await super().close()

    def stop(self) -> asyncio.Future[Any] | None:
        if self._connection is not None:
            self._tx.put_nowait((None, self._connection.rollback))
        return super().stop()


async def _connect(path: Path) -> aiosqlite.Connection:
    connection = _Connection(lambda: sqlite3.connect(path, check_same_thread=False), 64)
    # As SQLAlchemy does for connections of its own making: a forgotten one must not keep the process alive.
    connection._thread.daemon = True
    return await connection


def _prepare(engine: AsyncEngine, begin: str) -> None:
    @event.listens_for(engine.sync_engine, "connect")
    def _connected(connection: Any, _: object) -> None:
        # The driver's own idea of when a transaction starts is switched off: it starts with `begin` below.
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=5000"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def _begun(connection: Connection) -> None:
        connection.exec_driver_sql(begin)


def migration_config(connection: Connection) -> alembic.config.Config:
    """Alembic's configuration for an open connection; the scripts lie in this package."""
    config = alembic.config.Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config


def _upgrade(connection: Connection) -> None:
    alembic.command.upgrade(migration_config(connection), "head")
