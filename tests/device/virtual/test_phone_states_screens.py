"""Windows that may not be captured, the displays of a foldable, rotation, navigation, and what covers an app."""

from __future__ import annotations

import io

import pytest
from PIL import Image
from tutorial import NOTES, find, make_phone, texts, touch

from device.virtual.phone import VirtualPhone
from device.virtual.profiles import FIRST_DISPLAY_ID, SECOND_DISPLAY_ID

SETTINGS = "com.android.settings"


@pytest.fixture
def phone() -> VirtualPhone:
    phone = make_phone()
    phone.start(NOTES)
    phone.settle()
    return phone


def black(image: Image.Image) -> bool:
    return image.convert("L").getextrema() == (0, 0)


def middle_of(image: Image.Image) -> Image.Image:
    """Without the system bars."""
    return image.crop((0, image.height // 8, image.width, image.height * 7 // 8))


def decoded(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


# secure windows


def test_a_secure_window_is_black_in_every_capture_and_whole_on_the_glass(phone: VirtualPhone) -> None:
    seen = phone.png(glass=True)
    phone.set_secure(NOTES)
    assert phone.secure and black(middle_of(phone.image()))
    assert black(middle_of(decoded(phone.png()))) and black(middle_of(decoded(phone.jpeg(95))))
    raw = Image.frombytes("RGBA", phone.size, phone.raw())
    assert raw.tobytes() == phone.image().tobytes()
    assert phone.png(glass=True) == seen
    phone.set_secure(NOTES, False)
    assert phone.png() == seen


def test_a_secure_windows_tree_is_readable_and_works(phone: VirtualPhone) -> None:
    phone.set_secure(NOTES)
    assert "Note 3" in phone.dump()
    touch(phone, "Note 3")
    assert phone.state_json()["phone"]["screen"] == "detail" and black(middle_of(phone.image()))


def test_only_the_secure_app_is_withheld(phone: VirtualPhone) -> None:
    phone.set_secure(NOTES)
    phone.key(3)
    phone.settle()
    assert not phone.secure and not black(middle_of(phone.image()))


def test_no_frame_of_a_transition_shows_what_is_secure(phone: VirtualPhone) -> None:
    phone.set_secure(NOTES)
    phone.key(3)
    phone.advance(50)
    assert phone.animating and phone.secure
    faded, home = phone.image(), phone.image(glass=True)
    assert faded.tobytes() != home.tobytes()
    phone.settle()
    assert middle_of(faded).tobytes() == middle_of(phone.image()).tobytes()  # the new screen alone, unmixed


def test_the_page_that_sets_a_pin_is_secure_by_itself() -> None:
    phone = VirtualPhone()
    phone.start(SETTINGS, screen="choose_pin")
    phone.settle()
    assert phone.secure and black(middle_of(phone.image()))
    assert find(phone, id="password_entry") is not None


def test_the_automation_server_may_get_no_picture_at_all(phone: VirtualPhone) -> None:
    phone.set_secure(NOTES, capture="null")
    assert phone.capture_refused
    phone.key(3)
    phone.settle()
    assert not phone.capture_refused
    with pytest.raises(ValueError, match="black, null"):
        phone.set_secure(NOTES, capture="blurred")


def test_windows_stay_secure_in_a_snapshot(phone: VirtualPhone) -> None:
    phone.set_secure(NOTES, capture="null")
    kept = phone.snapshot()
    phone.set_secure(NOTES, False)
    phone.restore(kept)
    assert phone.secure and phone.capture_refused


# displays


def test_a_foldable_changes_to_its_outer_display_and_back() -> None:
    phone = VirtualPhone("foldable")
    phone.start(SETTINGS)
    phone.settle()
    before = phone.png()
    phone.fold()
    phone.settle()
    assert phone.size == (1080, 2092) and phone.density == 420 and phone.folded
    assert "Display" in texts(phone) and phone.foreground[0] == SETTINGS
    assert [(d.panel.id, d.active) for d in phone.displays()] == [(FIRST_DISPLAY_ID, False), (SECOND_DISPLAY_ID, True)]
    phone.fold(False)
    phone.settle()
    assert phone.size == (2208, 1840) and phone.png() == before


def test_the_display_that_is_not_in_use_is_black_in_its_own_size() -> None:
    phone = VirtualPhone("foldable")
    outer = decoded(phone.png(display=SECOND_DISPLAY_ID))
    assert outer.size == (1080, 2092) and black(outer)
    assert len(phone.raw(display=SECOND_DISPLAY_ID)) == 1080 * 2092 * 4
    assert phone.png(display=FIRST_DISPLAY_ID) == phone.png()
    phone.fold()
    inner = decoded(phone.png(display=FIRST_DISPLAY_ID))
    assert inner.size == (2208, 1840) and black(inner)
    with pytest.raises(ValueError, match="no display 7"):
        phone.png(display=7)


def test_only_a_foldable_folds(phone: VirtualPhone) -> None:
    with pytest.raises(ValueError, match="does not fold"):
        phone.fold()


@pytest.mark.parametrize(
    ("profile", "name"),
    [("phone", "Tapwright Phone"), ("tablet", "Tapwright Tablet"), ("foldable", "Tapwright Fold")],
)
def test_each_device_is_called_by_its_own_name(profile: str, name: str) -> None:
    assert VirtualPhone(profile).world.settings.get("global", "device_name") == name


# rotation


def test_the_display_follows_the_hand_only_while_auto_rotate_is_on(phone: VirtualPhone) -> None:
    phone.hold(1)
    assert phone.rotation == 0
    phone.put_setting("system", "accelerometer_rotation", "1")
    assert phone.rotation == 1 and phone.size == (2400, 1080)
    phone.put_setting("system", "user_rotation", "3")
    assert phone.rotation == 1
    phone.put_setting("system", "accelerometer_rotation", "0")
    assert phone.rotation == 3


def test_switching_auto_rotate_on_turns_a_frozen_display_back(phone: VirtualPhone) -> None:
    phone.set_rotation(1)
    phone.put_setting("system", "accelerometer_rotation", "1")  # as monkey does when it launches an app
    assert phone.rotation == 0


# navigation


def test_gestures_from_the_edges_mean_back_and_home(phone: VirtualPhone) -> None:
    touch(phone, "Note 3")
    phone.swipe([(2, 1200), (500, 1200)], 150)
    phone.settle()
    assert phone.state_json()["phone"]["screen"] == "main"
    phone.swipe([(540, 2398), (540, 1200)], 150)
    phone.settle()
    assert phone.foreground[0] == "org.example.home"


def test_with_three_buttons_the_edges_mean_nothing_and_the_buttons_are_there(phone: VirtualPhone) -> None:
    phone.set_navigation("buttons")
    touch(phone, "Note 3")
    phone.swipe([(2, 1200), (500, 1200)], 150)
    phone.settle()
    assert phone.state_json()["phone"]["screen"] == "detail"
    touch(phone, id="back")
    assert phone.state_json()["phone"]["screen"] == "main"
    touch(phone, id="home")
    assert phone.foreground[0] == "org.example.home"
    with pytest.raises(ValueError, match="gestures, buttons"):
        phone.set_navigation("trackball")


@pytest.mark.parametrize("mode", ["gestures", "buttons"])
def test_back_closes_the_keyboard_first_in_either_navigation(phone: VirtualPhone, mode: str) -> None:
    phone.set_navigation(mode)
    phone.start(NOTES, ".Editor")
    phone.settle()
    touch(phone, id="title")
    for shown, screen in ((False, "edit"), (False, "main")):
        if mode == "gestures":
            phone.swipe([(2, 1200), (500, 1200)], 150)
            phone.settle()
        else:
            touch(phone, id="back")
        assert (phone.ime_shown, phone.state_json()["phone"]["screen"]) == (shown, screen)


def test_a_field_that_the_keyboard_would_cover_moves_above_it(phone: VirtualPhone) -> None:
    phone.start(NOTES, ".Editor")
    phone.settle()
    field = find(phone, id="body")
    assert field is not None
    touch(phone, id="body")
    moved = find(phone, id="body")
    keyboard = next(window.root for window in phone.windows() if window.type == "ime")
    assert moved is not None and moved.bounds[3] <= keyboard.bounds[1]


# what covers an app


@pytest.mark.parametrize(
    ("cover", "focus", "package"),
    [
        ("notifications", "NotificationShade", "com.android.systemui"),
        ("quick settings", "NotificationShade", "com.android.systemui"),
        ("dialog", f"{NOTES}/.Notes", NOTES),
        ("toast", f"{NOTES}/.Notes", NOTES),
        ("keyboard", f"{NOTES}/.Editor", NOTES),
    ],
)
def test_what_covers_an_app_is_told_by_focus_and_tree(
    phone: VirtualPhone, cover: str, focus: str, package: str
) -> None:
    match cover:
        case "notifications":
            phone.open_notifications()
        case "quick settings":
            phone.open_quick_settings()
        case "dialog":
            touch(phone, "Note 3", hold_ms=600)
        case "toast":
            phone.show_toast("Saved")
        case "keyboard":
            phone.start(NOTES, ".Editor")
            touch(phone, id="title")
    phone.settle()
    focused = next(window for window in phone.windows() if window.focused)
    assert (phone.focused_window, focused.package) == (focus, package)
    types = {window.type for window in phone.windows()}
    wanted = {"notifications": "shade", "quick settings": "shade", "keyboard": "ime"}
    assert wanted.get(cover, cover) in types
    assert ("Saved" in phone.dump()) is False
