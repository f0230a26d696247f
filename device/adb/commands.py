"""What is sent to a phone as a command line, and the only place where fractions become pixels."""

from __future__ import annotations

import base64
import shlex
from collections.abc import Sequence

from device.actions import Key
from device.geometry import Point, Size

KEY_CODES: dict[Key, int] = {
    Key.HOME: 3,
    Key.BACK: 4,
    Key.VOLUME_UP: 24,
    Key.VOLUME_DOWN: 25,
    Key.TAB: 61,
    Key.ENTER: 66,
    Key.DELETE: 67,
    Key.RECENTS: 187,
    Key.SLEEP: 223,
    Key.WAKE: 224,
}
"""Source: android.view.KeyEvent."""
MOVE_END = 123
ERASED = 100
"""Characters that are deleted from a field which cannot be read; in an empty field the keys do nothing."""
CHUNK = 100
"""Characters per `input text`: fields that redraw lose events of a long burst, and each call costs 0.2 s."""


def quoted(argv: Sequence[str]) -> str:
    """One command line for the phone's POSIX shell, every word quoted. Raises ValueError on a NUL or no words."""
    if not argv:
        raise ValueError("a command needs at least one word")
    if any("\0" in word for word in argv):
        raise ValueError("a command line cannot hold the character NUL")
    return " ".join(shlex.quote(word) for word in argv)


def tap(at: Point, size: Size) -> list[str]:
    x, y = at.to_pixel(size)
    return ["input", "tap", str(x), str(y)]


def swipe(start: Point, end: Point, seconds: float, size: Size) -> list[str]:
    (x1, y1), (x2, y2) = start.to_pixel(size), end.to_pixel(size)
    return ["input", "swipe", str(x1), str(y1), str(x2), str(y2), str(round(seconds * 1000))]


def long_press(at: Point, seconds: float, size: Size) -> list[str]:
    """`input` has no long press; a swipe that stays where it is holds the finger down."""
    return swipe(at, at, seconds, size)


def drag(start: Point, end: Point, seconds: float, size: Size) -> list[str]:
    (x1, y1), (x2, y2) = start.to_pixel(size), end.to_pixel(size)
    return ["input", "draganddrop", str(x1), str(y1), str(x2), str(y2), str(round(seconds * 1000))]


def motion_event(action: str, x: int, y: int) -> list[str]:
    """One event of a finger in pixels: DOWN, MOVE, UP or CANCEL; Android 10 and later."""
    return ["input", "motionevent", action, str(x), str(y)]


def key(code: int) -> list[str]:
    return ["input", "keyevent", str(code)]


def erase(characters: int = ERASED) -> list[str]:
    """Go to the end and delete that many characters."""
    return ["input", "keyevent", str(MOVE_END), *[str(KEY_CODES[Key.DELETE])] * characters]


def typeable(text: str) -> bool:
    """Whether `input text` lands these characters exactly: printable ASCII without `%`.

    `%s` becomes a space there, other characters raise a NullPointerException on the phone.
    """
    return all(" " <= one <= "~" and one != "%" for one in text)


def type_text(text: str) -> list[list[str]]:
    """Commands for `typeable` text only; a space must be written %s. Raises ValueError on other text."""
    if not typeable(text):
        raise ValueError("`input text` takes printable ASCII without %")
    chunks = [text[at : at + CHUNK] for at in range(0, len(text), CHUNK)]
    return [["input", "text", chunk.replace(" ", "%s")] for chunk in chunks]


ADB_KEYBOARDS: dict[str, tuple[str, str, str]] = {
    "com.github.uiautomator/.AdbKeyboard": ("ADB_KEYBOARD_INPUT_TEXT", "text", "ADB_KEYBOARD_CLEAR_TEXT"),
    "com.android.adbkeyboard/.AdbIME": ("ADB_INPUT_B64", "msg", "ADB_CLEAR_TEXT"),
}
"""Keyboards that take text by broadcast: the action, its extra, the action that empties the field.

Sources: openatx/uiautomator2, uiautomator2/_input.py; senzhk/ADBKeyBoard, README.
"""


def broadcast_text(keyboard: str, text: str) -> list[str]:
    """Base64, because the plain variants lose quotes and question marks."""
    action, extra, _ = ADB_KEYBOARDS[keyboard]
    return ["am", "broadcast", "-a", action, "--es", extra, base64.b64encode(text.encode()).decode()]


def broadcast_clear(keyboard: str) -> list[str]:
    return ["am", "broadcast", "-a", ADB_KEYBOARDS[keyboard][2]]


def keyboards() -> list[str]:
    """All keyboards that are installed, one per line."""
    return ["ime", "list", "-s", "-a"]


def enable_keyboard(component: str) -> list[str]:
    return ["ime", "enable", component]


def disable_keyboard(component: str) -> list[str]:
    return ["ime", "disable", component]


def choose_keyboard(component: str) -> list[str]:
    return ["ime", "set", component]


def setting(namespace: str, name: str) -> list[str]:
    return ["settings", "get", namespace, name]


_LAUNCHER = ("--brief", "-a", "android.intent.action.MAIN", "-c", "android.intent.category.LAUNCHER")


def resolve_launcher(package: str) -> list[str]:
    return ["cmd", "package", "resolve-activity", *_LAUNCHER, package]


def query_launcher(package: str) -> list[str]:
    return ["cmd", "package", "query-activities", *_LAUNCHER, package]


def start_activity(component: str) -> list[str]:
    return ["am", "start", "-W", "-n", component]
