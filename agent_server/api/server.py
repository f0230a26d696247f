"""uvicorn, told to let go of those who listen before it waits for them."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable

import uvicorn

GRACE_SECONDS = 3
"""Without a limit uvicorn waits for ever for an open event stream."""


class ApiServer(uvicorn.Server):
    """Calls `before_shutdown` first: runs get their end on record, and streams end by themselves."""

    def __init__(self, config: uvicorn.Config, before_shutdown: Callable[[], Awaitable[None]]) -> None:
        super().__init__(config)
        self._before_shutdown = before_shutdown

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._before_shutdown()
        await super().shutdown(sockets)


def configure(app: object) -> uvicorn.Config:
    """The settings of uvicorn that this service relies on."""
    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        log_config=None,
        access_log=False,
        server_header=False,
        # Live pictures are JPEG already, and what clients send is a word.
        ws_per_message_deflate=False,
        ws_max_size=4096,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
