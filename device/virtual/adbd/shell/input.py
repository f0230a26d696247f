"""The command `input`: fingers and keys from outside. Grammar of AOSP's InputShellCommand (API 34)."""

from __future__ import annotations

from device.virtual.adbd.shell.command import Call, Command
from device.virtual.adbd.shell.keys import MODIFIERS, code_of
from device.virtual.errors import UnmappedCharacter
from device.virtual.faults.hand import Hand, InjectionNotAllowed
from device.virtual.phone import VirtualPhone

SOURCES = frozenset(
    [
        "dpad",
        "gamepad",
        "joystick",
        "keyboard",
        "mouse",
        "rotaryencoder",
        "stylus",
        "touchnavigation",
        "touchpad",
        "touchscreen",
        "trackball",
    ]
)
DEFAULT_SWIPE_MS = 300.0
REFUSED = 255
"""Exit status of a command that ended with an exception on the phone."""

NOT_ALLOWED = (
    "java.lang.SecurityException: Injecting input events requires the caller (or the source of the instrumentation, "
    "if any) to have the INJECT_EVENTS permission."
)
USAGE = """Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]
commands: text, keyevent, tap, swipe, draganddrop, motionevent, keycombination"""


class _Bad(Exception):
    """Arguments the command cannot take, as a Java exception's name and message."""


def input_(phone: VirtualPhone, call: Call) -> int:
    args = list(call.args)
    if args and args[0] in SOURCES:
        args.pop(0)
    display = "0"
    if args[:1] == ["-d"] and len(args) > 1:
        display, args = args[1], args[2:]
    if not args:
        return call.fail(USAGE, REFUSED)
    name, *rest = args
    runs = {
        "tap": _tap,
        "swipe": _swipe,
        "draganddrop": _drag,
        "text": _text,
        "keyevent": _keys,
        "motionevent": _motion,
        "keycombination": _combination,
    }
    run = runs.get(name)
    if run is None:
        phone.journal.append("unknown", {"command": "input", "args": [name]})
        return call.fail(f"Error: Unknown command: {name}\n{USAGE}", REFUSED)
    if display not in ("0", "-1"):  # another screen, which this phone does not have
        return 0
    try:
        run(call.hand(phone), call, name, rest)
    except InjectionNotAllowed:
        return call.fail(f"\nException occurred while executing '{name}':\n{NOT_ALLOWED}", REFUSED)
    except _Bad as error:
        return call.fail(f"\nException occurred while executing '{name}':\n{error}", REFUSED)
    return 0


def _numbers(name: str, words: list[str], least: int) -> list[float]:
    if len(words) < least:
        raise _Bad(f'java.lang.IllegalArgumentException: Argument expected after "{(words or [name])[-1]}"')
    try:
        return [float(word) for word in words]
    except ValueError:
        wrong = next(word for word in words if not _is_float(word))
        raise _Bad(f'java.lang.NumberFormatException: For input string: "{wrong}"') from None


def _is_float(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _tap(hand: Hand, call: Call, name: str, words: list[str]) -> None:
    x, y = _numbers(name, words[:2], 2)
    call.wait_for(hand.tap(x, y))


def _swipe(hand: Hand, call: Call, name: str, words: list[str]) -> None:
    x1, y1, x2, y2, *rest = _numbers(name, words[:5], 4)
    call.wait_for(hand.swipe([(x1, y1), (x2, y2)], rest[0] if rest else DEFAULT_SWIPE_MS))


def _drag(hand: Hand, call: Call, name: str, words: list[str]) -> None:
    x1, y1, x2, y2, *rest = _numbers(name, words[:5], 4)
    call.wait_for(hand.drag([(x1, y1), (x2, y2)], rest[0] if rest else DEFAULT_SWIPE_MS))


def _text(hand: Hand, call: Call, name: str, words: list[str]) -> None:
    if not words:
        raise _Bad('java.lang.IllegalArgumentException: Argument expected after "text"')
    try:
        hand.type_text(words[0].replace("%s", " "))
    except UnmappedCharacter:
        raise _Bad(
            "java.lang.NullPointerException: Attempt to get length of null array\n"
            "\tat com.android.server.input.InputShellCommand.sendText(InputShellCommand.java:363)"
        ) from None


def _keys(hand: Hand, call: Call, name: str, words: list[str]) -> None:
    long = double = False
    args = list(words)
    while args and args[0].startswith("--"):
        option = args.pop(0)
        long |= option == "--longpress"
        double |= option == "--doubletap"
        if option in ("--duration", "--delay") and args:
            long |= option == "--duration" and float(args.pop(0)) >= 500
    if not args:
        raise _Bad('java.lang.IllegalArgumentException: Argument expected after "keyevent"')
    for word in args:
        for _ in range(2 if double else 1):
            hand.key(code_of(word), 0, long)


def _motion(hand: Hand, call: Call, name: str, words: list[str]) -> None:
    if not words or words[0].upper() not in ("DOWN", "UP", "MOVE", "CANCEL"):
        raise _Bad("java.lang.IllegalArgumentException: Unknown action: " + (words[0] if words else "null"))
    x, y = _numbers(name, words[1:3], 2) if words[0].upper() != "CANCEL" else (0.0, 0.0)
    match words[0].upper():
        case "DOWN":
            hand.pointer("down", x, y)
        case "MOVE":
            hand.pointer("move", x, y)
        case "UP":
            hand.pointer("up", x, y)
        case _:
            hand.pointer("cancel", x, y)


def _combination(hand: Hand, call: Call, name: str, words: list[str]) -> None:
    args = words[2:] if words[:1] == ["-t"] else words
    codes = [code_of(word) for word in args]
    if len(codes) < 2:
        raise _Bad("java.lang.IllegalArgumentException: keycombination requires at least 2 keycodes")
    meta = 0
    for code in codes:
        meta |= MODIFIERS.get(code, 0)
    for code in codes:
        if code not in MODIFIERS:
            hand.key(code, meta)


COMMANDS: dict[str, Command] = {"input": Command(input_)}
