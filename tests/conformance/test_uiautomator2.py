"""uiautomator2 3.7 drives the phone: its operations on every adb server, checked by their effect."""

from __future__ import annotations

import io
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
import uiautomator2
from lxml import etree
from PIL import ImageChops, ImageStat

from .conftest import LivePhone
from .operations import (
    CONTACTS,
    LAUNCHER,
    SETTINGS,
    Operation,
    Operations,
    front,
    inputs,
    last_input,
    open_editor,
    open_settings,
)

# The library leaves the socket of each call to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

U2 = Operations()


# facts


@U2.add
def the_jar_is_on_the_phone_and_its_server_runs(d: Any, live: Any) -> None:
    jar = Path(uiautomator2.__file__).parent / "assets" / "u2.jar"
    assert live.ask(lambda phone: phone.world.files.read("/data/local/tmp/u2.jar")) == jar.read_bytes()
    assert live.served.adbd.u2.running and d.jsonrpc.ping() == "pong"


@U2.add
def info_describes_the_phone(d: Any, live: Any) -> None:
    info = d.info
    assert info == {
        "currentPackageName": LAUNCHER,
        "displayHeight": 2400,
        "displayRotation": 0,
        "displaySizeDpX": 411,
        "displaySizeDpY": 914,
        "displayWidth": 1080,
        "productName": live.ask(lambda phone: phone.profile.product),
        "screenOn": True,
        "sdkInt": 34,
        "naturalOrientation": True,
    }


@U2.add
def device_info_and_window_size(d: Any, live: Any) -> None:
    info = d.device_info
    assert info["sdk"] == 34 and info["version"] == 14 and info["arch"] == "x86_64"
    assert info["model"] == live.ask(lambda phone: phone.profile.model)
    assert d.window_size() == (1080, 2400)
    assert d.serial == live.address


@U2.add
def shell_gives_output_and_status(d: Any, live: Any) -> None:
    assert d.shell("echo hi") == ("hi\n", 0)
    assert d.shell(["sh", "-c", "exit 9"]).exit_code == 9


# picture and tree


@U2.add
def screenshot_agrees_with_the_picture(d: Any, live: Any) -> None:
    taken = d.screenshot()
    exact = live.ask(lambda phone: phone.image()).convert("RGB")
    assert taken.size == exact.size
    assert max(ImageStat.Stat(ImageChops.difference(taken, exact)).mean) < 2


@U2.add
def screenshot_of_a_display_is_exact(d: Any, live: Any) -> None:
    exact = live.ask(lambda phone: phone.image()).convert("RGB")
    assert ImageChops.difference(d.screenshot(display_id=0), exact).getbbox() is None


@U2.add
def dump_hierarchy_has_a_root_per_window(d: Any, live: Any) -> None:
    open_editor(live)
    root = etree.fromstring(d.dump_hierarchy().encode())
    packages = {child.get("package") for child in root}
    assert {CONTACTS, "com.android.systemui"} <= packages
    assert len(root) == len(live.ask(lambda phone: phone.windows()))
    names = list(root[0].keys())
    assert [name for name in names if name != "NAF"] == [
        "index", "text", "resource-id", "class", "package", "content-desc", "checkable", "checked", "clickable",
        "enabled", "focusable", "focused", "scrollable", "long-clickable", "password", "selected", "visible-to-user",
        "bounds", "drawing-order", "hint", "display-id",
    ]  # fmt: skip


@U2.add
def dump_hierarchy_of_the_active_window_compressed(d: Any, live: Any) -> None:
    open_settings(live)
    root = etree.fromstring(d.dump_hierarchy(compressed=True, max_depth=20, root_in_active=True).encode())
    assert [child.get("package") for child in root] == [SETTINGS]
    assert d.dump_hierarchy(pretty=True).startswith("<?xml")


# apps


@U2.add
def app_start_by_monkey(d: Any, live: Any) -> None:
    d.app_start(SETTINGS)
    assert live.ask(front) == SETTINGS


@U2.add
def app_start_by_activity_stopping_it_first_and_waiting(d: Any, live: Any) -> None:
    d.app_start(SETTINGS, ".Settings", stop=True, wait=True)
    assert live.ask(front) == SETTINGS


@U2.add
def app_wait_gives_the_process_in_front(d: Any, live: Any) -> None:
    open_settings(live)
    pid = next(number for number, name in live.ask(lambda phone: phone.running()) if name == SETTINGS)
    assert d.app_wait(SETTINGS, front=True) == pid
    assert d.app_current() == {"package": SETTINGS, "activity": ".Settings", "pid": pid}
    assert d.wait_activity(".Settings", timeout=2)


@U2.add
def apps_are_listed_and_described(d: Any, live: Any) -> None:
    open_settings(live)
    assert set(d.app_list()) == set(live.ask(lambda phone: [p.name for p in phone.packages()]))
    assert SETTINGS in d.app_list_running()
    assert d.app_info(SETTINGS)["versionName"]
    with pytest.raises(uiautomator2.AppNotFoundError):
        d.app_info("com.none")


@U2.add
def apps_are_stopped_cleared_and_uninstalled(d: Any, live: Any) -> None:
    open_settings(live)
    d.app_stop(SETTINGS)
    assert SETTINGS not in d.app_list_running()
    d.app_clear(CONTACTS)
    assert not live.ask(lambda phone: phone.state_json()["tables"]["contacts.contact"])
    assert d.app_uninstall("com.none") is False


@U2.add
def a_session_ends_with_its_app(d: Any, live: Any) -> None:
    with d.session(SETTINGS) as session:
        assert session.running() and session.info["currentPackageName"] == SETTINGS
    assert SETTINGS not in [name for _, name in live.ask(lambda phone: phone.running())]


@U2.add
def permissions_are_granted(d: Any, live: Any) -> None:
    package = live.ask(lambda phone: next(p for p in phone.packages() if p.permissions))
    live.ask(lambda phone: phone.revoke(package.name, package.permissions[0]))
    d.app_auto_grant_permissions(package.name)
    granted = live.ask(lambda phone: next(p for p in phone.packages() if p.name == package.name).granted)
    assert package.permissions[0] in granted


@U2.add
def open_url_leaves_the_phone_as_it_is_without_a_browser(d: Any, live: Any) -> None:
    d.open_url("https://example.org")
    assert live.ask(front) == LAUNCHER


# fingers


@U2.add
def click_in_pixels_and_shares(d: Any, live: Any) -> None:
    d.click(500, 380)
    assert live.ask(last_input) == {"action": "tap", "x": 500, "y": 380, "hold_ms": 100}
    d.click(0.5, 0.5)
    assert {"x": 540, "y": 1200}.items() <= live.ask(last_input).items()


@U2.add
def long_click_holds(d: Any, live: Any) -> None:
    began = time.monotonic()
    d.long_click(0.5, 0.5, 0.6)
    assert time.monotonic() - began >= 0.6
    assert live.ask(last_input) == {"action": "tap", "x": 540, "y": 1200, "hold_ms": 600}


@U2.add
def double_click_is_a_touch_and_a_click(d: Any, live: Any) -> None:
    before = len(live.ask(inputs))
    d.double_click(300, 1500)
    assert [data["action"] for data in live.ask(inputs)[before:]] == ["down", "up", "tap"]


@U2.add
def swipe_takes_five_milliseconds_a_step(d: Any, live: Any) -> None:
    d.swipe(500, 1500, 500, 500, duration=0.2)
    seen = live.ask(last_input)
    assert seen["action"] == "swipe" and seen["duration_ms"] == 200
    assert seen["points"] == [[500, 1500], [500, 500]]
    d.swipe_ext("up")
    assert live.ask(last_input)["points"][0] == [540, 1200]


@U2.add
def drag_and_swipe_points(d: Any, live: Any) -> None:
    d.drag(100, 1000, 300, 1000, 0.2)
    assert live.ask(last_input)["action"] == "drag"
    d.swipe_points([(100, 1500), (200, 1600), (300, 1500)], 0.1)
    seen = live.ask(last_input)
    assert seen["points"] == [[100, 1500], [200, 1600], [300, 1500]] and seen["duration_ms"] == 200


@U2.add
def touch_is_down_move_and_up(d: Any, live: Any) -> None:
    before = len(live.ask(inputs))
    d.touch.down(100, 1500).move(150, 1500).up(150, 1500)
    assert [data["action"] for data in live.ask(inputs)[before:]] == ["down", "move", "up"]


# keys


@U2.add
def press_by_name(d: Any, live: Any) -> None:
    for key, code in {"home": 3, "back": 4, "recent": 187, "enter": 66, "volume_up": 24, "del": 67}.items():
        assert d.press(key) is True
        assert live.ask(last_input)["code"] == code
    assert d.press("no such key") is False


@U2.add
def press_by_code_with_modifiers(d: Any, live: Any) -> None:
    d.press(66)
    d.press(29, 0x1000)
    assert live.ask(last_input) == {"code": 29, "meta": 0x1000}


@U2.add
def home_and_back_leave_the_app(d: Any, live: Any) -> None:
    for key in ("home", "back"):
        open_settings(live)
        d.press(key)
        assert live.ask(front) == LAUNCHER


@U2.add
def long_press_goes_through_the_shell(d: Any, live: Any) -> None:
    d.long_press("menu")
    assert {"code": 82, "long_press": True}.items() <= live.ask(last_input).items()


# the rest of the phone


@U2.add
def the_last_toast_is_read_and_forgotten(d: Any, live: Any) -> None:
    d.clear_toast()
    assert d.last_toast is None
    live.ask(lambda phone: phone.show_toast("Saved"))
    assert d.last_toast == "Saved"
    assert d.toast.get_message(0.1) == "Saved"


@U2.add
def the_phone_turns_and_is_kept_from_turning(d: Any, live: Any) -> None:
    d.set_orientation("left")
    assert live.ask(lambda phone: phone.rotation) == 1 and d.orientation == "left"
    assert d.info["displayWidth"] == 2400 and d.window_size() == (2400, 1080)
    d.freeze_rotation(True)
    assert live.ask(lambda phone: phone.rotation_frozen)
    d.orientation = "natural"
    assert d.orientation == "natural"
    d.freeze_rotation(False)
    assert not live.ask(lambda phone: phone.rotation_frozen)


@U2.add
def the_shade_opens(d: Any, live: Any) -> None:
    d.open_notification()
    assert live.until(lambda phone: any(w.type == "shade" for w in phone.windows()))
    d.press("back")
    d.open_quick_settings()
    assert live.until(lambda phone: any(w.type == "shade" for w in phone.windows()))


@U2.add
def the_screen_goes_off_on_and_unlocks(d: Any, live: Any) -> None:
    d.screen_off()
    assert not live.ask(lambda phone: phone.awake) and d.info["screenOn"] is False
    d.unlock()
    assert live.ask(lambda phone: phone.awake)
    d.screen_off()
    d.screen_on()
    assert d.info["screenOn"] is True


@U2.add
def files_are_pushed_and_pulled(d: Any, live: Any) -> None:
    d.push(io.BytesIO(b"abc"), "/sdcard/Download/x.bin")
    assert live.ask(lambda phone: phone.world.files.read("/sdcard/Download/x.bin")) == b"abc"
    with tempfile.TemporaryDirectory() as folder:
        d.pull("/sdcard/Download/x.bin", f"{folder}/x")
        assert Path(f"{folder}/x").read_bytes() == b"abc"


@U2.add
def what_the_jar_lacks_is_refused_as_the_jar_refuses_it(d: Any, live: Any) -> None:
    with pytest.raises(uiautomator2.RPCUnknownError, match="-32601"):
        d.toast.show("hello")


@U2.add
def two_fingers_are_refused_by_a_phone_that_feels_one(d: Any, live: Any) -> None:
    open_settings(live)
    with pytest.raises(uiautomator2.RPCUnknownError, match="UnsupportedOperationException"):
        d(scrollable=True).pinch_in(percent=50, steps=5)


@U2.add
def while_the_server_runs_the_stock_dump_is_refused(d: Any, live: Any) -> None:
    output = d.shell("uiautomator dump").output
    assert "already registered" in output


@U2.add
def the_server_is_reset(d: Any, live: Any) -> None:
    d.reset_uiautomator()
    assert d.info["screenOn"] is True
    d.stop_uiautomator()
    assert not live.served.adbd.u2.running
    assert d.info["screenOn"] is True  # any call starts it again
    assert live.served.adbd.u2.running


@pytest.mark.parametrize("operation", U2, ids=lambda operation: operation.name)
def test_uiautomator2(operation: Operation, u2: Any, fresh: LivePhone) -> None:
    operation.run(u2, fresh)
