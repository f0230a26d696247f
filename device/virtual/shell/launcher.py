"""The home app: home pages over the wallpaper, the drawer with all apps, and the overview of running ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from device.virtual.apps.words import say, words
from device.virtual.core.app import App, ScreenState, command, screen
from device.virtual.core.package import Package
from device.virtual.shell.recents import overview
from device.virtual.shell.wallpaper import long_date, wallpaper
from device.virtual.ui import (
    Act,
    AppIcon,
    Box,
    Column,
    Dialog,
    Empty,
    Grid,
    ListItem,
    Node,
    Row,
    Scaffold,
    Scroll,
    SearchBar,
    Spacer,
    Text,
    close_dialog,
    open_dialog,
    seq,
    set_view,
    start,
)
from device.virtual.ui import command as do

if TYPE_CHECKING:
    from device.virtual.core.world import World
    from device.virtual.ui.env import Env

Place = Literal["page", "dock", "drawer"]

_DOCK = (
    "org.tapwright.phone",
    "org.tapwright.messages",
    "org.tapwright.contacts",
    "org.tapwright.browser",
    "org.tapwright.camera",
    "com.android.settings",
)
"""Packages that stand in the dock of a fresh phone as far as they are installed and there is room."""

_DOCK_SIZE = 4

_CELL_DP = 96.0  # height of an icon with its label and gap
_RESERVED_DP = 340.0  # of the home screen: date, dots, dock, search pill, margins
_TABLET_DP = 600.0  # sw600dp, as in Android's resource qualifiers

_SEARCH = words("Search apps", "搜索应用")
_NO_APPS = words("No apps found", "未找到应用")


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeItem:
    """Where a person has put an app; apps without a row are where a fresh phone has them."""

    id: int
    package: str
    place: Place


def installed(w: World, lang: str) -> list[Package]:
    """Packages with an icon, by label."""
    shown = [p for p in w.table(Package).all() if p.launchable and p.enabled]
    return sorted(shown, key=lambda p: p.title(lang).casefold())


def places(w: World) -> Mapping[str, Place]:
    """Where each package's icon is. What does not fit into the dock stands on a page."""
    names = [p.name for p in installed(w, "en")]
    moved: dict[str, Place] = {item.package: item.place for item in w.table(HomeItem).all()}
    wanted = [name for name in moved if moved[name] == "dock"] + [name for name in _DOCK if name not in moved]
    dock = [name for name in wanted if name in names][:_DOCK_SIZE]
    fixed: dict[str, Place] = {name: "drawer" for name, place in moved.items() if place == "drawer"}
    return {name: "dock" if name in dock else fixed.get(name, "page") for name in names}


def columns(env: Env) -> int:
    """Icons in a row."""
    return 4 if env.width_dp < _TABLET_DP else 6


class Launcher(App):
    """Home, drawer and overview. Table: `HomeItem`."""

    package = "org.tapwright.launcher"
    label = words("Home", "主屏幕")
    icon = "home"
    activities: ClassVar[Mapping[str, str]] = {".Launcher": "home"}
    system = True
    launchable = False
    wallpaper = True

    @command
    def place(self, w: World, *, package: str, place: Place) -> None:
        """Put an app's icon on the home page, into the dock, or into the drawer alone."""
        known = w.table(HomeItem).first(package=package)
        if known is None:
            w.table(HomeItem).add(package=package, place=place)
        else:
            w.table(HomeItem).update(known.id, place=place)

    @screen("home")
    def home(self, w: World, s: ScreenState, env: Env) -> Node:
        """The page in view, its dots, the dock and the search pill."""
        apps, where = installed(w, env.lang), places(w)
        pages = _pages([p for p in apps if where[p.name] == "page"], env)
        number = min(int(s.view("page", 0)), len(pages) - 1)
        across = columns(env)
        dock = [p for p in apps if where[p.name] == "dock"]
        left, top, right, bottom = env.insets
        front = Column(
            Spacer(h=top + 16),
            Column(Text(long_date(env), style="title", color="white", id="date"), pad=(28, 0, 28, 0)),
            Spacer(weight=1),
            Grid(*(_icon(p, env) for p in pages[number]), columns=across, gap=8),
            _dots(number, len(pages)),
            *((Grid(*(_icon(p, env) for p in dock), columns=len(dock), id="hotseat"),) if dock else ()),
            Spacer(h=16),
            _pill(env),
            Spacer(h=bottom + 12),
            align="stretch",
            pad=(left + 12, 0, right + 12, 0),
            w=env.width_dp,
            h=env.height_dp,
            id="workspace",
            swipe_up=Act("drawer.open"),
            swipe_down=Act("shade.open"),
        )
        front = dataclasses.replace(front, props={**front.props, **_turns(number, len(pages))})
        return Box(wallpaper(w, env), front, w=env.width_dp, h=env.height_dp)

    @screen("drawer")
    def drawer(self, w: World, s: ScreenState, env: Env) -> Node:
        """All apps by name, with a search above them."""
        query = s.field("query").casefold().strip()
        found = [p for p in installed(w, env.lang) if query in p.title(env.lang).casefold()]
        icons = Grid(*(_icon(p, env, color="on_surface") for p in found), columns=columns(env), gap=8)
        return Scaffold(
            top=Box(SearchBar("query", say(_SEARCH, env.lang), id="search_box"), pad=(16, 12, 16, 12)),
            body=Scroll(icons, key="apps", pad=12) if found else Empty("search", say(_NO_APPS, env.lang)),
            swipe_down=Act("home"),
        )

    @screen("icon_menu")
    def icon_menu(self, w: World, s: ScreenState, env: Env) -> Node:
        """What a long press on an icon offers: the app's page in the settings, and other places for the icon."""
        name = s.args["package"]
        package = w.table(Package).first(name=name)
        here = places(w).get(name, "drawer")
        moves: Sequence[tuple[Place, str]] = (
            ("page", say(words("Add to Home screen", "添加到主屏幕"), env.lang)),
            ("dock", say(words("Add to dock", "添加到底部栏"), env.lang)),
            ("drawer", say(words("Remove from Home screen", "从主屏幕移除"), env.lang)),
        )
        about = seq(close_dialog(), start("com.android.settings", ".AppInfo", "app_info", app=name))
        rows = (
            ListItem(say(words("App info", "应用信息"), env.lang), icon="info", on_tap=about, id="app_info"),
            *(
                ListItem(
                    text,
                    icon={"page": "home", "dock": "dock_to_bottom", "drawer": "remove"}[place],
                    on_tap=seq(close_dialog(), do("launcher.place", package=name, place=place)),
                    id=f"to_{place}",
                )
                for place, text in moves
                if place != here
            ),
        )
        title = package.title(env.lang) if package is not None else name
        return Dialog(title, Column(*rows, align="stretch"))

    @screen("recents")
    def recents(self, w: World, s: ScreenState, env: Env) -> Node:
        """The apps that ran last."""
        return overview(w, s, env)


def _pages(apps: Sequence[Package], env: Env) -> list[Sequence[Package]]:
    rows = max(1, min(5, int((env.height_dp - _RESERVED_DP) // _CELL_DP)))
    size = rows * columns(env)
    return [apps[n : n + size] for n in range(0, len(apps), size)] or [()]


def _turns(number: int, count: int) -> dict[str, Act]:
    turns = {}
    if number + 1 < count:
        turns["swipe_left"] = set_view("page", number + 1)
    if number > 0:
        turns["swipe_right"] = set_view("page", number - 1)
    return turns


def _icon(p: Package, env: Env, color: str = "white") -> Node:
    return AppIcon(
        p.icon,
        p.hue,
        p.title(env.lang),
        color=color,
        on_tap=start(p.name),
        on_long=open_dialog("icon_menu", package=p.name),
        id="icon",
    )


def _dots(number: int, count: int) -> Node:
    dots = (
        Box(w=8, h=8, radius=4, bg="white" if n == number else "white/40", desc=f"Page {n + 1} of {count}")
        for n in range(count if count > 1 else 0)
    )
    return Row(Spacer(weight=1), *dots, Spacer(weight=1), gap=8, h=24, align="center")


def _pill(env: Env) -> Node:
    return SearchBar(hint=say(_SEARCH, env.lang), on_tap=Act("drawer.open"), id="search_container")
