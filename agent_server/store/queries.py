"""Reading and first writing of runs: plain queries, newest first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from agent_server.store.tables import ArtifactRow, IdempotencyRow, RunRow, StepRow


async def runs(
    session: AsyncSession, *, before: str | None, state: str | None, serial: str | None, limit: int
) -> Sequence[RunRow]:
    """Runs older than the one named `before`, newest first."""
    query = select(RunRow).order_by(RunRow.id.desc()).limit(limit)
    if before is not None:
        query = query.where(RunRow.id < before)
    if state is not None:
        query = query.where(RunRow.state == state)
    if serial is not None:
        query = query.where(RunRow.serial == serial)
    return (await session.scalars(query)).all()


async def steps(session: AsyncSession, run_id: str, *, after: int, limit: int) -> Sequence[StepRow]:
    """Steps after number `after`, oldest first."""
    query = select(StepRow).where(StepRow.run_id == run_id, StepRow.n > after).order_by(StepRow.n).limit(limit)
    return (await session.scalars(query)).all()


async def artifact(session: AsyncSession, digest: str) -> ArtifactRow | None:
    return await session.get(ArtifactRow, digest)


async def remembered(session: AsyncSession, key: str, now: datetime) -> IdempotencyRow | None:
    """What was answered to this key before; what is too old is forgotten on the way."""
    await session.execute(delete(IdempotencyRow).where(IdempotencyRow.expires < now))
    return await session.get(IdempotencyRow, key)
