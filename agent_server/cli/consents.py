"""`tapwright consents`: which phones' pictures may go to which hosts, and the way to take that back."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

import typer

from agent_server.cli import local
from agent_server.cli.client import ServiceError

group = typer.Typer(help="Show and take back who may be sent pictures of which phone.")


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="consents")


@group.callback(invoke_without_command=True)
def consents(context: typer.Context) -> None:
    if context.invoked_subcommand is not None:
        return
    try:
        with local.service() as client:
            items = client.call("GET", "/v1/consents")["items"]
    except ServiceError as error:
        local.fail(str(error))
    for one in items:
        typer.echo(f"{one['serial']}\t{one['host']}\tfor {one['model']}, since {one['given_at'][:10]}")
    if not items:
        typer.echo("Nobody has agreed to anything; a run that sends pictures asks first.")


@group.command()
def revoke(
    serial: Annotated[str, typer.Argument(help="The phone.")],
    host: Annotated[str, typer.Argument(help="As `tapwright consents` shows it.")],
) -> None:
    """Take a consent back; a run at work asks anew before its next step."""
    try:
        with local.service() as client:
            client.call("DELETE", f"/v1/devices/{quote(serial, safe='')}/consents/{quote(host, safe='')}")
    except ServiceError as error:
        local.fail(str(error))
    typer.echo(f"Pictures of {serial} do not go to {host} any more without asking.")
