"""Commands that look at the phone and work it."""

from __future__ import annotations

import io
import re
import struct

import pytest
from PIL import Image

from device.virtual.adbd.shell.command import Call
from device.virtual.adbd.shell.screen import dump_tree
from device.virtual.core.package import Package
from device.virtual.phone import VirtualPhone

from .conftest import Shell
from .reach import SETTINGS, field_text, open_field

pytestmark = pytest.mark.anyio

ADB_KEYBOARD = "com.github.uiautomator/.AdbKeyboard"


# input


async def test_fingers_and_keys_reach_the_phone_silently(shell: Shell, phone: VirtualPhone) -> None:
    for line, entry in {
        "input tap 400 700": {"action": "tap", "x": 400.0, "y": 700.0},
        "input touchscreen tap 1 2": {"action": "tap", "x": 1.0, "y": 2.0},
        "input -d 0 tap 3 4": {"action": "tap", "x": 3.0, "y": 4.0},
        "input swipe 500 1500 500 500 250": {"action": "swipe", "duration_ms": 250.0},
        "input swipe 1 2 3 4": {"action": "swipe", "duration_ms": 300.0},
        "input draganddrop 1 2 30 40 100": {"action": "drag", "duration_ms": 100.0},
        "input motionevent DOWN 5 6": {"action": "down", "x": 5.0},
        "input motionevent UP 5 6": {"action": "up"},
        "input keyevent BACK": {"code": 4},
        "input keyevent KEYCODE_HOME": {"code": 3},
        "input keyevent 187": {"code": 187},
        "input keyevent --longpress POWER": {"code": 26, "long_press": True},
        "input keycombination 113 29": {"code": 29, "meta": 0x1000},
    }.items():
        before = len(phone.journal)
        done = await shell(line)
        assert (done.status, done.out, done.err) == (0, "", ""), line
        seen = [e.data for e in phone.journal.entries(since=before) if e.kind in ("input", "key")]
        assert any(entry.items() <= dict(data).items() for data in seen), (line, seen)


async def test_input_text_types_by_the_key_map_and_refuses_the_rest_in_javas_words(
    shell: Shell, phone: VirtualPhone
) -> None:
    open_field(phone)
    assert (await shell("input text 'Ada%sL'")).status == 0
    assert field_text(phone) == "Ada L"
    refused = await shell("input text 'héllo'")
    assert refused.status == 255
    assert "Exception occurred while executing 'text':" in refused.err
    assert "java.lang.NullPointerException: Attempt to get length of null array" in refused.err
    assert field_text(phone) == "Ada L"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("input tap 1", 'Argument expected after "1"'),
        ("input tap x 2", 'NumberFormatException: For input string: "x"'),
        ("input text", 'Argument expected after "text"'),
        ("input roll 1 2", "Error: Unknown command: roll"),
        ("input", "Usage: input"),
    ],
)
async def test_bad_input_is_refused_with_status_255(shell: Shell, line: str, words: str) -> None:
    done = await shell(line)
    assert done.status == 255 and words in done.err


# apps


async def test_apps_start_by_component_package_and_intent(shell: Shell, phone: VirtualPhone) -> None:
    done = await shell(f"am start -n {SETTINGS}/.Settings")
    assert done.out == f"Starting: Intent {{ cmp={SETTINGS}/.Settings }}\n" and done.err == ""
    assert phone.foreground == (SETTINGS, ".Settings")
    again = await shell(f"am start -n {SETTINGS}/.Settings")
    assert again.err.startswith("Warning: Activity not started")
    await shell("am start -a android.intent.action.MAIN -c android.intent.category.HOME")
    assert phone.foreground[0] == "org.tapwright.launcher"
    waited = await shell("am start -W org.tapwright.contacts")
    assert "Status: ok" in waited.lines and "Activity: org.tapwright.contacts/.Contacts" in waited.lines
    assert re.search(r"^TotalTime: \d+$", waited.out, re.M)
    full = await shell(f"am start -S -n {SETTINGS}/{SETTINGS}.Settings")
    assert full.err == "" and phone.foreground[0] == SETTINGS


async def test_a_missing_activity_is_told_in_words_alone(shell: Shell) -> None:
    for component, shown in {
        "com.none/.A": "com.none/com.none.A",
        f"{SETTINGS}/.None": f"{SETTINGS}/{SETTINGS}.None",
    }.items():
        done = await shell(f"am start -n {component}")
        assert done.status == 0
        assert f"Error type 3\nError: Activity class {{{shown}}} does not exist." in done.err
    browse = await shell("am start -a android.intent.action.VIEW -d https://example.org")
    assert browse.status == 0 and "Error: Activity not started, unable to resolve Intent {" in browse.err


async def test_monkey_launches_and_lets_the_phone_turn(shell: Shell, phone: VirtualPhone) -> None:
    done = await shell(f"monkey -p {SETTINGS} -c android.intent.category.LAUNCHER 1")
    assert (done.status, done.lines[0]) == (0, "Events injected: 1")
    assert phone.foreground[0] == SETTINGS
    assert phone.world.settings.get("system", "accelerometer_rotation") == "1"
    missing = await shell("monkey -p com.none -c android.intent.category.LAUNCHER 1")
    assert (missing.status, missing.out) == (252, "** No activities found to run, monkey aborted.\n")


async def test_apps_stop_and_are_cleared(shell: Shell, phone: VirtualPhone) -> None:
    phone.start(SETTINGS)
    done = await shell(f"am force-stop {SETTINGS}; am force-stop com.none")
    assert (done.status, done.out, done.err) == (0, "", "")
    assert SETTINGS not in [name for _, name in phone.running()]
    assert (await shell("pm clear org.tapwright.contacts")).out == "Success\n"
    assert (await shell("pm clear com.none")).status == 1


async def test_packages_are_listed_described_and_resolved(shell: Shell, phone: VirtualPhone) -> None:
    listed = (await shell("pm list packages")).lines
    assert f"package:{SETTINGS}" in listed and len(listed) == len(phone.packages())
    assert (await shell("pm list packages ''")).lines == listed
    assert (await shell("pm list packages contacts")).lines == ["package:org.tapwright.contacts"]
    third = (await shell("pm list packages -3")).lines
    assert set(third) | set((await shell("pm list packages -s")).lines) == set(listed)
    assert re.fullmatch(r"package:/\S+\.apk\n", (await shell(f"pm path {SETTINGS}")).out)
    missing = await shell("pm path com.none")
    assert (missing.status, missing.out) == (1, "")
    query = "cmd package resolve-activity --brief -a android.intent.action.MAIN -c android.intent.category.LAUNCHER"
    assert (await shell(f"{query} {SETTINGS}")).lines[-1] == f"{SETTINGS}/.Settings"
    assert (await shell(f"{query} com.none")).out == "No activity found\n"


async def test_permissions_are_granted_and_revoked(shell: Shell, phone: VirtualPhone) -> None:
    package = next(p for p in phone.packages() if p.permissions)
    permission = package.permissions[0]

    def granted() -> bool:
        return permission in phone.world.table(Package).get(package.id).granted

    assert (await shell(f"pm revoke {package.name} {permission}")).status == 0 and not granted()
    dump = (await shell(f"dumpsys package {package.name}")).out
    assert f"{permission}: granted=false" in dump
    assert (await shell(f"pm grant {package.name} {permission}")).out == "" and granted()
    wrong = await shell("pm grant com.none android.permission.CAMERA")
    assert wrong.status == 255 and "java.lang.IllegalArgumentException: Unknown package: com.none" in wrong.err


async def test_apps_are_uninstalled_and_only_known_apks_installed(shell: Shell, phone: VirtualPhone) -> None:
    assert (await shell("pm uninstall com.none")).out == "Failure [DELETE_FAILED_INTERNAL_ERROR]\n"
    await shell("echo no apk > /data/local/tmp/x.apk")
    bad = await shell("pm install -r -t /data/local/tmp/x.apk")
    assert bad.status == 1 and bad.out.startswith("Failure [INSTALL_PARSE_FAILED_NOT_APK")
    none = await shell("pm install /data/local/tmp/none.apk")
    assert none.status == 255 and "Unable to open file" in none.err


# settings and keyboards


async def test_settings_are_read_written_listed_and_forgotten(shell: Shell, phone: VirtualPhone) -> None:
    assert (await shell("settings get secure no_such_key")).out == "null\n"
    put = await shell("settings put system screen_brightness 42")
    assert (put.status, put.out) == (0, "")
    assert (await shell("settings get system screen_brightness")).out == "42\n" and phone.brightness == 42
    assert "screen_brightness=42" in (await shell("settings list system")).lines
    assert (await shell("settings delete system screen_brightness")).out == "Deleted 1 rows\n"
    assert (await shell("settings delete system screen_brightness")).out == "Deleted 0 rows\n"
    assert (await shell("settings get nowhere x")).status == 255
    assert (await shell("settings --user 0 get global wifi_on")).out == "1\n"


async def test_switches_of_svc_and_cmd_are_the_settings(shell: Shell, phone: VirtualPhone) -> None:
    settings = phone.world.settings
    await shell("svc wifi disable; svc bluetooth enable; cmd connectivity airplane-mode enable")
    assert [settings.get("global", key) for key in ("wifi_on", "bluetooth_on", "airplane_mode_on")] == ["0", "1", "1"]
    assert (await shell("cmd uimode night yes")).out == "Night mode: yes\n"
    assert settings.get("secure", "ui_night_mode") == "2"
    assert (await shell("cmd nonsense x")).err == "cmd: Can't find service: nonsense\n"


async def test_input_methods_are_listed_chosen_and_told_what_to_type(shell: Shell, phone: VirtualPhone) -> None:
    phone.install("com.github.uiautomator")
    assert ADB_KEYBOARD in (await shell("ime list -s -a")).lines
    assert ADB_KEYBOARD not in (await shell("ime list -s")).lines
    open_field(phone)
    nobody = await shell("am broadcast -a ADB_KEYBOARD_INPUT_TEXT --es text aGk=")
    assert nobody.lines[-1] == "Broadcast completed: result=0"
    assert (await shell(f"ime enable {ADB_KEYBOARD}")).out == f"Input method {ADB_KEYBOARD}: now enabled for user #0\n"
    assert (await shell(f"ime set {ADB_KEYBOARD}")).out == f"Input method {ADB_KEYBOARD} selected for user #0\n"
    assert phone.current_ime == ADB_KEYBOARD
    typed = await shell("am broadcast -a ADB_KEYBOARD_INPUT_TEXT --es text aMOpbGxvIOS9oOWlvQ==")
    assert re.search(r'result=-1, data="\w+"', typed.out)
    assert field_text(phone) == "héllo 你好"
    await shell("am broadcast -a ADB_KEYBOARD_CLEAR_TEXT")
    assert field_text(phone) == ""
    assert "cannot be selected" in (await shell("ime set com.none/.X")).out
    await shell(f"ime disable {ADB_KEYBOARD}")
    assert phone.current_ime != ADB_KEYBOARD


# picture and tree


async def test_screencap_gives_a_png_or_the_raw_picture(phone: VirtualPhone, shell: Shell) -> None:
    width, height = phone.size
    assert (await shell("screencap -p /sdcard/s.png; screencap /sdcard/s.raw")).status == 0
    png = Image.open(io.BytesIO(phone.world.files.read("/sdcard/s.png")))
    raw = phone.world.files.read("/sdcard/s.raw")
    assert png.size == (width, height)
    assert struct.unpack("<4I", raw[:16]) == (width, height, 1, 1) and raw[16:] == phone.raw()
    assert (await shell("screencap -p -d 4619827259835644672 | wc -c")).out == f"{len(phone.png())}\n"
    assert (await shell("screencap -p -d 7")).status == 1


async def test_uiautomator_dump_writes_the_tree_when_the_screen_stands_still(shell: Shell, phone: VirtualPhone) -> None:
    phone.settle()
    done = await shell("rm -f /data/local/tmp/u.xml; uiautomator dump /data/local/tmp/u.xml && echo success")
    assert done.lines == ["UI hierchary dumped to: /data/local/tmp/u.xml", "success"]
    assert phone.world.files.read("/data/local/tmp/u.xml").decode() == phone.dump(u2=False)
    tty = await shell("uiautomator dump /dev/tty")
    assert tty.out == phone.dump(u2=False) + "UI hierchary dumped to: /dev/tty\n"
    phone.start(SETTINGS)
    assert phone.animating
    assert (await shell("uiautomator dump")).status == 0 and not phone.animating


async def test_a_screen_that_never_stands_still_cannot_be_dumped(phone: VirtualPhone) -> None:
    phone.start(SETTINGS)
    call = Call(name="uiautomator")
    assert dump_tree(phone, call, "/sdcard/window_dump.xml", compressed=False) == 0
    assert call.chunks == [(2, b"ERROR: could not get idle state.\n")]
    assert phone.world.files.get("/sdcard/window_dump.xml") is None


async def test_wm_tells_and_changes_size_density_and_rotation(shell: Shell, phone: VirtualPhone) -> None:
    assert (await shell("wm size")).out == "Physical size: 1080x2400\n"
    assert (await shell("wm density")).out == "Physical density: 420\n"
    await shell("wm user-rotation lock 1")
    assert phone.rotation == 1 and phone.size == (2400, 1080)
    assert (await shell("wm size")).out == "Physical size: 1080x2400\n"
    assert (await shell("wm user-rotation")).out == "lock 1\n"
    await shell("wm user-rotation lock 0; wm size 720x1600")
    assert (await shell("wm size")).lines == ["Physical size: 1080x2400", "Override size: 720x1600"]
    assert phone.size == (720, 1600)
    await shell("wm size reset")
    assert phone.size == (1080, 2400)


# logcat


async def test_logcat_tells_what_happened_but_never_what_was_typed(shell: Shell, phone: VirtualPhone) -> None:
    open_field(phone)
    await shell("input text 'hunter2'")
    phone.commit_text("geheim")
    log = (await shell("logcat -d -v time")).lines
    assert log[0].startswith("--------- beginning of")
    assert all(re.match(r"\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} [VDIWEF]/\w+ *\( *\d+\): ", line) for line in log[1:])
    assert any("component=org.tapwright.contacts" in line for line in log)
    assert not any("hunter2" in line or "geheim" in line for line in log)
    assert (await shell("logcat -c; logcat -d")).lines[1:] == []
    assert len((await shell("input tap 1 1; logcat -t 1")).lines) == 2
