"""Tasks as Android keeps them: one per app, each a stack of screens, the front one first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from device.virtual.core.app import App
from device.virtual.core.codec import decode, encode
from device.virtual.editing import Edit
from device.virtual.errors import NoSuchScreen


@dataclass(slots=True, kw_only=True)
class OpenScreen:
    """A screen on a stack with everything that is its own: what it was given, shows, holds, and where it stands.

    `serial` is never used twice. A dialog shares `views` with the screen below it.
    """

    serial: int
    name: str
    activity: str
    args: Mapping[str, Any] = field(default_factory=dict)
    dialog: bool = False
    views: dict[str, Any] = field(default_factory=dict)
    fields: dict[str, str] = field(default_factory=dict)
    scroll: dict[str, float] = field(default_factory=dict)
    focus: str | None = None
    caret: int = 0
    anchor: int = 0

    def edit(self, text: str) -> Edit:
        """The focused field's text with caret and selection."""
        return Edit(text, min(self.caret, len(text)), min(self.anchor, len(text)))

    def to_json(self, rest: tuple[str, float] | None = None) -> dict[str, Any]:
        """As JSON; `rest` is a list's key and the offset it will have come to."""
        stored = {name: encode(getattr(self, name)) for name in self.__slots__}
        if rest is not None:
            stored["scroll"] = encode({**self.scroll, rest[0]: rest[1]})
        return stored

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> OpenScreen:
        return cls(**{name: decode(value) for name, value in stored.items()})


@dataclass(slots=True, kw_only=True)
class Task:
    """An app's stack of screens, the root first. `caller` is the app that Back at the root returns to."""

    id: int
    package: str
    screens: list[OpenScreen]
    caller: str = ""

    @property
    def top(self) -> OpenScreen:
        """The screen or dialog in front."""
        return self.screens[-1]

    @property
    def page(self) -> OpenScreen:
        """The frontmost screen that is no dialog."""
        return next(screen for screen in reversed(self.screens) if not screen.dialog)

    @property
    def dialogs(self) -> tuple[OpenScreen, ...]:
        """Dialogs above the page, the lowest first."""
        return tuple(self.screens[self.screens.index(self.page) + 1 :])

    @property
    def activity(self) -> str:
        return self.page.activity


class Tasks:
    """The stacks, and every way to move on them. `app_of` finds the App of a package."""

    def __init__(self, app_of: Callable[[str], App], home: str) -> None:
        self._app_of = app_of
        self._home = home
        self._serial = 0
        self._ids = 0
        self._tasks: list[Task] = []
        self.go_home()

    def __iter__(self) -> Iterator[Task]:
        """From the front one backwards, the launcher's among them."""
        return iter(self._tasks)

    @property
    def front(self) -> Task:
        return self._tasks[0]

    @property
    def at_home(self) -> bool:
        return self.front.package == self._home

    def recent(self) -> tuple[Task, ...]:
        """Tasks of apps, the most recent first."""
        return tuple(t for t in self._tasks if t.package != self._home and not self._floats(t))

    @property
    def base(self) -> Task:
        """The frontmost task that fills the screen: the front one, or the one below a floating activity."""
        return next(task for task in self._tasks if not self._floats(task))

    def _floats(self, task: Task) -> bool:
        return self._app_of(task.package).floating

    def _drop_floating(self, kept: Task | None) -> None:
        """A floating activity ends when something else comes to the front."""
        self._tasks = [task for task in self._tasks if task is kept or not self._floats(task)]

    def of(self, package: str) -> Task | None:
        return next((task for task in self._tasks if task.package == package), None)

    def open(self, package: str, screen: str, activity: str, args: Mapping[str, Any], caller: str = "") -> Task:
        """Bring a new task of that package to the front, in place of an old one."""
        if (old := self.of(package)) is not None:
            self._tasks.remove(old)
        self._drop_floating(None)
        self._ids += 1
        task = Task(
            id=self._ids, package=package, screens=[self._screen(package, screen, activity, args)], caller=caller
        )
        self._tasks.insert(0, task)
        return task

    def bring(self, task: Task, caller: str = "") -> None:
        """Put a task in front."""
        self._drop_floating(task)
        self._tasks.remove(task)
        self._tasks.insert(0, task)
        task.caller = caller

    def remove(self, package: str) -> bool:
        """Forget the task of a package; whether there was one. Something is always in front: home, at the least."""
        task = self.of(package)
        if task is None:
            return False
        front = task is self.front
        self._tasks.remove(task)
        if front:
            self.go_home()
        return True

    def go_home(self) -> None:
        """Show the launcher's first screen; other tasks stay behind it."""
        app = self._app_of(self._home)
        activity, root = next(iter(app.activities.items()))
        task = self.of(self._home)
        if task is None:
            self._ids += 1
            task = Task(id=self._ids, package=self._home, screens=[self._screen(self._home, root, activity, {})])
            self._tasks.insert(0, task)
        else:
            del task.screens[1:]
            self.bring(task)

    def push(self, name: str, args: Mapping[str, Any], *, activity: str = "", dialog: bool = False) -> OpenScreen:
        """Open a screen above the front one; dialogs close first unless this is one."""
        task = self.front
        if not dialog:
            self._close_dialogs(task)
        below = task.top
        screen = self._screen(task.package, name, activity or below.activity, args, declared=not (dialog or activity))
        screen.dialog = dialog
        if dialog:
            screen.views = below.views
        task.screens.append(screen)
        return screen

    def replace(self, name: str, args: Mapping[str, Any]) -> OpenScreen:
        """Put a screen in the place of the front one."""
        task = self.front
        self._close_dialogs(task)
        new = self._screen(task.package, name, task.top.activity, args, declared=True)
        task.screens[-1] = new
        return new

    def pop(self) -> bool:
        """Leave the front dialog or screen; at the root return to the caller or home. False when there is nowhere."""
        task = self.front
        if len(task.screens) > 1:
            task.screens.pop()
            return True
        if task.package == self._home:
            return False
        caller = self.of(task.caller) if task.caller else None
        root = next(iter(self._app_of(task.package).activities.values()), "")
        if caller is not None or task.top.name != root:  # only what the launcher starts outlives Back, as on Android 12
            self._tasks.remove(task)
        if caller is not None:
            self.bring(caller, caller.caller)
        else:
            self.go_home()
        return True

    def close_dialog(self) -> bool:
        """Leave the front dialog; False when none is open."""
        return self.front.top.dialog and self.pop()

    def find(self, serial: int) -> tuple[Task, OpenScreen] | None:
        """The screen of that serial with its task."""
        for task in self._tasks:
            for screen in task.screens:
                if screen.serial == serial:
                    return task, screen
        return None

    def _close_dialogs(self, task: Task) -> None:
        while task.top.dialog:
            task.screens.pop()

    def _screen(
        self, package: str, name: str, activity: str, args: Mapping[str, Any], declared: bool = False
    ) -> OpenScreen:
        app = self._app_of(package)
        if name not in app.screens():
            raise NoSuchScreen(package, name, tuple(app.screens()))
        if declared:  # a root screen belongs to the activity it is the root of
            activity = next((known for known, root in app.activities.items() if root == name), activity)
        self._serial += 1
        return OpenScreen(serial=self._serial, name=name, activity=activity, args=dict(args))

    def to_json(self, rests: Mapping[int, tuple[str, float]]) -> dict[str, Any]:
        """As JSON; `rests` are offsets that lists in motion will come to, by the screen's serial."""
        tasks = [
            {
                "id": t.id,
                "package": t.package,
                "caller": t.caller,
                "screens": [screen.to_json(rests.get(screen.serial)) for screen in t.screens],
            }
            for t in self._tasks
        ]
        return {"serial": self._serial, "ids": self._ids, "tasks": tasks}

    def load(self, stored: Mapping[str, Any]) -> None:
        self._serial, self._ids = stored["serial"], stored["ids"]
        self._tasks = []
        for task in stored["tasks"]:
            screens = [OpenScreen.from_json(screen) for screen in task["screens"]]
            for below, above in pairwise(screens):
                if above.dialog:
                    above.views = below.views
            self._tasks.append(Task(id=task["id"], package=task["package"], caller=task["caller"], screens=screens))
