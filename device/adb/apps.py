"""Opening an app by package, or by the name that people see.

No adb command tells localised labels, so a name is tried as a package, then as a well-known app, then against the
last words of the installed packages; only packages with a launcher entry count, and the match must be unique.
"""

from __future__ import annotations

import asyncio
import unicodedata

from rapidfuzz import fuzz

from device.adb import commands, parsers
from device.adb.client import Link
from device.adb.probe import focus
from device.clock import Clock
from device.errors import AppAmbiguous, AppNotFound, LaunchFailed

LAUNCH_DEADLINE = 20.0
FOREGROUND_DEADLINE = 10.0
FUZZY = 85.0
"""rapidfuzz ratio, 0 to 100: one letter off in a word of seven; below that, different words begin to match."""
CANDIDATES = 8

WELL_KNOWN: dict[str, tuple[str, ...]] = {
    "settings": ("com.android.settings",),
    "contacts": ("com.google.android.contacts", "com.android.contacts", "com.samsung.android.app.contacts"),
    "phone": ("com.google.android.dialer", "com.android.dialer", "com.samsung.android.dialer"),
    "messages": ("com.google.android.apps.messaging", "com.android.mms", "com.samsung.android.messaging"),
    "camera": (
        "com.google.android.GoogleCamera",
        "com.android.camera2",
        "com.android.camera",
        "com.sec.android.app.camera",
    ),
    "clock": ("com.google.android.deskclock", "com.android.deskclock", "com.sec.android.app.clockpackage"),
    "calendar": ("com.google.android.calendar", "com.android.calendar", "com.samsung.android.calendar"),
    "calculator": ("com.google.android.calculator", "com.android.calculator2", "com.sec.android.app.popupcalculator"),
    "files": ("com.google.android.documentsui", "com.android.documentsui", "com.google.android.apps.nbu.files"),
    "gallery": ("com.google.android.apps.photos", "com.android.gallery3d", "com.sec.android.gallery3d"),
    "photos": ("com.google.android.apps.photos",),
    "browser": ("com.android.chrome", "com.android.browser", "com.sec.android.app.sbrowser", "org.mozilla.firefox"),
    "chrome": ("com.android.chrome",),
    "email": ("com.google.android.gm", "com.android.email"),
    "gmail": ("com.google.android.gm",),
    "maps": ("com.google.android.apps.maps",),
    "play store": ("com.android.vending",),
    "youtube": ("com.google.android.youtube",),
    "notes": ("com.google.android.keep", "com.samsung.android.app.notes"),
}
OTHER_NAMES = {
    "设置": "settings",
    "通讯录": "contacts",
    "联系人": "contacts",
    "电话": "phone",
    "短信": "messages",
    "信息": "messages",
    "相机": "camera",
    "时钟": "clock",
    "日历": "calendar",
    "计算器": "calculator",
    "文件": "files",
    "相册": "gallery",
    "图库": "gallery",
    "浏览器": "browser",
    "地图": "maps",
    "便签": "notes",
    "people": "contacts",
    "dialer": "phone",
    "sms": "messages",
    "alarm": "clock",
    "web browser": "browser",
    "mail": "email",
}
_GENERIC = frozenset(
    {"android", "app", "apps", "com", "org", "net", "mobile", "client", "main", "google", "de", "cn", "io"}
)


def plain(name: str) -> str:
    """Lower case, one space between words, no word "app" around the name."""
    words = unicodedata.normalize("NFKC", name).casefold().split()
    return " ".join(word for word in words if word not in ("app", "the", "application")) or " ".join(words)


def candidates(name: str, installed: tuple[str, ...]) -> tuple[str, ...]:
    """Installed packages that a name may mean, best kind of match only, in the order of preference."""
    if name in installed:
        return (name,)
    wanted = plain(name)
    wanted = OTHER_NAMES.get(wanted, wanted)
    known = tuple(package for package in WELL_KNOWN.get(wanted, ()) if package in installed)
    if known:
        return known[:1]
    ends = [(package, _words(package)) for package in installed]
    joined = wanted.replace(" ", "")
    same = tuple(package for package, words in ends if words and words[-1] == joined)
    if same:
        return same
    within = tuple(package for package, words in ends if joined in words)
    if within:
        return within
    return tuple(package for package, words in ends if any(fuzz.ratio(joined, word) >= FUZZY for word in words))


def _words(package: str) -> list[str]:
    return [word for word in package.lower().split(".") if word not in _GENERIC]


async def resolve(link: Link, name: str) -> str:
    """The launcher component (`package/activity`) that a name means. Raises AppNotFound, AppAmbiguous."""
    installed = parsers.packages((await link.shell(["pm", "list", "packages"])).text)
    found = candidates(name, installed)[:CANDIDATES]
    answers = await asyncio.gather(*(link.shell(commands.resolve_launcher(package)) for package in found))
    startable = [one for answer in answers if (one := parsers.launcher_component(answer.text)) is not None]
    if not startable:
        near = sorted(installed, key=lambda package: -fuzz.WRatio(plain(name), " ".join(_words(package))))[:5]
        raise AppNotFound(
            f"no app called {name!r} can be opened on this phone",
            serial=link.serial,
            advice=f"Give its package name; the nearest installed are {', '.join(near)}." if near else "",
        )
    if len(startable) > 1:
        raise AppAmbiguous(
            f"{name!r} may mean {', '.join(one.split('/')[0] for one in startable)}",
            serial=link.serial,
            advice="Give the package name.",
        )
    return startable[0]


async def launch(link: Link, component: str, clock: Clock) -> str:
    """Start a component and wait until its package has the focus; returns what stood in the way, or "".

    Raises LaunchFailed when the phone refused to start it.
    """
    answer = await link.shell(commands.start_activity(component), LAUNCH_DEADLINE)
    refusal = parsers.launch_refusal(answer.text + answer.err.decode(errors="replace"))
    if refusal:
        raise LaunchFailed(f"{component} did not start: {refusal}", serial=link.serial)
    package = component.split("/")[0]
    until = clock.monotonic() + FOREGROUND_DEADLINE
    while (seen := await focus(link)) is None or seen.package != package:
        if clock.monotonic() >= until:
            what = "nothing" if seen is None else (seen.package or seen.window)
            return f"{component} was started, but {what} is in front after {FOREGROUND_DEADLINE:g} s"
        await clock.sleep(0.15)
    return ""
