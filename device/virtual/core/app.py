"""How an app of the virtual phone is written: screens are pure functions, commands change the world.

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Note:
        id: int
        title: str

    class Notes(App):
        package, icon, hue = "org.example.notes", "note_stack", 210
        label = {"en": "Notes", "zh": "笔记"}
        activities = {".Notes": "main", ".Editor": "edit"}

        @command
        def save(self, w: World, *, title: str) -> Act | None:
            row = w.table(Note).add(title=title)
            return replace("edit", id=row.id)

        @screen("main")
        def main(self, w: World, s: ScreenState, env: Env) -> Node: ...

A command may return an `Act` (or a tuple of them); the session carries it out next, under the same cause.
The system's own views (bars, home, keyboard, shade, ...) are functions of the same three arguments; they find
what only the system knows in `s.system`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, overload

if TYPE_CHECKING:
    from device.virtual.core.world import World
    from device.virtual.ui.env import Env
    from device.virtual.ui.node import Node

EMPTY: Mapping[str, Any] = MappingProxyType({})

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskInfo:
    """A task as the overview shows it."""

    package: str
    activity: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemState:
    """What the system's views are told besides the world.

    `tasks` runs from the most recent on. `field_kind` is the kind of the focused field (text, phone, email,
    number, password; "" without one) and `action` what its enter key does (next, done, search, newline).
    `immersive` says that the window below wants light glyphs on the bars regardless of the theme. `lock` is the kind
    of lock (none, swipe, pin); of the PIN pad are told the number of digits typed, its message (wrong, later) and for
    how many seconds it takes none. `error` is the kind of error dialog on top (anr, crash), `heads_up` the id of the
    notification that shows over the app.
    """

    foreground: str = ""
    tasks: tuple[TaskInfo, ...] = ()
    ime_shown: bool = False
    field_kind: str = ""
    action: str = "done"
    toast: str = ""
    shade: str = ""
    locked: bool = False
    immersive: bool = False
    lock: str = "swipe"
    pin_length: int = 0
    pin_note: str = ""
    pin_seconds: int = 0
    error: str = ""
    error_package: str = ""
    error_again: bool = False
    heads_up: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenState:
    """One screen's own state: reading it is all a screen can do.

    `view` values belong to the screen and go with it; a dialog shares them with the screen below it. Fields hold
    what a person typed; a field never touched gives the default.
    """

    name: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)
    views: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)
    scroll: Mapping[str, float] = field(default_factory=dict)
    focus: str | None = None
    system: SystemState = field(default_factory=SystemState)

    def view(self, key: str, default: Any = None) -> Any:
        """A value set by `view.set` or `view.toggle`."""
        return self.views.get(key, default)

    def field(self, bind: str, default: str = "") -> str:
        """What the text field of that name holds."""
        return self.fields.get(bind, default)


View = Callable[["World", ScreenState, "Env"], "Node"]


class Shell(Protocol):
    """The system's own windows; `device/virtual/shell/__init__.py` offers functions of these names.

    Each is laid out in a window of its own: `env.width_dp` and `env.height_dp` are that window's. Home, app drawer
    and overview are ordinary screens (`home`, `drawer`, `recents`) of the launcher app. Installed packages are rows
    of `core.package.Package`, notifications of `core.package.Notification`.

    Acts of system views, beside all acts of apps: nav.back (the Back key), home, recents, drawer.open, shade.open,
    shade.close, shade.expand (quick settings in full), ime.key(value), ime.hide, key(code), unlock,
    recents.open(package), recents.remove(package), recents.clear(), notification.open(id), notification.dismiss(id),
    notification.clear(), setting.put(ns, key, value), setting.toggle(ns, key), app.stop(package), app.clear(package),
    app.uninstall(package), app.grant(package, permission), app.revoke(package, permission), pin.key(value),
    error.close, error.wait, error.info, permission.ask(permission), permission.answer(answer).
    Props any node may carry: the acts `swipe_left`, `swipe_right`, `swipe_up`, `swipe_down`. Props of a screen's
    root: `on_back`, the act of the Back key in place of leaving; `autofocus`, the field that takes the focus when
    the screen opens; `secure`, nothing of the window may be captured (FLAG_SECURE); `asks`, the permission that the
    screen asks for when it opens.
    """

    navigation_height: Callable[[World], float]
    status_bar: View
    navigation_bar: View
    shade: View
    lock_screen: View
    pin_pad: View
    ambient: View
    dream: View
    error_dialog: View
    heads_up: View
    toast: View


def screen(name: str) -> Callable[[F], F]:
    """Mark a method of an App as the screen of that name."""

    def mark(function: F) -> F:
        function.__screen__ = name  # type: ignore[attr-defined]
        return function

    return mark


@overload
def command(function: F) -> F: ...
@overload
def command(*, name: str) -> Callable[[F], F]: ...
def command(function: F | None = None, *, name: str = "") -> F | Callable[[F], F]:
    """Mark a method of an App as the world command `<app name>.<method name>`."""

    def mark(method: F) -> F:
        method.__command__ = name or method.__name__  # type: ignore[attr-defined]
        return method

    return mark(function) if function is not None else mark


class App:
    """Base of all apps: what the package manager knows, its screens and its commands.

    `activities` maps activity class names as they stand in a component (`.Settings`) to root screens; the first
    one is the launcher's. Without it the app has `.<Name>` showing "main". `intents` maps actions
    (`android.settings.WIFI_SETTINGS`) and schemes (`tel:`) to the screens that answer them; a URI arrives as the
    screen's argument `data`. `launchable=False` keeps it out of the drawer. `wallpaper=True` lets the system draw the
    bars' glyphs light over its screens. `floating=True` leaves the app below in view and keeps its screens out of the
    overview, as dialogs in an activity of their own do.
    """

    package: ClassVar[str]
    label: ClassVar[Mapping[str, str]] = EMPTY
    name: ClassVar[str] = ""
    icon: ClassVar[str] = "android"
    hue: ClassVar[int] = 210
    version: ClassVar[str] = "1.0"
    version_code: ClassVar[int] = 1
    permissions: ClassVar[tuple[str, ...]] = ()
    activities: ClassVar[Mapping[str, str]] = EMPTY
    intents: ClassVar[Mapping[str, str]] = EMPTY
    profile: ClassVar[str] = "views"
    system: ClassVar[bool] = False
    launchable: ClassVar[bool] = True
    wallpaper: ClassVar[bool] = False
    floating: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "package" in cls.__dict__ and "name" not in cls.__dict__:
            cls.name = cls.package.rpartition(".")[2]
        if "package" in cls.__dict__ and not cls.activities and "main" in dict(_marked(cls, "__screen__")).values():
            cls.activities = {f".{cls.name.capitalize()}": "main"}

    def screens(self) -> Mapping[str, View]:
        """Screen name to bound function."""
        return {name: getattr(self, attr) for attr, name in _marked(type(self), "__screen__")}

    def commands(self) -> Mapping[str, Callable[..., Any]]:
        """Full command name (`notes.save`) to bound function."""
        return {f"{self.name}.{name}": getattr(self, attr) for attr, name in _marked(type(self), "__command__")}

    def seed(self, w: World, rng: random.Random) -> None:
        """Fill the world with this app's data; runs inside a commit when the app is first installed or cleared."""

    def title(self, lang: str) -> str:
        """The label in that language, or in English."""
        return self.label.get(lang) or self.label.get("en") or self.name.capitalize()


def _marked(cls: type[App], mark: str) -> list[tuple[str, str]]:
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        for attr, value in vars(base).items():
            if (name := getattr(value, mark, None)) is not None:
                found[attr] = name
    return list(found.items())
