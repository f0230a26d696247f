"""One step, phase by phase, as the service itself records it while it does the demo's first half."""

from __future__ import annotations

import statistics
from pathlib import Path

from benchmarks.figures import Figure, ms
from tests.lab import Lab

TASK = "Open Settings, tap Display, turn on Dark theme, go home, open Contacts, tap Create contact"


def measure(folder: Path, repeat: int) -> list[Figure]:
    """Medians over all steps of `repeat` runs, with the tree and without."""
    figures = []
    for name, env in (("tree", {}), ("no tree, OCR", {"TAPWRIGHT_USE_TREE": "0"})):
        phases: dict[str, list[float]] = {}
        place = folder / name.split()[0]
        place.mkdir()
        lab = Lab(place)
        with lab.adb_server(), lab.phone() as phone, lab.server(**env) as client:
            for _ in range(repeat):
                run = client.call("POST", "/v1/runs", json={"task": TASK, "serial": phone.serial, "policy": "follow"})
                ended = list(client.events(run["id"]))[-1]
                assert ended["data"]["outcome"]["code"] == "complete", ended
                for step in client.call("GET", f"/v1/runs/{run['id']}/steps")["items"]:
                    for phase, seconds in step["timings"].items():
                        phases.setdefault(phase, []).append(seconds)
        figures += [Figure(f"{phase} ({name})", ms(statistics.median(taken))) for phase, taken in phases.items()]
    return figures
