"""The driver against unmodified uiautomator2, on the same phones in the same run.

A look is a settled frame, the tree and what is in front on both sides; ours tells the phone's states as well. A tap is
timed until the phone has taken it, and until it is seen what became of it: ours waits there until the screen stands
still, theirs looks at once. Text is compared until it is in the field: ours reads it back, theirs does not. The phones
are virtual ones behind a real adb server, bare and with the latency model of a real phone.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import adbutils
import uiautomator2

from benchmarks.figures import Figure, against, time_blocking, time_waiting
from device.actions import OpenApp, Tap, TypeText
from device.adb.client import AdbServer
from device.adb.device import AdbDevice
from device.base import Answer
from device.geometry import Point
from tests.device.adb.phone_bench import SETTINGS, open_editor
from tests.lab import Lab, Phone

WANTED: dict[str, float | None] = {"look": 1.0, "tap": 0.7, "tap and look": None, "text": 1.0}
"""Never slower than what a user would otherwise pick; but a tap of ours first makes sure, by a picture, that the screen
is still the one it was chosen on, and a look after it waits until the screen stands still."""
FLEETS = (1, 4, 16)
TEXT = "The quick brown fox, jumping over 13 lazy dogs: ñandú 你好"
NOWHERE = (540, 300)
"""Pixels of the title of Settings: a tap there does nothing, so that every tap is alike."""


def measure(folder: Path, repeat: int) -> list[Figure]:
    """Medians against medians: one phone bare, one with latency, then fleets; `repeat` calls each."""
    lab = Lab(folder)
    figures: list[Figure] = []
    with lab.adb_server():
        for name, options, few in (("bare", (), 1), ("phone latency", ("--latency", "phone"), 4)):
            with lab.phone(*options) as phone:
                figures += _one(lab, phone, name, max(repeat // few, 3))
        for count in FLEETS:
            figures.append(_fleet(lab, count, max(repeat // 4, 3)))
    return figures


def _one(lab: Lab, phone: Phone, name: str, repeat: int) -> list[Figure]:
    theirs = _theirs(lab, phone, repeat)
    ours = asyncio.run(_ours(lab, phone, repeat))
    rows = {
        "look": "look: frame, tree, foreground",
        "tap": "tap, until it is taken",
        "tap and look": "tap, and a look at what it did (ours settled)",
        "text": f"{len(TEXT)} characters into a field, read back",
    }
    return [
        replace(against(f"{what} ({name})", ours[key], theirs[key], "uiautomator2", 1.0), wanted=WANTED[key])
        for key, what in rows.items()
    ]


@contextlib.contextmanager
def _automator(lab: Lab, phone: Phone) -> Iterator[Any]:
    client = adbutils.AdbClient(host="127.0.0.1", port=lab.adb_port)
    automator: Any = uiautomator2.connect(client.device(serial=phone.serial))
    try:
        yield automator
    finally:
        automator.stop_uiautomator()  # a phone has one UiAutomation; ours needs it next


def _their_look(automator: Any) -> None:
    automator.screenshot()
    automator.dump_hierarchy()
    automator.app_current()


def _theirs(lab: Lab, phone: Phone, repeat: int) -> dict[str, list[float]]:
    def tap_and_look() -> None:
        automator.click(*NOWHERE)
        _their_look(automator)

    def type_text() -> None:
        automator.send_keys(TEXT, clear=True)
        assert automator(focused=True).get_text() == TEXT

    with _automator(lab, phone) as automator:
        automator.app_start(SETTINGS)
        automator.wait_activity(".Settings", timeout=5)
        taken = {
            "look": time_blocking(lambda: _their_look(automator), repeat),
            "tap": time_blocking(lambda: automator.click(*NOWHERE), repeat),
            "tap and look": time_blocking(tap_and_look, repeat),
        }
        asyncio.run(_editor(lab, phone, automator))
        automator.reset_uiautomator()
        taken["text"] = time_blocking(type_text, repeat)
    return taken


async def _editor(lab: Lab, phone: Phone, automator: Any) -> None:
    """Bring an empty field to the front."""
    automator.stop_uiautomator()
    device = await AdbDevice.open(AdbServer("127.0.0.1", lab.adb_port), phone.serial)
    try:
        await open_editor(device)
    finally:
        await device.close()


async def _ours(lab: Lab, phone: Phone, repeat: int) -> dict[str, list[float]]:
    device = await AdbDevice.open(AdbServer("127.0.0.1", lab.adb_port), phone.serial)
    tapped: list[float] = []
    typed: list[float] = []

    async def tap_and_look() -> None:
        view = await device.observe()
        at = Point.from_pixel(*NOWHERE, view.frame.size)
        outcome = await device.act(Tap(at), on=view)
        assert outcome.sent is Answer.YES, outcome
        tapped.append(outcome.timings["inject"])
        await device.observe()

    async def type_text() -> None:
        outcome = await device.act(TypeText(TEXT, replace=True))
        assert outcome.landed == TEXT, outcome
        typed.append(outcome.timings["inject"])

    try:
        # The field is still in front from the other side's turn.
        await time_waiting(type_text, repeat)
        await device.act(OpenApp(SETTINGS))
        await device.observe()
        looks = await time_waiting(device.observe, repeat)
        both = await time_waiting(tap_and_look, repeat)
    finally:
        await device.close()
    return {"look": looks, "tap": tapped, "tap and look": both, "text": typed}


def _fleet(lab: Lab, count: int, repeat: int) -> Figure:
    """Rounds in which every phone is looked at once, at the same time."""
    with contextlib.ExitStack() as stack:
        phones = [stack.enter_context(lab.phone()) for _ in range(count)]
        with contextlib.ExitStack() as theirs, ThreadPoolExecutor(count) as pool:
            automators = [theirs.enter_context(_automator(lab, phone)) for phone in phones]
            their_rounds = time_blocking(lambda: list(pool.map(_their_look, automators)), repeat)
        our_rounds = asyncio.run(_our_rounds(lab, phones, repeat))
    what = f"look at {count} phone{'s' if count > 1 else ''} at once"
    return against(what, our_rounds, their_rounds, "uiautomator2, one thread each", WANTED["look"] or 1.0)


async def _our_rounds(lab: Lab, phones: list[Phone], repeat: int) -> list[float]:
    server = AdbServer("127.0.0.1", lab.adb_port)
    devices = await asyncio.gather(*(AdbDevice.open(server, phone.serial) for phone in phones))

    async def look() -> None:
        await asyncio.gather(*(device.observe() for device in devices))

    try:
        return await time_waiting(look, repeat)
    finally:
        await asyncio.gather(*(device.close() for device in devices))
