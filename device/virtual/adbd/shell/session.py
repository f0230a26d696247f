"""A shell on a stream: the services `shell:`, `shell,v2:` and `exec:`, and the shell a person types into."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from device.virtual.adbd.bridge import PhoneHost
from device.virtual.adbd.shell.command import STDERR, STDOUT, Chunk, Daemon
from device.virtual.adbd.shell.interpreter import Interpreter
from device.virtual.adbd.shell.registry import COMMANDS
from device.virtual.adbd.transport import Buffer, Stream
from device.virtual.adbd.u2server import U2Server
from device.wire import CLOSE_STDIN, EXIT, STDIN, ShellDecoder, ShellPacket, encode_shell

PROMPT = "twp:/ $ "


class Terminal(Protocol):
    """How a shell's bytes travel on its stream."""

    async def read(self) -> bytes:
        """The next bytes of standard input, empty at its end."""
        ...

    async def send(self, chunks: Sequence[Chunk]) -> None: ...

    async def finish(self, chunks: Sequence[Chunk], status: int) -> None:
        """The last output together with the exit status, and the end of the stream."""
        ...


class RawTerminal:
    """`shell:` and `exec:`: one stream of bytes each way; the exit status is lost.

    With `crlf` it is a terminal that ends lines as those of old phones do.
    """

    def __init__(self, stream: Stream, *, crlf: bool = False) -> None:
        self._stream = stream
        self._crlf = crlf

    async def read(self) -> bytes:
        return await self._stream.read()

    async def send(self, chunks: Sequence[Chunk]) -> None:
        await self._stream.write(*self._bytes(chunks))

    async def finish(self, chunks: Sequence[Chunk], status: int) -> None:
        await self._stream.finish(*self._bytes(chunks))

    def _bytes(self, chunks: Sequence[Chunk]) -> Iterator[bytes]:
        return (data.replace(b"\n", b"\r\n") if self._crlf else data for _, data in chunks)


class PacketTerminal:
    """`shell,v2:`: packets for input, output, errors and the exit status."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._decoder = ShellDecoder()
        self._input = bytearray()
        self._ended = False

    async def read(self) -> bytes:
        while not self._input and not self._ended:
            data = await self._stream.read()
            if not data:
                self._ended = True
            for packet in self._decoder.feed(data):
                if packet.kind == STDIN:
                    self._input += packet.payload
                elif packet.kind == CLOSE_STDIN:
                    self._ended = True
        taken = bytes(self._input)
        self._input.clear()
        return taken

    async def send(self, chunks: Sequence[Chunk]) -> None:
        await self._stream.write(*_packets(chunks))

    async def finish(self, chunks: Sequence[Chunk], status: int) -> None:
        end = encode_shell(ShellPacket(EXIT, bytes([status & 0xFF])))
        await self._stream.finish(*_packets(chunks), end)


def _packets(chunks: Sequence[Chunk]) -> list[Buffer]:
    """Packets of output, whose kinds are the descriptors; the bytes themselves are passed on as they are."""
    out: list[Buffer] = []
    for fd, data in chunks:
        if data:
            out += [bytes([fd]) + len(data).to_bytes(4, "little"), data]
    return out


class ShellSession:
    """One shell on its terminal; it is the console of the commands that run in it."""

    def __init__(self, device: Daemon, terminal: Terminal) -> None:
        self.device = device
        self._terminal = terminal
        self._unread = bytearray()
        self.shell = Interpreter(self, COMMANDS)

    @property
    def host(self) -> PhoneHost:
        return self.device.host

    @property
    def u2(self) -> U2Server:
        return self.device.u2

    async def read(self, size: int = -1) -> bytes:
        while size < 0 or len(self._unread) < size:
            data = await self._terminal.read()
            if not data:
                break
            self._unread += data
        size = len(self._unread) if size < 0 else size
        taken = bytes(self._unread[:size])
        del self._unread[:size]
        return taken

    async def send(self, chunks: Sequence[Chunk]) -> None:
        if chunks:
            await self._terminal.send(chunks)

    async def run(self, line: str) -> None:
        """Carry one line out; its last output and the exit status leave together."""
        last: list[Chunk] = []
        status = await self.shell.run(line, last)
        await self._terminal.finish(last, status)

    async def script(self) -> None:
        """A shell without a terminal: commands come over standard input until it ends."""
        text = (await self.read()).decode("utf-8", "surrogateescape")
        await self.run(text)

    async def interact(self) -> None:
        """A shell for a person: a prompt, a line, its output, until `exit` or the end of input."""
        editor = LineEditor()
        await self.send([(STDOUT, PROMPT.encode())])
        while not self.shell.ended and (data := await self._terminal.read()):
            for event in editor.feed(data):
                await self._typed(event)
        await self._terminal.finish([], self.shell.status)

    async def _typed(self, event: bytes | str | None) -> None:
        """Show what was typed, carry a finished line out, end at the end of input."""
        if self.shell.ended:
            return
        if event is None:
            self.shell.ended = True
        elif isinstance(event, bytes):
            await self.send([(STDOUT, event)])
        else:
            out: list[Chunk] = []
            await self.shell.run(event, out)
            await self.send([(fd, data.replace(b"\n", b"\r\n")) for fd, data in out])
            if not self.shell.ended:
                await self.send([(STDOUT, PROMPT.encode())])


class LineEditor:
    """The little a terminal does for a typed line: echo, backspace, Ctrl-U, Ctrl-C, Ctrl-D."""

    def __init__(self) -> None:
        self._line = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes | str | None]:
        """In order: bytes to show, finished lines, and None at the end of input."""
        for byte in data:
            match byte:
                case 0x0A | 0x0D:
                    line = self._line.decode("utf-8", "replace")
                    self._line.clear()
                    yield b"\r\n"
                    yield line
                case 0x08 | 0x7F:
                    if self._line:
                        self._line.pop()
                        yield b"\b \b"
                case 0x03:
                    self._line.clear()
                    yield b"^C\r\n" + PROMPT.encode()
                case 0x15:
                    yield b"\b \b" * len(self._line)
                    self._line.clear()
                case 0x04 if not self._line:
                    yield None
                case _:
                    self._line.append(byte)
                    yield bytes([byte])


class BufferConsole:
    """A console without a terminal: what is printed is kept."""

    def __init__(self, device: Daemon) -> None:
        self.device = device
        self.chunks: list[Chunk] = []

    @property
    def host(self) -> PhoneHost:
        return self.device.host

    @property
    def u2(self) -> U2Server:
        return self.device.u2

    async def read(self, size: int = -1) -> bytes:
        return b""

    async def send(self, chunks: Sequence[Chunk]) -> None:
        self.chunks += chunks


async def run_line(device: Daemon, line: str) -> tuple[int, bytes, bytes]:
    """Carry a line out without a terminal: exit status, output, errors."""
    console = BufferConsole(device)
    last: list[Chunk] = []
    status = await Interpreter(console, COMMANDS).run(line, last)
    chunks = [*console.chunks, *last]
    out, err = (b"".join(data for fd, data in chunks if fd == wanted) for wanted in (STDOUT, STDERR))
    return status, out, err
