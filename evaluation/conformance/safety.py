"""Safety: nothing that is typed, opened or named runs as a command on the phone; nothing is disturbed."""

from __future__ import annotations

import asyncio
import contextlib

from device.actions import OpenApp, TypeText
from device.errors import DeviceError
from evaluation.conformance.bench import FOLDER, Bench
from evaluation.conformance.check import Group, expect

group = Group("safety")
CANARY = f"{FOLDER}-canary"
ATTACKS = (
    f"$(touch {CANARY})",
    f"`touch {CANARY}`",
    f"x; touch {CANARY}",
    f"x' ; touch {CANARY} ; '",
    f"x\n touch {CANARY}",
)


async def _untouched(bench: Bench, by: str) -> None:
    found = await bench.link.shell(["ls", CANARY])
    if found.code == 0:
        await bench.link.shell(["rm", "-f", CANARY])
    expect(found.code != 0, f"{by} ran a command on the phone")


@group.check("typed text never runs a command")
async def _typed(bench: Bench) -> str:
    await bench.search_field()
    for text in ATTACKS:
        try:
            await bench.device.act(TypeText(text, replace=True))
        except DeviceError:
            continue  # refused is as good
        finally:
            await _untouched(bench, repr(text))
    return f"{len(ATTACKS)} texts"


@group.check("names of apps never run a command")
async def _opened(bench: Bench) -> str:
    for name in ATTACKS:
        with contextlib.suppress(DeviceError):  # refused is as good
            await bench.device.act(OpenApp(name))
        await _untouched(bench, repr(name))
    return f"{len(ATTACKS)} names"


@group.check("names of files never run a command")
async def _file(bench: Bench) -> str:
    for number, name in enumerate(ATTACKS):
        path = f"{FOLDER}-{number} {name.replace('/', '_')}"
        with contextlib.suppress(DeviceError):
            await bench.link.push(b"x", path)
            await bench.link.shell(["rm", "-f", path])
        await _untouched(bench, repr(path))
    return f"{len(ATTACKS)} names"


@group.check("people who watch do not keep the agent from acting")
async def _watched(bench: Bench) -> str:
    view = await bench.home()
    looks = [asyncio.create_task(bench.link.exec(["screencap"], 30)) for _ in range(2)]
    again = await bench.device.observe()
    await asyncio.gather(*looks)
    expect(again.frame.size == view.frame.size, "the look failed beside two watchers")
    return "2 watchers"


@group.check("after uiautomator2's server was ended by somebody else, looking works again")
async def _server_ended(bench: Bench) -> str:
    await bench.automator()
    await bench.end_automator()
    view = await bench.home()
    return view.tree_reason or "tree read"
