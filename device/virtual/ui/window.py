"""Windows on the display: laid-out trees at their places, from the lowest to the topmost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from device.virtual.ui.a11y import WindowType
from device.virtual.ui.env import Env, LayoutState
from device.virtual.ui.layout import Placed
from device.virtual.ui.node import Node

SCRIM = 0.32
"""How much of the black lies over what is below a dialog (Material 3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One window. `left` and `top` are its place on the display, dp; `placed` is in its own coordinates.

    `owner` is the serial of the screen whose state its acts change, 0 without one. `modal` takes every touch
    below it; `scrim` darkens what is below; `secure` keeps it out of captures (FLAG_SECURE).
    """

    id: str
    type: WindowType
    package: str
    title: str
    owner: int
    node: Node
    env: Env
    state: LayoutState
    placed: Placed
    left: float = 0.0
    top: float = 0.0
    width: float = 0.0
    height: float = 0.0
    focused: bool = False
    touchable: bool = True
    modal: bool = False
    scrim: float = 0.0
    secure: bool = False

    @property
    def looks(self) -> tuple[object, ...]:
        """All that decides its pixels: equal looks, equal pixels."""
        env = self.env
        return (
            self.node,
            self.state,
            (self.left, self.top, self.width, self.height, self.scrim, env.insets, env.density, env.font_scale),
            self.secure,
            (env.theme, env.lang),
        )

    def holds(self, x: float, y: float) -> bool:
        """Whether a point of the display lies in the window."""
        return self.left <= x < self.left + self.width and self.top <= y < self.top + self.height

    def local(self, x: float, y: float) -> tuple[float, float]:
        """A point of the display in the window's coordinates."""
        return x - self.left, y - self.top


def touched(windows: Sequence[Window], x: float, y: float) -> Window | None:
    """The topmost window that a touch at that point goes to."""
    for window in reversed(windows):
        if window.touchable and (window.modal or window.holds(x, y)):
            return window
    return None


def shifted(placed: Placed, dx: float, dy: float) -> Placed:
    """The same tree elsewhere."""
    if not dx and not dy:
        return placed
    left, top, right, bottom = placed.clip
    return replace(
        placed,
        left=placed.left + dx,
        top=placed.top + dy,
        clip=(left + dx, top + dy, right + dx, bottom + dy),
        children=tuple(shifted(child, dx, dy) for child in placed.children),
    )


def chain(placed: Placed, x: float, y: float) -> tuple[Placed, ...]:
    """The nodes under a point from the root to the deepest; among siblings the last drawn one wins."""
    if not placed.contains(x, y):
        return ()
    for child in reversed(placed.children):
        below = chain(child, x, y)
        if below:
            return (placed, *below)
    return (placed,)


def ancestors(placed: Placed, path: tuple[int, ...]) -> tuple[Placed, ...]:
    """The nodes from the root to the one of that path; empty when it is not laid out."""
    if placed.path == path:
        return (placed,)
    for child in placed.children:
        below = ancestors(child, path)
        if below:
            return (placed, *below)
    return ()


def field_nodes(node: Node) -> Iterator[Node]:
    """The text fields of a screen in order."""
    if node.kind == "text_field":
        yield node
    for child in node.children:
        yield from field_nodes(child)


def placed_field(placed: Placed, bind: str) -> Placed | None:
    """The laid-out text field of that name."""
    return next((p for p in placed.walk() if p.node.kind == "text_field" and p.node.props.get("bind") == bind), None)
