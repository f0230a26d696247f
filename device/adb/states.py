"""What state a phone is in, recognised in what it answers. Pure: parsed answers in, states with details out.

Which window title, package or id means what: AOSP services/core (AppErrorDialog, AppNotRespondingDialog and their
layout app_error_dialog.xml), PermissionController (GrantPermissionsActivity), SystemUI (keyguard, shade); the
same on Android 7 to 16 where the reference on real phones has seen them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from device.adb import tree
from device.base import State
from device.frame import Foreground

States = Mapping[State, str]
"""The states that hold, each with what more is known of it, or ""."""

_WAKEFULNESS = {"Asleep": State.SCREEN_OFF, "Dozing": State.DOZING, "Dreaming": State.SCREENSAVER}
"""mWakefulness in `dumpsys power` (android.os.PowerManagerInternal)."""
_ERRORS = (("Application Not Responding: ", State.NOT_RESPONDING), ("Application Error: ", State.CRASHED))
_PERMISSION_PACKAGES = re.compile(r"com\.(?:google\.)?android\.(?:permissioncontroller|packageinstaller)")
_SHADE_WINDOWS = ("NotificationShade", "StatusBar")
"""The window of notifications and lock screen alike; it had the second name before Android 11."""
_COVERED = frozenset({State.SCREEN_OFF, State.DOZING, State.LOCKED})
SYSTEM_UI = "com.android.systemui"
_KEYGUARD_ID = re.compile(rf"{re.escape(SYSTEM_UI)}:id/(?:keyguard_|lock_icon)")
_BOUNCER_ID = re.compile(
    rf"{re.escape(SYSTEM_UI)}:id/(?:keyguard_(?:pin|password|pattern|sim)_|pinEntry|passwordEntry)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """Parsed answers; None where the phone does not say. `foreground` is who has the focus, empty for nobody."""

    foreground: Foreground | None = None
    wakefulness: str | None = None
    locked: bool | None = None
    lock_secure: bool | None = None
    keyboard: bool | None = None
    explored: bool | None = None
    """Whether touches explore: a screen reader has taken them over (touch_exploration_enabled)."""
    services: tuple[str, ...] = ()


def recognised(signs: Signs, xml: str | None = None) -> States:
    """The states that the phone's services tell, and those that a tree tells besides."""
    found = _by_services(signs)
    return found | _by_tree(xml, signs, found) if xml is not None else found


def _by_services(signs: Signs) -> dict[State, str]:
    found: dict[State, str] = {}
    dark = _WAKEFULNESS.get(signs.wakefulness or "")
    if dark is not None:
        found[dark] = ""
        if dark is State.DOZING:
            # Whoever asks only whether anything can be seen gets the same answer.
            found[State.SCREEN_OFF] = "it dozes"
    if signs.locked:
        found[State.LOCKED] = _lock_words(bool(signs.lock_secure))
        if signs.lock_secure:
            found[State.LOCKED_SECURE] = ""
    if signs.keyboard:
        found[State.KEYBOARD] = ""
    if signs.explored:
        found[State.SCREEN_READER] = ", ".join(one.partition("/")[0] for one in signs.services)
    return found | _by_front(signs.foreground or Foreground(), covered=bool(found.keys() & _COVERED))


def _lock_words(secure: bool) -> str:
    return "only its owner can open it" if secure else "a swipe opens it"


def _by_front(front: Foreground, *, covered: bool) -> dict[State, str]:
    for start, state in _ERRORS:
        if front.window.startswith(start):
            return {state: front.window.removeprefix(start)}
    if front.window in _SHADE_WINDOWS and not covered:
        return {State.SHADE: ""}
    if _PERMISSION_PACKAGES.fullmatch(front.package) and front.activity.endswith("GrantPermissionsActivity"):
        return {State.PERMISSION: ""}
    return {}


def _by_tree(xml: str, signs: Signs, known: States) -> dict[State, str]:
    ids = tree.identified(xml)
    found: dict[State, str] = {}
    title = ids.get("android:id/alertTitle", "")
    if "android:id/aerr_wait" in ids:
        found[State.NOT_RESPONDING] = known.get(State.NOT_RESPONDING) or title
    elif "android:id/aerr_close" in ids or "android:id/aerr_app_info" in ids:
        found[State.CRASHED] = known.get(State.CRASHED) or title
    asked = next((ids[name] for name in ids if name.endswith(":id/permission_message")), None)
    if asked is not None and any(_PERMISSION_PACKAGES.match(name) for name in ids):
        found[State.PERMISSION] = asked
    if signs.locked is None:
        # Views of the keyguard may linger in the tree of a phone that says it is open.
        if any(_BOUNCER_ID.match(name) for name in ids):
            found |= {State.LOCKED: _lock_words(True), State.LOCKED_SECURE: ""}
        elif any(_KEYGUARD_ID.match(name) for name in ids):
            found[State.LOCKED] = "its lock screen is shown"
    return found
