"""The append-only story of each run, and the bell that wakes whoever reads along."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from agent_server.store.tables import EventRow


async def append(
    session: AsyncSession,
    run_id: str,
    *,
    ts: datetime,
    type: str,
    step: int | None,
    actor: str,
    importance: int,
    speak: str,
    lang: str,
    data: dict[str, Any],
) -> int:
    """Add one event and return its number. Numbers count from 1 without a gap within a run.

    Must run in a write transaction: the number is the last one plus one, and writers come one at a time.
    """
    last = await session.scalar(select(func.max(EventRow.seq)).where(EventRow.run_id == run_id))
    row = EventRow(
        run_id=run_id,
        seq=(last or 0) + 1,
        ts=ts,
        type=type,
        step=step,
        actor=actor,
        importance=importance,
        speak=speak,
        lang=lang,
        data=data,
    )
    session.add(row)
    await session.flush()
    return row.seq


async def after(session: AsyncSession, run_id: str, seq: int, limit: int) -> Sequence[EventRow]:
    """The next events of a run after number `seq`, oldest first, at most `limit`."""
    query = select(EventRow).where(EventRow.run_id == run_id, EventRow.seq > seq).order_by(EventRow.seq).limit(limit)
    return (await session.scalars(query)).all()


class Bell:
    """Wakes readers of a run after each commit, and all of them for good when the server ends."""

    def __init__(self) -> None:
        self._listening: defaultdict[str, set[asyncio.Future[None]]] = defaultdict(set)
        self.closed = False

    def ring(self, run_id: str) -> None:
        for future in self._listening.pop(run_id, ()):
            if not future.done():
                future.set_result(None)

    def listen(self, run_id: str) -> asyncio.Future[None]:
        """A future that is done at the next ring. Take it before reading, so that no ring is missed."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if self.closed:
            future.set_result(None)
        else:
            self._listening[run_id].add(future)
        return future

    def leave(self, run_id: str, future: asyncio.Future[None]) -> None:
        """Stop listening."""
        future.cancel()
        if run_id in self._listening:
            self._listening[run_id].discard(future)
            if not self._listening[run_id]:
                del self._listening[run_id]

    def close(self) -> None:
        self.closed = True
        for run_id in list(self._listening):
            self.ring(run_id)
