"""What a screen is made of: immutable descriptions that a pure function builds afresh for every frame.

A handler is an `Act`: a name with arguments, never a closure. The session looks the name up, so that a
screen can be snapshotted, replayed and journalled as data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

EMPTY: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Act:
    """A named handler with its arguments, e.g. `Act("contacts.delete", {"id": 7})`."""

    name: str
    args: Mapping[str, Any] = field(default_factory=lambda: EMPTY)

    def with_value(self, value: Any) -> Act:
        """The same act carrying what a switch, slider or field now holds."""
        return Act(self.name, {**self.args, "value": value})


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One element of a screen. Sizes in `props` are dp.

    `kind` selects layout and drawing; `checked` is None where the element is not checkable; `props` holds
    what only that kind knows (icon name, style, value, ...).
    """

    kind: str
    id: str = ""
    text: str = ""
    desc: str = ""
    cls: str = ""
    children: tuple[Node, ...] = ()
    on_tap: Act | None = None
    on_long: Act | None = None
    on_change: Act | None = None
    enabled: bool = True
    checked: bool | None = None
    selected: bool = False
    password: bool = False
    props: Mapping[str, Any] = field(default_factory=lambda: EMPTY)


def command(name: str, **args: Any) -> Act:
    """A world command such as `command("contacts.save", first="Ada")`."""
    return Act(name, args)


def push(screen: str, **args: Any) -> Act:
    """Open another screen of the same app above this one."""
    return Act("nav.push", {"screen": screen, **args})


def replace(screen: str, **args: Any) -> Act:
    """Put another screen of the same app in the place of this one."""
    return Act("nav.replace", {"screen": screen, **args})


def back() -> Act:
    """Leave this screen."""
    return Act("nav.back")


def set_view(key: str, value: Any = None) -> Act:
    """Set a value of this screen's view state; without `value` the widget's own value is taken."""
    return Act("view.set", {"key": key} if value is None else {"key": key, "value": value})


def toggle_view(key: str) -> Act:
    """Flip a truth value of this screen's view state."""
    return Act("view.toggle", {"key": key})


def clear_field(bind: str) -> Act:
    """Empty a text field of this screen."""
    return Act("field.clear", {"bind": bind})


def open_dialog(screen: str, **args: Any) -> Act:
    """Show a screen of the same app as a dialog."""
    return Act("dialog.open", {"screen": screen, **args})


def close_dialog() -> Act:
    """Close the topmost dialog."""
    return Act("dialog.close")


def toast(text: str) -> Act:
    """Show a toast."""
    return Act("toast.show", {"text": text})


def start(package: str, activity: str = "", screen: str = "", **extras: Any) -> Act:
    """Bring another app to the foreground, optionally at one of its screens."""
    return Act("activity.start", {"package": package, "activity": activity, "screen": screen, "extras": extras})


def seq(*acts: Act) -> Act:
    """Do several acts in order, under one cause."""
    return Act("seq", {"acts": acts})
