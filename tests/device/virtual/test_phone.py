"""The phone as a whole: apps, screens, back, tasks, power, rotation, snapshots, determinism."""

from __future__ import annotations

import json

import pytest
from tutorial import NOTES, TIMER, Note, find, make_phone, texts, touch

from device.virtual.core.world import diff
from device.virtual.errors import StaleNode, UnknownPackage
from device.virtual.phone import VirtualPhone

BACK, HOME, RECENTS, POWER = 4, 3, 187, 26


@pytest.fixture
def phone() -> VirtualPhone:
    return make_phone()


def open_notes(phone: VirtualPhone) -> None:
    assert phone.start(NOTES).ok
    phone.settle()


def test_a_fresh_phone_shows_home_in_its_own_size(phone: VirtualPhone) -> None:
    assert phone.foreground == ("org.example.home", ".Home")
    assert phone.size == phone.natural_size == (1080, 2400)
    assert phone.image().size == (1080, 2400)
    assert len(phone.raw()) == 1080 * 2400 * 4
    assert phone.raw()[3::4].count(b"\xff") == 1080 * 2400


def test_an_app_starts_from_home_and_back_leads_home(phone: VirtualPhone) -> None:
    touch(phone, "Notes")
    assert phone.foreground == (NOTES, ".Notes")
    assert phone.focused_window == f"{NOTES}/.Notes"
    phone.key(BACK)
    phone.settle()
    assert phone.foreground == ("org.example.home", ".Home")


def test_starting_an_app_again_finds_it_where_it_was(phone: VirtualPhone) -> None:
    open_notes(phone)
    touch(phone, "Note 3")
    phone.key(HOME)
    open_notes(phone)
    assert "Note 3" in texts(phone)
    assert phone.start(NOTES).text.startswith("Warning: Activity not started")
    phone.force_stop(NOTES)
    open_notes(phone)
    assert find(phone, id="new") is not None


def test_activities_actions_and_addresses_open_their_screens(phone: VirtualPhone) -> None:
    assert phone.start(NOTES, ".Editor").component == f"{NOTES}/.Editor"
    assert phone.foreground == (NOTES, ".Editor")
    assert phone.start(NOTES, NOTES + ".Editor").ok
    assert phone.match("", "note:hello") == NOTES
    phone.start(NOTES, data="note:hello")
    phone.settle()
    assert "note:hello" in texts(phone)


def test_an_app_that_began_elsewhere_opens_its_first_screen_above(phone: VirtualPhone) -> None:
    phone.start(NOTES, ".Editor")
    open_notes(phone)
    assert phone.foreground == (NOTES, ".Notes")
    phone.key(BACK)
    assert phone.foreground == (NOTES, ".Editor")
    phone.key(BACK)
    assert phone.foreground[0] == "org.example.home"
    assert NOTES not in [name for _, name in phone.running()]  # it did not begin where the launcher begins


def test_what_is_not_there_does_not_start(phone: VirtualPhone) -> None:
    assert not phone.start("org.nowhere").ok
    missing = phone.start(NOTES, ".Nope")
    assert (missing.ok, missing.text) == (False, f"Error: Activity class {{{NOTES}/.Nope}} does not exist.")
    with pytest.raises(UnknownPackage, match="installed are"):
        phone.force_stop("org.nowhere")


def test_screens_stack_and_the_arrow_of_the_bar_leads_back(phone: VirtualPhone) -> None:
    open_notes(phone)
    touch(phone, "Note 1")
    assert find(phone, id="shown") is not None
    touch(phone, "Navigate up")
    assert find(phone, id="new") is not None


def test_an_app_started_by_an_app_returns_to_it(phone: VirtualPhone) -> None:
    open_notes(phone)
    touch(phone, "Note 1")
    touch(phone, id="timer")
    assert phone.foreground == (TIMER, ".Timer")
    phone.key(BACK)  # the keyboard of the field that took the focus
    phone.key(BACK)
    phone.settle()
    assert phone.foreground == (NOTES, ".Notes")
    assert find(phone, id="timer") is not None


def test_a_screen_may_ask_before_it_is_left(phone: VirtualPhone) -> None:
    phone.start(TIMER)
    phone.settle()
    phone.type_text("tea")
    phone.key(BACK)
    phone.key(BACK)
    phone.settle()
    assert "Leave?" in texts(phone)
    touch(phone, "Yes")
    assert phone.foreground[0] == "org.example.home"


def test_a_long_press_opens_a_dialog_and_a_touch_beside_it_closes_it(phone: VirtualPhone) -> None:
    open_notes(phone)
    touch(phone, "Note 2", hold_ms=600)
    assert "Delete note?" in texts(phone)
    assert find(phone, "Note 2") is None  # behind a dialog nothing can be reached
    phone.tap(540, 300)
    phone.settle()
    assert "Delete note?" not in texts(phone)
    assert find(phone, "Note 2") is not None


def test_a_dialog_deletes_and_the_journal_tells_which_touch_did_it(phone: VirtualPhone) -> None:
    open_notes(phone)
    before = phone.world.to_json()
    touch(phone, "Note 2", hold_ms=600)
    touch(phone, "Delete")
    (gone,) = diff(before, phone.world.to_json())
    assert (gone["path"], gone["after"]) == ("notes.note/3", None)
    command = phone.journal.entries("command")[-1]
    cause = next(entry for entry in phone.journal.entries("input") if entry.cause == command.cause)
    assert command.data["command"] == "notes.delete"
    assert cause.data["action"] == "tap"


def test_the_journal_follows_what_comes_to_the_front(phone: VirtualPhone) -> None:
    touch(phone, "Notes")
    touch(phone, "Note 1")
    seen = [(entry.data["screen"], entry.cause) for entry in phone.journal.entries("window")]
    assert seen == [("main", "i1"), ("detail", "i2")]


def test_a_back_door_has_no_touch_behind_it(phone: VirtualPhone) -> None:
    phone.world.commit("notes.delete", {"id": 1}, "elsewhere")
    command = phone.journal.entries("command")[-1]
    assert all(entry.cause != command.cause for entry in phone.journal.entries("input"))


def test_a_command_may_say_where_to_go_on(phone: VirtualPhone) -> None:
    phone.start(NOTES, ".Editor")
    phone.settle()
    touch(phone, id="title")
    phone.type_text("Bread")
    touch(phone, id="save")
    note = find(phone, id="shown")
    assert note is not None
    assert note.text == "Bread"
    assert phone.toast == "Saved"
    assert any(window.type == "toast" for window in phone.windows())
    assert 'text="Saved"' not in phone.dump()  # as on a real phone, toasts are not in the tree
    assert phone.journal.entries("toast")[-1].data == {"text": "Saved"}
    phone.key(BACK)
    phone.settle()
    assert phone.foreground[0] == "org.example.home"  # the form is gone, and it was the task's first screen


def test_a_toast_goes_by_itself_but_is_remembered(phone: VirtualPhone) -> None:
    phone.show_toast("Hello")
    assert any(window.type == "toast" for window in phone.windows())
    phone.advance(2001)
    assert not any(window.type == "toast" for window in phone.windows())
    assert phone.toast == "Hello"
    phone.clear_toast()
    assert phone.toast is None


def test_switches_sliders_and_view_state(phone: VirtualPhone) -> None:
    open_notes(phone)
    touch(phone, "Note 1")
    touch(phone, id="pinned")
    assert phone.world.settings.get("system", "pinned") == "1"
    touch(phone, "More")
    assert "the rest" in texts(phone)
    bar = find(phone, id="android:id/seekbar") or find(phone, id="seekbar")
    assert bar is not None
    left, top, right, bottom = bar.bounds
    phone.swipe([(left + 40, (top + bottom) / 2), (right - 5, (top + bottom) / 2)], 300)
    assert phone.world.settings.number("system", "size", 0) > 90
    phone.tap((left + right) / 2, (top + bottom) / 2)
    assert phone.world.settings.number("system", "size", 0) == pytest.approx(50, abs=2)


def test_the_overview_lists_apps_and_brings_them_back(phone: VirtualPhone) -> None:
    open_notes(phone)
    touch(phone, "Note 5")
    phone.start(TIMER)
    phone.key(RECENTS)
    phone.settle()
    assert [text for text in texts(phone) if text in ("Notes", "Timer")] == ["Timer", "Notes"]
    touch(phone, "Notes", type="app")
    assert "Note 5" in texts(phone)


def test_home_recents_back_and_drawer_by_gesture(phone: VirtualPhone) -> None:
    open_notes(phone)
    phone.swipe([(2, 1000), (400, 1000)], 150)
    assert phone.foreground[0] == "org.example.home"
    open_notes(phone)
    phone.swipe([(540, 2390), (540, 1200)], 200)
    assert phone.foreground[0] == "org.example.home"
    phone.settle()
    phone.swipe([(540, 1800), (540, 900)], 200)
    phone.settle()
    assert "drawer" in texts(phone)
    phone.key(HOME)
    phone.settle()
    phone.swipe([(900, 1500), (200, 1500)], 200)
    phone.settle()
    assert "page 1" in texts(phone)
    open_notes(phone)
    for action, y in (("down", 2390), ("move", 2300), ("move", 1700), ("move", 1500)):
        phone.pointer(action, 540, y)
        phone.advance(20)
    phone.advance(300)
    phone.pointer("up", 540, 1500)
    phone.settle()
    assert "Recent" in texts(phone)


def test_three_buttons_take_the_place_of_the_gestures(phone: VirtualPhone) -> None:
    phone.put_setting("secure", "navigation_mode", "0")
    open_notes(phone)
    phone.swipe([(2, 1000), (400, 1000)], 150)
    assert phone.foreground[0] == NOTES
    touch(phone, "Home", type="nav_bar")
    assert phone.foreground[0] == "org.example.home"


def test_the_shade_comes_down_and_goes_up(phone: VirtualPhone) -> None:
    open_notes(phone)
    phone.swipe([(540, 10), (540, 1400)], 200)
    phone.settle()
    assert phone.focused_window == "NotificationShade"
    phone.key(BACK)
    phone.settle()
    assert phone.focused_window == f"{NOTES}/.Notes"
    phone.open_quick_settings()
    assert phone.focused_window == "NotificationShade"
    phone.close_shade()
    assert phone.focused_window == f"{NOTES}/.Notes"


def test_the_screen_goes_off_locks_and_opens(phone: VirtualPhone) -> None:
    open_notes(phone)
    phone.key(POWER)
    assert [phone.awake, phone.windows()] == [False, ()]
    assert phone.windows() == ()
    assert phone.image().getextrema()[:3] == ((0, 0), (0, 0), (0, 0))
    phone.tap(540, 1200)
    phone.key(POWER)
    assert phone.awake
    assert phone.locked
    assert phone.focused_window == "NotificationShade"
    phone.key(HOME)
    assert phone.locked
    phone.swipe([(540, 2000), (540, 900)], 200)
    assert phone.state_json()["phone"]["locked"] is False
    assert phone.foreground[0] == NOTES
    phone.sleep()
    phone.wake()
    phone.unlock()
    assert phone.focused_window == f"{NOTES}/.Notes"


def test_a_turned_phone_has_a_turned_picture_tree_and_touch(phone: VirtualPhone) -> None:
    open_notes(phone)
    phone.set_rotation(1, freeze=True)
    assert (phone.rotation, phone.size, phone.natural_size) == (1, (2400, 1080), (1080, 2400))
    assert phone.image().size == (2400, 1080)
    assert phone.rotation_frozen
    assert 'rotation="1"' in phone.dump()
    touch(phone, "Note 1")
    assert find(phone, id="shown") is not None
    with pytest.raises(ValueError, match="0, 1, 2 or 3"):
        phone.set_rotation(4)


def test_size_and_density_can_be_overridden(phone: VirtualPhone) -> None:
    phone.put_setting("global", "display_size_forced", "720,1600")
    phone.put_setting("secure", "display_density_forced", "280")
    assert (phone.size, phone.density) == ((720, 1600), 280)
    assert phone.image().size == (720, 1600)


@pytest.mark.parametrize(("profile", "size"), [("tablet", (1600, 2560)), ("foldable", (2208, 1840))])
def test_other_devices_have_their_own_sizes(profile: str, size: tuple[int, int]) -> None:
    phone = make_phone(profile)
    open_notes(phone)
    touch(phone, "Note 1")
    assert phone.image().size == size
    assert find(phone, id="shown") is not None


def test_an_unknown_device_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="phone, tablet, foldable"):
        make_phone("watch")


def test_packages_permissions_and_processes(phone: VirtualPhone) -> None:
    row = next(package for package in phone.packages() if package.name == NOTES)
    assert (row.label, row.version_name, row.activities) == ("Notes", "2.1", (".Notes", ".Editor"))
    camera = "android.permission.CAMERA"
    phone.grant(NOTES, camera)
    assert phone.packages()[1].granted == (camera,)
    phone.revoke(NOTES, camera)
    assert phone.packages()[1].granted == ()
    with pytest.raises(ValueError, match="does not ask"):
        phone.grant(NOTES, "android.permission.FLY")
    assert phone.resolve(NOTES) == f"{NOTES}/.Notes"
    assert phone.resolve("org.nowhere") is None
    assert NOTES not in [name for _, name in phone.running()]
    phone.start(NOTES)
    assert NOTES in [name for _, name in phone.running()]


def test_packages_come_and_go_with_their_data(phone: VirtualPhone) -> None:
    open_notes(phone)
    phone.uninstall(NOTES)
    assert phone.foreground[0] == "org.example.home"
    assert len(phone.world.table(Note)) == 0
    assert not phone.start(NOTES).ok
    phone.install(NOTES)
    assert len(phone.world.table(Note)) == 100
    phone.clear(NOTES)
    assert len(phone.world.table(Note)) == 0
    phone.install("com.other.app", "Other")
    assert [p.label for p in phone.packages()][-1] == "Other"
    assert not phone.start("com.other.app").ok


def test_the_state_tells_what_is_in_front_as_json(phone: VirtualPhone) -> None:
    open_notes(phone)
    state = json.loads(json.dumps(phone.state_json()))
    assert state["phone"]["foreground"] == f"{NOTES}/.Notes"
    assert state["phone"]["screen"] == "main"
    assert len(state["tables"]["notes.note"]) == 100


def test_nodes_can_be_clicked_until_they_are_gone(phone: VirtualPhone) -> None:
    open_notes(phone)
    text, node = find(phone, "Note 1"), find(phone, id="note")
    assert text is not None
    assert node is not None
    assert not phone.click_node(text)  # its row is the target
    assert phone.click_node(node)
    phone.settle()
    phone.key(HOME)
    with pytest.raises(StaleNode, match="read windows"):
        phone.click_node(node)
