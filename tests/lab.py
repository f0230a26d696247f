"""A bench with real processes: adb server, virtual phone, Tapwright server. Everything ends with the test."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import adbutils
import httpx

from agent_server.cli.client import ServiceClient
from agent_server.cli.processes import child


def free_port() -> int:
    """A TCP port that was free a moment ago, outside the range adb scans for emulators (5555-5585)."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        if not 5550 <= port <= 5590:
            return port


@dataclass(frozen=True)
class Phone:
    """A virtual phone in a process of its own, and its owner's endpoint."""

    serial: str
    control: str
    token: str

    def ask(self, method: str, path: str, **options: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"}
        answer = httpx.request(method, self.control + path, headers=headers, timeout=20, trust_env=False, **options)
        answer.raise_for_status()
        return answer.json()

    def state(self) -> dict[str, Any]:
        return dict(self.ask("GET", "/state"))

    def inputs(self) -> list[dict[str, Any]]:
        """What fingers and keys did to the phone, in order."""
        journal = self.ask("GET", "/journal")
        entries = journal["entries"] if isinstance(journal, dict) else journal
        return [entry for entry in entries if entry["kind"] in ("input", "key", "text")]


@dataclass
class Lab:
    """Starts what a test asks for; `env` keeps it apart from the user's own adb server and data."""

    folder: Path
    env: dict[str, str] = field(default_factory=dict)
    adb_path: str = field(default_factory=adbutils.adb_path)

    def __post_init__(self) -> None:
        port = str(free_port())
        self.env = {
            "HOME": str(self.folder),
            "ANDROID_ADB_SERVER_PORT": port,
            "ADB_MDNS": "0",
            "ADB_USB": "0",
            "ADB_EMU": "0",
            "TAPWRIGHT_ADB_PORT": port,
            "TAPWRIGHT_DATA_DIR": str(self.folder / "data"),
            **self.env,
        }

    @property
    def adb_port(self) -> int:
        return int(self.env["ANDROID_ADB_SERVER_PORT"])

    def adb(self, *arguments: str, timeout: float = 30) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [self.adb_path, *arguments],
            env={**os.environ, **self.env},
            capture_output=True,
            timeout=timeout,
            check=False,
        )

    @contextlib.contextmanager
    def adb_server(self) -> Iterator[None]:
        """A private adb server, ended by its own port's kill command."""
        started = self.adb("start-server")
        assert started.returncode == 0, started.stderr
        try:
            yield
        finally:
            self.adb("kill-server")

    @contextlib.contextmanager
    def phone(self, *options: str) -> Iterator[Phone]:
        token_file = self.folder / f"phone-{free_port()}.token"
        arguments = ["device.virtual", "--port", str(free_port()), "--control-port", "0", "--announce"]
        arguments += ["--token-file", str(token_file), *options]
        with child(arguments, log=self.folder / "phone.log", env=self.env) as announced:
            connected = self.adb("connect", announced["adb"])
            assert b"connected to" in connected.stdout, connected.stdout
            yield Phone(announced["adb"], announced["control"], token_file.read_text().strip())

    @contextlib.contextmanager
    def server(self, **env: str) -> Iterator[ServiceClient]:
        """A Tapwright server on this bench's data directory."""
        arguments = ["agent_server", "serve", "--port", "0", "--announce"]
        with child(arguments, log=self.folder / "server.log", env={**self.env, **env}) as announced:
            client = ServiceClient(announced["url"], Path(announced["token_file"]).read_text().strip())
            try:
                yield client
            finally:
                client.close()
