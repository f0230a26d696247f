"""The API over a real socket: uvicorn in this event loop, and a client that knows the token."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from agent_server.api.server import configure
from tests.agent_server.phone import GraphPhone
from tests.agent_server.stage import TOKEN, Script, Stage, stage

AUTH = {"Authorization": f"Bearer {TOKEN}"}


@dataclass
class Served:
    """A server on a free port, and who talks to it."""

    bench: Stage
    url: str
    client: httpx.AsyncClient
    server: Any

    async def post_run(self, *moves: Any, headers: dict[str, str] | None = None, **values: Any) -> httpx.Response:
        self.bench.scripts.scripts["script"] = Script(moves)
        body = {"task": "do it", "serial": self.bench.phone.serial, "policy": "script", **values}
        return await self.client.post("/v1/runs", json=body, headers=headers or {})

    async def sse(self, run_id: str, *, most: int = 10_000, **options: Any) -> list[dict[str, Any]]:
        """Events of the stream until it ends or `most` have come."""
        found: list[dict[str, Any]] = []
        async with self.client.stream("GET", f"/v1/runs/{run_id}/events", **options) as response:
            assert response.status_code == 200 and response.headers["content-type"].startswith("text/event-stream")
            event: dict[str, str] = {}
            async for line in response.aiter_lines():
                if line:
                    name, _, value = line.partition(": ")
                    event[name] = value
                elif "data" in event:
                    document = json.loads(event["data"])
                    assert (event["id"], event["event"]) == (str(document["id"]), document["type"])
                    found.append(document)
                    event = {}
                    if len(found) == most:
                        break
        return found


@contextlib.asynccontextmanager
async def served(folder: Path, *phones: GraphPhone, auth: bool = True, **values: Any) -> AsyncIterator[Served]:
    """A server that ends with the block, as on SIGTERM."""
    async with stage(folder, *phones, auth=auth, **values) as bench:
        listener = socket.create_server(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        server = bench.wired.server(configure(bench.wired.app))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            async with httpx.AsyncClient(base_url=url, headers=AUTH, timeout=15, trust_env=False) as client:
                # The socket listens already: the first request waits until the server takes it.
                assert (await client.get("/healthz")).status_code == 200
                yield Served(bench, url, client, server)
        finally:
            server.should_exit = True
            await serving
