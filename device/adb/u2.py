"""Client of uiautomator2's server on the phone: one kept connection, JSON-RPC, real deadlines.

The server is the jar that the uiautomator2 package ships. It lives as long as the shell stream that started it.
A kept connection answers five times quicker than a new one per call, and its own library's calls cost 53 ms.
Methods and error envelopes: openatx/android-uiautomator-server, as measured with uiautomator2 3.7.1.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import itertools
import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from device.adb.client import Link
from device.adb.connection import Connection, Deadline, talking_to
from device.adb.refusals import translated
from device.errors import AutomationDied, BadFrame, CommandRefused, DeadlineExceeded, LinkLost

PORT = 9008
JAR = "/data/local/tmp/u2.jar"
START_DEADLINE = 35.0
RPC_DEADLINE = 10.0
FRAME_DEADLINE = 8.0
TREE_DEADLINE = 6.0
PING_DEADLINE = 3.0
PING_INTERVAL = 0.1
TREE_DEPTH = 50
"""Levels; what uiautomator2's own client asks for."""
MOST_WORDS = 400
"""Characters of an exception that are kept: its message and the top of its stack trace."""
NOT_FOUND = "UiObjectNotFoundException"

_FOCUSED, _CLASS_NAME, _INDEX = 0x20000, 0x10, 0x800000
Selector = Mapping[str, Any]


def focused(class_name: str = "") -> Selector:
    """The node with the input focus, of that class if one is given: a web page and its field both have it."""
    if class_name:
        return _selector(_FOCUSED | _CLASS_NAME, focused=True, className=class_name)
    return _selector(_FOCUSED, focused=True)


def anything() -> Selector:
    """Some node; for calls that need one and do not care which."""
    return _selector(_INDEX, index=0)


def _selector(mask: int, **fields: object) -> Selector:
    """The mask says which fields count."""
    return {"mask": mask, "childOrSibling": [], "childOrSiblingSelector": [], **fields}


@cache
def jar() -> bytes:
    """The server's jar, from the installed uiautomator2 package."""
    package = find_spec("uiautomator2")
    # Only located: importing it costs half a second.
    if package is None or package.origin is None:
        raise AutomationDied("the package uiautomator2 is not installed", advice="pip install uiautomator2")
    return (Path(package.origin).parent / "assets" / "u2.jar").read_bytes()


@cache
def _digest() -> str:
    return hashlib.md5(jar(), usedforsecurity=False).hexdigest()


class U2:
    """A running server. Make one with `start`; calls are made one after the other."""

    def __init__(self, link: Link, process: Connection | None) -> None:
        self._link = link
        self._process = process
        self._listening = True
        self._doubtful = True
        self._rpc: Connection | None = None
        self._turn = asyncio.Lock()
        self._ids = itertools.count(1)

    @classmethod
    async def start(cls, link: Link, deadline: float = START_DEADLINE, *, join: bool = True) -> U2:
        """Join the server that runs; else bring the jar onto the phone if it is not there, and start it.

        With `join` false a server that runs is broken: it is ended first.
        Suppresses accessibility services on a real phone: ask first. Raises AutomationBusy when another program
        holds UiAutomation, AutomationDied when the server ends or stays silent, DeviceError.
        """
        if await _asked(link, "/ping"):
            if join:
                return cls(link, None)
            await _asked(link, "/stop")
        if _digest() not in (await link.shell(["toybox", "md5sum", JAR])).text:
            await link.push(jar(), JAR, 0o100644)
        # The words before the program must stay unquoted: it is an assignment.
        process = await link.open(f"shell:CLASSPATH={JAR} app_process / com.wetest.uia2.Main -p {PORT}")
        try:
            async with asyncio.timeout(deadline):
                await _answering(link, process)
        except TimeoutError:
            process.close()
            words = f"the phone's server did not answer within {deadline:g} s"
            raise AutomationDied(words, serial=link.serial) from None
        except BaseException:
            process.close()
            raise
        return cls(link, process)

    @property
    def alive(self) -> bool:
        return self._listening and (self._process is None or not self._process.ended)

    async def close(self) -> None:
        """End the server if it is ours: the phone stops it when its stream closes."""
        self._listening = False
        if self._rpc is not None:
            self._rpc.close()
        if self._process is not None:
            self._process.close()

    async def call(
        self, method: str, *params: Any, deadline: float = RPC_DEADLINE, handed_over: Callable[[], None] | None = None
    ) -> Any:
        """The result of one RPC. Raises DeviceError; a phone-side exception keeps its class name.

        `handed_over` is called when the request leaves: from then on a lost answer does not mean that nothing
        happened. A request is never sent twice.
        """
        body = json.dumps({"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}).encode()
        head = (
            "POST /jsonrpc/0 HTTP/1.1\r\nHost: phone\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        ).encode()
        until = Deadline.after(deadline)
        async with self._turn:
            with talking_to(self._link.serial):
                stream = await self._connection()
                try:
                    stream.send(head + body)
                    # Nothing comes between: a stream that has ended refuses before anything leaves.
                    if handed_over is not None:
                        handed_over()
                    answer = await _http_body(stream, until, method)
                except BaseException as error:
                    # Whatever is left in this stream belongs to a request nobody waits for any more.
                    stream.close()
                    self._rpc = None
                    self._doubtful = isinstance(error, DeadlineExceeded)
                    raise
                self._doubtful = False
                try:
                    return _result(method, answer)
                except AutomationDied:
                    self._listening = False
                    raise

    async def answering(self) -> bool:
        """Whether it does its work: one that is new, or has let a call hang, is asked something simple."""
        if self._doubtful and self.alive:
            try:
                # A refusal is an answer, too.
                with contextlib.suppress(CommandRefused):
                    await self.call("ping", deadline=PING_DEADLINE)
            except (DeadlineExceeded, LinkLost, AutomationDied):
                return False
        return self.alive

    async def _connection(self) -> Connection:
        if not self.alive:
            raise AutomationDied("the phone's server has ended")
        if self._rpc is None or self._rpc.ended:
            if self._rpc is not None:
                self._rpc.close()
            try:
                self._rpc = await self._link.open(f"tcp:{PORT}")
            except CommandRefused as refused:
                self._listening = False
                raise AutomationDied("the phone's server does not listen any more") from refused
        return self._rpc

    async def read(self, method: str, *params: Any, deadline: float = RPC_DEADLINE) -> Any:
        """As `call`, for methods that only look: a broken stream is replaced once.

        Raises AutomationDied when that breaks too, although the phone itself can be reached.
        """
        try:
            return await self.call(method, *params, deadline=deadline)
        except LinkLost:
            try:
                return await self.call(method, *params, deadline=deadline)
            except LinkLost as error:
                self._listening = False
                raise AutomationDied(f"the phone's server drops its connections: {error}") from error

    async def tree(self, deadline: float = TREE_DEADLINE) -> str:
        """The accessibility tree of all windows as XML, at most 50 levels deep."""
        return str(await self.read("dumpWindowHierarchy", False, TREE_DEPTH, deadline=deadline))

    async def jpeg(self, quality: int = 80, deadline: float = FRAME_DEADLINE) -> bytes | None:
        """The screen as JPEG in full size; None when the system refuses (a protected window)."""
        encoded = await self.read("takeScreenshot", 1, quality, deadline=deadline)
        if encoded is None:
            return None
        try:
            return base64.b64decode(encoded)
        except (TypeError, ValueError) as error:
            raise BadFrame(f"the phone's picture is not base64: {error}", serial=self._link.serial) from error

    async def text(self, selector: Selector) -> str | None:
        """The text of a node, or None when there is no such node."""
        try:
            return str(await self.read("getText", selector) or "")
        except CommandRefused as refused:
            if NOT_FOUND in str(refused):
                return None
            raise

    async def info(self, selector: Selector) -> Mapping[str, Any] | None:
        """Facts of a node (className, text, packageName, ...), or None when there is no such node."""
        try:
            found = await self.read("objInfo", selector)
        except CommandRefused as refused:
            if NOT_FOUND in str(refused):
                return None
            raise
        return dict(found) if isinstance(found, dict) else None


async def _asked(link: Link, path: str) -> bool:
    """Whether a server answers such a request; silence and a refusal are a no."""
    with contextlib.suppress(CommandRefused, LinkLost, DeadlineExceeded):
        async with await link.open(f"tcp:{PORT}", PING_DEADLINE) as stream:
            stream.send(f"GET {path} HTTP/1.1\r\nHost: phone\r\nConnection: close\r\n\r\n".encode())
            return bool(await _http_body(stream, Deadline.after(PING_DEADLINE), path))
    return False


async def _answering(link: Link, process: Connection) -> None:
    """Wait until the server answers. Raises AutomationBusy, AutomationDied with what the program said."""
    words = b""
    while not await _asked(link, "/ping"):
        with contextlib.suppress(DeadlineExceeded):
            more = await process.some(Deadline.after(PING_INTERVAL), "the phone's server")
            words += more
            if b"already registered" in words:
                raise translated(words.decode(errors="replace")[-300:], serial=link.serial)
            if not more:
                tail = words.decode(errors="replace").strip()[-300:]
                raise AutomationDied(f"the phone's server ended: {tail}", serial=link.serial)


async def _http_body(stream: Connection, deadline: Deadline, what: str) -> bytes:
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


def _result(method: str, body: bytes) -> Any:
    """The result in an envelope. Its contents stay out of every error: they may be what somebody typed."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise CommandRefused(f"{method} answered {len(body)} bytes that are no JSON-RPC")
    failure = answer.get("error")
    if failure is None:
        return answer.get("result")
    words = f"{failure.get('message')}: {failure.get('data')}" if isinstance(failure, dict) else str(failure)
    raise translated(words[:MOST_WORDS])
