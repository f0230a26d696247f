"""Pictures, time, snapshots and sameness of the phone."""

from __future__ import annotations

import hashlib
import io

import pytest
from PIL import Image
from tutorial import NOTES, TIMER, find, make_phone, middle, moving, texts, touch

from device.virtual.core.clock import VirtualClock
from device.virtual.errors import WrongClock
from device.virtual.phone import VirtualPhone

HOME = 3


@pytest.fixture
def phone() -> VirtualPhone:
    return make_phone()


def open_notes(phone: VirtualPhone) -> None:
    assert phone.start(NOTES).ok
    phone.settle()


def test_frames_are_numbered_by_what_looks_different(phone: VirtualPhone) -> None:
    open_notes(phone)
    number, picture = phone.frame(), phone.png()
    assert phone.frame() == number
    assert phone.png() is picture
    phone.advance(100)
    phone.clipboard = "x"
    assert phone.frame() == number
    touch(phone, "Note 1")
    assert phone.frame() > number
    assert phone.png() != picture


def test_a_minute_later_the_clock_has_moved_on(phone: VirtualPhone) -> None:
    number = phone.frame()
    phone.advance(60_000)
    assert phone.frame() == number + 1


def test_a_ticking_screen_changes_every_second(phone: VirtualPhone) -> None:
    phone.start(TIMER)
    phone.settle()
    number = phone.frame()
    phone.advance(1000)
    assert phone.frame() == number + 1


def test_encodings_agree_on_the_picture(phone: VirtualPhone) -> None:
    assert Image.open(io.BytesIO(phone.png())).tobytes() == phone.image().convert("RGB").tobytes()
    assert Image.open(io.BytesIO(phone.jpeg(80, 0.5))).size == (540, 1200)


def test_a_transition_moves_and_ends(phone: VirtualPhone) -> None:
    still = phone.png()
    phone.start(NOTES)
    assert moving(phone)
    seen = {phone.png()}
    for _ in range(3):
        phone.advance(50)
        seen.add(phone.png())
    assert len(seen) == 4
    assert still not in seen - {still} or len(seen - {still}) >= 3
    assert phone.settle()
    assert not moving(phone)
    number = phone.frame()
    phone.advance(500)
    assert phone.frame() == number


def test_without_animations_screens_change_at_once(phone: VirtualPhone) -> None:
    phone.put_setting("global", "transition_animation_scale", "0")
    phone.start(NOTES)
    assert not moving(phone)


def test_a_touch_during_a_transition_reaches_the_new_screen(phone: VirtualPhone) -> None:
    phone.start(NOTES)
    assert moving(phone)
    node = find(phone, "Note 1")
    assert node is not None
    phone.tap(*middle(node))
    phone.settle()
    assert find(phone, id="shown") is not None


def script(phone: VirtualPhone) -> list[str]:
    """A walk over the phone; digests of what was seen."""
    seen = []

    def look() -> None:
        seen.append(hashlib.sha256(phone.raw()).hexdigest() + str(phone.frame()))

    look()
    touch(phone, "Notes")
    phone.swipe([(540, 1900), (540, 900)], 120)
    phone.advance(100)
    look()
    phone.settle()
    look()
    phone.start(NOTES, ".Editor")
    phone.advance(77)
    look()
    phone.settle()
    touch(phone, id="title")
    phone.type_text("abc")
    look()
    touch(phone, id="save")
    phone.key(HOME)
    phone.advance(60)
    look()
    return seen


def test_the_same_seed_and_inputs_give_the_same_pictures_and_journal() -> None:
    one, two = make_phone(seed=5), make_phone(seed=5)
    assert script(one) == script(two)
    assert one.journal.to_json() == two.journal.to_json()
    assert one.state_json() == two.state_json()
    assert one.snapshot() == two.snapshot()


def test_another_seed_gives_another_world() -> None:
    assert make_phone(seed=1).world.to_json() != make_phone(seed=2).world.to_json()


def test_a_snapshot_restores_screen_scroll_fields_and_focus(phone: VirtualPhone) -> None:
    phone.start(NOTES, ".Editor")
    phone.settle()
    touch(phone, id="body")
    phone.commit_text("grüße\n🙂")
    phone.show_toast("Hi")
    phone.clipboard = "clip"
    kept, picture, tree, state = phone.snapshot(), phone.png(), phone.dump(), phone.state_json()
    phone.advance(5000)
    touch(phone, id="save")
    phone.key(HOME)
    phone.start(TIMER)
    phone.set_rotation(1)
    phone.sleep()
    phone.restore(kept)
    assert (phone.png(), phone.dump(), phone.state_json()) == (picture, tree, state)
    assert phone.snapshot() == kept
    assert phone.commit_text("!")
    assert phone.focused_field is not None
    other = make_phone(seed=9)
    other.restore(kept)
    assert (other.png(), other.dump()) == (picture, tree)


def test_a_snapshot_of_a_moving_list_is_the_list_at_rest(phone: VirtualPhone) -> None:
    open_notes(phone)
    phone.swipe([(540, 1900), (540, 1200)], 100)
    assert moving(phone)
    kept = phone.snapshot()
    assert moving(phone)
    phone.settle()
    rested = phone.png()
    phone.restore(kept)
    assert phone.png() == rested


def test_other_bytes_are_no_snapshot(phone: VirtualPhone) -> None:
    with pytest.raises(ValueError, match="no snapshot of a phone"):
        phone.restore(b"nonsense")


def test_a_live_phone_takes_its_time_and_never_sleeps() -> None:
    phone = make_phone(clock=VirtualClock("live"))
    with pytest.raises(WrongClock):
        phone.advance(1)
    with pytest.raises(WrongClock):
        phone.settle()
    tap = phone.tap(540, 1500)
    assert tap.done
    swipe = phone.swipe([(540, 1800), (540, 900)], 120)
    assert [swipe.done] == [False]
    assert (phone.due() or 0) <= 16.1
    end = phone.clock.now_ms() + 3000
    while not swipe.done and phone.clock.now_ms() < end:
        phone.pump()
    assert swipe.done
    assert "drawer" in texts(phone)
    held = phone.tap(540, 600, hold_ms=50)
    assert not held.done


def test_dark_theme_language_and_font_size_follow_the_settings() -> None:
    light, dark = make_phone(), make_phone(dark=True)
    assert light.png() != dark.png()
    light.put_setting("secure", "ui_night_mode", "2")
    assert light.png() == dark.png()
    number = light.frame()
    light.put_setting("system", "font_scale", "1.3")
    assert light.frame() == number + 1
    assert make_phone(lang="zh").world.settings.get("system", "system_locales") == "zh-CN"
