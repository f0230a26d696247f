"""Typing as a verified operation: put the text in, read the field back, compare.

`input text` loses or refuses most of the world's characters, so the order is: set the text on the focused node,
then paste, and `input text` only where UiAutomation may not be used. Setting replaces the whole text, so it can
mend what another way left behind without doubling it. Nothing is installed, no keyboard is switched, the clipboard
is put back, and errors tell lengths, never contents.
"""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from device.adb import commands, parsers, probe, tree
from device.adb.client import Link
from device.adb.refusals import translated
from device.adb.tree import Field
from device.adb.u2 import RPC_DEADLINE, U2, focused
from device.base import Answer
from device.clock import Clock
from device.errors import CommandRefused, NoFocusedField, TextNotLanded, UnsupportedText

HandedOver = Callable[[], None]
READ_BACK = 0.6
"""Seconds a field gets to show what was put into it."""
READ_INTERVAL = 0.05
RESTORE_DEADLINE = 3.0
"""Seconds for putting the clipboard back, which a cancelled act waits for."""
UNREAD = "the field was not read back"
SET_TEXT, PASTE = "set_text", "paste"
PLAIN_FIELD = "android.widget.EditText"


@dataclass(frozen=True, slots=True)
class Landed:
    """What became of it; `text` is None where the field was not or may not be read."""

    path: str
    text: str | None = None
    note: str = ""
    changed: Answer = Answer.UNKNOWN


def same(one: str, other: str) -> bool:
    """Equal after Unicode composition: a field may store é as one character or two."""
    return unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other)


def inserted(before: str, text: str, after: str) -> bool:
    """Whether `after` is `before` with `text` put in somewhere: the caret may stand anywhere."""
    before, text, after = (unicodedata.normalize("NFC", one) for one in (before, text, after))
    if len(after) != len(before) + len(text):
        return False
    return any(before[:at] + text + before[at:] == after for at in range(len(before) + 1))


def reformatted(text: str, landed: str) -> bool:
    """Whether a field merely put its own punctuation into the text, as fields for telephone numbers do."""
    letters = ["".join(filter(str.isalnum, one)).casefold() for one in (text, landed)]
    return bool(letters[0]) and letters[0] == letters[1]


def dots(text: str) -> set[int]:
    """How many dots a password field may show for a text: one per character, or per UTF-16 unit."""
    return {len(text), len(text.encode("utf-16-le")) // 2}


class Typist:
    """Types into one phone. The server is passed with each call: it may come and go."""

    def __init__(self, link: Link, clock: Clock, *, use_tree: bool) -> None:
        self._link = link
        self._clock = clock
        self._use_tree = use_tree

    async def type(self, text: str, replace: bool, u2: U2 | None, sent: HandedOver) -> Landed:
        """Type into the focused field. Raises NoFocusedField and UnsupportedText before anything is sent,
        TextNotLanded when the field holds something else afterwards."""
        _check(text, self._link.serial)
        if u2 is None:
            return await self._by_input(text, replace, sent)
        field, names = await self._focused(u2)
        if field is None:
            return await self._unseen(text, replace, names, u2, sent)
        goal = _Goal(field, text, replace, certain=self._use_tree)
        held = ""
        for path in goal.paths:
            await self._put(path, goal, u2, sent)
            after = await self._read(u2, field, goal.met)
            if after is None:
                return Landed(path, note=UNREAD)
            if (landed := goal.verdict(path, after)) is not None:
                return landed
            held = after
        raise TextNotLanded(
            f"the field holds {len(held)} characters instead of {len(goal.whole)}",
            serial=self._link.serial,
            advice="The field may limit or correct what is typed; look at it.",
        )

    async def _put(self, path: str, goal: _Goal, u2: U2, sent: HandedOver) -> None:
        selector = focused(goal.field.class_name)
        if path == SET_TEXT:
            await u2.call("setText", selector, goal.whole, handed_over=sent)
            return
        if goal.replace:
            await u2.call("clearTextField", selector, handed_over=sent)
        await self._paste(u2, goal.text, sent)

    async def clear(self, u2: U2 | None, sent: HandedOver) -> Landed:
        """Empty the focused field. Raises NoFocusedField before anything is sent, TextNotLanded."""
        if u2 is None:
            await self._require_field(())
            await send(self._link, commands.erase(), sent)
            return Landed("input", note=UNREAD)
        field, names = await self._focused(u2)
        if field is None:
            await self._require_field(names)
            await u2.call("clearInputText", handed_over=sent)
            return Landed("keys", note=UNREAD)
        await u2.call("clearTextField", focused(field.class_name), handed_over=sent)
        after = await self._read(u2, field, lambda text: text == "")
        if after is None:
            return Landed("clear_text", note=UNREAD)
        changed = Answer.YES if after != field.text else Answer.NO
        if after == "":
            return Landed("clear_text", "", changed=changed)
        if not self._use_tree:
            # Without the tree a hint cannot be told from a text.
            note = "the field shows its hint, or still a text"
            return Landed("clear_text", note=note, changed=changed if changed is Answer.YES else Answer.UNKNOWN)
        raise TextNotLanded(f"the field still holds {len(after)} characters", serial=self._link.serial)

    async def _focused(self, u2: U2) -> tuple[Field | None, tuple[str, ...]]:
        """The focused field, and the names of all fields that were seen."""
        if self._use_tree:
            xml = await u2.tree()
            return tree.focused_field(xml), tree.field_names(xml)
        for selector in (focused(), focused(PLAIN_FIELD)):
            info = await u2.info(selector)
            if info is not None and tree.editable(str(info.get("className", ""))):
                return Field(class_name=str(info["className"]), text=str(info.get("text") or "")), ()
        return None, ()

    async def _read(self, u2: U2, field: Field, enough: Callable[[str], bool]) -> str | None:
        """What the field holds, as soon as it is enough, or at the end of patience; None when it is gone."""
        until = self._clock.monotonic() + READ_BACK
        while True:
            try:
                text = await u2.text(focused(field.class_name))
            except CommandRefused:
                # What was typed was taken; that it cannot be read must not make it look refused.
                return None
            if text is not None and field.hint and text == field.hint:
                text = ""
            if text is None or enough(text):
                return text
            if self._clock.monotonic() >= until:
                break
            await self._clock.sleep(READ_INTERVAL)
        # Below API 34 single nodes may be read from a stale cache, which a dump renews.
        fresh = (await self._focused(u2))[0] if self._use_tree else None
        return fresh.text if fresh is not None else text

    async def _paste(self, u2: U2, text: str, sent: HandedOver) -> None:
        kept = await u2.call("getClipboard")
        try:
            await u2.call("setClipboard", None, text)
            await u2.call("pasteClipboard", handed_over=sent)
        finally:
            # Also when cancelled, and when cancelled again meanwhile: what was copied before belongs to the phone's
            # owner, and what was typed to nobody.
            text = kept if isinstance(kept, str) else ""
            restored = asyncio.ensure_future(u2.call("setClipboard", None, text, deadline=RESTORE_DEADLINE))
            restored.add_done_callback(lambda done: done.cancelled() or done.exception())
            await asyncio.shield(restored)

    async def _unseen(self, text: str, replace: bool, names: tuple[str, ...], u2: U2, sent: HandedOver) -> Landed:
        """Something takes text although no node says so (a game, a drawn page): paste, and let pixels tell."""
        await self._require_field(names)
        if replace:
            await u2.call("clearInputText", handed_over=sent)
        await self._paste(u2, text, sent)
        return Landed(PASTE, note=UNREAD)

    async def _require_field(self, names: tuple[str, ...]) -> None:
        """Raises NoFocusedField when the keyboard is connected to nothing; a phone that does not say passes."""
        shown, connected = await probe.keyboard(self._link)
        if connected is False or (connected is None and shown is False):
            fields = f"; the fields here are: {', '.join(names)}" if names else ""
            raise NoFocusedField(
                f"no text field has the focus{fields}", serial=self._link.serial, advice="Tap the field first."
            )

    async def _by_input(self, text: str, replace: bool, sent: HandedOver) -> Landed:
        """Through `input`, or a keyboard that takes broadcasts if the phone's owner uses one."""
        await self._require_field(())
        if commands.typeable(text):
            if replace:
                await send(self._link, commands.erase(), sent)
            for argv in commands.type_text(text):
                await send(self._link, argv, sent)
            return Landed("input", note=UNREAD)
        keyboard = parsers.setting((await self._link.shell(commands.setting("secure", "default_input_method"))).text)
        if keyboard not in commands.ADB_KEYBOARDS:
            raise UnsupportedText(
                "without UiAutomation this phone can only be typed to in plain ASCII without %",
                serial=self._link.serial,
                advice="Consent to UiAutomation for this phone, or let its owner choose an ADB keyboard.",
            )
        if replace:
            await self._broadcast(commands.broadcast_clear(keyboard), sent)
        await self._broadcast(commands.broadcast_text(keyboard, text), sent)
        return Landed("keyboard", note=UNREAD)

    async def _broadcast(self, argv: list[str], sent: HandedOver) -> None:
        answer = await self._link.shell(argv, handed_over=sent)
        if "result=-1" not in answer.text:
            raise UnsupportedText("the ADB keyboard did not take the text", serial=self._link.serial)


@dataclass(frozen=True, slots=True)
class _Goal:
    """What the field must hold in the end. `certain` is false when a hint may have been taken for its text."""

    field: Field
    text: str
    replace: bool
    certain: bool

    @property
    def whole(self) -> str:
        """All of it, as far as it can be foretold: the caret may stand before the end."""
        return self.text if self.replace else self.field.text + self.text

    @property
    def paths(self) -> tuple[str, ...]:
        """Ways to try, one after the other: setting replaces everything, pasting keeps what is there."""
        if self.replace or not self.field.text:
            return SET_TEXT, PASTE
        # What the field holds may be its hint: only add to it.
        return (PASTE, SET_TEXT) if self.certain else (PASTE,)

    def met(self, after: str) -> bool:
        if self.replace or not self.field.text:
            return same(after, self.text) or self._hidden(after)
        alone = not self.certain and same(after, self.text)
        return alone or inserted(self.field.text, self.text, after) or self._hidden(after)

    def _hidden(self, after: str) -> bool:
        return tree.hidden(after) and len(after) in dots(self.whole)

    def verdict(self, path: str, after: str) -> Landed | None:
        """The outcome if the field holds what it should; None if not."""
        changed = Answer.YES if after != self.field.text else Answer.NO
        if self.field.password or (self._hidden(after) and after != self.whole):
            if self.met(after):
                return Landed(path, note="the field hides what it holds", changed=changed)
            # Some password fields tell nothing at all, not even dots.
            return Landed(path, note="the field cannot be read") if not after and self.text else None
        if self.met(after):
            return Landed(path, after, changed=changed)
        if reformatted(self.whole, after):
            return Landed(path, after, "the field put the text into its own form", changed)
        return None


def _check(text: str, serial: str) -> None:
    if "\0" in text or any("\ud800" <= one <= "\udfff" for one in text):
        raise UnsupportedText("the text holds NUL or half a character (a lone surrogate)", serial=serial)


async def send(link: Link, argv: list[str], sent: HandedOver, deadline: float = RPC_DEADLINE) -> None:
    """One `input` command. Raises the error that its words mean: `input` prints exceptions and may still exit 0."""
    await send_all(link, [argv], sent, deadline)


async def send_all(link: Link, commands: list[list[str]], sent: HandedOver, deadline: float = RPC_DEADLINE) -> None:
    """As `send`, several in one shell, so that little time passes between them."""
    answer = await link.shell_all(commands, deadline, sent)
    words = (answer.out + answer.err).decode(errors="replace").strip()
    if answer.code != 0 or "Exception" in words or words.startswith("Error"):
        raise translated(words[:400] or f"`input` ended with code {answer.code}", serial=link.serial)
