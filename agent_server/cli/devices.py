"""`tapwright devices`: the phones that adb knows."""

from __future__ import annotations

import asyncio

import typer

from agent_server.cli import local
from device.errors import DeviceError


def register(app: typer.Typer) -> None:
    app.command(help="List the phones that adb knows.")(devices)


def devices() -> None:
    try:
        listed = asyncio.run(local.listed())
    except DeviceError as error:
        local.fail(str(error), error.advice)
    if not listed:
        typer.echo("No phone. Plug one in with USB debugging on, or start one: tapwright phone")
        raise typer.Exit(1)
    for one in listed:
        typer.echo(f"{one.serial}\t{one.state}\t{one.model}")
