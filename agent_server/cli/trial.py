"""Running the trial: one task after the other on a phone that is put back, and no further than the limit allows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from agent_server.cli.client import ServiceClient
from agent_server.cli.trial_tasks import TrialTask, verdict
from policies.base import Usage
from policies.llm.prices import Tokens, cost_usd

EXPECTED = Tokens(input=6000, output=1000)
"""What a step is taken to use until one has been seen: two calls of MM-Navigator, each with two pictures of 860 tokens
and about 1,000 tokens of text (docs/models.md), and two short answers with some thinking."""
TASK_SECONDS = 600
NOT_RUN = "not run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the whole trial may use. None is no bound; one of them must be there."""

    usd: float | None
    tokens: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """One task and what became of it. `wrong` is empty when the phone's world agrees that it was done."""

    task: TrialTask
    outcome: str
    wrong: str = ""
    steps: int = 0
    seconds: float = 0.0
    usage: Usage = field(default_factory=Usage)

    @property
    def verified(self) -> bool:
        return self.outcome == "complete" and not self.wrong


class Purse:
    """What has been spent, and whether a task could cost more than is left."""

    def __init__(self, limits: Limits, host: str, model: str) -> None:
        self._limits = limits
        self._usd, self._tokens = 0.0, 0
        self._expected = cost_usd(EXPECTED, host, model)
        self._dearest_usd: float | None = None
        self._dearest_tokens: int | None = None

    def spend(self, steps: Sequence[Usage]) -> None:
        """Count the steps of a task. Of a step whose price nobody told the expected one is taken."""
        for usage in steps:
            cost = usage.cost_usd if usage.cost_usd is not None else self._expected or 0.0
            tokens = usage.tokens if usage.tokens is not None else EXPECTED.input + EXPECTED.output
            self._usd, self._tokens = self._usd + cost, self._tokens + tokens
            self._dearest_usd = max(self._dearest_usd or 0.0, cost)
            self._dearest_tokens = max(self._dearest_tokens or 0, tokens)

    @property
    def left_usd(self) -> float | None:
        return None if self._limits.usd is None else self._limits.usd - self._usd

    @property
    def left_tokens(self) -> int | None:
        return None if self._limits.tokens is None else self._limits.tokens - self._tokens

    def too_dear(self, task: TrialTask) -> str:
        """Why the task is not begun: as many of the dearest steps as it may take could cost more than is left."""
        usd = task.steps * (self._dearest_usd if self._dearest_usd is not None else self._expected or 0.0)
        expected = EXPECTED.input + EXPECTED.output
        tokens = task.steps * (self._dearest_tokens if self._dearest_tokens is not None else expected)
        if self.left_usd is not None and usd > self.left_usd:
            return f"it could cost ${usd:.2f}, and ${max(self.left_usd, 0):.2f} of ${self._limits.usd:.2f} are left"
        if self.left_tokens is not None and tokens > self.left_tokens:
            return f"it could take {tokens} tokens, and {max(self.left_tokens, 0)} of {self._limits.tokens} are left"
        return ""


class OwnedPhone:
    """The virtual phone as its owner sees it, not as a run does."""

    def __init__(self, announced: dict[str, Any]) -> None:
        self.serial = str(announced["adb"])
        token = Path(announced["token_file"]).read_text().strip()
        self._http = httpx.Client(
            base_url=str(announced["control"]),
            headers={"Authorization": f"Bearer {token}"},
            timeout=20,
            trust_env=False,
        )

    def close(self) -> None:
        self._http.close()

    def _ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        return self._http.request(method, path, **options).raise_for_status()

    def state(self) -> dict[str, Any]:
        return dict(self._ask("GET", "/state").json())

    def changes(self, before: dict[str, Any]) -> list[dict[str, Any]]:
        return list(self._ask("POST", "/diff", json=before).json())

    def snapshot(self) -> bytes:
        return self._ask("POST", "/snapshot").content

    def restore(self, snapshot: bytes) -> None:
        self._ask("POST", "/restore", content=snapshot)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Everything a trial needs. `tell` is called with each task as it ends."""

    client: ServiceClient
    phone: OwnedPhone
    policy: str
    params: dict[str, Any]
    purse: Purse
    tell: Callable[[int, Done], None]

    def run(self, tasks: Sequence[TrialTask]) -> tuple[list[Done], str]:
        """What became of each task, and why the trial ended early, if it did. Raises ServiceError, httpx.HTTPError."""
        # Opening it puts our server's file onto the phone, which is no task's doing.
        self.client.call("GET", f"/v1/devices/{self.phone.serial}")
        fresh, state = self.phone.snapshot(), self.phone.state()
        done: list[Done] = []
        for n, task in enumerate(tasks, 1):
            why = self.purse.too_dear(task)
            if why:
                left = [Done(task=one, outcome=NOT_RUN) for one in tasks[n - 1 :]]
                return [*done, *left], f"Stopped before task {n}, {task.id}: {why}."
            if n > 1:
                self.phone.restore(fresh)
            done.append(self._one(task, state))
            self.tell(n, done[-1])
        return done, ""

    def _one(self, task: TrialTask, fresh: dict[str, Any]) -> Done:
        """Compared with the fresh phone: what an earlier task might have left behind would count as damage, too."""
        began = time.monotonic()
        budgets = {
            "steps": task.steps,
            "seconds": TASK_SECONDS,
            "cost_usd": self.purse.left_usd,
            "tokens": self.purse.left_tokens,
        }
        body = {"task": task.goal, "serial": self.phone.serial, "policy": self.policy, "params": self.params}
        run_id = self.client.call("POST", "/v1/runs", json={**body, "budgets": budgets})["id"]
        asked = self._until_end(run_id)
        seconds = time.monotonic() - began
        ended = self.client.call("GET", f"/v1/runs/{run_id}")
        taken = self.client.call("GET", f"/v1/runs/{run_id}/steps", params={"limit": 200})["items"]
        self.purse.spend([Usage(**step["usage"]) for step in taken if step["usage"].get("calls")])
        outcome = ended["outcome"]
        return Done(
            task=task,
            outcome="asked" if asked else str(outcome["code"]),
            wrong=verdict(task, self.phone.changes(fresh), str(outcome.get("answer") or "")),
            steps=sum(1 for step in taken if step["sent"] in ("yes", "unknown")),
            seconds=seconds,
            usage=Usage(**ended["usage"]),
        )

    def _until_end(self, run_id: str) -> bool:
        """Whether the policy asked a person, of whom there is none. The gate gets its yes: the phone is nobody's."""
        asked = False
        try:
            for event in self.client.events(run_id):
                if event["type"] != "question.asked":
                    continue
                asked = asked or event["data"]["kind"] != "approval"
                said = "stop" if asked else "yes"
                self.client.call("POST", f"/v1/questions/{event['data']['question_id']}/answer", json={"answer": said})
        except KeyboardInterrupt:
            self.client.call("POST", f"/v1/runs/{run_id}/stop")
            raise
        return asked
