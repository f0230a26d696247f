"""`tapwright model-server`: a scripted chat model on this machine, for trying things without a real one."""

from __future__ import annotations

import asyncio
import json
import socket
from pathlib import Path
from typing import Annotated

import typer
import uvicorn

from agent_server.api.server import configure
from agent_server.cli import local
from agent_server.cli.processes import stop_at_eof


def register(app: typer.Typer) -> None:
    app.command("model-server", help="A scripted chat model on this machine, for tests and demonstrations.")(
        model_server
    )


def model_server(
    script: Annotated[Path, typer.Argument(help="What the model wants, step by step: JSON, see docs/models.md.")],
    port: Annotated[int, typer.Option(min=0, max=65535, help="TCP port; 0 picks a free one.")] = 8790,
    announce: Annotated[bool, typer.Option(hidden=True, help="For parents: one JSON line, end with stdin.")] = False,
) -> None:
    # Reading the pictures needs the OCR models; nobody else on the command line should wait for them.
    from agent_server.model_server import script as scripts
    from agent_server.model_server.app import create_app
    from agent_server.model_server.model import ScriptedModel
    from perception.ocr import RapidOcrReader

    try:
        wanted = scripts.read(script.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, scripts.BadModelScript) as error:
        local.fail(f"{script}: {error}", code=2)
    if announce:
        stop_at_eof()
    listener = _listen(port)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    if announce:
        print(json.dumps({"anthropic": url, "openai": f"{url}/v1"}), flush=True)  # noqa: T201
    else:
        typer.echo(
            f"A scripted model answers at {url}/v1 (OpenAI's protocols) and {url} (Anthropic's). Ctrl-C ends it."
        )
    application = create_app(ScriptedModel(RapidOcrReader(), wanted))
    asyncio.run(uvicorn.Server(configure(application)).serve(sockets=[listener]))


def _listen(port: int) -> socket.socket:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(16)
    except OSError as error:
        listener.close()
        local.fail(f"Cannot listen on port {port}: {error.strerror}.", "Take another port: --port 0")
    return listener
