"""The shade: quick-settings tiles, the brightness slider, and the notifications."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from device.virtual.apps.settings.radios import joined
from device.virtual.apps.words import Words, say, words
from device.virtual.core.package import Notification, Package
from device.virtual.shell.bars import battery_level, clock_text
from device.virtual.shell.wallpaper import long_date, wallpaper
from device.virtual.ui import (
    Act,
    AppIcon,
    Box,
    Button,
    Column,
    Grid,
    Icon,
    IconButton,
    Node,
    Row,
    Scroll,
    Slider,
    Spacer,
    Text,
    seq,
    start,
)

if TYPE_CHECKING:
    from device.virtual.core.app import ScreenState
    from device.virtual.core.world import World
    from device.virtual.ui.env import Env

_ON, _OFF = words("On", "已开启"), words("Off", "已关闭")
_NONE = words("No notifications", "没有通知")
_CLEAR = words("Clear all", "全部清除")
_BRIGHTNESS = words("Display brightness", "屏幕亮度")
_SETTINGS = words("Open settings", "打开设置")
_TABLET_DP = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """A quick-settings tile: a switch on one setting."""

    key: str
    title: Words
    icon: str
    ns: str
    setting: str
    default: str = "0"
    on: str = "1"
    off: str = "0"
    state: Callable[[World], str] | None = None

    def is_on(self, w: World) -> bool:
        """Whether the setting holds anything but the value for off."""
        return w.settings.get(self.ns, self.setting, self.default) not in (self.off, "")


def _network(w: World) -> str:
    network = joined(w)
    return network.ssid if network is not None else ""


TILES = (
    Tile(
        key="internet",
        title=words("Internet", "互联网"),
        icon="wifi",
        ns="global",
        setting="wifi_on",
        default="1",
        state=_network,
    ),
    Tile(key="bt", title=words("Bluetooth", "蓝牙"), icon="bluetooth", ns="global", setting="bluetooth_on"),
    Tile(
        key="flashlight",
        title=words("Flashlight", "手电筒"),
        icon="flashlight_on",
        ns="secure",
        setting="flashlight_enabled",
    ),
    Tile(key="dnd", title=words("Do Not Disturb", "勿扰"), icon="do_not_disturb_on", ns="global", setting="zen_mode"),
    Tile(
        key="dark",
        title=words("Dark theme", "深色主题"),
        icon="dark_mode",
        ns="secure",
        setting="ui_night_mode",
        default="1",
        on="2",
        off="1",
    ),
    Tile(
        key="rotation",
        title=words("Auto-rotate", "自动旋转"),
        icon="screen_rotation",
        ns="system",
        setting="accelerometer_rotation",
    ),
    Tile(
        key="airplane",
        title=words("Airplane mode", "飞行模式"),
        icon="airplanemode_active",
        ns="global",
        setting="airplane_mode_on",
    ),
    Tile(
        key="location",
        title=words("Location", "位置信息"),
        icon="location_on",
        ns="secure",
        setting="location_mode",
        default="3",
        on="3",
    ),
)
FIRST_TILES = 6
"""How many tiles show above the notifications; quick settings show all."""


def shade(w: World, s: ScreenState, env: Env) -> Node:
    """Date and charge, brightness, tiles, notifications; quick settings show every tile and no notification."""
    quick = s.system.shade == "quick_settings"
    tiles = TILES if quick else TILES[:FIRST_TILES]
    columns = 2 if env.width_dp < _TABLET_DP else 4
    parts = (
        _head(w, env),
        _brightness(w, env),
        Grid(*(_tile(tile, w, env) for tile in tiles), columns=columns, gap=8),
        _foot(env),
        *(() if quick else _notifications(w, env)),
    )
    top = env.insets[1]
    front = Column(
        Spacer(h=top + 8),
        Scroll(Column(*parts, align="stretch", gap=12, pad=(16, 0, 16, 24)), key="shade", weight=1),
        bg="black/55",
        align="stretch",
        w=env.width_dp,
        h=env.height_dp,
        swipe_up=Act("shade.close"),
    )
    return Box(wallpaper(w, env), front, w=env.width_dp, h=env.height_dp, id="notification_panel")


def _head(w: World, env: Env) -> Node:
    return Column(
        Text(clock_text(w, env), style="display", color="white", id="qs_clock"),
        Row(
            Text(long_date(env), style="body", color="white", id="qs_date"),
            Spacer(weight=1),
            Text(f"{battery_level(w)}%", style="body", color="white", id="qs_battery"),
        ),
        align="stretch",
        gap=4,
        pad=(8, 24, 8, 8),
    )


def _brightness(w: World, env: Env) -> Node:
    level = w.settings.number("system", "screen_brightness", 128)
    change = Act("setting.put", {"ns": "system", "key": "screen_brightness"})
    return Row(
        Icon("brightness_medium", size=22, color="on_surface"),
        Slider(level, 1, 255, change, desc=say(_BRIGHTNESS, env.lang), id="slider", weight=1),
        bg="surface_container_high",
        radius=28,
        h=56,
        gap=8,
        pad=(18, 0, 12, 0),
        align="center",
    )


def _tile(tile: Tile, w: World, env: Env) -> Node:
    on = tile.is_on(w)
    ink = "on_primary" if on else "on_surface"
    state = (tile.state(w) if on and tile.state is not None else "") or say(_ON if on else _OFF, env.lang)
    title = say(tile.title, env.lang)
    row = Row(
        Icon(tile.icon, size=22, color=ink),
        Column(
            Text(title, style="label", color=ink, max_lines=1),
            Text(state, style="caption", color=ink, max_lines=1),
            weight=1,
        ),
        on_tap=Act("setting.put", {"ns": tile.ns, "key": tile.setting, "value": tile.off if on else tile.on}),
        desc=title,
        id=f"tile_{tile.key}",
        bg="primary" if on else "surface_container_high",
        radius=28,
        h=64,
        gap=14,
        pad=(18, 0, 12, 0),
        align="center",
    )
    return dataclasses.replace(row, cls="android.widget.Switch", checked=on)


def _foot(env: Env) -> Node:
    open_settings = seq(Act("shade.close"), start("com.android.settings"))
    gear = IconButton(
        "settings", desc=say(_SETTINGS, env.lang), on_tap=open_settings, id="settings_button_container", color="white"
    )
    return Row(Spacer(weight=1), gear, align="center")


def _notifications(w: World, env: Env) -> tuple[Node, ...]:
    rows = sorted(w.table(Notification).all(), key=lambda n: (n.when, n.id), reverse=True)
    if not rows:
        return (Row(Spacer(weight=1), Text(say(_NONE, env.lang), style="body", color="white"), Spacer(weight=1)),)
    clear = Button(say(_CLEAR, env.lang), style="tonal", on_tap=Act("notification.clear"), id="dismiss_text")
    cards = tuple(notification_card(n, w, env) for n in rows)
    return (*cards, Row(Spacer(weight=1), clear)) if any(not n.ongoing for n in rows) else cards


def notification_card(n: Notification, w: World, env: Env, *, lines: int = 3, bg: str = "surface") -> Node:
    """One notification: icon, app, title and at most so many lines of text; touching it opens it."""
    package = w.table(Package).first(name=n.package)
    icon = AppIcon(package.icon, package.hue, "") if package is not None else AppIcon("android", 210, "")
    return Row(
        icon,
        Column(
            Text(package.title(env.lang) if package is not None else n.package, style="caption", id="app_name_text"),
            Text(n.title, style="label", id="title"),
            Text(n.text, style="body", color="on_surface_variant", max_lines=lines, id="text"),
            weight=1,
            gap=2,
        ),
        on_tap=Act("notification.open", {"id": n.id}),
        bg=bg,
        radius=28,
        gap=14,
        pad=16,
        id="expandableNotificationRow",
    )
