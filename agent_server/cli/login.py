"""`tapwright login`: a fresh link that logs one browser in."""

from __future__ import annotations

import typer

from agent_server.cli import local
from agent_server.cli.client import ServiceClient, ServiceError
from agent_server.settings import Settings


def register(app: typer.Typer) -> None:
    app.command(help="Print a fresh login link of the server that runs on this data folder.")(login)


def login() -> None:
    settings = Settings()
    url = local.announced(settings)
    if url is None:
        local.fail(f"No server runs on {settings.data_dir}.", "Start one: tapwright serve")
    client = ServiceClient(url, settings.token_path.read_text().strip())
    try:
        typer.echo(url + str(client.call("POST", "/v1/login-tickets")["path"]))
    except ServiceError as error:
        local.fail(str(error))
    finally:
        client.close()
