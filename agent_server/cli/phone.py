"""`tapwright phone`: run a virtual phone alone, for any adb client."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from device.virtual import __main__ as virtual

Profile = Literal["phone", "tablet", "foldable"]


def register(app: typer.Typer) -> None:
    app.command(help="Run a virtual phone alone, for any adb client.")(phone)


def phone(
    port: Annotated[int, typer.Option(min=0, max=65535, help="TCP port of the phone's adb daemon; 0 picks one.")] = 0,
    profile: Annotated[
        Profile, typer.Option(help="phone is 1080x2400, tablet 1600x2560, foldable 2208x1840 pixels.")
    ] = "phone",
    seed: Annotated[
        int | None, typer.Option(help="The same seed gives the same phone and the same faults; without it 1.")
    ] = None,
    dark: Annotated[bool, typer.Option(help="Start in dark theme.")] = False,
    lang: Annotated[Literal["en", "zh"], typer.Option(help="Language of the phone.")] = "en",
    control_port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Offer the owner's endpoint at this port; 0 picks one.")
    ] = None,
    bind: Annotated[
        str, typer.Option(help="Address to listen on. Whoever reaches it drives the phone: adb has no password.")
    ] = "127.0.0.1",
    faults: Annotated[
        str | None,
        typer.Option(help="What goes wrong: clean, everyday, flaky-adb, blind, deaf, or a file with a fault plan."),
    ] = None,
    fault_seed: Annotated[int | None, typer.Option(help="Another seed for the faults.")] = None,
    latency: Annotated[
        Literal["none", "phone", "slow"], typer.Option(help="How long the phone takes for each command.")
    ] = "none",
    token_file: Annotated[Path | None, typer.Option(help="Where the owner's token is written (mode 0600).")] = None,
) -> None:
    arguments = ["--port", str(port), "--bind", bind, "--profile", profile, "--lang", lang]
    arguments += ["--control-port", str(control_port)] if control_port is not None else []
    arguments += ["--seed", str(seed)] if seed is not None else []
    arguments += ["--faults", faults] if faults is not None else []
    arguments += ["--fault-seed", str(fault_seed)] if fault_seed is not None else []
    arguments += ["--latency", latency]
    arguments += ["--dark"] if dark else []
    arguments += ["--token-file", str(token_file)] if token_file is not None else []
    raise typer.Exit(virtual.main(arguments))
