"""`tapwright serve`: the REST service on this machine."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from agent_server.api.server import configure
from agent_server.cli.local import ANNOUNCEMENT, announced, fail
from agent_server.cli.processes import stop_at_eof
from agent_server.errors import DataFolderInUse, SecretsUnreadable
from agent_server.settings import Settings
from agent_server.wiring import running


def register(app: typer.Typer) -> None:
    app.command(help="Serve the REST API on this machine.")(serve)


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on; the default is this machine only.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="TCP port; 0 picks a free one.")] = None,
    announce: Annotated[bool, typer.Option(hidden=True, help="For parents: one JSON line, end with stdin.")] = False,
) -> None:
    given: dict[str, Any] = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    settings = Settings(**given)
    other = announced(settings)
    if other is not None:
        fail(
            f"A server already runs on {settings.data_dir}: {other}",
            "Use it, or set TAPWRIGHT_DATA_DIR to another folder.",
        )
    if announce:
        stop_at_eof()
    asyncio.run(_serve(settings, announce))


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
        # From here on clients wait instead of being refused while the server starts.
        listener.listen(128)
    except OSError as error:
        listener.close()
        fail(
            f"Cannot listen on {settings.host}:{settings.port}: {error.strerror}.",
            "Take another port: tapwright serve --port 0",
        )
    return listener


@contextlib.contextmanager
def _announcement(data_dir: Path, url: str) -> Iterator[None]:
    path = data_dir / ANNOUNCEMENT
    path.write_text(json.dumps({"url": url, "pid": os.getpid()}))
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


async def _serve(settings: Settings, announce: bool) -> None:
    listener = _listen(settings)
    port = listener.getsockname()[1]
    # What listens everywhere is reached here, by a name that the server knows as its own.
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104
    url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    try:
        await _serve_on(settings, listener, url, announce)
    except (DataFolderInUse, SecretsUnreadable) as error:
        fail(str(error), error.advice)


async def _serve_on(settings: Settings, listener: socket.socket, url: str, announce: bool) -> None:
    async with running(settings) as wired:
        login = f"{url}/login?ticket={wired.tickets.issue()}"
        with _announcement(settings.data_dir, url):
            if announce:
                print(json.dumps({"url": url, "login": login, "token_file": str(settings.token_path)}), flush=True)  # noqa: T201
            else:
                typer.echo(f"Tapwright serves at {url} (token in {settings.token_path})")
                typer.echo(f"Open once in a browser: {login}")
            await wired.server(configure(wired.app)).serve(sockets=[listener])
