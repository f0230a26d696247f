"""The toast: a short message above the navigation bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from device.virtual.ui import Box, Node, Row, Text

if TYPE_CHECKING:
    from device.virtual.core.app import ScreenState
    from device.virtual.core.world import World
    from device.virtual.ui.env import Env


def toast(_w: World, s: ScreenState, _env: Env) -> Node:
    """The text of `s.system.toast` in a rounded box, centred in its window."""
    message = Text(s.system.toast, style="body", color="inverse_on_surface", max_lines=2, id="message")
    return Box(
        Row(message, bg="inverse_surface", radius=24, pad=(20, 12, 20, 12)),
        align=("center", "center"),
    )
