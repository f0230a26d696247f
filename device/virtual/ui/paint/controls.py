"""Painters of controls, after the Material 3 specifications (m3.material.io, components)."""

from __future__ import annotations

from device.virtual.ui.fonts import width
from device.virtual.ui.layout import Placed
from device.virtual.ui.layout.sizes import BUTTON_HEIGHT, CHIP_HEIGHT, SWITCH, TRACK_INSET
from device.virtual.ui.paint.pen import Pen, paints, tint
from device.virtual.ui.theme import Rgba

_BUTTON = {
    "filled": ("primary", "on_primary"),
    "tonal": ("secondary_container", "on_secondary_container"),
    "outlined": ("transparent", "primary"),
    "text": ("transparent", "primary"),
}
_DISABLED = ("on_surface/12", "on_surface/38")


@paints("button")
def button(pen: Pen, placed: Placed) -> None:
    """A pill of 40 dp in a target of 48."""
    node, style = placed.node, placed.node.props["style"]
    back, ink = _BUTTON[style]
    if not node.enabled:
        back, ink = (_DISABLED[0] if back != "transparent" else back), _DISABLED[1]
    high = max(BUTTON_HEIGHT, placed.height - 8)
    y = placed.top + placed.height / 2
    pen.fill(placed.left, y - high / 2, placed.width, high, high / 2, pen.color(node.props.get("bg", back)))
    if style == "outlined":
        pen.frame(placed.left, y - high / 2, placed.width, high, high / 2, 1, pen.color("outline"))
    _centred(pen, placed, node.text, node.props["icon"], pen.color(node.props.get("color", ink)))


def _centred(pen: Pen, placed: Placed, text: str, icon: str, color: Rgba) -> None:
    """Icon of 18 dp and label in the middle."""
    x, y = placed.left + placed.width / 2, placed.top + placed.height / 2
    if not icon:
        pen.line(text, "label", x, y, color, "center")
        return
    weight, px = pen.font("label")
    from_icon = _half_width(pen, text, weight, px) + 13
    pen.icon(icon, x - from_icon + 9, y, 18, color)
    pen.line(text, "label", x + 13, y, color, "center")


def _half_width(pen: Pen, text: str, weight: int, px: float) -> float:
    return width(text, weight, px) / pen.env.density / 2


@paints("icon_button")
def icon_button(pen: Pen, placed: Placed) -> None:
    """An icon, for some styles in a disc of 40 dp."""
    node, props = placed.node, placed.node.props
    x, y = placed.left + placed.width / 2, placed.top + placed.height / 2
    back, ink = {
        "standard": ("transparent", "on_surface_variant"),
        "filled": ("primary", "on_primary"),
        "tonal": ("secondary_container", "on_secondary_container"),
        "outlined": ("transparent", "on_surface_variant"),
    }[props["style"]]
    size = max(40.0, min(placed.width, placed.height) - 8)
    if back != "transparent":
        pen.disc(x, y, size, pen.color(back, node.enabled))
    if props["style"] == "outlined":
        pen.frame(x - size / 2, y - size / 2, size, size, size / 2, 1, pen.color("outline"))
    pen.icon(props["icon"], x, y, props["size"], tint(pen, node, ink), props["filled"])


@paints("fab")
def fab(pen: Pen, placed: Placed) -> None:
    """A rounded square of 56 dp with a shadow, wider with text."""
    area = pen.area(placed.left, placed.top, placed.width, placed.height)
    pen.canvas.shadow(area, 16 * pen.env.density, pen.px(8), 0.28)
    pen.fill(placed.left, placed.top, placed.width, placed.height, 16, pen.color("primary_container"))
    ink, y = pen.color("on_primary_container"), placed.top + placed.height / 2
    if not placed.node.text:
        pen.icon(placed.node.props["icon"], placed.left + placed.width / 2, y, 24, ink)
        return
    pen.icon(placed.node.props["icon"], placed.left + 28, y, 24, ink)
    pen.line(placed.node.text, "subtitle", placed.left + 52, y, ink)


@paints("chip")
def chip(pen: Pen, placed: Placed) -> None:
    """A frame of 32 dp with corners of 8; filled and ticked when selected."""
    node, y = placed.node, placed.top + placed.height / 2
    high = max(CHIP_HEIGHT, placed.height - 16)
    if node.selected:
        pen.fill(placed.left, y - high / 2, placed.width, high, 8, pen.color("secondary_container"))
    else:
        pen.frame(placed.left, y - high / 2, placed.width, high, 8, 1, pen.color("outline"))
    ink = pen.color("on_secondary_container" if node.selected else "on_surface_variant", node.enabled)
    _centred(pen, placed, node.text, "check" if node.selected else node.props["icon"], ink)


@paints("switch")
def switch(pen: Pen, placed: Placed) -> None:
    """A track of 52 x 32 dp; the thumb is 24 dp with a tick when on, 16 dp when off."""
    wide, high = SWITCH
    left, y, on = placed.left + (placed.width - wide) / 2, placed.top + placed.height / 2, placed.node.checked
    enabled = placed.node.enabled
    if on:
        pen.fill(
            left, y - high / 2, wide, high, high / 2, pen.color("primary") if enabled else pen.color("on_surface/12")
        )
        pen.disc(left + wide - 16, y, 24, pen.color("on_primary" if enabled else "surface"))
        pen.icon("check", left + wide - 16, y, 16, pen.color("on_primary_container" if enabled else "on_surface/38"))
        return
    line = pen.color("outline" if enabled else "on_surface/12")
    pen.fill(left, y - high / 2, wide, high, high / 2, pen.color("surface_container_highest", enabled))
    pen.frame(left, y - high / 2, wide, high, high / 2, 2, line)
    pen.disc(left + 16, y, 16, pen.color("outline" if enabled else "on_surface/38"))


@paints("checkbox")
def checkbox(pen: Pen, placed: Placed) -> None:
    """A box of 18 dp, its text beside it."""
    x, y = _mark(placed)
    if placed.node.checked:
        pen.fill(x - 9, y - 9, 18, 18, 2, pen.color("primary", placed.node.enabled))
        pen.icon("check", x, y, 16, pen.color("on_primary"))
    else:
        pen.frame(x - 9, y - 9, 18, 18, 2, 2, pen.color("on_surface_variant", placed.node.enabled))
    _beside(pen, placed)


@paints("radio")
def radio(pen: Pen, placed: Placed) -> None:
    """A ring of 20 dp with a dot of 10 when chosen, its text beside it."""
    x, y = _mark(placed)
    color = pen.color("primary" if placed.node.checked else "on_surface_variant", placed.node.enabled)
    pen.frame(x - 10, y - 10, 20, 20, 10, 2, color)
    if placed.node.checked:
        pen.disc(x, y, 10, color)
    _beside(pen, placed)


def _mark(placed: Placed) -> tuple[float, float]:
    """Centre of the box or ring."""
    across = min(placed.width, 48.0) if placed.node.text else placed.width
    return placed.left + across / 2, placed.top + placed.height / 2


def _beside(pen: Pen, placed: Placed) -> None:
    if placed.node.text:
        area = (placed.left + 52, placed.top + 12, placed.width - 52, placed.height - 24)
        pen.paragraph(placed.node.text, "body", area, pen.color("on_surface", placed.node.enabled))


@paints("slider")
def slider(pen: Pen, placed: Placed) -> None:
    """A track of 4 dp and a thumb of 20."""
    props, node = placed.node.props, placed.node
    y, room = placed.top + placed.height / 2, placed.width - 2 * TRACK_INSET
    share = (props["value"] - props["lo"]) / (props["hi"] - props["lo"]) if props["hi"] > props["lo"] else 0.0
    left, x = placed.left + TRACK_INSET, placed.left + TRACK_INSET + share * room
    color = pen.color("primary") if node.enabled else pen.color("on_surface/38")
    pen.fill(left, y - 2, room, 4, 2, pen.color("secondary_container" if node.enabled else "on_surface/12"))
    if share > 0:
        pen.fill(left, y - 2, x - left, 4, 2, color)
    if placed.path == pen.state.pressed:
        pen.disc(x, y, 36, (*color[:3], 26))
    pen.disc(x, y, 20, color)


@paints("progress")
def progress(pen: Pen, placed: Placed) -> None:
    """A bar of 4 dp; the indefinite one shows a third that moves with the time."""
    pen.fill(placed.left, placed.top, placed.width, placed.height, 2, pen.color("secondary_container"))
    value = placed.node.props.get("value")
    if value is None:
        start = pen.env.now.microsecond / 1e6
        end = min(1.0, start + 0.35)
    else:
        start, end = 0.0, min(1.0, max(0.0, value))
    if end > start:
        left, wide = placed.left + placed.width * start, placed.width * (end - start)
        pen.fill(left, placed.top, wide, placed.height, 2, pen.color("primary"))
