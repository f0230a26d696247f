"""Text in fields, whichever way it comes."""

from __future__ import annotations

import base64

import pytest
from tutorial import NOTES, find, make_phone, touch, typing

from device.virtual.errors import UnknownInputMethod, UnmappedCharacter
from device.virtual.packages import ADB_KEYBOARD_IME, KEYBOARD_IME
from device.virtual.phone import VirtualPhone

BACK, DEL, ENTER, TAB, LEFT, CTRL = 4, 67, 66, 61, 21, 0x3000


@pytest.fixture
def phone() -> VirtualPhone:
    phone = make_phone()
    phone.start(NOTES, ".Editor")
    phone.settle()
    return phone


def held(phone: VirtualPhone, id: str = "title") -> str:
    field = find(phone, id=id)
    assert field is not None
    return "" if field.text == field.hint else field.text


def b64(text: str) -> dict[str, str | int]:
    return {"text": base64.b64encode(text.encode()).decode()}


def test_a_touched_field_takes_the_focus_and_brings_the_keyboard(phone: VirtualPhone) -> None:
    assert not typing(phone)
    touch(phone, id="title")
    field = find(phone, id="title")
    assert field is not None
    assert field.focused
    assert typing(phone)
    assert any(window.type == "ime" for window in phone.windows())


def test_back_hides_the_keyboard_first_and_keeps_the_focus(phone: VirtualPhone) -> None:
    touch(phone, id="title")
    phone.key(BACK)
    phone.settle()
    assert not typing(phone)
    assert not any(window.type == "ime" for window in phone.windows())
    assert phone.foreground == (NOTES, ".Editor")
    phone.type_text("still")
    assert held(phone) == "still"
    phone.key(BACK)
    assert phone.foreground[0] == "org.example.home"


def test_a_caret_stands_still_unless_it_is_told_to_blink(phone: VirtualPhone) -> None:
    touch(phone, id="title")
    number = phone.frame()
    phone.advance(700)
    assert phone.frame() == number
    phone.put_setting("system", "caret_blink", "1")
    seen = set()
    for _ in range(4):
        phone.advance(500)
        seen.add(phone.png())
    assert len(seen) == 2


def test_the_keyboard_slides_in(phone: VirtualPhone) -> None:
    node = find(phone, id="title")
    assert node is not None
    phone.click_node(node)
    assert phone.animating
    (early,) = (w.root.bounds for w in phone.windows() if w.type == "ime")
    phone.settle()
    (late,) = (w.root.bounds for w in phone.windows() if w.type == "ime")
    assert early[1] > late[1]
    assert late[3] == 2400


def test_a_field_below_the_keyboard_is_scrolled_into_view(phone: VirtualPhone) -> None:
    phone.set_rotation(1)
    touch(phone, id="title")
    phone.key(TAB)
    phone.key(TAB)
    phone.settle()
    field = find(phone, id="secret")
    keyboard = next(window.root for window in phone.windows() if window.type == "ime")
    assert field is not None
    assert field.focused
    assert field.bounds[3] <= keyboard.bounds[1]


def test_typed_text_goes_in_at_the_caret(phone: VirtualPhone) -> None:
    touch(phone, id="title")
    phone.type_text("held it")
    for _ in range(5):
        phone.key(LEFT)
    phone.type_text("-")
    assert held(phone) == "he-ld it"
    phone.key(DEL)
    assert held(phone) == "held it"


def test_text_without_keys_is_refused_whole(phone: VirtualPhone) -> None:
    touch(phone, id="title")
    with pytest.raises(UnmappedCharacter, match=r"U\+4F60"):
        phone.type_text("hi 你好")
    assert held(phone) == ""


def test_any_text_can_be_committed_pasted_and_cleared(phone: VirtualPhone) -> None:
    assert not phone.commit_text("nowhere")
    assert not phone.clear_text()
    assert not phone.paste()
    touch(phone, id="title")
    assert phone.commit_text("你好 👋🏽")
    assert held(phone) == "你好 👋🏽"
    phone.key(DEL)
    assert held(phone) == "你好 "
    phone.clipboard = "世界"
    assert phone.paste()
    assert held(phone) == "你好 世界"
    assert phone.clear_text()
    assert held(phone) == ""


def test_ctrl_a_and_del_empty_a_field_and_ctrl_v_pastes(phone: VirtualPhone) -> None:
    touch(phone, id="title")
    phone.type_text("to go")
    phone.key(29, CTRL)
    phone.key(DEL)
    assert held(phone) == ""
    phone.clipboard = "pasted"
    phone.key(50, 0x1000)
    assert held(phone) == "pasted"
    phone.key(29, CTRL)
    phone.key(31, CTRL)
    phone.key(52, CTRL)
    assert (phone.clipboard, held(phone)) == ("pasted", "")


def test_set_text_replaces_without_focusing(phone: VirtualPhone) -> None:
    field = find(phone, id="title")
    assert field is not None
    assert phone.set_text(field, "Привет")
    assert held(phone) == "Привет"
    assert not typing(phone)
    now = find(phone, id="title")
    assert now is not None
    assert not now.focused
    button = find(phone, id="save")
    assert button is not None
    assert not phone.set_text(button, "x")


def test_enter_goes_on_to_the_next_field_and_breaks_lines_in_long_texts(phone: VirtualPhone) -> None:
    touch(phone, id="title")
    phone.type_text("a\n555")
    assert (held(phone, "title"), held(phone, "phone")) == ("a", "555")
    phone.key(TAB)
    phone.key(TAB)
    phone.type_text("one")
    phone.key(ENTER)
    phone.type_text("two")
    assert held(phone, "body") == "one\ntwo"


def test_phone_fields_take_only_what_can_be_dialled(phone: VirtualPhone) -> None:
    touch(phone, id="phone")
    phone.type_text("+1 (555) abc-01")
    assert held(phone, "phone") == "+1 (555) -01"


def test_the_keys_on_the_screen_type(phone: VirtualPhone) -> None:
    touch(phone, id="title")
    for key in ("H", "i"):  # a capital first, then small letters
        touch(phone, key, type="ime")
    touch(phone, "Space", type="ime")
    touch(phone, "Shift", type="ime")
    touch(phone, "B", type="ime")
    touch(phone, "?123", type="ime")
    touch(phone, "7", type="ime")
    touch(phone, "Delete", type="ime")
    assert held(phone) == "Hi B"
    typed = phone.journal.entries("text")[-1]
    touched = next(entry for entry in phone.journal.entries("input") if entry.cause == typed.cause)
    assert touched.data["action"] == "tap"


def test_a_password_is_nowhere_in_the_journal(phone: VirtualPhone) -> None:
    touch(phone, id="secret")
    phone.type_text("Sesame")
    phone.key(29)
    phone.commit_text("ünlock")
    phone.key(BACK)
    field = find(phone, id="secret")
    assert field is not None
    assert field.password
    assert "Sesame" not in field.text
    touch(phone, id="login")
    assert phone.world.settings.get("secure", "login") == "13"
    told = str(phone.journal.to_json())
    assert "Sesame" not in told
    assert "lock'" not in told
    assert "'code': 29" not in told
    assert phone.journal.entries("command")[-1].data["args"] == {"password": {"length": 13}}


def test_a_field_keeps_its_text_while_another_screen_is_in_front(phone: VirtualPhone) -> None:
    touch(phone, id="title")
    phone.type_text("kept")
    phone.key(3)
    phone.start(NOTES, ".Editor")
    phone.settle()
    assert held(phone) == "kept"


def test_input_methods_are_chosen_and_the_broadcast_keyboard_has_no_keys(phone: VirtualPhone) -> None:
    assert phone.current_ime == KEYBOARD_IME
    with pytest.raises(UnknownInputMethod, match="installed are"):
        phone.set_ime(ADB_KEYBOARD_IME)
    phone.install("com.github.uiautomator")
    phone.set_ime(ADB_KEYBOARD_IME)
    assert phone.current_ime == ADB_KEYBOARD_IME
    touch(phone, id="title")
    assert typing(phone)
    assert not any(window.type == "ime" for window in phone.windows())
    phone.enable_ime(ADB_KEYBOARD_IME, False)
    assert phone.current_ime == KEYBOARD_IME


def test_broadcasts_of_text_answer_as_the_real_keyboard(phone: VirtualPhone) -> None:
    prefix = "ADB_KEYBOARD_"
    assert phone.ime_broadcast(prefix + "INPUT_TEXT", b64("x")).result == 0
    phone.install("com.github.uiautomator")
    phone.set_ime(ADB_KEYBOARD_IME)
    lost = phone.ime_broadcast(prefix + "INPUT_TEXT", b64("x"))
    assert (lost.result, lost.data) == (-1, prefix + "INPUT_TEXT")
    touch(phone, id="title")
    assert phone.ime_broadcast(prefix + "INPUT_TEXT", b64("日本")).result == -1
    phone.ime_broadcast(prefix + "INPUT_TEXT", b64(" é"))
    assert held(phone) == "日本 é"
    phone.ime_broadcast(prefix + "SET_TEXT", b64("new"))
    assert held(phone) == "new"
    phone.ime_broadcast(prefix + "INPUT_KEYCODE", {"code": DEL})
    assert held(phone) == "ne"
    assert phone.ime_broadcast(prefix + "EDITOR_CODE", {"code": "5"}).result == -1
    assert find(phone, id="title").focused  # type: ignore[union-attr]
    phone.ime_broadcast(prefix + "EDITOR_CODE", {"code": 5})
    assert find(phone, id="phone").focused  # type: ignore[union-attr]
    phone.ime_broadcast(prefix + "HIDE", {})
    assert not typing(phone)
    phone.clipboard = "héllo"
    reply = phone.ime_broadcast(prefix + "GET_CLIPBOARD", {})
    assert base64.b64decode(reply.data).decode() == "héllo"
    touch(phone, id="title")
    phone.ime_broadcast(prefix + "CLEAR_TEXT", {})
    assert held(phone) == ""
