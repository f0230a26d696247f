"""Laying out: from nodes to places in dp."""

from device.virtual.ui.layout import boxes, screens, sizes
from device.virtual.ui.layout.engine import Pass, lay_out
from device.virtual.ui.layout.placed import Placed, Rect, scroll_limit

__all__ = ["Pass", "Placed", "Rect", "boxes", "lay_out", "screens", "scroll_limit", "sizes"]
