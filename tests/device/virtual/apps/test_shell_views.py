"""Home, drawer, overview, keyboard, bars and shade, through taps and swipes."""

from __future__ import annotations

import pytest
from finger import Finger

from device.virtual.phone import VirtualPhone
from device.virtual.shell.keyboard import KeyboardState, Stroke, press
from device.virtual.shell.shade import TILES

SETTINGS, CONTACTS = "com.android.settings", "org.tapwright.contacts"
HOME = "org.tapwright.launcher"


def front(phone: VirtualPhone) -> str:
    return phone.foreground[0]


@pytest.mark.parametrize(("label", "package"), [("Settings", SETTINGS), ("Contacts", CONTACTS)])
def test_a_tap_on_an_icon_opens_its_app(finger: Finger, phone: VirtualPhone, label: str, package: str) -> None:
    finger.tap(label)
    assert front(phone) == package


def test_the_drawer_opens_by_a_swipe_up_and_finds_an_app(finger: Finger, phone: VirtualPhone) -> None:
    width, height = phone.size
    phone.swipe([(width / 2, height * 0.6), (width / 2, height * 0.2)], 200)
    phone.settle()
    finger.tap("Search apps")
    finger.type("cont")
    assert finger.find("Settings") is None
    finger.tap("Contacts")
    assert front(phone) == CONTACTS


def test_an_icon_can_be_removed_from_home_and_put_back(finger: Finger, phone: VirtualPhone) -> None:
    def long_press(label: str) -> None:
        left, top, right, bottom = finger.see(label).bounds
        phone.tap((left + right) / 2, (top + bottom) / 2, hold_ms=800)
        phone.settle()

    long_press("Contacts")
    finger.tap("Remove from Home screen")
    assert finger.find("Contacts") is None
    width, height = phone.size
    phone.swipe([(width / 2, height * 0.6), (width / 2, height * 0.2)], 200)
    phone.settle()
    long_press("Contacts")
    finger.tap("Add to Home screen")
    phone.key(3)
    phone.settle()
    assert finger.find("Contacts") is not None


def test_the_overview_switches_between_apps(finger: Finger, phone: VirtualPhone) -> None:
    for package in (SETTINGS, CONTACTS):
        phone.start(package)
        phone.settle()
    phone.key(187)
    phone.settle()
    width, height = phone.size
    phone.swipe([(width * 0.3, height / 2), (width * 0.8, height / 2)], 200)
    phone.settle()
    finger.tap(id="task")
    assert front(phone) == SETTINGS


def test_clear_all_empties_the_overview(finger: Finger, phone: VirtualPhone) -> None:
    phone.start(CONTACTS)
    phone.settle()
    phone.key(187)
    phone.settle()
    finger.tap("Clear all")
    assert CONTACTS not in [package for _, package in phone.running()]


@pytest.mark.parametrize("tile", TILES, ids=lambda tile: tile.key)
def test_a_tile_changes_exactly_its_setting(finger: Finger, phone: VirtualPhone, tile: object) -> None:
    assert tile in TILES
    known = next(one for one in TILES if one is tile)
    phone.open_quick_settings()
    phone.settle()
    before = known.is_on(phone.world)
    finger.changes()
    finger.tap(known.title["en"], types=("shade",))
    assert [path for path, *_ in finger.changes()] == [f"settings/{known.ns}/{known.setting}"]
    assert known.is_on(phone.world) is not before


def test_three_buttons_lead_home_and_back(finger: Finger, phone: VirtualPhone) -> None:
    phone.world.commit("settings.put", {"ns": "secure", "key": "navigation_mode", "value": "0"}, cause="test")
    phone.start(SETTINGS)
    phone.settle()
    finger.tap("Display")
    finger.tap("Back", types=("nav_bar",))
    assert finger.find("Battery") is not None
    finger.tap("Home", types=("nav_bar",))
    assert front(phone) == HOME


def form(finger: Finger, field: str) -> None:
    finger.phone.start(CONTACTS, ".Editor")
    finger.phone.settle()
    finger.tap(field)


def keys(finger: Finger) -> list[str]:
    return [node.desc or node.text for node in finger.nodes("ime") if node.clickable]


def test_letters_type_what_they_show_and_shift_lasts_for_one_letter(finger: Finger, phone: VirtualPhone) -> None:
    form(finger, "First name")
    for label in ("M", "a", "r", "i", "a"):
        finger.tap(label, types=("ime",))
    assert "Maria" in finger.texts()


def test_caps_lock_lasts_until_it_is_touched_again(finger: Finger) -> None:
    form(finger, "Company")
    finger.tap(finger_shift(finger), types=("ime",))
    for label in ("A", "B"):
        finger.tap(label, types=("ime",))
    finger.tap(finger_shift(finger), types=("ime",))
    finger.tap("c", types=("ime",))
    assert "ABc" in finger.texts()


def finger_shift(finger: Finger) -> str:
    return next(key for key in keys(finger) if key.startswith(("Shift", "Caps")))


def test_symbols_type_what_they_show(finger: Finger) -> None:
    form(finger, "Email")
    finger.tap("?123", types=("ime",))
    for label in ("1", "@", "!"):
        finger.tap(label, types=("ime",))
    finger.tap("=\\<", types=("ime",))
    finger.tap("{", types=("ime",))
    assert "1@!{" in finger.texts()


def test_a_phone_field_gets_digits_and_delete_takes_the_last(finger: Finger) -> None:
    form(finger, "Phone")
    for label in ("+", "3", "4", "Space", "6", "7", "Delete"):
        finger.tap(label, types=("ime",))
    assert "+34 6" in finger.texts()


def test_every_key_of_every_layer_types_its_label(finger: Finger, phone: VirtualPhone) -> None:
    form(finger, "Last name")
    functions = ("Shift", "Caps", "Delete", "Hide", "Next", "Done", "Enter", "Space", "ABC", "?123", "=\\<", "Newline")
    for switch in ("", "?123", "=\\<"):
        if switch:
            finger.tap(switch, types=("ime",))
        for label in [key for key in keys(finger) if not key.startswith(functions)]:
            phone.clear_text()
            if not switch:
                label = label.lower()
                while finger.find(label, types=("ime",)) is None:
                    finger.tap(finger_shift(finger), types=("ime",))
            finger.tap(label, types=("ime",))
            assert label in finger.texts(), f"key {label!r} of layer {switch or 'letters'!r}"


def test_shift_goes_from_off_to_once_to_caps_and_back() -> None:
    state = KeyboardState()
    seen = [state.shift]
    for _ in range(3):
        state, stroke = press(state, "shift")
        assert stroke == Stroke()
        seen.append(state.shift)
    assert seen == ["off", "once", "caps", "off"]


def test_a_letter_ends_a_single_shift_but_not_caps() -> None:
    assert press(KeyboardState("letters", "once"), "A") == (KeyboardState("letters", "off"), Stroke(text="A"))
    assert press(KeyboardState("letters", "caps"), "A") == (KeyboardState("letters", "caps"), Stroke(text="A"))
