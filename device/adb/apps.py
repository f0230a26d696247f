"""Opening an app by package, or by the name that people see.

No adb command tells localised labels, so a name is tried as a package, then as a well-known app, then against the
words of the installed packages; only packages with a launcher entry count, and the match must be unique.
Installing and removing is no action of a run: only a person asks for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence

from rapidfuzz import fuzz

from device.adb import commands, parsers
from device.adb.app_names import SYNONYMS, WELL_KNOWN
from device.adb.client import Link
from device.adb.probe import focus
from device.clock import Clock
from device.errors import AppAmbiguous, AppNotFound, CommandRefused, DeviceError, InstallRefused, LaunchFailed
from device.frame import Foreground

LAUNCH_DEADLINE = 20.0
FOREGROUND_DEADLINE = 10.0
FOREGROUND_INTERVAL = 0.1
BLOCKED = 3.0
"""Seconds that another window may keep the focus before it counts as what stands in the way."""
FUZZY = 85.0
"""rapidfuzz ratio, 0 to 100: one letter off in a word of seven; below that, different words begin to match."""
CANDIDATES = 16
"""Packages of one kind of match that are asked for a launcher entry at once."""
NEAREST = 5

INSTALL_DEADLINE = 180.0
"""Seconds: a phone compiles and scans what it installs, and may ask its owner first."""
APK_FOLDER = "/data/local/tmp"

_PACKAGE = re.compile(r"[A-Za-z]\w*(?:\.[A-Za-z]\w*)+", re.ASCII)
_GENERIC = frozenset(
    ["android", "app", "apps", "com", "org", "net", "mobile", "client", "main", "google", "de", "cn", "io"]
)
_FILLERS = frozenset({"app", "the", "application"})


def plain(name: str) -> str:
    """Lower case, one space between words, no word "app" around the name."""
    words = unicodedata.normalize("NFKC", name).casefold().split()
    return " ".join(word for word in words if word not in _FILLERS) or " ".join(words)


def candidates(name: str, installed: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Installed packages that a name may mean, one tuple per kind of match, the surest kind first.

    Packages of one tuple are equally likely.
    """
    if name in installed:
        yield (name,)
    if _PACKAGE.fullmatch(name):
        # A package name means that package and no other.
        return
    wanted = plain(name)
    for package in WELL_KNOWN.get(wanted, ()):
        if package in installed:
            yield (package,)
    names = {one.replace(" ", "") for one in (wanted, *SYNONYMS.get(wanted, ()))}
    words = {package: _words(package) for package in installed}
    yield tuple(package for package, own in words.items() if own and own[-1] in names)
    yield tuple(package for package, own in words.items() if names & set(own))
    yield tuple(
        package
        for package, own in words.items()
        if any(fuzz.ratio(one, word) >= FUZZY for one in names for word in own)
    )


def _words(package: str) -> list[str]:
    return [word for word in package.lower().split(".") if word not in _GENERIC]


async def resolve(link: Link, name: str) -> str:
    """The launcher component (`package/activity`) that a name means. Raises AppNotFound, AppAmbiguous."""
    installed = parsers.packages((await link.shell(["pm", "list", "packages"])).text)
    for found in candidates(name, installed):
        entries = await asyncio.gather(*(_launcher_entry(link, package) for package in found[:CANDIDATES]))
        startable = [entry for entry in entries if entry]
        if len(startable) > 1:
            raise AppAmbiguous(
                f"{name!r} may mean {', '.join(one.split('/')[0] for one in startable)}",
                serial=link.serial,
                advice="Give the package name.",
            )
        if startable:
            return startable[0]
    near = sorted(installed, key=lambda package: -fuzz.WRatio(plain(name), " ".join(_words(package))))[:NEAREST]
    raise AppNotFound(
        f"no app called {name!r} can be opened on this phone",
        serial=link.serial,
        advice=f"Give its package name; the nearest installed are {', '.join(near)}." if near else "",
    )


async def _launcher_entry(link: Link, package: str) -> str:
    """The component that the launcher would start, or "" for a package without one."""
    component = parsers.launcher_component((await link.shell(commands.resolve_launcher(package))).text)
    if component is None or component.startswith(package + "/"):
        return component or ""
    # Several entries in one package: the phone names its own chooser instead.
    listed = parsers.components((await link.shell(commands.query_launcher(package))).text)
    return next((one for one in listed if one.startswith(package + "/")), "")


async def start(link: Link, component: str, sent: Callable[[], None]) -> frozenset[str]:
    """Start a component once; returns the packages whose window may come up for it. Raises LaunchFailed."""
    answer = await link.shell(commands.start_activity(component), LAUNCH_DEADLINE, sent)
    launch = parsers.launch(answer.text + answer.err.decode(errors="replace"))
    if launch.refusal:
        raise LaunchFailed(f"{component} did not start: {launch.refusal}", serial=link.serial)
    return frozenset({component.split("/")[0], launch.activity.package} - {""})


async def in_front(link: Link, packages: frozenset[str], clock: Clock) -> str:
    """Wait until one of the packages has the focus; returns what stood in the way, or ""."""
    until = clock.monotonic() + FOREGROUND_DEADLINE
    other, since = Foreground(), clock.monotonic()
    while True:
        try:
            seen = await focus(link)
        except CommandRefused:
            seen = None
        if seen is not None and seen.package in packages:
            return ""
        now = clock.monotonic()
        if seen is None or seen == Foreground() or seen != other:
            other, since = seen or Foreground(), now
        if now - since >= BLOCKED or now >= until:
            what = other.package or other.window or "nothing"
            return f"the app was started, but {what} is in front"
        await clock.sleep(FOREGROUND_INTERVAL)


async def install(link: Link, apk: bytes) -> None:
    """Install or update an app from the bytes of its package file.

    Raises InstallRefused with the phone's words, DeviceError.
    """
    path = f"{APK_FOLDER}/tapwright-{hashlib.sha256(apk).hexdigest()[:16]}.apk"
    try:
        await link.push(apk, path)
        await _package_manager(link, ["pm", "install", "-r", "-t", path])
    finally:
        # The copy is ours; a phone that is gone takes it along, and the next installation overwrites it.
        with contextlib.suppress(DeviceError):
            await link.shell(["rm", "-f", path])


async def uninstall(link: Link, package: str) -> None:
    """Remove an app with all its data. Raises AppNotFound, InstallRefused, DeviceError."""
    installed = parsers.packages((await link.shell(["pm", "list", "packages"])).text)
    if not _PACKAGE.fullmatch(package) or package not in installed:
        raise AppNotFound(
            f"no package {package!r} is installed", serial=link.serial, advice="Give the exact package name."
        )
    await _package_manager(link, ["pm", "uninstall", package])


async def _package_manager(link: Link, argv: list[str]) -> None:
    answer = await link.shell(argv, INSTALL_DEADLINE)
    words = (answer.out + answer.err).decode(errors="replace").strip()
    # The word decides: the exit code is 0 also after a failure on older phones.
    if not re.search(r"^Success\b", words, re.MULTILINE):
        raise InstallRefused(
            words[:400] or f"`pm` ended with code {answer.code}", serial=link.serial, advice=_mending(words)
        )


def _mending(words: str) -> str:
    """What a person can do about a refusal. Sources: Genymobile/sndcpy#64, Genymobile/gnirehtet#514."""
    if "USER_RESTRICTED" in words or "canceled by user" in words:
        return 'Unlock the phone, watch its screen, and turn on "Install via USB" in its developer options.'
    if "INSUFFICIENT_STORAGE" in words or "No space left" in words:
        return "Make room on the phone."
    if "VERSION_DOWNGRADE" in words or "UPDATE_INCOMPATIBLE" in words:
        return "Another build of this app is installed; remove it first, which also removes its data."
    return ""
