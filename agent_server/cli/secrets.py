"""`tapwright secrets`: values that tasks name as {{secret:NAME}}. They are kept in the data folder and never shown."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from agent_server.cli import local
from agent_server.errors import ServiceError
from agent_server.secrets import Vault, reference
from agent_server.settings import Settings

Name = Annotated[str, typer.Argument(help="Letters, digits, dots, hyphens and underscores.")]

group = typer.Typer(help="Keep passwords and the like under a name.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="secrets")


@group.command("set")
def keep(name: Name) -> None:
    """Keep a value: asked for without echo, or read from standard input up to the end of its first line."""
    if sys.stdin.isatty():
        value = typer.prompt(f"Value of {name}", hide_input=True, confirmation_prompt="Once more")
    else:
        text = sys.stdin.read()
        value, _, more = text.partition("\n")
        if more.strip():
            local.fail("Standard input holds more than one line.", "A value is one line; nothing was kept.", code=2)
        value = value.removesuffix("\r")
    try:
        _vault().put(name, value)
    except ServiceError as error:
        local.fail(str(error), error.advice, code=2)
    typer.echo(f"Kept. Tasks say {reference(name)} in its place.")


@group.command("list")
def show() -> None:
    """The names, without the values."""
    try:
        names = _vault().names()
    except ServiceError as error:
        local.fail(str(error), error.advice)
    typer.echo("\n".join(names) if names else "No secret. Keep one: tapwright secrets set NAME")


@group.command("delete")
def forget(name: Name) -> None:
    """Forget a value."""
    try:
        _vault().delete(name)
    except ServiceError as error:
        local.fail(str(error), error.advice)
    typer.echo(f"{name} is forgotten.")


def _vault() -> Vault:
    # The file, not the server: a server on this folder sees the change at once, and none is started for it.
    return Vault(Settings().secrets_path)
