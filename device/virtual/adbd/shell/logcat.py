"""The command `logcat`: the phone's journal as Android's log. What somebody typed never shows in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

from device.virtual.adbd.shell.command import STDOUT, Call, Command, Console
from device.virtual.core.journal import Entry
from device.virtual.phone import VirtualPhone

TAGS: Mapping[str, tuple[str, str]] = {
    # kind: level and tag
    "input": ("I", "Input"),
    "command": ("D", "World"),
    "start": ("I", "ActivityTaskManager"),
    "toast": ("I", "NotificationService"),
    "key": ("D", "Input"),
    "text": ("D", "InputMethod"),
    "fault": ("E", "Fault"),
    "unknown": ("W", "Unknown"),
    "window": ("I", "WindowManager"),
}
LEVELS = "VDIWEFS"
PID = 634
_TOLD = ("action", "x", "y", "duration_ms", "command", "component", "screen", "start", "package", "power", "rotation")
"""Members of an entry that are never text somebody typed."""
_VALUED = {"-b", "--buffer", "-r", "-n", "-f", "--pid", "-T", "-e", "--regex", "-m"}
FOREVER_SECONDS = 1e9
HEAD = "--------- beginning of main"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`last` limits how many entries are shown; `filters` is tag (or `*`) to the least level."""

    form: str = "threadtime"
    dump: bool = False
    clear: bool = False
    last: int | None = None
    filters: Mapping[str, str] | None = None


def parse_options(args: tuple[str, ...]) -> Options | None:
    """The options, or None when one is unknown."""
    options, words = Options(), list(args)
    filters: dict[str, str] = {}
    while words:
        word = words.pop(0)
        if word in ("-v", "--format") and words:
            options = replace(options, form=words.pop(0))
        elif word in ("-d", "--dump"):
            options = replace(options, dump=True)
        elif word in ("-c", "--clear"):
            options = replace(options, clear=True)
        elif word in ("-t", "--tail") and words and words[0].isdigit():
            options = replace(options, last=int(words.pop(0)), dump=True)
        elif word == "-s":
            filters["*"] = "S"
        elif word in _VALUED and words:
            words.pop(0)
        elif word.startswith("-"):
            return None
        else:
            tag, _, level = word.partition(":")
            filters[tag] = (level or "V").upper()
    return replace(options, filters=filters or None)


async def logcat(console: Console, call: Call) -> int:
    options = parse_options(call.args)
    if options is None:
        return call.fail(f"logcat: Unknown option in '{' '.join(call.args)}'", 1)
    if options.clear:
        console.device.log_start = await console.host.run(lambda phone: len(phone.journal))
        return 0
    at = console.device.log_start
    lines, at = await console.host.run(partial(_lines, options=options, since=at))
    shown = lines if options.last is None else lines[-options.last :]
    if options.dump:
        call.say(HEAD, *shown)
        return 0
    await _print(console, [HEAD, *shown])
    while True:
        await console.host.until(partial(_longer, than=at), FOREVER_SECONDS)
        lines, at = await console.host.run(partial(_lines, options=options, since=at))
        await _print(console, lines)


async def _print(console: Console, lines: list[str]) -> None:
    if lines:
        await console.send([(STDOUT, "".join(f"{line}\n" for line in lines).encode())])


def _longer(phone: VirtualPhone, than: int) -> bool:
    return len(phone.journal) > than


def _lines(phone: VirtualPhone, options: Options, since: int) -> tuple[list[str], int]:
    """Formatted entries since that number, and the number to go on from."""
    entries = phone.journal.entries(since=since)
    zero = phone.clock.wall() - timedelta(milliseconds=phone.clock.now_ms())
    lines = []
    for entry in entries:
        level, tag = TAGS[entry.kind]
        if _passes(options.filters, tag, level):
            moment = zero + timedelta(milliseconds=entry.ms)
            stamp = f"{moment:%m-%d %H:%M:%S}.{moment.microsecond // 1000:03d}"
            lines.append(_format(options.form, stamp, level, tag, message(entry)))
    return lines, since + len(entries)


def message(entry: Entry) -> str:
    """The entry in one line, without what was typed."""
    told = [f"{key}={entry.data[key]}" for key in _TOLD if key in entry.data]
    return " ".join([entry.kind, *([entry.cause] if entry.cause else []), *told])


def _passes(filters: Mapping[str, str] | None, tag: str, level: str) -> bool:
    if not filters:
        return True
    least = filters.get(tag, filters.get("*", "V"))
    return least in LEVELS and LEVELS.index(level) >= LEVELS.index(least)


def _format(form: str, stamp: str, level: str, tag: str, text: str) -> str:
    match form:
        case "brief":
            return f"{level}/{tag}({PID:5}): {text}"
        case "time":
            return f"{stamp} {level}/{tag}({PID:5}): {text}"
        case "tag":
            return f"{level}/{tag}: {text}"
        case "raw":
            return text
        case _:
            return f"{stamp} {PID:5} {PID:5} {level} {tag}: {text}"


COMMANDS: dict[str, Command] = {"logcat": Command(wait=logcat)}
