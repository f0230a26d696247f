"""Child processes of the command line: each announces itself with one JSON line, and ends with its parent."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


class NotStarted(Exception):
    """A child process ended or stayed silent instead of announcing itself."""


@contextlib.contextmanager
def child(
    arguments: list[str], *, log: Path, env: Mapping[str, str] | None = None, deadline: float = 60.0
) -> Iterator[dict[str, Any]]:
    """Run `python -m ARGUMENTS` and yield the JSON object it prints first; end it on leaving.

    Its standard error goes to `log`. Raises NotStarted with the log's last lines when nothing was announced
    within `deadline` seconds.
    """
    with log.open("ab") as errors:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and modules
            [sys.executable, "-m", *arguments],
            # A pipe that ends with us: a child never outlives a parent that was killed.
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**os.environ, **(env or {})},
            # Ctrl-C belongs to the parent, which then ends its children in order.
            start_new_session=True,
        )
    try:
        yield _announced(process, log, deadline)
    finally:
        _end(process)


def _announced(process: subprocess.Popen[bytes], log: Path, deadline: float) -> dict[str, Any]:
    assert process.stdout is not None
    until = time.monotonic() + deadline
    line = b""
    while not line.endswith(b"\n"):
        left = until - time.monotonic()
        ready = left > 0 and select.select([process.stdout], [], [], left)[0]
        chunk = os.read(process.stdout.fileno(), 65536) if ready else b""
        if not chunk:
            tail = "\n".join(log.read_text(errors="replace").splitlines()[-12:])
            raise NotStarted(f"`{' '.join(map(str, process.args[2:]))}` did not start:\n{tail}")  # type: ignore[index]
        line += chunk
    announced = json.loads(line.splitlines()[0])
    return {**announced, "pid": process.pid}


def _end(process: subprocess.Popen[bytes], grace: float = 6.0) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(grace)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


def stop_at_eof() -> None:
    """End this process as by SIGTERM once its standard input ends, that is, when its parent is gone."""

    def watch() -> None:
        while os.read(0, 4096):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="parent", daemon=True).start()
