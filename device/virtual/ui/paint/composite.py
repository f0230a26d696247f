"""Painters of composites: cards of dialogs and menus, bars, tabs, keys. Their parts are drawn by other painters."""

from __future__ import annotations

from device.virtual.ui.layout import Placed
from device.virtual.ui.paint.pen import Pen, paints, tint

_KEY = {"key": ("key", "on_key"), "function": ("key_function", "on_key"), "enter": ("primary", "on_primary")}
_KEY_MARGIN = (2.5, 3.5)  # across, down: keys stand 5 and 7 dp apart


@paints("dialog", "menu")
def card(pen: Pen, placed: Placed) -> None:
    """The raised card."""
    radius = 28.0 if placed.node.kind == "dialog" else 12.0
    area = pen.area(placed.left, placed.top, placed.width, placed.height)
    pen.canvas.shadow(area, radius * pen.env.density, pen.px(12), 0.22)
    pen.fill(placed.left, placed.top, placed.width, placed.height, radius, pen.color("surface_container_high"))


@paints("tab")
def tab(pen: Pen, placed: Placed) -> None:
    """The label; a bar of 3 dp below the selected one."""
    chosen, x = placed.node.selected, placed.left + placed.width / 2
    color = pen.color("primary" if chosen else "on_surface_variant")
    pen.line(placed.node.text, "label", x, placed.top + placed.height / 2, color, "center")
    pen.fill(placed.left, placed.bottom - 1, placed.width, 1, 0, pen.color("outline_variant"))
    if chosen:
        pen.fill(x - 30, placed.bottom - 3, 60, 3, 1.5, color)


@paints("bottom_nav")
def bottom_nav(pen: Pen, placed: Placed) -> None:
    """The bar behind the destinations."""
    pen.fill(placed.left, placed.top, placed.width, placed.height, 0, pen.color("surface_container"))


@paints("nav_item")
def nav_item(pen: Pen, placed: Placed) -> None:
    """Icon above label; the selected one in a pill of 64 x 32 dp."""
    node, x = placed.node, placed.left + placed.width / 2
    if node.selected:
        pen.fill(x - 32, placed.top + 12, 64, 32, 16, pen.color("secondary_container"))
    ink = pen.color("on_secondary_container" if node.selected else "on_surface_variant")
    pen.icon(node.props["icon"], x, placed.top + 28, 24, ink, filled=node.selected)
    label = pen.color("on_surface" if node.selected else "on_surface_variant")
    pen.line(node.text, "label_small", x, placed.top + 56, label, "center")


@paints("key")
def key(pen: Pen, placed: Placed) -> None:
    """A rounded key; the enter key is a pill in the accent colour."""
    node, props = placed.node, placed.node.props
    back, ink = _KEY[props["style"]]
    across, down = _KEY_MARGIN
    left, top = placed.left + across, placed.top + down
    wide, high = placed.width - 2 * across, placed.height - 2 * down
    pressed = placed.path == pen.state.pressed
    color = pen.color("primary_container" if pressed and back == "key" else back)
    pen.fill(left, top, wide, high, high / 2 if props["style"] == "enter" else 6, color)
    x, y = placed.left + placed.width / 2, placed.top + placed.height / 2
    color = tint(pen, node, "primary" if node.selected else ink)
    if props["icon"]:
        pen.icon(props["icon"], x, y, 24, color, filled=node.selected)
    else:
        pen.line(node.text, "key" if len(node.text) == 1 else "label", x, y, color, "center")
