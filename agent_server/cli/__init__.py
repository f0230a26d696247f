"""The `tapwright` command.

Command groups of the layers above are found through the entry point group `tapwright.commands`: each names a
`typer.Typer` that is added under the entry point's name.
"""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, entry_points

import typer

from agent_server.cli import (
    consents,
    demo,
    devices,
    doctor,
    login,
    model_server,
    models,
    phone,
    policies,
    run,
    secrets,
    see,
    serve,
)

app = typer.Typer(
    name="tapwright",
    help="Lets a language-vision model operate an Android phone, for people.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    add_completion=False,
)
for module in (serve, login, phone, devices, run, consents, secrets, see, doctor, policies, models, demo, model_server):
    module.register(app)


def _add_group(point: EntryPoint) -> None:
    try:
        group = point.load()
    except ImportError as error:
        typer.echo(f"tapwright: the command group {point.name!r} ({point.value}) cannot be loaded: {error}", err=True)
        return
    app.add_typer(group, name=point.name)


def main() -> None:
    """Entry point of the console script."""
    for point in entry_points(group="tapwright.commands"):
        _add_group(point)
    # Screen text comes in every script; a terminal that cannot show a letter shows its code instead of failing.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    app()
