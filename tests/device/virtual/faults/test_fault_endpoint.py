"""Faults and latency over the owner's endpoint and the command line."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from device.virtual.__main__ import parse_options
from device.virtual.control import serve_control

from .wired import Wired, until

pytestmark = pytest.mark.anyio


@pytest.fixture
async def wired() -> AsyncIterator[Wired]:
    async with Wired.up() as wired:
        yield wired


@pytest.fixture
async def owner(wired: Wired) -> AsyncIterator[httpx.AsyncClient]:
    async with serve_control(wired.served.adbd) as control:
        headers = {"Authorization": f"Bearer {control.token}"}
        async with httpx.AsyncClient(base_url=control.url, headers=headers, trust_env=False) as http:
            yield http


async def test_a_plan_is_armed_asked_for_and_cleared(wired: Wired, owner: httpx.AsyncClient) -> None:
    rule = {"fault": "tap_dropped", "parameters": {"path": "input"}, "when": {"next": 1}}
    armed = (await owner.post("/faults", json={"seed": 7, "plan": [rule]})).json()
    assert armed["plan"]["seed"] == 7 and armed["plan"]["plan"][0]["parameters"] == {"path": "input", "moving": False}
    for _ in range(2):
        await wired.host.shell("input tap 5 6")
    told = (await owner.get("/faults")).json()
    assert (told["acts"], told["fired"], told["address"]) == (2, {"tap_dropped": 1}, wired.served.address)
    assert wired.touched() == 1
    cleared = (await owner.post("/faults/clear")).json()
    assert cleared["plan"] is None and cleared["fired"] == {} and not any(cleared[name] for name in ("crlf", "rpc"))


async def test_switches_stay_when_a_profile_is_armed(wired: Wired, owner: httpx.AsyncClient) -> None:
    await owner.post("/faults", json={"crlf": True, "tap_dropped": {"path": "u2"}})
    told = (await owner.post("/faults", json={"profile": "everyday", "seed": 3})).json()
    assert told["crlf"] is True and told["plan"]["seed"] == 3 and len(told["plan"]["plan"]) > 3
    assert told["tap_dropped"] == {"path": "u2", "moving": False}


async def test_latency_is_chosen(wired: Wired, owner: httpx.AsyncClient) -> None:
    assert (await owner.get("/latency")).json() == {"profile": "none", "known": ["none", "phone", "slow"]}
    assert (await owner.post("/latency", json={"profile": "slow"})).json()["profile"] == "slow"
    start = await wired.now()
    await wired.host.shell("input tap 5 6")
    assert await wired.now() - start == pytest.approx(1000)


async def test_a_phone_that_has_moved_tells_its_address(wired: Wired, owner: httpx.AsyncClient) -> None:
    before = wired.served.address
    await owner.post("/faults", json={"new_port": True})
    await until(lambda: wired.served.address != before)
    assert (await owner.get("/faults")).json()["address"] == wired.served.address


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("/faults", {"plan": [{"fault": "gremlins"}]}, "no fault 'gremlins'; known are tap_dropped, "),
        ("/faults", {"plan": [{"fault": "crlf", "when": {"sometime": 1}}]}, "when has no 'sometime'"),
        ("/faults", {"plan": [], "sead": 1}, "'sead'"),
        ("/faults", {"profile": "weekend"}, "no fault profile 'weekend'; known are clean, everyday"),
        ("/faults", {"profile": "clean", "crlf": True}, "with profile there is only seed, not crlf"),
        ("/faults", {"tap_shifted": {"sigma_px": -1}}, "tap_shifted.sigma_px must be a number from 0 to 2000"),
        ("/latency", {"profile": "fast"}, "no latency 'fast'"),
        ("/latency", {}, "no latency 'None'"),
    ],
)
async def test_a_bad_request_is_refused_by_name(owner: httpx.AsyncClient, path: str, body: Any, words: str) -> None:
    answer = await owner.post(path, json=body)
    assert answer.status_code == 400 and words in answer.json()["error"]


def test_the_command_line_takes_a_profile_or_a_file(tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text(json.dumps([{"fault": "crlf"}]))
    options = parse_options(["--faults", str(file), "--fault-seed", "9", "--latency", "phone"])
    assert options.faults is not None and options.faults.seed == 9 and options.latency == "phone"
    assert options.faults.rules[0].fault.name == "crlf"
    named = parse_options(["--faults", "deaf"]).faults
    assert named is not None and named.rules[0].fault.name == "text_ignored"
    assert parse_options([]).faults is None and parse_options([]).seed == 1
    seeded = parse_options(["--faults", "everyday", "--seed", "5"])
    assert seeded.faults is not None and (seeded.seed, seeded.faults.seed) == (5, 5)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--faults", "weekend"], "'weekend' is no fault profile (clean, everyday"),
        (["--fault-seed", "3"], "--fault-seed needs --faults"),
        (["--latency", "fast"], "'fast'"),
    ],
)
def test_a_mistake_on_the_command_line_is_named(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parse_options(arguments)
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("name", ["blind", "deaf", "everyday", "flaky-adb", "clean"])
async def test_a_profile_does_what_it_promises(name: str) -> None:
    plan = parse_options(["--faults", name]).faults
    async with Wired.up(faults=plan) as wired:
        names = {rule.fault.name for rule in plan.rules} if plan else set()
        if name == "blind":
            assert b"<node" not in (await wired.host.shell("uiautomator dump /dev/tty"))[1]
        elif name == "deaf":
            assert (await wired.host.shell("input text hello"))[0] == 0
            assert not wired.phone.journal.entries("text") and wired.fired() == ["text_ignored"]
        elif name == "everyday":
            dropped = next(rule for rule in plan.rules if rule.fault.name == "tap_dropped")  # type: ignore[union-attr]
            assert dropped.when.probability == 0.05 and {"cold_start", "anr"} <= names
        elif name == "flaky-adb":
            assert {"slow_shell", "half_answer", "link_cut", "disconnect", "rpc_drop", "server_killed"} <= names
        else:
            assert not wired.served.adbd.conditions.injector.active
