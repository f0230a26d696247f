from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from agent_server.runs.model import RunState
from tests.agent_server.phone import GraphPhone
from tests.agent_server.stage import stage
from tests.agent_server.wire import served

pytestmark = pytest.mark.anyio


async def state(bench: Any, run_id: str, wanted: str) -> None:
    """Wait until the run is in that state."""
    async with asyncio.timeout(10):
        while (run := await bench.wired.service.run(run_id)).state != wanted:
            assert not run.state.final, run
            await bench.wired.service.wait_run(run_id, 1)


async def test_a_pause_takes_effect_at_the_next_step_boundary_and_a_resume_looks_anew(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        gate = bench.phone.hold("act")
        run_id = await bench.start("Settings", "Display")
        await bench.phone.entered["act"].wait()
        await bench.wired.service.pause(run_id)
        assert (await bench.wired.service.run(run_id)).state is RunState.RUNNING, "the act in progress goes on"
        gate.set()
        await state(bench, run_id, "paused")
        looks, touched = bench.phone.looks, len(bench.phone.touched)
        assert touched == 1
        # The person opens another screen meanwhile; the step after the resume sees that one.
        bench.phone.here = "home"
        bench.scripts.scripts["script"].moves = ("Settings", "Contacts")
        await bench.wired.service.resume(run_id)
        run = await bench.ended(run_id)
        assert run.outcome.code == "complete"
        assert bench.phone.looks > looks and bench.phone.here == "contacts"
        story = [event.type for event in await bench.events(run_id) if event.type.startswith("run.")]
        assert story[2:] == ["run.pausing", "run.paused", "run.resumed", "run.finished"]
        spoken = {event.type: event.speak for event in await bench.events(run_id)}
        assert spoken["run.paused"] == "Paused. The phone is yours until you resume."


async def test_time_spent_in_a_pause_does_not_count(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        gate = bench.phone.hold("act")
        run_id = await bench.start("Settings", seconds=1.5)
        await bench.phone.entered["act"].wait()
        await bench.wired.service.pause(run_id)
        gate.set()
        await state(bench, run_id, "paused")
        await asyncio.sleep(1.7)
        await bench.wired.service.resume(run_id)
        assert (await bench.ended(run_id)).outcome.code == "complete"


async def test_a_paused_run_can_be_stopped_and_touches_nothing_more(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        gate = bench.phone.hold("act")
        run_id = await bench.start("Settings", "Display")
        await bench.phone.entered["act"].wait()
        await bench.wired.service.pause(run_id)
        gate.set()
        await state(bench, run_id, "paused")
        await bench.wired.service.stop(run_id)
        run = await bench.ended(run_id)
        assert (run.state, run.outcome.code, len(bench.phone.touched)) == (RunState.STOPPED, "stopped", 1)


async def test_a_resume_before_the_pause_took_effect_takes_it_back(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        gate = bench.phone.hold("act")
        run_id = await bench.start("Settings", "Display")
        await bench.phone.entered["act"].wait()
        await bench.wired.service.pause(run_id)
        await bench.wired.service.resume(run_id)
        gate.set()
        assert (await bench.ended(run_id)).outcome.code == "complete"
        types = await bench.types(run_id)
        assert "run.paused" not in types and types.count("run.resumed") == 1


async def test_a_pause_while_a_question_is_open_holds_after_the_answer(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await bench.start("Contacts", "Delete all", lambda seen: "No contacts")
        asked = await bench.until(run_id, "question.asked")
        await bench.wired.service.pause(run_id)
        assert (await bench.wired.service.run(run_id)).state is RunState.WAITING
        await bench.wired.service.answer(asked.data["question_id"], "yes")
        await state(bench, run_id, "paused")
        assert bench.phone.here == "contacts_empty", "what was allowed is done; then it stands"
        await bench.wired.service.stop(run_id)


async def test_pausing_and_resuming_twice_is_harmless_over_http(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        gate = api.bench.phone.hold("act")
        run_id = (await api.post_run("Settings")).json()["id"]
        await api.bench.phone.entered["act"].wait()
        for _ in range(2):
            answer = await api.client.post(f"/v1/runs/{run_id}/pause")
            assert (answer.status_code, answer.json()["id"]) == (202, run_id)
        gate.set()
        await state(api.bench, run_id, "paused")
        assert (await api.client.get("/v1/runs?state=paused")).json()["items"][0]["id"] == run_id
        for _ in range(2):
            assert (await api.client.post(f"/v1/runs/{run_id}/resume")).status_code == 202
        await api.bench.ended(run_id)
        types = await api.bench.types(run_id)
        assert [types.count(f"run.{word}") for word in ("pausing", "paused", "resumed")] == [1, 1, 1]


async def test_only_a_run_at_work_can_be_paused(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        gate = api.bench.phone.hold("act")
        first = (await api.post_run("Settings")).json()["id"]
        await api.bench.phone.entered["act"].wait()
        queued = (await api.post_run("Settings")).json()["id"]
        for verb in ("pause", "resume"):
            refused = await api.client.post(f"/v1/runs/{queued}/{verb}")
            assert (refused.status_code, refused.json()["code"]) == (409, "not-pausable")
            assert (await api.client.post(f"/v1/runs/run_nothing/{verb}")).status_code == 404
        await api.client.post(f"/v1/runs/{queued}/stop")
        gate.set()
        await api.bench.ended(first)
        ended = await api.client.post(f"/v1/runs/{first}/pause")
        assert (ended.status_code, ended.json()["code"]) == (409, "not-pausable")


async def test_a_run_that_was_paused_when_the_server_ended_is_interrupted(tmp_path: Path) -> None:
    async with stage(tmp_path, GraphPhone()) as bench:
        gate = bench.phone.hold("act")
        run_id = await bench.start("Settings", "Display")
        await bench.phone.entered["act"].wait()
        await bench.wired.service.pause(run_id)
        gate.set()
        await state(bench, run_id, "paused")
    async with stage(tmp_path) as again:
        run = await again.wired.service.run(run_id)
        assert (run.state, run.outcome.cause) == (RunState.INTERRUPTED, "server-stopped")
