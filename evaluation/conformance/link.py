"""The link: shell, raw bytes, files, and how each of them fails."""

from __future__ import annotations

import asyncio
import shlex

from device.adb.client import AdbServer
from device.errors import CommandRefused, DeviceError, DeviceNotFound, LinkLost, ServerUnavailable
from evaluation.conformance.bench import FOLDER, Bench
from evaluation.conformance.check import Failed, Group, NotHere, expect

group = Group("link")
EVERY_BYTE = bytes(range(256)) * 1024
"""256 KiB: over the 64 KiB of one sync chunk, with every value a channel might translate."""


def script(line: str) -> list[str]:
    """A constant line for the phone's shell; nothing from outside is ever put into it."""
    return ["sh", "-c", line]


@group.check("adbutils and we list the phone in the same state")
async def _listed(bench: Bench) -> str:
    ours = {one.serial: one.state for one in await bench.server.devices()}
    theirs = await bench.judge(bench.adb.get_state)
    expect(ours.get(bench.serial) == theirs == "device", f"we say {ours.get(bench.serial)}, adbutils says {theirs}")
    return f"adb protocol {await bench.server.version()}"


@group.check("exit code, output and errors of a command are kept apart")
async def _apart(bench: Bench) -> str:
    done = await bench.link.shell(script("echo out; echo err 1>&2; exit 7"))
    seen = (done.code, done.out.strip(), done.err.strip())
    expect(seen == (7, b"out", b"err"), f"expected (7, out, err), got {seen}")
    return "7, out, err"


@group.check("UTF-8 comes back as it was sent")
async def _utf8(bench: Bench) -> str:
    words = "héllo 你好 שלום 👩🏽‍🚀"
    back = (await bench.link.shell(["echo", words])).text.rstrip("\n")
    theirs = str(await bench.judge(bench.adb.shell, f"echo {shlex.quote(words)}"))
    expect(back == words == theirs.rstrip("\n"), f"sent {words!r}, got {back!r}, adbutils got {theirs!r}")
    return f"{len(words)} characters"


@group.check("a mebibyte of raw output comes whole and untranslated")
async def _much(bench: Bench) -> str:
    path, much = f"{FOLDER}-much.bin", EVERY_BYTE * 4
    try:
        await bench.link.push(much, path)
        data = await bench.link.exec(["cat", path])
    finally:
        await bench.link.shell(["rm", "-f", path])
    expect(data == much, f"{len(much)} bytes of every value were sent, {len(data)} came back, or others")
    return f"{len(data)} bytes"


@group.check("a file of every byte goes there and back, and adbutils reads the same")
async def _file(bench: Bench) -> str:
    path = f"{FOLDER}.bin"
    try:
        await bench.link.push(EVERY_BYTE, path)
        size = (await bench.link.stat(path)).size
        expect(size == len(EVERY_BYTE), f"the phone says {size} bytes, not {len(EVERY_BYTE)}")
        expect(await bench.link.pull(path) == EVERY_BYTE, "what was pulled is not what was pushed")
        theirs = await bench.judge(bench.adb.sync.read_bytes, path)
        expect(theirs == EVERY_BYTE, "adbutils reads something else than we pushed")
    finally:
        await bench.link.shell(["rm", "-f", path])
    return f"{len(EVERY_BYTE)} bytes"


@group.check("a file that is not there is refused")
async def _missing(bench: Bench) -> str:
    try:
        await bench.link.pull(f"{FOLDER}-nowhere")
    except CommandRefused as error:
        return str(error)
    raise Failed("a missing file was pulled")


@group.check("an unknown serial is not found")
async def _unknown(bench: Bench) -> str:
    try:
        await bench.server.link("no-such-phone").shell(["true"])
    except DeviceNotFound as error:
        return str(error)
    raise Failed("a phone that is not there answered")


@group.check("a port where nothing listens is refused")
async def _closed(bench: Bench) -> str:
    try:
        async with await bench.link.open("tcp:1") as stream:
            expect(stream.ended, "port 1 of the phone is open")
            return "closed at once"
    except (CommandRefused, LinkLost) as error:
        return str(error)


@group.check("an adb server that is not there is named")
async def _no_server(bench: Bench) -> str:
    try:
        await AdbServer("127.0.0.1", 1).version()
    except ServerUnavailable as error:
        return str(error)
    raise Failed("port 1 of this computer speaks adb")


@group.check("a connection that is cut in the middle is an error, not a short answer", destructive=True)
async def _cut(bench: Bench) -> str:
    if ":" not in bench.serial:
        raise NotHere("only a phone on the network can be cut off from here")
    running = asyncio.create_task(bench.link.shell(script("echo begun; sleep 20"), 30))
    await asyncio.sleep(0.5)
    await bench.server.disconnect(bench.serial)
    try:
        done = await running
        raise Failed(f"a cut command answered {done}")
    except DeviceError as error:
        said = f"{type(error).__name__}: {error}"
    finally:
        await bench.server.connect(bench.serial)
    expect((await bench.link.shell(["echo", "back"])).text == "back\n", "the phone did not come back")
    return said
