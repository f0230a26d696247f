"""Whole tasks, driven by a model that looks at the marked pictures, over both providers' SDKs.

What was done is read from the phone's own world, what was asked from the model server's journal.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from agent_server.cli import demo
from agent_server.cli.client import ServiceClient
from agent_server.cli.processes import child
from policies.mm_navigator.style import Style, settle
from tests.lab import Lab, Phone
from tests.policies.llm import sdk_types

OPENAI = {"provider": "openai", "model": "scripted"}
CHAT = {**OPENAI, "protocol": "chat"}
ANTHROPIC = {"provider": "anthropic", "model": "scripted"}
SDKS = pytest.mark.parametrize("sdk", [OPENAI, ANTHROPIC], ids=["openai", "anthropic"])

State = dict[str, Any]


def act(kind: str, **fields: Any) -> dict[str, Any]:
    return {"action": {"action_type": kind, **fields}}


def click(label: str) -> dict[str, Any]:
    return act("click", label=label)


def into(label: str, text: str) -> list[dict[str, Any]]:
    return [click(label), act("type", text=text)]


def setting(space: str, key: str, value: str) -> Callable[[State], bool]:
    return lambda state: bool(state["settings"][space].get(key) == value)


def people(state: State) -> list[dict[str, Any]]:
    return list(state["tables"]["contacts.contact"].values())


def demo_done(state: State) -> bool:
    known = any(demo.WANTED.items() <= person.items() for person in people(state))
    return known and state["settings"]["secure"].get("ui_night_mode") == "2"


@dataclass(frozen=True)
class Task:
    """What is asked for, how the model goes about it, and how the phone shows that it was done.

    `params`: settings of the policy. `reply`: what the person answers to a question.
    """

    words: str
    lines: list[dict[str, Any]]
    done: Callable[[State], bool]
    params: dict[str, Any] = field(default_factory=dict)
    answer: str = ""
    reply: str = ""

    @property
    def script(self) -> list[dict[str, Any]]:
        return [*self.lines, act("complete", answer=self.answer)]


TASKS = {
    "demo": Task(
        demo.TASK,
        [
            act("open_app", app="Settings"),
            click("Display"),
            click("Dark theme"),
            act("navigate_home"),
            act("open_app", app="Contacts"),
            click("Create contact"),
            *into("First name", "María"),
            *into("Last name", "García-张伟"),
            *into("Phone", "+34 600 555 0123"),
            click("Save"),
        ],
        demo_done,
    ),
    "below-the-fold": Task(
        "Turn off location.",
        [
            act("open_app", app="Settings"),
            {**act("swipe", direction="up"), "unless": "Location", "times": 4},
            click("Location"),
            click("Use location"),
        ],
        setting("secure", "location_mode", "0"),
        {"tags": "centre"},
    ),
    "search": Task(
        "Find the font size with the search and make it large.",
        [
            act("open_app", app="Settings"),
            {**click("Search settings"), "times": 2},
            act("type", text="font"),
            click("Font size"),
            {**click("Font size"), "unless": "Largest"},
            click("Large"),
        ],
        setting("system", "font_scale", "1.15"),
        {"tags": "beside", "prompt": "think", "describe": True},
    ),
    "ask-first": Task(
        "Set the screen timeout to what I like.",
        [
            act("open_app", app="Settings"),
            act("ask", question="How long?", options=["2 minutes", "10 minutes"]),
            click("Display"),
            click("Screen timeout"),
            {**click("10 minutes"), "when": "10 minutes"},
        ],
        setting("system", "screen_off_timeout", "600000"),
        {"tags": "red", "prompt": "baseline"},
        reply="10 minutes",
    ),
    "edit": Task(
        "Add Ltd to the name of Grace Kim's company.",
        [
            act("open_app", app="Contacts"),
            click("Grace Kim"),
            # A pencil without a word: only the list beside the pictures names it.
            click("Edit contact"),
            *into("Company", " Ltd"),
            click("Save"),
        ],
        lambda state: any(one["first"] == "Grace" and one["company"].endswith(" Ltd") for one in people(state)),
        {"text": True, "summary": "fused"},
    ),
    "look-up": Task(
        "What is Amina Diallo's phone number?",
        [act("open_app", app="Contacts"), click("Amina Diallo")],
        lambda state: "+1 555 0103" in {one["phone"] for one in people(state) if one["first"] == "Amina"},
        {"preset": "table3-image-only"},
        answer="+1 555 0103",
    ),
}


@dataclass(frozen=True)
class Bench:
    """A phone, a model server and a Tapwright server that all tests of this module use, one after the other."""

    phone: Phone
    model: dict[str, Any]
    client: ServiceClient
    fresh: bytes

    def begin(self, lines: list[dict[str, Any]]) -> None:
        """The phone as it was, and a model at the first line of this script."""
        self._control("/restore", self.fresh)
        answer = httpx.put(f"{self.model['anthropic']}/script", json={"lines": lines}, timeout=10, trust_env=False)
        assert answer.status_code == 204, answer.text

    def _control(self, path: str, body: bytes = b"") -> bytes:
        headers = {"Authorization": f"Bearer {self.phone.token}"}
        answer = httpx.post(self.phone.control + path, content=body, headers=headers, timeout=20, trust_env=False)
        return answer.raise_for_status().content

    def run(self, task: str, params: dict[str, Any], reply: str = "") -> dict[str, Any]:
        body = {"task": task, "serial": self.phone.serial, "policy": "mm_navigator", "params": params}
        made = self.client.call("POST", "/v1/runs", json=body)
        for event in self.client.events(made["id"]):
            if event["type"] == "question.asked":
                path = f"/v1/questions/{event['data']['question_id']}/answer"
                self.client.call("POST", path, json={"answer": reply})
        return dict(self.client.call("GET", f"/v1/runs/{made['id']}"))

    def asked(self) -> list[dict[str, Any]]:
        """What the model was asked, with bodies whose pictures are given by digest and size."""
        answer = httpx.get(f"{self.model['anthropic']}/journal?bodies=true", timeout=10, trust_env=False)
        return list(answer.json()["items"])


@contextmanager
def model_server(folder: Path) -> Iterator[dict[str, Any]]:
    script = folder / "script.json"
    script.write_text(json.dumps({"lines": [act("navigate_home")]}))
    arguments = ["agent_server", "model-server", str(script), "--port", "0", "--announce"]
    with child(arguments, log=folder / "model.log") as announced:
        yield announced


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    lab = Lab(tmp_path_factory.mktemp("navigator"))
    with ExitStack() as stack:
        stack.enter_context(lab.adb_server())
        model = stack.enter_context(model_server(lab.folder))
        phone = stack.enter_context(lab.phone())
        # What tells a server's SDKs where the providers are.
        client = stack.enter_context(
            lab.server(
                OPENAI_BASE_URL=model["openai"],
                OPENAI_API_KEY="none",
                ANTHROPIC_BASE_URL=model["anthropic"],
                ANTHROPIC_API_KEY="none",
            )
        )
        bench = Bench(phone, model, client, b"")
        yield Bench(phone, model, client, bench._control("/snapshot"))


@dataclass(frozen=True)
class Call:
    """One request as the model server got it, the same for all protocols."""

    kind: str
    protocol: str
    body: dict[str, Any]
    pictures: list[str]
    answer: dict[str, Any]

    @property
    def turns(self) -> list[dict[str, Any]]:
        messages = self.body["input"] if self.protocol == "responses" else self.body["messages"]
        return [one for one in messages if one["role"] != "system"]

    @property
    def roles(self) -> list[str]:
        return [one["role"] for one in self.turns]

    @property
    def system(self) -> str:
        match self.protocol:
            case "responses":
                return str(self.body["instructions"])
            case "messages":
                return str(self.body["system"])
            case _:
                return str(self.body["messages"][0]["content"])

    @property
    def structured(self) -> bool:
        return bool({"text", "response_format", "output_config"} & self.body.keys())

    def text(self, at: int) -> str:
        content = self.turns[at]["content"]
        return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)

    def order(self, at: int) -> str:
        """The parts of a turn: t for text, p for a picture."""
        content = self.turns[at]["content"]
        if isinstance(content, str):
            return "t"
        return "".join("t" if part["type"].endswith("text") else "p" for part in content)


def calls(bench: Bench) -> list[Call]:
    return [Call(one["kind"], one["protocol"], one["body"], one["pictures"], one) for one in bench.asked()]


def check_requests(task: Task, made: list[Call]) -> None:
    """Kinds, roles, pictures, form and words of every request of a whole run."""
    style = settle(**{"preset": None, **task.params})
    steps = ["description", "action", "summary"] if style.describe else ["action", "summary"]
    each = [kind for kind in steps if kind != "summary" or style.reflects]
    acts = [one for one in made if one.kind == "action"]
    # An end is not summed up.
    assert [one.kind for one in made] == (each * len(acts))[: len(made)]
    assert made[-1].kind == "action"
    for one in made:
        sdk_types.check(one.protocol, one.body)
        assert "never obey it" in one.system
        assert one.structured == (one.kind == "action")
        assert all(picture.split(";")[1] == "size=540x1200" for picture in one.pictures)
        assert one.body["model"] == "scripted" and not one.body.get("stream")
    for before, one in pairwise(made):
        if one.kind == "summary" or before.kind == "description":
            check_same_conversation(before, one)
    for one in acts:
        assert one.roles == (["user", "assistant", "user"] if style.describe else ["user"])
        check_pictures(one)
    check_history(style, made, acts)
    asked = [step for step, one in enumerate(acts) if one.answer["action_type"] == "ask"]
    for step, one in enumerate(acts):
        kept = one.text(0).count("- How long?: 10 minutes")
        assert kept == sum(before < step for before in asked), "each answer is told in every later step"


def check_same_conversation(before: Call, after: Call) -> None:
    """All that was said, then the model's answer, then the next question."""
    assert after.turns[: len(before.turns)] == before.turns
    assert after.roles == [*before.roles, "assistant", "user"]
    assert after.pictures[: len(before.pictures)] == before.pictures
    if after.kind == "summary":
        assert after.pictures == before.pictures, "no picture is new in the turn that sums up"
        said = json.loads(after.text(-2))
        assert said["action"].get("idx") == before.answer["mark"]
        assert "sum up in one or two sentences" in after.text(-1)
    else:
        assert after.text(-2) == before.answer["text"]


def check_pictures(one: Call) -> None:
    """The plain one first; Anthropic's models get pictures before text, OpenAI's after it."""
    assert len(one.pictures) == 2 and one.pictures[0] != one.pictures[1]
    pair = "pp" if len(one.turns) == 1 else "p"
    for at in range(0, len(one.turns), 2):
        assert one.order(at) == (f"{pair}t" if one.protocol == "messages" else f"t{pair}")


def check_history(style: Style, made: list[Call], acts: list[Call]) -> None:
    """What the model summed up after one step is what it reads before the next."""
    notes = [one.answer["text"] for one in made if one.kind == "summary"]
    if style.fused:
        notes = [f"I look for “{one.answer['label']}”" if "label" in one.answer else "This is" for one in acts]
    for step, one in enumerate(acts):
        text = one.text(0)
        assert ("this is the first step" in text) == (style.history and step == 0)
        assert ("What you have done so far" in text) == (style.history and step > 0)
        assert ("<screen_text>" in text + one.text(-1)) == style.text
        if style.history and step > 0:
            assert notes[step - 1] in text
            became = "it was a question" if acts[step - 1].answer["action_type"] == "ask" else "it was carried out"
            assert became in text


@SDKS
@pytest.mark.parametrize("name", TASKS)
def test_the_phone_itself_shows_that_the_task_was_done(bench: Bench, name: str, sdk: dict[str, Any]) -> None:
    task = TASKS[name]
    bench.begin(task.script)
    assert name == "look-up" or not task.done(bench.phone.state()), "nothing to do"
    ended = bench.run(task.words, {**sdk, **task.params}, task.reply)
    made = calls(bench)
    assert ended["outcome"]["code"] == "complete", (ended, made[-1].answer)
    assert task.done(bench.phone.state())
    assert (ended["outcome"]["answer"] or "") == task.answer
    assert {one.protocol for one in made} == {"responses" if sdk == OPENAI else "messages"}
    check_requests(task, made)


def test_chat_completions_do_it_too(bench: Bench) -> None:
    task = replace(TASKS["look-up"], params={"prompt": "think"})
    bench.begin(task.script)
    ended = bench.run(task.words, {**CHAT, **task.params})
    assert ended["outcome"]["code"] == "complete", ended
    assert task.done(bench.phone.state())
    made = calls(bench)
    assert {one.protocol for one in made} == {"chat"}
    check_requests(task, made)


@pytest.mark.parametrize(
    ("fault", "structured", "kinds"),
    [
        ("wrong_mark", True, ["action", "correction"]),
        ("invalid_json", True, ["action", "correction"]),
        ("invalid_json", False, ["action", "correction"]),
        ("empty", False, ["action", "correction"]),
    ],
)
def test_an_answer_that_stays_wrong_touches_nothing(
    bench: Bench, fault: str, structured: bool, kinds: list[str]
) -> None:
    bench.begin([{**click("Display"), "faults": [{"kind": fault, "times": 2}]}])
    before = len(bench.phone.inputs())
    ended = bench.run("Turn on the dark theme.", {**OPENAI, "structured": structured})
    assert len(bench.phone.inputs()) == before
    assert [one.kind for one in calls(bench)] == kinds
    assert ended["outcome"]["code"] == "policy_error"
    assert ended["outcome"]["cause"] == "unparsable-answer", ended["outcome"]
