"""A driver at a virtual phone with its owner's endpoint: what tests of acts share.

What an act did is asked of the phone's journal, never of the driver.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx

from device.actions import OpenApp, Tap
from device.adb.client import AdbServer
from device.adb.device import AdbDevice
from device.base import Answer, View
from device.clock import Clock
from device.geometry import Box, Point
from tests.lab import Lab, Phone

SETTINGS, CONTACTS = "com.android.settings", "org.tapwright.contacts"
TALKBACK = "com.google.android.marvin.talkback/com.google.android.marvin.talkback.TalkBackService"


class QuickClock:
    """The machine's clock, some times as fast: waits are shorter, and so are gestures that are drawn in time."""

    def __init__(self, speed: float = 6.0) -> None:
        self._speed = speed

    def monotonic(self) -> float:
        return time.monotonic() * self._speed

    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / self._speed)


@dataclass(frozen=True)
class Bench:
    """One phone of a lab."""

    lab: Lab
    phone: Phone

    @property
    def server(self) -> AdbServer:
        return AdbServer("127.0.0.1", self.lab.adb_port)

    @contextlib.asynccontextmanager
    async def opened(self, clock: Clock | None = None, **options: Any) -> AsyncIterator[AdbDevice]:
        device = await AdbDevice.open(self.server, self.phone.serial, clock or QuickClock(), **options)
        try:
            yield device
        finally:
            await device.close()

    async def sh(self, *argv: str) -> str:
        return (await self.server.link(self.phone.serial).shell(argv)).text

    def faults(self, **switches: Any) -> dict[str, Any]:
        """Arm these faults; gives what is armed and has fired."""
        return dict(self.phone.ask("POST", "/faults", json=switches))

    def do(self, verb: str, **arguments: Any) -> None:
        """Something that befalls the phone."""
        self.phone.ask("POST", "/do", json={"verb": verb, **arguments})

    def fired(self) -> dict[str, int]:
        return dict(self.phone.ask("GET", "/faults")["fired"])

    def journal(self, since: int = 0) -> list[dict[str, Any]]:
        return list(self.phone.ask("GET", f"/journal?since={since}"))

    def mark(self) -> int:
        """Where the journal stands now; what comes after is read with `journal(mark)`."""
        entries = self.journal()
        return int(entries[-1]["n"]) if entries else 0

    def facts(self) -> dict[str, Any]:
        return dict(self.phone.state()["phone"])

    async def until(self, holds: Callable[[], bool], seconds: float = 10.0) -> None:
        """Wait for something about the phone. Raises AssertionError when it does not come."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if holds():
                return
            await asyncio.sleep(0.05)
        raise AssertionError(f"it did not come within {seconds:g} s")

    def keyboard(self) -> str:
        """The chosen input method."""
        return str(self.phone.state()["settings"]["secure"]["default_input_method"])

    def fresh(self, snapshot: bytes) -> None:
        """Back to a snapshot, without faults."""
        self.phone.ask("POST", "/faults/clear", json={})
        self.phone.ask("POST", "/restore", content=snapshot)

    def snapshot(self) -> bytes:
        headers = {"Authorization": f"Bearer {self.phone.token}"}
        answer = httpx.post(f"{self.phone.control}/snapshot", headers=headers, timeout=20, trust_env=False)
        return answer.raise_for_status().content


def field_text(view: View) -> str:
    """What the focused field shows; "" for its hint."""
    assert view.tree is not None, view.tree_reason
    for node in ElementTree.fromstring(view.tree).iter("node"):
        if node.get("focused") == "true" and "EditText" in node.get("class", ""):
            text = node.get("text", "")
            return "" if text == node.get("hint") else text
    raise AssertionError("no field has the focus")


def touches(entries: list[dict[str, Any]]) -> list[str]:
    """What fingers and keys did, by name."""
    found = [one["data"] for one in entries if one["kind"] in ("input", "key")]
    return [str(data.get("action") or ("key" if "code" in data else "text")) for data in found]


def center(view: View, label: str) -> Point:
    """The middle of the element with that text, description or hint."""
    assert view.tree is not None, view.tree_reason
    for node in ElementTree.fromstring(view.tree).iter("node"):
        if label in (node.get("text"), node.get("content-desc"), node.get("hint")):
            edges = [float(one) for one in node.get("bounds", "").replace("][", ",").strip("[]").split(",")]
            return Box.from_pixel(edges[0], edges[1], edges[2], edges[3], view.frame.size).center
    raise AssertionError(f"{label!r} is not on the screen: {view.tree}")


async def tap(device: AdbDevice, label: str) -> None:
    view = await device.observe()
    outcome = await device.act(Tap(center(view, label)), on=view)
    assert outcome.sent is Answer.YES, outcome


async def open_editor(device: AdbDevice) -> None:
    """A form with empty fields, the first of which has the focus."""
    await device.act(OpenApp(CONTACTS))
    await tap(device, "Create contact")
    await tap(device, "First name")
