"""The phone's link as a fault sees it: cut, gone for a while, shut, moved to another port.

The calls of `DeviceLink` come from the phone's thread; what they ask for happens in the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from device.virtual.adbd.bridge import PhoneHost

DoorState = Literal["open", "unauthorized", "offline"]


@dataclass(slots=True)
class Door:
    """How handshakes are answered."""

    state: DoorState = "open"


class Listener(Protocol):
    """The port on which adb servers reach the phone."""

    @property
    def address(self) -> str:
        """What `adb connect` takes."""
        ...

    async def close(self) -> None:
        """Refuse connections from now on."""
        ...

    async def open(self, *, elsewhere: bool = False) -> None:
        """Listen again, where it was or on another port; raises OSError when the port is taken."""
        ...


class DeviceLink:
    """`cut` cuts every connection, `welcome` answers the handshakes that wait, `stop_u2` ends the automation server."""

    def __init__(
        self,
        host: PhoneHost,
        door: Door,
        cut: Callable[[], None],
        welcome: Callable[[], None],
        stop_u2: Callable[[], None],
    ) -> None:
        self._host = host
        self._door = door
        self._cut = cut
        self._welcome = welcome
        self._stop_u2 = stop_u2
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self.listener: Listener | None = None

    def away(self, ms: float) -> None:
        self._post(lambda: self._leave(ms))

    def shut(self, how: str, ms: float) -> None:
        state: DoorState = "unauthorized" if how == "unauthorized" else "offline"
        self._post(lambda: self._shut(state, ms))

    def move(self) -> None:
        self._post(self._move)

    def stop_server(self) -> None:
        self._loop.call_soon_threadsafe(self._stop_u2)

    def heal(self) -> None:
        self._loop.call_soon_threadsafe(self._open_door)

    def close(self) -> None:
        """End what is still under way."""
        for task in self._tasks:
            task.cancel()

    def _post(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        def begin() -> None:
            task = self._loop.create_task(work())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        self._loop.call_soon_threadsafe(begin)

    async def _leave(self, ms: float) -> None:
        if self.listener is not None:
            await self.listener.close()
        self._cut()
        await self._host.sleep(ms / 1000)
        if self.listener is not None:
            await self.listener.open()

    async def _shut(self, how: DoorState, ms: float) -> None:
        self._door.state = how
        self._cut()
        if ms > 0:
            await self._host.sleep(ms / 1000)
            self._open_door()

    async def _move(self) -> None:
        if self.listener is not None:
            await self.listener.close()
            await self.listener.open(elsewhere=True)
        self._cut()

    def _open_door(self) -> None:
        if self._door.state != "open":
            self._door.state = "open"
            self._welcome()
