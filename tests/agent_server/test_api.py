"""The REST API as clients meet it: over a socket, with real status codes and documents."""

from __future__ import annotations

import asyncio
import hashlib
import re
import stat
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
import pytest

from agent_server.wiring import keep_token
from policies.base import Ask
from tests.agent_server.phone import GraphPhone
from tests.agent_server.stage import settings
from tests.agent_server.wire import Served, served

pytestmark = pytest.mark.anyio


def problem(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """The problem document, after checking that it is one."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    document: dict[str, Any] = response.json()
    assert document["status"] == status and document["code"] == code
    assert document["type"] == f"urn:tapwright:problem:{code}" and document["title"]
    assert len(document["detail"]) > 10 and 0 < len(document["speak"]) <= 140
    return document


# Runs


async def test_a_run_is_created_followed_and_read_back(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        created = await api.post_run("Contacts", "Create contact")
        assert created.status_code == 201
        run = created.json()
        assert created.headers["location"] == f"/v1/runs/{run['id']}" and re.fullmatch(r"run_[0-9A-Z]{26}", run["id"])
        bounds = {"steps": 40, "seconds": 600.0, "tokens": None, "cost_usd": None}
        assert (run["state"], run["budgets"]) == ("queued", bounds)
        streamed = await api.sse(run["id"])
        assert [event["id"] for event in streamed] == list(range(1, len(streamed) + 1))
        assert streamed[-1]["type"] == "run.finished"
        listed = await api.client.get(f"/v1/runs/{run['id']}/events", headers={"Accept": "application/json"})
        assert listed.json() == {"items": streamed, "next": None}
        after = (await api.client.get(f"/v1/runs/{run['id']}")).json()
        assert after["state"] == "succeeded" and after["outcome"]["code"] == "complete" and after["steps"] == 3
        steps = (await api.client.get(f"/v1/runs/{run['id']}/steps")).json()["items"]
        assert [step["choice"]["kind"] for step in steps] == ["tap", "tap", "finish"]


async def test_an_events_envelope_is_what_the_documentation_says(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        run = (await api.post_run("Contacts")).json()
        for event in await api.sse(run["id"]):
            assert set(event) == {
                *("id", "run_id", "ts", "type", "step", "actor", "importance", "speak", "lang", "data"),
            }
            assert event["run_id"] == run["id"] and event["importance"] in range(4) and event["lang"] == "en"
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", event["ts"])


@pytest.mark.parametrize("by", ["header", "query"])
async def test_a_cut_stream_resumes_without_a_gap_or_a_repetition(tmp_path: Path, by: str) -> None:
    async with served(tmp_path) as api:
        run = (await api.post_run("Contacts", "Create contact", "First name")).json()
        seen: list[dict[str, Any]] = []
        while not seen or seen[-1]["type"] != "run.finished":
            last = seen[-1]["id"] if seen else 0
            resume = {"headers": {"Last-Event-ID": str(last)}} if by == "header" else {"params": {"after": last}}
            seen += await api.sse(run["id"], most=3, **resume)
        assert [event["id"] for event in seen] == list(range(1, len(seen) + 1))


async def test_a_stream_with_nothing_more_to_tell_says_so_for_good(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        run = (await api.post_run()).json()
        told = await api.sse(run["id"])
        response = await api.client.get(f"/v1/runs/{run['id']}/events", headers={"Last-Event-ID": str(len(told))})
        assert (response.status_code, response.content) == (204, b"")


async def test_a_stream_waits_for_what_is_still_to_come(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        go = api.bench.phone.hold("observe")
        run = (await api.post_run("Contacts")).json()
        streaming = asyncio.create_task(api.sse(run["id"]))
        await api.bench.phone.entered["observe"].wait()
        await asyncio.sleep(0.1)
        assert not streaming.done()
        go.set()
        assert (await streaming)[-1]["type"] == "run.finished"


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({}, "invalid-request", "/task"),
    ({"task": 7}, "invalid-request", "/task"),
    ({"task": ""}, "unreadable-task", "/task"),
    ({"task": "   \n"}, "unreadable-task", "/task"),
    ({"task": "x" * 9000}, "invalid-request", "/task"),
    ({"task": "gibberish"}, "unreadable-task", "/task"),
    ({"task": "t", "params": {"broken": 1}}, "invalid-request", "/params"),
    ({"task": "t", "policy": "nobody"}, "unknown-policy", "/policy"),
    ({"task": "t", "serial": "nowhere"}, "device-not-found", "/serial"),
    ({"task": "t", "budgets": {"steps": 0}}, "invalid-request", "/budgets/steps"),
    ({"task": "t", "budgets": {"seconds": -1}}, "invalid-request", "/budgets/seconds"),
    ({"task": "t", "lang": "not a tag!"}, "invalid-request", "/lang"),
    ({"task": "t", "if_busy": "shout"}, "invalid-request", "/if_busy"),
    ({"task": "t", "surprise": 1}, "invalid-request", "/surprise"),
]


async def test_what_cannot_be_run_is_refused_before_a_run_exists(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        for body, code, pointer in REFUSED:
            response = await api.client.post("/v1/runs", json={"policy": "script", **body})
            document = problem(response, 422, code)
            assert [error["pointer"] for error in document["errors"]] == [pointer], body
        assert (await api.client.get("/v1/runs")).json()["items"] == []


async def test_a_task_is_not_quoted_back_by_an_error(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        response = await api.client.post("/v1/runs", json={"task": ["my secret"], "policy": "script"})
        assert "my secret" not in response.text


async def test_a_body_that_is_no_json_is_a_problem(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        response = await api.client.post("/v1/runs", content=b"{", headers={"Content-Type": "application/json"})
        problem(response, 422, "invalid-request")
        response = await api.client.post("/v1/runs", content=b'{"task": "x"}', headers={"Content-Type": "text/plain"})
        problem(response, 422, "invalid-request")


ODD = [
    *(b"", b"[]", b"null", b'"x"', b"\xff\xfe", b'{"task": "\\ud800"}', b'{"task": "t", "params": {"a": NaN}}'),
    *(b'{"task": "t", "params": {"a": "\\ud800"}}', b'{"task": "t", "params": {"a": 1e999}}'),
    *(
        b'{"task": "t", "budgets": {"steps": true}}',
        b'{"task": "t", "trusted": "yes"}',
        b'{"task": "t", "budgets": null}',
    ),
    *(b'{"task": "t", "serial": "a\\u0000b"}', b'{"task": "t", "lang": "en-\\u0000"}'),
]


async def test_odd_bodies_are_refused_and_never_break_the_service(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        for body in ODD:
            whole = body.replace(b'{"task"', b'{"policy": "script", "task"')
            response = await api.client.post("/v1/runs", content=whole, headers={"Content-Type": "application/json"})
            assert response.status_code == 422, body
            assert response.headers["content-type"] == "application/problem+json"
        assert (await api.client.get("/v1/runs")).json()["items"] == []


async def test_bodies_beyond_what_a_reader_can_take_are_problems(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        for part in (b"[" * 5000 + b"]" * 5000, b"9" * 5000):
            whole = b'{"task": "t", "params": {"a": ' + part + b"}}"
            response = await api.client.post("/v1/runs", content=whole, headers={"Content-Type": "application/json"})
            problem(response, 400, "bad-request")


async def test_numbers_beyond_all_measure_are_refused(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        run = (await api.post_run()).json()
        huge = "9" * 30
        for path in (f"events?after={huge}", f"steps?after={huge}"):
            problem(await api.client.get(f"/v1/runs/{run['id']}/{path}"), 422, "invalid-request")
        response = await api.client.get(f"/v1/runs/{run['id']}/events", headers={"Last-Event-ID": huge})
        problem(response, 422, "invalid-request")


async def test_the_only_ready_phone_needs_no_name_but_two_do(tmp_path: Path) -> None:
    async with served(tmp_path / "a") as api:
        run = await api.client.post("/v1/runs", json={"task": "t", "policy": "script"})
        assert run.status_code == 201 and run.json()["serial"] == "test-1"
    async with served(tmp_path / "b", GraphPhone("one"), GraphPhone("two")) as api:
        document = problem(
            await api.client.post("/v1/runs", json={"task": "t", "policy": "script"}), 422, "serial-needed"
        )
        assert "one, two" in document["detail"]


async def test_a_repeated_request_gives_the_same_run(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        key = {"Idempotency-Key": "order-66"}
        responses = await asyncio.gather(*(api.post_run("Contacts", headers=key) for _ in range(5)))
        assert {response.status_code for response in responses} == {201}
        assert len({response.json()["id"] for response in responses}) == 1
        assert (
            sorted(response.headers.get("idempotency-replayed", "no") for response in responses)
            == ["no"] + ["true"] * 4
        )
        assert len((await api.client.get("/v1/runs")).json()["items"]) == 1
        other = await api.post_run("Contacts", headers=key, task="something else")
        problem(other, 422, "idempotency-key-reused")


async def test_a_busy_phone_queues_or_refuses_as_wished(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        api.bench.phone.hold("observe")
        first = (await api.post_run("Contacts")).json()
        await api.bench.phone.entered["observe"].wait()
        document = problem(await api.post_run("Contacts", if_busy="reject"), 409, "device-busy")
        assert first["id"] in document["detail"]
        queued = (await api.post_run("Contacts")).json()
        assert queued["state"] == "queued"
        phone = (await api.client.get("/v1/devices/test-1")).json()
        assert (phone["run"], phone["queued"]) == (first["id"], 1)


async def test_runs_are_listed_newest_first_in_pages(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        made = []
        for _ in range(5):
            run = (await api.post_run()).json()
            made.append(run["id"])
            await api.bench.ended(run["id"])
        found: list[str] = []
        url = "/v1/runs?limit=2"
        while True:
            page = await api.client.get(url)
            found += [run["id"] for run in page.json()["items"]]
            if page.json()["next"] is None:
                break
            url = re.search("<(.*)>", page.headers["link"]).group(1)  # type: ignore[union-attr]
        assert found == made[::-1]
        assert (await api.client.get("/v1/runs?state=queued")).json()["items"] == []
        problem(await api.client.get("/v1/runs?limit=0"), 422, "invalid-request")


async def test_a_long_poll_ends_when_the_state_changes(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        go = api.bench.phone.hold("observe")
        run = (await api.post_run("Contacts")).json()
        await api.bench.phone.entered["observe"].wait()
        waiting = asyncio.create_task(api.client.get(f"/v1/runs/{run['id']}?wait=20"))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        go.set()
        async with asyncio.timeout(5):
            assert (await waiting).json()["state"] == "succeeded"
        short = await api.client.get(f"/v1/runs/{run['id']}?wait=20")
        assert short.json()["state"] == "succeeded"


async def test_stop_is_accepted_at_once_and_again(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        go = api.bench.phone.hold("observe")
        run = (await api.post_run("Contacts")).json()
        await api.bench.phone.entered["observe"].wait()
        for _ in range(2):
            assert (await api.client.post(f"/v1/runs/{run['id']}/stop")).status_code == 202
        go.set()
        assert (await api.bench.ended(run["id"])).state == "stopped"
        again = await api.client.post(f"/v1/runs/{run['id']}/stop")
        assert (again.status_code, again.json()["state"]) == (202, "stopped")


async def test_a_run_that_does_not_exist_is_a_problem(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        for path in ("", "/steps", "/events"):
            problem(await api.client.get(f"/v1/runs/run_nothing{path}"), 404, "not-found")
        problem(await api.client.post("/v1/runs/run_nothing/stop"), 404, "not-found")


async def test_unknown_paths_methods_and_resume_points_are_problems(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        run = (await api.post_run()).json()
        problem(await api.client.get("/v1/nonsense"), 404, "not-found")
        response = await api.client.put("/v1/runs")
        problem(response, 405, "method-not-allowed")
        assert response.headers["allow"]
        response = await api.client.get(f"/v1/runs/{run['id']}/events", headers={"Last-Event-ID": "x"})
        problem(response, 422, "invalid-request")


# Questions


async def test_a_question_is_asked_listed_and_answered(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        run = (await api.post_run("Contacts", "Delete all")).json()
        await api.bench.until(run["id"], "question.asked")
        (question,) = (await api.client.get(f"/v1/questions?run={run['id']}&open=true")).json()["items"]
        assert (question["kind"], question["default"], question["state"]) == ("approval", "deny", "open")
        assert [option["id"] for option in question["options"]] == ["allow", "deny"]
        url = f"/v1/questions/{question['id']}/answer"
        document = problem(await api.client.post(url, json={"answer": "perhaps"}), 422, "unclear-answer")
        assert "yes or no" in document["speak"]
        answered = await api.client.post(url, json={"answer": "yes"})
        assert (answered.status_code, answered.json()["answer"]) == (200, "allow")
        problem(await api.client.post(url, json={"answer": "yes"}), 409, "already-answered")
        await api.bench.ended(run["id"])
        assert api.bench.phone.here == "contacts_empty"


async def test_an_expired_or_withdrawn_question_takes_no_answer(tmp_path: Path) -> None:
    async with served(tmp_path, question_seconds=0.1) as api:
        run = (await api.post_run("Contacts", "Delete all")).json()
        asked = await api.bench.until(run["id"], "question.expired")
        url = f"/v1/questions/{asked.data['question_id']}/answer"
        problem(await api.client.post(url, json={"answer": "yes"}), 409, "question-expired")
        problem(await api.client.post("/v1/questions/qst_none/answer", json={"answer": "yes"}), 404, "not-found")
        problem(await api.client.post(url, json={}), 422, "invalid-request")


async def test_a_question_is_over_when_its_run_is_stopped(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        run = (await api.post_run(Ask(prompt="Which?", options=("a", "b")))).json()
        asked = await api.bench.until(run["id"], "question.asked")
        await api.client.post(f"/v1/runs/{run['id']}/stop")
        await api.bench.ended(run["id"])
        url = f"/v1/questions/{asked.data['question_id']}/answer"
        problem(await api.client.post(url, json={"answer": "a"}), 409, "question-closed")


# Phones


def decoded(data: bytes) -> Any:
    return cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)


async def test_a_phone_shows_its_facts_screen_marks_elements_and_description(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        (listed,) = (await api.client.get("/v1/devices")).json()["items"]
        assert (listed["serial"], listed["state"], listed["ready"], listed["virtual"]) == (
            "test-1",
            "device",
            True,
            None,
        )
        phone = (await api.client.get("/v1/devices/test-1")).json()
        assert (phone["virtual"], phone["width"], phone["model"]) == (True, 540, "Test Phone")
        screen = await api.client.get("/v1/devices/test-1/screen?width=270")
        assert screen.headers["content-type"] == "image/jpeg" and decoded(screen.content).shape[:2] == (600, 270)
        marked = await api.client.get("/v1/devices/test-1/overlay")
        assert marked.headers["content-type"] == "image/jpeg" and decoded(marked.content) is not None
        elements = (await api.client.get("/v1/devices/test-1/elements")).json()
        assert [(one["mark"], one["text"]) for one in elements["elements"]] == [(1, "Contacts"), (2, "Settings")]
        assert elements["listing"].count("\n") == 1
        said = (await api.client.get("/v1/devices/test-1/description?lang=zh")).json()
        assert "Contacts" in said["text"]


async def test_a_phone_that_is_not_there_or_not_ready_is_a_problem(tmp_path: Path) -> None:
    async with served(tmp_path, states={"locked": "unauthorized"}) as api:
        for path in ("", "/screen", "/overlay", "/elements", "/description"):
            problem(await api.client.get(f"/v1/devices/nobody{path}"), 404, "device-not-found")
        problem(await api.client.get("/v1/devices/locked/screen"), 409, "device-unauthorized")
        body = {"task": "t", "policy": "script", "serial": "locked"}
        problem(await api.client.post("/v1/runs", json=body), 409, "device-not-ready")
        problem(await api.client.get("/v1/devices/test-1/screen?width=1"), 422, "invalid-request")


# Artifacts


async def test_a_stored_picture_is_served_for_ever_under_its_hash(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        run = (await api.post_run("Contacts")).json()
        await api.bench.ended(run["id"])
        step = (await api.client.get(f"/v1/runs/{run['id']}/steps")).json()["items"][0]
        for role, media_type in (("frame", "image/png"), ("overlay", "image/jpeg"), ("elements", "application/json")):
            got = await api.client.get(f"/v1/artifacts/{step[role]}")
            assert got.headers["content-type"] == media_type
            assert hashlib.sha256(got.content).hexdigest() == step[role]
            assert got.headers["etag"] == f'"{step[role]}"' and "immutable" in got.headers["cache-control"]
            assert got.headers["x-content-type-options"] == "nosniff"
            again = await api.client.get(f"/v1/artifacts/{step[role]}", headers={"If-None-Match": got.headers["etag"]})
            assert (again.status_code, again.content) == (304, b"")
        problem(await api.client.get(f"/v1/artifacts/{'0' * 64}"), 404, "not-found")
        problem(await api.client.get("/v1/artifacts/nonsense"), 422, "invalid-request")


# The door


async def bare(api: Served, method: str, path: str, **options: Any) -> httpx.Response:
    """A request without the token."""
    async with httpx.AsyncClient(base_url=api.url, trust_env=False) as client:
        return await client.request(method, path, **options)


CLOSED = [
    *(("GET", f"/v1/{path}") for path in ("runs", "devices", "questions", "policies", "openapi.json", "nonsense")),
    *(("POST", "/v1/runs"), ("POST", "/v1/login-tickets"), ("GET", "/")),
]


async def test_nothing_is_told_without_the_token(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        for method, path in CLOSED:
            response = await bare(api, method, path)
            problem(response, 401, "unauthorized")
            assert response.headers["www-authenticate"] == "Bearer"
            for header in ("Bearer wrong-token-wrong-token", "Basic abc", "Bearer", "", "Bearer ü".encode()):
                problem(await bare(api, method, path, headers={"Authorization": header}), 401, "unauthorized")


async def test_health_and_version_need_no_token(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        for path in ("/healthz", "/readyz", "/version", "/style.css"):
            assert (await bare(api, "GET", path)).status_code == 200


async def test_a_foreign_host_name_is_misdirected(tmp_path: Path) -> None:
    async with served(tmp_path, allow_hosts="phone.local") as api:
        for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "", "[::1", "127.0.0.2"):
            problem(await api.client.get("/v1/runs", headers={"Host": host}), 421, "wrong-host")
        for host in ("localhost:1234", "LOCALHOST", "[::1]:99", "phone.local"):
            assert (await api.client.get("/v1/runs", headers={"Host": host})).status_code == 200


async def test_a_foreign_web_page_may_not_call(tmp_path: Path) -> None:
    async with served(tmp_path, allow_origins="https://friend.example") as api:
        for origin in ("https://evil.example", "null", "http://127.0.0.1:1", api.url.replace("http", "https")):
            problem(await api.client.get("/v1/runs", headers={"Origin": origin}), 403, "foreign-origin")
        for origin in (api.url, "https://friend.example"):
            assert (await api.client.get("/v1/runs", headers={"Origin": origin})).status_code == 200


async def test_a_body_that_is_too_large_is_refused_with_or_without_a_length(tmp_path: Path) -> None:
    async with served(tmp_path, max_body_bytes=2000) as api:
        problem(await api.client.post("/v1/runs", json={"task": "x" * 3000}), 413, "body-too-large")

        async def pieces() -> Any:
            for _ in range(30):
                yield b"x" * 100

        problem(await api.client.post("/v1/runs", content=pieces()), 413, "body-too-large")


async def test_every_answer_forbids_scripts_sniffing_and_frames(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        for path in ("/plain", "/v1/runs", "/v1/nonsense", "/healthz"):
            headers = (await api.client.get(path)).headers
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy and "script-src" not in policy and "frame-ancestors 'none'" in policy
            assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"


async def test_a_login_link_works_once_and_gives_a_strict_cookie(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        ticket = (await api.client.post("/v1/login-tickets")).json()
        async with httpx.AsyncClient(base_url=api.url, trust_env=False) as browser:
            answer = await browser.get(ticket["path"])
            assert (answer.status_code, answer.headers["location"]) == (303, "/")
            cookie = answer.headers["set-cookie"]
            assert "HttpOnly" in cookie and "SameSite=strict" in cookie and "Path=/" in cookie
            page = await browser.get("/plain")
            assert page.status_code == 200 and "test-1" in page.text and "<script" not in page.text
            assert (await browser.get("/v1/runs")).status_code == 200
            browser.cookies.clear()
            again = await browser.get(ticket["path"])
            assert again.status_code == 401 and "used up" in again.text
            refused = await browser.get("/", headers={"Accept": "text/html"})
            assert refused.status_code == 401 and "login link" in refused.text


async def test_a_forged_or_old_cookie_opens_nothing(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        access = api.bench.wired.access
        good = access.new_session()
        ends, nonce, signature = good.split(".")
        for value in (f"{int(ends) + 1}.{nonce}.{signature}", f"1.{nonce}.{signature}", "x", "", good[:-1]):
            headers = {"Cookie": f"{access.cookie}={value}"}
            problem(await bare(api, "GET", "/v1/runs", headers=headers), 401, "unauthorized")
        assert (await bare(api, "GET", "/v1/runs", headers={"Cookie": f"{access.cookie}={good}"})).status_code == 200


async def test_what_the_screen_or_a_person_wrote_is_shown_as_text(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        run = (await api.post_run(task="<script>alert(1)</script>")).json()
        await api.bench.ended(run["id"])
        page = (await api.client.get("/plain")).text
        assert "<script>" not in page and "&lt;script&gt;" in page


def test_the_token_is_made_once_in_a_file_only_its_owner_can_read(tmp_path: Path) -> None:
    bare_settings = settings(tmp_path, token=None, data_dir=tmp_path)
    token = keep_token(bare_settings)
    assert len(token) >= 40 and keep_token(bare_settings) == token
    assert stat.S_IMODE(bare_settings.token_path.stat().st_mode) == 0o600
    given = settings(tmp_path, token="a-given-token-of-mine", data_dir=tmp_path)
    assert keep_token(given) == "a-given-token-of-mine" == given.token_path.read_text().strip()


# The server itself


async def test_policies_and_version_are_listed(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        (policy,) = (await api.client.get("/v1/policies")).json()["items"]
        params = {"type": "object"}
        assert policy == {"name": "script", "description": "A script.", "remote_model": "", "params": params}
        assert (await api.client.get("/version")).json()["api"] == "v1"


async def test_the_description_of_the_api_names_problems_and_no_other_errors(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        document = (await api.client.get("/v1/openapi.json")).json()
        assert "Problem" in document["components"]["schemas"]
        assert "HTTPValidationError" not in document["components"]["schemas"]
        for path, methods in document["paths"].items():
            for operation in methods.values():
                assert operation["description"], path
                for status, answer in operation["responses"].items():
                    if status == "default" or status.startswith(("4", "5")):
                        assert list(answer["content"]) == ["application/problem+json"], (path, status)


async def test_an_open_stream_ends_when_the_server_does_and_tells_of_the_interruption(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        api.bench.phone.hold("observe")
        run = (await api.post_run("Contacts")).json()
        await api.bench.phone.entered["observe"].wait()
        queued = (await api.post_run("Contacts")).json()
        streams = [asyncio.create_task(api.sse(one["id"])) for one in (run, queued)]
        await asyncio.sleep(0.1)
        api.server.should_exit = True
        async with asyncio.timeout(2.5):
            told, silent = await asyncio.gather(*streams)
        assert told[-1]["type"] == "run.interrupted" and told[-1]["data"]["cause"] == "server-stopped"
        assert [event["type"] for event in silent] == ["run.queued"]


async def test_a_server_without_auth_answers_everybody_on_this_machine_only(tmp_path: Path) -> None:
    async with served(tmp_path, auth=False) as api:
        assert (await bare(api, "GET", "/v1/runs")).status_code == 200
        problem(await bare(api, "GET", "/v1/runs", headers={"Host": "evil.example"}), 421, "wrong-host")
        problem(await bare(api, "GET", "/v1/runs", headers={"Origin": "http://evil.example"}), 403, "foreign-origin")
