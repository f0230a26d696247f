"""Status bar and navigation bar: the windows at the top and the bottom of every screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from device.virtual.ui import Act, Box, Icon, IconButton, Node, Row, Spacer, Text, back

if TYPE_CHECKING:
    from device.virtual.core.app import ScreenState
    from device.virtual.core.world import World
    from device.virtual.ui.env import Env

GESTURES, THREE_BUTTONS = "2", "0"
"""Values of secure `navigation_mode`, as on Android."""

_GESTURE_BAR_DP, _BUTTON_BAR_DP = 24.0, 48.0  # heights of Android's two navigation bars


def navigation_height(w: World) -> float:
    """Height in dp of the navigation bar that the settings ask for."""
    return _BUTTON_BAR_DP if _mode(w) == THREE_BUTTONS else _GESTURE_BAR_DP


def status_bar(w: World, s: ScreenState, env: Env) -> Node:
    """Clock on the left, radio and battery icons on the right."""
    color = _ink(s)
    return Row(
        Text(clock_text(w, env), style="status", color=color, id="clock"),
        Spacer(weight=1),
        *(Icon(name, size=16, color=color, desc=desc, id=name) for name, desc in _status_icons(w)),
        *_battery_text(w, color),
        id="status_bar",
        align="center",
        gap=4,
        pad=(24, 0, 20, 0),
        h=env.height_dp,
    )


def navigation_bar(w: World, s: ScreenState, env: Env) -> Node:
    """The gesture pill, or Back, Home and Overview buttons."""
    color = _ink(s)
    if _mode(w) != THREE_BUTTONS:
        pill = Box(w=108, h=4, radius=2, bg=color, id="home_handle")
        return Box(pill, align=("center", "center"), h=_GESTURE_BAR_DP, id="navigation_bar")
    back_icon = "keyboard_arrow_down" if s.system.ime_shown else "arrow_back"
    buttons = (
        ("back", back_icon, "Back", back()),
        ("home", "circle", "Home", Act("home")),
        ("recent_apps", "check_box_outline_blank", "Overview", Act("recents")),
    )
    return Row(
        Spacer(weight=1),
        *(
            part
            for id_, icon, desc, act in buttons
            for part in (IconButton(icon, desc=desc, on_tap=act, id=id_, color=color), Spacer(weight=1))
        ),
        align="center",
        h=_BUTTON_BAR_DP,
        id="navigation_bar",
    )


def clock_text(w: World, env: Env) -> str:
    """The time as system `time_12_24` asks for it."""
    if w.settings.get("system", "time_12_24", "24") == "12":
        return f"{env.now.hour % 12 or 12}:{env.now:%M}"
    return f"{env.now.hour}:{env.now:%M}"


def _ink(s: ScreenState) -> str:
    return "white" if s.system.immersive else "on_surface"


def _mode(w: World) -> str:
    return w.settings.get("secure", "navigation_mode", GESTURES)


def _status_icons(w: World) -> tuple[tuple[str, str], ...]:
    def on(ns: str, key: str, default: str) -> bool:
        return w.settings.get(ns, key, default) not in ("0", "")

    airplane = on("global", "airplane_mode_on", "0")
    shown = (
        (on("global", "zen_mode", "0"), "do_not_disturb_on", "Do Not Disturb"),
        (on("global", "bluetooth_on", "0"), "bluetooth", "Bluetooth on"),
        (airplane, "airplanemode_active", "Airplane mode"),
        (on("global", "wifi_on", "1"), "wifi", "Wi-Fi signal full"),
        (not airplane, "signal_cellular_4_bar", "Phone signal full"),
        (True, "battery_full", "Battery charged"),
    )
    return tuple((icon, desc) for visible, icon, desc in shown if visible)


def _battery_text(w: World, color: str) -> tuple[Node, ...]:
    if w.settings.get("system", "status_bar_show_battery_percent", "0") != "1":
        return ()
    return (Text(f"{battery_level(w)}%", style="label", color=color, id="battery_percentage"),)


def battery_level(w: World) -> int:
    """Charge in percent, 0 to 100."""
    return int(w.settings.get("global", "battery_level", "87"))
