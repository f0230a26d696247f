"""What hides an app for a while: its starting window, a progress circle; and a banner that comes late."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from device.virtual.apps.words import say, words
from device.virtual.ui import Box, Column, Icon, Node, Progress, Row, Text

if TYPE_CHECKING:
    from device.virtual.core.app import ScreenState, View
    from device.virtual.core.world import World
    from device.virtual.ui.env import Env

_NEWS = words("New features are here", "新功能已上线")


def starting(_w: World, _s: ScreenState, env: Env) -> Node:
    """The window Android shows while an app's process starts: its colour and a glyph, nothing that can be touched."""
    glyph = Icon("apps", size=96, color="primary")
    return Box(glyph, align=("center", "center"), bg="surface", w=env.width_dp, h=env.height_dp)


def loading(_w: World, _s: ScreenState, env: Env) -> Node:
    """A screen that has its content still to fetch."""
    bar = Column(Progress(None, w=96, id="progress"), align="center")
    return Box(bar, align=("center", "center"), bg="surface", w=env.width_dp, h=env.height_dp)


def banner(_w: World, _s: ScreenState, env: Env) -> Node:
    """Something that pops in at the top of a screen, below the status bar."""
    row = Row(
        Icon("info"),
        Text(say(_NEWS, env.lang), style="body", max_lines=1, id="banner_text"),
        align="center",
        gap=16,
        pad=(16, 0, 16, 0),
    )
    return Box(
        row,
        align=("start", "end"),
        bg="surface_container",
        w=env.width_dp,
        h=env.height_dp,
        pad=(0, 0, 0, 12),
        id="banner",
    )


VEILS: Mapping[str, View] = {"starting": starting, "loading": loading, "banner": banner}
