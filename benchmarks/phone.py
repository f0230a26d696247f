"""The virtual phone: how quickly it starts, how soon a tap is seen, what it weighs.

Bounds, not rivals: a ratio is the bound divided by what was measured. Run in a child process, so that memory is the
phone's alone.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, ms, quantile

START, P50, P95 = 1.0, 0.025, 0.040
"""Seconds: process start to first frame; tap to new raw pixels, median and 95th percentile."""
FIRST, FURTHER = 150.0, 15.0
"""Megabytes resident: the first phone with its interpreter, and each further one."""


def measure(folder: Path, repeat: int) -> list[Figure]:
    del folder
    starts = []
    for _ in range(3):
        started = time.perf_counter()
        _child("start", 0)
        starts.append(time.perf_counter() - started)
    taps = _child("taps", repeat)
    memory = _child("memory", 4)
    start = min(starts)
    p50, p95 = quantile(taps["seconds"], 0.5), quantile(taps["seconds"], 0.95)
    first, further = memory["first"], memory["further"]
    return [
        Figure("process start to first frame", ms(start), f"bound {START:.0f} s", START / start, 1.0),
        Figure("tap to new raw pixels, p50", ms(p50), f"bound {ms(P50)}", P50 / p50, 1.0),
        Figure("tap to new raw pixels, p95", ms(p95), f"bound {ms(P95)}", P95 / p95, 1.0),
        Figure("first phone, memory", f"{first:.0f} MB", f"bound {FIRST:.0f} MB", FIRST / first, 1.0),
        Figure(
            "each further phone, memory",
            f"{further:.1f} MB",
            f"bound {FURTHER:.0f} MB",
            FURTHER / max(further, 0.1),
            1.0,
        ),
    ]


def _child(what: str, count: int) -> Any:
    answer = subprocess.run(
        [sys.executable, "-m", "benchmarks.phone", what, str(count)], capture_output=True, check=True, timeout=300
    )
    return json.loads(answer.stdout)


def _resident() -> float:
    # Linux counts in kB; statm is the present size, ru_maxrss only ever grows.
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def _start() -> dict[str, object]:
    from device.virtual.phone import VirtualPhone

    return {"bytes": len(VirtualPhone().raw())}


def _taps(count: int) -> dict[str, object]:
    """Open and leave Settings pages by tapping: the first pixels that show the answer to a tap."""
    from device.virtual.phone import VirtualPhone

    phone = VirtualPhone()
    phone.start("com.android.settings")
    phone.settle()
    phone.raw()
    width, height = phone.size
    seconds = []
    for number in range(count):
        x, y = width // 2, int(height * (0.35 + 0.07 * (number % 7)))
        before = phone.frame()
        started = time.perf_counter()
        phone.tap(x, y)
        pixels = phone.raw()
        taken = time.perf_counter() - started
        assert len(pixels) == width * height * 4
        if phone.frame() != before:
            seconds.append(taken)
        phone.settle()
        phone.start("com.android.settings")
        phone.settle()
        phone.raw()
    assert len(seconds) >= count // 3, f"only {len(seconds)} of {count} taps changed the picture"
    return {"seconds": seconds}


def _memory(count: int) -> dict[str, object]:
    from device.virtual.phone import VirtualPhone

    def used(seed: int) -> VirtualPhone:
        phone = VirtualPhone(seed=seed)
        phone.raw()
        phone.start("com.android.settings")
        phone.settle()
        phone.raw()
        return phone

    phones = [used(1)]
    first = _resident()
    phones += [used(seed) for seed in range(2, 2 + count)]
    return {"first": first, "further": (_resident() - first) / count}


if __name__ == "__main__":
    work = {"start": lambda _: _start(), "taps": _taps, "memory": _memory}[sys.argv[1]]
    print(json.dumps(work(int(sys.argv[2]))))
