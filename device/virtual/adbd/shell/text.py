"""Filters: what people put behind a pipe."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from device.virtual.adbd import filesystem
from device.virtual.adbd.shell.command import Call, Command
from device.virtual.phone import VirtualPhone


def _inputs(phone: VirtualPhone, call: Call, names: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Each operand's lines, or those of standard input."""
    for name in names or ("-",):
        try:
            data = call.stdin if name == "-" else filesystem.read(phone, call.path(name))
        except filesystem.FileError as error:
            call.complain(f"{call.name}: {name}: {error}")
            continue
        text = data.decode("utf-8", "surrogateescape")
        yield name, text.removesuffix("\n").split("\n") if text else []


def grep(phone: VirtualPhone, call: Call) -> int:
    letters, words, patterns, args = "", [], [], list(call.args)
    while args:
        word = args.pop(0)
        if word == "-e" and args:
            patterns.append(args.pop(0))
        elif word.startswith("-") and len(word) > 1:
            letters += word[1:]
        else:
            words.append(word)
    if not patterns:
        if not words:
            return call.fail("grep: no REGEX", 2)
        patterns.append(words.pop(0))
    expression = "|".join(re.escape(p) if "F" in letters else _as_python(p, "E" in letters) for p in patterns)
    try:
        wanted = re.compile(expression, re.IGNORECASE if "i" in letters else 0)
    except re.error:
        return call.fail(f"grep: bad regex '{expression}'", 2)
    found = 0
    for name, lines in _inputs(phone, call, words):
        hits = [line for line in lines if (wanted.search(line) is not None) != ("v" in letters)]
        found += len(hits)
        prefix = f"{name}:" if len(words) > 1 else ""
        if "q" in letters:
            continue
        if "c" in letters:
            call.say(f"{prefix}{len(hits)}")
        elif "o" in letters:
            call.say(*(prefix + match.group() for line in hits for match in wanted.finditer(line) if match.group()))
        elif "l" in letters:
            call.say(*([name] if hits else []))
        else:
            call.say(*(prefix + line for line in hits))
    return int(not found)


def _as_python(pattern: str, extended: bool) -> str:
    """A POSIX expression in Python's grammar: in the basic one `+?|(){}` are plain unless a backslash stands before."""
    if extended:
        return pattern
    return re.sub(r"\\?[+?|(){}]", lambda match: match[0][1:] if match[0][0] == "\\" else "\\" + match[0], pattern)


def _count(call: Call, default: int) -> tuple[int, list[str]]:
    count, words, args = default, [], list(call.args)
    while args:
        word = args.pop(0)
        if word == "-n" and args:
            count = int(args.pop(0))
        elif re.fullmatch(r"-n?\d+", word):
            count = int(word.lstrip("-n"))
        else:
            words.append(word)
    return count, words


def head(phone: VirtualPhone, call: Call) -> int:
    count, names = _count(call, 10)
    for _, lines in _inputs(phone, call, names):
        call.say(*lines[:count])
    return 0


def tail(phone: VirtualPhone, call: Call) -> int:
    count, names = _count(call, 10)
    for _, lines in _inputs(phone, call, names):
        call.say(*lines[-count:] if count else [])
    return 0


def wc(phone: VirtualPhone, call: Call) -> int:
    letters = "".join(word[1:] for word in call.args if word.startswith("-")) or "lwc"
    names = [word for word in call.args if not word.startswith("-")]
    for name in names or ["-"]:
        try:
            data = call.stdin if name == "-" else filesystem.read(phone, call.path(name))
        except filesystem.FileError as error:
            return call.fail(f"wc: {name}: {error}")
        text = data.decode("utf-8", "replace")
        counts = {"l": data.count(b"\n"), "w": len(text.split()), "c": len(data), "m": len(text)}
        shown = " ".join(str(counts[letter]) for letter in "lwcm" if letter in letters)
        call.say(shown if name == "-" else f"{shown} {name}")
    return 0


def sort(phone: VirtualPhone, call: Call) -> int:
    letters = "".join(word[1:] for word in call.args if word.startswith("-"))
    names = [word for word in call.args if not word.startswith("-")]
    lines = [line for _, some in _inputs(phone, call, names) for line in some]
    numbers = "n" in letters

    def key(line: str) -> tuple[int, str]:
        match = re.match(r"\s*(-?\d+)", line) if numbers else None
        return (int(match[1]) if match else 0, line)

    lines.sort(key=key, reverse="r" in letters)
    call.say(*(dict.fromkeys(lines) if "u" in letters else lines))
    return 0


def uniq(phone: VirtualPhone, call: Call) -> int:
    counted = "-c" in call.args
    runs: list[tuple[int, str]] = []
    for _, lines in _inputs(phone, call, [word for word in call.args if not word.startswith("-")]):
        for line in lines:
            if runs and runs[-1][1] == line:
                runs[-1] = (runs[-1][0] + 1, line)
            else:
                runs.append((1, line))
    call.say(*(f"{count:7} {line}" if counted else line for count, line in runs))
    return 0


def cut(phone: VirtualPhone, call: Call) -> int:
    delimiter, fields, names, args = "\t", "", [], list(call.args)
    while args:
        word = args.pop(0)
        if word in ("-d", "-f") and args:
            word += args.pop(0)
        if word.startswith("-d"):
            delimiter = word[2:]
        elif word.startswith("-f"):
            fields = word[2:]
        else:
            names.append(word)
    wanted: set[int] = set()
    for part in fields.split(","):
        low, dash, high = part.partition("-")
        if not (low.isdigit() and (not dash or high.isdigit() or not high)):
            return call.fail(f"cut: bad list '{fields}'")
        wanted |= set(range(int(low), int(high or 1000) + 1 if dash else int(low) + 1))
    for _, lines in _inputs(phone, call, names):
        for line in lines:
            parts = line.split(delimiter)
            kept = [part for number, part in enumerate(parts, 1) if number in wanted]
            call.say(delimiter.join(kept) if len(parts) > 1 else line)
    return 0


def tr(phone: VirtualPhone, call: Call) -> int:
    text = call.stdin.decode("utf-8", "surrogateescape")
    words = [word.replace("\\n", "\n").replace("\\r", "\r").replace("\\t", "\t") for word in call.args]
    match words:
        case ["-d", gone]:
            text = "".join(char for char in text if char not in gone)
        case [old, new] if new:
            text = text.translate({ord(char): new[min(at, len(new) - 1)] for at, char in enumerate(old)})
        case _:
            return call.fail("tr: Needs 2 arguments")
    call.write(text.encode("utf-8", "surrogateescape"))
    return 0


def _operands(args: Sequence[str]) -> list[str]:
    return [word for word in args if not word.startswith("-") or word == "-"]


def _without_operand(args: Sequence[str]) -> bool:
    return not _operands(args) or "-" in args


def _without_second_operand(args: Sequence[str]) -> bool:
    return len(_operands(args)) + args.count("-e") < 2


COMMANDS: dict[str, Command] = {
    "grep": Command(grep, reads=_without_second_operand),
    "head": Command(head, reads=lambda args: not [word for word in _operands(args) if not word.isdigit()]),
    "tail": Command(tail, reads=lambda args: not [word for word in _operands(args) if not word.isdigit()]),
    "wc": Command(wc, reads=_without_operand),
    "sort": Command(sort, reads=_without_operand),
    "uniq": Command(uniq, reads=_without_operand),
    "cut": Command(cut, reads=lambda args: not _operands(args)),
    "tr": Command(tr, reads=lambda args: True),
}
