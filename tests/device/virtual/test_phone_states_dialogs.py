"""Error and permission dialogs, notifications over the app: what they show, swallow and do."""

from __future__ import annotations

import pytest
from tutorial import NOTES, find, make_phone, middle, nodes, texts, touch

from device.virtual.core.package import Package
from device.virtual.errors import UnknownPackage
from device.virtual.phone import VirtualPhone

SETTINGS, CONTACTS = "com.android.settings", "org.tapwright.contacts"
CAMERA, READ = "android.permission.CAMERA", "android.permission.READ_CONTACTS"
GRANT = "com.android.permissioncontroller/.permission.ui.GrantPermissionsActivity"


@pytest.fixture
def phone() -> VirtualPhone:
    phone = make_phone()
    phone.start(NOTES)
    phone.settle()
    return phone


def ids(phone: VirtualPhone) -> set[str]:
    return {node.resource_id for _, node in nodes(phone) if node.resource_id}


def row(phone: VirtualPhone, package: str = NOTES) -> Package:
    return next(package_row for package_row in phone.packages() if package_row.name == package)


def test_an_app_that_does_not_respond_shows_the_systems_dialog_with_its_ids(phone: VirtualPhone) -> None:
    assert phone.show_anr()
    assert phone.focused_window == f"Application Not Responding: {NOTES}"
    assert "Notes isn't responding" in texts(phone)
    assert {"android:id/alertTitle", "android:id/aerr_close", "android:id/aerr_wait"} <= ids(phone)
    assert {window.package for window, _ in nodes(phone) if window.focused} == {"android"}
    assert phone.foreground[0] == NOTES


def test_the_error_dialog_swallows_touches_and_keys_for_the_app_below(phone: VirtualPhone) -> None:
    note = find(phone, "Note 3")
    assert note is not None
    phone.show_anr()
    phone.tap(*middle(note))
    phone.key(4)
    phone.type_text("lost")
    phone.settle()
    assert phone.error_dialog == ("anr", NOTES)
    assert phone.state_json()["phone"]["screen"] == "main"


def test_wait_keeps_the_app_and_close_ends_it(phone: VirtualPhone) -> None:
    phone.show_anr()
    touch(phone, id="aerr_wait")
    assert phone.error_dialog is None and phone.foreground[0] == NOTES
    phone.show_anr()
    touch(phone, id="aerr_close")
    assert phone.error_dialog is None and NOTES not in [package for _, package in phone.running()]


def test_a_crashed_app_has_stopped_and_the_next_time_it_keeps_stopping() -> None:
    phone = VirtualPhone()
    phone.start(SETTINGS)
    phone.settle()
    phone.show_crash()
    assert phone.focused_window == f"Application Error: {SETTINGS}"
    assert "Settings has stopped" in texts(phone) and phone.foreground[0] != SETTINGS
    touch(phone, id="aerr_close")
    phone.show_crash(SETTINGS)
    assert "Settings keeps stopping" in texts(phone)
    touch(phone, id="aerr_app_info")
    assert phone.foreground == (SETTINGS, ".AppInfo")


def test_hidden_error_dialogs_do_not_show_but_the_crash_still_ends_the_app(phone: VirtualPhone) -> None:
    phone.put_setting("global", "hide_error_dialogs", "1")
    assert not phone.show_anr() and not phone.show_crash()
    assert phone.error_dialog is None and phone.foreground[0] != NOTES
    assert [entry.data["hidden"] for entry in phone.journal if "error" in entry.data] == [True, True]


def test_error_dialogs_lie_on_each_other_and_below_shade_and_lock(phone: VirtualPhone) -> None:
    phone.show_anr("org.example.timer")
    phone.show_anr(NOTES)
    phone.open_notifications()
    assert phone.focused_window == "NotificationShade"
    phone.close_shade()
    phone.lock()
    assert phone.focused_window == "NotificationShade" and phone.error_dialog is None
    phone.unlock()
    touch(phone, id="aerr_wait")
    assert phone.error_dialog == ("anr", "org.example.timer")
    assert phone.dismiss_error() and not phone.dismiss_error()


def test_the_keyboard_goes_when_the_system_speaks_up(phone: VirtualPhone) -> None:
    phone.start(NOTES, ".Editor")
    phone.settle()
    touch(phone, id="title")
    assert phone.ime_shown
    phone.show_anr()
    phone.settle()
    assert not phone.ime_shown and not [w for w in phone.windows() if w.type == "ime"]


def test_dialogs_speak_chinese() -> None:
    phone = VirtualPhone(lang="zh")
    phone.show_anr(SETTINGS)
    assert {"设置没有响应", "关闭应用", "等待"} <= set(texts(phone))


def test_no_dialog_is_about_a_package_that_is_not_installed(phone: VirtualPhone) -> None:
    with pytest.raises(UnknownPackage):
        phone.show_anr("com.example.nothing")


# permissions


def test_a_permission_dialog_is_an_activity_of_its_own_over_the_app(phone: VirtualPhone) -> None:
    assert phone.request_permission(NOTES, CAMERA)
    phone.settle()
    assert phone.focused_window == GRANT and "/".join(phone.foreground) == GRANT
    assert "Allow Notes to take pictures and record video?" in texts(phone)
    prefix = "com.android.permissioncontroller:id/permission_"
    buttons = [node.resource_id for _, node in nodes(phone) if node.resource_id.endswith("_button")]
    assert buttons == [
        f"{prefix}allow_foreground_only_button",
        f"{prefix}allow_one_time_button",
        f"{prefix}deny_button",
    ]


@pytest.mark.parametrize(
    ("button", "granted", "flag"),
    [
        ("permission_allow_foreground_only_button", (CAMERA,), "USER_SET"),
        ("permission_allow_one_time_button", (CAMERA,), "ONE_TIME"),
        ("permission_deny_button", (), "USER_SET"),
    ],
)
def test_each_choice_is_kept_by_the_package_manager(
    phone: VirtualPhone, button: str, granted: tuple[str, ...], flag: str
) -> None:
    phone.request_permission(NOTES, CAMERA)
    touch(phone, id=button)
    assert (row(phone).granted, row(phone).flags) == (granted, {CAMERA: flag})
    assert phone.foreground[0] == NOTES and phone.permission_dialog is None


def test_a_permission_given_once_is_gone_with_the_process(phone: VirtualPhone) -> None:
    phone.request_permission(NOTES, CAMERA)
    touch(phone, id="permission_allow_one_time_button")
    phone.force_stop(NOTES)
    assert row(phone).granted == () and row(phone).flags == {}


def test_the_second_refusal_is_for_good_and_nobody_is_asked_again(phone: VirtualPhone) -> None:
    phone.request_permission(NOTES, CAMERA)
    touch(phone, id="permission_deny_button")
    assert phone.request_permission(NOTES, CAMERA)
    touch(phone, id="permission_deny_and_dont_ask_again_button")
    assert row(phone).flags == {CAMERA: "USER_FIXED"}
    assert not phone.request_permission(NOTES, CAMERA)


def test_what_is_granted_is_not_asked_for_and_what_is_not_declared_is_an_error(phone: VirtualPhone) -> None:
    phone.grant(NOTES, CAMERA)
    assert not phone.request_permission(NOTES, CAMERA)
    with pytest.raises(ValueError, match="does not ask for"):
        phone.request_permission(NOTES, READ)


def test_touches_beside_the_permission_dialog_do_nothing_and_back_leaves_it_unanswered(phone: VirtualPhone) -> None:
    phone.request_permission(NOTES, CAMERA)
    phone.settle()
    phone.tap(40, 400)
    phone.settle()
    assert phone.permission_dialog == (NOTES, CAMERA)
    phone.key(4)
    phone.settle()
    assert phone.permission_dialog is None and row(phone).flags == {}


def test_home_ends_the_permission_dialog_and_the_overview_never_shows_it(phone: VirtualPhone) -> None:
    phone.request_permission(NOTES, CAMERA)
    phone.key(3)
    phone.settle()
    assert phone.permission_dialog is None
    phone.start(NOTES)
    assert phone.foreground[0] == NOTES


def test_contacts_without_permission_asks_when_it_opens_and_shows_nobody_until_it_is_given() -> None:
    phone = VirtualPhone()
    phone.reset_permissions(CONTACTS)
    phone.start(CONTACTS)
    phone.settle()
    assert phone.permission_dialog == (CONTACTS, READ)
    touch(phone, id="permission_deny_button")
    assert phone.permission_dialog is None and not [t for t in texts(phone) if t == "Amina Diallo"]
    touch(phone, id="allow")
    touch(phone, id="permission_allow_button")
    assert "Amina Diallo" in texts(phone)


# notifications over the app


def test_a_heads_up_notification_shows_for_five_seconds_without_taking_the_focus(phone: VirtualPhone) -> None:
    phone.notify(NOTES, "Dinner", "At eight")
    assert phone.focused_window == f"{NOTES}/.Notes"
    assert find(phone, id="expandableNotificationRow", type="heads_up") is not None
    phone.advance(5000)
    assert find(phone, id="expandableNotificationRow") is None
    phone.open_notifications()
    assert "Dinner" in texts(phone)


def test_a_heads_up_notification_opens_by_a_tap_and_goes_by_a_swipe_up() -> None:
    phone = VirtualPhone()
    phone.notify(CONTACTS, "New contact")
    touch(phone, id="expandableNotificationRow")
    assert phone.foreground[0] == CONTACTS
    phone.notify(CONTACTS, "Another")
    card = find(phone, id="expandableNotificationRow")
    assert card is not None
    x, y = middle(card)
    phone.swipe([(x, y), (x, y - 140)], 100)
    assert find(phone, id="expandableNotificationRow") is None


def test_dialogs_come_back_with_a_snapshot(phone: VirtualPhone) -> None:
    phone.show_anr()
    phone.request_permission(NOTES, CAMERA)
    phone.notify(NOTES, "Dinner")
    kept, seen = phone.snapshot(), phone.png()
    phone.dismiss_error()
    phone.key(3)
    phone.settle()
    assert phone.png() != seen
    phone.restore(kept)
    assert phone.error_dialog == ("anr", NOTES) and phone.permission_dialog == (NOTES, CAMERA)
    assert phone.state_json()["phone"]["heads_up"] == 1
