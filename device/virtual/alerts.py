"""What comes over an app without being asked: error dialogs, permission dialogs, notifications that show themselves."""

from __future__ import annotations

from device.virtual.core.journal import Journal
from device.virtual.core.package import Notification, Package
from device.virtual.core.world import World
from device.virtual.packages import installed
from device.virtual.session import HEADS_UP_MS, ErrorDialog, Session
from device.virtual.shell.permission import GRANT_ACTIVITY, PERMISSION_CONTROLLER
from device.virtual.system import System

SETTINGS = "com.android.settings"


class Alerts:
    """Raises them and carries out what is chosen in them. `cause` is the id of the input behind a call."""

    def __init__(self, world: World, session: Session, system: System, journal: Journal) -> None:
        self._world = world
        self._session = session
        self._system = system
        self._journal = journal

    # errors

    def error(self, kind: str, package: str, cause: str, *, again: bool = False) -> bool:
        """An app does not respond ("anr"), or has stopped ("crash"): say so, unless global hide_error_dialogs is 1.

        Without a package it is the app in front. A crashed app has ended either way. Raises UnknownPackage.
        """
        package = package or self._session.tasks.base.package
        installed(self._world, package)
        dialog = ErrorDialog("anr", package)
        if kind == "crash":
            dialog = ErrorDialog("crash", package, again or package in self._session.crashed)
            self._session.crashed.add(package)
            self._system.stop(package)
        hidden = self._world.settings.flag("global", "hide_error_dialogs")
        self._journal.append("window", {"window": dialog.title, "error": kind, "hidden": hidden}, cause)
        if not hidden:
            self._session.errors = [e for e in self._session.errors if e.package != package] + [dialog]
            self._session.ime_wanted = False
        self._session.changed()
        return not hidden

    def end_error(self, choice: str, cause: str) -> bool:
        """Leave the top error dialog: "close" (the app ends), "wait", "info" (its page), or "" without a choice."""
        if not self._session.errors:
            return False
        error = self._session.errors.pop()
        if choice == "close" and error.kind == "anr":
            self._system.stop(error.package)
        elif choice == "info" and SETTINGS in self._system.apps:
            self._system.start(
                SETTINGS, ".AppInfo", screen="app_info", extras={"app": error.package}, caller="", cause=cause
            )
        self._session.changed()
        return True

    # permissions

    def request(self, package: str, permission: str, cause: str) -> bool:
        """Ask a person for a permission on behalf of an app; whether the dialog shows.

        It does not when the app has it already or it was refused for good. Raises UnknownPackage, and ValueError for
        a permission that the app does not declare.
        """
        row = installed(self._world, package)
        if permission not in row.permissions:
            asks = ", ".join(row.permissions) or "none"
            raise ValueError(f"{package} does not ask for {permission}; it asks for {asks}")
        if permission in row.granted or row.flags.get(permission) == "USER_FIXED":
            return False
        args = {"package": package, "permission": permission}
        self._session.ime_wanted = False
        front = self._session.tasks.base.package
        self._system.start(PERMISSION_CONTROLLER, GRANT_ACTIVITY, extras=args, caller=front, cause=cause)
        return True

    @property
    def requested(self) -> tuple[str, str] | None:
        """Package and permission of the dialog in front."""
        task = self._session.tasks.front
        if task.package != PERMISSION_CONTROLLER:
            return None
        return str(task.page.args["package"]), str(task.page.args["permission"])

    def answer(self, answer: str, cause: str) -> None:
        """What a person chose in the permission dialog: "allow", "once" or "deny"."""
        asked = self.requested
        if asked is None:
            return
        package, permission = asked
        row = self._world.table(Package).first(name=package)
        if row is not None and answer == "deny":
            refused = row.flags.get(permission) == "USER_SET"
            flag = "USER_FIXED" if refused else "USER_SET"
            self._system.commit("revoke", cause, package=package, permission=permission, flag=flag)
        elif row is not None:
            flag = "ONE_TIME" if answer == "once" else "USER_SET"
            self._system.commit("grant", cause, package=package, permission=permission, flag=flag)
        self._session.tasks.pop()

    # notifications

    def notify(self, package: str, title: str, text: str, heads_up: bool, cause: str) -> Notification:
        """Put a notification into the shade, and over the app for five seconds. Raises UnknownPackage."""
        installed(self._world, package)
        note: Notification = self._system.commit("post", cause, package=package, title=title, text=text)
        if heads_up:
            self._session.heads_up = note.id
            self._session.heads_up_until = self._world.clock.now_ms() + HEADS_UP_MS
        self._session.changed()
        return note
