"""Apps: opened by package or by name, confirmed in the foreground, or refused with a reason."""

from __future__ import annotations

import time

from device.actions import OpenApp
from device.base import Answer
from device.errors import AppNotFound
from evaluation.conformance.bench import SETTINGS, Bench
from evaluation.conformance.check import Failed, Group, expect

group = Group("apps")


@group.check("an app is opened by its package")
async def _package(bench: Bench) -> str:
    await bench.home()
    started = time.monotonic()
    outcome = await bench.device.act(OpenApp(SETTINGS))
    bench.timings["open Settings"] = time.monotonic() - started
    front = (await bench.device.observe()).foreground
    expect(outcome.sent is Answer.YES and front.package == SETTINGS, f"{front} is in front: {outcome.note}")
    return f"{outcome.elapsed:.1f} s"


@group.check("an app is opened by the name that people see")
async def _name(bench: Bench) -> str:
    await bench.home()
    await bench.device.act(OpenApp("Settings"))
    front = (await bench.device.observe()).foreground
    expect(front.package == SETTINGS, f"{front} is in front")
    return front.package


@group.check("an app that is in front already stays there")
async def _again(bench: Bench) -> str:
    await bench.settings()
    outcome = await bench.device.act(OpenApp(SETTINGS))
    front = (await bench.device.observe()).foreground
    expect(front.package == SETTINGS, f"{front} is in front")
    return str(outcome.changed)


@group.check("an app that is not installed is refused, and nothing is started")
async def _missing(bench: Bench) -> str:
    before = (await bench.home()).foreground
    try:
        await bench.device.act(OpenApp("org.example.no.such.app"))
    except AppNotFound as error:
        expect((await bench.device.observe()).foreground == before, "something was started all the same")
        return error.advice
    raise Failed("an app that is not there was opened")
