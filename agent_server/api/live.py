"""`WS /v1/devices/{serial}/live`: moving pictures that the client pulls.

The client sends the text `next` for each picture it wants and gets the newest one that it has not seen, as one
binary message: 32 bytes of header, then a JPEG. On a screen that stands still the answer waits.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import struct
from typing import Annotated

from fastapi import APIRouter, Path, WebSocket, WebSocketDisconnect

from agent_server.live import Closed, Crowded, LiveScreen, Shot
from agent_server.runs.speak import clip
from agent_server.service import Service
from device.errors import DeviceError

router = APIRouter(prefix="/devices", tags=["devices"])

CREDIT = "next"
HEADER = struct.Struct("<BBHHHIIQQ")
"""version, rotation (quarter turns), width, height, 0, seq, step (0: no run), capture time (ms since 1970 UTC),
device (the first 8 bytes of the serial's sha256); little-endian, 32 bytes."""
VERSION = 1
NO_PICTURE = 4000
"""Close code (private use, RFC 6455, 7.4.2): the phone gives no picture; the reason says why."""
CROWDED = 4001
"""Close code: as many watch already as may; the reason says so."""
NOT_UNDERSTOOD = 1008
GOING_AWAY = 1001
REASON_BYTES = 123
"""Longest close reason (RFC 6455, 5.5: control frames hold 125 bytes, two of them the code)."""


def header(shot: Shot, device: int) -> bytes:
    """The 32 bytes before the JPEG."""
    taken = round(shot.taken_at.timestamp() * 1000)
    return HEADER.pack(
        VERSION, shot.rotation, shot.size.width, shot.size.height, 0, shot.seq & 0xFFFFFFFF, shot.step, taken, device
    )


def device_number(serial: str) -> int:
    """A phone's number in the header."""
    return int.from_bytes(hashlib.sha256(serial.encode()).digest()[:8], "little")


@router.websocket("/{serial}/live")
async def live(socket: WebSocket, serial: Annotated[str, Path(min_length=1, max_length=256)]) -> None:
    """Send pictures for credits until the client leaves or the phone gives none."""
    service: Service = socket.app.state.service
    await socket.accept()
    code, reason = GOING_AWAY, ""
    try:
        async with service.watching(serial) as screen:
            code, reason = await _pull(socket, screen)
    except DeviceError as error:
        code, reason = NO_PICTURE, str(error)
    except Crowded as error:
        code, reason = CROWDED, str(error)
    except Closed:
        reason = "the server ends"
    except WebSocketDisconnect:
        return
    # It may have left in the same moment.
    with contextlib.suppress(WebSocketDisconnect):
        await socket.close(code, clip(reason).encode()[:REASON_BYTES].decode(errors="ignore"))


async def _pull(socket: WebSocket, screen: LiveScreen) -> tuple[int, str]:
    """Read credits and send pictures at once; returns how to close. Raises WebSocketDisconnect, DeviceError, Closed."""
    credit = asyncio.Event()
    reading = asyncio.create_task(_read(socket, credit))
    sending = asyncio.create_task(_send(socket, screen, credit))
    try:
        await asyncio.wait({reading, sending}, return_when=asyncio.FIRST_COMPLETED)
        if reading.done():
            return reading.result()
        return sending.result()
    finally:
        for task in (reading, sending):
            task.cancel()
        await asyncio.gather(reading, sending, return_exceptions=True)


async def _read(socket: WebSocket, credit: asyncio.Event) -> tuple[int, str]:
    while await socket.receive_text() == CREDIT:
        # A second credit before the picture is out asks for nothing more: pictures do not queue.
        credit.set()
    return NOT_UNDERSTOOD, f"send the text {CREDIT} for each picture"


async def _send(socket: WebSocket, screen: LiveScreen, credit: asyncio.Event) -> tuple[int, str]:
    device, seen = device_number(screen.serial), 0
    while True:
        await credit.wait()
        shot = await screen.next(seen)
        credit.clear()
        await socket.send_bytes(header(shot, device) + shot.data)
        seen = shot.seq
