"""Strings from outside are words, never commands: nothing that is typed, opened or named runs on the phone.

What a command would have done is looked for by the unmodified adb program.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from device.actions import OpenApp, TypeText
from device.adb.device import AdbDevice
from device.errors import AppAmbiguous, AppNotFound, DeviceError, UnsupportedText
from tests.device.adb.phone_bench import TALKBACK, Bench, open_editor
from tests.lab import Lab

FOLDER = "/data/local/tmp"
CANARY = f"{FOLDER}/canary"
TOUCH = f"touch {CANARY}"
TRICKS = [
    f"; {TOUCH}",
    f"& {TOUCH} &",
    f"&& {TOUCH}",
    f"|| {TOUCH}",
    f"| {TOUCH}",
    f"$({TOUCH})",
    f"`{TOUCH}`",
    f"\n{TOUCH}\n",
    f"'; {TOUCH}; '",
    f'"; {TOUCH}; "',
    f"\\'; {TOUCH} #",
    f"$'\\n{TOUCH}'",
    f"> {CANARY}",
    f"-n x; {TOUCH}",
    f"\x00; {TOUCH}",
]
strings = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
hostile = st.builds("{}{}{}".format, strings, st.sampled_from(TRICKS), strings) | strings
CHECKED = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)

Run = Callable[[Coroutine[Any, Any, None]], None]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    lab = Lab(tmp_path_factory.mktemp("safety"))
    with lab.adb_server(), lab.phone() as phone:
        yield Bench(lab, phone)


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as one:
        yield one


@pytest.fixture(scope="module")
def typist(bench: Bench, runner: asyncio.Runner) -> Iterator[AdbDevice]:
    """A driver whose phone shows a field that has the focus."""
    stack = contextlib.AsyncExitStack()

    async def enter() -> AdbDevice:
        device = await stack.enter_async_context(bench.opened())
        await open_editor(device)
        return device

    yield runner.run(enter())
    runner.run(stack.aclose())


def files(bench: Bench) -> set[str]:
    """What lies in the folder, as the unmodified adb program lists it."""
    listed = bench.lab.adb("-s", bench.phone.serial, "shell", "ls", "-a", FOLDER)
    return set(listed.stdout.decode(errors="replace").split("\n"))


def test_the_canary_would_be_seen(bench: Bench) -> None:
    bench.lab.adb("-s", bench.phone.serial, "shell", TOUCH)
    assert "canary" in files(bench)
    bench.lab.adb("-s", bench.phone.serial, "shell", f"rm {CANARY}")
    assert "canary" not in files(bench)


@CHECKED
@given(text=hostile)
def test_typed_text_runs_no_command(bench: Bench, typist: AdbDevice, runner: asyncio.Runner, text: str) -> None:
    with contextlib.suppress(UnsupportedText):
        runner.run(typist.act(TypeText(text, replace=True)))
    assert "canary" not in files(bench)


@CHECKED
@given(name=hostile | hostile.map(lambda text: f"com.android.settings{text}"))
def test_the_name_of_an_app_runs_no_command(bench: Bench, typist: AdbDevice, runner: asyncio.Runner, name: str) -> None:
    with contextlib.suppress(AppNotFound, AppAmbiguous):
        runner.run(typist.act(OpenApp(name)))
    assert "canary" not in files(bench)


@CHECKED
@given(word=hostile)
def test_a_url_and_any_other_word_of_a_command_runs_no_command(bench: Bench, runner: asyncio.Runner, word: str) -> None:
    link = bench.server.link(bench.phone.serial)
    for argv in (
        ["am", "start", "-a", "android.intent.action.VIEW", "-d", f"https://example.org/{word}"],
        ["settings", "get", "secure", word],
        ["input", "text", word],
        ["pm", "uninstall", word],
    ):
        with contextlib.suppress(DeviceError, ValueError):
            runner.run(link.shell(argv))
    assert "canary" not in files(bench)


@CHECKED
@given(name=hostile.map(lambda text: text.replace("/", "_").replace("\0", "")).filter(lambda text: len(text) > 2))
def test_the_name_of_a_file_runs_no_command(bench: Bench, runner: asyncio.Runner, name: str) -> None:
    link = bench.server.link(bench.phone.serial)
    path = f"{FOLDER}/{name}"

    async def carry() -> None:
        with contextlib.suppress(DeviceError):
            await link.push(b"x", path)
            await link.stat(path)
            await link.pull(path)
        await link.shell(["rm", "-f", "--", path])

    runner.run(carry())
    assert "canary" not in files(bench)


def test_text_through_input_runs_no_command(bench: Bench, runner: asyncio.Runner) -> None:
    """The way without the phone's server, where text stands on a command line."""

    async def type_all() -> None:
        async with bench.opened() as device:
            await open_editor(device)
        bench.do("enable_accessibility_service", id=TALKBACK)
        async with bench.opened() as device:
            for trick in TRICKS:
                with contextlib.suppress(UnsupportedText):
                    await device.act(TypeText(trick))

    runner.run(type_all())
    assert "canary" not in files(bench)
