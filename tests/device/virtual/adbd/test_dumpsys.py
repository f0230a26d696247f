"""What dumpsys prints, read as the programs read it that depend on it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from device.virtual.phone import VirtualPhone

from .conftest import Shell
from .reach import SETTINGS, open_field

pytestmark = pytest.mark.anyio

RECORDED = Path(__file__).parents[3] / "recorded"
NOT_RECORDED = {
    "mCurrentFocus",
    "mFocusedApp",
    "mAwake",
    "mInputRestricted",
    "mIsShowing",
    "mSimSecure",
    "mSystemReady",
}
"""Of `dumpsys window displays` and `policy`, which the recordings leave out; read by appium-adb and by us."""


async def test_the_foreground_app_is_found_on_the_way_adbutils_goes(shell: Shell, phone: VirtualPhone) -> None:
    """windows has no focus since SDK 30, activities names the package, top the activity and process."""
    phone.start(SETTINGS)
    windows = (await shell("dumpsys window windows")).out
    assert not re.search(r"mCurrentFocus=Window{.*\s+(?P<package>[^\s]+)/(?P<activity>[^\s]+)\}", windows)
    activities = (await shell("dumpsys activity activities")).out
    record = re.search(r"mResumedActivity: ActivityRecord\{.*?\s+([^\s]+)/([^\s]+)\s.*?\}", activities)
    assert record is not None and record.group(1) == SETTINGS
    top = re.findall(r"ACTIVITY ([^\s]+)/([^/\s]+) \w+ pid=(\d+)", (await shell("dumpsys activity top")).out)
    pid = next(number for number, name in phone.running() if name == SETTINGS)
    assert top[-1] == (SETTINGS, ".Settings", str(pid))


@pytest.mark.parametrize("kind", ["", "windows", "displays"])
async def test_windows_are_described_in_names_that_real_phones_print(
    shell: Shell, phone: VirtualPhone, kind: str
) -> None:
    """Recorded on Android 11 and 13 (tests/recorded/SOURCES.md)."""
    recorded = "".join((RECORDED / f"dumpsys_window_a{version}.txt").read_text() for version in (11, 13))
    open_field(phone)
    printed = set(re.findall(r"\b(m[A-Z]\w+)=", (await shell(f"dumpsys window {kind}")).out))
    assert printed and printed - set(re.findall(r"\b(m[A-Z]\w+)=", recorded)) <= NOT_RECORDED


async def test_the_displays_tell_focus_and_focused_app(shell: Shell, phone: VirtualPhone) -> None:
    phone.start(SETTINGS)
    out = (await shell("dumpsys window displays")).out
    assert re.search(rf"mCurrentFocus=Window\{{\w+ u0 {SETTINGS}/{SETTINGS}\.Settings\}}", out)
    assert re.search(rf"mFocusedApp=ActivityRecord\{{\w+ u0 {SETTINGS}/\.Settings t\d+\}}", out)
    phone.sleep()
    assert re.search(r"mCurrentFocus=Window\{\w+ u0 NotificationShade\}", (await shell("dumpsys window displays")).out)
    phone.set_lock("none")
    assert "mCurrentFocus=null" in (await shell("dumpsys window displays")).out


async def test_the_rotation_stands_in_the_first_line_that_has_an_orientation(shell: Shell, phone: VirtualPhone) -> None:
    pattern = re.compile(
        r".*DisplayViewport{.*?valid=true, .*?orientation=(?P<o>\d+), "
        r".*?deviceWidth=(?P<w>\d+), deviceHeight=(?P<h>\d+).*"
    )
    for turn, size in ((0, ("1080", "2400")), (1, ("2400", "1080")), (3, ("2400", "1080"))):
        phone.set_rotation(turn)
        out = (await shell("dumpsys display")).out
        first = next(m for line in out.splitlines() if (m := re.search(r"orientation=(\d+)", line)))
        assert first.group(1) == str(turn)
        match = pattern.search(out)
        assert match is not None and (match["w"], match["h"]) == size


async def test_power_and_keyguard_tell_whether_the_phone_is_awake_and_locked(shell: Shell, phone: VirtualPhone) -> None:
    awake = (await shell("dumpsys power")).out
    assert "mHoldingDisplaySuspendBlocker=true" in awake and "mWakefulness=Awake" in awake
    phone.sleep()
    asleep = (await shell("dumpsys power")).out
    assert "mHoldingDisplaySuspendBlocker=false" in asleep and "mWakefulness=Asleep" in asleep
    phone.wake()
    policy = (await shell("dumpsys window policy")).out
    assert f"mIsShowing={str(phone.locked).lower()}" in policy
    assert phone.locked
    await shell("wm dismiss-keyguard")
    assert not phone.locked and "mIsShowing=false" in (await shell("dumpsys window policy")).out


async def test_the_keyboard_is_told_as_shown_only_while_it_is(shell: Shell, phone: VirtualPhone) -> None:
    out = (await shell("dumpsys input_method")).out
    assert "mInputShown=false" in out and f"mCurMethodId={phone.current_ime}" in out
    open_field(phone)
    out = (await shell("dumpsys input_method")).out
    assert phone.ime_shown and "mInputShown=true" in out and "mIsInputViewShown=true" in out
    phone.hide_ime()
    assert "mInputShown=false" in (await shell("dumpsys input_method")).out


async def test_the_battery_has_the_fields_a_real_phone_prints(shell: Shell) -> None:
    """Recorded by openatx/adbutils, tests/test_adb_shell.py."""
    names = [
        "AC powered", "USB powered", "Wireless powered", "Dock powered", "Max charging current",
        "Max charging voltage", "Charge counter", "status", "health", "present", "level", "scale", "voltage",
        "temperature", "technology",
    ]  # fmt: skip
    lines = (await shell("dumpsys battery")).lines
    assert lines[0] == "Current Battery Service state:"
    assert [line.strip().split(":")[0] for line in lines[1:]] == names
    await shell("dumpsys battery set level 12")
    assert "  level: 12" in (await shell("dumpsys battery")).lines


async def test_a_package_is_described_in_the_fields_that_are_read(shell: Shell) -> None:
    out = (await shell(f"dumpsys package {SETTINGS}")).out
    for pattern in (
        r"versionName=(?P<name>[^\s]+)",
        r"versionCode=(?P<code>\d+)",
        r"PackageSignatures\{.*?\[(.*)\]\}",
        r"pkgFlags=\[\s*(.*)\s*\]",
        r"firstInstallTime=([-\d]+\s+[:\d]+)",
        r"lastUpdateTime=([-\d]+\s+[:\d]+)",
        r"targetSdk=(\d+)",
    ):
        assert re.search(pattern, out), pattern
    assert (await shell("dumpsys package com.none")).out == "Unable to find package: com.none\n"


async def test_surfaceflinger_names_the_display_for_screencap(shell: Shell) -> None:
    out = (await shell("dumpsys SurfaceFlinger --display-id")).out
    ids = re.findall(r"Display (\d+) ", out)
    assert len(ids) == 1 and (await shell(f"screencap -p -d {ids[0]} | head -c 0; echo $?")).out.endswith("0\n")


async def test_an_unknown_service_cannot_be_found(shell: Shell, phone: VirtualPhone) -> None:
    done = await shell("dumpsys nonsense")
    assert done.err == "Can't find service: nonsense\n" and phone.journal.entries("unknown")
