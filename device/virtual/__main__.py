"""Switch a virtual phone on: `python -m device.virtual --port 7001`, then `adb connect 127.0.0.1:7001`."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from device.virtual.control import serve_control
from device.virtual.core.clock import VirtualClock
from device.virtual.faults.fault import BadFault
from device.virtual.faults.latency import LATENCIES
from device.virtual.faults.plan import Plan
from device.virtual.faults.profiles import PROFILES as FAULT_PROFILES
from device.virtual.faults.profiles import load
from device.virtual.host import serve_phone
from device.virtual.phone import VirtualPhone
from device.virtual.profiles import PROFILES


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`port` 0 takes a free one; `control_port` None offers no control endpoint, 0 takes a free port for it.

    `bind` is where adb's port listens; the control endpoint stays on loopback.
    The control token is written to `token_file` (readable by its owner alone), or printed when there is none.
    `announce` is for parent processes: one JSON line with all addresses, and the end when standard input ends.
    """

    port: int = 0
    bind: str = "127.0.0.1"
    profile: str = "phone"
    seed: int = 1
    dark: bool = False
    lang: str = "en"
    control_port: int | None = None
    token_file: Path | None = None
    announce: bool = False
    faults: Plan | None = None
    latency: str = "none"


def parse_options(argv: Sequence[str]) -> Options:
    """Read the command line; ends the program with a message when it is wrong."""
    parser = argparse.ArgumentParser(prog="python -m device.virtual", description="A virtual phone on the adb wire.")
    parser.add_argument("--port", type=int, default=0, help="TCP port on loopback; 0 takes a free one")
    parser.add_argument("--bind", default="127.0.0.1", help="address of that port; whoever reaches it drives the phone")
    parser.add_argument("--profile", choices=sorted(PROFILES), default="phone")
    parser.add_argument("--seed", type=int, help="the same seed makes the same world and the same faults; default 1")
    parser.add_argument("--dark", action="store_true", help="start with the dark theme")
    parser.add_argument("--lang", choices=("en", "zh"), default="en")
    parser.add_argument("--control-port", type=int, help="serve the owner's endpoint on this loopback port; 0: any")
    parser.add_argument("--token-file", type=Path, help="where to write the endpoint's token")
    parser.add_argument("--announce", action="store_true", help="for parents: one JSON line; end with standard input")
    known = ", ".join(FAULT_PROFILES)
    parser.add_argument("--faults", metavar="PROFILE|FILE", help=f"what goes wrong: {known}, or a plan as JSON")
    parser.add_argument("--fault-seed", type=int, help="another seed for the faults")
    parser.add_argument("--latency", choices=tuple(LATENCIES), default="none", help="how long commands take")
    given = parser.parse_args(argv)
    if given.announce and (given.control_port is None or given.token_file is None):
        parser.error("--announce needs --control-port and --token-file")
    values = vars(given)
    named, dice, seed = values.pop("faults"), values.pop("fault_seed"), values.pop("seed")
    if named is None and dice is not None:
        parser.error("--fault-seed needs --faults")
    try:
        plan = load(named, seed if dice is None else dice) if named is not None else None
    except BadFault as error:
        parser.error(f"--faults: {error}")
    return Options(**values, seed=1 if seed is None else seed, faults=plan)


async def run(options: Options, *, stop: asyncio.Event | None = None) -> None:
    """Serve a phone in real time until `stop` is set or the program is interrupted. Raises OSError for a taken port."""
    stop = stop or asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    phone = VirtualPhone(
        options.profile, options.seed, clock=VirtualClock("live"), dark=options.dark, lang=options.lang
    )
    try:
        async with AsyncExitStack() as stack:
            serving = serve_phone(
                phone, port=options.port, bind=options.bind, faults=options.faults, latency=options.latency
            )
            served = await stack.enter_async_context(serving)
            lines = [f"virtual phone: adb connect {served.address}"]
            facts = {"adb": served.address}
            if options.control_port is not None:
                control = await stack.enter_async_context(serve_control(served.adbd, port=options.control_port))
                lines.append(f"control: {control.url}")
                lines += _hand_over(control.token, options.token_file)
                facts |= {"control": control.url, "token_file": str(options.token_file)}
            if options.announce:
                lines = [json.dumps(facts)]
                _stop_at_eof(stop)
            _tell("\n".join(lines))
            await stop.wait()
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def _stop_at_eof(stop: asyncio.Event) -> None:
    """A child that outlives a killed parent would hold its port for ever."""
    loop = asyncio.get_running_loop()

    def watch() -> None:
        while os.read(0, 4096):
            pass
        with contextlib.suppress(RuntimeError):  # the loop may have ended by itself
            loop.call_soon_threadsafe(stop.set)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def _hand_over(token: str, path: Path | None) -> list[str]:
    if path is None:
        return [f"token: {token}"]
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(token + "\n")
    return []


def _tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main(argv: Sequence[str] | None = None) -> int:
    """The program; its exit status."""
    options = parse_options(sys.argv[1:] if argv is None else argv)
    try:
        asyncio.run(run(options))
    except OSError as error:
        sys.stderr.write(f"cannot serve the virtual phone: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
