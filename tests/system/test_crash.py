"""SIGKILL of the server at every point of a step: nothing seen is lost, nothing is touched twice."""

from __future__ import annotations

from typing import Any

import pytest

from agent_server.cli.client import ServiceClient, ServiceError
from tests.lab import Lab

TASK = "Open Settings, tap Display, turn on Dark theme, go home"
POINTS = [
    "in_policy:3",
    "before_intent:3",
    "after_intent:3",
    "after_injection:3",
    "after_effect:3",
    "after_injection:1",
]


def watch_until_gone(client: ServiceClient, run_id: str) -> list[dict[str, Any]]:
    """The events a client receives until its server dies."""
    seen: list[dict[str, Any]] = []
    with pytest.raises(ServiceError, match="does not answer"):
        for event in client.events(run_id, patience=0.5):
            seen.append(event)
    return seen


@pytest.mark.parametrize("point", POINTS)
def test_a_killed_server_loses_no_event_and_repeats_no_tap(lab: Lab, point: str) -> None:
    with lab.phone() as phone:
        with lab.server(TAPWRIGHT_CRASH_AT=point) as client:
            run = client.call("POST", "/v1/runs", json={"task": TASK, "serial": phone.serial, "policy": "follow"})
            seen = watch_until_gone(client, run["id"])
        touched = phone.inputs()
        with lab.server() as client:
            after = client.call("GET", f"/v1/runs/{run['id']}")
            page = client.call("GET", f"/v1/runs/{run['id']}/events", headers={"Accept": "application/json"})
            listed = client.call("GET", "/v1/runs")["items"]
            assert client.call("GET", "/readyz") is not None
        kept = page["items"]
        assert after["state"] == "interrupted", after
        assert [one["state"] for one in listed if one["id"] == run["id"]] == ["interrupted"]
        assert kept[: len(seen)] == seen, "an event that a client has seen is gone or changed"
        assert [event["id"] for event in kept] == list(range(1, len(kept) + 1))
        assert phone.inputs() == touched, "the restarted server touched the phone"
        taps = [
            (entry["data"].get("x"), entry["data"].get("y")) for entry in touched if entry["data"].get("kind") == "tap"
        ]
        assert len(taps) == len(set(taps)), "a place was tapped twice"
        uncertain = [event for event in kept if event["type"] == "action.uncertain"]
        assert bool(uncertain) == point.startswith(("after_intent", "after_injection"))
