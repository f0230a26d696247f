"""What the self-summary costs: MM-Navigator with it and without, over a local model that takes its time.

Real processes all the way: server, adb server, virtual phone, model server. The kinds of run take turns, and each model
answers after the same seconds. A step is counted from its beginning to the next one's, so a memo that had to be waited
for counts.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx

from agent_server.cli.client import ServiceClient
from agent_server.cli.processes import child
from benchmarks.figures import Figure, ms
from tests.lab import Lab, Phone

WITHOUT: dict[str, Any] = {"history": False}
WITH: dict[str, Any] = {"history": True, "summary": "turn"}
FUSED: dict[str, Any] = {"history": True, "summary": "fused"}
KINDS = {"without a summary": WITHOUT, "with a summary, overlapped": WITH, "with a fused summary": FUSED}
AT_MOST = 1.05
"""Of a model that answers while the screen settles."""
QUICK, SLOW = 0.2, 3.0
"""Seconds per answer: within the time that acting and settling take, and far beyond it."""
OPEN, HOME = {"action_type": "open_app", "app": "Settings"}, {"action_type": "navigate_home"}
ACTS = (OPEN, HOME, OPEN, HOME, OPEN)
"""Steps that the scripted model finds without reading the picture, which would cost more than what is measured; and
quick ones: half a second of acting and settling is all that a summary can hide in."""


@dataclass(frozen=True, slots=True)
class Bench:
    """The processes."""

    client: ServiceClient
    phone: Phone
    model: dict[str, Any]

    def run(self, params: dict[str, Any], latency: float) -> list[float]:
        """The seconds of one run's steps, without the first, which waits for no memo, and the last, which ends it."""
        httpx.put(f"{self.model['anthropic']}/script", content=_script(latency), timeout=10, trust_env=False)
        given = {"provider": "openai", "model": "scripted", "base_url": self.model["openai"], **params}
        body = {"task": "Look around.", "serial": self.phone.serial, "policy": "mm_navigator", "params": given}
        made = self.client.call("POST", "/v1/runs", json=body)
        ended = list(self.client.events(made["id"]))[-1]
        assert ended["data"]["outcome"]["code"] == "complete", ended
        steps = self.client.call("GET", f"/v1/runs/{made['id']}/steps")["items"]
        started = [datetime.fromisoformat(step["started_at"]) for step in steps]
        return [(after - before).total_seconds() for before, after in pairwise(started[1:])]

    def compare(self, latency: float, repeat: int) -> dict[str, float]:
        """Seconds of a step by kind: the median of each step over all runs, and of those the mean.

        The kinds take turns, beginning with another one each time.
        """
        runs: dict[str, list[list[float]]] = {kind: [] for kind in KINDS}
        for turn in range(repeat):
            order = list(KINDS)[turn % len(KINDS) :] + list(KINDS)[: turn % len(KINDS)]
            for kind in order:
                runs[kind].append(self.run(KINDS[kind], latency))
        return {
            kind: statistics.fmean(map(statistics.median, zip(*taken, strict=True))) for kind, taken in runs.items()
        }


def measure(folder: Path, repeat: int) -> list[Figure]:
    """At 0.2 s the ratio must hold; at 3 s a summary cannot hide, and the figure says what it costs."""
    with _bench(folder) as bench:
        bench.run(WITH, 0.0)  # Screens that the server has not seen take longer.
        return [*_figures(bench.compare(QUICK, repeat), QUICK), *_figures(bench.compare(SLOW, 1), SLOW)]


def _figures(median: dict[str, float], latency: float) -> list[Figure]:
    base = median["without a summary"]
    figures = [Figure(f"step without a summary, model {latency:g} s", ms(base))]
    for kind in ("with a summary, overlapped", "with a fused summary"):
        bound = AT_MOST if latency == QUICK and "overlapped" in kind else None
        ratio = median[kind] / base
        figures.append(
            Figure(f"step {kind}, model {latency:g} s", ms(median[kind]), f"without {ms(base)}", ratio, at_most=bound)
        )
    return figures


def _script(latency: float) -> str:
    lines = [{"action": act} for act in (*ACTS, {"action_type": "complete", "answer": ""})]
    return json.dumps({"latency": latency, "lines": lines})


@contextmanager
def _bench(folder: Path) -> Iterator[Bench]:
    lab = Lab(folder)
    script = folder / "script.json"
    script.write_text(_script(0.0))
    arguments = ["agent_server", "model-server", str(script), "--port", "0", "--announce"]
    with (
        lab.adb_server(),
        child(arguments, log=folder / "model.log") as model,
        lab.phone() as phone,
        lab.server() as client,
    ):
        yield Bench(client, phone, model)
