"""Sizes of single widgets, in dp, after the Material 3 specifications (m3.material.io, components)."""

from __future__ import annotations

from device.virtual.ui.layout.engine import Pass, Size, line_height, measures, padding
from device.virtual.ui.node import Node
from device.virtual.ui.text import style

TARGET = 48.0
"""Least height and width of what can be touched."""

BUTTON_HEIGHT = 40.0
CHIP_HEIGHT = 32.0
SWITCH = (52.0, 32.0)
FIELD_HEIGHT = 56.0
FIELD_MARGIN = 4.0
"""Above and below a framed field; its label sits on the frame."""
TRACK_INSET = 10.0
"""From the edge of a slider to the end of its track: half a thumb."""
LABEL_GAP = 6.0
"""Between a launcher icon and its label."""


@measures("spacer")
def _spacer(_work: Pass, node: Node, _limit: float, _fill: bool) -> Size:
    return node.props["w"], node.props["h"]


@measures("text")
def _text(work: Pass, node: Node, limit: float, _fill: bool) -> Size:
    left, top, right, bottom = padding(node)
    wide, high = work.text_size(node.text, node.props["style"], limit - left - right, node.props["max_lines"])
    return wide + left + right, high + top + bottom


@measures("section_header")
def _section_header(work: Pass, node: Node, limit: float, _fill: bool) -> Size:
    left, top, right, bottom = padding(node, SECTION_PAD)
    return limit, work.text_size(node.text, node.props["style"], limit - left - right)[1] + top + bottom


SECTION_PAD = (24.0, 20.0, 24.0, 8.0)


@measures("icon", "avatar")
def _square(_work: Pass, node: Node, _limit: float, _fill: bool) -> Size:
    left, top, right, bottom = padding(node)
    return node.props["size"] + left + right, node.props["size"] + top + bottom


@measures("app_icon")
def _app_icon(work: Pass, node: Node, _limit: float, _fill: bool) -> Size:
    size = node.props["size"]
    if not node.text:
        return size, size
    return size + 24, size + LABEL_GAP + line_height(style("caption"), work.env)


@measures("picture")
def _picture(_work: Pass, _node: Node, limit: float, _fill: bool) -> Size:
    return limit, limit * 0.75


@measures("button")
def _button(work: Pass, node: Node, _limit: float, _fill: bool) -> Size:
    wide = work.line_width(node.text, "label") + 2 * button_padding(node)
    return max(TARGET, wide + (18 + 8 - 8 if node.props["icon"] else 0)), max(TARGET, _label_height(work, 20))


def button_padding(node: Node) -> float:
    """From a button's edge to its text."""
    return 12.0 if node.props["style"] == "text" else 24.0


@measures("icon_button")
def _icon_button(_work: Pass, _node: Node, _limit: float, _fill: bool) -> Size:
    return TARGET, TARGET


@measures("fab")
def _fab(work: Pass, node: Node, _limit: float, _fill: bool) -> Size:
    return (16 + 24 + 12 + work.line_width(node.text, "subtitle") + 20 if node.text else 56.0), 56.0


@measures("chip")
def _chip(work: Pass, node: Node, _limit: float, _fill: bool) -> Size:
    icon = 18 + 8 - 8 if node.props["icon"] or node.selected else 0
    return work.line_width(node.text, "label") + 32 + icon, max(TARGET, _label_height(work, 28))


def _label_height(work: Pass, margin: float) -> float:
    return line_height(style("label"), work.env) + margin


@measures("switch")
def _switch(_work: Pass, node: Node, _limit: float, _fill: bool) -> Size:
    return SWITCH[0], TARGET if node.on_tap else SWITCH[1]


@measures("checkbox", "radio")
def _checkbox(work: Pass, node: Node, limit: float, _fill: bool) -> Size:
    box = TARGET if node.on_tap or node.text else 24.0
    if not node.text:
        return box, box
    wide, high = work.text_size(node.text, "body", limit - box - 4)
    return box + 4 + wide, max(box, high + 24)


@measures("slider")
def _slider(_work: Pass, _node: Node, limit: float, _fill: bool) -> Size:
    return limit, TARGET


@measures("text_field")
def _text_field(work: Pass, node: Node, limit: float, _fill: bool) -> Size:
    line = line_height(style("body"), work.env)
    if node.props["variant"] == "bare":
        return limit, max(TARGET, line + 24)
    lines = 1
    if node.props.get("multiline"):
        text = work.resolve(node).text
        lines = max(3, round(work.text_size(text, "body", limit - 32)[1] / line))
    return limit, FIELD_HEIGHT - 24 + lines * line + 2 * FIELD_MARGIN


@measures("progress", "divider")
def _line(_work: Pass, node: Node, limit: float, _fill: bool) -> Size:
    return limit, 4.0 if node.kind == "progress" else 1.0


@measures("key", "tab", "nav_item")
def _cell(_work: Pass, node: Node, limit: float, _fill: bool) -> Size:
    return limit, 80.0 if node.kind == "nav_item" else TARGET
