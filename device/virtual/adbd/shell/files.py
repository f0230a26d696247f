"""Commands on files and folders."""

from __future__ import annotations

import fnmatch
import hashlib
import posixpath
from collections.abc import Callable, Sequence
from datetime import datetime

from device.virtual.adbd import filesystem
from device.virtual.adbd.shell.command import Call, Command, plain
from device.virtual.core.files import StoredFile
from device.virtual.phone import VirtualPhone


def _split(call: Call) -> tuple[str, list[str]]:
    """Letters of the options and the operands."""
    letters, operands, more = "", [], True
    for word in call.args:
        if more and word == "--":
            more = False
        elif more and word.startswith("-") and len(word) > 1:
            letters += word[1:]
        else:
            operands.append(word)
    return letters, operands


def ls(phone: VirtualPhone, call: Call) -> int:
    letters, operands = _split(call)
    status = 0
    named: list[tuple[str, StoredFile]] = []
    folders: list[str] = []
    for name in operands or [call.cwd]:
        file = filesystem.stat(phone, call.path(name))
        if file is None:
            status = call.fail(f"ls: {name}: No such file or directory")
        elif file.is_folder and "d" not in letters:
            folders.append(name)
        else:
            named.append((name, file))
    _print_list(call, named, letters)
    for number, name in enumerate(folders):
        if len(operands) > 1:
            call.say(*([""] if number or named else []), f"{name}:")
        path = call.path(name)
        inside = [
            (entry, filesystem.stat(phone, posixpath.join(path, entry))) for entry in filesystem.listing(phone, path)
        ]
        shown = [(entry, file) for entry, file in inside if file and ("a" in letters or not entry.startswith("."))]
        if "l" in letters:
            call.say(f"total {sum((len(file.data) + 4095) // 4096 * 4 for _, file in shown)}")
        _print_list(call, shown, letters)
    return status


def _print_list(call: Call, entries: list[tuple[str, StoredFile]], letters: str) -> None:
    if "t" in letters:
        entries = sorted(entries, key=lambda entry: entry[1].mtime, reverse=True)
    if "r" in letters:
        entries = entries[::-1]
    if "l" not in letters:
        call.say(*(name for name, _ in entries))
        return
    width = max((len(str(len(file.data))) for _, file in entries), default=1)
    for name, file in entries:
        size = str(len(file.data)).rjust(width)
        call.say(f"{mode_text(file.mode)} 1 shell shell {size} {file.mtime:%Y-%m-%d %H:%M} {name}")


def mode_text(mode: int) -> str:
    """`-rw-rw----` and the like."""
    kind = {0o040000: "d", 0o020000: "c"}.get(mode & 0o170000, "-")
    return kind + "".join(letter if mode & (0o400 >> at) else "-" for at, letter in enumerate("rwxrwxrwx"))


def cat(phone: VirtualPhone, call: Call) -> int:
    status = 0
    for name in call.args or ("-",):
        if name == "-":
            call.write(call.stdin)
            continue
        try:
            call.write(filesystem.read(phone, call.path(name)))
        except filesystem.FileError as error:
            status = call.fail(f"cat: {name}: {error}")
    return status


def rm(phone: VirtualPhone, call: Call) -> int:
    letters, operands = _split(call)
    status = 0
    if not operands and "f" not in letters:
        return call.fail("rm: Needs 1 argument")
    for name in operands:
        try:
            filesystem.remove(phone, call.path(name), recursive="r" in letters or "R" in letters)
        except filesystem.FileError as error:
            if "f" not in letters or str(error) != "No such file or directory":
                status = call.fail(f"rm: {name}: {error}")
    return status


def mkdir(phone: VirtualPhone, call: Call) -> int:
    letters, operands = _split(call)
    status = 0
    for name in operands:
        try:
            filesystem.make_folder(phone, call.path(name), parents="p" in letters)
        except filesystem.FileError as error:
            status = call.fail(f"mkdir: '{name}': {error}")
    return status if operands else call.fail("mkdir: Needs 1 argument")


def rmdir(phone: VirtualPhone, call: Call) -> int:
    status = 0
    for name in _split(call)[1]:
        try:
            filesystem.remove_folder(phone, call.path(name))
        except filesystem.FileError as error:
            status = call.fail(f"rmdir: {name}: {error}")
    return status


def touch(phone: VirtualPhone, call: Call) -> int:
    status = 0
    for name in _split(call)[1]:
        path = call.path(name)
        file = filesystem.stat(phone, path)
        try:
            if file is None:
                filesystem.write(phone, path, b"")
            elif not file.is_folder:
                filesystem.write(phone, path, file.data, mode=file.mode)
        except filesystem.FileError as error:
            status = call.fail(f"touch: '{name}': {error}")
    return status


def _transfer(phone: VirtualPhone, call: Call, *, move: bool) -> int:
    _, operands = _split(call)
    if len(operands) < 2:
        return call.fail(f"{call.name}: Needs 2 arguments")
    *sources, target = operands
    status = 0
    for name in sources:
        goal = call.path(target)
        at = filesystem.stat(phone, goal)
        if at is not None and at.is_folder:
            goal = posixpath.join(goal, posixpath.basename(name.rstrip("/")))
        try:
            _copy_tree(phone, call.path(name), goal)
            if move:
                filesystem.remove(phone, call.path(name), recursive=True)
        except filesystem.FileError as error:
            status = call.fail(f"{call.name}: bad '{name}': {error}")
    return status


def _copy_tree(phone: VirtualPhone, source: str, goal: str) -> None:
    file = filesystem.stat(phone, source)
    if file is None:
        raise filesystem.FileError("No such file or directory")
    if not file.is_folder:
        filesystem.write(phone, goal, file.data, mode=file.mode)
        return
    filesystem.make_folder(phone, goal, parents=True)
    for name in filesystem.listing(phone, source):
        _copy_tree(phone, posixpath.join(source, name), posixpath.join(goal, name))


def mv(phone: VirtualPhone, call: Call) -> int:
    return _transfer(phone, call, move=True)


def cp(phone: VirtualPhone, call: Call) -> int:
    return _transfer(phone, call, move=False)


def chmod(phone: VirtualPhone, call: Call) -> int:
    operands = [word for word in call.args if word != "-R"]
    if len(operands) < 2:
        return call.fail("chmod: Needs 2 arguments")
    mode, *names = operands
    status = 0
    for name in names:
        file = filesystem.stat(phone, call.path(name))
        bits = _mode_bits(mode, file.mode if file else 0)
        if bits is None:
            return call.fail(f"chmod: bad mode '{mode}'")
        try:
            filesystem.change_mode(phone, call.path(name), bits)
        except filesystem.FileError as error:
            status = call.fail(f"chmod: {name}: {error}")
    return status


def _mode_bits(mode: str, before: int) -> int | None:
    if mode.isdigit() and all(digit in "01234567" for digit in mode):
        return int(mode, 8)
    who, sign, what = mode.partition("+") if "+" in mode else mode.partition("-")
    if not sign or not set(who) <= set("ugoa") or not set(what) <= set("rwx"):
        return None
    each = sum({"r": 4, "w": 2, "x": 1}[letter] for letter in what)
    groups = "ugo" if not who or "a" in who else who
    bits = sum(each << {"u": 6, "g": 3, "o": 0}[letter] for letter in groups)
    return before & 0o7777 & ~bits if sign == "-" else before & 0o7777 | bits


def stat(phone: VirtualPhone, call: Call) -> int:
    operands = list(call.args)
    form = ""
    if operands[:1] == ["-c"] and len(operands) > 1:
        form, operands = operands[1], operands[2:]
    status = 0
    for name in operands:
        file = filesystem.stat(phone, call.path(name))
        if file is None:
            status = call.fail(f"stat: '{name}': No such file or directory")
            continue
        values = {
            "%s": str(len(file.data)),
            "%a": f"{file.mode & 0o777:o}",
            "%n": name,
            "%F": "directory" if file.is_folder else "regular file",
            "%Y": str(int((file.mtime - datetime(1970, 1, 1)).total_seconds())),
            "%A": mode_text(file.mode),
            "%U": "shell",
            "%G": "shell",
        }
        if form:
            text = form
            for key, value in values.items():
                text = text.replace(key, value)
            call.say(text)
        else:
            call.say(
                f"  File: {name}",
                f"  Size: {len(file.data)}\t {values['%F']}",
                f"Access: (0{file.mode & 0o777:o}/{mode_text(file.mode)})\tUid: ( 2000/ shell)\tGid: ( 2000/ shell)",
                f"Modify: {file.mtime:%Y-%m-%d %H:%M:%S.000000000 +0000}",
            )
    return status


def _digest(algorithm: str) -> Callable[[VirtualPhone, Call], int]:
    def run(phone: VirtualPhone, call: Call) -> int:
        status = 0
        brief, names = "b" in _split(call)[0], _split(call)[1]
        for name in names or ["-"]:
            try:
                data = call.stdin if name == "-" else filesystem.read(phone, call.path(name))
            except filesystem.FileError as error:
                status = call.fail(f"{call.name}: {name}: {error}")
                continue
            digest = hashlib.new(algorithm, data, usedforsecurity=False).hexdigest()
            call.say(digest if brief else f"{digest}  {name}")
        return status

    return run


def df(phone: VirtualPhone, call: Call) -> int:
    total, used = 112_000_000, sum(len(file.data) for file in phone.world.files.values()) // 1024
    call.say("Filesystem     1K-blocks     Used Available Use% Mounted on")
    for device, at in (("/dev/block/dm-5", "/data"), ("/dev/fuse", "/storage/emulated")):
        share = -(-used * 100 // total)
        call.say(f"{device:<15}{total:>9}{used:>9}{total - used:>10}{share:>4}% {at}")
    return 0


def readlink(phone: VirtualPhone, call: Call) -> int:
    for name in _split(call)[1]:
        if call.path(name) == "/sdcard":
            call.say("/storage/self/primary")
        elif "f" in _split(call)[0]:
            call.say(posixpath.normpath(call.path(name)))
        else:
            return 1
    return 0


def find(phone: VirtualPhone, call: Call) -> int:
    """`find FOLDER [-name PATTERN] [-type f|d]`."""
    args = list(call.args)
    start = args.pop(0) if args and not args[0].startswith("-") else "."
    pattern = kind = ""
    while args:
        option = args.pop(0)
        if option == "-name" and args:
            pattern = args.pop(0)
        elif option == "-type" and args and args[0] in ("f", "d"):
            kind = args.pop(0)
        else:
            return call.fail(f"find: bad arg '{option}'")
    root = filesystem.stat(phone, call.path(start))
    if root is None:
        return call.fail(f"find: '{start}': No such file or directory")
    waiting = [start]
    while waiting:
        name = waiting.pop(0)
        file = filesystem.stat(phone, call.path(name))
        assert file is not None
        if file.is_folder:
            waiting[:0] = [
                posixpath.join(name, entry)
                for entry in filesystem.listing(phone, call.path(name))
                if filesystem.stat(phone, posixpath.join(call.path(name), entry))
            ]
        fits = not pattern or fnmatch.fnmatchcase(posixpath.basename(name), pattern)
        if fits and kind in ("", "d" if file.is_folder else "f"):
            call.say(name)
    return 0


def _no_operand(args: Sequence[str]) -> bool:
    return all(word.startswith("-") for word in args)


COMMANDS: dict[str, Command] = {
    **plain(
        ls=ls,
        rm=rm,
        mkdir=mkdir,
        rmdir=rmdir,
        touch=touch,
        mv=mv,
        cp=cp,
        chmod=chmod,
        stat=stat,
        df=df,
        readlink=readlink,
        find=find,
    ),
    "cat": Command(cat, reads=_no_operand),
    **{
        name: Command(_digest(algorithm), reads=_no_operand)
        for name, algorithm in {"md5sum": "md5", "md5": "md5", "sha1sum": "sha1", "sha256sum": "sha256"}.items()
    },
}
