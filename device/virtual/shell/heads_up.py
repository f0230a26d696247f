"""A notification that shows itself over the app for a few seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from device.virtual.core.package import Notification
from device.virtual.shell.shade import notification_card
from device.virtual.ui import Act, Column, Node

if TYPE_CHECKING:
    from device.virtual.core.app import ScreenState
    from device.virtual.core.world import World
    from device.virtual.ui.env import Env


_WIDE_DP = 560.0  # on wide displays the card stays this narrow, in the middle


def heads_up(w: World, s: ScreenState, env: Env) -> Node:
    """The card of the notification; a swipe up puts it into the shade."""
    note = w.table(Notification).maybe(s.system.heads_up)
    cards = () if note is None else (notification_card(note, w, env, lines=1, bg="surface_container_highest"),)
    return Column(
        *cards,
        align="stretch",
        pad=(max(12, (env.width_dp - _WIDE_DP) / 2), 8, max(12, (env.width_dp - _WIDE_DP) / 2), 0),
        w=env.width_dp,
        h=env.height_dp,
        swipe_up=Act("heads_up.hide"),
        id="notification_stack_scroller",
    )
