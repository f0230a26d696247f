"""The server and the phones of this machine, as commands find or start them."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import httpx
import typer

from agent_server.cli.client import ServiceClient
from agent_server.cli.processes import NotStarted, child
from agent_server.settings import Settings
from device.adb.client import Listed, ensure_server
from device.adb.device import AdbDevice

ANNOUNCEMENT = "server.json"
"""Written into the data directory by a running server: its address and process id."""


def fail(message: str, advice: str = "", code: int = 1) -> NoReturn:
    """Say what went wrong and what to do, and leave."""
    typer.echo(f"tapwright: {message}", err=True)
    if advice:
        typer.echo(f"           {advice}", err=True)
    raise typer.Exit(code)


def announced(settings: Settings) -> str | None:
    """The address of the server that runs on this data directory, or None when none answers."""
    try:
        url = str(json.loads((settings.data_dir / ANNOUNCEMENT).read_text())["url"])
        answer = httpx.get(f"{url}/healthz", timeout=2, trust_env=False)
    except (OSError, ValueError, KeyError, httpx.HTTPError):
        return None
    return url if answer.status_code == 200 else None


@contextlib.contextmanager
def service() -> Iterator[ServiceClient]:
    """A client of the running server, or of a private one that ends with this command."""
    settings = Settings()
    url = announced(settings)
    with contextlib.ExitStack() as stack:
        if url is None:
            log = Path(tempfile.mkdtemp(prefix="tapwright-")) / "server.log"
            typer.echo("Starting a private server ...", err=True)
            try:
                info = stack.enter_context(child(["agent_server", "serve", "--port", "0", "--announce"], log=log))
            except NotStarted as error:
                fail(str(error))
            url = str(info["url"])
        client = ServiceClient(url, settings.token_path.read_text().strip())
        stack.callback(client.close)
        yield client


async def listed() -> Sequence[Listed]:
    """The phones that the adb server knows; starts one if none runs."""
    settings = Settings()
    server = await ensure_server(settings.adb_port, host=settings.adb_host)
    return await server.devices()


@contextlib.asynccontextmanager
async def phone(serial: str) -> AsyncIterator[AdbDevice]:
    """An opened phone, closed on leaving. Raises DeviceError."""
    settings = Settings()
    server = await ensure_server(settings.adb_port, host=settings.adb_host)
    device = await AdbDevice.open(server, serial)
    try:
        yield device
    finally:
        await device.close()
