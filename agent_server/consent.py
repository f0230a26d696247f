"""Who agreed that pictures of which phone may go to which host; kept in the store. A run asks where nobody has."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from sqlalchemy import delete, select

from agent_server.store.database import Database
from agent_server.store.tables import ConsentRow
from device.clock import Clock
from policies.base import Needs

HERE = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """Pictures of the phone `serial` may go to `host`. `model` is the one that was named when that was asked."""

    serial: str
    host: str
    model: str
    run_id: str
    given_at: datetime


class Consents:
    """What has been agreed. `hosts` are those that the owner has named for every phone."""

    def __init__(self, database: Database, clock: Clock, hosts: Collection[str] = ()) -> None:
        self._database = database
        self._clock = clock
        self._hosts = frozenset(host.casefold() for host in hosts)

    def needed(self, needs: Needs) -> str:
        """The host that somebody has to agree to, with its port where that is unusual; empty where nobody has to.

        A policy that names a remote model and no host is asked about by the model's name.
        """
        host = (needs.remote_host or needs.remote_model).casefold()
        return "" if not host or not HERE.isdisjoint({_name(host)}) or self._named(host) else host

    def _named(self, host: str) -> bool:
        return not self._hosts.isdisjoint({host, _name(host)})

    async def given(self, serial: str, host: str) -> bool:
        async with self._database.read() as session:
            return await session.get(ConsentRow, (serial, host)) is not None

    async def remember(self, serial: str, host: str, *, model: str, run_id: str) -> None:
        """Somebody has agreed, until it is taken back."""
        row = ConsentRow(serial=serial, host=host, model=model, run_id=run_id, given_at=self._clock.now())
        async with self._database.write() as session:
            await session.merge(row)

    async def listed(self, serial: str | None = None) -> tuple[Consent, ...]:
        """By phone and host; of one phone, or of all that were ever agreed about."""
        query = select(ConsentRow).order_by(ConsentRow.serial, ConsentRow.host)
        if serial is not None:
            query = query.where(ConsentRow.serial == serial)
        async with self._database.read() as session:
            return tuple(_consent(row) for row in (await session.scalars(query)).all())

    async def revoke(self, serial: str, host: str) -> bool:
        """Take it back; False where it had not been given. A run at work asks anew before its next step."""
        gone = delete(ConsentRow).where(ConsentRow.serial == serial, ConsentRow.host == host.casefold())
        async with self._database.write() as session:
            return bool((await session.execute(gone.returning(ConsentRow.host))).all())


def _consent(row: ConsentRow) -> Consent:
    return Consent(serial=row.serial, host=row.host, model=row.model, run_id=row.run_id, given_at=row.given_at)


def _name(host: str) -> str:
    """The host without its port."""
    try:
        return urlsplit(f"//{host}").hostname or host
    except ValueError:  # a model's name, not a host
        return host
