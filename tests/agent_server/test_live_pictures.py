from __future__ import annotations

import asyncio
import contextlib
import hashlib
import itertools
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from agent_server.api.live import HEADER
from agent_server.live import (
    SHORT_SIDE,
    WATCHERS,
    WATCHERS_PER_PHONE,
    Crowded,
    Live,
    Work,
    private_boxes,
    shot_bytes,
)
from device.clock import SystemClock
from device.errors import LinkLost
from device.frame import Frame
from device.geometry import Box, Size
from tests.agent_server.phone import GRAPH, SIZE, GraphCamera, GraphPhone, Spot
from tests.agent_server.stage import TOKEN
from tests.agent_server.wire import AUTH, Served, served

pytestmark = pytest.mark.anyio


def watch(api: Served, serial: str = "test-1", **headers: str) -> connect:
    """A watcher with the token, unless it brings headers of its own."""
    address = api.url.replace("http", "ws") + f"/v1/devices/{serial}/live"
    return connect(address, additional_headers=headers or AUTH, proxy=None)


async def pull(socket: ClientConnection, seconds: float = 5) -> tuple[tuple[int, ...], np.ndarray[Any, Any]]:
    """Ask for one picture; its header and its pixels."""
    await socket.send("next")
    message = await asyncio.wait_for(socket.recv(), seconds)
    assert isinstance(message, bytes)
    pixels = cv2.imdecode(np.frombuffer(message[32:], np.uint8), cv2.IMREAD_COLOR)
    assert pixels is not None
    return HEADER.unpack(message[:32]), pixels


async def until(condition: Any, seconds: float = 5) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - what is waited for rings no bell
            await asyncio.sleep(0.01)


async def test_a_picture_has_a_header_that_says_what_it_shows(tmp_path: Path) -> None:
    async with served(tmp_path) as api, watch(api) as socket:
        (version, rotation, width, height, zero, seq, step, taken, device), pixels = await pull(socket)
        assert HEADER.size == 32 and (version, rotation, zero, seq, step) == (1, 0, 0, 1, 0)
        assert (width, height) == (540, 1200) and pixels.shape == (1200, 540, 3)
        assert taken == 1767225600000
        assert device == int.from_bytes(hashlib.sha256(b"test-1").digest()[:8], "little")


async def test_a_screen_that_stands_still_is_sent_once_and_a_change_arrives_by_itself(tmp_path: Path) -> None:
    async with served(tmp_path) as api, watch(api) as socket:
        first, _ = await pull(socket)
        await socket.send("next")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(socket.recv(), 0.5)
        api.bench.phone.here = "settings"
        message = await asyncio.wait_for(socket.recv(), 2)
        assert isinstance(message, bytes) and HEADER.unpack(message[:32])[5] == first[5] + 1


async def test_nothing_is_captured_without_a_credit_and_the_camera_ends_with_the_last_watcher(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        async with watch(api) as socket:
            await asyncio.sleep(0.3)
            assert api.bench.shelf.cameras == [], "nobody has asked for a picture"
            await pull(socket)
            (camera,) = api.bench.shelf.cameras
            taken = camera.taken
            await asyncio.sleep(0.4)
            assert camera.taken <= taken + 1, "no credit, no capture"
        await until(lambda: camera.closed)


class Moving:
    """A camera whose every picture differs; it counts them."""

    size = Size(540, 1200)

    def __init__(self) -> None:
        self.count = 0
        self.closed = False
        noise = np.random.default_rng(1).integers(0, 255, (30, 14, 3), dtype=np.uint8)
        base = cv2.resize(noise, (540, 1200), interpolation=cv2.INTER_CUBIC)
        self.frames = [cv2.imencode(".jpg", np.roll(base, 20 * i, axis=0))[1].tobytes() for i in range(60)]

    async def frame(self, short_side: int) -> Frame:
        self.count += 1
        return Frame(self.frames[self.count % 60], "image/jpeg", self.size, 0, SystemClock().now())

    async def tree(self) -> str | None:
        return None

    async def close(self) -> None:
        self.closed = True


async def test_two_watchers_share_one_capture_and_a_slow_one_gets_the_newest() -> None:
    cameras: list[Moving] = []

    async def open(serial: str) -> Moving:
        cameras.append(Moving())
        return cameras[-1]

    live = Live(open, lambda serial: Work(), SystemClock())
    async with live.watching("a") as quick, live.watching("a") as slow:
        assert quick is slow
        old = await slow.next(0)
        seen = 0
        for _ in range(12):
            seen = (await quick.next(seen)).seq
        newest = await slow.next(old.seq)
        assert newest.seq >= seen, "the pictures between are skipped"
        assert len(cameras) == 1 and cameras[0].count <= newest.seq + 1
    assert live.watched == () and cameras[0].closed


async def test_thirty_pictures_a_second_at_540_pixels_over_a_socket(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        moving = Moving()

        async def camera(info: object) -> Moving:
            return moving

        api.bench.shelf.camera = camera  # type: ignore[method-assign, assignment]
        async with watch(api) as socket:
            await socket.send("next")
            await socket.recv()
            started, pictures = time.perf_counter(), 0
            while time.perf_counter() - started < 2:
                await socket.send("next")
                await socket.recv()
                pictures += 1
        fps = pictures / 2
        print(f"\nlive pictures: {fps:.1f} fps at 540x1200 on loopback, {len(moving.frames[0]) // 1024} KiB each")
        assert fps > 15, "a loaded machine may be slower than 30, not by half"


async def test_a_viewer_that_does_not_pull_never_slows_the_agent(tmp_path: Path) -> None:
    """The run with idle viewers sends the phone the very same calls, and no picture is taken for them."""
    async with served(tmp_path) as api:
        seconds: list[float] = []
        for viewers in (0, 8):
            async with Viewers(api, viewers) as sockets:
                for socket in sockets:
                    await pull(socket)
                taken = sum(camera.taken for camera in api.bench.shelf.cameras)
                api.bench.phone.here, looks = "home", api.bench.phone.looks
                started = time.perf_counter()
                run_id = (await api.post_run("Settings", "Display", "Dark theme")).json()["id"]
                await api.bench.ended(run_id)
                seconds.append(time.perf_counter() - started)
                assert api.bench.phone.looks - looks == 4
                # One look may have been on its way when the run began.
                assert sum(camera.taken for camera in api.bench.shelf.cameras) <= taken + 1
        print(f"\nrun of 4 steps: {seconds[0]:.2f} s alone, {seconds[1]:.2f} s with 8 viewers that do not pull")


class Viewers:
    """So many open watchers."""

    def __init__(self, api: Served, count: int) -> None:
        self.pending = [watch(api) for _ in range(count)]

    async def __aenter__(self) -> list[ClientConnection]:
        self.open = [await one for one in self.pending]
        return self.open

    async def __aexit__(self, *error: object) -> None:
        for socket in self.open:
            await socket.close()


async def test_a_viewer_that_asks_but_never_reads_is_not_waited_for(tmp_path: Path) -> None:
    async with served(tmp_path) as api, watch(api) as deaf, watch(api) as other:
        for _ in range(500):
            await deaf.send("next")
        # The other viewer and a run go on meanwhile.
        await pull(other)
        run_id = (await api.post_run("Settings")).json()["id"]
        assert (await api.bench.ended(run_id)).outcome.code == "complete"
        (camera,) = api.bench.shelf.cameras
        assert camera.taken < 60


async def test_the_step_of_the_run_at_work_stands_in_the_header(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        gate = api.bench.phone.hold("act")
        run_id = (await api.post_run("Settings")).json()["id"]
        await api.bench.phone.entered["act"].wait()
        async with watch(api) as socket:
            head, _ = await pull(socket)
            assert head[6] == 1
        gate.set()
        await api.bench.ended(run_id)


async def test_password_boxes_are_painted_over_in_the_live_picture(tmp_path: Path) -> None:
    spots = {**GRAPH, "home": (Spot("", field=True, password=True, hint="Secret word"),)}
    async with served(tmp_path, GraphPhone(graph=spots)) as api, watch(api) as socket:
        _, pixels = await pull(socket)
        inside = pixels[140:200, 60:480]
        assert np.abs(inside.astype(int) - 96).max() < 12, "grey, and nothing else"


async def test_the_agents_own_look_covers_passwords_while_it_works(tmp_path: Path) -> None:
    spots = {**GRAPH, "home": (Spot("", field=True, password=True, hint="Secret word"), Spot("Go on", to="settings"))}
    async with served(tmp_path, GraphPhone(graph=spots)) as api:
        gate = api.bench.phone.hold("act")
        run_id = (await api.post_run("Go on")).json()["id"]
        await api.bench.phone.entered["act"].wait()
        async with watch(api) as socket:
            _, pixels = await pull(socket)
            assert np.abs(pixels[140:200, 60:480].astype(int) - 96).max() < 12
        gate.set()
        await api.bench.ended(run_id)


def test_password_boxes_come_from_the_tree_in_fractions_of_the_upright_screen() -> None:
    phone = GraphPhone(here="login")
    (box,) = private_boxes(phone.dump(), SIZE)
    assert box.to_pixel(SIZE) == (40, 120, 500, 220)
    assert private_boxes("<hierarchy", SIZE) == () and private_boxes("", SIZE) == ()


def test_a_large_raw_frame_is_made_smaller_with_its_shape_kept() -> None:
    raw = Frame(bytes(1080 * 2400 * 4), "image/x-rgba", Size(1080, 2400), 0, SystemClock().now())
    data, size = shot_bytes(raw, (Box(0, 0, 0.5, 0.5),))
    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert pixels is not None and size == Size(SHORT_SIDE, 1200) and pixels.shape == (1200, 540, 3)
    assert pixels[100, 100].min() > 85 and pixels[900, 400].max() < 10


# Who may watch


async def refused(api: Served, status: int, code: str, **headers: str) -> None:
    with pytest.raises(InvalidStatus) as caught:
        async with watch(api, **headers):
            pass
    response = caught.value.response
    assert response.status_code == status and f'"code":"{code}"'.encode() in (response.body or b"")


async def test_nobody_watches_without_token_or_cookie(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        await refused(api, 401, "unauthorized", Origin=api.url)
        await refused(api, 401, "unauthorized", Authorization="Bearer wrong-token-wrong")


async def test_a_foreign_page_may_not_watch_even_with_the_cookie(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        access = api.bench.wired.access
        cookie = f"{access.cookie}={access.new_session()}"
        for origin in ("https://evil.example", "http://127.0.0.1:1", "null"):
            await refused(api, 403, "foreign-origin", Cookie=cookie, Origin=origin)
        await refused(api, 403, "foreign-origin", Cookie=cookie)
        async with watch(api, Cookie=cookie, Origin=api.url) as socket:
            await pull(socket)


async def test_a_foreign_host_name_is_misdirected_for_sockets_too(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        port = api.url.rpartition(":")[2]
        reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
        writer.write(
            f"GET /v1/devices/test-1/live HTTP/1.1\r\nHost: evil.example:{port}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            f"Authorization: Bearer {TOKEN}\r\n\r\n".encode()
        )
        assert b" 421 " in await asyncio.wait_for(reader.readline(), 5)
        writer.close()


# How it ends


async def closing(socket: ClientConnection) -> tuple[int, str]:
    with pytest.raises(ConnectionClosed):
        for _ in itertools.count():
            await asyncio.wait_for(socket.recv(), 5)
    return socket.close_code or 0, socket.close_reason or ""


async def test_an_unknown_phone_is_named_in_the_closing_reason(tmp_path: Path) -> None:
    async with served(tmp_path) as api, watch(api, "nobody") as socket:
        code, reason = await closing(socket)
        assert code == 4000 and "nobody" in reason


async def test_a_phone_that_leaves_ends_the_picture_with_its_reason_and_one_that_is_back_shows_again(
    tmp_path: Path,
) -> None:
    async with served(tmp_path) as api:
        async with watch(api) as socket:
            await pull(socket)
            camera: GraphCamera = api.bench.shelf.cameras[0]
            camera.fault = LinkLost("the cable is out", serial="test-1")
            await socket.send("next")
            assert await closing(socket) == (4000, "the cable is out")
            await until(lambda: camera.closed)
        async with watch(api) as socket:
            await pull(socket)


async def test_words_that_are_no_credit_are_refused(tmp_path: Path) -> None:
    async with served(tmp_path) as api, watch(api) as socket:
        await socket.send("more please")
        assert (await closing(socket))[0] == 1008


async def test_the_servers_end_lets_viewers_go(tmp_path: Path) -> None:
    async with served(tmp_path) as api:
        socket = await watch(api)
        await pull(socket)
        await socket.send("next")
        started = time.monotonic()
        api.server.should_exit = True
        assert (await closing(socket))[0] in (1001, 1012)
        assert time.monotonic() - started < 2.5


async def test_one_watcher_too_many_of_a_phone_is_told_so_and_gets_the_place_that_becomes_free(tmp_path: Path) -> None:
    async with served(tmp_path) as api, contextlib.AsyncExitStack() as stack:
        for _ in range(WATCHERS_PER_PHONE):
            await pull(await stack.enter_async_context(watch(api)))
        refusal = await sent_away(api)
        assert refusal.startswith(f"4001 {WATCHERS_PER_PHONE} watch this phone already, and no more may.")
        await stack.aclose()
        async with asyncio.timeout(5):
            while await sent_away(api):  # the server hears of a closed socket a moment later
                pass


async def sent_away(api: Served) -> str:
    """Code and reason with which one more watcher is sent away; empty when it gets a picture."""
    async with watch(api) as socket:
        try:
            await pull(socket)
        except ConnectionClosed as closed:
            assert closed.rcvd is not None
            return f"{closed.rcvd.code} {closed.rcvd.reason}"
    return ""


async def test_watchers_of_all_phones_together_are_bounded() -> None:
    async def open(serial: str) -> GraphCamera:
        return GraphCamera(GraphPhone(serial))

    live = Live(open, lambda serial: Work(), SystemClock())
    async with contextlib.AsyncExitStack() as stack:
        for n in range(WATCHERS):
            await stack.enter_async_context(live.watching(f"phone {n // WATCHERS_PER_PHONE}"))
        with pytest.raises(Crowded, match=f"{WATCHERS} watch phones of this server"):
            await stack.enter_async_context(live.watching("another phone"))
    assert live.watched == ()
