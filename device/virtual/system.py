"""The phone's services: packages, activities and intents, clipboard, input methods, power, rotation."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from device.virtual.core.app import App
from device.virtual.core.journal import Journal
from device.virtual.core.package import Notification, Package
from device.virtual.core.world import World
from device.virtual.errors import UnknownActivity, UnknownInputMethod, UnknownPackage
from device.virtual.packages import ADB_KEYBOARD_IME, INPUT_METHODS, KEYBOARD_IME, SYSTEM_UI, installed
from device.virtual.power import Power
from device.virtual.session import Session
from device.virtual.tasks import Task

_FIRST_PID = 1200  # where app processes begin; below are the system's own


@dataclass(frozen=True, slots=True)
class StartResult:
    """What became of a request to start an activity. `text` is "" or the words of the activity manager."""

    ok: bool
    component: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class InputMethod:
    """An installed input method; the system offers only enabled ones."""

    id: str
    label: str
    enabled: bool


class System:
    """Services over world and session. `cause` is the id of the input behind a call."""

    def __init__(self, world: World, session: Session, journal: Journal, apps: Mapping[str, App], home: str) -> None:
        self.world = world
        self.session = session
        self.journal = journal
        self.apps = apps
        self.home = home
        self.power = Power(world, session, journal)

    # packages

    def packages(self) -> tuple[Package, ...]:
        return self.world.table(Package).all()

    def resolve(self, package: str) -> str | None:
        """The component that the launcher would start, or None."""
        row = self.world.table(Package).first(name=package)
        return row.component if row is not None and row.enabled and row.component else None

    def commit(self, command: str, cause: str, **args: Any) -> Any:
        return self.world.commit(f"system.{command}", args, cause)

    def uninstall(self, package: str, cause: str) -> None:
        """Remove a package with its data; raises UnknownPackage."""
        self.commit("uninstall", cause, package=package)
        self.stop(package)

    def stop(self, package: str) -> None:
        """End an app: its task is gone."""
        front = self.session.tasks.front.package == package
        if self.session.tasks.remove(package):
            self.session.ime_wanted = self.session.ime_wanted and not front
            self.session.changed()
        row = self.world.table(Package).first(name=package)
        for permission, flag in (row.flags if row is not None else {}).items():
            if flag == "ONE_TIME":  # what was given for this time is over with the process
                self.commit("revoke", self.journal.last_cause, package=package, permission=permission)

    def pid(self, package: str) -> int:
        """The process id an app would have: always the same for the same name."""
        return _FIRST_PID + zlib.crc32(package.encode()) % 20000

    def running(self) -> tuple[tuple[int, str], ...]:
        """Processes of apps with a task and of the system, by process id."""
        names = {SYSTEM_UI, self.home, *(task.package for task in self.session.tasks)}
        return tuple(sorted((self.pid(name), name) for name in names))

    def notification(self, id: int) -> Notification:
        """The notification of that id; raises NoSuchRow."""
        return self.world.table(Notification).get(id)

    # activities

    def start(
        self,
        package: str,
        activity: str = "",
        *,
        screen: str = "",
        action: str = "",
        data: str = "",
        extras: Mapping[str, Any] | None = None,
        caller: str = "",
        cause: str = "",
    ) -> StartResult:
        """Start an activity.

        Without activity, screen, action and data the app comes to the front as the launcher does it: where it was,
        or anew. Raises UnknownPackage or UnknownActivity.
        """
        row = installed(self.world, package)
        app = self.apps.get(package)
        if app is None or not row.activities:
            raise UnknownActivity(f"{package}/{activity}", row.activities)
        name, root = self._target(app, activity, screen, action, data)
        args = {**(extras or {}), **({"data": data} if data else {})}
        component = f"{package}/{name}"
        self.journal.append("start", {"component": component, "screen": root, "args": _plain(args)}, cause)
        text = self._show(app, name, root, args, caller)
        self.session.shade = ""
        self.session.changed()
        return StartResult(True, component, text)

    def try_start(self, package: str, activity: str = "", **how: Any) -> StartResult:
        """Start as `start` does; an unknown package or activity is a result with the activity manager's words."""
        try:
            return self.start(package, activity, **how)
        except (UnknownPackage, UnknownActivity):
            component = f"{package}/{activity}"
            text = f"Error: Activity class {{{component}}} does not exist." if activity else "Error: Activity not found"
            return StartResult(False, component, text)

    def _target(self, app: App, activity: str, screen: str, action: str, data: str) -> tuple[str, str]:
        main, root = next(iter(app.activities.items()))
        if activity:
            short = _short(app.package, activity)
            if short not in app.activities:
                raise UnknownActivity(f"{app.package}/{activity}", tuple(app.activities))
            return short, screen or app.activities[short]
        intent = app.intents.get(action) or app.intents.get(data.partition(":")[0] + ":" if data else "")
        wanted = screen or intent or root
        named = next((known for known, first in app.activities.items() if first == wanted), main)
        return named, wanted

    def _show(self, app: App, activity: str, screen: str, args: Mapping[str, Any], caller: str) -> str:
        tasks = self.session.tasks
        root = next(iter(app.activities.values()))
        task = tasks.of(app.package)
        front = tasks.front is task
        if app.package == self.home and screen == root:
            tasks.go_home()
        elif task is None:
            tasks.open(app.package, screen, activity, args, caller)
        elif screen == root and not args and task.screens[0].name == root:
            tasks.bring(task, caller)
            state = "its current task has been brought to the front"
            return f"Warning: Activity not started, {state}" if front else ""
        else:
            tasks.bring(task, caller)
            same = task.top.name == screen and dict(task.top.args) == dict(args)
            if not same:
                tasks.push(screen, args, activity=activity)
        return ""

    def match(self, action: str, data: str = "") -> str | None:
        """The package that answers an action or the scheme of a URI, or None."""
        scheme = data.partition(":")[0] + ":" if data else ""
        for row in self.packages():
            app = self.apps.get(row.name)
            if app is not None and row.enabled and (action in app.intents or scheme in app.intents):
                return row.name
        return None

    @property
    def foreground(self) -> tuple[str, str]:
        """Package and activity in front."""
        task = self.session.tasks.front
        return task.package, task.activity

    def task(self, package: str) -> Task:
        """The task of a package; raises UnknownPackage when it does not run."""
        task = self.session.tasks.of(package)
        if task is None:
            raise UnknownPackage(package, tuple(t.package for t in self.session.tasks))
        return task

    # input methods

    def input_methods(self) -> tuple[InputMethod, ...]:
        """Installed ones; the phone's own keyboard is always enabled."""
        enabled = self.world.settings.get("secure", "enabled_input_methods", KEYBOARD_IME).split(":")
        names = {row.name for row in self.packages()}
        return tuple(
            InputMethod(id, label, id in enabled or id == KEYBOARD_IME)
            for package, (id, label) in INPUT_METHODS.items()
            if package in names or id == KEYBOARD_IME
        )

    @property
    def current_ime(self) -> str:
        chosen = self.world.settings.get("secure", "default_input_method", KEYBOARD_IME)
        return chosen if any(chosen == method.id for method in self.input_methods()) else KEYBOARD_IME

    def set_ime(self, id: str, cause: str) -> None:
        """Choose an input method and enable it; raises UnknownInputMethod."""
        self.enable_ime(id, True, cause)
        self.commit("put", cause, ns="secure", key="default_input_method", value=id)

    def enable_ime(self, id: str, on: bool, cause: str) -> None:
        """Offer an input method or not; disabling the chosen one goes back to the phone's own."""
        known = tuple(method.id for method in self.input_methods())
        if id not in known:
            raise UnknownInputMethod(id, known)
        enabled = [m.id for m in self.input_methods() if m.enabled and m.id != id] + ([id] if on else [])
        self.commit("put", cause, ns="secure", key="enabled_input_methods", value=":".join(enabled))
        if not on and self.current_ime == id:
            self.commit("put", cause, ns="secure", key="default_input_method", value=KEYBOARD_IME)

    @property
    def own_keyboard(self) -> bool:
        """Whether the chosen input method is the one with keys."""
        return self.current_ime != ADB_KEYBOARD_IME

    # rotation

    @property
    def rotation(self) -> int:
        """Quarter turns to the left, 0 to 3: as the phone is held, or while auto-rotate is off as the owner chose."""
        if self.world.settings.flag("system", "accelerometer_rotation"):
            return self.session.held
        return int(self.world.settings.number("system", "user_rotation", 0)) % 4

    def hold(self, rotation: int) -> None:
        """Hold the phone at so many quarter turns; raises ValueError outside 0 to 3."""
        if rotation not in (0, 1, 2, 3):
            raise ValueError(f"rotation must be 0, 1, 2 or 3, not {rotation!r}")
        self.session.held = rotation
        self.session.changed()

    def set_rotation(self, rotation: int, freeze: bool, cause: str) -> None:
        """Turn the phone; frozen means that it does not follow its sensor. Raises ValueError outside 0 to 3."""
        if rotation not in (0, 1, 2, 3):
            raise ValueError(f"rotation must be 0, 1, 2 or 3, not {rotation!r}")
        self.commit("put", cause, ns="system", key="accelerometer_rotation", value=not freeze)
        self.commit("put", cause, ns="system", key="user_rotation", value=rotation)
        if not freeze:
            self.session.held = rotation
        self.session.changed()


@dataclass(frozen=True, slots=True)
class ImeReply:
    """Result code and data of a broadcast: -1 handled, 0 nobody listens."""

    result: int
    data: str = ""


def _short(package: str, activity: str) -> str:
    return activity[len(package) :] if activity.startswith(package + ".") else activity


def _plain(args: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: value if isinstance(value, str | int | float | bool | None) else str(value) for key, value in args.items()
    }
