"""Typing as a verified operation: put the text in, read the field back, compare.

`input text` loses or refuses most of the world's characters, so the order is: set the text on the focused node,
then paste, and `input text` only where UiAutomation may not be used.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from device.adb import commands
from device.adb.client import Link
from device.adb.refusals import translated
from device.adb.u2 import FOCUSED, U2
from device.errors import DeviceError, NoFocusedField, UnsupportedText

BULLETS = frozenset("•●*")
"""What password fields show instead of their text."""
MOVE_END, DELETE = 123, 67
ERASE = 100
"""Deletes sent to empty a field that cannot be read; on an empty field they do nothing."""


@dataclass(frozen=True, slots=True)
class Landed:
    """What the field holds now; `text` is None where it was not or may not be read."""

    path: str
    text: str | None
    note: str = ""


def same(one: str, other: str) -> bool:
    """Equal after Unicode composition: a field may store é as one character or two."""
    return unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other)


def _hidden(text: str) -> bool:
    return bool(text) and set(text) <= BULLETS


async def type_by_automation(u2: U2, text: str, replace: bool, handed_over: Callable[[], None]) -> Landed:
    """Type into the focused field. Raises NoFocusedField before anything is sent."""
    node = await u2.focused()
    if node is None or (
        "Edit" not in str(node.get("className", "")) and "AutoComplete" not in str(node.get("className", ""))
    ):
        raise NoFocusedField("no text field has the focus", advice="Tap the field first.")
    if replace:
        await u2.call("setText", FOCUSED, text, handed_over=handed_over)
        landed = await u2.focused_text()
        if same(landed, text) or _hidden(landed):
            return _verdict("set_text", landed, text)
        # The field took something else (a formatter, a lost event): replacing it once more by paste cannot double it.
        await u2.call("clearTextField", FOCUSED)
    before = "" if replace else await u2.focused_text()
    await _paste(u2, text, handed_over)
    landed = await u2.focused_text()
    return _verdict("paste", landed, text if replace else before + text)


async def _paste(u2: U2, text: str, handed_over: Callable[[], None]) -> None:
    kept = await u2.call("getClipboard")
    try:
        await u2.call("setClipboard", None, text)
        await u2.call("pasteClipboard", handed_over=handed_over)
    finally:
        # Also when cancelled: what was copied before belongs to the phone's owner.
        await u2.call("setClipboard", None, kept if isinstance(kept, str) else "")


def _verdict(path: str, landed: str, wanted: str) -> Landed:
    if _hidden(landed):
        return Landed(path, None, "the field hides what it holds")
    if same(landed, wanted):
        return Landed(path, landed)
    return Landed(path, landed, f"the field holds {len(landed)} characters instead of the {len(wanted)} typed")


async def type_by_input(link: Link, text: str, replace: bool, handed_over: Callable[[], None]) -> Landed:
    """Type through `input`, blindly. Raises UnsupportedText before anything is sent."""
    if not commands.typeable(text):
        raise UnsupportedText(
            "without UiAutomation this phone can only be typed to in plain ASCII",
            serial=link.serial,
            advice="Consent to UiAutomation for this phone, or turn its accessibility services off.",
        )
    if replace:
        await send(link, commands.keys([MOVE_END, *[DELETE] * ERASE]), handed_over)
    if text:
        await send(link, commands.type_text(text), handed_over)
    return Landed("input", None, "the field was not read back")


async def clear_by_input(link: Link, handed_over: Callable[[], None]) -> Landed:
    await send(link, commands.keys([MOVE_END, *[DELETE] * ERASE]), handed_over)
    return Landed("input", None, "the field was not read back")


async def clear_by_automation(u2: U2, handed_over: Callable[[], None]) -> Landed:
    """Empty the focused field. Raises NoFocusedField."""
    if await u2.focused() is None:
        raise NoFocusedField("no text field has the focus", advice="Tap the field first.")
    await u2.call("clearTextField", FOCUSED, handed_over=handed_over)
    return Landed("clear_text", None)


async def send(link: Link, argv: list[str], handed_over: Callable[[], None], deadline: float = 10.0) -> None:
    """One `input` command. Raises the error that its words mean: `input` prints exceptions and may still exit 0."""
    answer = await link.shell(argv, deadline, handed_over)
    words = (answer.out + answer.err).decode(errors="replace").strip()
    if answer.code != 0 or "Exception" in words or words.startswith("Error"):
        error: DeviceError = translated(words or f"`input` ended with code {answer.code}", serial=link.serial)
        raise error
