"""SIGKILL of the server at every point of a step: nothing seen is lost, nothing is touched twice."""

from __future__ import annotations

from typing import Any

import pytest

from agent_server.cli.client import ServiceClient, ServiceError
from tests.lab import Lab

TASK = "Open Settings, tap Display, turn on Dark theme, go home"
DOWN = ("tap", "down")
"""What the phone's input journal calls the beginning of a touch."""
TOUCHES = {
    "in_policy:3": 1,
    "before_intent:3": 1,
    "after_intent:3": 1,
    "before_injection:3": 1,
    "after_injection:3": 2,
    "after_effect:3": 2,
    "after_injection:1": 0,
}
"""Where the server is killed, and how often a finger has touched the phone by then: step 1 opens the app without a
touch, step 2 taps Display, step 3 taps Dark theme."""


def watch_until_gone(client: ServiceClient, run_id: str) -> list[dict[str, Any]]:
    """The events a client receives until its server dies."""
    seen: list[dict[str, Any]] = []
    with pytest.raises(ServiceError, match="does not answer"):
        for event in client.events(run_id, patience=0.5):
            seen.append(event)
    return seen


@pytest.mark.parametrize("point", TOUCHES)
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
        places = [(entry["data"]["x"], entry["data"]["y"]) for entry in touched if entry["data"].get("action") in DOWN]
        assert len(places) == TOUCHES[point], touched
        assert len(places) == len(set(places)), "a place was touched twice"
        starts = [entry["data"]["start"] for entry in touched if "start" in entry["data"]]
        assert starts == ["com.android.settings/.Settings"], "the app was not opened exactly once"
        uncertain = [event for event in kept if event["type"] == "action.uncertain"]
        assert bool(uncertain) == point.startswith(("after_intent", "before_injection", "after_injection"))
