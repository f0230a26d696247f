"""Carries out what the parser read: expansion, redirection, pipes, and the order of commands."""

from __future__ import annotations

import fnmatch
import posixpath
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from device.virtual.adbd import filesystem
from device.virtual.adbd.shell.command import STDERR, STDOUT, Call, Chunk, Command, Console
from device.virtual.adbd.shell.parser import (
    Pipeline,
    Redirect,
    Script,
    ShellSyntaxError,
    Simple,
    Substitution,
    Text,
    Variable,
    Word,
    parse,
)
from device.virtual.faults.latency import shell_operation
from device.virtual.phone import VirtualPhone

ENVIRONMENT: Mapping[str, str] = {
    "ANDROID_ROOT": "/system",
    "ANDROID_DATA": "/data",
    "ANDROID_STORAGE": "/storage",
    "EXTERNAL_STORAGE": "/sdcard",
    "HOME": "/",
    "HOSTNAME": "virtual",
    "LOGNAME": "shell",
    "PATH": "/product/bin:/system/bin:/system/xbin:/vendor/bin",
    "SHELL": "/system/bin/sh",
    "TMPDIR": "/data/local/tmp",
    "USER": "shell",
}
BIN_FOLDERS = ("/system/bin/", "/system/xbin/", "/vendor/bin/", "/product/bin/")
NOT_FOUND = 127


class Exit(Exception):
    """The command `exit`: the shell ends with this status."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


@dataclass(slots=True)
class _Quoted:
    """A character run during expansion, still knowing whether it may be split or taken for a pattern."""

    text: str
    quoted: bool


@dataclass(slots=True)
class Interpreter:
    """One shell: its variables, working folder and last status live as long as its stream.

    With `live` what was printed is shown before a command begins to wait; otherwise somebody collects it.
    """

    console: Console
    commands: Mapping[str, Command]
    env: dict[str, str] = field(default_factory=lambda: dict(ENVIRONMENT))
    cwd: str = "/"
    status: int = 0
    ended: bool = False
    live: bool = True

    async def run(self, line: str, chunks: list[Chunk]) -> int:
        """Carry a line out and give its exit status. `chunks` receives what was printed and not yet shown."""
        try:
            script = parse(line)
        except ShellSyntaxError as error:
            text = str(error)
            await self.console.host.run(lambda phone: _journal_unknown(phone, "sh", (text,)))
            chunks.append((STDERR, f"sh: {text}\n".encode()))
            self.status = 1
            return 1
        try:
            await self._script(script, chunks)
        except Exit as end:
            self.status, self.ended = end.status, True
        return self.status

    async def _script(self, script: Script, chunks: list[Chunk]) -> None:
        for connector, pipeline in script.steps:
            if self.ended:
                return
            if (connector == "&&" and self.status) or (connector == "||" and not self.status):
                continue
            self.status = await self._pipeline(pipeline, chunks)

    async def _pipeline(self, pipeline: Pipeline, chunks: list[Chunk]) -> int:
        stdin: bytes | None = None
        status = 0
        for simple in pipeline.commands[:-1]:
            inner: list[Chunk] = []
            await self._simple(simple, inner, stdin, live=False)
            stdin = b"".join(data for fd, data in inner if fd == STDOUT)
            chunks.extend(chunk for chunk in inner if chunk[0] == STDERR)
        status = await self._simple(pipeline.commands[-1], chunks, stdin, live=self.live)
        return int(not status) if pipeline.negated else status

    async def _simple(self, simple: Simple, chunks: list[Chunk], stdin: bytes | None, *, live: bool) -> int:
        words = [text for word in simple.words for text in await self._expand(word)]
        assigned = {name: "".join(await self._expand(word, split=False)) for name, word in simple.assignments}
        redirects = [
            (redirect, "".join(await self._expand(redirect.target, split=False))) for redirect in simple.redirects
        ]
        for redirect, target in redirects:
            try:
                if redirect.op == "<":
                    stdin = await self.console.host.run(partial(filesystem.read, path=self._path(target)))
                elif redirect.op != "&":
                    await self.console.host.run(partial(filesystem.check_writable, path=self._path(target)))
            except filesystem.FileError as error:
                verb = "open" if redirect.op == "<" else "create"
                chunks.append((STDERR, f"sh: can't {verb} {target}: {error}\n".encode()))
                return 1
        if not words:
            self.env.update(assigned)
            await self._redirected(Call(name=""), redirects, chunks)
            return 0
        name = words[0]
        for folder in BIN_FOLDERS:
            name = name.removeprefix(folder)
        call = Call(name=name, args=tuple(words[1:]), env={**self.env, **assigned}, cwd=self.cwd)
        status = await self._call(call, stdin, chunks if live and not redirects else None)
        await self._redirected(call, redirects, chunks)
        return status

    async def _call(self, call: Call, stdin: bytes | None, live: list[Chunk] | None) -> int:
        if (builtin := BUILTINS.get(call.name)) is not None:
            return await builtin(self, call, stdin)
        command = self.commands.get(call.name)
        if command is None:
            await self.console.host.run(lambda phone: _journal_unknown(phone, call.name, call.args))
            return call.fail(f"sh: {call.name}: inaccessible or not found", NOT_FOUND)
        conditions = self.console.device.conditions
        call.injector = conditions.injector
        if stdin is not None:
            call.stdin = stdin
        elif command.reads(call.args):
            call.stdin = await self.console.read()
        operation = shell_operation(call.name, call.args)
        await conditions.begin(operation)
        status = await self._carry_out(command, call, live)
        await conditions.end(operation)
        return status

    async def _carry_out(self, command: Command, call: Call, live: list[Chunk] | None) -> int:
        run = command.run
        if run is not None and not command.waits(call.args):
            status = await self.console.host.run(lambda phone: run(phone, call))
            if (pending := call.pending) is not None and not pending.done:
                await self.console.host.until(lambda phone: pending.done, GESTURE_SECONDS)
            return status
        assert command.wait is not None
        if live:  # what came before must be seen before the wait begins
            await self.console.send(live)
            live.clear()
        return await command.wait(self.console, call)

    async def _redirected(self, call: Call, redirects: Sequence[tuple[Redirect, str]], chunks: list[Chunk]) -> None:
        """Distribute what a call printed over files and the terminal."""
        where: dict[int, int | str] = {STDOUT: STDOUT, STDERR: STDERR}
        files: dict[str, list[bytes]] = {}
        for redirect, target in redirects:
            if redirect.op == "&":
                where[redirect.fd] = where.get(int(target), STDOUT) if target.isdigit() else "/dev/null"
            elif redirect.op != "<":
                path = self._path(target)
                where[redirect.fd] = path
                files[path] = []
                if redirect.op == ">>":
                    files[path].append(await self.console.host.run(partial(_existing, path=path)))
        for fd, data in call.chunks:
            home = where[fd]
            if isinstance(home, str):
                files.setdefault(home, []).append(data)
            else:
                chunks.append((home, data))
        for path, pieces in files.items():
            await self.console.host.run(partial(filesystem.write, path=path, data=b"".join(pieces)))

    def _path(self, name: str) -> str:
        return name if name.startswith("/") else posixpath.join(self.cwd, name)

    async def _expand(self, word: Word, split: bool = True) -> list[str]:
        fields: list[list[_Quoted]] = [[]]
        for piece in word:
            if isinstance(piece, Text):
                fields[-1].append(_Quoted(piece.text, piece.quoted))
                continue
            value = await self._substitute(piece) if isinstance(piece, Substitution) else self._value(piece)
            if piece.quoted or not split:
                fields[-1].append(_Quoted(value, True))
                continue
            parts = value.split()
            if not parts:
                continue
            if value[0].isspace() and fields[-1]:
                fields.append([])
            for number, part in enumerate(parts):
                if number:
                    fields.append([])
                fields[-1].append(_Quoted(part, False))
            if value[-1].isspace():
                fields.append([])
        texts: list[str] = []
        for runs in fields:
            if runs:
                texts.extend(await self._glob(runs) if split else ["".join(run.text for run in runs)])
        return texts

    def _value(self, variable: Variable) -> str:
        match variable.name:
            case "?":
                return str(self.status)
            case "$":
                return str(SHELL_PID)
            case "#":
                return "0"
            case "0":
                return "sh"
        return self.env.get(variable.name, "")

    async def _substitute(self, piece: Substitution) -> str:
        chunks: list[Chunk] = []
        inner = Interpreter(self.console, self.commands, dict(self.env), self.cwd, self.status, live=False)
        try:
            await inner._script(piece.line, chunks)
        except Exit as end:
            inner.status = end.status
        self.status = inner.status
        await self.console.send([chunk for chunk in chunks if chunk[0] == STDERR])
        return b"".join(data for fd, data in chunks if fd == STDOUT).decode("utf-8", "surrogateescape").rstrip("\n")

    async def _glob(self, runs: Sequence[_Quoted]) -> list[str]:
        """The paths an unquoted pattern stands for, or the word itself when there are none."""
        plain = "".join(run.text for run in runs)
        if not any(char in run.text for run in runs if not run.quoted for char in "*?["):
            return [plain]
        pattern = "".join(_literal(run.text) if run.quoted else run.text for run in runs)
        found = await self.console.host.run(lambda phone: _matching(phone, self.cwd, pattern))
        return found or [plain]

    async def _cd(self, call: Call, stdin: bytes | None) -> int:
        path = posixpath.normpath(call.path(call.args[0] if call.args else self.env.get("HOME", "/")))
        entry = await self.console.host.run(lambda phone: filesystem.stat(phone, path))
        if entry is None or not entry.is_folder:
            reason = "No such file or directory" if entry is None else "Not a directory"
            return call.fail(f"sh: cd: {path}: {reason}", 2)
        self.cwd = path
        return 0

    async def _exit(self, call: Call, stdin: bytes | None) -> int:
        raise Exit(int(call.args[0]) & 0xFF if call.args and call.args[0].isdigit() else self.status)

    async def _exec(self, call: Call, stdin: bytes | None) -> int:
        if call.args:
            inner = Call(name=call.args[0], args=call.args[1:], env=call.env, cwd=call.cwd, chunks=call.chunks)
            self.status = await self._call(inner, stdin, None)
            self.ended = True
        return self.status

    async def _export(self, call: Call, stdin: bytes | None) -> int:
        for word in call.args:
            name, equals, value = word.partition("=")
            if equals:
                self.env[name] = value
        return 0

    async def _unset(self, call: Call, stdin: bytes | None) -> int:
        for name in call.args:
            self.env.pop(name, None)
        return 0

    async def _sh(self, call: Call, stdin: bytes | None) -> int:
        if call.args[:1] == ("-c",) and len(call.args) > 1:
            line = call.args[1]
        elif call.args:
            try:
                data = await self.console.host.run(lambda phone: filesystem.read(phone, call.path(call.args[0])))
            except filesystem.FileError as error:
                return call.fail(f"sh: {call.args[0]}: {error}", NOT_FOUND)
            line = data.decode("utf-8", "surrogateescape")
        else:
            line = (stdin if stdin is not None else await self.console.read()).decode("utf-8", "surrogateescape")
        inner = Interpreter(self.console, self.commands, dict(call.env), self.cwd, live=False)
        try:
            await inner._script(parse(line), call.chunks)
        except ShellSyntaxError as error:
            return call.fail(f"sh: {error}")
        except Exit as end:
            return end.status
        return inner.status

    async def _command(self, call: Call, stdin: bytes | None) -> int:
        words = [word for word in call.args if word not in ("-v", "-V", "-p")]
        if len(words) == len(call.args):
            if not words:
                return 0
            inner = Call(name=words[0], args=tuple(words[1:]), env=call.env, cwd=call.cwd, chunks=call.chunks)
            return await self._call(inner, stdin, None)
        missing = 0
        for word in words:
            if word in BUILTINS:
                call.say(word)
            elif word in self.commands:
                call.say(f"/system/bin/{word}")
            else:
                missing = 1
        return missing

    async def _which(self, call: Call, stdin: bytes | None) -> int:
        found = [word for word in call.args if word in self.commands]
        call.say(*(f"/system/bin/{word}" for word in found))
        return int(len(found) != len(call.args))

    async def _toybox(self, call: Call, stdin: bytes | None) -> int:
        if not call.args:
            call.say(" ".join(sorted(self.commands)))
            return 0
        inner = Call(name=call.args[0], args=call.args[1:], env=call.env, cwd=call.cwd, chunks=call.chunks)
        if inner.name not in self.commands:
            return call.fail(f'toybox: Unknown command {inner.name} (see "toybox --help")', NOT_FOUND)
        return await self._call(inner, stdin, None)


Builtin = Callable[[Interpreter, Call, bytes | None], Awaitable[int]]
BUILTINS: Mapping[str, Builtin] = {
    "cd": Interpreter._cd,
    "command": Interpreter._command,
    "exec": Interpreter._exec,
    "exit": Interpreter._exit,
    "export": Interpreter._export,
    "sh": Interpreter._sh,
    "toybox": Interpreter._toybox,
    "unset": Interpreter._unset,
    "which": Interpreter._which,
}
GESTURE_SECONDS = 120.0
"""Longer than any gesture one line asks for; a phone that was closed meanwhile must not hold the stream for ever."""
SHELL_PID = 4711


def _existing(phone: VirtualPhone, path: str) -> bytes:
    try:
        return filesystem.read(phone, path)
    except filesystem.FileError:
        return b""


def _literal(text: str) -> str:
    return "".join(f"[{char}]" if char in "*?[" else char for char in text)


def _matching(phone: VirtualPhone, cwd: str, pattern: str) -> list[str]:
    """Existing paths that fit the pattern folder by folder, sorted; names with a leading dot only when asked for."""
    absolute = pattern.startswith("/")
    found = ["/" if absolute else ""]
    for part in [part for part in pattern.split("/") if part]:
        deeper: list[str] = []
        for base in found:
            try:
                names = filesystem.listing(phone, base if absolute else posixpath.join(cwd, base))
            except filesystem.FileError:
                continue
            deeper += [
                posixpath.join(base, name)
                for name in names
                if fnmatch.fnmatchcase(name, part) and (part.startswith(".") or not name.startswith("."))
            ]
        found = deeper
    return sorted(found)


def _journal_unknown(phone: VirtualPhone, name: str, args: Sequence[str]) -> None:
    phone.journal.append("unknown", {"command": name, "args": list(args)})
