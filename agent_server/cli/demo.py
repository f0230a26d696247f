"""`tapwright demo`: server, virtual phone and one task, with nothing to prepare.

Success is read from the phone's own state, not from what the run says of itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import httpx
import typer

from agent_server.cli import local
from agent_server.cli.client import ServiceClient, ServiceError
from agent_server.cli.processes import NotStarted, child
from agent_server.cli.run import follow
from device.adb.client import AdbServer, ensure_server
from device.errors import DeviceError

TASK = (
    "Open Settings, tap Display, turn on Dark theme, go home, open Contacts, tap Create contact, "
    "type María into First name, type García-张伟 into Last name, type +34 600 555 0123 into Phone, tap Save"
)
WANTED = {"first": "María", "last": "García-张伟", "phone": "+34 600 555 0123"}


def register(app: typer.Typer) -> None:
    app.command(help="Server, virtual phone and one task, nothing to prepare.")(demo)


def demo(
    tree: Annotated[bool, typer.Option(help="Use the accessibility tree; --no-tree works by sight alone.")] = True,
    serve: Annotated[bool, typer.Option(help="Go on serving afterwards when attached to a terminal.")] = True,
) -> None:
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tapwright-demo-") as folder, _private_adb(Path(folder)) as env:
        env["TAPWRIGHT_USE_TREE"] = "1" if tree else "0"
        try:
            with _phone(Path(folder), env) as phone, _server(Path(folder), env) as server:
                typer.echo(f"Phone at {phone['adb']} ({time.monotonic() - started:.1f} s), server at {server['url']}")
                typer.echo(f"Watch it: {server['login']}\n\nTask: {TASK}\n")
                done = _run(server, phone, env)
                typer.echo(f"\n{time.monotonic() - started:.1f} s in all.")
                if serve and sys.stdin.isatty() and sys.stdout.isatty():
                    _serve_on(phone, server)
        except (NotStarted, ServiceError, DeviceError) as error:
            _keep_logs(Path(folder))
            local.fail(str(error), "The logs lie in ./tapwright-demo-logs")
        if not done:
            _keep_logs(Path(folder))
    raise typer.Exit(0 if done else 1)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def _private_adb(folder: Path) -> Iterator[dict[str, str]]:
    """The environment of an adb server of our own, which ends with the demo and meets no phone of the user's."""
    env = {
        "HOME": str(folder),
        "ANDROID_ADB_SERVER_PORT": str(_free_port()),
        "ADB_MDNS": "0",
        "ADB_USB": "0",
        "ADB_EMU": "0",
        "TAPWRIGHT_DATA_DIR": str(folder / "data"),
    }
    env["TAPWRIGHT_ADB_PORT"] = env["ANDROID_ADB_SERVER_PORT"]
    before = {name: os.environ.get(name) for name in env}
    os.environ.update(env)
    try:
        yield env
    finally:
        with contextlib.suppress(DeviceError):
            asyncio.run(_stop_adb(int(env["ANDROID_ADB_SERVER_PORT"])))
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


async def _stop_adb(port: int) -> None:
    await AdbServer("127.0.0.1", port).kill()


@contextlib.contextmanager
def _phone(folder: Path, env: dict[str, str]) -> Iterator[dict[str, Any]]:
    arguments = ["device.virtual", "--port", "0", "--control-port", "0", "--announce"]
    arguments += ["--token-file", str(folder / "phone.token")]
    with child(arguments, log=folder / "phone.log", env=env) as phone:
        asyncio.run(_connect(int(env["ANDROID_ADB_SERVER_PORT"]), str(phone["adb"])))
        yield phone


async def _connect(port: int, address: str) -> None:
    server = await ensure_server(port)
    await server.connect(address)


@contextlib.contextmanager
def _server(folder: Path, env: dict[str, str]) -> Iterator[dict[str, Any]]:
    with child(["agent_server", "serve", "--port", "0", "--announce"], log=folder / "server.log", env=env) as server:
        yield server


def _run(server: dict[str, Any], phone: dict[str, Any], env: dict[str, str]) -> bool:
    """Run the task; True only when the phone's own state shows both things."""
    client = ServiceClient(str(server["url"]), Path(server["token_file"]).read_text().strip())
    try:
        run = client.call("POST", "/v1/runs", json={"task": TASK, "serial": phone["adb"], "policy": "follow"})
        outcome = follow(client, run["id"])
    finally:
        client.close()
    token = Path(phone["token_file"]).read_text().strip()
    state = httpx.get(
        f"{phone['control']}/state", headers={"Authorization": f"Bearer {token}"}, timeout=10, trust_env=False
    ).json()
    facts = {
        "dark theme is on": state["settings"]["secure"].get("ui_night_mode") == "2",
        "María García-张伟, +34 600 555 0123 is in Contacts": any(
            all(row.get(key) == value for key, value in WANTED.items())
            for row in state["tables"]["contacts.contact"].values()
        ),
    }
    typer.echo(f"\nOutcome: {outcome}. What the phone itself says:")
    for fact, holds in facts.items():
        typer.echo(f"  {'true ' if holds else 'FALSE'}  {fact}")
    return outcome == "complete" and all(facts.values())


def _serve_on(phone: dict[str, Any], server: dict[str, Any]) -> None:
    typer.echo(f"Still serving at {server['url']}; the phone is {phone['adb']}. Ctrl-C ends both.")
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            time.sleep(3600)


def _keep_logs(folder: Path) -> None:
    target = Path("tapwright-demo-logs")
    target.mkdir(exist_ok=True)
    for log in folder.glob("*.log"):
        shutil.copy(log, target)
