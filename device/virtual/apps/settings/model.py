"""What a settings page is made of: a table of entries, each with a title, an optional summary and a control.

Pages are data, so that one renderer draws them all, the search knows every entry, and a test can walk them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from device.virtual.apps.words import Words

if TYPE_CHECKING:
    from device.virtual.core.app import ScreenState
    from device.virtual.core.world import World
    from device.virtual.ui import Act
    from device.virtual.ui.env import Env

Summary = Words | str | Callable[["World", str], str]
"""A fixed summary, or one computed from the world and the language."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One stored value: namespace system, secure or global, key, and the value of a fresh phone."""

    ns: str
    key: str
    default: str

    def read(self, w: World) -> str:
        """The stored value, or the default where nothing is stored."""
        return str(w.settings.get(self.ns, self.key, self.default))


@dataclass(frozen=True, slots=True, kw_only=True)
class Toggle:
    """A switch between two stored values."""

    setting: Setting
    on: str = "1"
    off: str = "0"

    def is_on(self, w: World) -> bool:
        """On unless the stored value is the one for off."""
        return self.setting.read(w) != self.off


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A slider over whole numbers from `lo` to `hi`."""

    setting: Setting
    lo: int
    hi: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A dialog with one radio button per (value, label)."""

    setting: Setting
    options: tuple[tuple[str, Words | str], ...]

    def chosen(self, w: World) -> str:
        """The option that is stored, whichever way the number is written ("1" for "1.0"); else the stored text."""
        stored = self.setting.read(w)
        return next((value for value, _ in self.options if _same(value, stored)), stored)

    def label(self, w: World) -> Words | str:
        """The label of the stored value; the value itself where it is none of the options."""
        return dict(self.options).get(self.chosen(w), self.setting.read(w))


def _same(one: str, other: str) -> bool:
    try:
        return float(one) == float(other)
    except ValueError:
        return one == other


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """A dialog with one text field."""

    setting: Setting
    kind: str = "text"


@dataclass(frozen=True, slots=True)
class Open:
    """Another page of the settings."""

    page: str
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Do:
    """A row that performs an act, for instance opening a dialog."""

    act: Act


@dataclass(frozen=True, slots=True)
class Info:
    """A row that only tells something: not clickable."""


@dataclass(frozen=True, slots=True)
class Flip:
    """A switch that is no stored setting: a permission, an accessibility service. `act` gets `value`."""

    checked: bool
    act: Act


Control = Toggle | Level | Choice | Typed | Open | Do | Info | Flip


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One row. `key` is its resource id, `badge` an icon at its end; `shown` hides the row while it is false."""

    key: str
    title: Words | str
    control: Control
    summary: Summary = ""
    icon: str = ""
    badge: str = ""
    shown: Callable[[World], bool] | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A heading between entries."""

    title: Words


Rows = tuple[Entry | Section, ...]

Live = Callable[["World", "ScreenState", "Env"], Rows]
"""Rows that follow the world."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page: its screen name, title and rows. Pages with live lists compute further rows in `screens`."""

    name: str
    title: Words
    rows: Rows = ()

    def entries(self) -> tuple[Entry, ...]:
        """The rows without headings."""
        return tuple(row for row in self.rows if isinstance(row, Entry))


def switch(
    key: str,
    title: Words | str,
    ns: str,
    setting: str,
    default: bool = False,
    *,
    summary: Summary = "",
    icon: str = "",
    on: str = "1",
    off: str = "0",
) -> Entry:
    """An entry that switches the setting `ns`/`setting`."""
    toggle = Toggle(setting=Setting(ns, setting, on if default else off), on=on, off=off)
    return Entry(key=key, title=title, control=toggle, summary=summary, icon=icon)


def slider(key: str, title: Words, ns: str, setting: str, span: tuple[int, int], default: int, icon: str = "") -> Entry:
    """An entry with a slider over `span` for the setting `ns`/`setting`."""
    level = Level(setting=Setting(ns, setting, str(default)), lo=span[0], hi=span[1])
    return Entry(key=key, title=title, control=level, icon=icon)


def choice(
    key: str,
    title: Words | str,
    ns: str,
    setting: str,
    default: str,
    options: tuple[tuple[str, Words | str], ...],
    icon: str = "",
) -> Entry:
    """An entry whose dialog offers `options`; its summary is the label of the stored value."""
    return Entry(
        key=key, title=title, control=Choice(setting=Setting(ns, setting, default), options=options), icon=icon
    )


def page(key: str, title: Words | str, name: str, *, summary: Summary = "", icon: str = "", **args: Any) -> Entry:
    """An entry that opens the page `name`."""
    return Entry(key=key, title=title, control=Open(name, args), summary=summary, icon=icon)


def info(key: str, title: Words | str, summary: Summary, icon: str = "") -> Entry:
    """An entry that only tells something."""
    return Entry(key=key, title=title, control=Info(), summary=summary, icon=icon)
