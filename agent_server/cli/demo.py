"""`tapwright demo`: server, virtual phone and one task, with nothing to prepare.

Success is read from the phone's own state, not from what the run says of itself.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any

import httpx
import typer

from agent_server.cli import local, private
from agent_server.cli.client import ServiceClient, ServiceError
from agent_server.cli.processes import NotStarted
from agent_server.cli.run import follow
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
    with tempfile.TemporaryDirectory(prefix="tapwright-demo-") as folder, private.adb(Path(folder)) as env:
        env["TAPWRIGHT_USE_TREE"] = "1" if tree else "0"
        try:
            with private.phone(Path(folder), env) as phone, private.server(Path(folder), env) as server:
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
