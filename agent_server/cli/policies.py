"""`tapwright policies`: who can decide, and what each needs."""

from __future__ import annotations

import typer

from policies import registry


def register(app: typer.Typer) -> None:
    app.command(help=__doc__)(policies)


def policies() -> None:
    for info in registry.names():
        model = (
            f"sends pictures to {info.needs.remote_model}"
            if info.needs.remote_model
            else "no model, nothing leaves this machine"
        )
        typer.echo(f"{info.name}\t{info.description} ({model})")
