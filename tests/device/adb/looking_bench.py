"""What tests of looking share: what the eye sees of a virtual phone, and looking until something holds."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import cv2
import httpx
import numpy as np

from device.adb.capture import Path
from device.adb.device import AdbDevice
from device.base import View
from device.frame import Pixels
from tests.device.adb.phone_bench import Bench

DISPLAY = "Auto-rotate screen"
"""A line of the page Display alone, which the line "Display" of Settings opens."""


def seen(bench: Bench) -> Pixels:
    """The screen as an eye sees it."""
    headers = {"Authorization": f"Bearer {bench.phone.token}"}
    answer = httpx.get(f"{bench.phone.control}/frame.png", headers=headers, timeout=20, trust_env=False)
    found = cv2.imdecode(np.frombuffer(answer.raise_for_status().content, np.uint8), cv2.IMREAD_COLOR)
    assert found is not None
    return np.asarray(cv2.cvtColor(found, cv2.COLOR_BGR2RGB), dtype=np.uint8)


def shows(view: View, bench: Bench) -> bool:
    """Whether the view's picture is what the eye sees; below the status bar, whose clock goes on."""
    one, other = view.frame.pixels[150:], seen(bench)[150:]
    return one.shape == other.shape and float(np.abs(one.astype(int) - other).mean()) < 3.0


def prefer(device: AdbDevice, path: Path) -> None:
    """Take pictures this way first, whatever was quickest when the phone was opened."""
    for other in Path:
        if other is not path:
            device._eyes._capture.doubt(other)


def once(bench: Bench, fault: str, **parameters: Any) -> None:
    """Let it happen the next time, and never again."""
    rule = {"fault": fault, "parameters": parameters, "when": {"next": 1}}
    bench.phone.ask("POST", "/faults", json={"seed": 1, "plan": [rule]})


async def looked_until(device: AdbDevice, holds: Callable[[View], bool], seconds: float = 10.0) -> View:
    """The first view of which it holds. Raises AssertionError when none comes."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        view = await device.observe()
        if holds(view):
            return view
    raise AssertionError(f"no such view within {seconds:g} s")
