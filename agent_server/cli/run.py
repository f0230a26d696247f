"""`tapwright run`: give a phone one task and watch it being done."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from agent_server.cli import local, params
from agent_server.cli.client import ServiceClient, ServiceError
from agent_server.cli.params import ParamOption, ParamsFileOption

OUT = ("out_of_steps", "out_of_seconds", "out_of_budget")
EXIT_CODES = {"complete": 0, "impossible": 3, "stopped": 4, "denied": 5, **dict.fromkeys(OUT, 6)}
"""Exit code by outcome; any other outcome is 1, and 2 is bad usage as in every command."""


def register(app: typer.Typer) -> None:
    app.command(help="Give a phone one task and watch it being done.")(run)


def run(
    task: Annotated[str, typer.Argument(help='In plain words: "Open Settings, tap Display, turn on Dark theme".')],
    policy: Annotated[str, typer.Option(help="Who decides; `tapwright policies` lists them.")] = "follow",
    serial: Annotated[str | None, typer.Option(help="Which phone; needed when there are several.")] = None,
    steps: Annotated[int, typer.Option(min=1, help="Give up after this many steps.")] = 40,
    seconds: Annotated[int, typer.Option(min=1, help="Give up after this many seconds.")] = 600,
    param: ParamOption = None,
    params_file: ParamsFileOption = None,
    max_cost: Annotated[
        float | None, typer.Option(min=0.0001, metavar="USD", help="Ask no model any more once this much is spent.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="Ask no model any more after so many tokens, both ways together.")
    ] = None,
    trusted: Annotated[bool, typer.Option(help="Do not ask before each act on a real phone.")] = False,
    lang: Annotated[str, typer.Option(help="Language of the progress lines: en or zh.")] = "en",
) -> None:
    given = params.checked(param, params_file)
    try:
        with local.service() as client:
            body = {
                "task": task,
                "policy": policy,
                "params": given,
                "serial": serial or _only_phone(client),
                "budgets": {"steps": steps, "seconds": seconds, "tokens": max_tokens, "cost_usd": max_cost},
                "trusted": trusted,
                "lang": lang,
            }
            outcome = follow(client, client.call("POST", "/v1/runs", json=body)["id"])
    except ServiceError as error:
        local.fail(str(error), code=1)
    raise typer.Exit(EXIT_CODES.get(outcome, 1))


def _only_phone(client: ServiceClient) -> str:
    ready = [one["serial"] for one in client.call("GET", "/v1/devices")["items"] if one["state"] == "device"]
    if not ready:
        local.fail("No phone is ready.", "Plug one in with USB debugging on, or start one: tapwright phone")
    if len(ready) > 1:
        local.fail(f"Several phones are ready: {', '.join(ready)}.", "Name one: --serial SERIAL")
    return str(ready[0])


def follow(client: ServiceClient, run_id: str) -> str:
    """Print each event's sentence until the run ends; returns the outcome's code. Ctrl-C stops the run."""
    events = client.events(run_id)
    while True:
        try:
            outcome = _print_until_end(client, run_id, events)
        except KeyboardInterrupt:
            typer.echo("Stopping ...")
            client.call("POST", f"/v1/runs/{run_id}/stop")
            continue
        return outcome


def _print_until_end(client: ServiceClient, run_id: str, events: Iterator[dict[str, Any]]) -> str:
    for event in events:
        if event["importance"] >= 1:
            step = f"{event['step']:>3}  " if event.get("step") else "     "
            typer.echo(step + event["speak"])
        if event["type"] == "question.asked":
            _answer(client, event)
    outcome = client.call("GET", f"/v1/runs/{run_id}")["outcome"]
    return str(outcome["code"]) if outcome else "interrupted"


def _answer(client: ServiceClient, event: dict[str, Any]) -> None:
    question = event["data"]["question_id"]
    if "consent" in event["data"]:
        # The spoken sentence has no room for the model; who agrees should have read it.
        typer.echo(f"     {event['data']['prompt']}")
    if event["data"]["why"]:
        typer.echo(f"     {event['data']['why']}")
    if not sys.stdin.isatty():
        typer.echo(f"     Answer it: POST {client.url}/v1/questions/{question}/answer")
        return
    while True:
        words = typer.prompt("     Your answer")
        try:
            client.call("POST", f"/v1/questions/{question}/answer", json={"answer": words})
        except ServiceError as error:
            typer.echo(f"     {error}")
            if error.code in ("question-closed", "already-answered", "question-expired"):
                return
        else:
            return
