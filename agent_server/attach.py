"""Phones on the network: connected at start, and again whenever they are gone."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from device.adb.client import ensure_server
from device.clock import Clock
from device.errors import DeviceError

log = structlog.get_logger()

AGAIN = 5.0
"""Seconds between two looks at the list: a container that starts again is back within ten."""
LOST = ("", "offline")
"""States in which connecting helps: not on the list, or on it without an answer (adb's own word)."""


async def keep_attached(addresses: Sequence[str], host: str, port: int, clock: Clock) -> None:
    """Keep these phones (`HOST:PORT`) on the list of that adb server, for ever. A phone that is away is told once."""
    away: set[str] = set()
    while True:
        for address in addresses:
            try:
                server = await ensure_server(port, host=host)
                states = {one.serial: one.state for one in await server.devices()}
                if states.get(address, "") in LOST:
                    await server.connect(address)
                    log.info("phone connected", address=address)
                away.discard(address)
            except DeviceError as error:
                if address not in away:
                    log.warning("phone cannot be connected", address=address, error=error.code, reason=str(error))
                away.add(address)
        await clock.sleep(AGAIN)
