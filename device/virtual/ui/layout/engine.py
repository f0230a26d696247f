"""Measuring and placing. Each kind of node has a measure and, if it places children, an arrange function.

A measure function gets the width there is and `fill`: whether the node may take all of it. Measures are kept for
the time of one pass, so that nesting costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from device.virtual.ui.env import Env, LayoutState
from device.virtual.ui.fonts import width
from device.virtual.ui.layout.placed import Placed, Rect
from device.virtual.ui.node import Node
from device.virtual.ui.text import Style, pixels, style, wrap

Size = tuple[float, float]
Measure = Callable[["Pass", Node, float, bool], Size]
Arrange = Callable[["Pass", Node, Rect, Rect, tuple[int, ...]], "tuple[tuple[Placed, ...], float | None]"]

MEASURES: dict[str, Measure] = {}
ARRANGES: dict[str, Arrange] = {}

NO_PAD = (0.0, 0.0, 0.0, 0.0)
_STIFF = frozenset(
    {"icon", "avatar", "app_icon", "icon_button", "fab", "chip", "switch", "checkbox", "radio", "spacer"}
)
"""Kinds that keep their size where a container stretches its children."""


def measures(*kinds: str) -> Callable[[Measure], Measure]:
    """Register the measure function of kinds."""

    def register(function: Measure) -> Measure:
        MEASURES.update(dict.fromkeys(kinds, function))
        return function

    return register


def arranges(*kinds: str) -> Callable[[Arrange], Arrange]:
    """Register the function that places the children of kinds."""

    def register(function: Arrange) -> Arrange:
        ARRANGES.update(dict.fromkeys(kinds, function))
        return function

    return register


@dataclass(slots=True)
class Pass:
    """One layout of one window: what it is laid out for, and the measures taken so far."""

    env: Env
    state: LayoutState
    bottom_pad: float = 0.0
    sizes: dict[tuple[int, float, bool], tuple[Size, Node]] = field(default_factory=dict)

    def measure(self, node: Node, limit: float, fill: bool = False) -> Size:
        """Width and height of a node that has `limit` dp of width."""
        key = (id(node), limit, fill)
        known = self.sizes.get(key)
        if known is not None:
            return known[0]
        props = node.props
        fixed_w, fixed_h = props.get("w"), props.get("h")
        if fixed_w and fixed_h:
            size = (float(fixed_w), float(fixed_h))
        else:
            function = MEASURES.get(node.kind)
            if function is None:
                raise ValueError(f"node kind is {node.kind!r}; use a constructor of device.virtual.ui.widgets")
            wide, high = function(self, node, fixed_w or limit, fill)
            size = (fixed_w or min(wide, limit), fixed_h or max(high, props.get("min_h", 0.0)))
        self.sizes[key] = (size, node)  # the node stays alive, so that its id stays its own
        return size

    def place(self, node: Node, area: Rect, clip: Rect, path: tuple[int, ...]) -> Placed:
        """Put a node into `area` (left, top, width, height in dp) and its children into it."""
        node = self.resolve(node)
        left, top, wide, high = area
        arrange = ARRANGES.get(node.kind)
        if arrange is None:
            return Placed(node, left, top, wide, high, clip, (), path)
        children, extent = arrange(self, node, area, clip, path)
        return Placed(node, left, top, wide, high, clip, children, path, extent)

    def children(self, node: Node) -> Iterator[tuple[int, Node]]:
        """The children that are present now, with their index; a clear button is absent while its field is empty."""
        for index, child in enumerate(node.children):
            needs = child.props.get("needs")
            if not needs or self.field_text(needs, node):
                yield index, child

    def field_text(self, bind: str, parent: Node) -> str:
        """What the field `bind`, a child of `parent`, holds now."""
        stored = self.state.fields.get(bind)
        if stored is not None:
            return stored
        return next((child.text for child in parent.children if child.props.get("bind") == bind), "")

    def resolve(self, node: Node) -> Node:
        """The node as it is now: a field with its typed text and whether it has the focus."""
        bind = node.props.get("bind")
        if not bind:
            return node
        focused = bind == self.state.focus
        text = self.state.fields.get(bind, node.text)
        return replace(node, text=text, props={**node.props, "focused": True} if focused else node.props)

    def text_size(self, text: str, name: str, limit: float, max_lines: int = 0) -> Size:
        """Size in dp of text in a style, broken at `limit` dp."""
        look, density = style(name), self.env.density
        px = pixels(look.size, density * self.env.font_scale)
        lines = wrap(text, look.weight, px, int(limit * density + 0.5), max_lines)
        wide = max(width(line, look.weight, px) for line in lines)
        return -(-wide // 1) / density, len(lines) * line_height(look, self.env)

    def line_width(self, text: str, name: str) -> float:
        """Width in dp of text on one line."""
        look, density = style(name), self.env.density
        wide = width(text, look.weight, pixels(look.size, density * self.env.font_scale))
        return -(-wide // 1) / density


def line_height(look: Style, env: Env) -> float:
    """Height of a line in dp."""
    return look.line * env.font_scale


def padding(node: Node, default: tuple[float, float, float, float] = NO_PAD) -> tuple[float, float, float, float]:
    """Left, top, right, bottom in dp."""
    pad: tuple[float, float, float, float] = node.props.get("pad", default)
    return pad


def inner(area: Rect, pad: tuple[float, float, float, float]) -> Rect:
    """An area (left, top, width, height) without its padding."""
    left, top, wide, high = area
    return left + pad[0], top + pad[1], max(0.0, wide - pad[0] - pad[2]), max(0.0, high - pad[1] - pad[3])


def edges(area: Rect) -> Rect:
    """Left, top, width, height as left, top, right, bottom."""
    return area[0], area[1], area[0] + area[2], area[1] + area[3]


def fluid(node: Node, *, buttons: bool = False) -> bool:
    """Whether stretching widens a node; `buttons` says whether it widens buttons."""
    return node.kind not in _STIFF and (buttons or node.kind != "button") and not node.props.get("w")


def offset(align: str, room: float, size: float) -> float:
    """Where a part of `size` begins in `room`, by start, center, end or stretch."""
    if align == "center":
        return (room - size) / 2
    return room - size if align == "end" else 0.0


def lay_out(node: Node, env: Env, width_dp: float, height_dp: float, state: LayoutState) -> Placed:
    """Lay a window out. A dialog or menu as root gets the place of its card within the window."""
    work = Pass(env, state)
    window = (0.0, 0.0, width_dp, height_dp)
    area = floating_area(work, node, window) if node.kind in ("dialog", "menu") else window
    return work.place(node, area, edges(window), ())


def floating_area(work: Pass, node: Node, window: Rect) -> Rect:
    """Where a floating root stands: a dialog in the middle, a menu below the bar at the end side."""
    left, top, right, bottom = work.env.insets
    free = inner(window, (left, top, right, bottom))
    if node.kind == "menu":
        wide, high = work.measure(node, min(280.0, free[2] - 16))
        return free[0] + free[2] - 8 - wide, free[1] + 8, wide, min(high, free[3] - 16)
    wide, high = work.measure(node, min(560.0, max(280.0, free[2] - 96)))
    high = min(high, free[3] - 32)
    return free[0] + (free[2] - wide) / 2, free[1] + (free[3] - high) / 2, wide, high
