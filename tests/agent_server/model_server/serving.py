"""The scripted model server in the test's own event loop, on a real socket."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn

from agent_server.api.server import configure
from agent_server.model_server import script as scripts
from agent_server.model_server.app import create_app
from agent_server.model_server.model import ScriptedModel
from perception.ocr import RapidOcrReader

READER = RapidOcrReader(threads=1)


@dataclass(frozen=True)
class Serving:
    """Where the server is, and the model behind it."""

    url: str
    model: ScriptedModel

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [body for _, body in self.model.bodies]


@asynccontextmanager
async def serving(*lines: dict[str, Any], latency: float = 0.0, address: str = "127.0.0.1") -> AsyncIterator[Serving]:
    script = scripts.read(json.dumps({"lines": lines, "latency": latency}))
    model = ScriptedModel(READER, script)
    listener = socket.socket()
    listener.bind((address, 0))
    listener.listen(16)
    server = uvicorn.Server(configure(create_app(model)))
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield Serving(f"http://{address}:{listener.getsockname()[1]}", model)
    finally:
        server.should_exit = True
        await task
        listener.close()


def act(kind: str, *faults: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A line of a script."""
    return {"action": {"action_type": kind, **fields}, "faults": list(faults)}
