"""What a phone can do for us, asked of the phone itself. Nothing is changed on it.

Facts about vendors' switches: reference device B (injection refused, animations, lock, several displays).
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping

from agent_server.doctor.finding import Finding
from device.adb import commands, parsers
from device.adb.client import Link
from device.adb.device import AdbDevice
from device.base import DeviceInfo, State, View

OLDEST_SDK = 24
"""Android 7: the first whose adbd speaks the shell protocol that tells a cut answer from a short one."""
NEEDED_MB = 50
"""The automation server and its runtime take about 10 MB; below fifty, apps begin to fail for other reasons."""
LOW_BATTERY = 15
"""Per cent; phones save power below that: they dim, slow down and end background processes."""
HARMLESS_KEY = 0
"""KEYCODE_UNKNOWN: taken by the same check as every key, and then means nothing."""
SECURITY_SWITCH = 'Developer options: turn on "USB debugging (Security settings)"; it may ask for a SIM and a restart.'
INJECTION_CAUSES: Mapping[str, str] = {
    "xiaomi": f"Xiaomi phones forbid input over USB unless it is allowed on its own. {SECURITY_SWITCH}",
    "redmi": f"Redmi phones forbid input over USB unless it is allowed on its own. {SECURITY_SWITCH}",
    "poco": f"POCO phones forbid input over USB unless it is allowed on its own. {SECURITY_SWITCH}",
    "oppo": 'Developer options: turn on "Disable permission monitoring".',
    "realme": 'Developer options: turn on "Disable permission monitoring".',
    "oneplus": 'Developer options: turn on "Disable permission monitoring".',
}
"""By the phone's brand, in lower case: the switch without which `input` is answered by a SecurityException."""
ANIMATIONS = ("window_animation_scale", "transition_animation_scale", "animator_duration_scale")


async def look(link: Link, device: AdbDevice) -> AsyncIterator[Finding]:
    """Each capability in turn, with cause and mending. Raises DeviceError when the link breaks."""
    info = await device.describe()
    props = parsers.properties((await link.shell(["getprop"])).text)
    view = await device.observe()
    yield _system(info, props)
    yield _picture(view)
    yield await _displays(link)
    yield _tree(view, info)
    yield _readers(info, view)
    yield await _touch(link, props)
    yield _text(info)
    yield await _keyboard(link)
    yield _screen(view)
    for finding in (await _room(link), await _battery(link), await _animations(link)):
        if finding is not None:
            yield finding


def _system(info: DeviceInfo, props: Mapping[str, str]) -> Finding:
    release = props.get("ro.build.version.release", "?")
    kind = ", the virtual phone" if info.virtual else ""
    return Finding(
        "system",
        info.sdk >= OLDEST_SDK,
        f"{info.model}, version {release}, SDK {info.sdk}{kind}",
        "Use a phone with version 7 (SDK 24) or newer.",
        cause="" if info.sdk >= OLDEST_SDK else "its adbd does not tell a cut answer from a short one",
    )


def _picture(view: View) -> Finding:
    frame = view.frame
    kilobytes = len(frame.data) // 1024
    if State.SECURE in view.states:
        return Finding(
            "picture",
            False,
            f"{frame.size}, but black",
            "Open another screen.",
            needed=False,
            cause="the app in front forbids screenshots (FLAG_SECURE)",
        )
    return Finding("picture", True, f"{frame.size} as {frame.media_type.removeprefix('image/')}, {kilobytes} kB")


async def _displays(link: Link) -> Finding:
    ids = parsers.display_ids((await link.shell(["dumpsys", "SurfaceFlinger", "--display-id"])).text)
    return Finding("displays", True, f"{len(ids) or 1}" + (f": {', '.join(ids)}" if len(ids) > 1 else ""))


def _tree(view: View, info: DeviceInfo) -> Finding:
    mend = "Consent to UiAutomation for this phone: TAPWRIGHT_CONSENT_ACCESSIBILITY=true"
    cause = "reading it would turn off the accessibility services" if info.accessibility_services else view.tree_reason
    if view.tree is not None:
        return Finding("accessibility tree", True, f"{view.tree.count('<node')} nodes")
    return Finding("accessibility tree", False, "not read; marks come from the picture alone", mend, False, cause)


def _readers(info: DeviceInfo, view: View) -> Finding:
    services = ", ".join(info.accessibility_services)
    return Finding("accessibility services", True, f"{services}; they stay on" if services else "none is on")


async def _touch(link: Link, props: Mapping[str, str]) -> Finding:
    answer = await link.shell(commands.key(HARMLESS_KEY))
    words = (answer.out + answer.err).decode(errors="replace").strip()
    if answer.code == 0 and "Exception" not in words:
        return Finding("touch and keys", True, "the phone takes input")
    brand = props.get("ro.product.brand", "").lower()
    mend = INJECTION_CAUSES.get(brand, f"{SECURITY_SWITCH} Then plug the phone in again.")
    return Finding(
        "touch and keys",
        False,
        next((one for one in words.splitlines() if "INJECT_EVENTS" in one), words or "refused").strip()[:200],
        mend,
        cause=("the phone's maker guards input over USB" if "INJECT_EVENTS" in words else ""),
    )


def _text(info: DeviceInfo) -> Finding:
    every = "unicode" in info.capabilities
    return Finding(
        "typing",
        every,
        "every script" if every else "plain ASCII only",
        "Consent to UiAutomation for this phone, or let its owner choose an ADB keyboard.",
        needed=False,
    )


async def _keyboard(link: Link) -> Finding:
    chosen = parsers.setting((await link.shell(commands.setting("secure", "default_input_method"))).text)
    return Finding("keyboard", bool(chosen), chosen or "none is chosen", "Choose one in the phone's settings.", False)


def _screen(view: View) -> Finding:
    if State.SCREEN_OFF in view.states:
        return Finding("screen", False, "off", "Wake it: adb shell input keyevent 224", needed=False)
    if State.LOCKED in view.states:
        return Finding("screen", False, "locked", "Unlock it by hand; Tapwright never types a PIN.", needed=False)
    return Finding("screen", view.stable, "on and open" if view.stable else "on; it never stands still", needed=False)


async def _room(link: Link) -> Finding | None:
    free = free_megabytes((await link.shell(["df", "/data"])).text)
    if free is None:
        return None
    return Finding("storage", free >= NEEDED_MB, f"{free} MB free on /data", "Free some of the phone's storage.")


def free_megabytes(text: str) -> int | None:
    """What `df` calls available, in MB of 1024 kB; None where that is not said. Blocks are 1 kB unless it has -h."""
    for line in text.splitlines()[1:]:
        numbers = re.findall(r"(?<!\S)\d+(?!\S)", line)
        if len(numbers) >= 3:
            return int(numbers[2]) // 1024
    return None


async def _battery(link: Link) -> Finding | None:
    known = battery((await link.shell(["dumpsys", "battery"])).text)
    if known is None:
        return None
    level, plugged = known
    detail = f"{level} %{', charging' if plugged else ''}"
    return Finding("battery", plugged or level >= LOW_BATTERY, detail, "Plug it in.", needed=False)


def battery(text: str) -> tuple[int, bool] | None:
    """Level in per cent and whether it is plugged in, from `dumpsys battery`; None where it is not said."""
    level = re.search(r"^\s*level: (\d+)\s*$", text, re.MULTILINE)
    if level is None:
        return None
    return int(level[1]), re.search(r"^\s*(AC|USB|Wireless|Dock) powered: true", text, re.MULTILINE) is not None


async def _animations(link: Link) -> Finding | None:
    scales = [parsers.setting((await link.shell(commands.setting("global", name))).text) or "1" for name in ANIMATIONS]
    off = all(scale in ("0", "0.0") for scale in scales)
    detail = "off" if off else "on; each act waits for them"
    return Finding("animations", True, detail, needed=False)
