"""`tapwright doctor`: what is missing on this machine or a phone, and the command that mends it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated

import typer

from agent_server.cli import local
from agent_server.doctor import machine
from agent_server.doctor import phone as checks
from agent_server.doctor.finding import Finding
from agent_server.settings import Settings
from device.adb.client import ensure_server
from device.errors import DeviceError


def register(app: typer.Typer) -> None:
    app.command(help="Say what is missing here, and the command that mends it.")(doctor)


def doctor(
    serial: Annotated[str | None, typer.Option(help="Also check everything this phone can do.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of lines.")] = False,
) -> None:
    findings = asyncio.run(_all(serial, quiet=as_json))
    missing = [finding for finding in findings if finding.needed and not finding.ok]
    if as_json:
        typer.echo(json.dumps({"ok": not missing, "findings": [one.to_json() for one in findings]}, indent=2))
    else:
        typer.echo("Everything needed is here." if not missing else f"{len(missing)} thing(s) missing.")
    raise typer.Exit(1 if missing else 0)


async def _all(serial: str | None, *, quiet: bool) -> list[Finding]:
    """Each finding is told as it is made: the OCR engine alone takes seconds to start."""
    findings = []
    async for finding in _look(serial):
        findings.append(finding)
        if not quiet:
            _tell(finding)
    return findings


def _tell(finding: Finding) -> None:
    sign = "ok  " if finding.ok else ("MISS" if finding.needed else "note")
    typer.echo(f"{sign}  {finding.what}: {finding.detail}")
    if not finding.ok and finding.cause:
        typer.echo(f"      because {finding.cause}")
    if not finding.ok and finding.mend:
        typer.echo(f"      mend it with: {finding.mend}")


async def _look(serial: str | None) -> AsyncIterator[Finding]:
    settings = Settings()
    for finding in machine.look(settings):
        yield finding
    try:
        server = await ensure_server(settings.adb_port, host=settings.adb_host)
        listed = await server.devices()
    except DeviceError as error:
        yield Finding("adb server", False, str(error), error.advice or "apt install adb")
        return
    yield Finding("adb server", True, f"version {await server.version()} on port {settings.adb_port}")
    names = ", ".join(f"{one.serial} ({one.state})" for one in listed) or "no phone"
    yield Finding("phones", bool(listed), names, "plug one in, or start one: tapwright phone", needed=False)
    if serial is None:
        return
    try:
        async with local.phone(serial) as device:
            async for finding in checks.look(server.link(serial), device):
                yield finding
    except DeviceError as error:
        yield Finding(serial, False, str(error), error.advice)
