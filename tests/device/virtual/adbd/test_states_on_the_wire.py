"""What adb shows of the phone's states, in the grammar of recorded outputs, and the owner's way to bring them about."""

from __future__ import annotations

import dataclasses
import re
import struct

import pytest

from device.virtual.adbd.http import Request
from device.virtual.adbd.services import Adbd
from device.virtual.adbd.shell.session import run_line
from device.virtual.control import Control
from device.virtual.core.accessibility import SWITCH_ACCESS, TALKBACK
from device.virtual.phone import VirtualPhone
from device.virtual.profiles import FIRST_DISPLAY_ID, PROFILES, SECOND_DISPLAY_ID
from device.virtual.verbs import VERBS

from .conftest import Shell
from .reach import CONTACTS, SETTINGS

pytestmark = pytest.mark.anyio

READ = "android.permission.READ_CONTACTS"


async def focus(shell: Shell) -> str:
    found = re.search(r"mCurrentFocus=(?:Window\{\w+ u0 (.*)\}|null)", (await shell("dumpsys window displays")).out)
    assert found is not None
    return found[1] or "null"


async def test_error_dialogs_have_the_focus_and_their_windows_say_so(shell: Shell, phone: VirtualPhone) -> None:
    phone.start(SETTINGS)
    phone.show_anr()
    assert await focus(shell) == f"Application Not Responding: {SETTINGS}"
    out = (await shell("dumpsys window windows")).out
    block = re.search(r"Window #\d+ Window\{\w+ u0 Application Not Responding.*?isVisible=true", out, re.DOTALL)
    assert block is not None
    for word in ("package=android", "ty=SYSTEM_ALERT", "DIM_BEHIND", "SYSTEM_ERROR"):
        assert word in block[0]
    assert re.search(rf"mFocusedApp=ActivityRecord\{{\w+ u0 {SETTINGS}/", (await shell("dumpsys window displays")).out)
    phone.dismiss_error()
    phone.show_crash(SETTINGS)
    assert await focus(shell) == f"Application Error: {SETTINGS}"


async def test_hide_error_dialogs_is_honoured_over_adb(shell: Shell, phone: VirtualPhone) -> None:
    await shell("settings put global hide_error_dialogs 1")
    phone.start(SETTINGS)
    phone.show_anr()
    assert await focus(shell) == f"{SETTINGS}/{SETTINGS}.Settings"


async def test_the_permission_dialog_is_the_focused_and_resumed_activity(shell: Shell, phone: VirtualPhone) -> None:
    assert (await shell("pm reset-permissions")).status == 0
    phone.start(CONTACTS)
    component = (
        "com.android.permissioncontroller/com.android.permissioncontroller.permission.ui.GrantPermissionsActivity"
    )
    assert await focus(shell) == component
    assert "com.android.permissioncontroller" in (await shell("dumpsys activity activities")).out
    package = (await shell(f"dumpsys package {CONTACTS}")).out
    assert f"{READ}: granted=false\n" in package


@pytest.mark.parametrize(
    ("command", "flag", "told"),
    [
        ("grant", "USER_SET", "granted=true, flags=[ USER_SET ]"),
        ("grant", "ONE_TIME", "granted=true, flags=[ USER_SET|ONE_TIME ]"),
        ("revoke", "USER_SET", "granted=false, flags=[ USER_SET ]"),
        ("revoke", "USER_FIXED", "granted=false, flags=[ USER_SET|USER_FIXED ]"),
    ],
)
async def test_what_a_person_answered_stands_in_the_package_dump(
    shell: Shell, phone: VirtualPhone, command: str, flag: str, told: str
) -> None:
    answer = {"package": CONTACTS, "permission": READ, "flag": flag}
    phone.world.commit(f"system.{command}", answer, cause="test")
    assert f"{READ}: {told}" in (await shell(f"dumpsys package {CONTACTS}")).out
    await shell(f"pm grant {CONTACTS} {READ}")
    assert f"{READ}: granted=true\n" in (await shell(f"dumpsys package {CONTACTS}")).out


async def lock_flags(shell: Shell) -> dict[str, str]:
    out = (await shell("dumpsys window policy")).out
    names = ("showing", "inputRestricted", "secure", "mIsShowing", "mInputRestricted", "dreaming")
    found = {name: re.search(rf"^\s+{name}=(\w+)$", out, re.MULTILINE) for name in names}
    return {name: match[1] if match is not None else "" for name, match in found.items()}


async def test_a_swipe_lock_shows_in_the_policy_but_not_in_trust(shell: Shell, phone: VirtualPhone) -> None:
    phone.sleep()
    phone.wake()
    flags = await lock_flags(shell)
    assert [flags[name] for name in ("showing", "mIsShowing", "mInputRestricted")] == ["true"] * 3
    assert flags["secure"] == "false" and await focus(shell) == "NotificationShade"
    assert "deviceLocked=0" in (await shell("dumpsys trust")).out
    assert "mKeyguardShowing=true" in (await shell("dumpsys activity activities")).out
    assert (await shell("wm dismiss-keyguard")).status == 0
    assert (await lock_flags(shell))["mIsShowing"] == "false" and not phone.locked


async def test_a_pin_lock_is_secure_and_dismissing_it_asks_for_the_pin(shell: Shell, phone: VirtualPhone) -> None:
    assert (await shell("locksettings set-pin 2580")).out == "Pin set to '2580'\n"
    await shell("input keyevent 223")
    await shell("input keyevent 224")
    await shell("wm dismiss-keyguard")
    flags = await lock_flags(shell)
    assert (flags["secure"], flags["mIsShowing"]) == ("true", "true") and phone.bouncer
    assert "deviceLocked=1" in (await shell("dumpsys trust")).out
    assert 'resource-id="com.android.systemui:id/pinEntry"' in phone.dump()
    await shell("input text 2580")
    await shell("input keyevent 66")
    assert not phone.locked
    assert "didn't match" in (await shell("locksettings clear --old 1111")).err
    assert (await shell("locksettings clear --old 2580")).status == 0 and phone.lock_kind == "swipe"


async def test_old_phones_tell_the_lock_by_the_old_flags() -> None:
    old = dataclasses.replace(PROFILES["phone"], sdk=28, release="9")
    for profile, there in ((old, True), (PROFILES["phone"], False)):
        phone = VirtualPhone(profile)
        phone.lock()
        status, out, _ = await run_line(_device(phone), "dumpsys window policy")
        assert status == 0
        assert (b"mShowingLockscreen=true" in out and b"mDreamingLockscreen=true" in out) is there


class _Here:
    """A host in the test's own thread."""

    def __init__(self, phone: VirtualPhone) -> None:
        self.phone = phone

    async def run(self, job: object) -> object:
        return job(self.phone)  # type: ignore[operator]


def _device(phone: VirtualPhone) -> Adbd:
    return Adbd(_Here(phone), b"")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("state", "wakefulness", "display"),
    [("sleep", "Asleep", "OFF"), ("doze", "Dozing", "DOZE"), ("dream", "Dreaming", "ON"), ("wake", "Awake", "ON")],
)
async def test_power_and_display_tell_how_awake_the_phone_is(
    shell: Shell, phone: VirtualPhone, state: str, wakefulness: str, display: str
) -> None:
    VERBS[state](phone)
    power = (await shell("dumpsys power")).out
    assert f"mWakefulness={wakefulness}\n" in power and f"Display Power: state={display}\n" in power
    assert f"mHoldingDisplaySuspendBlocker={str(display == 'ON').lower()}" in power
    assert f"mScreenState={display}" in (await shell("dumpsys display")).out


async def test_a_secure_window_carries_the_flag_among_the_others(shell: Shell, phone: VirtualPhone) -> None:
    phone.start(SETTINGS)
    phone.set_secure(SETTINGS)
    out = (await shell("dumpsys window windows")).out
    flags = re.findall(r"u0 (\S+)\}:.*?fl=([A-Z_ ]+)", out, re.DOTALL)
    assert {title: "SECURE" in words.split() for title, words in flags} == {
        f"{SETTINGS}/{SETTINGS}.Settings": True,
        "StatusBar": False,
        "NavigationBar0": False,
    }


# displays


@pytest.fixture
def folded(phone: VirtualPhone) -> VirtualPhone:
    return VirtualPhone("foldable")


async def test_two_displays_are_listed_and_captured_by_id(folded: VirtualPhone) -> None:
    device = _device(folded)
    _, listed, _ = await run_line(device, "dumpsys SurfaceFlinger --display-id")
    assert re.findall(rb"^Display (\d+) \(HWC display (\d)\): port=(\d) ", listed, re.MULTILINE) == [
        (b"%d" % FIRST_DISPLAY_ID, b"0", b"0"),
        (b"%d" % SECOND_DISPLAY_ID, b"1", b"1"),
    ]
    sizes = {}
    for id in (FIRST_DISPLAY_ID, SECOND_DISPLAY_ID):
        _, out, _ = await run_line(device, f"screencap -d {id}")
        sizes[id] = (*struct.unpack("<2I", out[:8]), any(out[16:4096:4]))
    assert sizes == {FIRST_DISPLAY_ID: (2208, 1840, True), SECOND_DISPLAY_ID: (1080, 2092, False)}
    status, _, err = await run_line(device, "screencap -p -d 12")
    assert status != 0 and b"Display Id is not valid" in err


async def test_without_an_id_a_foldable_warns_before_the_picture_and_may_show_the_folded_panel(
    folded: VirtualPhone,
) -> None:
    folded.fold()
    device = _device(folded)
    _, out, _ = await run_line(device, "screencap")
    assert out.startswith(b"[Warning] Multiple displays were found")
    picture = out[out.index(b"valid display IDs.\n") + len(b"valid display IDs.\n") :]
    assert struct.unpack("<2I", picture[:8]) == (2208, 1840) and not any(picture[16:8192:4])
    _, named, _ = await run_line(device, f"screencap -d {SECOND_DISPLAY_ID}")
    assert struct.unpack("<2I", named[:8]) == (1080, 2092) and any(named[16:8192:4])
    _, size, _ = await run_line(device, "wm size")
    assert size == b"Physical size: 1080x2092\n"
    _, told, _ = await run_line(device, "dumpsys display")
    assert b"uniqueId='local:%d'" % SECOND_DISPLAY_ID in told and b"state OFF" in told


async def test_a_phone_with_one_display_does_not_warn(shell: Shell, device: Adbd) -> None:
    _, out, _ = await run_line(device, "screencap -p")
    assert out.startswith(b"\x89PNG")


# accessibility


async def test_services_are_listed_as_bound_and_enabled_and_suspended_by_an_automation(
    shell: Shell, phone: VirtualPhone
) -> None:
    await shell(f"settings put secure enabled_accessibility_services {TALKBACK}:{SWITCH_ACCESS}")
    out = (await shell("dumpsys accessibility")).out
    assert "touchExplorationEnabled=true" in out and "Bound services:{Service[label=TalkBack," in out
    assert f"Enabled services:{{{{{TALKBACK}}}, {{{SWITCH_ACCESS}}}}}" in out
    phone.automation_started()
    out = (await shell("dumpsys accessibility")).out
    assert "touchExplorationEnabled=false" in out and "Bound services:{}" in out
    assert f"Enabled services:{{{{{TALKBACK}}}, {{{SWITCH_ACCESS}}}}}" in out


async def test_the_stock_dumper_suspends_services_while_it_runs(shell: Shell, phone: VirtualPhone) -> None:
    phone.enable_accessibility_service(TALKBACK)
    assert "dumped to" in (await shell("uiautomator dump /dev/tty")).out
    told = [entry.data["services"] for entry in phone.journal.entries("accessibility")]
    assert told == ["suspended", "resumed"] and phone.screen_reader


async def test_injected_taps_click_under_a_screen_reader(shell: Shell, phone: VirtualPhone) -> None:
    phone.enable_accessibility_service(TALKBACK)
    phone.start(SETTINGS)
    phone.settle()
    await shell("input tap 540 960")
    assert phone.state_json()["phone"]["screen"] != "root" and phone.accessibility_focus is None


# navigation


async def test_the_navigation_bar_is_chosen_by_overlay_and_setting(shell: Shell, phone: VirtualPhone) -> None:
    await shell("cmd overlay enable-exclusive --category com.android.internal.systemui.navbar.threebutton")
    assert phone.navigation == "buttons"
    assert (await shell("settings get secure navigation_mode")).out == "0\n"
    await shell("settings put secure navigation_mode 2")
    assert "[x] com.android.internal.systemui.navbar.gestural" in (await shell("cmd overlay list")).out


async def test_monkey_switches_auto_rotate_on_and_a_frozen_display_turns_back(
    shell: Shell, phone: VirtualPhone
) -> None:
    phone.set_rotation(1)
    await shell(f"monkey -p {SETTINGS} -c android.intent.category.LAUNCHER 1")
    assert (await shell("settings get system accelerometer_rotation")).out == "1\n"
    assert "orientation=0" in (await shell("dumpsys display")).out


# the owner's way


async def ask(device: Adbd, path: str, body: str) -> tuple[int, str]:
    request = Request(method="POST", path=path, headers={"authorization": "Bearer t"}, body=body.encode())
    answer = await Control(device, "t").answer(request)
    return answer.status, answer.body.decode()


async def test_every_verb_is_the_phones_own_method_and_tells_the_state(device: Adbd, phone: VirtualPhone) -> None:
    status, text = await ask(device, "/do", f'{{"verb": "show_anr", "package": "{SETTINGS}"}}')
    assert status == 200 and '"kind": "anr"' in text and phone.error_dialog == ("anr", SETTINGS)
    assert all(getattr(VirtualPhone, name) is verb for name, verb in VERBS.items())


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"verb": "explode"}', "verb must be one of"),
        ("{}", "verb must be one of"),
        ('{"verb": "lock", "kind": "pin"}', "lock takes nothing, not kind"),
        ('{"verb": "request_permission"}', "needs package, permission"),
        ('{"verb": "set_lock", "kind": 5}', "kind must be text, not 5"),
        ('{"verb": "fold"}', "does not fold"),
        ('{"verb": "show_anr", "package": "com.none"}', "com.none"),
    ],
)
async def test_a_verb_that_cannot_be_done_is_answered_with_what_can(device: Adbd, body: str, words: str) -> None:
    status, text = await ask(device, "/do", body)
    assert status == 400 and words in text


async def test_the_owners_input_is_a_finger_and_the_picture_is_the_glass(device: Adbd, phone: VirtualPhone) -> None:
    phone.start(SETTINGS)
    phone.settle()
    phone.enable_accessibility_service(TALKBACK)
    phone.set_secure(SETTINGS)
    assert (await ask(device, "/input", '{"kind": "tap", "x": 540, "y": 960}'))[0] == 200
    phone.settle()
    assert phone.accessibility_focus is not None and phone.state_json()["phone"]["screen"] == "root"
    assert (await ask(device, "/input", '{"kind": "tap", "x": 5, "y": 9, "fingers": 3}'))[0] == 400
    request = Request(method="GET", path="/frame.png", headers={"authorization": "Bearer t"})
    assert (await Control(device, "t").answer(request)).body == phone.png(glass=True) != phone.png()
