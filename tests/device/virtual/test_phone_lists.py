"""Lists under a finger."""

from __future__ import annotations

import pytest
from tutorial import NOTES, find, make_phone, moving, texts, touch

from device.virtual.phone import VirtualPhone


@pytest.fixture
def phone() -> VirtualPhone:
    phone = make_phone()
    phone.start(NOTES)
    phone.settle()
    return phone


def top_of(phone: VirtualPhone, text: str) -> int:
    node = find(phone, text)
    assert node is not None, f"{text!r} is not on the screen: {texts(phone)}"
    return node.bounds[1]


def test_a_list_follows_the_finger_and_stays_when_it_rested(phone: VirtualPhone) -> None:
    before = top_of(phone, "Note 5")
    phone.pointer("down", 540, 1500)
    for y in range(1500, 1199, -20):
        phone.advance(16)
        phone.pointer("move", 540, y)
    phone.advance(300)
    phone.pointer("up", 540, 1200)
    moved = before - top_of(phone, "Note 5")
    assert moved == pytest.approx(300 - 8 * 2.625, abs=2)
    assert not moving(phone)


def test_a_flung_list_runs_on_slows_down_and_rests(phone: VirtualPhone) -> None:
    phone.swipe([(540, 1800), (540, 1200)], 100)
    assert moving(phone)
    assert phone.settle(10_000)
    assert find(phone, "Note 0") is None
    rest = texts(phone)
    phone.advance(1000)
    assert texts(phone) == rest


def test_a_list_stops_at_both_ends(phone: VirtualPhone) -> None:
    for _ in range(24):
        phone.swipe([(540, 1900), (540, 700)], 60)
        phone.settle(10_000)
    assert "Note 99" in texts(phone)
    number = phone.frame()
    phone.swipe([(540, 1900), (540, 700)], 60)
    phone.settle()
    assert phone.frame() == number
    for _ in range(24):
        phone.swipe([(540, 700), (540, 1900)], 60)
        phone.settle(10_000)
    assert "Note 0" in texts(phone)


def test_a_touch_on_a_moving_list_stops_it_and_opens_nothing(phone: VirtualPhone) -> None:
    phone.swipe([(540, 1800), (540, 1200)], 60)
    phone.advance(50)
    assert moving(phone)
    phone.tap(540, 1200)
    assert not moving(phone)
    assert find(phone, id="new") is not None
    touch(phone, next(text for text in texts(phone)[4:] if text.startswith("Note ")))
    assert find(phone, id="shown") is not None


def test_a_finger_that_moves_does_not_tap_what_it_came_down_on(phone: VirtualPhone) -> None:
    phone.swipe([(540, 1200), (540, 1150)], 300)
    assert find(phone, id="new") is not None


def test_a_list_that_has_become_short_shows_its_end(phone: VirtualPhone) -> None:
    for _ in range(24):
        phone.swipe([(540, 1900), (540, 700)], 60)
        phone.settle(10_000)
    for id in range(3, 101):
        phone.world.commit("notes.delete", {"id": id}, "test")
    assert texts(phone)[-2:] == ["Note 0", "Note 1"] or {"Note 0", "Note 1"} <= set(texts(phone))


def test_where_a_list_stands_belongs_to_its_screen(phone: VirtualPhone) -> None:
    phone.swipe([(540, 1800), (540, 1200)], 300)
    phone.settle(10_000)
    read = texts(phone)
    assert "Note 0" not in read
    place = top_of(phone, read[8])
    touch(phone, read[8])
    phone.key(4)
    phone.settle()
    assert top_of(phone, read[8]) == place
    assert texts(phone) == read
