"""The lock screen: date and time over the wallpaper; a swipe upwards or a tap on the lock opens the phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from device.virtual.apps.words import say, words
from device.virtual.shell.bars import clock_text
from device.virtual.shell.wallpaper import long_date, wallpaper
from device.virtual.ui import Act, Box, Column, IconButton, Node, Spacer, Text

if TYPE_CHECKING:
    from device.virtual.core.app import ScreenState
    from device.virtual.core.world import World
    from device.virtual.ui.env import Env

_SWIPE = words("Swipe up to open", "向上滑动即可解锁")


def lock_screen(w: World, _s: ScreenState, env: Env) -> Node:
    """Clock, date, the owner's text from the settings, and the lock."""
    owner = w.settings.get("secure", "lock_screen_owner_info", "")
    front = Column(
        Spacer(h=96),
        Text(clock_text(w, env), style="clock", color="white", id="lock_clock"),
        Text(long_date(env), style="title", color="white", id="lock_date"),
        *((Text(owner, style="body", color="white", id="owner_info"),) if owner else ()),
        Spacer(weight=1),
        IconButton("lock", desc=say(words("Unlock", "解锁"), env.lang), on_tap=Act("unlock"), id="lock", color="white"),
        Text(say(_SWIPE, env.lang), style="label", color="white"),
        Spacer(h=48),
        align="center",
        gap=4,
        w=env.width_dp,
        h=env.height_dp,
        swipe_up=Act("unlock"),
    )
    return Box(wallpaper(w, env), front, w=env.width_dp, h=env.height_dp, id="keyguard")
