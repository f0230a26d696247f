"""What is sent to a phone as a command line, and the only place where fractions become pixels."""

from __future__ import annotations

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
KEYCODE_A, KEYCODE_V = 29, 50
META_CTRL = 0x3000
"""META_CTRL_ON | META_CTRL_LEFT_ON."""


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


def key(code: int) -> list[str]:
    return ["input", "keyevent", str(code)]


def keys(codes: Sequence[int]) -> list[str]:
    return ["input", "keyevent", *map(str, codes)]


def typeable(text: str) -> bool:
    """Whether `input text` lands these characters exactly: printable ASCII without `%`.

    `%s` becomes a space there, other characters raise a NullPointerException on the phone.
    """
    return all(" " <= one <= "~" and one != "%" for one in text)


def type_text(text: str) -> list[str]:
    """For `typeable` text only; a space must be written %s."""
    if not typeable(text):
        raise ValueError("`input text` takes printable ASCII without %")
    return ["input", "text", text.replace(" ", "%s")]


def setting(namespace: str, name: str) -> list[str]:
    return ["settings", "get", namespace, name]


def resolve_launcher(package: str) -> list[str]:
    return [
        *("cmd", "package", "resolve-activity", "--brief"),
        *("-a", "android.intent.action.MAIN", "-c", "android.intent.category.LAUNCHER", package),
    ]


def start_activity(component: str) -> list[str]:
    return ["am", "start", "-W", "-n", component]
