"""The first half of the demo task, driven by a model that looks at the marked pictures, over each protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from agent_server.cli.client import ServiceClient
from agent_server.cli.processes import child
from tests.lab import Lab, Phone

TASK = "Turn on the dark theme in the settings of the display, then go home."
LINES: list[dict[str, Any]] = [
    {"action": {"action_type": "open_app", "app": "Settings"}},
    {"action": {"action_type": "click", "label": "Display"}},
    {"action": {"action_type": "click", "label": "Dark theme"}},
    {"action": {"action_type": "navigate_home"}},
    {"action": {"action_type": "complete", "answer": ""}},
]
OPENAI, ANTHROPIC = "openai", "anthropic"


@contextmanager
def model_server(folder: Path, lines: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    script = folder / "script.json"
    script.write_text(json.dumps({"lines": lines}))
    arguments = ["agent_server", "model-server", str(script), "--port", "0", "--announce"]
    with child(arguments, log=folder / "model.log") as announced:
        yield announced


def environment(model: dict[str, Any]) -> dict[str, str]:
    """What tells a server's SDKs where the providers are."""
    return {
        "OPENAI_BASE_URL": model["openai"],
        "OPENAI_API_KEY": "none",
        "ANTHROPIC_BASE_URL": model["anthropic"],
        "ANTHROPIC_API_KEY": "none",
    }


def journal(model: dict[str, Any]) -> list[dict[str, Any]]:
    answer = httpx.get(f"{model['anthropic']}/journal", timeout=10, trust_env=False)
    return list(answer.json()["items"])


def run(client: ServiceClient, phone: Phone, **params: Any) -> dict[str, Any]:
    body = {"task": TASK, "serial": phone.serial, "policy": "mm_navigator", "params": params}
    made = client.call("POST", "/v1/runs", json=body)
    for _ in client.events(made["id"]):
        pass
    return dict(client.call("GET", f"/v1/runs/{made['id']}"))


@pytest.mark.parametrize(
    ("protocol", "params"),
    [
        ("responses", {"provider": OPENAI, "model": "scripted"}),
        ("chat", {"provider": OPENAI, "model": "scripted", "protocol": "chat", "text": True}),
        ("messages", {"provider": ANTHROPIC, "model": "scripted", "summary": "fused"}),
    ],
)
def test_a_model_that_looks_at_the_marks_turns_on_the_dark_theme(
    lab: Lab, protocol: str, params: dict[str, Any]
) -> None:
    with (
        model_server(lab.folder, LINES) as model,
        lab.phone() as phone,
        lab.server(**environment(model)) as client,
    ):
        done = run(client, phone, **params)
        asked = journal(model)
        dark = phone.state()["settings"]["secure"].get("ui_night_mode")
    assert done["outcome"]["code"] == "complete", done
    assert dark == "2"
    assert {one["protocol"] for one in asked} == {protocol}
    kinds = [one["kind"] for one in asked]
    acts = len(LINES)
    assert kinds.count("action") == acts
    assert kinds.count("summary") == (0 if params.get("summary") == "fused" else acts - 1)


def test_a_model_that_names_a_number_that_is_not_there_touches_nothing(lab: Lab) -> None:
    wrong = {"action": LINES[1]["action"], "faults": [{"kind": "wrong_mark", "times": 2}]}
    with (
        model_server(lab.folder, [wrong]) as model,
        lab.phone() as phone,
        lab.server(**environment(model)) as client,
    ):
        done = run(client, phone, provider=OPENAI, model="scripted")
        assert phone.inputs() == []
        assert [one["kind"] for one in journal(model)] == ["action", "correction"]
    assert done["outcome"]["code"] == "policy_error"
    assert done["outcome"]["cause"] == "unparsable-answer", done["outcome"]
