"""Carrying out acts: navigation, view state, fields, dialogs, toasts, the system's own, and world commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from device.virtual.alerts import Alerts
from device.virtual.apps.words import language, say, words
from device.virtual.core.journal import Journal
from device.virtual.core.world import World
from device.virtual.errors import UnknownAct
from device.virtual.session import Session
from device.virtual.system import System
from device.virtual.tasks import OpenScreen
from device.virtual.ui.node import Act

_WRONG_PIN = words("Wrong PIN", "PIN 码错误")

Press = Callable[[str, str], None]
Handler = Callable[[Mapping[str, Any], OpenScreen, str], None]


class Acts:
    """Looks acts up by name. `owner` is the screen a node stands on; `cause` the id of the input."""

    def __init__(self, world: World, session: Session, system: System, journal: Journal, alerts: Alerts) -> None:
        self._world = world
        self._alerts = alerts
        self._session = session
        self._system = system
        self._journal = journal
        self.press_key: Press = lambda value, cause: None  # the keyboard's keys; the phone puts its own in
        self.press_button: Callable[[int, str], None] = lambda code, cause: None
        self.secrets: Callable[[], frozenset[str]] = frozenset  # what password fields hold now
        self._handlers: dict[str, Handler] = {
            "nav.push": self._push,
            "nav.replace": self._replace,
            "nav.back": self._back,
            "view.set": self._view_set,
            "view.toggle": self._view_toggle,
            "field.set": self._field_set,
            "field.clear": self._field_clear,
            "dialog.open": self._dialog_open,
            "dialog.close": lambda args, owner, cause: self._moved(session.tasks.close_dialog()),
            "toast.show": self._toast,
            "activity.start": self._start,
            "home": lambda args, owner, cause: self.home(),
            "recents": lambda args, owner, cause: self.recents(),
            "drawer.open": lambda args, owner, cause: self.drawer(),
            "ime.hide": lambda args, owner, cause: self._hide_ime(),
            "ime.key": lambda args, owner, cause: self.press_key(str(args["value"]), cause),
            "key": lambda args, owner, cause: self.press_button(int(args["code"]), cause),
            "shade.open": lambda args, owner, cause: self.shade("notifications"),
            "shade.expand": lambda args, owner, cause: self.shade("quick_settings"),
            "shade.close": lambda args, owner, cause: self.shade(""),
            "unlock": lambda args, owner, cause: system.power.dismiss(),
            "pin.key": lambda args, owner, cause: system.power.pin_key(str(args["value"]), cause),
            "pin.back": lambda args, owner, cause: system.power.back(),
            "lock.set": self._set_lock,
            "error.close": lambda args, owner, cause: self._error("close", cause),
            "error.wait": lambda args, owner, cause: self._error("wait", cause),
            "error.info": lambda args, owner, cause: self._error("info", cause),
            "permission.ask": self._ask_permission,
            "permission.answer": lambda args, owner, cause: alerts.answer(str(args["answer"]), cause),
            "heads_up.hide": lambda args, owner, cause: self._hide_heads_up(),
            "recents.open": self._open_task,
            "recents.remove": lambda args, owner, cause: system.stop(str(args["package"])),
            "recents.clear": self._clear_tasks,
            "setting.put": lambda args, owner, cause: system.commit("put", cause, **args),
            "setting.toggle": lambda args, owner, cause: system.commit("toggle", cause, **args),
            "notification.open": self._open_notification,
            "notification.dismiss": lambda args, owner, cause: system.commit("dismiss", cause, **args),
            "notification.clear": lambda args, owner, cause: system.commit("dismiss_all", cause),
            "app.stop": lambda args, owner, cause: system.stop(str(args["package"])),
            "app.clear": lambda args, owner, cause: self.clear_app(str(args["package"]), cause),
            "app.uninstall": lambda args, owner, cause: system.uninstall(str(args["package"]), cause),
            "app.grant": lambda args, owner, cause: system.commit("grant", cause, **args),
            "app.revoke": lambda args, owner, cause: system.commit("revoke", cause, **args),
            "seq": self._seq,
        }

    def perform(self, act: Act, owner: OpenScreen, cause: str) -> None:
        """Carry out an act; raises UnknownAct for a name nobody knows, and what a world command raises."""
        handler = self._handlers.get(act.name)
        if handler is not None:
            handler(act.args, owner, cause)
            self._session.changed()
        elif act.name in self._world.commands:
            self._command(act, owner, cause)
        else:
            raise UnknownAct(act.name)

    def _command(self, act: Act, owner: OpenScreen, cause: str) -> None:
        args = dict(act.args)
        hidden = self.secrets()
        shown = {key: {"length": len(v)} if isinstance(v, str) and v in hidden else v for key, v in args.items()}
        result = self._world.commit(act.name, args, cause, shown=shown)
        self._session.changed()
        for follow in result if isinstance(result, tuple) else (result,):
            if isinstance(follow, Act):
                self.perform(follow, owner, cause)

    def _seq(self, args: Mapping[str, Any], owner: OpenScreen, cause: str) -> None:
        for act in args["acts"]:
            self.perform(act, owner, cause)

    # screens

    def _moved(self, moved: bool) -> None:
        if moved:
            self._hide_ime()

    def _hide_ime(self) -> None:
        self._session.ime_wanted = False

    def _push(self, args: Mapping[str, Any], owner: OpenScreen, cause: str) -> None:
        name, given = _split(args)
        self._session.tasks.push(name, given)
        self._hide_ime()

    def _replace(self, args: Mapping[str, Any], owner: OpenScreen, cause: str) -> None:
        name, given = _split(args)
        self._session.tasks.replace(name, given)
        self._hide_ime()

    def _back(self, args: Mapping[str, Any], owner: OpenScreen, cause: str) -> None:
        if owner.serial == 0:  # a button of the navigation bar is the Back key
            self.press_button(4, cause)
        elif owner is self._session.shade_screen:
            self.shade("")
        else:
            self._moved(self._session.tasks.pop())

    def _dialog_open(self, args: Mapping[str, Any], owner: OpenScreen, cause: str) -> None:
        name, given = _split(args)
        self._session.tasks.push(name, given, dialog=True)
        self._hide_ime()

    def _view_set(self, args: Mapping[str, Any], owner: OpenScreen, cause: str) -> None:
        owner.views[str(args["key"])] = args.get("value")

    def _view_toggle(self, args: Mapping[str, Any], owner: OpenScreen, cause: str) -> None:
        key = str(args["key"])
        owner.views[key] = not owner.views.get(key, False)

    def _field_set(self, args: Mapping[str, Any], owner: OpenScreen, cause: str) -> None:
        bind, text = str(args["bind"]), str(args.get("value", ""))
        owner.fields[bind] = text
        if owner.focus == bind:
            owner.caret = owner.anchor = len(text)

    def _field_clear(self, args: Mapping[str, Any], owner: OpenScreen, cause: str) -> None:
        self._field_set({"bind": args["bind"], "value": ""}, owner, cause)

    def _toast(self, args: Mapping[str, Any], owner: OpenScreen, cause: str) -> None:
        self.toast(str(args["text"]), cause, long=bool(args.get("long", False)))

    def toast(self, text: str, cause: str, *, long: bool = False) -> None:
        """Show a toast and journal it."""
        self._journal.append("toast", {"text": text}, cause)
        self._session.show_toast(text, long=long)

    # the system

    def _error(self, choice: str, cause: str) -> None:
        self._alerts.end_error(choice, cause)

    def _ask_permission(self, args: Mapping[str, Any], owner: OpenScreen, cause: str) -> None:
        self._alerts.request(self._session.tasks.base.package, str(args["permission"]), cause)

    def _set_lock(self, args: Mapping[str, Any], owner: OpenScreen, cause: str) -> None:
        """Change the lock and leave the page, if the PIN that holds now was given as `old`."""
        power = self._system.power
        if power.lock == "pin" and not power.matches(str(args["old"])):
            self.toast(say(_WRONG_PIN, language(self._world)), cause)
            return
        power.set_lock(str(args["kind"]), str(args["pin"]), cause)
        self._back({}, owner, cause)

    def _hide_heads_up(self) -> None:
        self._session.heads_up = 0

    def _start(self, args: Mapping[str, Any], owner: OpenScreen, cause: str) -> None:
        front = self._session.tasks.front.package
        package = str(args["package"])
        self._hide_ime()
        self._system.start(
            package,
            str(args.get("activity", "")),
            screen=str(args.get("screen", "")),
            extras=args.get("extras", {}),
            caller="" if front in (self._system.home, package) or owner.serial <= 0 else front,
            cause=cause,
        )

    def wake(self) -> None:
        """Switch the screen on, or end the screen saver."""
        self._system.power.wake()

    def home(self) -> None:
        """Show the home screen."""
        self._session.tasks.go_home()
        self._session.shade = ""
        self._hide_ime()

    def recents(self) -> None:
        """Show the overview of running apps, or leave it."""
        tasks = self._session.tasks
        if tasks.at_home and tasks.front.page.name == "recents":
            self.home()
            return
        self.home()
        if "recents" in self._system.apps[self._system.home].screens():
            tasks.push("recents", {})

    def drawer(self) -> None:
        """Show all apps."""
        self.home()
        if "drawer" in self._system.apps[self._system.home].screens():
            self._session.tasks.push("drawer", {})

    def shade(self, name: str) -> None:
        """Pull the shade down (notifications, quick_settings) or push it back ("")."""
        if name and (not self._session.awake or self._session.locked):
            return
        self._session.shade = name  # type: ignore[assignment]
        if name:
            self._session.shade_screen.scroll.clear()
            self._hide_ime()
        self._session.changed()

    def _open_task(self, args: Mapping[str, Any], owner: OpenScreen, cause: str) -> None:
        task = self._system.task(str(args["package"]))
        self._session.tasks.bring(task)

    def _clear_tasks(self, args: Mapping[str, Any], owner: OpenScreen, cause: str) -> None:
        for task in self._session.tasks.recent():
            self._session.tasks.remove(task.package)
        self.home()

    def _open_notification(self, args: Mapping[str, Any], owner: OpenScreen, cause: str) -> None:
        note = self._system.notification(int(args["id"]))
        self.shade("")
        self._hide_heads_up()
        if not note.ongoing:
            self._system.commit("dismiss", cause, id=note.id)
        self._system.start(note.package, screen=note.screen, extras=note.args, cause=cause)

    def clear_app(self, package: str, cause: str) -> None:
        """Forget an app's data and end it."""
        self._system.commit("clear", cause, package=package)
        self._system.stop(package)


def _split(args: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    rest = dict(args)
    return str(rest.pop("screen")), rest
