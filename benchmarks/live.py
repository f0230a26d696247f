"""The live picture: how many a viewer gets, and what watching costs the agent.

A phone, a server and the viewers, each in processes and threads of their own, on one machine. The phone scrolls without
rest while pictures are counted, so that each one differs from the one before.
"""

from __future__ import annotations

import contextlib
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

from websockets.sync.client import ClientConnection, connect

from agent_server.api.live import CREDIT, HEADER
from agent_server.cli.client import ServiceClient
from benchmarks.figures import Figure, ms
from tests.lab import Lab, Phone

FPS = 30.0
"""What the service aims at (agent_server/live.py, PACE)."""
SECONDS = 4.0
"""How long pictures are counted."""
TASK = "Open Settings, tap Display, press back, press back, open Contacts, press home"
WATCHED = ("nobody watches", "1 viewer watches", "1 viewer never pulls")


def measure(folder: Path, repeat: int) -> list[Figure]:
    """Pictures a second for one viewer and for four; then the agent's step, `repeat` runs of each kind in turn."""
    lab = Lab(folder)
    with lab.adb_server(), lab.phone() as phone, lab.server(TAPWRIGHT_QUESTION_SECONDS="5") as client:
        # The first run starts the phone's own server, which live pictures come from, and loads the models.
        _run(client, phone)
        _run(client, phone, "Open Settings")
        with _meanwhile(lambda: _scroll(phone)):
            figures = [_pictures(client, phone, viewers) for viewers in (1, 4)]
        return [*figures, *_steps(client, phone, repeat)]


def _pictures(client: ServiceClient, phone: Phone, viewers: int) -> Figure:
    with ThreadPoolExecutor(viewers) as pool:
        counted = list(pool.map(lambda _: _counted(client, phone), range(viewers)))
    who = "1 viewer" if viewers == 1 else f"the slowest of {viewers} viewers"
    slowest = min(counted)
    return Figure(f"pictures a second, 540 px, {who}", f"{slowest:.1f}", f"aim {FPS:g}", slowest / FPS, 1.0)


def _counted(client: ServiceClient, phone: Phone) -> float:
    with _viewer(client, phone) as socket:
        _pull(socket)
        started, pictures = time.perf_counter(), 0
        while time.perf_counter() - started < SECONDS:
            _pull(socket)
            pictures += 1
        return pictures / (time.perf_counter() - started)


def _viewer(client: ServiceClient, phone: Phone) -> ClientConnection:
    url = f"{client.url.replace('http', 'ws', 1)}/v1/devices/{phone.serial}/live"
    return connect(url, additional_headers={"Authorization": client.authorization}, proxy=None)


def _pull(socket: ClientConnection, seconds: float | None = 10) -> None:
    socket.send(CREDIT)
    message = socket.recv(timeout=seconds)
    assert isinstance(message, bytes) and HEADER.unpack(message[: HEADER.size])[2] == 540


def _scroll(phone: Phone) -> None:
    """A finger moves a long list up and down."""
    for start, end in ((1800, 600), (600, 1800)):
        body = {"kind": "swipe", "points": [[540, start], [540, end]], "duration_ms": 1000}
        phone.ask("POST", "/input", json=body)


@contextlib.contextmanager
def _meanwhile(work: Callable[[], None]) -> Iterator[None]:
    """Do it again and again in a thread of its own until the block ends."""
    over = threading.Event()

    def again() -> None:
        while not over.is_set():
            work()

    thread = threading.Thread(target=again, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(20)


def _steps(client: ServiceClient, phone: Phone, repeat: int) -> list[Figure]:
    taken: dict[str, list[float]] = {name: [] for name in WATCHED}
    _run(client, phone)  # scrolled pages and open apps are as after any other run from here on
    for turn in range(repeat):
        first = turn % len(WATCHED)
        for name in (*WATCHED[first:], *WATCHED[:first]):
            with _watching(client, phone, name):
                taken[name].append(_run(client, phone))
    alone = statistics.median(taken[WATCHED[0]])
    figures = [Figure(f"one step, {WATCHED[0]}", ms(alone))]
    for name in WATCHED[1:]:
        watched = statistics.median(taken[name])
        figures.append(Figure(f"one step, {name}", ms(watched), f"alone {ms(alone)}", watched / alone, at_most=1.1))
    return figures


@contextlib.contextmanager
def _watching(client: ServiceClient, phone: Phone, how: str) -> Iterator[None]:
    if how == WATCHED[0]:
        yield
        return
    with _viewer(client, phone) as socket:
        _pull(socket)
        if how == WATCHED[2]:
            yield
            return
        with _meanwhile(lambda: _look(socket)):
            yield


def _look(socket: ClientConnection) -> None:
    # On a screen that stands still no picture comes; the credit stays.
    with contextlib.suppress(TimeoutError):
        _pull(socket, 0.5)


def _run(client: ServiceClient, phone: Phone, task: str = TASK) -> float:
    """Seconds a step of the task took."""
    run = client.call("POST", "/v1/runs", json={"task": task, "serial": phone.serial, "policy": "follow"})
    ended = list(client.events(run["id"]))[-1]
    assert ended["data"]["outcome"]["code"] == "complete", ended
    run = client.call("GET", f"/v1/runs/{run['id']}")
    started, finished = (datetime.fromisoformat(run[name]) for name in ("started_at", "finished_at"))
    return float((finished - started).total_seconds() / run["steps"])
