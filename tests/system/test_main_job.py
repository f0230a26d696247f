"""The main job on real wires: command line, service, adb server and virtual phone are processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def tapwright(*arguments: str, cwd: Path, timeout: float = 180, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "agent_server", *arguments],
        cwd=cwd,
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


@pytest.mark.parametrize("sight", ["--tree", "--no-tree"])
def test_the_demo_does_on_the_phone_what_its_sentence_says(tmp_path: Path, sight: str) -> None:
    done = tapwright("demo", sight, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Outcome: complete" in done.stdout
    assert "true   dark theme is on" in done.stdout
    assert "true   María García-张伟, +34 600 555 0123 is in Contacts" in done.stdout
    assert "FALSE" not in done.stdout
    assert "/login?ticket=" in done.stdout


def test_the_demo_leaves_no_process_behind(tmp_path: Path) -> None:
    marker = f"TAPWRIGHT_DEMO_MARK={tmp_path.name}"
    assert tapwright("demo", cwd=tmp_path, TAPWRIGHT_DEMO_MARK=tmp_path.name).returncode == 0
    left = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment = (process / "environ").read_bytes().decode(errors="replace").split("\0")
            if marker in environment:
                left.append((process / "cmdline").read_bytes().replace(b"\0", b" "))
        except OSError:  # it ended, or is not ours to read
            continue
    assert not left
