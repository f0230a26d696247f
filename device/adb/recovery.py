"""What is tried when a phone does not answer, from the smallest step to the largest; for looking only.

1. the same question on a new stream
2. the phone's server anew, at most once in 30 s (`automation`)
3. the link anew: disconnect and connect a phone on the network, reconnect one on USB, and wait until it is ready
4. the adb server anew, if this service started it
5. the phone is lost: its error goes to the caller, who may ask again at any time

Each step is logged and noted with its cause. An act is never repeated: what reaches for the phone to change it does
not come through here. Sources of the order and of its bounds: the reference on real devices; AzurLaneAutoScript#997
and appium-adb#533 for connecting anew, which beats ending the adb server under everybody else's phones.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from device.adb.client import AdbServer, ensure_server
from device.clock import Clock
from device.errors import (
    AutomationDied,
    DeadlineExceeded,
    DeviceError,
    DeviceNotFound,
    DeviceOffline,
    DeviceUnauthorized,
    LinkLost,
    ServerUnavailable,
)

log = logging.getLogger(__name__)

PATIENCE = 12.0
"""Seconds for a link to come back; connecting alone takes adb up to 10 s on a port that stays silent."""
PAUSES = (0.5, 1.0, 2.0, 5.0, 10.0)
"""Seconds between attempts to get the link back."""
READY_INTERVAL = 0.2
READY_PATIENCE = 3.0
"""Seconds from adb's "connected" until the phone has answered the handshake."""
RETRIES = 2
"""Further tries of one look, besides those that a new link is worth."""
_SOFT = (AutomationDied, LinkLost, DeadlineExceeded)
_HARD = (DeviceOffline, DeviceNotFound, ServerUnavailable)

ALIVE_DEADLINE = 3.0

T = TypeVar("T")


def _suspicious(error: DeviceError, tried: int) -> bool:
    """Whether the link itself may be at fault: silence, or a second stream that broke."""
    return isinstance(error, DeadlineExceeded) or (isinstance(error, LinkLost) and tried > 0)


def on_network(serial: str) -> bool:
    """Whether a phone can be reached anew by its serial: an address, or a name of wireless debugging."""
    return ":" in serial or serial.endswith("._tcp")


class Recovery:
    """Gets one phone back. `steps` tells what was tried since it was taken last, in words."""

    def __init__(self, server: AdbServer, serial: str, clock: Clock, relinked: Callable[[], None]) -> None:
        self._server = server
        self._serial = serial
        self._clock = clock
        self._relinked = relinked
        self._steps: list[str] = []
        self.lost = False

    def taken_steps(self) -> tuple[str, ...]:
        """What was tried since this was asked last."""
        steps, self._steps = tuple(self._steps), []
        return steps

    async def reading(self, read: Callable[[], Awaitable[T]], doing: str) -> T:
        """The answer of a look, repeated as the ladder allows. Raises DeviceError, which tells what was done."""
        relinked = False
        for tried in range(RETRIES + 1):
            try:
                answer = await read()
            except DeviceError as error:
                error.doing = error.doing or doing
                if not isinstance(error, (*_SOFT, *_HARD)) or tried == RETRIES:
                    raise
                if isinstance(error, _HARD) or (_suspicious(error, tried) and not await self._alive()):
                    if relinked:
                        raise
                    relinked = True
                    await self._relink(error)
                elif isinstance(error, DeadlineExceeded) and tried:
                    # The phone is there and slow: a third patience would not make it quicker.
                    raise
                else:
                    self._step(
                        "the phone's server anew" if isinstance(error, AutomationDied) else "a new stream", error
                    )
            else:
                self._found()
                return answer
        raise AssertionError("the last try returns or raises")

    async def _alive(self) -> bool:
        """Whether the phone runs anything at all: a link whose other end is gone looks ready for many minutes."""
        try:
            return (await self._server.link(self._serial).shell(["true"], ALIVE_DEADLINE)).code == 0
        except DeviceError:
            return False

    def _step(self, rung: str, cause: Exception) -> None:
        self._steps.append(f"{rung}: {cause}")
        log.warning("recovery serial=%s step=%r cause=%r", self._serial, rung, str(cause))

    def _found(self) -> None:
        if self.lost:
            self.lost = False
            log.warning("phone found again serial=%s", self._serial)

    async def _relink(self, cause: DeviceError) -> None:
        """Get the link back. Raises the cause when that fails, DeviceUnauthorized when the owner has to answer.

        A phone known to be lost is not waited for again.
        """
        until = self._clock.monotonic() + (0.0 if self.lost else PATIENCE)
        for pause in (*PAUSES, PAUSES[-1]):
            try:
                await self._once(cause)
            except DeviceUnauthorized as error:
                # The phone is there again, and only its owner can open it.
                error.doing = cause.doing
                raise error from cause
            except DeviceError as error:
                last = error
            else:
                self._relinked()
                return
            if self._clock.monotonic() + pause > until:
                break
            await self._clock.sleep(pause)
        if not self.lost:
            self.lost = True
            log.error("phone lost serial=%s cause=%r", self._serial, str(last))
        raise cause

    async def _once(self, cause: DeviceError) -> None:
        """One attempt. Raises DeviceError."""
        try:
            await self._server.version()
        except ServerUnavailable as error:
            if not self._server.ours:
                raise
            self._step("the adb server anew", error)
            await ensure_server(self._server.port, host=self._server.host)
        if isinstance(cause, _HARD) and await self._ready():
            return
        if on_network(self._serial):
            self._step("disconnected and connected", cause)
            with contextlib.suppress(DeviceError):
                await self._server.disconnect(self._serial)
            await self._server.connect(self._serial)
        else:
            self._step("reconnected", cause)
            await self._server.reconnect_offline()
        until = self._clock.monotonic() + READY_PATIENCE
        while not await self._ready():
            if self._clock.monotonic() >= until:
                raise DeviceOffline(f"{self._serial} does not come back", serial=self._serial)
            await self._clock.sleep(READY_INTERVAL)

    async def _ready(self) -> bool:
        """Raises DeviceUnauthorized: the phone is back, and its owner has to answer it."""
        state = next((one.state for one in await self._server.devices() if one.serial == self._serial), "")
        if state == "unauthorized":
            await self._server.link(self._serial).shell(["true"])
        return state == "device"
