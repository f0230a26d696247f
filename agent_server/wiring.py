"""The one place that reads the settings and chooses what does the work."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import secrets
import signal
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import structlog
import uvicorn
from fastapi import FastAPI

from agent_server import logs
from agent_server.api.access import Access, Tickets
from agent_server.api.app import create_app
from agent_server.api.server import ApiServer
from agent_server.attach import keep_attached
from agent_server.consent import Consents
from agent_server.errors import DataFolderInUse
from agent_server.fleet import AdbSource, Fleet, Source
from agent_server.owner import Owner
from agent_server.runs.cast import Checkpoint
from agent_server.runs.host import RunHost
from agent_server.runs.journal import Archive
from agent_server.runs.questions import Desk
from agent_server.secrets import Vault
from agent_server.service import Limits, Registry, Service
from agent_server.settings import Settings, unknown_variables
from agent_server.store.blobs import BlobStore
from agent_server.store.database import Database
from agent_server.store.events import Bell
from agent_server.store.names import Names
from device.clock import Clock, SystemClock
from perception.base import Perceiver
from perception.errors import PerceptionError
from perception.ocr import RapidOcrReader
from perception.pipeline import Pipeline
from policies import registry
from policies.llm import prices

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a test may bring of its own; everything else follows from the settings."""

    source: Source | None = None
    perceiver: Perceiver | None = None
    policies: Registry | None = None
    clock: Clock | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wired:
    """A server put together. `start` before serving, `close` after."""

    service: Service
    app: FastAPI
    host: RunHost
    fleet: Fleet
    database: Database
    bell: Bell
    access: Access
    tickets: Tickets
    pipeline: Pipeline | None
    """Perception of our own making, whose threads end with the server."""

    async def start(self) -> None:
        """Migrate the tables, end what a dead process left behind, take up queued runs."""
        await self.database.migrate()
        self.fleet.start()
        await self.host.start()

    async def drain(self) -> None:
        """Put the end of running runs on record, then let everybody go who listens."""
        await self.host.close()
        self.bell.close()
        await self.service.close()

    async def close(self) -> None:
        await self.drain()
        await self.fleet.close()
        if self.pipeline is not None:
            self.pipeline.close()
        await self.database.close()

    def server(self, config: uvicorn.Config) -> uvicorn.Server:
        """A uvicorn server that drains before it waits for open connections."""
        return ApiServer(config, self.drain)


def build(settings: Settings, parts: Parts = Parts(), *, token: str = "") -> Wired:
    """Choose and connect the parts. Touches neither network nor disk; `running` does the rest."""
    clock = parts.clock or SystemClock()
    archive = Archive(
        database=Database(settings.database_path),
        blobs=BlobStore(settings.blobs_path),
        vault=Vault(settings.secrets_path),
        bell=Bell(),
        clock=clock,
    )
    source = parts.source or AdbSource(
        settings.adb_host,
        settings.adb_port,
        clock=clock,
        use_tree=settings.use_tree,
        consent_accessibility=settings.consent_accessibility,
        folder=settings.data_dir / "phones",
    )
    pipeline = None
    if parts.perceiver is None:
        reader = RapidOcrReader(threads=settings.ocr_threads)
        pipeline = Pipeline(reader, ocr=settings.ocr, deadline=settings.perceive_seconds)
    perceiver = parts.perceiver or pipeline
    assert perceiver is not None
    policies: Registry = parts.policies or registry
    consents = Consents(archive.database, clock, settings.remote_hosts)
    if settings.price_file is not None:
        prices.use(prices.read(settings.price_file))
    fleet = Fleet(source)
    names = Names(clock)
    desk = Desk(archive, names, settings.question_seconds)
    host = RunHost(
        archive=archive,
        desk=desk,
        phones=fleet,
        perceiver=perceiver,
        policies=policies,
        consents=consents,
        checkpoint=crash_point(settings.crash_at),
        overlay_width=settings.overlay_width,
    )
    service = Service(
        archive=archive,
        names=names,
        desk=desk,
        host=host,
        fleet=fleet,
        perceiver=perceiver,
        registry=policies,
        owner=Owner(consents, archive.vault),
        limits=Limits(
            steps=settings.default_steps, seconds=settings.default_seconds, overlay_width=settings.overlay_width
        ),
    )
    access, tickets = Access(token or secrets.token_urlsafe(32), required=settings.auth), Tickets()
    app = create_app(
        service,
        access=access,
        tickets=tickets,
        hosts=(*settings.allow_hosts, settings.host),
        origins=settings.allow_origins,
        max_body_bytes=settings.max_body_bytes,
    )
    return Wired(
        service=service,
        app=app,
        host=host,
        fleet=fleet,
        database=archive.database,
        bell=archive.bell,
        access=access,
        tickets=tickets,
        pipeline=pipeline,
    )


@contextlib.asynccontextmanager
async def running(settings: Settings, parts: Parts = Parts()) -> AsyncIterator[Wired]:
    """A server whose data folder is locked and whose runs go on. Raises DataFolderInUse, SecretsUnreadable."""
    logs.configure(settings.log_format, settings.log_level)
    for name, near in unknown_variables(os.environ).items():
        log.warning("unknown setting", name=name, nearest=near)
    settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _locked(settings.lock_path):
        wired = build(settings, parts, token=keep_token(settings))
        # Without them nothing can be covered, so a broken file ends the start.
        wired.service.owner.secrets()
        aside = [asyncio.create_task(_warm_up(wired.pipeline), name="warm up")]
        if settings.connect:
            clock = parts.clock or SystemClock()
            attaching = keep_attached(settings.connect, settings.adb_host, settings.adb_port, clock)
            aside.append(asyncio.create_task(attaching, name="attach phones"))
        try:
            await wired.start()
            yield wired
        finally:
            for task in aside:
                task.cancel()
            await asyncio.gather(*aside, return_exceptions=True)
            await wired.close()


async def _warm_up(pipeline: Pipeline | None) -> None:
    # The models load while nobody waits for them yet; the server answers meanwhile.
    if pipeline is None:
        return
    try:
        await pipeline.warm_up()
    except PerceptionError as error:
        log.warning("text cannot be read from pictures", error=str(error))


def keep_token(settings: Settings) -> str:
    """The token of the settings, or else of the file; made at the first start. The file has mode 0600."""
    path = settings.token_path
    given = settings.token.get_secret_value() if settings.token is not None else ""
    with contextlib.suppress(FileNotFoundError):
        kept = path.read_text().strip()
        if kept and given in ("", kept):
            path.chmod(0o600)
            return kept
    token = given or secrets.token_urlsafe(32)
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(token + "\n")
    return token


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the folder's lock; the kernel lets go of it when the process dies, however it dies."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise DataFolderInUse(
                f"Another server works on {path.parent}.", advice="Use that one, or set TAPWRIGHT_DATA_DIR."
            ) from error
        yield


def crash_point(crash_at: str) -> Checkpoint:
    """Ends the process without warning at the named point, as a power cut would. For tests of recovery."""
    wanted, _, step = crash_at.partition(":")

    def checkpoint(point: str, n: int) -> None:
        if point == wanted and (not step or int(step) == n):
            os.kill(os.getpid(), signal.SIGKILL)

    return checkpoint
