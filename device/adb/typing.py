"""Typing as a verified operation: put the text in, read the field back, compare.

`input text` loses or refuses most of the world's characters, so the order is: set the text on the focused node,
then paste, then keys where the characters have keys. Setting replaces the whole text, so it can mend what another
way left behind without doubling it; before any other way a field that got something is emptied. A line break in a
text is a line break: it is set or pasted, never pressed as Enter, for Enter in a field of one line acts. A field
that cannot hold one shows something else, which is reported. Nothing is installed; a keyboard is switched only where
that was allowed. Clipboard and keyboard are written down before they are changed and put back afterwards, after a
crash by the next one to open the phone. Errors tell lengths, never contents.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

from device.adb import changes, commands, parsers, probe, tree
from device.adb.changes import Change, ChangeJournal
from device.adb.client import Link
from device.adb.goal import BROADCAST, KEYS, PASTE, SET_TEXT, Goal, Landed
from device.adb.refusals import translated
from device.adb.tree import Field
from device.adb.u2 import RPC_DEADLINE, U2, focused
from device.base import Answer
from device.clock import Clock
from device.errors import CommandRefused, DeviceError, InjectionRefused, NoFocusedField, TextNotLanded, UnsupportedText

HandedOver = Callable[[], None]
Look = Callable[[], Awaitable[tuple[str | None, str]]]
"""Reads the tree as XML, or None and the reason."""

READ_BACK = 0.6
"""Seconds a field gets to show what was put into it."""
READ_INTERVAL = 0.05
RESTORE_DEADLINE = 3.0
"""Seconds for putting the clipboard back, which a cancelled act waits for."""
FOCUS_PATIENCE = 1.5
"""Seconds a field gets to take the focus after a tap on it: until then keys are swallowed (argent's reports)."""
FOCUS_INTERVAL = 0.1
UNREAD = "the field was not read back"
PLAIN_FIELD = "android.widget.EditText"


class Typist:
    """Types into one phone. The server is passed with each call: it may come and go."""

    def __init__(
        self,
        link: Link,
        clock: Clock,
        *,
        use_tree: bool,
        journal: ChangeJournal | None = None,
        switch_keyboard: bool = False,
    ) -> None:
        """`switch_keyboard`: the owner allows that an ADB keyboard they have installed is chosen for a moment, where
        nothing else types a text."""
        self._link = link
        self._clock = clock
        self._use_tree = use_tree
        self._journal = journal or ChangeJournal()
        self._switch_keyboard = switch_keyboard

    async def type(self, text: str, replace: bool, u2: U2 | None, sent: HandedOver, look: Look | None = None) -> Landed:
        """Type into the focused field. Raises NoFocusedField and UnsupportedText before anything is sent,
        TextNotLanded when the field holds something else afterwards.

        `look` reads the tree where there is no server.
        """
        _check(text, self._link.serial)
        if u2 is None:
            return await self._by_input(text, replace, sent, look)
        field, names = await self._focused(u2)
        if field is None:
            return await self._unseen(text, replace, names, u2, sent)
        return await self._verified(Goal(field, text, replace, certain=self._use_tree), u2, sent)

    async def _verified(self, goal: Goal, u2: U2, sent: HandedOver) -> Landed:
        """Way after way, until the field holds what it should."""
        held, path = goal.field.text, ""
        refusal: DeviceError | None = None
        for way in goal.paths:
            if not goal.may(way, held):
                continue
            try:
                await self._put(way, goal, held, u2, sent)
            except (CommandRefused, InjectionRefused, UnsupportedText) as refused:
                refusal = refused
                continue
            path = way
            after = await self._read(u2, goal.field, goal.met)
            if after is None:
                return Landed(path, note=UNREAD)
            if (landed := goal.verdict(path, after)) is not None:
                return landed
            if after == held != goal.field.text:
                # Two ways that end alike: the field has a mind of its own.
                break
            goal, held = goal.learned(after), after
        if refusal is not None and not path:
            raise refusal
        raise goal.missed(held, self._link.serial)

    async def _put(self, path: str, goal: Goal, held: str, u2: U2, sent: HandedOver) -> None:
        selector = focused(goal.field.class_name)
        if path == SET_TEXT:
            await u2.call("setText", selector, goal.whole, handed_over=sent)
            return
        afresh = goal.replace or held != goal.field.text
        text = goal.whole if afresh else goal.text
        if path == PASTE:
            if afresh:
                await u2.call("clearTextField", selector, handed_over=sent)
            await self._paste(u2, text, sent)
            return
        if afresh and held:
            # A surrogate pair or an emoji of several characters goes at one key; too many keys do no harm.
            await send(self._link, commands.erase(len(held)), sent)
        for argv in commands.type_text(text):
            await send(self._link, argv, sent)

    async def clear(self, u2: U2 | None, sent: HandedOver, look: Look | None = None) -> Landed:
        """Empty the focused field. Raises NoFocusedField before anything is sent, TextNotLanded."""
        if u2 is None:
            field = await self._seen(look)
            if field is None:
                await self._connected(())
            await send(self._link, commands.erase(), sent)
            if field is None:
                return Landed(KEYS, note=UNREAD)
            return self._cleared(KEYS, field, await self._settled(look, lambda text: text == ""))
        field, names = await self._focused(u2)
        if field is None:
            await self._connected(names)
            await u2.call("clearInputText", handed_over=sent)
            return Landed("keys", note=UNREAD)
        await u2.call("clearTextField", focused(field.class_name), handed_over=sent)
        return self._cleared("clear_text", field, await self._read(u2, field, lambda text: text == ""))

    def _cleared(self, path: str, field: Field, after: str | None) -> Landed:
        if after is None:
            return Landed(path, note=UNREAD)
        changed = Answer.YES if after != field.text else Answer.NO
        if after == "":
            return Landed(path, "", changed=changed)
        if not self._use_tree:
            # Without the tree a hint cannot be told from a text.
            note = "the field shows its hint, or still a text"
            return Landed(path, note=note, changed=changed if changed is Answer.YES else Answer.UNKNOWN)
        words = f"the field still holds {len(after)} characters"
        hidden = field.password or tree.hidden(after)
        raise TextNotLanded(words, serial=self._link.serial, expected="", got=None if hidden else after)

    async def _focused(self, u2: U2) -> tuple[Field | None, tuple[str, ...]]:
        """The focused field, and the names of all fields that were seen. A field just tapped gets time for it."""
        until = self._clock.monotonic() + FOCUS_PATIENCE
        while True:
            field, names = await self._look_for_focus(u2)
            if field is not None or not names or self._clock.monotonic() >= until:
                return field, names
            await self._clock.sleep(FOCUS_INTERVAL)

    async def _look_for_focus(self, u2: U2) -> tuple[Field | None, tuple[str, ...]]:
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
        fresh = (await self._look_for_focus(u2))[0] if self._use_tree else None
        return fresh.text if fresh is not None else text

    async def _paste(self, u2: U2, text: str, sent: HandedOver) -> None:
        kept = await u2.read("getClipboard")
        kept = kept if isinstance(kept, str) else ""
        if any(one.kind == "clipboard" and one.ours != changes.digest(kept) for one in self._journal.pending):
            # What we once failed to put back is no longer there: the owner has copied something since.
            self._journal.forget("clipboard")
        self._journal.record(Change(kind="clipboard", name="", before=kept, ours=changes.digest(text)))
        try:
            await u2.read("setClipboard", None, text)
            await u2.call("pasteClipboard", handed_over=sent)
        finally:
            # Also when cancelled, and when cancelled again meanwhile: what was copied before belongs to the phone's
            # owner, and what was typed to nobody.
            restored = asyncio.ensure_future(self._restore_clipboard(u2))
            restored.add_done_callback(lambda done: done.cancelled() or done.exception())
            await asyncio.shield(restored)

    async def _restore_clipboard(self, u2: U2) -> None:
        """Put back what the journal holds; a phone that cannot be reached leaves it there for the next time."""
        before = next(one.before for one in self._journal.pending if one.kind == "clipboard")
        with contextlib.suppress(DeviceError):
            await u2.read("setClipboard", None, before, deadline=RESTORE_DEADLINE)
            self._journal.forget("clipboard")

    async def _unseen(self, text: str, replace: bool, names: tuple[str, ...], u2: U2, sent: HandedOver) -> Landed:
        """Something takes text although no node says so (a game, a drawn page): paste, and let pixels tell."""
        await self._connected(names)
        if replace:
            await u2.call("clearInputText", handed_over=sent)
        await self._paste(u2, text, sent)
        return Landed(PASTE, note=UNREAD)

    async def _connected(self, names: tuple[str, ...]) -> None:
        """Wait until the keyboard is connected to something; a phone that does not say passes.

        Raises NoFocusedField when it stays connected to nothing.
        """
        until = self._clock.monotonic() + FOCUS_PATIENCE
        while True:
            shown, connected = await probe.keyboard(self._link)
            if connected or (connected is None and shown is not False):
                return
            if self._clock.monotonic() >= until:
                break
            await self._clock.sleep(FOCUS_INTERVAL)
        fields = f"; the fields here are: {', '.join(names)}" if names else ""
        raise NoFocusedField(
            f"no text field has the focus{fields}", serial=self._link.serial, advice="Tap the field first."
        )

    # Without the server

    async def _by_input(self, text: str, replace: bool, sent: HandedOver, look: Look | None) -> Landed:
        """Through `input`, or a keyboard that takes broadcasts if the phone's owner uses one."""
        field = await self._seen(look)
        if field is None:
            await self._connected(())
        keyboard = await self._keyboard(text)
        if field is None:
            return await self._blind(text, replace, keyboard, sent)
        goal = Goal(field, text, replace, certain=field.told)
        held = field.text
        # The second time mends what the first left behind: from an empty field, so that nothing can double.
        for mend in (False, True):
            afresh = goal.replace or (mend and held != goal.field.text)
            typed = goal.whole if afresh else goal.text
            if (afresh and not goal.certain) or not (keyboard or commands.typeable(typed)):
                break
            landed = await self._blind(typed, afresh, keyboard, sent)
            after = await self._settled(look, goal.met)
            if after is None:
                return landed
            if (verdict := goal.verdict(landed.path, after)) is not None:
                return verdict
            goal, held = goal.learned(after), after
        raise goal.missed(held, self._link.serial)

    async def _keyboard(self, text: str) -> str:
        """The keyboard for broadcasts that this text needs; "" when it has keys. Raises UnsupportedText."""
        if commands.typeable(text):
            return ""
        if (chosen := await self._chosen()) in commands.ADB_KEYBOARDS:
            return chosen
        if self._switch_keyboard:
            listed = (await self._link.shell(commands.keyboards())).text.split()
            if (known := next((one for one in listed if one in commands.ADB_KEYBOARDS), "")) and chosen:
                return known
        raise UnsupportedText(
            "without UiAutomation this phone can only be typed to in plain ASCII without %",
            serial=self._link.serial,
            advice="Consent to UiAutomation for this phone, or let its owner choose an ADB keyboard.",
        )

    async def _chosen(self) -> str:
        return parsers.setting((await self._link.shell(commands.setting("secure", "default_input_method"))).text)

    @contextlib.asynccontextmanager
    async def _with(self, keyboard: str) -> AsyncIterator[None]:
        """For a moment this keyboard is the chosen one; afterwards it is as its owner had it."""
        before = await self._chosen()
        if keyboard == before:
            yield
            return
        enabled = parsers.setting((await self._link.shell(commands.setting("secure", "enabled_input_methods"))).text)
        if keyboard not in enabled.split(":"):
            self._journal.record(Change(kind="setting", name=f"ime/enabled:{keyboard}", before="", ours="1"))
        self._journal.record(Change(kind="keyboard", name=keyboard, before=before, ours=keyboard))
        try:
            for argv in (commands.enable_keyboard(keyboard), commands.choose_keyboard(keyboard)):
                await self._link.shell(argv)
            # The field is connected anew, and what comes before that is lost.
            await self._connected(())
            yield
        finally:
            restored = asyncio.ensure_future(self._restore_keyboard(keyboard, before))
            restored.add_done_callback(lambda done: done.cancelled() or done.exception())
            await asyncio.shield(restored)

    async def _restore_keyboard(self, keyboard: str, before: str) -> None:
        """A phone that cannot be reached leaves it in the journal for the next time."""
        with contextlib.suppress(DeviceError):
            await self._link.shell(commands.choose_keyboard(before), RESTORE_DEADLINE)
            if await self._chosen() == before:
                self._journal.forget("keyboard", keyboard)
            enabled = f"ime/enabled:{keyboard}"
            if any(one.name == enabled for one in self._journal.pending):
                await self._link.shell(commands.disable_keyboard(keyboard), RESTORE_DEADLINE)
                self._journal.forget("setting", enabled)

    async def _blind(self, text: str, replace: bool, keyboard: str, sent: HandedOver) -> Landed:
        if keyboard:
            async with self._with(keyboard):
                if replace:
                    await self._broadcast(commands.broadcast_clear(keyboard), sent)
                await self._broadcast(commands.broadcast_text(keyboard, text), sent)
            return Landed(BROADCAST, note=UNREAD)
        if replace:
            await send(self._link, commands.erase(), sent)
        for argv in commands.type_text(text):
            await send(self._link, argv, sent)
        return Landed(KEYS, note=UNREAD)

    async def _seen(self, look: Look | None) -> Field | None:
        """The focused field, where a tree can be read without the server."""
        xml = (await look())[0] if look is not None and self._use_tree else None
        return tree.focused_field(xml) if xml is not None else None

    async def _settled(self, look: Look | None, enough: Callable[[str], bool]) -> str | None:
        """What the field holds, as soon as it is enough, or at the end of patience; None when it is gone."""
        until = self._clock.monotonic() + READ_BACK
        while True:
            field = await self._seen(look)
            if field is None or enough(field.text) or self._clock.monotonic() >= until:
                return None if field is None else field.text
            await self._clock.sleep(READ_INTERVAL)

    async def _broadcast(self, argv: list[str], sent: HandedOver) -> None:
        answer = await self._link.shell(argv, handed_over=sent)
        if "result=-1" not in answer.text:
            raise UnsupportedText("the ADB keyboard did not take the text", serial=self._link.serial)


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
