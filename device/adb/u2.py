"""Client of uiautomator2's server on the phone: one kept connection, JSON-RPC, real deadlines.

The server is the jar that the uiautomator2 package ships. It lives as long as the shell stream that started it.
A kept connection answers five times quicker than a new one per call, and its own library's calls cost 53 ms.
Methods and error envelopes: openatx/android-uiautomator-server, as measured with uiautomator2 3.7.1.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import hashlib
import itertools
import json
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from device.adb.client import Link
from device.adb.connection import Connection
from device.adb.refusals import translated
from device.errors import AutomationDied, BadFrame, CommandRefused, DeadlineExceeded, LinkLost

PORT = 9008
JAR = "/data/local/tmp/u2.jar"
START_DEADLINE = 35.0
RPC_DEADLINE = 10.0
FOCUSED = {"mask": 0x20000, "childOrSibling": [], "childOrSiblingSelector": [], "focused": True}
"""Selector of the node that has the input focus; the mask names the fields that count."""


@cache
def jar() -> bytes:
    """The server's jar, from the installed uiautomator2 package."""
    return files("uiautomator2").joinpath("assets/u2.jar").read_bytes()


class U2:
    """A running server. Make one with `start`; calls are made one after the other."""

    def __init__(self, link: Link, process: Connection) -> None:
        self._link = link
        self._process = process
        self._rpc: Connection | None = None
        self._turn = asyncio.Lock()
        self._ids = itertools.count(1)

    @classmethod
    async def start(cls, link: Link, deadline: float = START_DEADLINE) -> U2:
        """Bring the jar onto the phone if it is not there, start it, wait until it answers.

        Suppresses accessibility services on a real phone: ask first. Raises AutomationBusy when another program
        holds UiAutomation, AutomationDied when the server ends, DeviceError.
        """
        digest = hashlib.md5(jar(), usedforsecurity=False).hexdigest()
        if digest not in (await link.shell(["toybox", "md5sum", JAR])).text:
            await link.push(jar(), JAR, 0o100644)
        # The words before the program must stay unquoted: it is an assignment.
        process = await link.open(f"shell:CLASSPATH={JAR} app_process / com.wetest.uia2.Main -p {PORT}")
        server = cls(link, process)
        try:
            async with asyncio.timeout(deadline):
                await server._answering()
        except TimeoutError:
            await server.close()
            raise AutomationDied(
                f"the phone's server did not answer within {deadline:g} s", serial=link.serial
            ) from None
        except BaseException:
            await server.close()
            raise
        return server

    async def _answering(self) -> None:
        words = b""
        while True:
            with contextlib.suppress(CommandRefused, LinkLost):
                async with await self._link.open(f"tcp:{PORT}") as stream:
                    stream.send(b"GET /ping HTTP/1.1\r\nHost: phone\r\nConnection: close\r\n\r\n")
                    if b"pong" in await stream.some(2.0, "ping"):
                        return
            with contextlib.suppress(DeadlineExceeded):
                more = await self._process.some(0.1, "the phone's server")
                words += more
                if b"already registered" in words:
                    raise translated(words.decode(errors="replace"), serial=self._link.serial)
                if not more:
                    tail = words.decode(errors="replace").strip()[-300:]
                    raise AutomationDied(f"the phone's server ended: {tail}", serial=self._link.serial)

    @property
    def alive(self) -> bool:
        return not self._process.closed()

    async def close(self) -> None:
        """End the server: the phone stops it when its stream closes."""
        if self._rpc is not None:
            self._rpc.close()
        self._process.close()

    async def call(
        self, method: str, *params: Any, deadline: float = RPC_DEADLINE, handed_over: Callable[[], None] | None = None
    ) -> Any:
        """The result of one RPC. Raises DeviceError; a phone-side exception keeps its class name.

        `handed_over` is called when the request has left: from then on a lost answer does not mean that nothing
        happened. A request is never sent twice, except over a connection that was closed before it was written.
        """
        body = json.dumps({"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}).encode()
        head = (
            "POST /jsonrpc/0 HTTP/1.1\r\nHost: phone\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        ).encode()
        async with self._turn:
            stream = await self._connection()
            try:
                stream.send(head + body)
                if handed_over is not None:
                    handed_over()
                answer = await _http_body(stream, deadline, method)
            except BaseException:
                # Whatever is left in this stream belongs to a request nobody waits for any more.
                stream.close()
                self._rpc = None
                raise
        return _result(method, answer, self._link.serial)

    async def _connection(self) -> Connection:
        if not self.alive:
            raise AutomationDied("the phone's server has ended", serial=self._link.serial)
        if self._rpc is None or self._rpc.closed():
            self._rpc = await self._link.open(f"tcp:{PORT}")
        return self._rpc

    async def tree(self, deadline: float = 6.0) -> str:
        """The accessibility tree of all windows as XML, at most 50 levels deep."""
        return str(await self.call("dumpWindowHierarchy", False, 50, deadline=deadline))

    async def jpeg(self, quality: int = 80, deadline: float = 8.0) -> bytes | None:
        """The screen as JPEG in full size; None when the system refuses (a protected window)."""
        encoded = await self.call("takeScreenshot", 1, quality, deadline=deadline)
        if encoded is None:
            return None
        try:
            return base64.b64decode(encoded, validate=False)
        except (binascii.Error, TypeError, ValueError) as error:
            raise BadFrame(f"the phone's picture is not base64: {error}", serial=self._link.serial) from error

    async def focused_text(self) -> str:
        """The text of the focused node. Raises CommandRefused when none is focused."""
        return str(await self.call("getText", FOCUSED) or "")

    async def focused(self) -> dict[str, Any] | None:
        """Facts of the focused node (className, text, packageName, ...), or None."""
        if not await self.call("exist", FOCUSED):
            return None
        info = await self.call("objInfo", FOCUSED)
        return dict(info) if isinstance(info, dict) else None


async def _http_body(stream: Connection, deadline: float, what: str) -> bytes:
    """The body of one HTTP/1.1 answer with Content-Length. Raises CommandRefused on any status but 200."""
    head = b""
    while b"\r\n\r\n" not in head:
        more = await stream.some(deadline, what)
        if not more:
            raise LinkLost(f"the phone dropped the connection in {what}")
        head += more
    head, _, body = head.partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    try:
        length = int(fields["content-length"])
    except (KeyError, ValueError):
        raise LinkLost(f"the phone answered {what} without a length") from None
    if len(body) < length:
        body += await stream.exactly(length - len(body), deadline, what)
    if status.split(" ", 2)[1:2] != ["200"]:
        raise CommandRefused(f"{what}: {status}: {body[:200].decode(errors='replace')}")
    return body


def _result(method: str, body: bytes, serial: str) -> Any:
    try:
        answer = json.loads(body)
    except ValueError as error:
        raise CommandRefused(f"{method} answered no JSON: {body[:120]!r}", serial=serial) from error
    if not isinstance(answer, dict):
        raise CommandRefused(f"{method} answered {body[:120]!r}", serial=serial)
    failure = answer.get("error")
    if failure is None:
        return answer.get("result")
    words = f"{failure.get('message')}: {failure.get('data')}" if isinstance(failure, dict) else str(failure)
    if "UiAutomation not connected" in words or "DeadObjectException" in words or "DeadSystemRuntime" in words:
        raise AutomationDied(words, serial=serial)
    raise translated(words, serial=serial)
