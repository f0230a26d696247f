"""The phones that adb knows, opened when first needed and kept until their link breaks."""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol

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
WATCH_AGAIN = 1.0
"""Seconds until the list is followed anew after the adb server went away; it restarts within that."""
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
    """The phones of one adb server, which is started when none runs."""

    def __init__(
        self, host: str, port: int, *, clock: Clock, use_tree: bool = True, consent_accessibility: bool = False
    ) -> None:
        self._host = host
        self._port = port
        self._clock = clock
        self._use_tree = use_tree
        self._consent = consent_accessibility

    async def _server(self) -> AdbServer:
        return await ensure_server(self._port, host=self._host)

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
            return await AdbDevice.open(
                server, serial, self._clock, use_tree=self._use_tree, consent_accessibility=self._consent
            )
        except TimeoutError as error:
            raise DeadlineExceeded(
                f"{serial} does not answer.", serial=serial, advice="See whether the phone still reacts."
            ) from error

    async def camera(self, info: DeviceInfo) -> Camera:
        server = await self._server()
        able = info.capabilities
        return AdbCamera(
            server.link(info.serial), self._clock, info.size, automation="jpeg" in able, tree="tree" in able
        )


class Fleet:
    """Opened phones by serial."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._open: dict[str, Device] = {}
        self._infos: dict[str, DeviceInfo] = {}
        self._opening: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._watch: asyncio.Task[None] | None = None

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
        async with self._opening[serial]:
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
                if self._watch is None or self._watch.done():
                    self._watch = asyncio.create_task(self._drop_departed(), name="watch phones")
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
        self._infos.pop(serial, None)
        device = self._open.pop(serial, None)
        if device is None:
            return
        log.info("phone dropped", serial=serial)
        # What fails while closing a broken link is that the link is broken.
        with contextlib.suppress(DeviceError, OSError):
            await device.close()

    async def _drop_departed(self) -> None:
        """Follow adb's list and close what has left it: a phone that comes back is another connection."""
        while self._open:
            try:
                async with contextlib.aclosing(self._source.track()) as lists:
                    async for listed in lists:
                        ready = {one.serial for one in listed if one.state == READY}
                        for serial in [serial for serial in self._open if serial not in ready]:
                            await self.forget(serial)
            except DeviceError as error:
                log.warning("phones cannot be followed", error=error.code)
                await asyncio.sleep(WATCH_AGAIN)

    async def close(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
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
