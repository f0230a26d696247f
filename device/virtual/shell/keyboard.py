"""The on-screen keyboard: what it shows for a state, and what a key does to that state.

The session keeps layer and shift while a field has the focus, shows `keyboard` in a window of its own with
`height(env)` dp for the keys, and answers `ime.key(value)` with what `press` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, assert_never

from device.virtual.ui import Column, Key, Node, Row, Spacer

if TYPE_CHECKING:
    from device.virtual.core.app import ScreenState
    from device.virtual.core.world import World
    from device.virtual.ui.env import Env

Layer = Literal["letters", "symbols", "more", "digits"]
Shift = Literal["off", "once", "caps"]

SHIFT, SYMBOLS, MORE, LETTERS, BACKSPACE, ENTER, HIDE = (
    "shift",
    "symbols",
    "more",
    "letters",
    "backspace",
    "enter",
    "hide",
)
"""Values of the function keys; every other value is the text the key commits (a space is `" "`)."""

_LETTERS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_SYMBOLS = ("1234567890", "@#$_&-+()/", "*\"':;!?")
_MORE = ("~`|•√π÷×§∆", "£¢€¥^°={}\\", "%©®[]<>")
_DIGITS = ("+123", "-456", "*789", "#(0)")
_FIELD_LAYERS: dict[str, Layer] = {"phone": "digits", "number": "digits"}
_ROW_HEIGHT = 46.0  # dp of a key with its gap on a 6-inch phone
_PADDING = 8.0
_TALL_DP = 600.0  # from this smallest width on Android calls a screen a tablet (sw600dp)


@dataclass(frozen=True, slots=True)
class KeyboardState:
    """What the keyboard shows: which layer, and whether the next letter is a capital."""

    layer: Layer = "letters"
    shift: Shift = "off"

    @classmethod
    def opened(cls, kind: str = "text", text: str = "") -> KeyboardState:
        """The state on entering a field: digits for numbers, a capital at the start of plain text."""
        layer = _FIELD_LAYERS.get(kind, "letters")
        return cls(layer, "once" if kind == "text" and not text else "off")


@dataclass(frozen=True, slots=True)
class Stroke:
    """What a key press asks of the focused field: text to commit, or one of the function keys."""

    text: str = ""
    function: Literal["", "backspace", "enter", "hide"] = ""


def press(state: KeyboardState, value: str) -> tuple[KeyboardState, Stroke]:
    """The state after the key `value`, and what the field gets. Shift goes off, once, caps, off."""
    match value:
        case "shift":
            return replace(state, shift=_next_shift(state.shift)), Stroke()
        case "symbols" | "more" | "letters":
            return KeyboardState(value), Stroke()
        case "backspace" | "enter" | "hide":
            return state, Stroke(function=value)
    if state.shift == "once" and value != " ":
        state = replace(state, shift="off")
    return state, Stroke(text=value)


def height(env: Env) -> float:
    """Height of the keyboard in dp without the navigation bar below it."""
    rows = 4 * (_ROW_HEIGHT + (10 if min(env.width_dp, env.height_dp) >= _TALL_DP else 0))
    landscape = env.width_dp > env.height_dp and env.height_dp < _TALL_DP
    return (rows * 0.8 if landscape else rows) + 2 * _PADDING


def keyboard(_w: World, s: ScreenState, env: Env) -> Node:
    """The keys of the layer in `s.view("layer")`, as capitals when `s.view("shift")` is not "off"."""
    return keys(KeyboardState(s.view("layer", "letters"), s.view("shift", "off")), env, action=s.system.action)


def keys(state: KeyboardState, env: Env, *, action: str = "") -> Node:
    """The keys of `state`; `action` is what enter means: next, done, search, send, or a plain new line."""
    match state.layer:
        case "letters":
            rows = _letter_rows(state, env, action)
        case "symbols":
            rows = _symbol_rows(_SYMBOLS, Key("=\\<", MORE, width=1.5, style="function"), env, action)
        case "more":
            rows = _symbol_rows(_MORE, Key("?123", SYMBOLS, width=1.5, style="function"), env, action)
        case "digits":
            rows = _digit_rows(action)
        case _:
            assert_never(state.layer)
    return Column(
        *(Row(*keys, align="stretch", weight=1) for keys in rows),
        id="keyboard",
        bg="keyboard",
        align="stretch",
        pad=(3, _PADDING, 3, _PADDING),
    )


def _letter_rows(state: KeyboardState, env: Env, action: str) -> list[Sequence[Node]]:
    upper = state.shift != "off"
    first, second, third = ([_letter(c.upper() if upper else c) for c in row] for row in _LETTERS)
    shift = Key(
        "",
        SHIFT,
        width=1.5,
        style="function",
        icon={"off": "shift", "once": "shift", "caps": "shift_lock"}[state.shift],
        desc={"off": "Shift", "once": "Shift on", "caps": "Caps lock on"}[state.shift],
        selected=upper,
    )
    return [
        first,
        [Spacer(weight=0.5), *second, Spacer(weight=0.5)],
        [shift, *third, _backspace(1.5)],
        _bottom_row(Key("?123", SYMBOLS, width=1.5, style="function"), env, action),
    ]


def _symbol_rows(layer: Sequence[str], switch: Node, env: Env, action: str) -> list[Sequence[Node]]:
    first, second, third = ([_letter(c) for c in row] for row in layer)
    return [
        first,
        second,
        [switch, *third, _backspace(1.5)],
        _bottom_row(Key("ABC", LETTERS, width=1.5, style="function"), env, action),
    ]


def _digit_rows(action: str) -> list[Sequence[Node]]:
    last = (
        _backspace(1.0),
        Key("", " ", style="function", icon="space_bar", desc="Space"),
        _letter(","),
        _enter(action, 1.0),
    )
    return [[*(_letter(c) for c in row), end] for row, end in zip(_DIGITS, last, strict=True)]


def _bottom_row(switch: Node, env: Env, action: str) -> Sequence[Node]:
    return (
        switch,
        Key(",", ",", style="function"),
        Key("", HIDE, style="function", icon="keyboard_hide", desc="Hide keyboard"),
        Key("空格" if env.lang == "zh" else "English", " ", width=4.0, desc="Space"),
        Key(".", ".", style="function"),
        _enter(action, 1.5),
    )


def _letter(char: str) -> Node:
    return Key(char, char)


def _backspace(width: float) -> Node:
    return Key("", BACKSPACE, width=width, style="function", icon="backspace", desc="Delete")


def _enter(action: str, width: float) -> Node:
    icon = {"search": "search", "send": "send", "next": "arrow_forward", "done": "check"}.get(action, "keyboard_return")
    return Key("", ENTER, width=width, style="enter", icon=icon, desc=action.capitalize() or "Enter")


def _next_shift(shift: Shift) -> Shift:
    order: tuple[Shift, ...] = ("off", "once", "caps")
    return order[(order.index(shift) + 1) % 3]
