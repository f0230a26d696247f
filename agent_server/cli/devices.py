"""`tapwright devices`: the phones that adb knows, and the ways to get one onto the list."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from agent_server.cli import local
from agent_server.settings import Settings
from device.adb import apps, emulator, pairing
from device.adb.client import AdbServer, Listed, ensure_server
from device.errors import DeviceError

T = TypeVar("T")
Address = Annotated[str, typer.Argument(metavar="HOST:PORT", help="As the phone shows it.")]
Serial = Annotated[str, typer.Argument(help="The emulator's serial, e.g. emulator-5554.")]
Name = Annotated[str, typer.Argument(help="What the snapshot is called.")]

BOOT_SECONDS = 240
"""A cold start of an emulator without acceleration takes minutes; with it, half of one."""

group = typer.Typer(help="List the phones that adb knows; pair, connect, or start one.")
snapshots = typer.Typer(help="Save and load the state of an emulator.", no_args_is_help=True)
group.add_typer(snapshots, name="snapshot")


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="devices")


@group.callback(invoke_without_command=True)
def devices(context: typer.Context) -> None:
    if context.invoked_subcommand is not None:
        return
    listed = _run(_named())
    if not listed:
        typer.echo("No phone. Plug one in with USB debugging on, or start one: tapwright phone")
        raise typer.Exit(1)
    for one, name in listed:
        typer.echo("\t".join(filter(None, (one.serial, one.state, one.model, name))))


@group.command()
def pair(
    address: Annotated[
        str, typer.Argument(metavar="HOST:PORT", help="The pairing address; not the one to connect to afterwards.")
    ],
    code: Annotated[str | None, typer.Argument(help="Six digits; asked for when left out.")] = None,
) -> None:
    """Make a phone trust this computer, by the code of its wireless debugging page."""
    given = code if code is not None else typer.prompt("Pairing code on the phone", hide_input=True)
    typer.echo(_run(_with_server(lambda server: pairing.pair(server, address, given))))
    typer.echo("Now connect to the address that the Wireless debugging page shows: tapwright devices connect HOST:PORT")


@group.command()
def connect(address: Address) -> None:
    """Put a phone on the network onto the list."""

    async def attach(server: AdbServer) -> None:
        await server.connect(pairing.checked_address(address))

    _run(_with_server(attach))
    typer.echo(f"{address} is connected.")


@group.command()
def disconnect(address: Address) -> None:
    """Take a phone on the network off the list."""

    async def detach(server: AdbServer) -> None:
        await server.disconnect(pairing.checked_address(address))

    _run(_with_server(detach))
    typer.echo(f"{address} is disconnected.")


@group.command()
def install(
    serial: Annotated[str, typer.Argument(help="The phone, as `tapwright devices` lists it.")],
    apk: Annotated[Path, typer.Argument(exists=True, dir_okay=False, readable=True, help="The app's package file.")],
) -> None:
    """Install or update an app on a phone. The phone may ask its owner."""
    _run(_with_server(lambda server: apps.install(server.link(serial), apk.read_bytes())))
    typer.echo(f"{apk.name} is installed on {serial}.")


@group.command()
def uninstall(
    serial: Annotated[str, typer.Argument(help="The phone, as `tapwright devices` lists it.")],
    package: Annotated[str, typer.Argument(help="The app's exact package name, e.g. org.example.notes.")],
) -> None:
    """Remove an app with all its data from a phone."""
    _run(_with_server(lambda server: apps.uninstall(server.link(serial), package)))
    typer.echo(f"{package} is removed from {serial}.")


@group.command()
def avds() -> None:
    """List the emulators that can be started."""
    names = _run(emulator.avds())
    typer.echo("\n".join(names) if names else "No AVD. Make one: avdmanager create avd --name NAME --package IMAGE")
    raise typer.Exit(0 if names else 1)


@group.command()
def start(
    name: Annotated[str, typer.Argument(help="The AVD; `tapwright devices avds` lists them.")],
    window: Annotated[bool, typer.Option(help="Show its window.")] = True,
    snapshot: Annotated[str, typer.Option(help="Begin with this snapshot.")] = "",
    seconds: Annotated[int, typer.Option(min=1, help="How long it may take to be ready.")] = BOOT_SECONDS,
) -> None:
    """Start an emulator and wait until it can be used. It goes on running."""
    typer.echo(f"Starting {name} ...")
    serial = _run(_with_server(lambda server: _started(server, name, window, snapshot, seconds)))
    typer.echo(f"{serial} is ready. End it: tapwright devices stop {serial}")


@group.command()
def stop(serial: Serial) -> None:
    """End an emulator."""

    async def end() -> None:
        async with emulator.console(serial) as console:
            await console.stop()

    _run(end())
    typer.echo(f"{serial} was told to end.")


@snapshots.command("list")
def list_snapshots(serial: Serial) -> None:
    """List an emulator's snapshots."""

    async def read() -> tuple[emulator.Snapshot, ...]:
        async with emulator.console(serial) as console:
            return await console.snapshots()

    found = _run(read())
    typer.echo("\n".join(f"{one.name}\t{one.size}" for one in found) if found else f"{serial} has no snapshot.")


@snapshots.command()
def save(serial: Serial, name: Name) -> None:
    """Keep an emulator's state under a name."""

    async def keep() -> None:
        async with emulator.console(serial) as console:
            await console.save(name)

    _run(keep())
    typer.echo(f"The state of {serial} is kept as {name}.")


@snapshots.command()
def load(serial: Serial, name: Name) -> None:
    """Put an emulator back into a state. What happened since is lost."""

    async def put_back() -> None:
        async with emulator.console(serial) as console:
            await console.load(name)

    _run(put_back())
    typer.echo(f"{serial} is as it was in {name}.")


def _run(work: Coroutine[Any, Any, T]) -> T:
    try:
        return asyncio.run(work)
    except DeviceError as error:
        local.fail(str(error), error.advice)


async def _with_server(work: Callable[[AdbServer], Awaitable[T]]) -> T:
    settings = Settings()
    return await work(await ensure_server(settings.adb_port, host=settings.adb_host))


async def _named() -> Sequence[tuple[Listed, str]]:
    """Each phone with the name of its AVD, where it is an emulator of this machine."""
    listed = await local.listed()
    return list(zip(listed, await asyncio.gather(*(_avd(one.serial) for one in listed)), strict=True))


async def _avd(serial: str) -> str:
    if emulator.console_port(serial) is None:
        return ""
    try:
        async with emulator.console(serial) as console:
            return f"AVD {await console.avd_name()}"
    except DeviceError:
        # A name is a courtesy: an emulator of another user or another machine has its console elsewhere.
        return ""


async def _started(server: AdbServer, name: str, window: bool, snapshot: str, seconds: float) -> str:
    """The serial, once the emulator has booted. Raises DeviceError; what was started is ended when it fails."""
    port = emulator.free_console_port([one.serial for one in await server.devices()])
    process = await emulator.start(name, port, window=window, snapshot=snapshot)
    try:
        await emulator.booted(server.link(f"emulator-{port}"), process, seconds)
    except BaseException:
        if process.returncode is None:
            process.terminate()
        raise
    return f"emulator-{port}"
