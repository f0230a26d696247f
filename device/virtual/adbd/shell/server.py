"""The command `app_process` with the automation server's class: a program that runs until its stream closes."""

from __future__ import annotations

from device.virtual.adbd import filesystem
from device.virtual.adbd.faults import fired
from device.virtual.adbd.shell.command import STDOUT, Call, Command, Console
from device.virtual.adbd.shell.screen import BUSY
from device.virtual.adbd.u2server import DEFAULT_PORT, MAIN_CLASS, AlreadyRegistered

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
    if console.device.faults.automation_taken:
        await console.host.run(lambda phone: fired(phone, "automation_taken"))
        return call.fail(BUSY, 1)
    try:
        automation = console.u2.start(int(port) if port.isdigit() else DEFAULT_PORT)
    except AlreadyRegistered:
        return call.fail(BUSY, 1)
    try:
        await console.send([(STDOUT, STARTED.encode())])
        await console.u2.stopped.wait()
    finally:
        console.u2.stop(automation)
    return 0


COMMANDS: dict[str, Command] = {"app_process": Command(wait=app_process)}
