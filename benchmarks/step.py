"""One step, phase by phase, as the service itself records it while it does the demo's first half."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, ms
from tests.lab import Lab

TASK = "Open Settings, tap Display, turn on Dark theme, go home, open Contacts, tap Create contact"
SIGHTS: dict[str, dict[str, str]] = {"tree": {}, "no tree, OCR": {"TAPWRIGHT_USE_TREE": "0"}}


def measure(folder: Path, repeat: int) -> list[Figure]:
    """Medians over all steps of `repeat` runs, with the tree and without.

    Each run gets a fresh phone and a fresh server, for a server knows the screens it has read.
    """
    figures = []
    for name, env in SIGHTS.items():
        place = folder / name.split(",")[0].replace(" ", "-")
        place.mkdir()
        phases: dict[str, list[float]] = {}
        lab = Lab(place)
        with lab.adb_server():
            for _ in range(repeat):
                for step in _run(lab, env):
                    for phase, seconds in step["timings"].items():
                        phases.setdefault(phase, []).append(seconds)
        figures += [Figure(f"{phase} ({name})", ms(statistics.median(taken))) for phase, taken in phases.items()]
    return figures


def _run(lab: Lab, env: dict[str, str]) -> list[dict[str, Any]]:
    # Nobody is there to answer a question: it must not hold the benchmark up.
    with lab.phone() as phone, lab.server(**env, TAPWRIGHT_QUESTION_SECONDS="5") as client:
        body = {"task": TASK, "serial": phone.serial, "policy": "follow"}
        run = client.call("POST", "/v1/runs", json=body)
        ended = list(client.events(run["id"]))[-1]
        assert ended["data"]["outcome"]["code"] == "complete", ended
        return list(client.call("GET", f"/v1/runs/{run['id']}/steps")["items"])
