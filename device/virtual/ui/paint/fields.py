"""Painters of text fields: frame, floating label, text, caret."""

from __future__ import annotations

from device.virtual.ui.env import Env
from device.virtual.ui.fonts import width
from device.virtual.ui.layout import Placed
from device.virtual.ui.layout.engine import line_height
from device.virtual.ui.layout.sizes import FIELD_MARGIN
from device.virtual.ui.paint.pen import Pen, paints
from device.virtual.ui.text import caret_index, caret_x, pixels, style, wrap

_PAD = 16.0
_ICON = 40.0  # start of the text after an icon
BULLET = "•"


@paints("text_field")
def text_field(pen: Pen, placed: Placed) -> None:
    """Outlined or filled, with the label on the frame once there is text or focus; or bare."""
    node, props = placed.node, placed.node.props
    focused, text = bool(props.get("focused")), shown_text(placed)
    if props["variant"] != "bare":
        _box(pen, placed, floating=focused or bool(node.text), focused=focused)
    left, top, _, high = text_area(placed)
    if text:
        _text(pen, placed, text, focused)
    else:
        hint = props.get("hint") or ("" if props["variant"] != "bare" else props.get("label", ""))
        if hint and (focused or not props.get("label")):
            pen.line(hint, "body", left, top + high / 2, pen.color("on_surface_variant", node.enabled))
        if focused and pen.state.caret_on:
            _caret(pen, left, top + high / 2)
    if props.get("icon"):
        pen.icon(props["icon"], placed.left + 26, top + high / 2, 24, pen.color("on_surface_variant"))


def shown_text(placed: Placed) -> str:
    """What the field shows: bullets for a password."""
    return BULLET * len(placed.node.text) if placed.node.password else placed.node.text


def text_area(placed: Placed) -> tuple[float, float, float, float]:
    """Where the text stands: left, top, width, height in dp."""
    props = placed.node.props
    if props["variant"] == "bare":
        return placed.left, placed.top, placed.width, placed.height
    start = _PAD + (_ICON if props.get("icon") else 0)
    margin = FIELD_MARGIN + (12 if props.get("multiline") else 0)
    return placed.left + start, placed.top + margin, placed.width - start - _PAD, placed.height - 2 * margin


def text_index(placed: Placed, env: Env, x_dp: float, y_dp: float, caret: int = 0) -> int:
    """The index in the field's text that is nearest to a point of the window; `caret` as the field was drawn with."""
    left, top, wide, _ = text_area(placed)
    look = style("body")
    px = pixels(look.size, env.density * env.font_scale)
    text = shown_text(placed)
    if placed.node.props.get("multiline"):
        lines = _line_starts(text, wrap(text, look.weight, px, int(wide * env.density + 0.5)))
        start, line = lines[min(len(lines) - 1, max(0, int((y_dp - top) // line_height(look, env))))]
        return start + caret_index(line, (x_dp - left) * env.density, look.weight, px)
    shift = _shift(text, caret, look.weight, px, wide * env.density) if placed.node.props.get("focused") else 0
    return caret_index(text, (x_dp - left) * env.density + shift, look.weight, px)


def _box(pen: Pen, placed: Placed, *, floating: bool, focused: bool) -> None:
    props, enabled = placed.node.props, placed.node.enabled
    top, high = placed.top + FIELD_MARGIN, placed.height - 2 * FIELD_MARGIN
    color = pen.color("primary" if focused else "outline", enabled)
    if props["variant"] == "filled":
        pen.fill(placed.left, top, placed.width, high, 4, pen.color("surface_container_highest"))
        pen.fill(placed.left, top + high - 2, placed.width, 2 if focused else 1, 0, color)
    else:
        pen.frame(placed.left, top, placed.width, high, 4, 2 if focused else 1, color)
    label = props.get("label", "")
    if not label:
        return
    ink = pen.color("primary" if focused else "on_surface_variant", enabled)
    if not floating:
        left, y = text_area(placed)[0], (top + high / 2 if not props.get("multiline") else top + 28)
        pen.line(label, "body", left, y, ink)
        return
    if props["variant"] == "filled":
        pen.line(label, "caption", text_area(placed)[0], top + 14, ink)
        return
    weight, px = pen.font("caption")
    wide = width(label, weight, px) / pen.env.density
    behind = props.get("bg", "surface_container_high" if pen.floating else "surface")
    pen.fill(placed.left + 12, top - 2, wide + 8, 5, 0, pen.color(behind))
    pen.line(label, "caption", placed.left + _PAD, top, ink)


def _text(pen: Pen, placed: Placed, text: str, focused: bool) -> None:
    left, top, wide, high = text_area(placed)
    color = pen.color("on_surface", placed.node.enabled)
    weight, px = pen.font("body")
    caret = min(pen.state.caret, len(text)) if focused else 0
    if placed.node.props.get("multiline"):
        lines = _line_starts(text, wrap(text, weight, px, int(wide * pen.env.density + 0.5)))
        step = line_height(style("body"), pen.env)
        for number, (start, line) in enumerate(lines):
            y = top + (number + 0.5) * step
            pen.line(line, "body", left, y, color)
            last = number + 1 == len(lines) or lines[number + 1][0] > caret
            if focused and pen.state.caret_on and start <= caret and last:
                _caret(pen, left + caret_x(line, caret - start, weight, px) / pen.env.density, y)
                focused = False
        return
    shift = _shift(text, caret, weight, px, wide * pen.env.density) / pen.env.density if focused else 0.0
    kept = pen.canvas.clip
    box = pen.area(left - 2, top, wide + 4, high)
    pen.canvas.clip = (max(kept[0], box[0]), max(kept[1], box[1]), min(kept[2], box[2]), min(kept[3], box[3]))
    pen.line(text, "body", left - shift, top + high / 2, color)
    if focused and pen.state.caret_on:
        _caret(pen, left - shift + caret_x(text, caret, weight, px) / pen.env.density, top + high / 2)
    pen.canvas.clip = kept


def _line_starts(text: str, lines: tuple[str, ...]) -> list[tuple[int, str]]:
    """Each line with the index of its first character; breaking drops spaces and line feeds between lines."""
    result, at = [], 0
    for line in lines:
        at = text.index(line, at) if line else min(at, len(text))
        result.append((at, line))
        at += len(line)
        if at < len(text) and text[at] == "\n":
            at += 1
    return result


def _shift(text: str, caret: int, weight: int, px: float, room: float) -> float:
    """Pixels a single line is moved to the left so that the caret shows."""
    return max(0.0, caret_x(text, caret, weight, px) - room + 2)


def _caret(pen: Pen, x: float, y: float) -> None:
    _, px = pen.font("body")
    half = px * 1.25 / pen.env.density / 2
    pen.fill(x - 1, y - half, 2, 2 * half, 0, pen.color("primary"))
