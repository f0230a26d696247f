"""The phones that adb knows, opened when first needed and kept until their link breaks."""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from weakref import WeakValueDictionary

import structlog

from agent_server.camera import AdbCamera, Camera
from device.adb.client import AdbServer, ensure_server
from device.adb.device import AdbDevice
from device.base import Device, DeviceInfo
from device.clock import Clock
from device.errors import (
    DeadlineExceeded,
    DeviceError,
    DeviceNotFound,
    DeviceOffline,
    DeviceUnauthorized,
    LinkLost,
    ServerUnavailable,
)

log = structlog.get_logger()

READY = "device"
"""The state in which adb lists a phone that can be used (adb's own word)."""
BACK_OFF = (0.5, 1.0, 2.0, 5.0, 10.0)
"""Seconds until the list is followed anew after the adb server went away; it restarts within a second."""
GRACE = 15.0
"""Seconds that an opened phone may be away before it is closed: the driver itself takes up to 12 to get it back."""
BROKEN = (LinkLost, DeviceOffline, DeviceNotFound, DeviceUnauthorized, ServerUnavailable)


@dataclass(frozen=True, slots=True)
class Listing:
    """One line of `adb devices`: `state` is adb's own word, such as device, offline or unauthorized."""

    serial: str
    state: str
    model: str = ""


class Source(Protocol):
    """Where phones come from: an adb server, or whatever stands for one."""

    async def listed(self) -> Sequence[Listing]:
        """Every phone that is known. Raises DeviceError."""
        ...

    def track(self) -> AsyncGenerator[Sequence[Listing], None]:
        """The list now, and again whenever it changes. Raises DeviceError when that cannot be known any more."""
        ...

    async def open(self, serial: str) -> Device:
        """A phone ready to be looked at. Raises DeviceError."""
        ...

    async def camera(self, info: DeviceInfo) -> Camera:
        """A light second look at a phone that is open. Raises DeviceError."""
        ...


class AdbSource:
    """The phones of one adb server, which is started when none runs, and again when it was started here and ends.

    `folder` holds the leases of opened phones and what was changed on them.
    """

    def __init__(
        self,
        host: str,
        port: int,
        *,
        clock: Clock,
        use_tree: bool = True,
        consent_accessibility: bool = False,
        folder: Path | None = None,
    ) -> None:
        self._host = host
        self._port = port
        self._clock = clock
        self._use_tree = use_tree
        self._consent = consent_accessibility
        self._folder = folder
        self._adb: AdbServer | None = None
        self._opened: WeakValueDictionary[str, AdbDevice] = WeakValueDictionary()

    async def _server(self) -> AdbServer:
        found = await ensure_server(self._port, host=self._host)
        if self._adb is None:
            self._adb = found
        self._adb.ours = self._adb.ours or found.ours
        return self._adb

    async def listed(self) -> Sequence[Listing]:
        server = await self._server()
        return [Listing(one.serial, one.state, one.model) for one in await server.devices()]

    async def track(self) -> AsyncGenerator[Sequence[Listing], None]:
        server = await self._server()
        async for found in server.track():
            yield [Listing(one.serial, one.state, one.model) for one in found]

    async def open(self, serial: str) -> Device:
        server = await self._server()
        try:
            device = await AdbDevice.open(
                server,
                serial,
                self._clock,
                use_tree=self._use_tree,
                consent_accessibility=self._consent,
                folder=self._folder,
            )
        except TimeoutError as error:
            raise DeadlineExceeded(
                f"{serial} does not answer.", serial=serial, advice="See whether the phone still reacts."
            ) from error
        self._opened[serial] = device
        return device

    async def camera(self, info: DeviceInfo) -> Camera:
        server = await self._server()
        able, agent = info.capabilities, self._opened.get(info.serial)
        return AdbCamera(
            server.link(info.serial),
            self._clock,
            info.size,
            automation="jpeg" in able,
            tree="tree" in able,
            beside=None if agent is None else agent.live.beside,
        )


class Fleet:
    """Opened phones by serial. Phones come and go as adb's list says; nothing has to be restarted for that."""

    def __init__(self, source: Source, *, grace: float = GRACE) -> None:
        self._source = source
        self._grace = grace
        self._open: dict[str, Device] = {}
        self._infos: dict[str, DeviceInfo] = {}
        self._opening: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._states: dict[str, str] = {}
        self._leaving: dict[str, asyncio.Task[None]] = {}
        self._watch: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Follow adb's list from now on; harmless when that is done already."""
        if self._watch is None or self._watch.done():
            self._watch = asyncio.create_task(self._follow(), name="watch phones")

    @property
    def states(self) -> Mapping[str, str]:
        """Adb's own word for each phone that it lists, as of its last change."""
        return self._states

    async def listed(self) -> Sequence[Listing]:
        """What adb lists now, by serial. Raises DeviceError when there is no adb server."""
        return sorted(await self._source.listed(), key=lambda one: one.serial)

    async def find(self, serial: str) -> Listing:
        """The phone's line. Raises DeviceNotFound."""
        known = await self.listed()
        found = next((one for one in known if one.serial == serial), None)
        if found is None:
            names = ", ".join(one.serial for one in known) or "none"
            raise DeviceNotFound(
                f"No phone has the serial {serial!r}; connected: {names}.",
                serial=serial,
                advice="Connect it, or take one of the serials of GET /v1/devices.",
            )
        return found

    async def check(self, serial: str) -> None:
        """Raises DeviceNotFound, DeviceOffline or DeviceUnauthorized unless the phone is ready."""
        check_ready(await self.find(serial))

    def known(self, serial: str) -> DeviceInfo | None:
        """Facts about a phone that has been opened before and is still open."""
        return self._infos.get(serial)

    async def device(self, serial: str) -> Device:
        """The phone, opened. Raises DeviceError."""
        self.start()
        async with self._opening[serial]:
            if serial in self._leaving:
                # It may be back before the list says so.
                await self.check(serial)
            if serial not in self._open:
                await self.check(serial)
                device = await self._source.open(serial)
                try:
                    self._infos[serial] = await device.describe()
                except BaseException:
                    await device.close()
                    raise
                self._open[serial] = device
                log.info("phone opened", serial=serial, model=self._infos[serial].model)
            return self._open[serial]

    async def camera(self, serial: str) -> Camera:
        """A light second look at the phone, which is opened first. Raises DeviceError."""
        device = await self.device(serial)
        return await self._source.camera(await device.describe())

    @contextlib.asynccontextmanager
    async def using(self, serial: str) -> AsyncIterator[Device]:
        """The phone for a look. When its link breaks meanwhile it is dropped, to be opened afresh next time."""
        try:
            yield await self.device(serial)
        except BROKEN:
            await self.forget(serial)
            raise

    async def forget(self, serial: str) -> None:
        """Close the phone, if it is open."""
        self._stays(serial)
        # Whoever opens it next waits until this one has let go of it.
        async with self._opening[serial]:
            self._infos.pop(serial, None)
            device = self._open.pop(serial, None)
            if device is None:
                return
            log.info("phone dropped", serial=serial)
            # What fails while closing a broken link is that the link is broken.
            with contextlib.suppress(DeviceError, OSError):
                await device.close()

    async def _follow(self) -> None:
        """Follow adb's list, say what changes, and close what has left it for good."""
        pauses, known = iter(BACK_OFF), ""
        while True:
            try:
                async with contextlib.aclosing(self._source.track()) as lists:
                    async for listed in lists:
                        pauses, known = iter(BACK_OFF), ""
                        self._compare({one.serial: one.state for one in listed})
                return
            except DeviceError as error:
                if error.code != known:
                    log.warning("phones cannot be followed", error=error.code)
                known = error.code
                self._compare({})
                await asyncio.sleep(next(pauses, BACK_OFF[-1]))

    def _compare(self, states: dict[str, str]) -> None:
        for serial in sorted(self._states.keys() | states.keys()):
            before, after = self._states.get(serial, ""), states.get(serial, "")
            if before != after:
                log.info("phone changed", serial=serial, before=before or "absent", after=after or "absent")
            if after == READY:
                self._stays(serial)
            elif serial in self._open and serial not in self._leaving:
                self._leaving[serial] = asyncio.create_task(self._leave(serial), name=f"{serial} leaves")
        self._states = states

    def _stays(self, serial: str) -> None:
        leaving = self._leaving.pop(serial, None)
        if leaving is not None:
            leaving.cancel()

    async def _leave(self, serial: str) -> None:
        """A link that is being taken up anew is away for a moment; after that, a phone that comes is another one."""
        await asyncio.sleep(self._grace)
        self._leaving.pop(serial, None)
        await self.forget(serial)

    async def close(self) -> None:
        tasks = [*self._leaving.values(), *([self._watch] if self._watch is not None else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for serial in list(self._open):
            await self.forget(serial)


def check_ready(listing: Listing) -> None:
    """Raises DeviceOffline or DeviceUnauthorized, with advice, unless adb calls the phone ready."""
    if listing.state == READY:
        return
    if listing.state == "unauthorized":
        raise DeviceUnauthorized(
            f"{listing.serial} waits for its owner to allow debugging.",
            serial=listing.serial,
            advice="Unlock the phone and tap Allow on its USB debugging question.",
        )
    raise DeviceOffline(
        f"{listing.serial} is {listing.state}.",
        serial=listing.serial,
        advice="Wait a moment, plug it in again, or run `adb reconnect`.",
    )
