"""Typing into fields that do not do as they are told, on a phone whose answers are scripted."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from html import escape
from typing import Any

import pytest

from device.actions import ClearText, TypeText
from device.adb.device import AdbDevice
from device.adb.goal import dots, inserted, reformatted, same
from device.base import Answer, Outcome
from device.clock import ManualClock
from device.errors import NoFocusedField, UnsupportedText
from tests.device.adb.server import SERIAL, Automation, Drop, Stage, healthy, shell

pytestmark = pytest.mark.anyio

EDIT = "android.widget.EditText"
IME = "shell,v2,raw:settings get secure default_input_method"
TAKES_TEXT = "mInputShown=true\nmIsInputViewShown=true\nmServedInputConnection=Connection{1}\n"


@dataclass
class TextField:
    """One text field on a phone: what it holds, and what it refuses."""

    text: str = ""
    hint: str = "Name"
    limit: int = 1000
    password: bool = False
    focused: bool = True
    sets: bool = True
    pastes: bool = True
    form: str = ""
    clipboard: str | None = "kept"
    clipboards: list[str] = field(default_factory=list)

    @property
    def shown(self) -> str:
        return ("•" * len(self.text) if self.password else self.text) or self.hint

    def put(self, text: str) -> None:
        self.text = text[: self.limit]
        if self.form:
            self.text = self.form.format(*self.text)

    def set_text(self, params: list[Any]) -> bool:
        if self.sets:
            self.put(params[1])
        return self.sets

    def paste(self, params: list[Any]) -> None:
        if self.pastes:
            self.put(self.text + (self.clipboard or ""))

    def set_clipboard(self, params: list[Any]) -> None:
        self.clipboard = params[1]
        self.clipboards.append(params[1])

    def dump(self, params: list[Any]) -> str:
        flags = f'focused="{str(self.focused).lower()}" password="{str(self.password).lower()}"'
        return (
            f'<hierarchy rotation="0"><node class="{EDIT}" text="{escape(self.shown)}" hint="{escape(self.hint)}" '
            f'{flags} bounds="[0,0][64,20]" /></hierarchy>'
        )

    def automation(self) -> Automation:
        return Automation(
            {
                "ping": "pong",
                "takeScreenshot": None,
                "dumpWindowHierarchy": self.dump,
                "objInfo": lambda _: {"className": EDIT, "text": self.shown},
                "getText": lambda _: self.shown,
                "setText": self.set_text,
                "clearTextField": lambda _: self.put(""),
                "getClipboard": lambda _: self.clipboard,
                "setClipboard": self.set_clipboard,
                "pasteClipboard": self.paste,
            }
        )


@contextlib.asynccontextmanager
async def opened(stage: Stage, *, use_tree: bool = True) -> AsyncIterator[AdbDevice]:
    async with stage.serving() as server:
        device = await AdbDevice.open(server, SERIAL, ManualClock(), use_tree=use_tree)
        try:
            yield device
        finally:
            await device.close()


async def typed(one: TextField, text: str, *, replace: bool = False, use_tree: bool = True) -> Outcome:
    async with opened(healthy(one.automation()), use_tree=use_tree) as device:
        return await device.act(TypeText(text, replace))


async def test_an_empty_field_is_set_and_read_back() -> None:
    one = TextField()
    outcome = await typed(one, "Ada")
    assert (outcome.path, outcome.landed, outcome.changed) == ("set_text", "Ada", Answer.YES)
    assert one.clipboards == []


async def test_a_field_that_holds_something_is_pasted_into_and_the_clipboard_restored() -> None:
    one = TextField(text="Ada ")
    outcome = await typed(one, "Lovelace")
    assert (outcome.path, outcome.landed) == ("paste", "Ada Lovelace")
    assert one.clipboards == ["Lovelace", "kept"]


async def test_an_empty_clipboard_does_not_keep_what_was_typed() -> None:
    one = TextField(text="a", clipboard=None)
    await typed(one, "secret")
    assert one.clipboards == ["secret", ""]


async def test_a_field_that_cannot_be_set_is_pasted_into() -> None:
    one = TextField(sets=False)
    outcome = await typed(one, "Ada", replace=True)
    assert (outcome.path, outcome.landed) == ("paste", "Ada")


async def test_a_field_that_cannot_be_pasted_into_is_set_as_a_whole() -> None:
    one = TextField(text="Ada ", pastes=False)
    outcome = await typed(one, "L")
    assert (outcome.path, one.text) == ("set_text", "Ada L")


async def test_typing_the_same_again_changes_nothing() -> None:
    outcome = await typed(TextField(text="Ada"), "Ada", replace=True)
    assert (outcome.sent, outcome.changed, outcome.landed) == (Answer.YES, Answer.NO, "Ada")


async def test_a_field_that_holds_something_else_is_told_with_both_texts_and_in_words_by_lengths_alone() -> None:
    one = TextField(limit=4)
    outcome = await typed(one, "secret word")
    assert (outcome.sent, outcome.landed, outcome.expected) == (Answer.YES, "secr", "secret word")
    assert "secr" not in repr(outcome)
    assert "4 characters instead of 11" in outcome.note
    assert "secr" not in outcome.note


async def test_a_field_with_a_form_of_its_own_is_accepted_and_said() -> None:
    one = TextField(form="({0}{1}{2}) {3}{4}{5}")
    outcome = await typed(one, "555123")
    assert (outcome.landed, outcome.note != "") == ("(555) 123", True)


async def test_a_password_is_verified_by_its_dots_and_never_told() -> None:
    one = TextField(password=True)
    outcome = await typed(one, "hunter2!")
    assert one.text == "hunter2!" and outcome.changed is Answer.YES
    assert outcome.landed is None and "hunter2!" not in repr(outcome)


async def test_a_password_that_is_cut_off_is_noticed() -> None:
    outcome = await typed(TextField(password=True, limit=5), "hunter2!")
    assert "5 characters instead of 8" in outcome.note and "hunter" not in outcome.note


async def test_a_password_is_added_to_by_length() -> None:
    one = TextField(text="hunter", password=True)
    outcome = await typed(one, "22")
    assert one.text == "hunter22" and outcome.landed is None and outcome.path == "paste"


@pytest.mark.parametrize("text", ["Ada", "Name"])
async def test_without_the_tree_a_hint_is_not_taken_for_a_text(text: str) -> None:
    one = TextField()
    outcome = await typed(one, text, use_tree=False)
    assert one.text == text and outcome.landed == text


async def test_without_the_tree_text_is_added_to_what_is_there() -> None:
    one = TextField(text="Ada ")
    outcome = await typed(one, "L", use_tree=False)
    assert one.text == outcome.landed == "Ada L"


@pytest.mark.parametrize("use_tree", [True, False])
async def test_clearing_is_verified(use_tree: bool) -> None:
    one = TextField(text="Ada")
    async with opened(healthy(one.automation()), use_tree=use_tree) as device:
        outcome = await device.act(ClearText())
    assert one.text == "" and outcome.changed is Answer.YES
    assert outcome.landed == ("" if use_tree else None)


async def test_a_field_that_will_not_be_cleared_is_noticed() -> None:
    one = TextField(text="Ada")
    automation = one.automation()
    automation.results["clearTextField"] = None
    async with opened(healthy(automation)) as device:
        outcome = await device.act(ClearText())
    assert "still holds 3 characters" in outcome.note


async def test_without_a_focus_the_fields_are_named_and_nothing_is_sent() -> None:
    one = TextField(focused=False, hint="First name")
    automation = one.automation()
    async with opened(healthy(automation)) as device:
        with pytest.raises(NoFocusedField, match="First name"):
            await device.act(TypeText("Ada"))
    assert one.text == "" and not automation.called("setText") and not automation.called("pasteClipboard")


async def test_something_that_takes_text_without_a_node_is_pasted_into_unread() -> None:
    one = TextField(focused=False)
    stage = healthy(one.automation())
    stage.phone["shell,v2,raw:dumpsys input_method"] = shell(TAKES_TEXT)
    async with opened(stage) as device:
        outcome = await device.act(TypeText("Ada"))
    assert one.text == "Ada" and (outcome.path, outcome.landed) == ("paste", None) and outcome.note


async def test_a_paste_whose_answer_is_lost_is_unknown_and_the_clipboard_is_put_back() -> None:
    one = TextField(text="Ada ")
    automation = one.automation()
    automation.results["pasteClipboard"] = Drop()
    async with opened(healthy(automation)) as device:
        outcome = await device.act(TypeText("L"))
    assert outcome.sent is Answer.UNKNOWN and one.clipboards == ["L", "kept"]
    assert len(automation.called("pasteClipboard")) == 1


# Without UiAutomation


def plain_phone(**answers: str) -> Stage:
    stage = healthy(None)
    stage.phone["shell,v2,raw:dumpsys input_method"] = shell(TAKES_TEXT)
    return stage


async def test_without_automation_ascii_goes_through_input_in_pieces() -> None:
    stage = plain_phone()
    async with opened(stage) as device:
        outcome = await device.act(TypeText("it's " + "x" * 100))
    sent = [one.removeprefix("shell,v2,raw:") for one in stage.asked if "input text" in one]
    assert len(sent) == 2 and sent[0].startswith("""input text 'it'"'"'s%sxxx""")
    assert (outcome.path, outcome.landed, outcome.note != "") == ("input", None, True)


async def test_without_automation_a_field_is_emptied_by_keys() -> None:
    stage = plain_phone()
    async with opened(stage) as device:
        await device.act(TypeText("a", replace=True))
    sent = [one for one in stage.asked if "raw:input " in one]
    assert sent[0].startswith("shell,v2,raw:input keyevent 123 67 67") and sent[1].endswith("input text a")


@pytest.mark.parametrize("text", ["héllo", "你好", "😀", "100%s", "two\nlines"])
async def test_without_automation_other_text_is_refused_with_advice(text: str) -> None:
    stage = plain_phone()
    async with opened(stage) as device:
        with pytest.raises(UnsupportedText) as caught:
            await device.act(TypeText(text))
    assert caught.value.advice and text not in str(caught.value)
    assert not [one for one in stage.asked if "raw:input " in one]


async def test_an_adb_keyboard_that_the_owner_uses_takes_any_text() -> None:
    stage = plain_phone()
    stage.phone[IME] = shell("com.github.uiautomator/.AdbKeyboard\n")
    stage.phone["shell,v2,raw:am broadcast"] = shell("Broadcast completed: result=-1\n")
    async with opened(stage) as device:
        outcome = await device.act(TypeText("你好"))
    sent = [one for one in stage.asked if "broadcast" in one]
    assert sent == ["shell,v2,raw:am broadcast -a ADB_KEYBOARD_INPUT_TEXT --es text 5L2g5aW9"]
    assert outcome.path == "keyboard"
    assert not [one for one in stage.asked if "ime set" in one or "settings put" in one]


async def test_a_keyboard_that_does_not_listen_is_unsupported() -> None:
    stage = plain_phone()
    stage.phone[IME] = shell("com.android.adbkeyboard/.AdbIME\n")
    stage.phone["shell,v2,raw:am broadcast"] = shell("Broadcast completed: result=0\n")
    async with opened(stage) as device:
        with pytest.raises(UnsupportedText):
            await device.act(TypeText("你好"))


# The pure parts


def test_composed_and_decomposed_text_is_the_same() -> None:
    assert same("é", "e\u0301") and not same("e", "é")


@pytest.mark.parametrize(
    ("before", "text", "after", "holds"),
    [
        ("", "a", "a", True),
        ("ab", "X", "aXb", True),
        ("ab", "X", "Xab", True),
        ("ab", "X", "abXX", False),
        ("ab", "X", "ab", False),
        ("e\u0301", "!", "é!", True),
    ],
)
def test_text_may_be_inserted_anywhere(before: str, text: str, after: str, holds: bool) -> None:
    assert inserted(before, text, after) is holds


def test_punctuation_is_a_form_and_letters_are_not() -> None:
    assert reformatted("5551234", "555-1234") and reformatted("a b", "A B")
    assert not reformatted("5551234", "555-123") and not reformatted("...", "!!!")


def test_a_character_beyond_16_bits_may_be_one_dot_or_two() -> None:
    assert dots("a😀") == {2, 3}
