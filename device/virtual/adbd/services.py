"""The phone's side of adb: which service names it answers, and with what.

What is not offered here (track-jdwp, abb, ...) is refused by closing the stream, as a phone does.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Awaitable, Callable

from device.virtual.adbd.bridge import PhoneHost
from device.virtual.adbd.conditions import Conditions
from device.virtual.adbd.link import DeviceLink, Door
from device.virtual.adbd.shell.session import PacketTerminal, RawTerminal, ShellSession, run_line
from device.virtual.adbd.sync import SyncService
from device.virtual.adbd.transport import Handler, Stream, StreamClosed, Transport
from device.virtual.adbd.u2server import U2Server
from device.virtual.faults.camera import capture
from device.virtual.faults.latency import FRAMEBUFFER as FRAMEBUFFER_READ
from device.virtual.faults.wire import AnswerFault, Crlf
from device.virtual.phone import VirtualPhone

FEATURES = "shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir,sendrecv_v2"
"""Exactly these: with compression or delayed acknowledgements among them adb would use them."""

FRAMEBUFFER = struct.Struct("<13I")
"""Version 1, bits, size, width, height, then offset and length of red, blue, green, alpha."""


def banner(phone: VirtualPhone) -> bytes:
    """What the phone says of itself in the handshake."""
    profile = phone.profile
    return (
        f"device::ro.product.name={profile.product};ro.product.model={profile.model};"
        f"ro.product.device={profile.device};features={FEATURES}"
    ).encode()


class Adbd:
    """One phone behind the wire, whichever adb servers are connected to it."""

    def __init__(self, host: PhoneHost, hello: bytes) -> None:
        self.host = host
        self.conditions = Conditions(host)
        self.u2 = U2Server(host, lambda line: run_line(self, line), self.conditions)
        self.log_start = 0
        self.connections: set[Transport] = set()
        self._hello = hello
        self._door = Door()
        self.link = DeviceLink(host, self._door, self.cut, self._welcome, self.u2.stop)
        self.conditions.injector.link = self.link

    def transport(self) -> Transport:
        """The protocol of a new connection."""
        transport = Transport(self._hello, self.open, self.connections.discard, self._door)
        self.connections.add(transport)
        return transport

    def cut(self) -> None:
        """Cut every connection, as when the cable is pulled; adb servers may connect again."""
        for transport in tuple(self.connections):
            transport.close()

    def close(self) -> None:
        """Cut every connection and stop what runs."""
        self.link.close()
        self.cut()
        self.u2.stop()

    def _welcome(self) -> None:
        for transport in self.connections:
            transport.welcome()

    def open(self, service: str, transport: Transport) -> Handler | None:
        """The handler of a service, or None for one the phone does not have or not for this computer now."""
        if self._door.state != "open":
            return None
        handler = self._handler(service, transport)
        if handler is None or not self.conditions.injector.armed(AnswerFault):
            return handler
        return self._breaking(handler, service.partition(":")[0].split(",")[0])

    def _breaking(self, handler: Handler, service: str) -> Handler:
        async def serve(stream: Stream) -> None:
            stream.breaks = await self.conditions.breaks(service)
            await handler(stream)

        return serve

    def _handler(self, service: str, transport: Transport) -> Handler | None:
        name, _, rest = service.partition(":")
        match name.split(",")[0]:
            case "shell":
                return self._shell(name.split(",")[1:], rest)
            case "exec":
                return lambda stream: ShellSession(self, RawTerminal(stream)).run(rest)
            case "sync":
                return lambda stream: SyncService(self.host, stream, self.conditions).serve()
            case "tcp" | "localabstract":
                return self._socket(service, transport)
            case "reverse":
                return lambda stream: self._reverse(stream, transport, rest)
            case "framebuffer":
                return self._framebuffer
            case "root":
                return _saying("adbd cannot run as root in production builds\n")
            case "unroot":
                return _saying("adbd not running as root\n")
            case "remount":
                return _saying('Not running as root. Try "adb root" first.\n')
            case "tcpip":
                return _saying(f"restarting in TCP mode port: {rest}\n")
            case "usb":
                return _saying("restarting in USB mode\n")
        return None

    def _shell(self, options: list[str], line: str) -> Handler:
        packets = "v2" in options
        raw = "raw" in options

        async def serve(stream: Stream) -> None:
            old = bool(not packets and await self.conditions.strike(Crlf))
            terminal = PacketTerminal(stream) if packets else RawTerminal(stream, crlf=old)
            session = ShellSession(self, terminal)
            if line:
                await session.run(line)
            elif raw:
                await session.script()
            else:
                await session.interact()

        return serve

    def _socket(self, service: str, transport: Transport) -> Handler | None:
        """A listener on the phone: the automation server, or a port the computer asked to have handed back to it."""
        if self.u2.running and service == f"tcp:{self.u2.port}":
            return self.u2.serve
        destination = transport.reverse.get(service)
        if destination is None:
            return None
        return lambda stream: _join(stream, transport.connect_out(destination))

    async def _reverse(self, stream: Stream, transport: Transport, request: str) -> None:
        """`forward:[norebind:]REMOTE;LOCAL`, `list-forward`, `killforward:REMOTE`, `killforward-all`."""
        table = transport.reverse
        verb, _, rest = request.partition(":")
        match verb:
            case "forward":
                keep = rest.startswith("norebind:")
                remote, _, local = rest.removeprefix("norebind:").partition(";")
                if not local or (keep and remote in table):
                    await stream.finish(_failure("cannot rebind existing socket" if keep else "bad forward"))
                    return
                port = ""
                if remote == "tcp:0":
                    port = str(_free_port(table))
                    remote = f"tcp:{port}"
                table[remote] = local
                await stream.finish(b"OKAY" + (_counted(port) if port else b""))
            case "list-forward":
                lines = "".join(f"host {remote} {local}\n" for remote, local in table.items())
                await stream.finish(_counted(lines))
            case "killforward":
                if table.pop(rest, None) is None:
                    await stream.finish(_failure(f"listener '{rest}' not found"))
                else:
                    await stream.finish(b"OKAY")
            case "killforward-all":
                table.clear()
                await stream.finish(b"OKAY")
            case _:
                await stream.finish(_failure(f"unknown reverse command {verb}"))

    async def _framebuffer(self, stream: Stream) -> None:
        """One picture: the header, then the pixels, then the end."""
        await self.conditions.begin(FRAMEBUFFER_READ)
        injector = self.conditions.injector
        picture = await self.host.run(lambda phone: capture(phone, injector, "framebuffer", "raw"))
        await self.conditions.end(FRAMEBUFFER_READ)
        assert picture is not None  # only the automation server's pictures are refused
        header = FRAMEBUFFER.pack(1, 32, len(picture.data), *picture.size, 0, 8, 16, 8, 8, 8, 24, 8)
        await stream.finish(header, picture.data)


def _saying(text: str) -> Callable[[Stream], Awaitable[None]]:
    async def say(stream: Stream) -> None:
        await stream.finish(text.encode())

    return say


def _counted(text: str) -> bytes:
    data = text.encode()
    return b"%04x" % len(data) + data


def _failure(text: str) -> bytes:
    return b"FAIL" + _counted(text)


def _free_port(table: dict[str, str]) -> int:
    return next(port for port in range(37000, 60000) if f"tcp:{port}" not in table)


async def _join(one: Stream, other: Stream) -> None:
    """Pass bytes both ways until either side closes."""

    async def pump(source: Stream, sink: Stream) -> None:
        try:
            while data := await source.read():
                await sink.write(data)
        except StreamClosed:
            return
        finally:
            sink.close()

    try:
        await asyncio.gather(pump(one, other), pump(other, one))
    finally:
        other.close()
