"""A screen reader on the phone: what fingers and injected events mean, and what an automation does to it."""

from __future__ import annotations

import pytest
from tutorial import NOTES, find, make_phone, middle, touch

from device.virtual.core.accessibility import SWITCH_ACCESS, TALKBACK
from device.virtual.phone import VirtualPhone
from device.virtual.ui.a11y import A11yNode


@pytest.fixture
def phone() -> VirtualPhone:
    phone = make_phone()
    phone.start(NOTES)
    phone.settle()
    phone.enable_accessibility_service(TALKBACK)
    return phone


def at(phone: VirtualPhone, text: str) -> tuple[float, float]:
    node = find(phone, text)
    assert node is not None
    return middle(node)


def screen(phone: VirtualPhone) -> str:
    return str(phone.state_json()["phone"]["screen"])


def first_row(phone: VirtualPhone) -> A11yNode:
    node = find(phone, id="note")
    assert node is not None
    return node


def test_a_finger_focuses_what_it_touches_and_clicks_nothing(phone: VirtualPhone) -> None:
    phone.tap(*at(phone, "Note 3"), fingers=1)
    phone.settle()
    assert phone.accessibility_focus == "Note 3" and screen(phone) == "main"


def test_the_focus_is_drawn_as_a_rectangle_around_the_item(phone: VirtualPhone) -> None:
    before, (x, y) = phone.image(), at(phone, "Note 3")
    phone.tap(x, y, fingers=1)
    phone.settle()
    after = phone.image()
    edge = (2, round(y))
    assert before.getpixel(edge) != after.getpixel(edge) == (26, 115, 232, 255)


def test_a_double_tap_anywhere_activates_what_has_the_focus(phone: VirtualPhone) -> None:
    phone.tap(*at(phone, "Note 3"), fingers=1)
    phone.settle()
    for _ in range(2):
        phone.tap(540, 2000, fingers=1)
        phone.advance(80)
    phone.settle()
    assert screen(phone) == "detail" and "Note 3" in phone.dump()


def test_a_double_tap_that_is_held_is_a_long_press(phone: VirtualPhone) -> None:
    phone.tap(*at(phone, "Note 3"), fingers=1)
    phone.settle()
    phone.tap(540, 2000, fingers=1)
    phone.advance(80)
    phone.tap(540, 2000, hold_ms=700, fingers=1)
    phone.settle()
    assert screen(phone) == "ask"


def test_one_finger_swipes_move_the_focus_and_do_not_scroll(phone: VirtualPhone) -> None:
    phone.tap(*at(phone, "Note 3"), fingers=1)
    phone.settle()
    top = first_row(phone).bounds
    for dx, wanted in ((400, "Note 4"), (400, "Note 5"), (-400, "Note 4")):
        phone.swipe([(500, 1500), (500 + dx, 1500)], 120, fingers=1)
        assert phone.accessibility_focus == wanted
    phone.swipe([(500, 1500), (500, 900)], 120, fingers=1)
    assert first_row(phone).bounds == top and phone.accessibility_focus == "Note 4"


def test_two_finger_swipes_scroll(phone: VirtualPhone) -> None:
    before = phone.dump()
    phone.swipe([(500, 1800), (500, 700)], 400, fingers=2)
    phone.settle()
    assert phone.dump() != before and phone.accessibility_focus is None


def test_a_slow_finger_explores_what_it_passes(phone: VirtualPhone) -> None:
    (x, y1), (_, y2) = at(phone, "Note 2"), at(phone, "Note 5")
    phone.swipe([(x, y1), (x, y2)], 1500, fingers=1)
    told = [entry.data["focus"] for entry in phone.journal.entries("accessibility")]
    assert told == ["Note 2", "Note 3", "Note 4", "Note 5"] or told == ["Note 3", "Note 4", "Note 5"]


def test_injected_events_skip_the_screen_reader_and_click(phone: VirtualPhone) -> None:
    phone.tap(*at(phone, "Note 3"))
    phone.settle()
    assert screen(phone) == "detail" and phone.accessibility_focus is None


def test_single_events_of_a_finger_explore_as_well(phone: VirtualPhone) -> None:
    x, y = at(phone, "Note 3")
    phone.pointer("down", x, y, fingers=1)
    phone.advance(40)
    phone.pointer("up", x, y)
    phone.settle()
    assert phone.accessibility_focus == "Note 3" and screen(phone) == "main"


def test_dialogs_and_the_keyboard_are_explored_too(phone: VirtualPhone) -> None:
    phone.show_anr()
    phone.tap(*at(phone, "Wait"), fingers=1)
    phone.settle()
    assert phone.accessibility_focus == "Wait" and phone.error_dialog is not None
    for _ in range(2):
        phone.tap(540, 300, fingers=1)
        phone.advance(60)
    assert phone.error_dialog is None
    phone.start(NOTES, ".Editor")
    phone.settle()
    touch(phone, id="title")
    phone.tap(*at(phone, "q" if find(phone, "q") else "Q"), fingers=1)
    phone.settle()
    assert (phone.accessibility_focus or "").lower() == "q"


def test_without_a_screen_reader_a_finger_touches(phone: VirtualPhone) -> None:
    phone.enable_accessibility_service(TALKBACK, False)
    phone.enable_accessibility_service(SWITCH_ACCESS)
    assert not phone.screen_reader and phone.bound_services == (SWITCH_ACCESS,)
    phone.tap(*at(phone, "Note 3"), fingers=1)
    phone.settle()
    assert screen(phone) == "detail"


def test_an_automation_that_suppresses_services_suspends_them_and_they_resume_at_its_end(phone: VirtualPhone) -> None:
    phone.enable_accessibility_service(SWITCH_ACCESS)
    listed = phone.world.settings.get("secure", "enabled_accessibility_services")
    phone.tap(*at(phone, "Note 3"), fingers=1)
    phone.settle()
    phone.automation_started()
    assert not phone.screen_reader and phone.bound_services == () and phone.accessibility_focus is None
    assert phone.world.settings.get("secure", "enabled_accessibility_services") == listed
    phone.automation_ended()
    assert phone.screen_reader and phone.bound_services == (TALKBACK, SWITCH_ACCESS)
    told = [entry.data["services"] for entry in phone.journal.entries("accessibility") if "services" in entry.data]
    assert told == ["suspended", "resumed"]


def test_an_automation_that_does_not_suppress_leaves_services_alone(phone: VirtualPhone) -> None:
    phone.automation_started(suppress=False)
    assert phone.screen_reader
    phone.automation_ended()
    assert not [entry for entry in phone.journal.entries("accessibility") if "services" in entry.data]


def test_the_settings_that_follow_the_list_of_services_follow_it(phone: VirtualPhone) -> None:
    stored = phone.world.settings
    keys = ("accessibility_enabled", "touch_exploration_enabled")
    assert [stored.get("secure", key) for key in keys] == ["1", "1"]
    phone.put_setting("secure", "enabled_accessibility_services", SWITCH_ACCESS)
    assert [stored.get("secure", key) for key in keys] == ["1", "0"]
    phone.put_setting("secure", "enabled_accessibility_services", "")
    assert [stored.get("secure", key) for key in keys] == ["0", "0"]


def test_the_focus_goes_with_its_item(phone: VirtualPhone) -> None:
    phone.tap(*at(phone, "Note 3"), fingers=1)
    phone.settle()
    phone.key(3)
    phone.settle()
    assert phone.accessibility_focus is None
