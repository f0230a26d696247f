"""Pictures go only where the phone's owner agreed: asked per phone and host, remembered, and taken back."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agent_server.cli import app
from agent_server.consent import Consents
from agent_server.runs.model import Question
from agent_server.service import NewRun
from agent_server.store.database import Database
from device.clock import ManualClock
from policies.base import Decision, Needs, Observation
from tests.agent_server.model_server.serving import act, serving
from tests.agent_server.phone import GraphPhone
from tests.agent_server.stage import Script, Stage, stage
from tests.agent_server.wire import Served, served

HOST = "api.example.com"
REMOTE = Needs(remote_model=f"seer-1 at {HOST}", remote_host=HOST)

anyio = pytest.mark.anyio


@dataclass
class Held(Script):
    """A script whose `at`-th decision waits until it is let go."""

    at: int = 0
    deciding: asyncio.Event = field(default_factory=asyncio.Event)
    go: asyncio.Event = field(default_factory=asyncio.Event)

    async def decide(self, observation: Observation) -> Decision:
        if len(observation.history) == self.at:
            self.deciding.set()
            await self.go.wait()
        return await Script.decide(self, observation)


async def begin(bench: Stage, policy: Script, *, serial: str = "test-1", **values: Any) -> str:
    bench.scripts.scripts["script"] = policy
    run, _ = await bench.wired.service.create_run(NewRun(task="do it", serial=serial, policy="script", **values))
    return run.id


async def question(bench: Stage, run_id: str, nth: int = 1) -> Question:
    await bench.until(run_id, "question.asked", nth=nth)
    (asked,) = await bench.wired.service.questions(run_id, only_open=True)
    return asked


def remote(*moves: Any) -> Script:
    return Script(moves, needs=REMOTE)


@pytest.mark.parametrize(
    ("host", "hosts", "needed"),
    [
        ("api.example.com", (), "api.example.com"),
        ("API.Example.com:8443", (), "api.example.com:8443"),
        ("api.example.com:8443", ("api.example.com",), ""),
        ("api.example.com:8443", ("API.example.com:8443",), ""),
        ("api.example.com", ("api.example.org",), "api.example.com"),
        ("localhost:8000", (), ""),
        ("127.0.0.1:8000", (), ""),
        ("[::1]:8000", (), ""),
        ("", (), ""),
    ],
)
def test_a_host_of_this_machine_and_one_that_the_owner_named_need_no_consent(
    tmp_path: Path, host: str, hosts: tuple[str, ...], needed: str
) -> None:
    consents = Consents(Database(tmp_path / "x"), ManualClock(), hosts)
    assert consents.needed(Needs(remote_host=host)) == needed


def test_a_policy_that_names_a_model_and_no_host_needs_consent_by_the_models_name(tmp_path: Path) -> None:
    consents = Consents(Database(tmp_path / "x"), ManualClock())
    assert consents.needed(Needs(remote_model="oracle [1")) == "oracle [1"


@anyio
async def test_before_the_first_picture_leaves_the_run_asks_naming_host_model_and_what_is_sent(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        policy = remote("Contacts")
        run_id = await begin(bench, policy)
        asked = await question(bench, run_id)
        assert asked.kind == "approval" and asked.default == "deny"
        assert HOST in asked.prompt and "seer-1" in asked.prompt and "test-1" in asked.prompt
        assert "password boxes" in asked.why and "pictures" in asked.why
        assert HOST in asked.speak and len(asked.speak) <= 140
        assert policy.seen == [] and bench.phone.looks == 0
        event = (await bench.events(run_id))[-1]
        assert event.step is None and event.data["consent"] == {
            "host": HOST, "model": f"seer-1 at {HOST}", "serial": "test-1", "policy": "script",
        }  # fmt: skip
        await bench.wired.service.answer(asked.id, "yes")
        assert (await bench.ended(run_id)).outcome.code == "complete"
        assert len(policy.seen) == 2


@anyio
async def test_the_question_is_asked_in_the_runs_language(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await begin(bench, remote(), lang="zh-CN")
        asked = await question(bench, run_id)
        assert asked.prompt.startswith("可以把这部手机") and HOST in asked.prompt and "密码框" in asked.why
        assert [one.label for one in asked.options] == ["允许这部手机", "不允许"]
        await bench.wired.service.answer(asked.id, "允许这部手机")
        assert (await bench.ended(run_id)).outcome.code == "complete"


@anyio
async def test_no_ends_the_run_as_denied_with_nothing_sent_and_is_not_remembered(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        for _ in range(2):
            policy = remote("Contacts")
            run_id = await begin(bench, policy)
            await bench.wired.service.answer((await question(bench, run_id)).id, "no")
            run = await bench.ended(run_id)
            assert (run.state, run.outcome.code, run.outcome.cause) == ("failed", "denied", "consent-denied")
            assert policy.seen == [] and bench.phone.looks == 0 and bench.phone.touched == []
        assert await bench.wired.service.owner.consents() == ()


@anyio
async def test_no_answer_in_time_is_a_no(tmp_path: Path) -> None:
    async with stage(tmp_path, question_seconds=0.05) as bench:
        policy = remote("Contacts")
        run = await bench.ended(await begin(bench, policy))
        assert (run.outcome.code, run.outcome.cause) == ("denied", "consent-unanswered")
        assert policy.seen == []


@anyio
async def test_stop_is_an_answer_too(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        policy = remote("Contacts")
        run_id = await begin(bench, policy)
        await bench.wired.service.answer((await question(bench, run_id)).id, "stop")
        assert (await bench.ended(run_id)).outcome.code == "stopped"
        assert policy.seen == []


@anyio
async def test_a_yes_is_remembered_for_that_phone_and_that_host_only(tmp_path: Path) -> None:
    async with stage(tmp_path, GraphPhone("test-1"), GraphPhone("test-2")) as bench:
        first = await begin(bench, remote())
        await bench.wired.service.answer((await question(bench, first)).id, "yes")
        await bench.ended(first)
        again = await begin(bench, remote("Contacts"))
        assert (await bench.ended(again)).outcome.code == "complete"
        assert "question.asked" not in await bench.types(again)
        for policy, serial in (
            (remote(), "test-2"),
            (Script((), needs=Needs(remote_model="m", remote_host="api.example.org")), "test-1"),
        ):
            other = await begin(bench, policy, serial=serial)
            await bench.wired.service.answer((await question(bench, other)).id, "no")
            assert (await bench.ended(other)).outcome.cause == "consent-denied"
        (kept,) = await bench.wired.service.owner.consents()
        assert (kept.serial, kept.host, kept.run_id) == ("test-1", HOST, first)


@anyio
async def test_a_yes_outlives_the_server(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await begin(bench, remote())
        await bench.wired.service.answer((await question(bench, run_id)).id, "yes")
        await bench.ended(run_id)
    async with stage(tmp_path) as bench:
        run_id = await begin(bench, remote("Contacts"))
        assert (await bench.ended(run_id)).outcome.code == "complete"
        assert "question.asked" not in await bench.types(run_id)


@anyio
async def test_a_host_that_the_settings_name_is_not_asked_about(tmp_path: Path) -> None:
    async with stage(tmp_path, remote_hosts=(HOST,)) as bench:
        run_id = await begin(bench, remote("Contacts"))
        assert (await bench.ended(run_id)).outcome.code == "complete"
        assert "question.asked" not in await bench.types(run_id)


@anyio
async def test_a_consent_taken_back_is_asked_for_anew_before_the_next_step_of_a_run_at_work(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        policy = Held(["Contacts", "Create contact"], needs=REMOTE, at=1)
        run_id = await begin(bench, policy)
        await bench.wired.service.answer((await question(bench, run_id)).id, "yes")
        await asyncio.wait_for(policy.deciding.wait(), 10)
        await bench.wired.service.owner.revoke("test-1", HOST)
        policy.go.set()
        await bench.wired.service.answer((await question(bench, run_id, 2)).id, "no")
        assert (await bench.ended(run_id)).outcome.cause == "consent-denied"
        assert len(policy.seen) == 2, "a picture was sent after the consent had been taken back"


async def refused(api: Served, run_id: str) -> None:
    await api.bench.until(run_id, "question.asked")
    (asked,) = (await api.client.get("/v1/questions", params={"run": run_id, "open": "true"})).json()["items"]
    assert (await api.client.post(f"/v1/questions/{asked['id']}/answer", json={"answer": "no"})).status_code == 200


@anyio
async def test_consents_are_listed_and_taken_back_over_rest(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        run_id = await begin(api.bench, remote())
        asked = await question(api.bench, run_id)
        done = await api.client.post(f"/v1/questions/{asked.id}/answer", json={"answer": "Allow for this phone"})
        assert done.status_code == 200, done.text
        await api.bench.ended(run_id)
        for path in ("/v1/consents", "/v1/devices/test-1/consents"):
            (kept,) = (await api.client.get(path)).json()["items"]
            assert (kept["serial"], kept["host"], kept["model"]) == ("test-1", HOST, f"seer-1 at {HOST}")
        assert (await api.client.get("/v1/devices/other/consents")).json()["items"] == []
        assert (await api.client.delete(f"/v1/devices/test-1/consents/{HOST}")).status_code == 204
        gone = await api.client.delete(f"/v1/devices/test-1/consents/{HOST}")
        assert gone.status_code == 404 and HOST in gone.json()["detail"]
        run_id = await begin(api.bench, remote())
        await refused(api, run_id)
        assert (await api.bench.ended(run_id)).outcome.code == "denied"


async def at_a_terminal(env: dict[str, str], said: str, *arguments: str) -> tuple[int, str]:
    """A command into whose terminal `said` is typed; its exit code and what it printed."""
    ours, theirs = pty.openpty()
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "agent_server", *arguments),
            env={**os.environ, **env},
            stdin=theirs,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        os.write(ours, said.encode())
        out, _ = await asyncio.wait_for(process.communicate(), 90)
        assert process.returncode is not None
        return process.returncode, out.decode()
    finally:
        os.close(ours)
        os.close(theirs)


@anyio
async def test_the_command_line_asks_in_the_terminal_shows_and_takes_back(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        (tmp_path / "data" / "server.json").write_text(json.dumps({"url": api.url}))
        env = {"TAPWRIGHT_DATA_DIR": str(tmp_path / "data")}

        async def tapwright(*arguments: str) -> Any:
            return await asyncio.to_thread(CliRunner().invoke, app, arguments, env=env)

        api.bench.scripts.scripts["script"] = remote()
        arguments = ("run", "do it", "--policy", "script", "--serial", "test-1", "--param", "width=720")
        code, out = await at_a_terminal(env, "maybe\nyes\n", *arguments)
        assert code == 0 and HOST in out and "seer-1" in out and "password boxes" in out, out
        newest = (await api.bench.wired.service.runs(cursor=None, state=None, serial=None, limit=1)).items[0]
        assert newest.params == {"width": 720} and newest.outcome is not None and newest.outcome.code == "complete"
        shown = await tapwright("consents")
        assert shown.exit_code == 0
        assert shown.output.startswith(f"test-1\t{HOST}\tfor seer-1 at {HOST}, since ")
        assert (await tapwright("consents", "revoke", "test-1", HOST)).exit_code == 0
        assert await api.bench.wired.service.owner.consents() == ()
        again = await tapwright("consents", "revoke", "test-1", HOST)
        assert again.exit_code == 1 and "Nobody has agreed" in again.output


@anyio
async def test_a_real_policy_sends_no_byte_to_its_model_before_the_yes(tmp_path: Path) -> None:
    """The looking model server under another address of this machine, which counts as foreign."""
    from policies.mm_navigator import MmNavigator

    async with serving(act("complete", answer=""), address="127.0.0.2") as model, stage(tmp_path) as bench:
        for said, code in (("no", "denied"), ("yes", "complete")):
            policy = MmNavigator(provider="openai", model="scripted", base_url=f"{model.url}/v1", summary="fused")
            bench.scripts.scripts["seer"] = policy
            run, _ = await bench.wired.service.create_run(NewRun(task="do it", serial="test-1", policy="seer"))
            asked = await question(bench, run.id)
            assert model.bodies == []
            await bench.wired.service.answer(asked.id, said)
            assert (await bench.ended(run.id)).outcome.code == code
        assert len(model.bodies) == 1
