"""The wallpaper behind home, drawer, shade and lock screen, and the dates written on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from device.virtual.ui import Node, Picture

if TYPE_CHECKING:
    from device.virtual.core.world import World
    from device.virtual.ui.env import Env

_ZH_DAYS = "一二三四五六日"


def wallpaper(w: World, env: Env) -> Node:
    """The chosen wallpaper over the whole window."""
    seed = int(w.settings.get("secure", "wallpaper", "1"))
    return Picture(kind="wallpaper", seed=seed, w=env.width_dp, h=env.height_dp)


def long_date(env: Env) -> str:
    """ "Sat, Nov 21" or the Chinese form."""
    now = env.now
    if env.lang == "zh":
        return f"{now.month}月{now.day}日 星期{_ZH_DAYS[now.weekday()]}"
    return f"{now:%a}, {now:%b} {now.day}"
