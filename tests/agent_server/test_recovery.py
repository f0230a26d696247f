"""What a dead process left behind is told honestly, and nothing is sent a second time."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import select, update

from agent_server.errors import DataFolderInUse
from agent_server.runs.model import QuestionState, RunState
from agent_server.store import events
from agent_server.store.tables import EventRow, IntentRow, LeaseRow, QuestionRow, RunRow, StepRow
from agent_server.wiring import running
from tests.agent_server.phone import GraphPhone
from tests.agent_server.stage import Stage, settings, stage

pytestmark = pytest.mark.anyio


async def rewound(bench: Stage, run_id: str, until: str) -> None:
    """Make the store look as if the process had died right after the last event of that type."""
    async with bench.wired.database.write() as session:
        query = select(EventRow).where(EventRow.run_id == run_id).order_by(EventRow.seq.desc())
        for event in (await session.scalars(query)).all():
            if event.type == until:
                break
            await session.delete(event)
        values = {"state": RunState.RUNNING, "outcome": None, "finished_at": None}
        await session.execute(update(RunRow).where(RunRow.id == run_id).values(**values))
        if until == "action.planned":
            last = await session.scalar(select(IntentRow).order_by(IntentRow.step.desc()))
            assert last is not None
            last.state, last.settled_at = "planned", None
            step = await session.get_one(StepRow, (run_id, last.step))
            step.phase, step.sent, step.changed, step.finished_at = "planned", "", "", None


async def test_an_intent_without_an_effect_makes_the_run_interrupted_and_the_act_uncertain(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await bench.start("Contacts", "Create contact")
        await bench.ended(run_id)
        await rewound(bench, run_id, "action.planned")
    phone = GraphPhone()
    async with stage(tmp_path, phone) as bench:
        run = await bench.ended(run_id)
        assert (run.state, run.outcome.code, run.outcome.cause) == ("interrupted", "interrupted", "server-died")
        assert "may or may not" in run.outcome.summary
        told = await bench.events(run_id)
        assert [event.type for event in told[-2:]] == ["action.uncertain", "run.interrupted"]
        assert told[-2].speak == "It is not certain that this happened: tap “Create contact”." and told[-2].step == 2
        assert [event.id for event in told] == list(range(1, len(told) + 1))
        assert (await bench.steps(run_id))[1].sent == "unknown"
        await asyncio.sleep(0.1)
        assert phone.touched == [] and phone.looks == 0


@pytest.mark.parametrize("until", ["run.started", "step.started", "perception", "thought", "action.done"])
async def test_a_run_that_died_between_acts_is_interrupted_without_an_uncertain_act(tmp_path: Path, until: str) -> None:
    async with stage(tmp_path) as bench:
        run_id = await bench.start("Contacts")
        await bench.ended(run_id)
        await rewound(bench, run_id, until)
    phone = GraphPhone()
    async with stage(tmp_path, phone) as bench:
        assert (await bench.wired.service.run(run_id)).state is RunState.INTERRUPTED
        types = await bench.types(run_id)
        assert types[-1] == "run.interrupted" and "action.uncertain" not in types
        assert phone.touched == []


async def test_an_open_question_of_a_dead_process_is_withdrawn(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await bench.start("Contacts", "Delete all")
        await bench.until(run_id, "question.asked")
        await bench.wired.service.stop(run_id)
        await bench.ended(run_id)
        await rewound(bench, run_id, "question.asked")
        async with bench.wired.database.write() as session:
            await session.execute(update(QuestionRow).values(state=QuestionState.OPEN))
            await session.execute(update(RunRow).values(state=RunState.WAITING))
    async with stage(tmp_path) as bench:
        assert (await bench.wired.service.run(run_id)).state is RunState.INTERRUPTED
        assert await bench.wired.service.questions(None, only_open=True) == ()
        assert (await bench.types(run_id))[-2:] == ["question.expired", "run.interrupted"]


async def test_a_run_at_work_is_interrupted_when_the_server_stops_and_a_queued_one_waits(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        bench.phone.hold("observe")
        working = await bench.start("Contacts", script="a")
        await bench.phone.entered["observe"].wait()
        queued = await bench.start("Settings", script="b")
    phone = GraphPhone()
    async with stage(tmp_path, phone) as bench:
        run = await bench.ended(working)
        assert (run.state, run.outcome.cause) == ("interrupted", "server-stopped")
        assert run.outcome.summary == "The server stopped. Nothing had been touched."
        # The policies of the first server are gone with it: the queued run is taken up and says so.
        run = await bench.ended(queued)
        assert (run.outcome.code, run.outcome.cause) == ("policy_error", "unknown-policy")


async def test_an_act_in_progress_ends_on_record_when_the_server_stops(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        go = bench.phone.hold("after_act")
        run_id = await bench.start("Contacts")
        await bench.phone.entered["after_act"].wait()
        closing = asyncio.create_task(bench.wired.drain())
        await asyncio.sleep(0.05)
        go.set()
        await closing
        types = await bench.types(run_id)
        assert types[-2:] == ["action.done", "run.interrupted"]


async def test_whoever_lost_the_lease_sends_nothing(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        go = bench.phone.hold("observe")
        run_id = await bench.start("Contacts")
        await bench.phone.entered["observe"].wait()
        async with bench.wired.database.write() as session:
            lease = await session.get_one(LeaseRow, "test-1")
            assert (lease.holder, lease.epoch) == (run_id, 1)
            lease.epoch, lease.holder = 2, "somebody else"
        go.set()
        run = await bench.ended(run_id)
        assert (run.outcome.code, run.outcome.cause) == ("interrupted", "lease-lost")
        assert bench.phone.touched == []
        async with bench.wired.database.read() as session:
            assert (await session.get_one(LeaseRow, "test-1")).holder == "somebody else"
            assert (await session.scalars(select(IntentRow))).all() == []


async def test_the_intent_is_committed_with_its_event_before_the_phone_is_touched(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        go = bench.phone.hold("act")
        run_id = await bench.start("Contacts")
        await bench.phone.entered["act"].wait()
        async with bench.wired.database.read() as session:
            intent = await session.get_one(IntentRow, (run_id, 1))
            assert intent.state == "planned" and intent.settled_at is None
            last = (await events.after(session, run_id, 0, 100))[-1]
            assert last.type == "action.planned"
        assert bench.phone.touched == []
        go.set()
        await bench.ended(run_id)
        async with bench.wired.database.read() as session:
            assert (await session.get_one(IntentRow, (run_id, 1))).state == "done"


async def test_two_servers_cannot_share_a_data_folder(tmp_path: Path) -> None:
    async with stage(tmp_path):
        with pytest.raises(DataFolderInUse, match="Another server"):
            async with running(settings(tmp_path)):
                raise AssertionError("two servers on one folder")
    async with stage(tmp_path):
        pass


def test_the_crash_point_kills_the_process_there_and_nowhere_else() -> None:
    script = (
        "import sys; from agent_server.wiring import crash_point\n"
        "point = crash_point(sys.argv[1])\n"
        "for n in (1, 2, 3):\n"
        "    print(n, flush=True); point('after_effect', n); point('after_intent', n)\n"
    )
    for crash_at, printed in (("after_intent:2", "1\n2\n"), ("", "1\n2\n3\n")):
        done = subprocess.run([sys.executable, "-c", script, crash_at], capture_output=True, text=True, timeout=60)
        assert done.stdout == printed
        assert done.returncode == (-signal.SIGKILL if crash_at else 0)


async def test_the_story_alone_tells_what_was_touched(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        run_id = await bench.start("Settings", "Display")
        await bench.ended(run_id)
        planned = [event.data["action"] for event in await bench.events(run_id) if event.type == "action.planned"]
        assert [action["kind"] for action in planned] == bench.phone.kinds
