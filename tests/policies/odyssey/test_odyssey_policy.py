"""The policy `odyssey` on real wires: virtual phone, server of the network, runs."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'tapwright[odyssey]'")
pytest.importorskip("tiktoken", reason="tiktoken is not installed: pip install 'tapwright[odyssey]'")

import numpy as np  # noqa: E402
from PIL import Image  # noqa: E402

from agent_server.cli.client import ServiceClient  # noqa: E402
from agent_server.cli.processes import child  # noqa: E402
from device.actions import DoubleTap, Key, LongPress, PressKey, Swipe, Tap, TypeText, Wait  # noqa: E402
from device.base import Answer  # noqa: E402
from device.frame import Frame  # noqa: E402
from device.geometry import Point, Size  # noqa: E402
from policies.base import (  # noqa: E402
    Decision,
    Finish,
    Observation,
    Turn,
    Usage,
)
from policies.errors import Unparsable  # noqa: E402
from policies.llm.base import Picture, Reply, Request  # noqa: E402
from policies.odyssey import tokenizer as vocabulary  # noqa: E402
from policies.odyssey.memory import Eyes  # noqa: E402
from policies.odyssey.network.config import PRESETS  # noqa: E402
from policies.odyssey.network.model import Odyssey, Slot, randomise  # noqa: E402
from policies.odyssey.policy import BadSetting, OdysseyPolicy, rendered, squeezed  # noqa: E402
from policies.odyssey.policy import Odyssey as PolicyOfRuns  # noqa: E402
from policies.odyssey.prompt import Form, Question, build, turn  # noqa: E402
from policies.odyssey.prompt import Picture as Slots  # noqa: E402
from policies.odyssey.weights import export  # noqa: E402
from tests.lab import Lab, Phone  # noqa: E402
from tests.policies.odyssey.folders import published_config, write_vocabulary  # noqa: E402
from tests.policies.odyssey.serving import folder_served  # noqa: E402
from tests.policies.screens import element, screen  # noqa: E402

STEPS = 50
PHONES = 5
"""Each waits a second after an act that changes nothing: side by side they do fifty steps in the time of ten."""


@dataclass(frozen=True)
class Bench:
    lab: Lab
    phones: list[Phone]
    client: ServiceClient


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    lab = Lab(tmp_path_factory.mktemp("odyssey-bench"))
    with lab.adb_server(), contextlib.ExitStack() as stack:
        phones = [stack.enter_context(lab.phone()) for _ in range(PHONES)]
        yield Bench(lab, phones, stack.enter_context(lab.server()))


@contextmanager
def network(lab: Lab, *options: str) -> Iterator[str]:
    arguments = ["agent_server", "odyssey", "serve", "--port", "0", "--announce", *options]
    env = {"OMP_NUM_THREADS": "1"}
    with child(arguments, log=lab.folder / "network.log", env=env, deadline=90) as announced:
        yield f"{announced['url']}/v1"


def run(client: ServiceClient, phone: Phone, task: str, steps: int, **params: Any) -> tuple[dict[str, Any], list[Any]]:
    body = {
        "task": task,
        "serial": phone.serial,
        "policy": "odyssey",
        "params": params,
        "budgets": {"steps": steps, "seconds": 600},
        "trusted": True,
    }
    made = client.call("POST", "/v1/runs", json=body)
    events = []
    for event in client.events(made["id"]):
        events.append(event)
        if event["type"] == "question.asked":
            # What a network that knows nothing wants to tap may need a person's word.
            client.call("POST", f"/v1/questions/{event['data']['question_id']}/answer", json={"answer": "deny"})
    return dict(client.call("GET", f"/v1/runs/{made['id']}")), events


ENDINGS = {"complete", "impossible", "stuck", "out_of_steps"}
"""Of runs whose every answer could be read and done: not an error of the policy, not an act that is none."""


def test_a_network_that_knows_nothing_takes_fifty_legal_steps(bench: Bench) -> None:
    def acts(url: str, number: int) -> list[str]:
        kinds: list[str] = []
        for attempt in range(8):
            task = f"find page {number} {'again ' * attempt}"
            done, events = run(bench.client, bench.phones[number], task, STEPS, base_url=url, model="tiny")
            assert done["outcome"]["code"] in ENDINGS, done["outcome"]
            kinds += [event["data"]["action"]["kind"] for event in events if event["type"] == "action.planned"]
            if len(kinds) * PHONES >= STEPS:
                break
        return kinds

    with network(bench.lab, "--random-init", "tiny", "--seed", "3") as url, ThreadPoolExecutor(PHONES) as pool:
        made = list(pool.map(lambda number: acts(url, number), range(PHONES)))
    kinds = [kind for each in made for kind in each]
    assert len(kinds) >= STEPS and len(set(kinds)) > 1, kinds


SCREENS = 3
ANSWERS = ["CLICK: (500, 300)", "SCROLL: UP", "COMPLETE"]


def recorded() -> list[bytes]:
    """Three screens that look nothing alike."""
    pictures = []
    for number in range(SCREENS):
        pixels = np.zeros((480, 216, 3), dtype=np.uint8)
        pixels[:, :, number] = 200
        pixels[100 * number : 100 * number + 80] = 255
        out = io.BytesIO()
        Image.fromarray(pixels).save(out, "PNG")
        pictures.append(out.getvalue())
    return pictures


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of weights: the tiny network, its head over-fitted on three recorded steps of one task."""
    folder = tmp_path_factory.mktemp("taught")
    torch.manual_seed(0)
    words, sizes = vocabulary.small(), PRESETS["tiny"]
    model = Odyssey(sizes).eval()
    randomise(model, 1)
    with torch.no_grad():
        # Wide enough that what was said before changes what is thought now.
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(6.0)
    pictures = [squeezed(_frame(one)).data for one in recorded()]
    with torch.no_grad():
        eyes = Eyes(model, 1 << 30)
        seen = eyes.look(pictures)
    hidden, targets = [], []
    for step, answer in enumerate(ANSWERS):
        question = Question(instruction="reach the end", actions=ANSWERS[:step], earlier=step)
        parts = turn(question, Form.V2)
        asked, whole = build(parts, words), build(parts, words, answer=answer)
        with torch.no_grad():
            slots = [
                Slot(0, start, seen[step].tokens if shown is Slots.NOW else eyes.history(seen[:step]))
                for start, shown in whole.slots
            ]
            embedded = model.embed(torch.tensor([whole.ids]), slots)
            states = model.decoder(embedded, torch.ones(1, len(whole.ids), dtype=torch.bool))
        hidden.append(states[0, len(asked.ids) - 1 : -1])
        targets.append(torch.tensor(whole.ids[len(asked.ids) :]))
    # Below the head nothing learns: a few dozen states in general position can be told apart by a line each.
    states, wanted = torch.cat(hidden), torch.cat(targets)
    optimizer = torch.optim.Adam(model.decoder.head.parameters(), lr=0.05)
    for _ in range(500):
        logits = model.decoder.head(states)
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(logits, wanted).backward()
        optimizer.step()
    assert bool((model.decoder.head(states).argmax(-1) == wanted).all()), "three answers were not learned by heart"
    _save(model.eval(), folder)
    return folder


def _save(model: Odyssey, folder: Path) -> None:
    torch.save(dict(export(model)), folder / "pytorch_model.bin")
    (folder / "config.json").write_text(json.dumps(published_config(model.config)))
    write_vocabulary(folder)


def _frame(png: bytes) -> Frame:
    return replace(screen().frame, data=png, size=Size(216, 480))


async def _decided(policy: OdysseyPolicy) -> list[Decision]:
    """The recorded task, step by step, as a run would ask."""
    history: list[Turn] = []
    made = []
    for step, png in enumerate(recorded()):
        seen = replace(screen(), frame=_frame(png))
        decision = await policy.decide(Observation(goal="reach the end", screen=seen, history=tuple(history)))
        made.append(decision)
        history.append(Turn(step=step + 1, decision=decision, sent=Answer.YES, frame=seen.frame))
    await policy.close()
    return made


@pytest.mark.anyio
async def test_a_network_that_learned_three_steps_does_exactly_those(taught: Path) -> None:
    async with folder_served(taught) as url:
        made = await _decided(PolicyOfRuns(base_url=url, model=taught.name))
    assert [one.raw for one in made] == ANSWERS
    first, second, third = (one.choice for one in made)
    assert first == Tap(Point(0.5, 0.3))
    assert isinstance(second, Swipe) and second.start.y > second.end.y
    assert isinstance(third, Finish)


def test_a_folder_that_can_be_served_is_said_to_be_one(taught: Path) -> None:
    from typer.testing import CliRunner

    from policies.odyssey.command import group

    done = CliRunner().invoke(group, ["check", str(taught)])
    assert done.exit_code == 0 and "can be served" in done.output


# What is sent, without a network


class Recorder:
    """A model on the far side of nothing: keeps what it was asked, answers one thing."""

    name, host = "recorder", "127.0.0.1"

    def __init__(self, text: str) -> None:
        self.text, self.asked = text, list[Request]()

    async def answer(self, request: Request) -> Reply:
        self.asked.append(request)
        return Reply(text=self.text, usage=Usage())

    async def close(self) -> None:
        pass


def lived(step: int) -> Turn:
    frame = _frame(recorded()[step % SCREENS])
    return Turn(step=step, decision=Decision(choice=Tap(Point(0.1 * step, 0.5)), summary="Tapped."), frame=frame)


def seen(goal: str = "go", steps: int = 0) -> Observation:
    now = replace(screen(element("Battery", row=3)), frame=_frame(recorded()[0]))
    return Observation(goal=goal, screen=now, history=tuple(lived(step) for step in range(steps)))


@pytest.mark.anyio
async def test_the_chat_holds_the_last_four_screens_and_actions_and_then_the_present() -> None:
    model = Recorder("PRESS_BACK")
    decision = await OdysseyPolicy(model).decide(seen(steps=6))
    messages = model.asked[0].messages
    assert model.asked[0].system == ""
    assert [one.role for one in messages] == [*["user", "assistant"] * 4, "user"]
    assert [one.parts[0] for one in messages[1:-1:2]] == [f"CLICK: ({100 * step}, 500)" for step in (2, 3, 4, 5)]
    assert isinstance(messages[-1].parts[0], Picture) and messages[-1].parts[1] == "go"
    assert {one.size for one in model.asked[0].pictures} == {Size(448, 448)}
    assert decision.choice == PressKey(Key.BACK)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("history", "roles"),
    [(["actions"], ["assistant", "assistant", "user"]), (["screenshots"], ["user", "user", "user"]), ([], ["user"])],
)
async def test_any_part_of_the_history_can_be_left_out(history: list[Any], roles: list[str]) -> None:
    model = Recorder("COMPLETE")
    await OdysseyPolicy(model, history).decide(seen(steps=2))
    assert [one.role for one in model.asked[0].messages] == roles


@pytest.mark.anyio
async def test_context_tells_what_was_done_in_words() -> None:
    model = Recorder("COMPLETE")
    await OdysseyPolicy(model, ["context"]).decide(seen(steps=2))
    assert model.asked[0].messages[-1].parts[1] == "go\nPrevious context: Tapped. Tapped."


@pytest.mark.anyio
async def test_at_the_low_level_each_step_has_its_line_and_the_last_ends_it() -> None:
    goal = "tap Battery\n\ngo back\n"
    for steps, line in ((0, "tap Battery"), (1, "go back")):
        model = Recorder("PRESS_BACK")
        observation = seen(goal, steps)
        done = tuple(replace(one, sent=Answer.YES) for one in observation.history)
        await OdysseyPolicy(model, level="low").decide(replace(observation, history=done))
        assert model.asked[0].messages[-1].parts[1] == line
    two = tuple(replace(one, sent=Answer.YES) for one in seen(goal, 2).history)
    ended = await OdysseyPolicy(model, level="low").decide(replace(seen(goal), history=two))
    assert isinstance(ended.choice, Finish)


@pytest.mark.anyio
async def test_the_element_under_the_place_is_the_one_that_is_meant() -> None:
    observation = seen()
    middle = observation.screen.elements[0].box.center
    model = Recorder(f"CLICK: ({round(1000 * middle.x)}, {round(1000 * middle.y)})")
    decision = await OdysseyPolicy(model).decide(observation)
    assert decision.element == observation.screen.elements[0]
    assert "'Battery'" in decision.thought


@pytest.mark.anyio
async def test_an_answer_outside_the_grammar_is_unparsable_and_not_asked_again() -> None:
    model = Recorder("I would tap Battery.")
    with pytest.raises(Unparsable):
        await OdysseyPolicy(model).decide(seen())
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    ("choice", "text"),
    [
        (Tap(Point(0.123, 0.9996)), "CLICK: (123, 1000)"),
        (DoubleTap(Point(0, 0)), "CLICK: (0, 0)"),
        (LongPress(Point(0.5, 0.25)), "LONG_PRESS: (500, 250)"),
        (Swipe(Point(0.5, 0.8), Point(0.5, 0.2)), "SCROLL: UP"),
        (Swipe(Point(0.2, 0.5), Point(0.8, 0.5)), "SCROLL: RIGHT"),
        (TypeText("hello"), "TYPE: hello"),
        (PressKey(Key.RECENTS), "PRESS_RECENT"),
        (PressKey(Key.ENTER), ""),
        (Wait(1), ""),
    ],
)
def test_what_was_done_is_told_in_the_networks_words(choice: Any, text: str) -> None:
    assert rendered(choice) == text


@pytest.mark.parametrize("params", [{"history": "actions"}, {"history": ["all"]}, {"level": "middle"}, {"timeout": 0}])
def test_a_setting_that_is_none_is_named(params: dict[str, Any]) -> None:
    with pytest.raises(BadSetting, match=next(iter(params))):
        PolicyOfRuns(**params)


def test_no_server_of_the_network_ends_the_run_with_a_named_cause(bench: Bench) -> None:
    phone = bench.phones[0]
    before = phone.inputs()
    done, _ = run(bench.client, phone, "go", 3, base_url="http://127.0.0.1:9/v1", timeout=5)
    assert phone.inputs() == before
    assert done["outcome"]["code"] == "policy_error"
    assert "127.0.0.1:9" in done["outcome"]["summary"]
