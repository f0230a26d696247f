"""`python -m device.virtual` as a program: what it prints, and when it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]


def start(*arguments: str, **options: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "device.virtual", *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, **options,
    )  # fmt: skip


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Exit status and errors; kills what does not end by itself."""
    try:
        _, errors = process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        _, errors = process.communicate()
    return process.returncode, errors


def test_it_announces_itself_in_one_line_and_ends_with_its_parents_pipe(tmp_path: Path) -> None:
    token_file = tmp_path / "token"
    process = start("--control-port", "0", "--token-file", str(token_file), "--announce", "--profile", "tablet")
    assert process.stdout is not None and process.stdin is not None
    facts = json.loads(process.stdout.readline())
    assert set(facts) == {"adb", "control", "token_file"} and facts["token_file"] == str(token_file)
    assert token_file.stat().st_mode & 0o777 == 0o600
    ask = urllib.request.Request(
        facts["control"] + "/state", headers={"Authorization": f"Bearer {token_file.read_text().strip()}"}
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(ask, timeout=10) as answer:
        assert json.load(answer)["phone"]["awake"] is True
    process.stdin.close()
    process.stdin = None
    assert ended(process) == (0, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_cleanly_when_told(number: signal.Signals) -> None:
    process = start("--control-port", "0")
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(3)]
    assert [line.split(":")[0] for line in lines] == ["virtual phone", "control", "token"]
    process.send_signal(number)
    assert ended(process) == (0, "")


def test_mistakes_on_the_command_line_say_what_to_mend() -> None:
    for arguments, words in {("--profile", "watch"): "'watch'", ("--port", "x"): "'x'"}.items():
        status, errors = ended(start(*arguments))
        assert status == 2 and words in errors
