"""Drawing: for each placed node its background, its own painter, its children, and touch feedback."""

from __future__ import annotations

from device.virtual.ui.canvas import Canvas
from device.virtual.ui.env import Env, LayoutState
from device.virtual.ui.layout import Placed
from device.virtual.ui.paint import PAINTERS, Pen

_PRESSED = "on_surface/10"  # state layer of a pressed element (Material 3, states)
_OWN_FEEDBACK = frozenset({"key", "slider", "text_field", "scroll", "scaffold", "app_icon"})
_OWN_BACKGROUND = frozenset({"button", "text_field"})


def draw(placed: Placed, canvas: Canvas, env: Env, state: LayoutState) -> None:
    """Draw a laid-out window on a canvas of its pixels (dp times `env.density`). Leaves the clip as it was."""
    kept = canvas.clip
    pen = Pen(canvas, env, state, floating=placed.node.kind in ("dialog", "menu"))
    _draw(pen, placed, kept)
    canvas.clip = kept


def _draw(pen: Pen, placed: Placed, outer: tuple[int, int, int, int]) -> None:
    left, top, right, bottom = placed.clip
    clip = (
        max(outer[0], pen.px(left)),
        max(outer[1], pen.px(top)),
        min(outer[2], pen.px(right)),
        min(outer[3], pen.px(bottom)),
    )
    if clip[0] >= clip[2] or clip[1] >= clip[3]:
        return
    pen.canvas.clip = clip
    props = placed.node.props
    background = props.get("bg")
    if background and placed.node.kind not in _OWN_BACKGROUND:
        radius = props.get("radius", 0.0)
        pen.fill(placed.left, placed.top, placed.width, placed.height, radius, pen.color(background))
    painter = PAINTERS.get(placed.node.kind)
    if painter is not None:
        painter(pen, placed)
    for child in placed.children:
        _draw(pen, child, clip)
    if placed.path == pen.state.pressed and placed.node.kind not in _OWN_FEEDBACK:
        pen.canvas.clip = clip
        _feedback(pen, placed)


def _feedback(pen: Pen, placed: Placed) -> None:
    """A layer over the pressed element, in its shape."""
    color, kind = pen.color(_PRESSED), placed.node.kind
    if kind in ("icon_button", "switch", "checkbox", "radio") and not placed.node.text:
        pen.disc(placed.left + placed.width / 2, placed.top + placed.height / 2, 40, color)
    elif kind == "button":
        high = placed.height - 8
        pen.fill(placed.left, placed.top + 4, placed.width, high, high / 2, color)
    elif kind in ("fab", "chip"):
        margin = 0 if kind == "fab" else 8
        radius = 16 if kind == "fab" else 8
        pen.fill(placed.left, placed.top + margin, placed.width, placed.height - 2 * margin, radius, color)
    else:
        pen.fill(placed.left, placed.top, placed.width, placed.height, placed.node.props.get("radius", 0.0), color)
