"""`tapwright models try` as people start it: processes of its own, against a model that looks at the pictures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agent_server.cli.processes import child

MODEL = "scripted"


def act(kind: str, **fields: str) -> dict[str, Any]:
    return {"action": {"action_type": kind, **fields}}


LINES = [
    *(act("open_app", app="Settings"), act("click", label="Display"), act("click", label="Dark theme")),
    act("complete", answer=""),
    *(act("open_app", app="Settings"), act("click", label="Connected devices"), act("click", label="Bluetooth")),
    *(act("click", label="Use Bluetooth"), act("complete", answer="")),
]


def test_two_tasks_are_done_on_a_phone_put_back_between_them_and_a_third_would_be_too_dear(tmp_path: Path) -> None:
    (tmp_path / "script.json").write_text(json.dumps({"lines": LINES}))
    arguments = ["agent_server", "model-server", str(tmp_path / "script.json"), "--port", "0", "--announce"]
    with child(arguments, log=tmp_path / "model.log") as model:
        row = {"host": model["openai"].split("/")[2], "model": MODEL, "input": 1.0, "output": 0.0}
        prices = {"as_of": "2026-01-01", "per_tokens": 1_000_000, "models": [row]}
        (tmp_path / "prices.json").write_text(json.dumps(prices))
        command = ["models", "try", "--provider", "openai", "--model", MODEL, "--base-url", model["openai"]]
        # A step of this model reads about 5,800 tokens, so three and four steps leave less than ten of them.
        done = subprocess.run(
            [sys.executable, "-m", "agent_server", *command, "--tasks", "3", "--max-cost", "0.086", "--json"],
            env={**os.environ, "TAPWRIGHT_PRICE_FILE": str(tmp_path / "prices.json")},
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
    assert done.returncode == 1, done.stdout + done.stderr
    result = json.loads(done.stdout)
    dark, bluetooth, wifi = result["tasks"]
    assert [(one["id"], one["outcome"], one["verified"]) for one in (dark, bluetooth, wifi)] == [
        ("dark-theme", "complete", True),
        # On a phone that had not been put back the dark theme would count as damage here.
        ("bluetooth", "complete", True),
        ("wifi-off", "not run", False),
    ], done.stderr
    assert "Stopped before task 3, wifi-off: it could cost $0.0" in result["stopped"]
    for one in (dark, bluetooth):
        assert one["cost_usd"] * 1_000_000 == pytest.approx(one["input_tokens"]) and one["output_tokens"] > 0
    assert result["total"]["cost_usd"] == pytest.approx(dark["cost_usd"] + bluetooth["cost_usd"])
    progress = done.stderr.splitlines()
    assert progress[0] == f"Pictures of a private virtual phone, and of no other, go to {row['host']} for {MODEL}."
    assert progress[1].startswith(" 1/3  Turn on the dark theme.  complete; the phone says done; 3 steps, ")
    assert len(progress) == 3
