"""The suite that anyone can run on a real phone, run on the virtual one; and proof that it can fail."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from typer.testing import CliRunner

from device.adb.client import AdbServer
from evaluation.conformance.bench import Bench, opened
from evaluation.conformance.check import Check
from evaluation.conformance.command import group
from evaluation.conformance.runner import Result, Verdict, carry_out, chosen, judged
from tests.lab import Lab, Phone

# The libraries leave the socket of each call to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
EVERY = chosen(destructive=True)
NOT_ON_THIS_PHONE: dict[str, str] = {}
"""Checks that the virtual phone gives nothing to look at for, by name, with the reason that must be told."""


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lab, Phone]]:
    lab = Lab(tmp_path_factory.mktemp("any"))
    with lab.adb_server(), lab.phone() as phone:
        yield lab, phone


@pytest.fixture(scope="module")
def bench(wire: tuple[Lab, Phone]) -> Iterator[tuple[asyncio.Runner, Bench]]:
    lab, phone = wire
    with asyncio.Runner() as runner:
        context = opened(AdbServer("127.0.0.1", lab.adb_port), phone.serial)
        yield runner, runner.run(context.__aenter__())
        runner.run(context.__aexit__(None, None, None))


@pytest.mark.parametrize("check", EVERY, ids=lambda check: check.name)
def test_the_virtual_phone_conforms(bench: tuple[asyncio.Runner, Bench], check: Check) -> None:
    runner, phone = bench
    result = runner.run(judged(phone, check))
    wanted = Verdict.SKIPPED if check.name in NOT_ON_THIS_PHONE else Verdict.PASSED
    assert result.verdict is wanted, result
    assert NOT_ON_THIS_PHONE.get(check.name, "") in result.detail


def test_a_phone_that_cannot_be_touched_does_not_conform(
    wire: tuple[Lab, Phone], bench: tuple[asyncio.Runner, Bench]
) -> None:
    runner, phone = bench
    wire[1].ask("POST", "/faults", json={"refuse_injection": True})
    try:
        tap = next(one for one in EVERY if one.promise.startswith("a tap opens"))
        result = runner.run(judged(phone, tap))
    finally:
        wire[1].ask("POST", "/faults", json={"refuse_injection": False})
    assert result.verdict is Verdict.FAILED
    assert result.detail.startswith("InjectionRefused")


def test_a_setting_that_a_check_leaves_changed_is_found(bench: tuple[asyncio.Runner, Bench]) -> None:
    async def turn(bench: Bench) -> str:
        await bench.link.shell(["settings", "put", "system", "user_rotation", "3"])
        return "turned"

    runner, phone = bench
    told: list[Result] = []
    try:
        report = runner.run(carry_out(phone, [Check("mean", "turns the screen", turn)], told.append))
    finally:
        runner.run(phone.link.shell(["settings", "put", "system", "user_rotation", "0"]))
    assert [one.verdict for one in told] == [Verdict.PASSED]
    assert not report.conforms and report.disturbed == ("user_rotation: 0 is now 3",)


def test_the_command_prints_a_line_per_check_and_writes_the_report(wire: tuple[Lab, Phone]) -> None:
    lab, phone = wire
    path = lab.folder / "report.json"
    command = [sys.executable, "-m", "agent_server", "conformance", "--serial", phone.serial, "--only", "apps"]
    done = subprocess.run(
        [*command, "--report", str(path)], env={**os.environ, **lab.env}, capture_output=True, text=True, timeout=90
    )
    report = json.loads(path.read_text())
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("ok    apps:") == len(report["results"]) == 4
    assert report["conforms"] and report["phone"]["virtual"] and report["timings"]["open Settings"] > 0


def test_a_group_that_is_none_is_named_with_the_known_ones() -> None:
    done = CliRunner().invoke(group, ["--serial", "x", "--only", "speed"])
    assert done.exit_code == 2
    assert "'speed'" in done.output or "no group speed" in done.output
    assert "link, looking, acting, text, apps, safety" in done.output


def test_what_changes_the_phone_is_left_out_unless_asked_for() -> None:
    gentle = chosen()
    assert {one.destructive for one in gentle} == {False}
    assert len(gentle) < len(EVERY)
