"""`tapwright policies`: who can decide, and what each needs."""

from __future__ import annotations

import typer

from policies import registry


def register(app: typer.Typer) -> None:
    app.command(help="List who can decide, and what each needs.")(policies)


def policies() -> None:
    for info in registry.names():
        remote = info.needs.remote_model
        where = f"sends pictures to {remote}" if remote else "nothing leaves this machine"
        typer.echo(f"{info.name}\t{info.description} ({where})")
