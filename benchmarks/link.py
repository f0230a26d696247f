"""Talking to a phone: our client against adbutils and uiautomator2, on the same phone in the same run.

The phone is the virtual one behind a real adb server. Pictures stay encoded on both sides, so that only the link is
measured: for uiautomator2 that is its own JSON-RPC call without decoding.
"""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path
from typing import Any

import adbutils
import uiautomator2

from benchmarks.figures import Figure, against, time_blocking, time_waiting
from device.adb.client import AdbServer
from device.adb.u2 import U2
from tests.lab import Lab

WANTED = 10.0
"""Our client should be ten times quicker: what a tiny call costs the libraries is mostly sleeping."""


def _theirs(port: int, serial: str, repeat: int) -> dict[str, list[float]]:
    client = adbutils.AdbClient(host="127.0.0.1", port=port)
    plain = client.device(serial=serial)
    automator: Any = uiautomator2.connect(plain)
    try:
        return _measured(plain, automator, repeat)
    finally:
        automator.stop_uiautomator()  # a phone has one UiAutomation; ours needs it next


def _measured(plain: adbutils.AdbDevice, automator: Any, repeat: int) -> dict[str, list[float]]:
    return {
        "shell": time_blocking(lambda: plain.shell(["echo", "hi"]), repeat),
        "raw": time_blocking(lambda: plain.shell("screencap", encoding=None), max(repeat // 4, 3)),
        "jpeg": time_blocking(lambda: base64.b64decode(automator.jsonrpc.takeScreenshot(1, 80)), repeat),
        "tree": time_blocking(lambda: automator.jsonrpc.dumpWindowHierarchy(False, 50), repeat),
    }


async def _ours(port: int, serial: str, repeat: int) -> dict[str, list[float]]:
    link = AdbServer("127.0.0.1", port).link(serial)
    u2 = await U2.start(link)
    try:
        return {
            "shell": await time_waiting(lambda: link.shell(["echo", "hi"]), repeat),
            "raw": await time_waiting(lambda: link.exec(["screencap"]), repeat),
            "jpeg": await time_waiting(lambda: u2.jpeg(), repeat),
            "tree": await time_waiting(lambda: u2.tree(), repeat),
        }
    finally:
        await u2.close()


def measure(folder: Path, repeat: int) -> list[Figure]:
    """Median against median, interleaved by phone state: nothing on the phone moves meanwhile."""
    lab = Lab(folder)
    with lab.adb_server(), lab.phone() as phone:
        theirs = _theirs(lab.adb_port, phone.serial, repeat)
        ours = asyncio.run(_ours(lab.adb_port, phone.serial, repeat))
    names = {
        "shell": ("tiny shell call", "adbutils"),
        "raw": ("raw frame, 10.4 MB", "adbutils"),
        "jpeg": ("JPEG bytes, undecoded", "uiautomator2"),
        "tree": ("accessibility tree", "uiautomator2"),
    }
    return [against(what, ours[key], theirs[key], who, WANTED) for key, (what, who) in names.items()]
