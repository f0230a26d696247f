"""`tapwright conformance`: the checks on one phone, as a table and as JSON."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agent_server.cli import local
from agent_server.settings import Settings
from device.adb.client import ensure_server
from device.errors import DeviceError

if TYPE_CHECKING:
    # The judges take half a second to import, and every `tapwright` command loads this module.
    from evaluation.conformance.check import Check
    from evaluation.conformance.runner import Report, Result

group = typer.Typer()
SIGNS = {"passed": "ok  ", "failed": "FAIL", "skipped": "skip"}


@group.callback(invoke_without_command=True)
def conformance(
    serial: Annotated[str, typer.Option(help="Which phone; `tapwright devices` lists them.")],
    destructive: Annotated[
        bool, typer.Option(help="Also turn the screen, switch it off and cut the link; all is put back.")
    ] = False,
    consent: Annotated[
        bool, typer.Option(help="Read the tree although accessibility services are on; it turns them off meanwhile.")
    ] = False,
    only: Annotated[list[str] | None, typer.Option(help="Only this group of checks; may be given again.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write everything as JSON into this file.")] = None,
) -> None:
    """Check that a phone behaves as the driver believes. Opens Settings and types into its search; changes nothing."""
    from evaluation.conformance.runner import chosen

    try:
        checks = chosen(only or (), destructive=destructive)
    except ValueError as error:
        local.fail(str(error), code=2)
    try:
        found = asyncio.run(_on(serial, checks, consent))
    except DeviceError as error:
        local.fail(str(error), error.advice)
    if report is not None:
        report.write_text(json.dumps(found.to_json(), indent=2, ensure_ascii=False) + "\n")
    _sum_up(found)
    raise typer.Exit(0 if found.conforms else 1)


async def _on(serial: str, checks: tuple[Check, ...], consent: bool) -> Report:
    from evaluation.conformance import bench
    from evaluation.conformance.runner import carry_out

    settings = Settings()
    server = await ensure_server(settings.adb_port, host=settings.adb_host)
    async with bench.opened(server, serial, consent=consent) as opened:
        return await carry_out(opened, checks, _tell)


def _tell(result: Result) -> None:
    typer.echo(f"{SIGNS[result.verdict]}  {result.group}: {result.promise} ({result.seconds:.1f} s)")
    if result.detail:
        typer.echo(f"        {result.detail}")


def _sum_up(report: Report) -> None:
    for change in report.disturbed:
        typer.echo(f"FAIL  a setting of the phone was changed: {change}")
    counts = {verdict: sum(one.verdict == verdict for one in report.results) for verdict in SIGNS}
    typer.echo(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
