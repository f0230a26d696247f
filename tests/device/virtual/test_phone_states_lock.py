"""Sleep, ambient display, screen saver, and the lock with its PIN."""

from __future__ import annotations

import pytest
from tutorial import NOTES, find, make_phone, middle, nodes, texts, touch

from device.virtual.phone import VirtualPhone

BACK, DIGITS, ENTER, DEL, POWER, MENU, SLEEP, WAKEUP = 4, {d: 7 + d for d in range(10)}, 66, 67, 26, 82, 223, 224


@pytest.fixture
def phone() -> VirtualPhone:
    phone = make_phone()
    phone.start(NOTES)
    phone.settle()
    return phone


@pytest.fixture
def pinned(phone: VirtualPhone) -> VirtualPhone:
    phone.set_lock("pin", "2580")
    phone.sleep()
    phone.wake()
    return phone


def field(phone: VirtualPhone) -> str:
    entry = find(phone, id="pinEntry")
    assert entry is not None and entry.password
    return entry.text


def dark(phone: VirtualPhone) -> bool:
    return phone.image().convert("L").getextrema() == (0, 0)


def test_no_lock_means_that_the_app_is_there_again_after_waking(phone: VirtualPhone) -> None:
    phone.set_lock("none")
    phone.key(POWER)
    assert phone.wakefulness == "Asleep" and dark(phone) and phone.focused_window == ""
    phone.key(POWER)
    assert phone.wakefulness == "Awake" and not phone.locked and phone.focused_window == f"{NOTES}/.Notes"


def test_the_keys_sleep_and_wake_up_do_no_more_than_they_say(phone: VirtualPhone) -> None:
    phone.key(WAKEUP)
    assert phone.wakefulness == "Awake"
    phone.key(SLEEP)
    phone.key(SLEEP)
    assert phone.wakefulness == "Asleep"
    phone.key(WAKEUP)
    assert phone.wakefulness == "Awake" and phone.locked


def test_touches_and_text_are_lost_in_the_dark(phone: VirtualPhone) -> None:
    note = find(phone, "Note 3")
    assert note is not None
    phone.set_lock("none")
    phone.sleep()
    phone.tap(*middle(note))
    phone.type_text("lost")
    assert phone.windows() == ()
    phone.wake()
    assert phone.state_json()["phone"]["screen"] == "main"


@pytest.mark.parametrize("way", ["swipe", "dismiss", "menu"])
def test_a_swipe_lock_opens_by_a_swipe_up_the_menu_key_and_the_window_manager(phone: VirtualPhone, way: str) -> None:
    phone.sleep()
    phone.wake()
    assert phone.locked and phone.focused_window == "NotificationShade"
    assert find(phone, id="lock_icon_view") is not None
    match way:
        case "swipe":
            width, height = phone.size
            phone.swipe([(width / 2, height * 0.8), (width / 2, height * 0.3)], 200)
        case "dismiss":
            phone.unlock()
        case "menu":
            phone.key(MENU)
    assert not phone.locked and phone.focused_window == f"{NOTES}/.Notes"


def test_a_pin_lock_asks_for_the_pin_and_opens_by_its_keys(pinned: VirtualPhone) -> None:
    pinned.unlock()
    assert pinned.locked and pinned.bouncer and pinned.focused_window == "NotificationShade"
    for digit in "2580":
        touch(pinned, id=f"key{digit}")
    assert field(pinned) == "••••"
    touch(pinned, id="key_enter")
    assert not pinned.locked and pinned.focused_window == f"{NOTES}/.Notes"


def test_the_pad_takes_typed_digits_and_keys_as_well(pinned: VirtualPhone) -> None:
    pinned.key(MENU)
    pinned.type_text("258")
    pinned.key(DIGITS[9])
    pinned.key(DEL)
    pinned.key(DIGITS[0])
    pinned.key(ENTER)
    assert not pinned.locked


def test_a_wrong_pin_is_refused_with_words_and_back_leaves_the_pad(pinned: VirtualPhone) -> None:
    pinned.unlock()
    pinned.type_text("1111\n")
    pinned.key(ENTER)
    assert pinned.locked and "Wrong PIN. Try again." in texts(pinned) and field(pinned) == ""
    pinned.key(BACK)
    assert not pinned.bouncer and find(pinned, id="lock_icon_view") is not None


def test_after_five_wrong_pins_none_is_taken_for_thirty_seconds(pinned: VirtualPhone) -> None:
    pinned.unlock()
    for _ in range(5):
        pinned.type_text("1111")
        pinned.key(ENTER)
    assert "Too many attempts. Try again in 30 seconds." in texts(pinned)
    pinned.advance(12_000)
    pinned.type_text("2580")
    pinned.key(ENTER)
    assert pinned.locked and "Too many attempts. Try again in 18 seconds." in texts(pinned)
    pinned.advance(18_000)
    pinned.type_text("2580")
    pinned.key(ENTER)
    assert not pinned.locked


def test_a_pin_reaches_neither_journal_nor_state_nor_snapshot(pinned: VirtualPhone) -> None:
    pinned.unlock()
    pinned.type_text("2580")
    for digit in "2580":
        pinned.key(DIGITS[int(digit)])
    told = str(pinned.journal.to_json()) + str(pinned.state_json()) + pinned.dump()
    codes = [entry.data.get("code") for entry in pinned.journal.entries("key")]
    assert "2580" not in told and not set(codes) & set(DIGITS.values())
    assert b"2580" not in pinned.snapshot()


def test_the_lock_refuses_a_pin_that_is_none(phone: VirtualPhone) -> None:
    for pin in ("", "123", "12a4", "1" * 17):
        with pytest.raises(ValueError, match="4 to 16 digits"):
            phone.set_lock("pin", pin)
    with pytest.raises(ValueError, match="none, swipe, pin"):
        phone.set_lock("pattern")


def test_a_pin_is_set_and_removed_in_the_settings() -> None:
    phone = VirtualPhone()
    phone.start("com.android.settings", screen="choose_pin")
    phone.settle()
    touch(phone, id="password_entry")
    phone.type_text("4711")
    touch(phone, id="next_button")
    assert phone.lock_kind == "pin" and phone.pin_matches("4711")
    phone.start("com.android.settings", screen="choose_pin")
    phone.settle()
    touch(phone, id="current_password")
    phone.type_text("1111")
    touch(phone, id="remove_pin")
    assert phone.lock_kind == "pin" and phone.toast == "Wrong PIN"
    touch(phone, id="current_password")
    phone.clear_text()
    phone.type_text("4711")
    touch(phone, id="remove_pin")
    assert phone.lock_kind == "swipe" and "4711" not in str(phone.journal.to_json())


def test_a_dozing_phone_is_dark_unless_it_always_shows_its_clock(phone: VirtualPhone) -> None:
    phone.doze()
    assert phone.wakefulness == "Dozing" and dark(phone) and phone.windows() == ()
    phone.put_setting("secure", "doze_always_on", "1")
    assert not dark(phone) and "9:41" in texts(phone)
    phone.tap(500, 500)
    assert phone.wakefulness == "Dozing"
    phone.key(WAKEUP)
    assert phone.wakefulness == "Awake" and phone.locked


@pytest.mark.parametrize("by", ["touch", "key"])
def test_a_touch_or_key_ends_the_screen_saver_and_does_nothing_else(phone: VirtualPhone, by: str) -> None:
    phone.set_lock("none")
    phone.dream()
    assert phone.wakefulness == "Dreaming" and phone.awake
    assert phone.focused_window.startswith("com.android.dreams.basic/")
    if by == "touch":
        phone.tap(540, 800)
    else:
        phone.key(BACK)
    assert phone.wakefulness == "Awake" and phone.focused_window == f"{NOTES}/.Notes"
    assert phone.state_json()["phone"]["screen"] == "main"


def test_the_lock_comes_back_with_a_snapshot_but_not_the_digits_typed(pinned: VirtualPhone) -> None:
    pinned.unlock()
    pinned.type_text("25")
    kept = pinned.snapshot()
    pinned.type_text("80")
    pinned.key(ENTER)
    assert not pinned.locked
    pinned.restore(kept)
    assert pinned.locked and pinned.bouncer and pinned.lock_kind == "pin" and field(pinned) == ""


@pytest.mark.parametrize("profile", ["phone", "tablet", "foldable"])
@pytest.mark.parametrize("rotation", [0, 1])
def test_every_key_of_the_pad_lies_on_the_screen_and_apart(profile: str, rotation: int) -> None:
    phone = VirtualPhone(profile)
    phone.set_rotation(rotation)
    phone.set_lock("pin", "2580")
    phone.lock()
    phone.unlock()
    width, height = phone.size
    wanted = ("com.android.systemui:id/key", "com.android.systemui:id/delete")
    keys = [n.bounds for _, n in nodes(phone) if n.resource_id.startswith(wanted) and n.clickable]
    assert len(keys) == 12
    assert all(0 <= left < right <= width and 0 <= top < bottom <= height for left, top, right, bottom in keys)
    apart = [a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1] for a in keys for b in keys if a != b]
    assert all(apart)
