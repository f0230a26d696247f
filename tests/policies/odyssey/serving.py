"""The network's server in the test's own process and event loop, behind a real socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import uvicorn
from fastapi import FastAPI

from policies.odyssey.prompt import Form
from policies.odyssey.serve.app import build_app
from policies.odyssey.serve.worker import Limits, worker_of
from policies.odyssey.source import Source, opened


@asynccontextmanager
async def served(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """The application behind a real socket, in this process: its network can have a defect."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, log_level=None))
    task = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=60) as client:
            yield client
    finally:
        server.should_exit = True
        await task


@asynccontextmanager
async def folder_served(folder: Path) -> AsyncIterator[str]:
    """A folder of weights; answers the base URL."""
    model, words = await asyncio.to_thread(opened, Source(folder=folder))
    worker, eyes = worker_of(model, words, Limits())
    async with served(build_app(worker, eyes, words, model=folder.name, form=Form.V2)) as client:
        yield f"{str(client.base_url).rstrip('/')}/v1"
