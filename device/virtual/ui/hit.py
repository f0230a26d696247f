"""Which node a touch is for, and what a touch on a slider means."""

from __future__ import annotations

from typing import Literal

from device.virtual.ui.layout import Placed
from device.virtual.ui.layout.placed import scroll_limit
from device.virtual.ui.layout.sizes import TRACK_INSET

Want = Literal["tap", "long", "scroll", "any"]


def hit(placed: Placed, x_dp: float, y_dp: float, want: Want = "any") -> Placed | None:
    """The deepest enabled node at a point that answers `want`; the last drawn goes first.

    tap: has `on_tap`, or is a text field or slider; long: has `on_long`; scroll: a list that is longer than its
    place; any: whatever is there.
    """
    if not placed.contains(x_dp, y_dp):
        return None
    for child in reversed(placed.children):
        found = hit(child, x_dp, y_dp, want)
        if found is not None:
            return found
        if child.node.kind in ("fab", "dialog", "menu") and child.contains(x_dp, y_dp):
            return None
    return placed if placed.node.enabled and _answers(placed, want) else None


def _answers(placed: Placed, want: Want) -> bool:
    node = placed.node
    match want:
        case "tap":
            return node.on_tap is not None or node.kind in ("text_field", "slider")
        case "long":
            return node.on_long is not None or node.kind == "text_field"
        case "scroll":
            return node.kind == "scroll" and scroll_limit(placed) > 0
        case "any":
            return True


def slider_value(placed: Placed, x_dp: float) -> float:
    """The value a touch at `x_dp` gives a slider."""
    props = placed.node.props
    room = placed.width - 2 * TRACK_INSET
    share = min(1.0, max(0.0, (x_dp - placed.left - TRACK_INSET) / room)) if room > 0 else 0.0
    return float(props["lo"] + share * (props["hi"] - props["lo"]))
