"""What becomes of a secret in a run: asked for, typed, covered, and nowhere on record."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from agent_server.errors import SecretsUnreadable, SecretWrittenOut, UnknownSecret
from agent_server.runs.model import Question
from agent_server.runs.pictures import COVER, cover, cover_early, preview
from agent_server.secrets import Vault
from agent_server.service import NewRun
from device.actions import Action, TypeText
from device.base import Answer, Outcome, View
from device.errors import CommandRefused
from device.frame import Frame
from device.geometry import Size
from perception.ocr import RapidOcrReader
from perception.pipeline import Pipeline
from policies.base import Ask, Decision, Observation
from policies.follow import Follow
from tests.agent_server.phone import GRAPH, PACKAGE, SIZE, GraphPhone, Spot, edges, with_spot
from tests.agent_server.stage import Script, Stage, stage
from tests.agent_server.wire import served

pytestmark = pytest.mark.anyio

VALUE = "kestrel-9-Harbour"
REFERENCE = "{{secret:bank}}"
LOG_IN = ["Settings", "Passwords", "Secret word", TypeText(REFERENCE)]
FIRST_NAME = ["Contacts", "Create contact", "First name", TypeText(REFERENCE)]
TASK = f"log in with {REFERENCE}"


async def keep(bench: Stage, name: str = "bank", value: str = VALUE) -> None:
    await bench.wired.service.owner.keep(name, value)


async def asked(bench: Stage, run_id: str, nth: int = 1) -> Question:
    await bench.until(run_id, "question.asked", nth=nth)
    (question,) = await bench.wired.service.questions(run_id, only_open=True)
    return question


async def answer(bench: Stage, run_id: str, said: str = "yes", nth: int = 1) -> Question:
    question = await asked(bench, run_id, nth)
    await bench.wired.service.answer(question.id, said)
    return question


def records(folder: Path) -> bytes:
    """Everything that the server has written, but the file of secrets."""
    files = [path for path in (folder / "data").rglob("*") if path.is_file() and path.name != "secrets.json"]
    assert any(path.name.endswith("sqlite3") for path in files)
    return b"\0".join(path.read_bytes() for path in files)


async def test_a_secret_reaches_the_phone_and_no_record_log_or_policy(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async with stage(tmp_path, log_level="debug") as bench:
        await keep(bench)
        run_id = await bench.start(*LOG_IN, "Log in", task=TASK)
        question = await answer(bench, run_id)
        run = await bench.ended(run_id)
        assert run.outcome.code == "complete"
        assert bench.phone.texts == {f"{PACKAGE}:id/secret_word": VALUE}
        assert question.prompt == "May I type the secret “bank” into “Secret word”? Say yes or no."
        assert PACKAGE in question.why and "password field" in question.why
        step = (await bench.steps(run_id))[3]
        assert step.choice == {"kind": "type_text", "text": REFERENCE, "replace": False}
        (done,) = [one for one in await bench.events(run_id) if one.type == "action.done" and one.step == 4]
        assert done.data["action"] == {"kind": "type_text", "characters": 0, "replace": False, "secrets": ["bank"]}
        assert done.speak == "Typed the secret “bank” into “Secret word”."
        script = bench.scripts.scripts["script"]
        assert isinstance(script, Script) and VALUE not in repr(script.seen)
    assert VALUE.encode() not in records(tmp_path)
    assert VALUE not in "".join(capfd.readouterr())


async def test_a_shown_secret_is_covered_in_the_picture_and_named_in_the_elements(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        await keep(bench)
        run_id = await bench.start(*FIRST_NAME, "Save", task=TASK)
        question = await answer(bench, run_id)
        assert "may show it" in question.why
        assert (await bench.ended(run_id)).outcome.code == "complete"
        script = bench.scripts.scripts["script"]
        assert isinstance(script, Script)
        screen = script.seen[4].screen
        field = next(one for one in screen.elements if one.label == "First name")
        assert field.text == REFERENCE and "covered" in field.states and VALUE not in repr(screen.elements)
        left, top, right, bottom = field.box.to_pixel(SIZE)
        inside = screen.frame.pixels[top + 8 : bottom - 8, left + 8 : right - 8]
        assert np.abs(inside.astype(int) - COVER).max() < 12
        listing = await bench.wired.service.look(bench.phone.serial)
        assert VALUE not in repr(listing.elements)
    assert VALUE.encode() not in records(tmp_path)


@pytest.mark.parametrize(
    ("text", "cause"), [("{{secret:wifi}}", "unknown-secret"), (REFERENCE, "secret-not-named"), ("x", "password-field")]
)
async def test_what_the_person_has_not_named_is_not_typed(tmp_path: Path, text: str, cause: str) -> None:
    async with stage(tmp_path) as bench:
        await keep(bench)
        run_id = await bench.start(*LOG_IN[:3], TypeText(text), task="log in")
        await bench.ended(run_id)
        (blocked,) = [one for one in await bench.events(run_id) if one.type == "action.blocked"]
        assert blocked.data["cause"] == cause
        assert bench.phone.texts == {} and "question.asked" not in await bench.types(run_id)


async def test_a_password_field_takes_a_secret_and_nothing_beside_it(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        await keep(bench)
        run_id = await bench.start(*LOG_IN[:3], TypeText(f"{REFERENCE}1"), task=TASK)
        await bench.ended(run_id)
        assert bench.phone.texts == {}
        assert [one.data["cause"] for one in await bench.events(run_id) if one.type == "action.blocked"] == [
            "password-field"
        ]


async def test_a_no_keeps_the_secret_from_the_phone_and_insisting_ends_the_run(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        await keep(bench)
        run_id = await bench.start(*LOG_IN, TypeText(REFERENCE), task=TASK, trusted=True)
        await answer(bench, run_id, "no")
        assert (await bench.ended(run_id)).outcome.code == "denied"
        assert bench.phone.texts == {}


async def test_a_yes_is_void_when_another_field_has_the_focus_by_then(tmp_path: Path) -> None:
    graph = with_spot(GRAPH, "login", Spot("", field=True, hint="Chat"))
    async with stage(tmp_path, GraphPhone(graph=graph)) as bench:
        await keep(bench)
        run_id = await bench.start(*LOG_IN, task=TASK)
        question = await asked(bench, run_id)
        bench.phone.focus = f"{PACKAGE}:id/chat"
        await bench.wired.service.answer(question.id, "yes")
        await bench.ended(run_id)
        assert bench.phone.texts == {}
        (blocked,) = [one for one in await bench.events(run_id) if one.type == "action.blocked"]
        assert blocked.data["cause"] == "screen-changed"


async def test_the_question_names_what_has_the_focus_and_not_what_the_policy_says(tmp_path: Path) -> None:
    graph = with_spot(GRAPH, "login", Spot("", field=True, hint="Chat"))

    def into_password(observation: Observation) -> Decision:
        element = next(one for one in observation.screen.elements if one.password)
        return Decision(choice=TypeText(REFERENCE), element=element)

    async with stage(tmp_path, GraphPhone(graph=graph)) as bench:
        await keep(bench)
        run_id = await bench.start("Settings", "Passwords", "Chat", into_password, task=TASK)
        question = await answer(bench, run_id, "no")
        assert "“Chat”" in question.prompt and "may show it" in question.why
        await bench.ended(run_id)


async def test_a_secret_that_is_gone_by_the_time_of_the_act_is_not_sent(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        await keep(bench)
        run_id = await bench.start(*LOG_IN, task=TASK)
        question = await asked(bench, run_id)
        await bench.wired.service.owner.forget("bank")
        await bench.wired.service.answer(question.id, "yes")
        await bench.ended(run_id)
        (failed,) = [one for one in await bench.events(run_id) if one.type == "action.failed"]
        assert "no secret of that name" in failed.data["reason"] and bench.phone.texts == {}


async def test_a_task_that_names_an_unknown_secret_or_quotes_a_known_one_is_refused_and_kept_nowhere(
    tmp_path: Path,
) -> None:
    async with stage(tmp_path) as bench:
        await keep(bench)
        with pytest.raises(UnknownSecret, match="'wifi'") as unknown:
            await bench.start(task="type {{secret:wifi}}")
        assert unknown.value.fields[0].pointer == "/task" and "bank" in unknown.value.advice
        with pytest.raises(SecretWrittenOut) as quoted:
            await bench.start(task="do it", params={"steps": [f"type {VALUE}"]})
        assert quoted.value.fields[0].pointer == "/params" and REFERENCE in quoted.value.advice
        assert VALUE not in str(quoted.value)
        assert (await bench.wired.service.runs(cursor=None, state=None, serial=None, limit=9)).items == ()
    assert VALUE.encode() not in records(tmp_path)


async def test_an_answer_that_is_a_secret_becomes_its_name_and_may_then_be_typed(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        await keep(bench)
        run_id = await bench.start(Ask(prompt="Which password?"), *LOG_IN, task="log in")
        await answer(bench, run_id, f"it is {VALUE}")
        await answer(bench, run_id, nth=2)
        assert (await bench.ended(run_id)).outcome.code == "complete"
        assert list(bench.phone.texts.values()) == [VALUE]
        script = bench.scripts.scripts["script"]
        assert isinstance(script, Script) and script.seen[-1].history[0].reply == f"it is {REFERENCE}"
    assert VALUE.encode() not in records(tmp_path)


class Talkative(GraphPhone):
    """Tells what landed, and how long it was."""

    async def act(self, action: Action, on: View | None = None) -> Outcome:
        outcome = await super().act(action, on)
        if not isinstance(action, TypeText):
            return outcome
        return replace(outcome, landed=action.text, changed=Answer.YES, note="the field holds 16 characters, not 17")


async def test_the_outcome_tells_neither_the_secret_nor_its_length(tmp_path: Path) -> None:
    async with stage(tmp_path, Talkative()) as bench:
        await keep(bench)
        run_id = await bench.start(*LOG_IN, task=TASK)
        await answer(bench, run_id)
        await bench.ended(run_id)
        script = bench.scripts.scripts["script"]
        assert isinstance(script, Script)
        assert script.seen[-1].history[-1].note == "the field holds some characters, not some"
        assert (await bench.steps(run_id))[3].note == "the field holds some characters, not some"


async def test_follow_types_a_secret_by_its_reference(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        await keep(bench)
        bench.scripts.scripts["follow"] = Follow()
        task = f"Open Settings, tap Passwords, type {REFERENCE} into the secret word field, tap Log in"
        run, _ = await bench.wired.service.create_run(NewRun(task=task, serial=bench.phone.serial, policy="follow"))
        question = await answer(bench, run.id)
        assert "“bank”" in question.prompt
        assert (await bench.ended(run.id)).outcome.code == "complete"
        assert list(bench.phone.texts.values()) == [VALUE] and bench.phone.here == "home"


async def test_live_pictures_cover_a_shown_secret_and_are_blank_until_a_typed_one_is_seen(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        await keep(bench)
        service = bench.wired.service
        async with service.watching(bench.phone.serial) as live:
            bench.phone.here, bench.phone.texts = "new", {f"{PACKAGE}:id/first_name": VALUE}
            assert covered_share((await live.next(0)).data) == pytest.approx(0.07, abs=0.02)
            bench.phone.here, bench.phone.texts = "home", {}
            run_id = await bench.start(*FIRST_NAME, task=TASK)
            question = await asked(bench, run_id)
            bench.phone.hold("after_act")
            await service.answer(question.id, "yes")
            await asyncio.wait_for(bench.phone.entered["after_act"].wait(), 10)
            async with asyncio.timeout(10):
                shot = await live.next(0)
                while covered_share(shot.data) < 1:
                    shot = await live.next(shot.seq)
            bench.phone.gates["after_act"].set()
            await bench.ended(run_id)


def covered_share(jpeg: bytes) -> float:
    pixels = cv2.cvtColor(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)
    return float((np.abs(pixels.astype(int) - COVER).max(axis=2) < 12).mean())


async def test_what_ocr_reads_is_covered_too(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "secrets.json")
    vault.put("bank", VALUE)
    view = View(frame=_frame(f"Password: {VALUE}", "Show less"), tree=None)
    reader = RapidOcrReader(threads=1)
    pipeline = Pipeline(reader, deadline=120)
    try:
        seen = await pipeline.perceive(view)
        assert any("kestrel" in one.text for one in seen.elements)
        covered = cover(seen, view, vault)
        assert "kestrel" not in repr(covered.screen.elements) and len(covered.boxes) == 1
        left = " ".join(line.text for line in reader.read(covered.screen.frame.pixels))
        assert "Show less" in left and "kestrel" not in left.casefold()
    finally:
        pipeline.close()


async def test_a_secret_in_the_tree_is_covered_where_no_element_stands(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "secrets.json")
    vault.put("bank", VALUE)
    phone = GraphPhone(here="new", texts={f"{PACKAGE}:id/first_name": VALUE})
    view = await phone.observe()
    pipeline = Pipeline(None, ocr="never")
    try:
        screen = await pipeline.perceive(view)
        covered = cover(replace(screen, elements=()), view, vault)
        (box,) = covered.boxes
        assert box.to_pixel(SIZE) == edges(0)
        assert cover_early(view, vault) is None, "a picture left before OCR could look for the secret"
    finally:
        pipeline.close()


async def test_without_secrets_nothing_is_looked_for(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "secrets.json")
    view = await GraphPhone(here="new").observe()
    pipeline = Pipeline(None, ocr="never")
    try:
        screen = await pipeline.perceive(view)
        assert cover(screen, view, vault).screen is screen
        assert cover_early(view, vault) is view.frame
    finally:
        pipeline.close()


async def test_the_single_picture_over_rest_covers_a_secret(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        api.bench.phone.here, api.bench.phone.texts = "new", {f"{PACKAGE}:id/first_name": VALUE}
        bare = (await api.client.get("/v1/devices/test-1/screen")).content
        await keep(api.bench)
        assert covered_share((await api.client.get("/v1/devices/test-1/screen")).content) > covered_share(bare) + 0.05
        listed = (await api.client.get("/v1/devices/test-1/elements")).text
        assert VALUE not in listed and "{{secret:bank}}" in listed


async def test_rest_keeps_lists_and_forgets_secrets_and_never_tells_one(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        kept = await api.client.put("/v1/secrets/bank", json={"value": VALUE})
        assert kept.status_code == 204 and kept.content == b""
        listed = await api.client.get("/v1/secrets")
        assert listed.json()["items"] == [{"name": "bank", "reference": REFERENCE}]
        assert (await api.client.get("/v1/secrets/bank")).status_code == 405
        for name, body in (("a b", {"value": VALUE}), ("bank", {"value": VALUE * 100}), ("bank", {"valu": VALUE})):
            wrong = await api.client.put(f"/v1/secrets/{name}", json=body)
            assert wrong.status_code == 422 and VALUE not in wrong.text
        refused = await api.client.post("/v1/runs", json={"task": f"type {VALUE} into X", "serial": "test-1"})
        assert refused.status_code == 422 and refused.json()["code"] == "secret-written-out"
        assert VALUE not in refused.text
        assert (await api.client.delete("/v1/secrets/bank")).status_code == 204
        assert (await api.client.delete("/v1/secrets/bank")).status_code == 404
    assert VALUE.encode() not in records(tmp_path)


def _frame(*lines: str) -> Frame:
    size = Size(540, 1200)
    image = Image.new("RGB", (size.width, size.height), "white")
    font = ImageFont.load_default(24)
    for n, line in enumerate(lines):
        ImageDraw.Draw(image).text((30, 200 + 200 * n), line, fill="black", font=font)
    pixels = np.asarray(image)
    data = preview(_raw(pixels, size), None, 90)
    return replace(_raw(pixels, size), data=data, media_type="image/jpeg")


def _raw(pixels: Any, size: Size) -> Frame:
    alpha = np.full((*pixels.shape[:2], 1), 255, np.uint8)
    data = np.concatenate([pixels, alpha], axis=2).tobytes()
    return Frame(data, "image/x-rgba", size, 0, datetime(2026, 1, 1, tzinfo=UTC))


async def test_a_server_does_not_start_on_secrets_that_it_cannot_read(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "secrets.json").write_text("{")
    with pytest.raises(SecretsUnreadable):
        async with stage(tmp_path):
            pass


async def test_an_error_of_the_phone_that_quotes_a_secret_is_told_without_it(tmp_path: Path) -> None:
    async with stage(tmp_path) as bench:
        await keep(bench)
        run_id = await bench.start(*LOG_IN, task=TASK)
        question = await asked(bench, run_id)
        bench.phone.faults["act"] = [CommandRefused(f"cannot set {VALUE}", serial="test-1")]
        await bench.wired.service.answer(question.id, "yes")
        await bench.ended(run_id)
        script = bench.scripts.scripts["script"]
        assert isinstance(script, Script)
        assert VALUE not in script.seen[-1].history[-1].note
    assert VALUE.encode() not in records(tmp_path)
