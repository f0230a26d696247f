"""The owner's accessibility services are compared before and after every run."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from pathlib import Path

import pytest
import structlog
from structlog.testing import capture_logs

from agent_server.runs.model import RunState
from device.base import DeviceInfo
from tests.agent_server.phone import GraphPhone
from tests.agent_server.stage import Stage, stage

pytestmark = pytest.mark.anyio

READER, SWITCHES = "a.b/a.b.Reader", "c.d/c.d.Switches"


class OwnersPhone(GraphPhone):
    """A phone whose owner uses services; `now` is what is on at each time it is asked, the last for ever."""

    def __init__(self, *now: tuple[str, ...]) -> None:
        super().__init__()
        self.now = list(now)
        self.asked = 0

    async def describe(self) -> DeviceInfo:
        self.asked += 1
        services = self.now.pop(0) if len(self.now) > 1 else self.now[0]
        return replace(await super().describe(), accessibility_services=services)


async def ended(bench: Stage, phone: OwnersPhone, asked: int) -> None:
    """Wait for the end of a run and for the comparison that follows it."""
    run_id = await bench.start("Contacts")
    assert (await bench.ended(run_id)).state is RunState.SUCCEEDED
    async with asyncio.timeout(5):
        while phone.asked < asked:  # noqa: ASYNC110 - what is waited for rings no bell
            await asyncio.sleep(0.01)
    await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("after", "gone"), [((READER, SWITCHES), []), ((SWITCHES, READER, "e.f/e.f.New"), []), ((SWITCHES,), [READER])]
)
async def test_services_that_are_off_after_a_run_and_were_on_before_it_are_reported(
    tmp_path: Path, after: tuple[str, ...], gone: list[str]
) -> None:
    before = (READER, SWITCHES)
    phone = OwnersPhone(before, before, after)
    async with stage(tmp_path, phone) as bench:
        wrapper = structlog.get_config()["wrapper_class"]
        structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.INFO))
        try:
            with capture_logs() as logs:
                await ended(bench, phone, 3)
        finally:
            structlog.configure(wrapper_class=wrapper)
    found = [one for one in logs if one["event"] == "accessibility services are off"]
    assert [one["services"] for one in found] == ([gone] if gone else [])
