"""A phone with its judges: our driver, and unmodified adbutils and uiautomator2 on the same adb server."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

import adbutils
import uiautomator2

from device.actions import Key, OpenApp, PressKey, Tap
from device.adb import commands, parsers
from device.adb.client import AdbServer, Link
from device.adb.device import AdbDevice
from device.base import Answer, DeviceInfo, Outcome, View
from device.geometry import Box, Point
from evaluation.conformance.check import NotHere, expect

SETTINGS = "com.android.settings"
FOLDER = "/data/local/tmp/tapwright-conformance"
PREFERENCES = (
    ("secure", "enabled_accessibility_services"),
    ("secure", "default_input_method"),
    ("system", "accelerometer_rotation"),
    ("system", "user_rotation"),
)
"""What must be on the phone afterwards as it was before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One node of a dump; `box` in fractions."""

    text: str
    label: str
    cls: str
    package: str
    resource_id: str
    clickable: bool
    scrollable: bool
    focused: bool
    box: Box

    @property
    def words(self) -> str:
        return self.text or self.label


def nodes(view: View) -> list[Node]:
    """The nodes that cover some of the screen. Raises NotHere without a tree."""
    if view.tree is None:
        raise NotHere(f"there is no tree: {view.tree_reason}")
    return list(_nodes(view.tree, view))


def _nodes(xml: str, view: View) -> Iterator[Node]:
    for one in ElementTree.fromstring(xml).iter("node"):  # noqa: S314 - our own phone's dump, without entities
        left, top, right, bottom = edges(one.get("bounds", ""))
        size = view.frame.size
        left, right = max(0, left), min(size.width, right)
        top, bottom = max(0, top), min(size.height, bottom)
        if left >= right or top >= bottom:
            continue
        yield Node(
            text=one.get("text", ""),
            label=one.get("content-desc", ""),
            cls=one.get("class", ""),
            package=one.get("package", ""),
            resource_id=one.get("resource-id", ""),
            clickable=one.get("clickable") == "true",
            scrollable=one.get("scrollable") == "true",
            focused=one.get("focused") == "true",
            box=Box.from_pixel(left, top, right, bottom, size),
        )


def edges(bounds: str) -> tuple[int, int, int, int]:
    """Left, top, right and bottom in pixels of `[l,t][r,b]`. Raises Failed for anything else."""
    numbers = bounds.replace("][", ",").strip("[]").split(",")
    expect(len(numbers) == 4, f"bounds are [l,t][r,b], not {bounds!r}")
    left, top, right, bottom = (int(one) for one in numbers)
    return left, top, right, bottom


@dataclass(slots=True)
class Bench:
    """Everything a check may use. The oracles block: ask them through `judge`."""

    server: AdbServer
    device: AdbDevice
    info: DeviceInfo
    timings: dict[str, float] = field(default_factory=dict)
    _automator: Any = None

    @property
    def serial(self) -> str:
        return self.device.serial

    @property
    def link(self) -> Link:
        return self.server.link(self.serial)

    async def judge(self, question: Any, *arguments: Any) -> Any:
        """Ask an oracle on a thread of its own."""
        return await asyncio.to_thread(question, *arguments)

    @property
    def adb(self) -> adbutils.AdbDevice:
        """The phone as adbutils sees it."""
        return adbutils.AdbClient(host=self.server.host, port=self.server.port).device(self.serial)

    async def automator(self) -> Any:
        """The phone as uiautomator2 sees it. Raises NotHere where its server would turn services off."""
        if self.info.accessibility_services:
            raise NotHere(f"uiautomator2 would turn off {', '.join(self.info.accessibility_services)}")
        if self._automator is None:
            self._automator = await self.judge(uiautomator2.connect, self.adb)
        return self._automator

    async def end_automator(self) -> None:
        """End uiautomator2's server on the phone, if we asked for one."""
        if self._automator is not None:
            automator, self._automator = self._automator, None
            await self.judge(automator.stop_uiautomator)

    async def preferences(self) -> dict[str, str | None]:
        """The settings that the checks must leave alone."""
        answers = await asyncio.gather(*(self.link.shell(commands.setting(space, name)) for space, name in PREFERENCES))
        return {name: parsers.setting(one.text) for (_, name), one in zip(PREFERENCES, answers, strict=True)}

    # Ways on the phone

    async def home(self) -> View:
        await self.device.act(PressKey(Key.HOME))
        return await self.device.observe()

    async def settings(self) -> View:
        """The first page of Settings, from its top."""
        await self.link.shell(["am", "force-stop", SETTINGS])
        outcome = await self.device.act(OpenApp(SETTINGS))
        expect(outcome.sent is Answer.YES, f"Settings did not open: {outcome.note}")
        view = await self.device.observe()
        expect(view.foreground.package == SETTINGS, f"Settings is not in front but {view.foreground}")
        return view

    async def tap(self, at: Point, view: View) -> Outcome:
        outcome = await self.device.act(Tap(at), on=view)
        expect(outcome.sent is Answer.YES, f"the tap was not sent: {outcome.note}")
        return outcome

    async def search_field(self) -> View:
        """A focused, empty text field: the search of Settings. Raises NotHere where no such field is found."""
        view = await self.settings()
        marks = [one for one in nodes(view) if "search" in f"{one.resource_id} {one.words}".lower()]
        if not marks:
            raise NotHere("the first page of Settings has no search that is recognised")
        await self.tap(marks[0].box.center, view)
        view = await self.device.observe()
        if not any(one.focused and "EditText" in one.cls for one in nodes(view)):
            raise NotHere("the search of Settings gives the focus to no text field")
        return view


@contextlib.asynccontextmanager
async def opened(server: AdbServer, serial: str, *, consent: bool = False) -> AsyncIterator[Bench]:
    """A bench for one phone; leaves it at home, with the oracle's server ended. Raises DeviceError."""
    device = await AdbDevice.open(server, serial, consent_accessibility=consent)
    try:
        bench = Bench(server, device, await device.describe())
        try:
            yield bench
        finally:
            await bench.end_automator()
            await device.act(PressKey(Key.HOME))
    finally:
        await device.close()
