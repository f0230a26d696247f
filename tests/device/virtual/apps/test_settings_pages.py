"""The settings: every entry can be reached by taps, and every switch changes exactly its setting."""

from __future__ import annotations

from itertools import pairwise

import pytest
from finger import Finger

from device.virtual.apps.settings.live import BUILD_TAPS
from device.virtual.apps.settings.model import Choice, Entry, Level, Open, Page, Toggle, Typed
from device.virtual.apps.settings.pages import ABOVE, PAGES
from device.virtual.apps.words import say
from device.virtual.phone import VirtualPhone

SETTINGS = "com.android.settings"
FIXED = [page for page in PAGES.values() if page.entries() and page.name != "root"]


def titles_to(page: Page) -> list[str]:
    """Titles to tap, from the root to the page."""
    names = [page.name]
    while names[0] != "root":
        names.insert(0, ABOVE[names[0]])
    titles = []
    for above, below in pairwise(names):
        entries = [e for e in PAGES[above].entries() if isinstance(e.control, Open) and e.control.page == below]
        titles.append(say(entries[0].title, "en"))
    return titles


def open_page(finger: Finger, page: Page) -> None:
    """Tap from the settings' root to the page, unlocking the developer options where they are needed."""
    titles = titles_to(page)
    if "Developer options" in titles:
        finger.phone.start(SETTINGS, ".Settings$MyDeviceInfoActivity")
        for _ in range(BUILD_TAPS):
            finger.tap("Build number")
        finger.phone.force_stop(SETTINGS)
    finger.phone.start(SETTINGS)
    finger.phone.settle()
    for title in titles:
        finger.tap(title)
    finger.changes()


def shown_entries(page: Page, phone: VirtualPhone) -> list[Entry]:
    return [e for e in page.entries() if e.title and (e.shown is None or e.shown(phone.world))]


def test_there_are_at_least_twenty_pages_and_all_are_below_the_root() -> None:
    with_arguments = {"wifi_network", "bluetooth_device", "app_info", "app_permissions", "accessibility_service"}
    assert len(PAGES) >= 20
    assert set(PAGES) - {"root"} - with_arguments == set(ABOVE)


@pytest.mark.parametrize("page", FIXED, ids=lambda page: page.name)
def test_every_entry_of_the_page_can_be_reached_by_taps_from_the_root(finger: Finger, page: Page) -> None:
    open_page(finger, page)
    for entry in shown_entries(page, finger.phone):
        node = finger.see(say(entry.title, "en"))
        assert node.visible


@pytest.mark.parametrize("page", FIXED, ids=lambda page: page.name)
def test_every_switch_of_the_page_changes_exactly_its_setting(finger: Finger, page: Page) -> None:
    open_page(finger, page)
    for entry in shown_entries(page, finger.phone):
        if isinstance(entry.control, Toggle):
            setting = entry.control.setting
            before = setting.read(finger.phone.world)
            after = entry.control.off if entry.control.is_on(finger.phone.world) else entry.control.on
            finger.tap(say(entry.title, "en"))
            assert finger.changes() == [(f"settings/{setting.ns}/{setting.key}", before, after)]
            assert before != after
            finger.tap(say(entry.title, "en"))
            assert finger.changes() == [(f"settings/{setting.ns}/{setting.key}", after, before)]


@pytest.mark.parametrize("page", FIXED, ids=lambda page: page.name)
def test_every_choice_of_the_page_stores_what_was_chosen(finger: Finger, page: Page) -> None:
    open_page(finger, page)
    for entry in shown_entries(page, finger.phone):
        if isinstance(entry.control, Choice):
            setting = entry.control.setting
            before = setting.read(finger.phone.world)
            value, label = next(option for option in entry.control.options if option[0] != before)
            finger.tap(say(entry.title, "en"))
            finger.tap(say(label, "en"))
            assert finger.changes() == [(f"settings/{setting.ns}/{setting.key}", before, value)]
            finger.phone.world.commit(
                "settings.put", {"ns": setting.ns, "key": setting.key, "value": before}, cause="test"
            )
            finger.changes()


@pytest.mark.parametrize("page", FIXED, ids=lambda page: page.name)
def test_every_slider_of_the_page_follows_a_tap_to_its_end(finger: Finger, page: Page) -> None:
    open_page(finger, page)
    for entry in shown_entries(page, finger.phone):
        if isinstance(entry.control, Level):
            setting = entry.control.setting
            before = setting.read(finger.phone.world)
            finger.see(say(entry.title, "en"))
            bars = [node for node in finger.nodes() if node.cls == "android.widget.SeekBar"]
            row = finger.see(say(entry.title, "en"))
            bar = min(bars, key=lambda node: abs(node.bounds[1] - row.bounds[1]))
            finger.phone.tap(bar.bounds[2] - 2, (bar.bounds[1] + bar.bounds[3]) / 2)
            finger.phone.settle()
            assert finger.changes() == [(f"settings/{setting.ns}/{setting.key}", before, str(entry.control.hi))]


@pytest.mark.parametrize("page", FIXED, ids=lambda page: page.name)
def test_every_text_entry_of_the_page_stores_what_was_typed(finger: Finger, page: Page) -> None:
    open_page(finger, page)
    for entry in shown_entries(page, finger.phone):
        if isinstance(entry.control, Typed):
            setting = entry.control.setting
            before = setting.read(finger.phone.world)
            finger.tap(say(entry.title, "en"))
            finger.tap(id="edit")
            finger.phone.clear_text()
            finger.type("Blue kite 7")
            finger.tap("OK")
            assert finger.changes() == [(f"settings/{setting.ns}/{setting.key}", before, "Blue kite 7")]


def test_search_finds_every_entry_by_its_title(finger: Finger, phone: VirtualPhone) -> None:
    phone.start(SETTINGS, ".SettingsSearch")
    phone.settle()
    finger.tap(id="search_src_text")
    for page in FIXED:
        for entry in shown_entries(page, phone):
            title = say(entry.title, "en")
            phone.clear_text()
            finger.type(title)
            hits = [node.text for node in finger.nodes() if node.resource_id == "android:id/title"]
            assert title in hits, f"{page.name}: {title} is not among {hits}"


def test_a_search_result_opens_the_page_of_the_entry(finger: Finger, phone: VirtualPhone) -> None:
    phone.start(SETTINGS)
    phone.settle()
    finger.tap("Search settings")
    finger.tap(id="search_src_text")
    finger.type("dark")
    finger.tap("Dark theme")
    assert finger.find("Adaptive brightness") is not None


def test_dark_theme_changes_the_whole_phone_at_once(finger: Finger, phone: VirtualPhone) -> None:
    phone.start(SETTINGS)
    phone.settle()
    finger.tap("Display")
    light = phone.image().convert("L").resize((1, 1)).tobytes()[0]
    finger.tap("Dark theme")
    dark = phone.image().convert("L").resize((1, 1)).tobytes()[0]
    assert phone.world.settings.get("secure", "ui_night_mode") == "2"
    assert light > 200 and dark < 60
