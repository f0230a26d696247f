"""The command `app_process` with the automation server's class: a program that runs until its stream closes."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from device.virtual.adbd import filesystem
from device.virtual.adbd.shell.command import STDOUT, Call, Command, Console
from device.virtual.adbd.shell.screen import BUSY
from device.virtual.adbd.u2server import DEFAULT_PORT, MAIN_CLASS, AlreadyRegistered
from device.virtual.faults.tree import AutomationTaken
from device.virtual.faults.wire import ServerFault, ServerKilled, ServerQuits, ServerSilent
from device.virtual.phone import VirtualPhone

KILLED = 137
"""128 + SIGKILL."""
STARTED = "[server] INFO: [UiAutomator2Server] Starting Server\n"


async def app_process(console: Console, call: Call) -> int:
    """`CLASSPATH=JAR app_process / com.wetest.uia2.Main -p PORT`; other programs are Java this phone cannot run."""
    words = list(call.args)
    if MAIN_CLASS not in words:
        await console.host.run(lambda phone: phone.journal.append("unknown", {"command": "app_process"}))
        name = next((word for word in words if not word.startswith(("-", "/"))), "")
        return call.fail(f"Error: Could not find or load main class {name}", 1)
    jar = call.env.get("CLASSPATH", "")
    if not jar or await console.host.run(lambda phone: filesystem.stat(phone, call.path(jar))) is None:
        return call.fail(f'java.lang.ClassNotFoundException: Didn\'t find class "{MAIN_CLASS}" on path', 1)
    port = words[words.index("-p") + 1] if "-p" in words[:-1] else str(DEFAULT_PORT)
    conditions = console.device.conditions
    if await conditions.strike(AutomationTaken):
        return call.fail(BUSY, 1)
    life = [fired.fault for fired in await conditions.strike(ServerFault)]
    if any(isinstance(fault, ServerQuits) for fault in life):
        return 1
    if any(isinstance(fault, ServerSilent) for fault in life):
        await asyncio.Event().wait()  # until the stream closes
    try:
        automation = console.u2.start(int(port) if port.isdigit() else DEFAULT_PORT)
    except AlreadyRegistered:
        return call.fail(BUSY, 1)
    try:
        await console.host.run(lambda phone: phone.automation_started())
        await console.send([(STDOUT, STARTED.encode())])
        killed = await _killer(console, [fault.ms for fault in life if isinstance(fault, ServerKilled)])
        await console.u2.stopped.wait()
        return call.fail("Killed", KILLED) if killed.is_set() else 0
    finally:
        console.u2.stop(automation)
        with suppress(ConnectionError):  # the phone may have been switched off meanwhile
            await console.host.run(lambda phone: phone.automation_ended())


async def _killer(console: Console, after_ms: list[float]) -> asyncio.Event:
    """Stop the server when the phone's time has come; set when it was this that stopped it."""
    killed, loop = asyncio.Event(), asyncio.get_running_loop()

    def kill() -> None:
        killed.set()
        console.u2.stop()

    def due() -> None:  # in the phone's thread
        loop.call_soon_threadsafe(kill)

    def set_timers(phone: VirtualPhone) -> None:
        for ms in after_ms:
            phone.clock.at(phone.clock.now_ms() + ms, "task killer", due)

    if after_ms:
        await console.host.run(set_timers)
    return killed


COMMANDS: dict[str, Command] = {"app_process": Command(wait=app_process)}
