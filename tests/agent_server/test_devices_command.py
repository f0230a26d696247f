"""`tapwright devices` as a person types it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent_server.cli import app
from tests.device.adb.server import Answer, Stage, okay
from tests.device.adb.test_emulator import OPEN, Emulator

LISTED = "R58M123 device product:x model:Galaxy_A52 device:a52 transport_id:1\n"


@contextmanager
def served(stage: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """An adb server with these answers, at the port that commands take from the environment."""
    loop, begun, end = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    ports: list[int] = []

    async def live() -> None:
        async with stage.serving() as server:
            ports.append(server.port)
            begun.set()
            await end.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(live()), daemon=True)
    thread.start()
    assert begun.wait(5)
    monkeypatch.setenv("TAPWRIGHT_ADB_PORT", str(ports[0]))
    monkeypatch.setenv("TAPWRIGHT_DATA_DIR", str(tmp_path))
    yield
    loop.call_soon_threadsafe(end.set)
    thread.join(5)
    loop.close()


def adb(**more: Answer) -> Stage:
    services = {f"host:{name.replace('_', '-')}:": answer for name, answer in more.items()}
    return Stage(host={"host:version": okay("0029"), "host:devices-l": okay(LISTED), **services})


def test_without_a_verb_the_phones_are_listed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with served(adb(), monkeypatch, tmp_path):
        done = CliRunner().invoke(app, ["devices"])
    assert (done.exit_code, done.output) == (0, "R58M123\tdevice\tGalaxy A52\n")


def test_an_emulator_is_listed_with_the_name_of_its_avd(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async def console() -> str:
        async with Emulator(greeting=OPEN).running() as serial:
            stage = Stage(host={"host:version": okay("0029"), "host:devices-l": okay(f"{serial} device\n")})
            with served(stage, monkeypatch, tmp_path):
                done = await asyncio.to_thread(CliRunner().invoke, app, ["devices"])
            return done.output

    assert asyncio.run(console()).endswith("\tdevice\tAVD Pixel_8_API_35\n")


def test_a_pairing_says_what_comes_next(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stage = adb(pair=okay("Successfully paired to 10.0.0.7:37123 [guid=adb-1]"))
    with served(stage, monkeypatch, tmp_path):
        done = CliRunner().invoke(app, ["devices", "pair", "10.0.0.7:37123"], input="482913\n")
    assert done.exit_code == 0
    assert "Successfully paired" in done.output and "tapwright devices connect" in done.output
    assert "482913" not in done.output
    assert "host:pair:482913:10.0.0.7:37123" in stage.asked


def test_a_bad_address_is_named_with_an_example(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with served(adb(), monkeypatch, tmp_path):
        done = CliRunner().invoke(app, ["devices", "connect", "10.0.0.7"])
    assert done.exit_code == 1
    assert "'10.0.0.7'" in done.output and "HOST:PORT" in done.output


def test_a_phone_that_is_no_emulator_cannot_be_stopped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["devices", "stop", "R58M123"])
    assert done.exit_code == 1
    assert "is no emulator" in done.output
