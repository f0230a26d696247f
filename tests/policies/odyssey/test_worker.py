"""The thread that owns the network outlives whatever is asked, and whoever asked."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'tapwright[odyssey]'")
pytest.importorskip("tiktoken", reason="tiktoken is not installed: pip install 'tapwright[odyssey]'")

import httpx  # noqa: E402
from fastapi import FastAPI  # noqa: E402
from PIL import Image  # noqa: E402

from policies.odyssey import tokenizer as vocabulary  # noqa: E402
from policies.odyssey.decoding import Growing  # noqa: E402
from policies.odyssey.generation import BadJob, Job, Writer  # noqa: E402
from policies.odyssey.memory import Eyes  # noqa: E402
from policies.odyssey.network.config import PRESETS  # noqa: E402
from policies.odyssey.network.model import Odyssey, randomise  # noqa: E402
from policies.odyssey.prompt import Form, Picture, build  # noqa: E402
from policies.odyssey.serve import app as routes  # noqa: E402
from policies.odyssey.serve.chat import MOST_BYTES  # noqa: E402
from policies.odyssey.serve.worker import LOST_AFTER, Closing, Crowded, Ticket, Worker  # noqa: E402
from tests.policies.odyssey.serving import served  # noqa: E402

SMALL = vocabulary.small()
POISON, SLOW = "#", "~"
"""At prompts that hold them a network with a defect breaks, or waits."""


class Brittle(Odyssey):
    """A network with a defect: it breaks at a token, or after so many decoding steps of a prompt that holds it.

    It can also be slow: at another token it waits until it is let go.
    """

    patience = 0

    def last_logits(self, embedded: torch.Tensor, mask: torch.Tensor, cache: Any = None) -> torch.Tensor:
        if embedded.shape[1] > 1:
            self.left = self.patience if self._holds(embedded, POISON) else -1
            if self._holds(embedded, SLOW):
                self.begun.set()
                assert self.go_on.wait(30)
        if self.left == 0:
            raise RuntimeError("CUDA error: unspecified launch failure")
        self.left -= 1
        logits: torch.Tensor = super().last_logits(embedded, mask, cache)
        return logits

    def _holds(self, embedded: torch.Tensor, letter: str) -> bool:
        return bool((embedded == self.decoder.embedding.weight[ord(letter)]).all(-1).any())


@pytest.fixture(scope="module")
def network() -> Brittle:
    model = Brittle(replace(PRESETS["tiny"], layers=1)).eval()
    randomise(model, 4)
    return model


def worker(network: Odyssey, **limits: int) -> Worker:
    return Worker(Writer(network, SMALL, Eyes(network, 1 << 26), Growing(network)), **limits)


def job(words: str = "go", tokens: int = 5, **given: Any) -> Job:
    return Job(prompt=build([words], SMALL), tokens=tokens, **given)


@contextmanager
def held(working: Worker, network: Brittle) -> Iterator[None]:
    """The thread is kept busy, so that what is submitted meanwhile waits together."""
    network.begun, network.go_on = threading.Event(), threading.Event()
    working.submit(job(SLOW, tokens=1))
    assert network.begun.wait(30)
    try:
        yield
    finally:
        network.go_on.set()


@pytest.mark.anyio
async def test_a_request_that_breaks_the_network_fails_alone_and_the_next_is_answered(
    network: Brittle, caplog: pytest.LogCaptureFixture
) -> None:
    async with worker(network).working() as working:
        with held(working, network):
            tickets = [working.submit(job(text)) for text in ("one", POISON, "two")]
        done = await asyncio.gather(*(one.answer for one in tickets), return_exceptions=True)
        assert isinstance(done[1], RuntimeError) and [type(one).__name__ for one in done] == [
            "Answer", "RuntimeError", "Answer",
        ]  # fmt: skip
        assert (await working.submit(job("three")).answer).written > 0
        assert working.figures.failed == 1 and working.alive
    assert "the network failed" in caplog.text and "unspecified launch failure" in caplog.text


@pytest.mark.anyio
async def test_a_stream_that_was_begun_is_not_begun_anew(network: Brittle) -> None:
    network.patience = 2
    try:
        async with worker(network).working() as working:
            with held(working, network):
                streamed = working.submit(job("x", tokens=9), streamed=True)
                whole = working.submit(job("y", tokens=9))
                working.submit(job(POISON, tokens=9))
            assert (await whole.answer).written > 0, "nobody has heard of it, so it is written once more"
            with pytest.raises(RuntimeError):
                await streamed.answer
            texts = []
            while (text := await streamed.texts.get()) is not None:
                texts.append(text)
            assert len(texts) <= 2
    finally:
        network.patience = 0


@pytest.mark.anyio
async def test_a_network_that_breaks_each_time_is_no_longer_called_ready(network: Brittle) -> None:
    async with worker(network).working() as working:
        for _ in range(LOST_AFTER):
            assert working.alive
            with pytest.raises(RuntimeError):
                await working.submit(job(POISON)).answer
        assert not working.alive
        await working.submit(job("well")).answer
        assert working.alive


@pytest.mark.anyio
async def test_a_request_nobody_waits_for_is_not_begun(network: Brittle) -> None:
    async with worker(network).working() as working:
        with held(working, network):
            gone, here = working.submit(job("a")), working.submit(job("b"))
            gone.given_up = True
        await here.answer
        assert not gone.first_at and working.figures.given_up == 1


@pytest.mark.anyio
async def test_a_short_answer_does_not_wait_for_the_long_ones_of_its_batch(network: Brittle) -> None:
    order: list[str] = []

    def listening(name: str) -> Callable[[str], bool]:
        return lambda _: order.append(name) is None

    async with worker(network).working() as working:
        with held(working, network):
            short, long = working.submit(job("a", tokens=2)), working.submit(job("b", tokens=200))
            long.job = replace(long.job, told=listening("long"))
            short.answer.add_done_callback(lambda _: order.append("short is done"))
        await asyncio.gather(short.answer, long.answer)
    assert working.figures.batches == 2, "they were one batch, after the one that held the thread"
    assert order.index("short is done") < len(order) - 1 and order[-1] == "long"


@pytest.mark.anyio
async def test_what_waits_at_the_end_is_refused_and_what_is_written_is_finished(network: Brittle) -> None:
    working = worker(network, line=2, together=1)
    working.start()
    with held(working, network):
        waiting = [working.submit(job("a")) for _ in range(2)]
        with pytest.raises(Crowded):
            working.submit(job("b"))
        ending = asyncio.create_task(asyncio.to_thread(working.stop))
        while not working.closing:  # noqa: ASYNC110 - another thread sets it
            await asyncio.sleep(0)
    await ending
    for one in waiting:
        with pytest.raises(Closing):
            await one.answer
    with pytest.raises(Closing):
        working.submit(job("c"))
    assert working.figures.answered == 1


def test_an_asker_whose_event_loop_is_gone_does_not_stop_the_thread(network: Brittle) -> None:
    working = worker(network)
    working.start()

    async def leaving() -> Ticket:
        return working.submit(job("a", tokens=60), streamed=True)

    async def staying() -> int:
        return (await working.submit(job("b")).answer).written

    asyncio.run(leaving())
    assert asyncio.run(staying()) > 0
    working.stop()


@pytest.mark.anyio
async def test_a_job_without_its_pictures_fails_alone(network: Brittle) -> None:
    out = io.BytesIO()
    Image.new("RGB", (9, 20), (90, 10, 10)).save(out, "PNG")
    shows = Job(prompt=build([Picture.NOW, "x"], SMALL), tokens=3)
    async with worker(network).working() as working:
        with held(working, network):
            bad, good = working.submit(shows), working.submit(replace(shows, screens=[out.getvalue()]))
        with pytest.raises(BadJob, match="more screens"):
            await bad.answer
        assert (await good.answer).written > 0 and working.alive


# The same behind HTTP


def app_of(network: Odyssey) -> FastAPI:
    eyes = Eyes(network, 1 << 26)
    working = Worker(Writer(network, SMALL, eyes))
    return routes.build_app(working, eyes, SMALL, model="brittle", form=Form.V2)


def body(text: str, **more: Any) -> dict[str, Any]:
    import base64

    out = io.BytesIO()
    Image.new("RGB", (9, 20), (90, 10, 10)).save(out, "PNG")
    url = "data:image/png;base64," + base64.b64encode(out.getvalue()).decode()
    parts = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": text}]
    return {"model": "brittle", "messages": [{"role": "user", "content": parts}], "max_tokens": 12, **more}


Ask = Callable[..., Awaitable[httpx.Response]]


@pytest.mark.anyio
async def test_a_broken_answer_is_a_500_in_the_apis_shape_and_the_next_is_answered(
    network: Brittle, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    async with served(app_of(network)) as client:
        for _ in range(LOST_AFTER):
            failed = await client.post("/v1/chat/completions", json=body(f"x {POISON}"))
            assert failed.status_code == 500 and failed.json()["error"]["type"] == "server_error"
            assert "CUDA" not in failed.text
        lost = await client.get("/readyz")
        fine = await client.post("/v1/chat/completions", json=body("x"))
        assert (lost.status_code, fine.status_code, (await client.get("/readyz")).status_code) == (503, 200, 200)


@pytest.mark.anyio
async def test_a_stream_that_breaks_says_so_in_the_stream(network: Brittle, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    network.patience = 2
    try:
        async with served(app_of(network)) as client:
            streamed = await client.post("/v1/chat/completions", json=body(f"x {POISON}", stream=True))
            events = [json.loads(line[6:]) for line in streamed.text.splitlines() if line.startswith("data: {")]
    finally:
        network.patience = 0
    assert events[-1]["error"]["type"] == "server_error" and "[DONE]" not in streamed.text


@pytest.mark.anyio
async def test_a_body_beyond_the_limit_is_refused_whether_its_length_is_told_or_not(network: Brittle) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(routes.MOST_BODY // 1_000_000 + 2):
            yield b" " * 1_000_000

    async with served(app_of(network)) as client:
        reader, writer = await asyncio.open_connection("127.0.0.1", client.base_url.port)
        writer.write(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000000\r\n\r\n")
        assert (await reader.readline()).split()[1] == b"413"
        writer.close()
        untold = await client.post(
            "/v1/chat/completions", headers={"content-type": "application/json"}, content=endless()
        )
        assert untold.status_code == 413 and "bytes" in untold.json()["error"]["message"]
        assert (await client.get("/healthz")).status_code == 200
    assert MOST_BYTES < routes.MOST_BODY


@pytest.mark.anyio
async def test_what_there_is_not_is_refused_in_the_apis_shape(network: Brittle) -> None:
    async with served(app_of(network)) as client:
        assert (await client.get("/v1/embeddings")).json()["error"]["message"] == "Not Found"
        broken = await client.post(
            "/v1/chat/completions", headers={"content-type": "application/json"}, content=b"{nonsense"
        )
        assert broken.status_code == 400 and broken.json()["error"]["type"] == "invalid_request_error"
