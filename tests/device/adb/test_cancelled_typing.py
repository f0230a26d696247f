"""A typing act that is cancelled in the middle: the owner's clipboard comes back, and nothing is sent twice."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from device.adb.typing import Typist
from device.adb.u2 import U2
from device.clock import SystemClock
from tests.device.adb.server import SERIAL, Automation, Hang, healthy

pytestmark = pytest.mark.anyio

DUMP = '<hierarchy><node class="android.widget.EditText" text="old" hint="Name" focused="true" /></hierarchy>'


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("where", ["setClipboard", "pasteClipboard"])
async def test_the_clipboard_comes_back_however_often_typing_is_cancelled(where: str, times: int) -> None:
    waiting, restored = asyncio.Event(), asyncio.Event()

    def copied(params: list[str]) -> object:
        if params[1] == "kept":
            restored.set()
        elif where == "setClipboard":
            waiting.set()
            return Hang()
        return None

    def pasted(params: list[str]) -> object:
        waiting.set()
        return Hang()

    automation = Automation(
        {"dumpWindowHierarchy": DUMP, "getClipboard": "kept", "setClipboard": copied, "pasteClipboard": pasted}
    )
    async with healthy(automation).serving() as server:
        link = server.link(SERIAL)
        u2 = await U2.start(link)
        typist = Typist(link, SystemClock(), use_tree=True)
        act = asyncio.create_task(typist.type("secret", False, u2, lambda: None))
        await asyncio.wait_for(waiting.wait(), 5)
        for _ in range(times):
            act.cancel()
            await asyncio.sleep(0)
        with contextlib.suppress(asyncio.CancelledError):
            await act
        await asyncio.wait_for(restored.wait(), 5)
        # The next call waits for its turn, so the restoring call has ended.
        assert await u2.call("getClipboard") == "kept"
        await u2.close()
    assert [params[1] for params in automation.called("setClipboard")] == ["secret", "kept"]
    assert len(automation.called("pasteClipboard")) == (1 if where == "pasteClipboard" else 0)
    assert not automation.called("setText")
