"""Faults of the way in between: slow or refused commands, answers cut short, the automation server, file transfer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from device.virtual.faults.fault import Fault, choice, number


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """Something a program asks for. `path` is "shell", "u2" or "framebuffer"; `name` the command or method.

    `group` is what both have in common: input, capture (encoded), raw, tree, start, text, dumpsys, builtin, other.
    """

    path: str
    name: str
    group: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DelayFault(Fault):
    """An operation begins that much later."""

    ms: float = number(0.0, 0, 3_600_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowShell(DelayFault):
    """A program that the shell starts, or the command named, begins `ms` later."""

    ms: float = number(2000.0, 0, 3_600_000)
    command: str = ""

    def fits(self, operation: Operation) -> bool:
        wanted = operation.name == self.command if self.command else operation.group != "builtin"
        return operation.path == "shell" and wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionSlow(DelayFault):
    """Every injection takes that much longer, as where UiAutomation waits for animations before each event."""

    ms: float = number(5000.0, 0, 3_600_000)
    path: str = choice("any", "input", "u2")

    def fits(self, operation: Operation) -> bool:
        way = "input" if operation.path == "shell" else operation.path
        return operation.group == "input" and self.path in ("any", way)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureSlow(DelayFault):
    """A picture comes so late that whoever waits gives up."""

    ms: float = number(30_000.0, 0, 3_600_000)
    path: str = choice("any", "screencap", "u2", "framebuffer")

    def fits(self, operation: Operation) -> bool:
        way = "screencap" if operation.path == "shell" else operation.path
        return operation.group in ("capture", "raw") and self.path in ("any", way)


SERVICES = ("shell", "exec", "sync", "u2")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFault(Fault):
    """The answer breaks off after its first `share`; what was asked has been done all the same.

    `whole`: the adb connection breaks, not the stream alone.
    """

    whole: ClassVar[bool] = False
    service: str = choice("any", *SERVICES)
    share: float = number(0.5, 0, 1)

    def fits(self, operation: str) -> bool:
        return self.service in ("any", operation)


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfAnswer(AnswerFault):
    """Half a reply, then the stream's end: a shell without its exit packet, a file without its rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkCut(AnswerFault):
    """The connection is cut in the middle of a message."""

    whole: ClassVar[bool] = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Crlf(Fault):
    """`shell:` turns line feeds into carriage return and line feed: the terminal of phones before Android 7."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RpcFault(Fault):
    """A call of the automation server, or of the named method, gets no good answer."""

    method: str = ""

    def fits(self, operation: Operation) -> bool:
        return self.method in ("", operation.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class RpcLost(RpcFault):
    """No answer at all. `done`: the call is carried out first, and only its answer is lost."""

    done: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RpcHang(RpcLost):
    """No answer as long as the server lives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RpcDrop(RpcLost):
    """The connection closes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RpcDisconnected(RpcFault):
    """The server has lost its UiAutomation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFault(Fault):
    """Something about how the automation server starts or lives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerKilled(ServerFault):
    """A task killer ends the server `ms` after its start."""

    ms: float = number(5000.0, 0, 3_600_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerQuits(ServerFault):
    """The server ends at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSilent(ServerFault):
    """The server says nothing and never listens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageFull(Fault):
    """A file that is pushed finds no room."""
