"""Installed packages, permissions, notifications and settings: the system's own world commands, `system.*`."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from device.virtual.core.accessibility import ENABLED, follow_services
from device.virtual.core.app import App
from device.virtual.core.package import Credential, Notification, Package
from device.virtual.core.world import World
from device.virtual.errors import UnknownPackage

SYSTEM_UI, KEYBOARD = "com.android.systemui", "org.tapwright.keyboard"
KEYBOARD_IME = "org.tapwright.keyboard/.Keyboard"
ADB_KEYBOARD_IME = "com.github.uiautomator/.AdbKeyboard"
"""The input method of uiautomator2's helper app, which takes text by broadcast (openatx/uiautomator2, _input.py)."""

INPUT_METHODS: Mapping[str, tuple[str, str]] = {
    KEYBOARD: (KEYBOARD_IME, "Tapwright Keyboard"),
    "com.github.uiautomator": (ADB_KEYBOARD_IME, "UIAutomator2 ADB Keyboard"),
}
"""Packages that bring an input method: its id and label."""


def register_system(world: World, apps: Mapping[str, App]) -> None:
    """Offer the system's commands on that world."""

    def install(w: World, *, package: str, label: str = "") -> Package:
        """Install or update; a package the phone has the app of comes with all it declares."""
        app = apps.get(package)
        known = w.table(Package).first(name=package)
        if known is not None:
            return w.table(Package).update(known.id, version_code=known.version_code, last_update=w.now)
        if app is None:
            labels = {"en": label or package.rpartition(".")[2]}
            return w.table(Package).add(
                name=package, labels=labels, launchable=False, first_install=w.now, last_update=w.now
            )
        row = add_package(w, app)
        seed_app(w, app)
        return row

    def uninstall(w: World, *, package: str) -> None:
        row = installed(w, package)
        w.table(Package).remove(row.id)
        _forget(w, package, apps)
        for note in w.table(Notification).find(package=package):
            w.table(Notification).remove(note.id)

    def clear(w: World, *, package: str) -> None:
        """Forget an app's data and what it was granted."""
        row = installed(w, package)
        w.table(Package).update(row.id, granted=row.permissions if row.system else (), flags={})
        _forget(w, package, apps)

    commands = (install, uninstall, clear, grant, revoke, reset_permissions, set_lock, put, delete, toggle)
    for command in (*commands, post, dismiss, dismiss_all):
        world.register(f"system.{command.__name__}", command)


def installed(w: World, package: str) -> Package:
    """The row of an installed package; raises UnknownPackage."""
    row = w.table(Package).first(name=package)
    if row is None:
        raise UnknownPackage(package, tuple(p.name for p in w.table(Package)))
    return row


def add_package(w: World, app: App) -> Package:
    """The row of an app as the package manager knows it after installing."""
    return w.table(Package).add(
        name=app.package,
        labels=dict(app.label) or {"en": app.title("en")},
        icon=app.icon,
        hue=app.hue,
        version_name=app.version,
        version_code=app.version_code,
        system=app.system,
        launchable=app.launchable,
        activities=tuple(app.activities),
        permissions=tuple(app.permissions),
        granted=tuple(app.permissions) if app.system else (),
        first_install=w.now,
        last_update=w.now,
    )


def seed_app(w: World, app: App) -> None:
    """Let an app fill the world; the same seed gives the same data whatever else is installed."""
    app.seed(w, random.Random(f"{w.seed}:{app.package}"))


def grant(w: World, *, package: str, permission: str, flag: str = "") -> None:
    """Give a permission that the package asks for; raises ValueError for another one.

    `flag` tells what a person answered (see Package.flags); a permission given by a program carries none.
    """
    row = installed(w, package)
    if permission not in row.permissions:
        raise ValueError(f"{package} does not ask for {permission}; it asks for {', '.join(row.permissions) or 'none'}")
    given = row.granted if permission in row.granted else (*row.granted, permission)
    w.table(Package).update(row.id, granted=given, flags=_flagged(row, permission, flag))


def revoke(w: World, *, package: str, permission: str, flag: str = "") -> None:
    """Take a permission away, or refuse it; `flag` as in `grant`."""
    row = installed(w, package)
    kept = tuple(p for p in row.granted if p != permission)
    w.table(Package).update(row.id, granted=kept, flags=_flagged(row, permission, flag))


def _flagged(row: Package, permission: str, flag: str) -> dict[str, str]:
    others = {name: known for name, known in row.flags.items() if name != permission}
    return {**others, permission: flag} if flag else others


def reset_permissions(w: World, *, package: str = "") -> None:
    """Nobody has been asked for anything yet: of one package, or of all."""
    for row in w.table(Package).all():
        if package in ("", row.name) and (row.granted or row.flags):
            w.table(Package).update(row.id, granted=(), flags={})


def set_lock(w: World, *, disabled: bool, digest: str = "") -> None:
    """How the phone locks: not at all, by a swipe, or by the PIN of that digest."""
    w.settings.put("secure", "lockscreen_disabled", disabled)
    for row in w.table(Credential).all():
        w.table(Credential).remove(row.id)
    if digest:
        w.table(Credential).add(digest=digest)


def put(w: World, *, ns: str, key: str, value: Any) -> None:
    """Store a setting; what the system derives from it follows."""
    w.settings.put(ns, key, value)
    if (ns, key) == ("secure", ENABLED):
        follow_services(w.settings)


def delete(w: World, *, ns: str, key: str) -> bool:
    """Forget a setting; what the system derives from it follows."""
    known = w.settings.delete(ns, key)
    if (ns, key) == ("secure", ENABLED):
        follow_services(w.settings)
    return known


def toggle(w: World, *, ns: str, key: str) -> None:
    """Switch a setting between "0" and "1"."""
    w.settings.put(ns, key, not w.settings.flag(ns, key))


def post(w: World, *, package: str, title: str, text: str = "", screen: str = "", **args: Any) -> Notification:
    """Put a notification into the shade."""
    return w.table(Notification).add(package=package, title=title, text=text, screen=screen, args=args, when=w.now)


def dismiss(w: World, *, id: int) -> None:
    """Take a notification away."""
    w.table(Notification).remove(id)


def dismiss_all(w: World) -> None:
    """Take away every notification that may go."""
    for note in w.table(Notification).all():
        if not note.ongoing:
            w.table(Notification).remove(note.id)


def _forget(w: World, package: str, apps: Mapping[str, App]) -> None:
    if (app := apps.get(package)) is not None:
        w.clear_tables(f"{app.name}.")
