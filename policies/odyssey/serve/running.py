"""The server as a process: says where it listens, ends on a signal or at the end of its input."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
import threading
from collections.abc import Callable
from typing import Literal

import uvicorn

from policies.odyssey.network.model import Odyssey
from policies.odyssey.prompt import Form
from policies.odyssey.serve.app import build_app
from policies.odyssey.serve.worker import Limits, worker_of
from policies.odyssey.tokenizer import Tokenizer

GRACE = 5
"""Seconds that requests in progress get at the end."""


def run(
    network: Odyssey,
    words: Tokenizer,
    listener: socket.socket,
    *,
    model: str,
    form: Literal["v1", "v2"],
    limits: Limits,
    compiled: bool | None,
    announce: Callable[[str], None] | None,
) -> None:
    """Serve until told to end. With `announce` it is called once with the address, and end of input ends it all."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(levelname)s: %(message)s")
    worker, eyes = worker_of(network, words, limits, compiled)
    app = build_app(worker, eyes, words, model=model, form=Form(form))
    config = uvicorn.Config(
        app, log_config=None, log_level="warning", access_log=False, timeout_graceful_shutdown=GRACE
    )
    server = uvicorn.Server(config)
    host, port = listener.getsockname()[:2]
    address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    if announce is not None:
        announce(address)
        threading.Thread(target=_until_input_ends, args=(server,), daemon=True).start()
    else:
        sys.stderr.write(f"OdysseyAgent ({model}) answers at {address}/v1\n")
    asyncio.run(server.serve(sockets=[listener]))


def _until_input_ends(server: uvicorn.Server) -> None:
    sys.stdin.buffer.read()
    server.should_exit = True
