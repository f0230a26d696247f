"""Painters of content: text, icons, pictures."""

from __future__ import annotations

from device.virtual.ui.layout import Placed
from device.virtual.ui.layout.engine import NO_PAD, inner, padding
from device.virtual.ui.layout.sizes import LABEL_GAP, SECTION_PAD
from device.virtual.ui.paint.pen import Pen, hue_color, paints, tint
from device.virtual.ui.pictures import picture


@paints("text", "section_header")
def text(pen: Pen, placed: Placed) -> None:
    """Lines from the top of the padded area."""
    node = placed.node
    pad = padding(node, SECTION_PAD if node.kind == "section_header" else NO_PAD)
    area = inner((placed.left, placed.top, placed.width, placed.height), pad)
    props = node.props
    pen.paragraph(
        node.text,
        props["style"],
        area,
        tint(pen, node, "on_surface"),
        props.get("align", "start"),
        props.get("max_lines", 0),
    )


@paints("icon")
def icon(pen: Pen, placed: Placed) -> None:
    """In the middle of its place."""
    node = placed.node
    x, y = placed.left + placed.width / 2, placed.top + placed.height / 2
    pen.icon(node.props["icon"], x, y, node.props["size"], tint(pen, node, "on_surface_variant"), node.props["filled"])


@paints("avatar")
def avatar(pen: Pen, placed: Placed) -> None:
    """A disc in a soft tone of its hue, letters in a strong one."""
    props, size = placed.node.props, placed.node.props["size"]
    x, y = placed.left + placed.width / 2, placed.top + placed.height / 2
    dark = pen.env.theme.dark
    pen.disc(x, y, size, hue_color(props["hue"], 0.30 if dark else 0.86, 0.35 if dark else 0.62))
    ink = hue_color(props["hue"], 0.86 if dark else 0.24, 0.6 if dark else 0.55)
    if props["initials"]:
        letters = "body" if size < 64 else "headline" if size < 104 else "display"
        pen.line(props["initials"], letters, x, y, ink, "center")
    else:
        pen.icon("person", x, y, size * 0.6, ink, filled=True)


@paints("app_icon")
def app_icon(pen: Pen, placed: Placed) -> None:
    """A disc with a white glyph, the label below."""
    props, size = placed.node.props, placed.node.props["size"]
    x, y = placed.left + placed.width / 2, placed.top + size / 2
    pen.disc(x, y, size, hue_color(props["hue"], 0.42, 0.62))
    pen.icon(props["icon"], x, y, size * 0.52, (255, 255, 255, 255), filled=True)
    if placed.node.text:
        area = (placed.left, placed.top + size + LABEL_GAP, placed.width, 16.0)
        pen.paragraph(placed.node.text, "caption", area, tint(pen, placed.node, "white"), "center", 1)


@paints("picture")
def painting(pen: Pen, placed: Placed) -> None:
    """The painted picture, or the part that shows."""
    left, top, right, bottom = pen.area(placed.left, placed.top, placed.width, placed.height)
    if right > left and bottom > top:
        props = placed.node.props
        pen.canvas.picture(
            left,
            top,
            picture(
                props["picture"],
                props["seed"],
                (right - left, bottom - top),
                pen.env.theme.dark,
                props.get("radius", 0.0) * pen.env.density,
            ),
        )


@paints("divider")
def divider(pen: Pen, placed: Placed) -> None:
    """A line of one dp."""
    inset = placed.node.props.get("inset", 0.0)
    pen.fill(placed.left + inset, placed.top, placed.width - 2 * inset, placed.height, 0, pen.color("outline_variant"))
