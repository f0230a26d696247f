"""Key codes of Android (`android.view.KeyEvent`) and the US key map behind `input text` (Generic.kcm)."""

from __future__ import annotations

from device.virtual.errors import UnmappedCharacter

HOME, BACK = 3, 4
DPAD_UP, DPAD_DOWN, DPAD_LEFT, DPAD_RIGHT, DPAD_CENTER = 19, 20, 21, 22, 23
VOLUME_UP, VOLUME_DOWN, POWER, CLEAR = 24, 25, 26, 28
DIGIT_0, LETTER_A = 7, 29
TAB, SPACE, ENTER, DEL, MENU, SEARCH = 61, 62, 66, 67, 82, 84
PAGE_UP, PAGE_DOWN, ESCAPE, FORWARD_DEL, MOVE_HOME, MOVE_END = 92, 93, 111, 112, 122, 123
VOLUME_MUTE, NUMPAD_ENTER, APP_SWITCH = 164, 160, 187
BRIGHTNESS_DOWN, BRIGHTNESS_UP, SLEEP, WAKEUP = 220, 221, 223, 224
CUT, COPY, PASTE = 277, 278, 279

A, C, V, X = LETTER_A, LETTER_A + 2, LETTER_A + 21, LETTER_A + 23

META_SHIFT, META_ALT, META_CTRL = 0x1, 0x2, 0x1000
"""Bits of a key event's meta state."""

_DIGIT_SHIFTED = ")!@#$%^&*("
_OTHERS: dict[int, tuple[str, str]] = {
    55: (",", "<"),
    56: (".", ">"),
    SPACE: (" ", " "),
    68: ("`", "~"),
    69: ("-", "_"),
    70: ("=", "+"),
    71: ("[", "{"),
    72: ("]", "}"),
    73: ("\\", "|"),
    74: (";", ":"),
    75: ("'", '"'),
    76: ("/", "?"),
    77: ("@", "@"),
    17: ("*", "*"),
    18: ("#", "#"),
    81: ("+", "+"),
}
TYPABLE = frozenset(chr(code) for code in range(0x20, 0x7F)) | {"\n", "\t"}
"""Characters that the US key map can type."""


def character(code: int, meta: int = 0) -> str:
    """The character a key types with these modifiers; empty for keys that type nothing."""
    shifted = bool(meta & META_SHIFT)
    if DIGIT_0 <= code < DIGIT_0 + 10:
        digit = code - DIGIT_0
        return _DIGIT_SHIFTED[digit] if shifted else str(digit)
    if LETTER_A <= code < LETTER_A + 26:
        return chr((ord("A") if shifted else ord("a")) + code - LETTER_A)
    if 144 <= code <= 153:  # numpad 0 to 9
        return str(code - 144)
    pair = _OTHERS.get(code)
    return pair[shifted] if pair else ""


def check_typable(text: str) -> None:
    """Raise UnmappedCharacter for the first character without a key."""
    for char in text:
        if char not in TYPABLE:
            raise UnmappedCharacter(char)
