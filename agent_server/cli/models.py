"""`tapwright models try`: ten small tasks on a virtual phone with a real model, and a table of what came of them."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import httpx
import typer

from agent_server.cli import local, params, private
from agent_server.cli.client import ServiceClient, ServiceError
from agent_server.cli.params import ParamOption, ParamsFileOption
from agent_server.cli.processes import NotStarted
from agent_server.cli.trial import EXPECTED, Done, Limits, OwnedPhone, Purse, Trial
from agent_server.cli.trial_tasks import LIST, TASKS, TrialTask
from agent_server.settings import Settings
from device.errors import DeviceError
from policies import registry
from policies.base import Usage
from policies.errors import PolicyError
from policies.llm import prices

group = typer.Typer(help="Try vision-language models.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="models")


@group.callback()
def models() -> None:
    """Try vision-language models."""


@group.command("try")
def trial(
    provider: Annotated[Literal["openai", "anthropic"], typer.Option(help="Whose protocol is spoken.")],
    model: Annotated[str, typer.Option(help="The provider's name for the model.")],
    base_url: Annotated[str, typer.Option(help="A server of your own, such as http://127.0.0.1:8000/v1; no key.")] = "",
    policy: Annotated[str, typer.Option(help="Who asks the model; `tapwright policies` lists them.")] = "mm_navigator",
    param: ParamOption = None,
    params_file: ParamsFileOption = None,
    max_cost: Annotated[
        float, typer.Option(min=0.0001, metavar="USD", help="Begin nothing that could cost more.")
    ] = 0.50,
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="The same in tokens; needed where the price is not known.")
    ] = None,
    tasks: Annotated[int, typer.Option(min=1, max=len(TASKS), help="Only the first so many tasks.")] = len(TASKS),
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON; progress goes to stderr.")] = False,
) -> None:
    """Run ten tasks with a real model on a private virtual phone, and see what it cost."""
    where = {"base_url": base_url} if base_url else {}
    given = {**params.checked(param, params_file), "provider": provider, "model": model, **where}
    host = _host(policy, given)
    limits = _limits(host, model, max_cost, max_tokens)
    typer.echo(f"Pictures of a private virtual phone, and of no other, go to {host} for {model}.", err=as_json)

    def tell(n: int, done: Done) -> None:
        typer.echo(_line(f"{n:>2}/{tasks}", done), err=as_json)

    try:
        results, early = _run(TASKS[:tasks], policy, given, Purse(limits, host, model), host, tell)
    except (NotStarted, ServiceError, DeviceError, httpx.HTTPError) as error:
        local.fail(str(error))
    except KeyboardInterrupt:
        local.fail("Stopped by you.", code=130)
    if as_json:
        facts = {"policy": policy, "model": model, "host": host, "params": given}
        typer.echo(json.dumps({**facts, **_json(results, early, limits)}, ensure_ascii=False, indent=1))
    else:
        typer.echo(f"\n{table(results)}" + (f"\n\n{early}" if early else ""))
    raise typer.Exit(0 if all(one.verified for one in results) else 1)


def _host(policy: str, given: dict[str, Any]) -> str:
    """Where the policy would send pictures; wrong parameters and a missing key end the command here."""
    try:
        host = registry.create(policy, given).needs.remote_host
    except PolicyError as error:
        local.fail(str(error), error.advice, code=2)
    if not host:
        local.fail(f"The policy {policy} asks no model.", "Take one that does: tapwright policies", code=2)
    return host


def _limits(host: str, model: str, max_cost: float, max_tokens: int | None) -> Limits:
    """The price bounds the trial where it is known; where it is not, nothing but tokens can."""
    file = Settings().price_file
    if file is not None:
        prices.use(prices.read(file))
    if prices.cost_usd(EXPECTED, host, model) is not None:
        return Limits(usd=max_cost, tokens=max_tokens)
    if max_tokens is None:
        local.fail(
            f"The price of {model} at {host} is not known (prices of {prices.as_of()}), so --max-cost cannot be kept.",
            "Say how many tokens it may use, such as --max-tokens 500000; a step takes about "
            f"{EXPECTED.input + EXPECTED.output}. Or name a file of prices: TAPWRIGHT_PRICE_FILE.",
            code=2,
        )
    return Limits(usd=None, tokens=max_tokens)


def _run(
    tasks: Sequence[TrialTask], policy: str, given: dict[str, Any], purse: Purse, host: str, tell: Any
) -> tuple[list[Done], str]:
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tapwright-try-")))
        env = stack.enter_context(private.adb(folder))
        # Whoever gives this command agrees for this phone, which shows nothing of theirs.
        env["TAPWRIGHT_REMOTE_HOSTS"] = host
        announced = stack.enter_context(private.phone(folder, env))
        server = stack.enter_context(private.server(folder, env))
        client = ServiceClient(str(server["url"]), Path(server["token_file"]).read_text().strip())
        stack.callback(client.close)
        phone = OwnedPhone(announced)
        stack.callback(phone.close)
        return Trial(client=client, phone=phone, policy=policy, params=given, purse=purse, tell=tell).run(tasks)


HEAD = ("task", "outcome", "the phone says", "steps", "seconds", "tokens in", "out", "cost")


def table(results: Sequence[Done]) -> str:
    """One row per task, and one for all of them."""
    total = sum((one.usage for one in results), Usage())
    steps, seconds = sum(one.steps for one in results), sum(one.seconds for one in results)
    done = sum(one.verified for one in results)
    last = ("all", f"{done} of {len(results)}", "", str(steps), f"{seconds:.1f}", *_spent(total))
    rows = [HEAD, *(_row(one) for one in results), last]
    widths = [max(len(row[n]) for row in rows) for n in range(len(HEAD))]
    lines = [_aligned(row, widths) for row in rows]
    rule = "-" * max(map(len, lines))
    return "\n".join((lines[0], rule, *lines[1:-1], rule, lines[-1]))


def _row(one: Done) -> tuple[str, ...]:
    if not one.steps and not one.seconds:
        return (one.task.id, one.outcome, *[""] * (len(HEAD) - 2))
    return (one.task.id, one.outcome, _said(one), str(one.steps), f"{one.seconds:.1f}", *_spent(one.usage))


def _said(one: Done) -> str:
    """The phone's own word: it may contradict the outcome both ways."""
    return "not done" if one.wrong else "done"


def _spent(usage: Usage) -> tuple[str, str, str]:
    tokens = ("unknown" if count is None else f"{count}" for count in (usage.input_tokens, usage.output_tokens))
    return (*tokens, "unknown" if usage.cost_usd is None else f"${usage.cost_usd:.4f}")  # type: ignore[return-value]


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    texts = [row[n].ljust(widths[n]) for n in range(3)]
    return "  ".join((*texts, *(row[n].rjust(widths[n]) for n in range(3, len(row))))).rstrip()


def _line(place: str, one: Done) -> str:
    reads, writes, cost = _spent(one.usage)
    wrong = f" ({one.wrong})" if one.wrong else ""
    return (
        f"{place}  {one.task.goal}  {one.outcome}; the phone says {_said(one)}{wrong}; {one.steps} steps, "
        f"{one.seconds:.1f} s, {reads} + {writes} tokens, {cost}"
    )


def _json(results: Sequence[Done], early: str, limits: Limits) -> dict[str, Any]:
    return {
        "tasks_of": LIST,
        "prices_of": prices.as_of(),
        "limits": asdict(limits),
        "stopped": early,
        "tasks": [
            {"id": one.task.id, "goal": one.task.goal, "outcome": one.outcome, "verified": one.verified}
            | {"wrong": one.wrong, "steps": one.steps, "seconds": round(one.seconds, 2)}
            | asdict(one.usage)
            for one in results
        ],
        "total": asdict(sum((one.usage for one in results), Usage())),
    }
