"""The owner's endpoint over HTTP."""

from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from PIL import Image

from device.virtual.control import serve_control
from device.virtual.host import ServedPhone, serve_phone
from device.virtual.phone import VirtualPhone

from .adb_host import AdbHost

pytestmark = pytest.mark.anyio


@pytest.fixture
def phone() -> VirtualPhone:
    return VirtualPhone()


@pytest.fixture
async def served(phone: VirtualPhone) -> AsyncIterator[ServedPhone]:
    async with serve_phone(phone) as served:
        yield served


@pytest.fixture
async def client(served: ServedPhone) -> AsyncIterator[httpx.AsyncClient]:
    async with serve_control(served.adbd) as control:
        headers = {"Authorization": f"Bearer {control.token}"}
        async with httpx.AsyncClient(base_url=control.url, headers=headers, trust_env=False) as http:
            yield http


async def test_without_the_token_nothing_is_told(client: httpx.AsyncClient) -> None:
    for headers in ({"Authorization": ""}, {"Authorization": "Bearer wrong"}):
        answer = await client.get("/state", headers=headers)
        assert answer.status_code == 401 and "Authorization" in answer.json()["error"]


async def test_state_journal_and_picture_are_given(client: httpx.AsyncClient, phone: VirtualPhone) -> None:
    state = (await client.get("/state")).json()
    assert state["settings"]["global"]["wifi_on"] == "1" and state["phone"]["awake"] is True
    phone.tap(10, 20)
    (entry,) = [e for e in (await client.get("/journal")).json() if e["kind"] == "input"]
    assert entry["data"]["x"] == 10 and entry["cause"] == "i1"
    assert (await client.get(f"/journal?since={entry['n']}")).json() == []
    answer = await client.get("/frame.png")
    assert Image.open(io.BytesIO(answer.content)).size == (1080, 2400)
    assert int(answer.headers["x-frame"]) >= 1


async def test_a_difference_names_what_has_changed(client: httpx.AsyncClient, phone: VirtualPhone) -> None:
    before = (await client.get("/state")).json()
    phone.put_setting("global", "wifi_on", "0")
    changes = (await client.post("/diff", json=before)).json()
    assert changes == [{"path": "settings/global/wifi_on", "before": "1", "after": "0"}]


async def test_a_snapshot_brings_the_phone_back(client: httpx.AsyncClient, phone: VirtualPhone) -> None:
    kept = (await client.post("/snapshot")).content
    phone.start("com.android.settings")
    assert (await client.post("/restore", content=kept)).json() == {"restored": True}
    assert phone.foreground[0] == "org.tapwright.launcher"
    bad = await client.post("/restore", content=b"nonsense")
    assert bad.status_code == 400 and "snapshot" in bad.json()["error"]


async def test_time_passes_when_told(client: httpx.AsyncClient, phone: VirtualPhone) -> None:
    assert (await client.post("/advance", json={"ms": 1500})).json() == {"now_ms": 1500}
    assert (await client.post("/settle", json={})).json() == {"settled": True}


async def test_inputs_are_those_of_a_finger(client: httpx.AsyncClient, phone: VirtualPhone) -> None:
    for body in (
        {"kind": "tap", "x": 5, "y": 6},
        {"kind": "swipe", "points": [[1, 900], [1, 500]], "duration_ms": 100},
        {"kind": "drag", "points": [[1, 900], [1, 500]]},
        {"kind": "key", "code": 3},
        {"kind": "text", "text": "hi"},
    ):
        assert (await client.post("/input", json=body)).status_code == 200, body
    seen = [entry.data for entry in phone.journal if entry.kind in ("input", "key")]
    assert [data.get("action") for data in seen[:3]] == ["tap", "swipe", "drag"] and seen[3]["code"] == 3


async def test_faults_are_switched_and_the_cable_is_pulled(client: httpx.AsyncClient, served: ServedPhone) -> None:
    answer = (await client.post("/faults", json={"refuse_injection": True, "rpc": "hang"})).json()
    assert answer["refuse_injection"] is True and answer["rpc"] == "hang" and answer["empty_tree"] is False
    async with AdbHost.connect(served.address) as wire:
        await wire.greet()
        stream = await wire.open("shell:echo begun; sleep 100000")
        assert await stream.read() == b"begun\n"
        assert (await client.post("/cut")).json() == {"cut": 1}
        assert await stream.all() == b""
    assert [e["data"]["fault"] for e in (await client.get("/journal")).json() if e["kind"] == "fault"] == ["cut"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "words"),
    [
        ("GET", "/nowhere", None, 404, "/state"),
        ("POST", "/state", None, 405, "GET"),
        ("POST", "/input", {"kind": "dance"}, 400, "kind must be"),
        ("POST", "/input", {"kind": "tap", "x": "1", "y": 2}, 400, "x must be a number"),
        ("POST", "/input", {"kind": "swipe", "points": [[1, 2]]}, 400, "points"),
        ("POST", "/input", {"kind": "text", "text": "你"}, 400, "U+4F60"),
        ("POST", "/advance", {"ms": -1}, 400, "backwards"),
        ("POST", "/advance", [1], 400, "JSON object"),
        ("POST", "/diff", {"tables": {}}, 400, "it lacks settings, files"),
        ("GET", "/journal?since=x", None, 400, "since"),
        ("POST", "/faults", {"gremlins": True}, 400, "no fault 'gremlins'"),
        ("POST", "/faults", {"rpc": "slow"}, 400, "rpc must be one of"),
        ("POST", "/faults", {"empty_tree": 1}, 400, "empty_tree must be true or false"),
    ],
)
async def test_mistakes_are_answered_with_what_to_mend(
    client: httpx.AsyncClient, method: str, path: str, body: Any, status: int, words: str
) -> None:
    content = None if body is None else json.dumps(body)
    answer = await client.request(method, path, content=content)
    assert answer.status_code == status and words in answer.json()["error"]
