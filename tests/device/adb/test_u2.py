"""The client of the phone's automation server, against a phone whose answers are scripted."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import time
from collections.abc import AsyncIterator

import pytest

from device.adb.u2 import JAR, U2, focused, jar
from device.errors import (
    AutomationBusy,
    AutomationDied,
    BadFrame,
    CommandRefused,
    DeadlineExceeded,
    DeviceError,
    InjectionRefused,
    LinkLost,
)
from tests.device.adb.server import (
    APP_PROCESS,
    SERIAL,
    Automation,
    Drop,
    Hang,
    JavaError,
    Literal,
    Wire,
    healthy,
    said,
    shell,
    silent,
)

pytestmark = pytest.mark.anyio


@contextlib.asynccontextmanager
async def running(automation: Automation) -> AsyncIterator[U2]:
    async with healthy(automation).serving() as server:
        u2 = await U2.start(server.link(SERIAL))
        try:
            yield u2
        finally:
            await u2.close()


async def test_calls_share_one_connection_and_arrive_in_order() -> None:
    automation = Automation({"deviceInfo": {"sdkInt": 34}, "click": True})
    async with running(automation) as u2:
        connections = automation.connections
        assert await u2.call("deviceInfo") == {"sdkInt": 34}
        assert await u2.call("click", 1, 2) is True
        assert automation.connections == connections + 1
    assert automation.calls == [("deviceInfo", []), ("click", [1, 2])]


async def test_concurrent_calls_get_their_own_answers() -> None:
    automation = Automation({"getText": lambda params: params[0]})
    async with running(automation) as u2:
        answers = await asyncio.gather(*(u2.call("getText", number) for number in range(20)))
    assert answers == list(range(20))


@pytest.mark.parametrize(
    "error, kind",
    [
        (JavaError("java.lang.IllegalStateException", "UiAutomation not connected!"), AutomationDied),
        (JavaError("android.os.DeadObjectException"), AutomationDied),
        (JavaError("java.lang.SecurityException", "requires INJECT_EVENTS permission"), InjectionRefused),
        (JavaError("java.lang.StackOverflowError", "at a.b.c"), CommandRefused),
        (JavaError("method not found"), CommandRefused),
    ],
)
async def test_an_exception_on_the_phone_is_a_named_error(error: JavaError, kind: type[DeviceError]) -> None:
    async with running(Automation({"click": error})) as u2:
        with pytest.raises(kind) as caught:
            await u2.call("click", 1, 2)
    assert type(caught.value) is kind and caught.value.serial == SERIAL and error.message in str(caught.value)


async def test_a_missing_node_is_none() -> None:
    missing = JavaError("androidx.test.uiautomator.UiObjectNotFoundException", "UiSelector[FOCUSED=true]")
    async with running(Automation({"getText": missing, "objInfo": missing})) as u2:
        assert await u2.text(focused()) is None
        assert await u2.info(focused()) is None


async def test_a_hanging_call_ends_at_its_deadline_and_the_next_one_works() -> None:
    automation = Automation({"click": Hang(), "deviceInfo": {}})
    async with running(automation) as u2:
        started = time.monotonic()
        with pytest.raises(DeadlineExceeded) as caught:
            await u2.call("click", 1, 2, deadline=0.2)
        assert time.monotonic() - started < 1.0 and caught.value.serial == SERIAL
        assert await u2.call("deviceInfo") == {}
    assert len(automation.called("click")) == 1


async def test_a_dropped_call_is_a_lost_link_and_never_sent_again() -> None:
    automation = Automation({"click": Drop(), "deviceInfo": {}})
    handed_over: list[bool] = []
    async with running(automation) as u2:
        with pytest.raises(LinkLost) as caught:
            await u2.call("click", 1, 2, handed_over=lambda: handed_over.append(True))
        assert await u2.call("deviceInfo") == {}
    assert len(automation.called("click")) == 1 and handed_over == [True] and caught.value.serial == SERIAL


@pytest.mark.parametrize("body", [b"", b"no json", b"[]", b'"text"', b"\xff\xfe", b"[" * 20_000])
async def test_an_answer_that_is_no_json_rpc_is_refused_without_its_contents(body: bytes) -> None:
    async with running(Automation({"getText": Literal(body)})) as u2:
        with pytest.raises(CommandRefused, match="JSON-RPC"):
            await u2.call("getText")


async def test_a_cancelled_call_does_not_give_its_answer_to_the_next() -> None:
    automation = Automation({"getText": Hang(), "deviceInfo": {"mine": True}})
    async with running(automation) as u2:
        call = asyncio.create_task(u2.call("getText", deadline=5))
        await asyncio.sleep(0.05)
        call.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await call
        assert await u2.call("deviceInfo") == {"mine": True}


async def test_a_picture_comes_as_bytes_or_as_none_when_the_system_refuses() -> None:
    picture = base64.b64encode(b"\xff\xd8 picture").decode()
    async with running(Automation({"takeScreenshot": picture})) as u2:
        assert await u2.jpeg() == b"\xff\xd8 picture"
    async with running(Automation({"takeScreenshot": None})) as u2:
        assert await u2.jpeg() is None


@pytest.mark.parametrize("nonsense", ["a", 5, ["x"]])
async def test_a_picture_that_is_no_base64_is_a_bad_frame(nonsense: object) -> None:
    async with running(Automation({"takeScreenshot": nonsense})) as u2:
        with pytest.raises(BadFrame):
            await u2.jpeg()


# Starting and ending


async def test_the_jar_is_pushed_only_when_the_phone_has_another() -> None:
    stage = healthy(Automation())
    async with stage.serving() as server:
        await (await U2.start(server.link(SERIAL))).close()
    assert "sync:" in stage.asked
    digest = hashlib.md5(jar(), usedforsecurity=False).hexdigest()
    stage = healthy(Automation())
    stage.phone["shell,v2,raw:toybox md5sum"] = shell(f"{digest}  {JAR}\n")
    async with stage.serving() as server:
        await (await U2.start(server.link(SERIAL))).close()
    assert "sync:" not in stage.asked


async def test_a_taken_automation_is_busy_with_advice() -> None:
    async with healthy(None).serving() as server:
        with pytest.raises(AutomationBusy) as caught:
            await U2.start(server.link(SERIAL))
    assert caught.value.serial == SERIAL and caught.value.advice


async def test_a_server_that_ends_at_once_has_died_with_its_last_words() -> None:
    stage = healthy(None)
    stage.phone[APP_PROCESS] = said(b"OKAYAborted: cannot find class\n")
    async with stage.serving() as server:
        with pytest.raises(AutomationDied, match="cannot find class") as caught:
            await U2.start(server.link(SERIAL))
    assert caught.value.serial == SERIAL


async def test_a_server_that_stays_silent_has_died_at_the_deadline() -> None:
    stage = healthy(None)
    stage.phone[APP_PROCESS] = silent(b"OKAY")
    async with stage.serving() as server:
        started = time.monotonic()
        with pytest.raises(AutomationDied, match="did not answer"):
            await U2.start(server.link(SERIAL), 0.4)
    assert time.monotonic() - started < 2.0


async def test_closing_ends_the_process_on_the_phone() -> None:
    automation = Automation()
    async with healthy(automation).serving() as server:
        u2 = await U2.start(server.link(SERIAL))
        assert (automation.listening, u2.alive) == (True, True)
        await u2.close()
        for _ in range(100):
            if not automation.listening:
                break
            await asyncio.sleep(0.01)
        assert (automation.listening, u2.alive) == (False, False)
        with pytest.raises(AutomationDied):
            await u2.call("deviceInfo")


async def test_a_cancelled_start_leaves_no_process_on_the_phone() -> None:
    started, ended = asyncio.Event(), asyncio.Event()
    stage = healthy(None)

    async def mute(wire: Wire) -> None:
        await wire.say(b"OKAY")
        started.set()
        await wire.reader.read()
        ended.set()

    stage.phone[APP_PROCESS] = mute
    async with stage.serving() as server:
        start = asyncio.create_task(U2.start(server.link(SERIAL)))
        await asyncio.wait_for(started.wait(), 5)
        start.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await start
        await asyncio.wait_for(ended.wait(), 2)
