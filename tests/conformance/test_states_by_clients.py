"""The phone's states as unmodified adbutils and uiautomator2 find them."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest
from PIL import Image

from device.virtual.core.accessibility import TALKBACK
from device.virtual.core.clock import VirtualClock
from device.virtual.phone import VirtualPhone

from .conftest import AdbServer, LivePhone, wait_for_state
from .operations import CONTACTS, LAUNCHER, SETTINGS, open_settings

READ = "android.permission.READ_CONTACTS"


@pytest.fixture
def d(u2: Any, live: LivePhone) -> Iterator[Any]:
    live.reset()
    yield u2
    live.reset()


def test_a_client_answers_the_dialog_of_an_app_that_does_not_respond(d: Any, live: LivePhone) -> None:
    open_settings(live)
    live.ask(lambda phone: phone.show_anr(SETTINGS))
    assert d(resourceId="android:id/alertTitle").get_text() == "Settings isn't responding"
    assert d.xpath('//*[@package="android" and @resource-id="android:id/aerr_close"]').exists
    d(resourceId="android:id/aerr_wait").click()
    assert live.until(lambda phone: phone.error_dialog is None)
    assert d.app_current()["package"] == SETTINGS


def test_a_client_grants_a_permission_in_the_dialog_and_reads_it_back(d: Any, live: LivePhone) -> None:
    live.ask(lambda phone: phone.reset_permissions(CONTACTS))
    d.app_start(CONTACTS)
    d(resourceId="com.android.permissioncontroller:id/permission_allow_button").click(timeout=5)
    assert live.until(lambda phone: phone.permission_dialog is None)
    assert f"{READ}: granted=true, flags=[ USER_SET ]" in d.shell(f"dumpsys package {CONTACTS}").output


def test_a_client_wakes_the_phone_and_enters_the_pin(d: Any, live: LivePhone) -> None:
    live.ask(lambda phone: phone.set_lock("pin", "2580"))
    d.screen_off()
    assert d.info["screenOn"] is False
    d.screen_on()
    d.shell("wm dismiss-keyguard")
    for digit in "2580":
        d(resourceId=f"com.android.systemui:id/key{digit}").click()
    d(resourceId="com.android.systemui:id/key_enter").click()
    assert live.until(lambda phone: not phone.locked)


def test_a_client_sees_black_of_a_secure_window_and_reads_its_tree(d: Any, live: LivePhone) -> None:
    open_settings(live)
    live.ask(lambda phone: phone.set_secure(SETTINGS))
    shot = d.screenshot().convert("L")
    assert max(shot.crop((0, 300, shot.width, 2000)).getextrema()) == 0
    assert d(text="Display").exists


def test_a_client_falls_back_to_screencap_where_the_server_gives_no_picture(d: Any, live: LivePhone) -> None:
    open_settings(live)
    live.ask(lambda phone: phone.set_secure(SETTINGS, capture="null"))
    assert d.screenshot().size == (1080, 2400)


def test_the_automation_server_suspends_a_screen_reader_for_as_long_as_it_runs(
    d: Any, live: LivePhone, server: AdbServer
) -> None:
    live.ask(lambda phone: phone.enable_accessibility_service(TALKBACK))
    listed = d.shell("settings get secure enabled_accessibility_services").output
    assert not live.ask(lambda phone: phone.screen_reader)
    assert "Bound services:{}" in d.shell("dumpsys accessibility").output
    d.stop_uiautomator()
    assert live.until(lambda phone: phone.screen_reader)
    shell = server.client.device(live.address).shell
    assert shell("settings get secure enabled_accessibility_services") == listed.strip()
    live.ask(lambda phone: phone.start(LAUNCHER))
    assert live.until(lambda phone: not phone.animating)
    shell("input swipe 540 1500 540 500 200")
    assert live.until(lambda phone: phone.screen == "drawer")
    d.info  # noqa: B018 - starts the server again for whoever comes next
    assert live.until(lambda phone: not phone.screen_reader)


def test_an_adbutils_client_captures_both_displays_of_a_foldable(server: AdbServer) -> None:
    phone = LivePhone(VirtualPhone("foldable", clock=VirtualClock("live")))
    try:
        server.run("connect", phone.address)
        wait_for_state(server, phone.address, "device")
        device = server.client.device(phone.address)
        inner, outer = device.screenshot(display_id=0), device.screenshot(display_id=1)
        assert (inner.size, outer.size) == ((2208, 1840), (1080, 2092))
        assert max(outer.convert("L").getextrema()) == 0 < max(inner.convert("L").getextrema())
        phone.ask(lambda phone: phone.fold())
        assert tuple(device.window_size()) == (1080, 2092)
        data = device.shell("screencap -p", encoding=None)
        assert data.startswith(b"[Warning] Multiple displays")
        shown = Image.open(io.BytesIO(data[data.index(b"\x89PNG") :]))
        assert shown.size == (2208, 1840) and max(shown.convert("L").getextrema()) == 0
        server.run("disconnect", phone.address)
    finally:
        phone.close()
