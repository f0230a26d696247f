"""Text: what is typed lands exactly, or is reported; keyboard and clipboard stay as they were."""

from __future__ import annotations

import time

from device.actions import ClearText, TypeText
from device.base import Answer
from device.errors import DeviceError, UnsupportedText
from evaluation.conformance.bench import Bench, nodes
from evaluation.conformance.check import Failed, Group, NotHere, expect

group = Group("text")
SAMPLES = {
    "plain words": "Display and brightness",
    "signs of the shell": "a'b\"c $(id) `id` ; & | > < \\ * ? ~ #",
    "percent": "100%s %d %%",
    "accents": "héllo Ünïcödé ñ",
    "Chinese": "你好，世界",
    "Arabic": "مرحبا بالعالم",
    "emoji": "👍🏽 👩🏽‍🚀 ❤️",
}


def _promise(kind: str, text: str) -> None:
    @group.check(f"{kind} land as they were typed")
    async def _lands(bench: Bench) -> str:
        return await _typed(bench, text)


async def _typed(bench: Bench, text: str) -> str:
    await bench.search_field()
    started = time.monotonic()
    try:
        outcome = await bench.device.act(TypeText(text))
    except UnsupportedText as error:
        raise NotHere(str(error)) from None
    bench.timings[f"type {len(text)} characters"] = time.monotonic() - started
    expect(outcome.sent is Answer.YES, f"not typed: {outcome.note}")
    shown = [one.text for one in nodes(await bench.device.observe()) if one.focused and "EditText" in one.cls]
    if shown != [text] and outcome.landed == shown[0] and outcome.note:
        return f"reported: {outcome.note}"
    expect(shown == [text], f"typed {text!r}, the field shows {shown}, the driver says {outcome.landed!r}")
    return f"{outcome.path}, {1000 * outcome.elapsed:.0f} ms"


for _kind, _text in SAMPLES.items():
    _promise(_kind, _text)


@group.check("replacing empties the field first, and clearing empties it")
async def _replace(bench: Bench) -> str:
    await bench.search_field()
    await bench.device.act(TypeText("first words"))
    await bench.device.act(TypeText("second", replace=True))
    shown = [one.text for one in nodes(await bench.device.observe()) if one.focused and "EditText" in one.cls]
    expect(shown == ["second"], f"the field shows {shown}")
    outcome = await bench.device.act(ClearText())
    expect(outcome.landed in ("", None), f"after clearing, the driver reads {outcome.landed!r}")
    return outcome.path


@group.check("what uiautomator2 reads in the field is what we typed")
async def _read_by_judge(bench: Bench) -> str:
    automator = await bench.automator()
    await bench.search_field()
    await bench.device.act(TypeText("seen by both"))
    theirs = await bench.judge(automator(focused=True).get_text)
    expect(theirs == "seen by both", f"uiautomator2 reads {theirs!r}")
    return str(theirs)


@group.check("what uiautomator2 types is what we read")
async def _typed_by_judge(bench: Bench) -> str:
    automator = await bench.automator()
    await bench.search_field()
    await bench.judge(automator(focused=True).set_text, "typed by the judge")
    shown = [one.text for one in nodes(await bench.device.observe()) if one.focused and "EditText" in one.cls]
    expect(shown == ["typed by the judge"], f"we read {shown}")
    return shown[0]


@group.check("typing leaves the clipboard as it was")
async def _clipboard(bench: Bench) -> str:
    automator = await bench.automator()
    await bench.search_field()
    await bench.judge(automator.set_clipboard, "copied before")
    await bench.device.act(TypeText("first"))
    await bench.device.act(TypeText(" and more"))
    kept = await bench.judge(lambda: automator.clipboard)
    if kept is None:
        raise NotHere("this phone lets nobody read its clipboard")
    expect(kept == "copied before", f"the clipboard holds {kept!r}")
    return str(kept)


@group.check("typing where no field has the focus is refused, and sends nothing")
async def _nowhere(bench: Bench) -> str:
    await bench.settings()
    try:
        outcome = await bench.device.act(TypeText("lost words"))
    except DeviceError as error:
        return f"{type(error).__name__}: {error}"
    raise Failed(f"it was typed somewhere: {outcome.path}")
