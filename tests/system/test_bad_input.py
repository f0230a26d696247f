"""Whatever is wrong: a message that says what and what to do, and nothing hangs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agent_server.cli.client import ServiceClient, ServiceError
from tests.lab import Lab
from tests.system.test_main_job import tapwright


def refused(client: ServiceClient, **body: Any) -> dict[str, Any]:
    with pytest.raises(ServiceError) as caught:
        client.call("POST", "/v1/runs", json=body)
    return caught.value.problem


def test_wrong_words_in_a_request_are_named_with_their_mending(lab: Lab) -> None:
    with lab.phone() as phone, lab.server() as client:
        unknown = refused(client, task="Open Settings", serial="nobody:1", policy="follow")
        assert unknown["code"] == "device-not-found" and "nobody:1" in unknown["detail"]
        policy = refused(client, task="Open Settings", serial=phone.serial, policy="oracle")
        assert policy["code"] == "unknown-policy" and "follow" in policy["detail"]
        for task in ("", "   ", "Please sing me a song about the sea"):
            unreadable = refused(client, task=task, serial=phone.serial, policy="follow")
            assert unreadable["status"] == 422, unreadable
            assert unreadable["detail"]
        assert client.call("GET", "/v1/runs")["items"] == [], "a refused task left a run behind"


def test_a_phone_that_goes_away_in_mid_run_ends_the_run_with_a_cause(lab: Lab) -> None:
    with lab.server() as client:
        with lab.phone() as phone:
            task = "wait 1 second, open Settings, wait 2 seconds, tap Display, wait 30 seconds"
            run = client.call("POST", "/v1/runs", json={"task": task, "serial": phone.serial, "policy": "follow"})
            for event in client.events(run["id"]):
                if event["type"] == "action.planned" and event["step"] == 3:
                    break
        after = client.call("GET", f"/v1/runs/{run['id']}", params={"wait": 25})
        last = list(client.events(run["id"]))[-1]
    assert after["state"] == "failed", after
    assert after["outcome"]["code"] == "device_lost"
    assert last["type"] == "run.finished"
    assert last["speak"]


def test_a_server_that_is_asked_to_stop_stops(lab: Lab) -> None:
    with lab.phone() as phone, lab.server() as client:
        task = "wait 60 seconds"
        run = client.call("POST", "/v1/runs", json={"task": task, "serial": phone.serial, "policy": "follow"})
        for event in client.events(run["id"]):
            if event["type"] == "action.planned":
                client.call("POST", f"/v1/runs/{run['id']}/stop")
                break
        ended = client.call("GET", f"/v1/runs/{run['id']}", params={"wait": 5})
        assert ended["state"] == "stopped", ended


def test_see_refuses_what_is_no_picture(tmp_path: Path) -> None:
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"\x89PNG\r\n\x1a\n and then nothing")
    done = tapwright("see", str(broken), cwd=tmp_path)
    assert done.returncode == 2
    assert "broken.png" in done.stderr and "not a PNG or JPEG" in done.stderr
    missing = tapwright("see", str(tmp_path / "missing.png"), cwd=tmp_path)
    assert missing.returncode == 2 and "missing.png" in missing.stderr
    assert "Traceback" not in done.stderr + missing.stderr


def test_run_says_what_to_do_when_there_is_no_phone(lab: Lab, tmp_path: Path) -> None:
    done = tapwright("run", "Open Settings", cwd=tmp_path, timeout=60, **lab.env)
    assert done.returncode == 1
    assert "No phone is ready" in done.stderr and "tapwright phone" in done.stderr


def test_a_server_ends_when_its_parent_is_gone(lab: Lab) -> None:
    """Children watch their standard input, so even a killed parent leaves nobody behind."""
    command = [sys.executable, "-m", "agent_server", "serve", "--port", "0", "--announce"]
    with (lab.folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            command, env={**os.environ, **lab.env}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
        )
    assert server.stdout is not None and server.stdin is not None
    assert b"login" in server.stdout.readline()
    server.stdin.close()
    assert server.wait(timeout=15) is not None
    server.stdout.close()
