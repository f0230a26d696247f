"""An adb server with scripted answers, and behind it a phone with a scripted automation server.

It speaks the wire from the far side: what it says on it, and when it stops talking, is what a test is about.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from device.adb.client import AdbServer
from device.wire import EXIT, STDERR, STDOUT, ShellPacket, encode_shell

SERIAL = "phone-1"


@dataclass
class Wire:
    """One connection, seen from the server."""

    request: str
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def say(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()


Answer = Callable[[Wire], Awaitable[None]]


def okay(*texts: str) -> Answer:
    """OKAY, then texts with their lengths, then the end."""

    async def answer(wire: Wire) -> None:
        await wire.say(b"OKAY" + b"".join(b"%04x" % len(text.encode()) + text.encode() for text in texts))

    return answer


def fail(words: str) -> Answer:
    async def answer(wire: Wire) -> None:
        await wire.say(b"FAIL%04x" % len(words.encode()) + words.encode())

    return answer


def said(data: bytes) -> Answer:
    """Exactly these bytes, then the end."""

    async def answer(wire: Wire) -> None:
        await wire.say(data)

    return answer


def silent(before: bytes = b"") -> Answer:
    """These bytes, then nothing, without an end."""

    async def answer(wire: Wire) -> None:
        await wire.say(before)
        await wire.reader.read()  # until the client gives up

    return answer


def shell(out: str = "", err: str = "", code: int = 0) -> Answer:
    """A shell,v2 command that ran."""
    packets = [ShellPacket(STDOUT, out.encode()), ShellPacket(STDERR, err.encode()), ShellPacket(EXIT, bytes([code]))]
    return said(b"OKAY" + b"".join(encode_shell(one) for one in packets if one.payload))


def cut_shell(out: str) -> Answer:
    """A shell,v2 command whose phone went away before its exit packet."""
    return said(b"OKAY" + encode_shell(ShellPacket(STDOUT, out.encode())))


def in_turn(*answers: Answer) -> Answer:
    """The first answer, then the next, ...; the last one for ever."""
    left = list(answers)

    async def answer(wire: Wire) -> None:
        await (left.pop(0) if len(left) > 1 else left[0])(wire)

    return answer


@dataclass
class Stage:
    """What is answered: by the longest beginning of the request that is known, else `closed`.

    `host` are the server's own services (with `host:`), `phone` the services of its one phone.
    """

    host: dict[str, Answer] = field(default_factory=dict)
    phone: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def _answer(self, request: str, answers: dict[str, Answer]) -> Answer:
        known = [start for start in answers if request.startswith(start)]
        return answers[max(known, key=len)] if known else fail("closed")

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = await self._request(reader)
            if not request.startswith("host:transport:"):
                await self._answer(request, self.host)(Wire(request, reader, writer))
                return
            transport = self.host.get("host:transport:")
            if transport is not None:
                await transport(Wire(request, reader, writer))
                return
            writer.write(b"OKAY")
            request = await self._request(reader)
            await self._answer(request, self.phone)(Wire(request, reader, writer))
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _request(self, reader: asyncio.StreamReader) -> str:
        length = int(await reader.readexactly(4), 16)
        request = (await reader.readexactly(length)).decode()
        self.asked.append(request)
        return request

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[AdbServer]:
        tasks: set[asyncio.Task[None]] = set()

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        try:
            yield AdbServer("127.0.0.1", server.sockets[0].getsockname()[1])
        finally:
            server.close()
            for task in tuple(tasks):
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


# The phone's automation server


@dataclass(frozen=True)
class Hang:
    """No answer, ever."""


@dataclass(frozen=True)
class Drop:
    """The connection ends instead of an answer."""


@dataclass(frozen=True)
class Literal:
    """These bytes as the body of a good HTTP answer."""

    body: bytes


@dataclass(frozen=True)
class JavaError:
    """An exception on the phone."""

    message: str
    data: str = ""


Scripted = Any
"""A result, or one of the four above; a function is called with the parameters and gives either."""


@dataclass
class Automation:
    """Answers JSON-RPC by method name; unknown methods are unknown."""

    results: dict[str, Scripted] = field(default_factory=dict)
    calls: list[tuple[str, list[Any]]] = field(default_factory=list)
    connections: int = 0
    listening: bool = True

    async def __call__(self, wire: Wire) -> None:
        if not self.listening:
            await fail("closed")(wire)
            return
        await wire.say(b"OKAY")
        self.connections += 1
        while True:
            head = (await wire.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            if head.startswith("GET /ping"):
                await wire.say(_http(b"pong"))
                continue
            length = next(int(line.split(":")[1]) for line in head.split("\r\n") if line.startswith("Content-Length"))
            call = json.loads(await wire.reader.readexactly(length))
            self.calls.append((call["method"], call["params"]))
            if not await self._reply(wire, call):
                return

    async def _reply(self, wire: Wire, call: dict[str, Any]) -> bool:
        unknown = JavaError("method not found")
        result = self.results.get(call["method"], unknown)
        if callable(result):
            result = result(call["params"])
        match result:
            case Hang():
                await wire.reader.read()
                return False
            case Drop():
                return False
            case Literal(body):
                await wire.say(_http(body))
            case JavaError(message, data):
                error = {"code": -32001, "message": message, "data": data}
                await wire.say(_http(json.dumps({"jsonrpc": "2.0", "id": call["id"], "error": error}).encode()))
            case _:
                body = json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": result}).encode()
                await wire.say(_http(body))
        return True

    def called(self, method: str) -> list[list[Any]]:
        return [params for name, params in self.calls if name == method]


def _http(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def raw_screen(width: int, height: int, grey: int = 200) -> bytes:
    """What `screencap` prints: four numbers, then pixels."""
    return struct.pack("<4I", width, height, 1, 0) + bytes([grey, grey, grey, 255]) * (width * height)


APP_PROCESS = "shell:CLASSPATH="


def healthy(automation: Automation | None, width: int = 64, height: int = 128) -> Stage:
    """A phone that stands still; `automation` None for one whose app_process finds UiAutomation taken."""
    stage = Stage()
    window = "  mRotation=0\n  mCurrentFocus=Window{1 u0 com.example/com.example.Main}\n"
    stage.phone = {
        "shell,v2,raw:getprop": shell("[ro.product.model]: [Scripted]\n[ro.build.version.sdk]: [34]\n"),
        "shell,v2,raw:wm size": shell(f"Physical size: {width}x{height}\n"),
        "shell,v2,raw:wm density": shell("Physical density: 160\n"),
        "shell,v2,raw:settings get secure enabled_accessibility_services": shell("null\n"),
        "shell,v2,raw:settings get": shell("null\n"),
        "shell,v2,raw:dumpsys window displays": shell(window),
        "shell,v2,raw:dumpsys window policy": shell("  mIsShowing=false\n"),
        "shell,v2,raw:dumpsys display": shell("orientation=0\n"),
        "shell,v2,raw:dumpsys input_method": shell("mInputShown=false\nmServedInputConnection=null\n"),
        "shell,v2,raw:dumpsys power": shell("mWakefulness=Awake\n"),
        "shell,v2,raw:dumpsys SurfaceFlinger": shell("Display 1 (HWC display 0): port=0\n"),
        "shell,v2,raw:dumpsys": shell(),
        "shell,v2,raw:toybox md5sum": shell("no such file\n", code=1),
        "shell,v2,raw:input": shell(),
        "exec:screencap": said(b"OKAY" + raw_screen(width, height)),
        "sync:": _receive,
    }
    if automation is None:
        stage.phone[APP_PROCESS] = said(
            b"OKAYjava.lang.IllegalStateException: UiAutomationService already registered!\n"
        )
        return stage
    automation.listening = False

    async def start(wire: Wire) -> None:
        automation.listening = True
        await wire.say(b"OKAY")
        await wire.reader.read()
        automation.listening = False

    stage.phone[APP_PROCESS] = start
    stage.phone["tcp:9008"] = automation
    return stage


async def _receive(wire: Wire) -> None:
    """Takes any file."""
    await wire.say(b"OKAY")
    while True:
        command, number = struct.unpack("<4sI", await wire.reader.readexactly(8))
        if command == b"DONE":
            await wire.say(struct.pack("<4sI", b"OKAY", 0))
            return
        await wire.reader.readexactly(number)
