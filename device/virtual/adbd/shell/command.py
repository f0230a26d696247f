"""What a command of the phone's shell is given, and what it may do.

A command is a function of the phone and its call, carried out where the phone lives; it prints into the call and
returns its exit status. One that has to wait is a coroutine function of the console and its call.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from device.virtual.adbd.bridge import PhoneHost
from device.virtual.adbd.conditions import Conditions
from device.virtual.faults.hand import Hand
from device.virtual.faults.injector import FaultInjector
from device.virtual.phone import VirtualPhone
from device.wire import STDERR, STDOUT

if TYPE_CHECKING:
    from device.virtual.adbd.u2server import U2Server

__all__ = ["STDERR", "STDOUT", "Call", "Chunk", "Command", "Console", "Daemon", "Pending", "Run", "Wait", "plain"]

Chunk = tuple[int, bytes]
"""A descriptor (STDOUT or STDERR) and what was written to it."""


class Pending(Protocol):
    """A gesture that takes the phone's time."""

    @property
    def done(self) -> bool: ...


@dataclass(slots=True, kw_only=True)
class Call:
    """One run of a command: its words, its surroundings, and what it has printed so far, in order."""

    name: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = "/"
    stdin: bytes = b""
    chunks: list[Chunk] = field(default_factory=list)
    pending: Pending | None = None
    injector: FaultInjector = field(default_factory=FaultInjector)

    def write(self, data: bytes) -> None:
        """Bytes to stdout as they are, without a copy."""
        self.chunks.append((STDOUT, data))

    def say(self, *lines: str) -> None:
        """Lines to stdout."""
        self.chunks.extend((STDOUT, f"{line}\n".encode("utf-8", "surrogateescape")) for line in lines)

    def complain(self, *lines: str) -> None:
        """Lines to stderr."""
        self.chunks.extend((STDERR, f"{line}\n".encode("utf-8", "surrogateescape")) for line in lines)

    def fail(self, line: str, status: int = 1) -> int:
        """A line to stderr, and the status to return."""
        self.complain(line)
        return status

    def wait_for(self, pending: Pending | None) -> None:
        """Let the command end only when that gesture has."""
        self.pending = pending

    def hand(self, phone: VirtualPhone) -> Hand:
        """The phone's input as a command reaches it."""
        return Hand(phone, self.injector, "input")

    def path(self, name: str) -> str:
        """A path as the command means it: relative ones start at the working folder."""
        return name if name.startswith("/") else f"{self.cwd.rstrip('/')}/{name}"


class Daemon(Protocol):
    """What lives as long as the phone: its automation server, and from where on `logcat` shows the journal."""

    @property
    def host(self) -> PhoneHost: ...

    @property
    def u2(self) -> U2Server: ...

    @property
    def conditions(self) -> Conditions: ...

    log_start: int


class Console(Protocol):
    """The terminal of a running shell."""

    @property
    def device(self) -> Daemon: ...

    @property
    def host(self) -> PhoneHost: ...

    @property
    def u2(self) -> U2Server: ...

    async def read(self, size: int = -1) -> bytes:
        """That many bytes of standard input, fewer at its end; -1 for all until the end."""
        ...

    async def send(self, chunks: Sequence[Chunk]) -> None:
        """Print now."""
        ...


Run = Callable[[VirtualPhone, Call], int]
Wait = Callable[[Console, Call], Awaitable[int]]


@dataclass(frozen=True, slots=True)
class Command:
    """How to carry a command out: `run`, or `wait` when there is no `run` or `waits` says so of the arguments.

    `reads` tells from the arguments whether `run` needs standard input to its end.
    """

    run: Run | None = None
    wait: Wait | None = None
    waits: Callable[[Sequence[str]], bool] = lambda args: False
    reads: Callable[[Sequence[str]], bool] = lambda args: False


def plain(**commands: Run) -> dict[str, Command]:
    """Commands that neither wait nor read."""
    return {name.rstrip("_").replace("_", "-"): Command(run) for name, run in commands.items()}
