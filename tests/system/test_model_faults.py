"""A model server that fails in every way there is: each run ends in its named outcome, in time, without an act."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from agent_server.cli.client import ServiceClient, ServiceError
from agent_server.cli.processes import child
from tests.lab import Lab, Phone

PATIENT = 60.0
"""Seconds that the policy gives an answer where it is to come, however busy the machine is."""
IMPATIENT = 1.5
"""Seconds where none is to come in time."""
SLACK = 15.0
"""Seconds in which everything that is not waited for has ended: far below the patient deadline, so it did not pass."""
PLAIN = {"TAPWRIGHT_OCR": "never"}
"""The tree says enough here, and a server that loads no OCR is there sooner."""
PROTOCOLS: dict[str, dict[str, Any]] = {
    "responses": {"provider": "openai", "protocol": "responses"},
    "chat": {"provider": "openai", "protocol": "chat"},
    "messages": {"provider": "anthropic"},
}


def line(kind: str, *faults: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"action": {"action_type": kind, **fields}, "faults": list(faults)}


OPEN = line("open_app", app="Settings")
COMPLETE = line("complete", answer="")


def summary(kind: str, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, "turn": "summary", **fields}


@dataclass(frozen=True)
class Bench:
    """A phone, a model server and a Tapwright server that all tests of this module use, one after the other."""

    lab: Lab
    phone: Phone
    model: dict[str, Any]
    client: ServiceClient

    def script(self, *lines: dict[str, Any]) -> None:
        body = {"lines": list(lines)}
        answer = httpx.put(f"{self.model['anthropic']}/script", json=body, timeout=10, trust_env=False)
        assert answer.status_code == 204, answer.text

    def params(self, protocol: str = "responses", **more: Any) -> dict[str, Any]:
        given = PROTOCOLS[protocol]
        return {"model": "scripted", "base_url": self.model[given["provider"]], "timeout": PATIENT, **given, **more}

    def start(self, client: ServiceClient, params: dict[str, Any], **body: Any) -> str:
        wanted = {"task": "Look around.", "serial": self.phone.serial, "policy": "mm_navigator", "params": params}
        return str(client.call("POST", "/v1/runs", json={**wanted, **body})["id"])

    def run(self, *lines: dict[str, Any], params: dict[str, Any] | None = None, **body: Any) -> Done:
        """What became of a run, and how often its phone was touched."""
        self.script(*lines)
        before = len(self.touches())
        run_id = self.start(self.client, self.params() if params is None else params, **body)
        events = list(self.client.events(run_id))
        run, steps = (self.client.call("GET", f"/v1/runs/{run_id}{part}") for part in ("", "/steps"))
        return Done(run, steps["items"], events, len(self.touches()) - before)

    def touches(self) -> list[dict[str, Any]]:
        return self.phone.inputs()

    def asked(self) -> list[dict[str, Any]]:
        answer = httpx.get(f"{self.model['anthropic']}/journal?bodies=true", timeout=10, trust_env=False)
        return list(answer.json()["items"])


@dataclass(frozen=True)
class Done:
    run: dict[str, Any]
    steps: list[dict[str, Any]]
    events: list[dict[str, Any]]
    touches: int

    @property
    def outcome(self) -> tuple[str, str]:
        return self.run["outcome"]["code"], self.run["outcome"]["cause"]

    @property
    def step(self) -> dict[str, Any]:
        return self.steps[0]

    def of(self, type: str) -> list[dict[str, Any]]:
        return [event["data"] for event in self.events if event["type"] == type]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    lab = Lab(tmp_path_factory.mktemp("faults"))
    script = lab.folder / "script.json"
    script.write_text(json.dumps({"lines": [COMPLETE]}))
    arguments = ["agent_server", "model-server", str(script), "--port", "0", "--announce"]
    with ExitStack() as stack:
        stack.enter_context(lab.adb_server())
        model = stack.enter_context(child(arguments, log=Path(lab.folder / "model.log")))
        yield Bench(lab, stack.enter_context(lab.phone()), model, stack.enter_context(lab.server(**PLAIN)))


FAULTS: dict[str, tuple[str, dict[str, Any], str, int]] = {
    "429 that stays": ("responses", {"kind": "rate_limited", "seconds": 0.05, "times": 3}, "model-rate-limited", 3),
    "429 for longer than there is time": (
        "messages",
        {"kind": "rate_limited", "seconds": 600},
        "model-rate-limited",
        1,
    ),
    "500 that stays": ("chat", {"kind": "broken", "seconds": 0.05, "times": 3}, "model-unavailable", 3),
    "401": ("messages", {"kind": "unauthorized"}, "model-unauthorized", 1),
    "too long a conversation": ("responses", {"kind": "overflow"}, "model-context-overflow", 1),
    "a refusal": ("responses", {"kind": "refusal"}, "model-refused", 1),
    "a refusal of the other provider": ("messages", {"kind": "refusal"}, "model-refused", 1),
    "no JSON, twice": ("chat", {"kind": "invalid_json", "times": 2}, "unparsable-answer", 2),
    "nothing, twice": ("messages", {"kind": "empty", "times": 2}, "unparsable-answer", 2),
    "a number that is not there, twice": ("responses", {"kind": "wrong_mark", "times": 2}, "unparsable-answer", 2),
    "a stream that is cut": ("responses", {"kind": "cut"}, "model-answer-cut", 1),
    "a stream that is cut, of the other provider": ("messages", {"kind": "cut"}, "model-answer-cut", 1),
    "an answer at its token limit": ("messages", {"kind": "truncated"}, "model-answer-truncated", 1),
    "the right answer, too late": ("responses", {"kind": "slow", "seconds": 3}, "model-timed-out", 1),
    "silence": ("messages", {"kind": "silence", "seconds": 60}, "model-timed-out", 1),
}
"""What goes wrong over which protocol, the run's cause, and how many calls it took."""


@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_model_ends_the_run_by_name_in_time_and_without_an_act(bench: Bench, name: str) -> None:
    protocol, fault, cause, calls = FAULTS[name]
    late = cause == "model-timed-out"
    params = bench.params(protocol, timeout=IMPATIENT if late else PATIENT)
    done = bench.run(line("open_app", fault, app="Settings"), params=params)
    assert done.outcome == ("policy_error", cause)
    assert done.run["outcome"]["summary"] and done.run["outcome"]["advice"]
    assert (done.touches, done.of("action.planned")) == (0, [])
    assert done.step["timings"]["decide"] < SLACK
    assert done.run["usage"]["calls"] == calls


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_limited_rate_is_waited_for_and_the_task_is_done(bench: Bench, protocol: str) -> None:
    limited = line("open_app", {"kind": "rate_limited", "seconds": 0.2}, app="Settings")
    done = bench.run(limited, COMPLETE, params=bench.params(protocol))
    assert done.outcome == ("complete", "") and done.touches == 1
    kinds = [one["kind"] for one in bench.asked()]
    assert sorted(kinds) == ["action", "action", "action", "summary"]
    assert done.run["usage"]["calls"] == 4


def test_what_an_answer_that_is_of_no_use_cost_is_counted(bench: Bench) -> None:
    done = bench.run(line("navigate_home", {"kind": "truncated"}))
    assert done.run["usage"]["input_tokens"] > 0 and done.run["usage"]["output_tokens"] > 0
    silent = line("navigate_home", {"kind": "silence", "seconds": 60})
    done = bench.run(silent, params=bench.params(timeout=IMPATIENT))
    assert done.run["usage"]["input_tokens"] is None, "nobody knows"


@pytest.mark.parametrize(
    ("fault", "cause"),
    [("cut", "model-answer-cut"), ("refusal", "model-refused"), ("silence", "model-timed-out")],
)
def test_a_summary_that_fails_undoes_nothing_and_the_record_speaks_for_it(bench: Bench, fault: str, cause: str) -> None:
    # The action before the silent summary has to come within the same time.
    params = bench.params(timeout=5.0 if fault == "silence" else PATIENT)
    done = bench.run(line("open_app", summary(fault), app="Settings"), line("navigate_home"), COMPLETE, params=params)
    assert done.outcome == ("complete", "")
    missing, noted = done.of("step.reflected")
    assert (missing["cause"], missing["summary"], noted["cause"]) == (cause, "", "")
    assert len(done.of("action.done")) == 2, "nothing was repeated"
    first, second, third = (one["body"] for one in bench.asked() if one["kind"] == "action")
    assert "from the record" in json.dumps(second) and "open app" in json.dumps(second)
    assert "from the record" not in json.dumps(first) + json.dumps(third)


def test_a_key_that_is_refused_for_the_summary_ends_the_run_with_its_act_on_record(bench: Bench) -> None:
    done = bench.run(line("open_app", summary("unauthorized"), app="Settings"), COMPLETE)
    assert done.outcome == ("policy_error", "model-unauthorized")
    assert len(done.of("action.done")) == 1
    assert [one["kind"] for one in bench.asked()] == ["action", "summary"]


@pytest.mark.parametrize(
    ("budget", "cause", "calls"), [({"tokens": 100}, "out-of-tokens", 1), ({"cost_usd": 1.0}, "price-unknown", 1)]
)
def test_no_model_is_asked_that_the_run_cannot_pay(
    bench: Bench, budget: dict[str, Any], cause: str, calls: int
) -> None:
    done = bench.run(OPEN, line("navigate_home"), COMPLETE, budgets=budget)
    assert done.outcome == ("out_of_budget", cause)
    assert (done.run["state"], done.run["usage"]["calls"], len(bench.asked())) == ("expired", calls, calls)
    assert len(done.of("action.done")) == 1, "what was paid for was done"


def test_a_server_that_dies_between_act_and_summary_leaves_an_honest_record(bench: Bench) -> None:
    bench.script(line("open_app", summary("silence", seconds=60), app="Settings"), COMPLETE)
    own = {**PLAIN, "TAPWRIGHT_DATA_DIR": str(bench.lab.folder / "dying")}
    with bench.lab.server(**own, TAPWRIGHT_CRASH_AT="after_effect:1") as client:
        run_id = bench.start(client, bench.params())
        with pytest.raises(ServiceError, match="does not answer"):
            list(client.events(run_id, patience=0.5))
    touched = bench.touches()
    with bench.lab.server(**own) as client:
        run = client.call("GET", f"/v1/runs/{run_id}")
        (step,) = client.call("GET", f"/v1/runs/{run_id}/steps")["items"]
        events = list(client.events(run_id))
    assert (run["state"], run["outcome"]["cause"]) == ("interrupted", "server-died")
    assert (step["sent"], step["memo"]) == ("yes", "")
    types = [event["type"] for event in events]
    assert "step.reflected" not in types and types.count("action.done") == 1
    assert bench.touches() == touched, "the restarted server touched the phone"
