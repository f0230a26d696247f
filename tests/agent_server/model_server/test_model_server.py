"""The scripted model: that it looks, and that a wrong script is named."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from agent_server.model_server import looking
from agent_server.model_server import script as scripts
from agent_server.model_server.script import BadModelScript, Fault, FaultKind
from device.frame import decode
from perception.overlay import draw
from policies.mm_navigator import grammar
from tests.agent_server.model_server.serving import READER, act, serving
from tests.policies.mm_navigator.pages import page

NAMES = ("Network & internet", "Display", "Sound", "Apps", "Battery", "Storage", "Dark theme", "About phone")


@pytest.mark.parametrize("width", [540, 720])
def test_every_number_is_found_where_it_was_drawn(width: int) -> None:
    drawn = draw(page(*NAMES), width=width)
    tags = looking.tags_of(decode(drawn.data, "image/jpeg"))
    assert [tag.mark for tag in tags] == list(range(1, len(NAMES) + 1))
    for tag in tags:
        assert tag.box == pytest.approx(drawn.marks[tag.mark].to_pixel(drawn.size), abs=1)


def test_a_picture_without_numbers_has_none() -> None:
    drawn = draw(page(*NAMES), style="none")
    picture = decode(drawn.data, "image/jpeg")
    assert looking.tags_of(picture) == []
    assert looking.find("Display", picture, READER) is None


def test_each_name_leads_to_its_own_number() -> None:
    picture = decode(draw(page(*NAMES)).data, "image/jpeg")
    assert [looking.find(NAMES[row], picture, READER) for row in (0, 1, 6)] == [1, 2, 7]
    assert looking.find("Bluetooth", picture, READER) is None


def test_a_number_in_the_row_wins_over_one_that_is_nearer_in_the_next_row() -> None:
    words = (40.0, 100.0, 120.0, 120.0)
    in_row, next_row = (500.0, 102.0, 516.0, 118.0), (40.0, 175.0, 56.0, 191.0)
    assert looking.distance(in_row, words) < looking.distance(next_row, words)


def test_a_script_is_read_with_its_faults_in_order() -> None:
    line = act("click", {"kind": "broken"}, {"kind": "rate_limited", "seconds": 0.2, "times": 2}, label="Display")
    read = scripts.read(json.dumps({"lines": [line], "latency": 0.5}))
    limited = Fault(FaultKind.RATE_LIMITED, 0.2)
    assert read.latency == 0.5
    assert read.lines[0].label == "Display"
    assert read.lines[0].faults == (Fault(FaultKind.BROKEN), limited, limited)
    assert isinstance(read.lines[0].act, grammar.Click)


@pytest.mark.parametrize(
    ("script", "named"),
    [
        ("nothing", "not JSON"),
        ("[]", "the script must be an object"),
        ('{"lines": []}', "lines"),
        ('{"lines": [{}]}', r"lines\[0\].*action"),
        ('{"lines": [{"action": {"action_type": "dance"}}]}', r"lines\[0\].*action_type"),
        ('{"lines": [{"action": {"action_type": "click", "label": ""}}]}', r"lines\[0\].action.label"),
        ('{"lines": [{"action": {"action_type": "enter"}, "faults": [{"kind": "fire"}]}]}', r"faults\[0\].kind"),
        ('{"lines": [{"action": {"action_type": "enter"}, "faults": [{"kind": "cut", "times": 0}]}]}', "times"),
        ('{"lines": [{"action": {"action_type": "enter"}}], "latency": -1}', "latency"),
    ],
)
def test_a_wrong_script_is_named(script: str, named: str) -> None:
    with pytest.raises(BadModelScript, match=named):
        scripts.read(script)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/responses", []),
        ("/v1/responses", {"model": "m"}),
        ("/v1/chat/completions", {"model": "m", "messages": [{"role": "user", "content": [{"type": "dance"}]}]}),
        ("/v1/messages", {"model": "m", "messages": [{"role": "assistant", "content": "Hello."}]}),
    ],
)
async def test_a_request_that_no_protocol_allows_is_a_400_and_takes_no_line(path: str, body: Any) -> None:
    async with serving(act("navigate_home")) as server, httpx.AsyncClient(trust_env=False) as client:
        answer = await client.post(server.url + path, json=body)
        assert answer.status_code == 400 and answer.json()["error"]["message"]
        assert server.model.done == 0


@pytest.mark.anyio
async def test_a_new_script_begins_at_its_first_line_and_typed_text_stays_out_of_the_journal() -> None:
    async with serving(act("navigate_home")) as server, httpx.AsyncClient(trust_env=False) as client:
        script = {"lines": [act("type", text="hunter2")]}
        assert (await client.put(f"{server.url}/script", json=script)).status_code == 204
        assert (await client.put(f"{server.url}/script", json={"lines": []})).status_code == 422
        body = {"model": "m", "messages": [{"role": "user", "content": "Answer with JSON."}]}
        answer = (await client.post(f"{server.url}/v1/chat/completions", json=body)).json()
        journal = await client.get(f"{server.url}/journal")
    assert "hunter2" in answer["choices"][0]["message"]["content"]
    assert "hunter2" not in journal.text
    assert journal.json()["done"] == 1
