"""A node with its place in the window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from device.virtual.ui.node import Node

Rect = tuple[float, float, float, float]
"""Left, top, right, bottom in dp."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A laid-out node, in dp of its window, already scrolled.

    `clip` is what of it may show. `path` are the indices of children from the root (rows of a list keep their index
    while the list scrolls). `scroll_extent` is the height of a list's content; other nodes have None. The node of a
    text field holds the text that is in it now.
    """

    node: Node
    left: float
    top: float
    width: float
    height: float
    clip: Rect
    children: tuple[Placed, ...]
    path: tuple[int, ...]
    scroll_extent: float | None = None

    @property
    def right(self) -> float:
        """Right edge in dp."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Bottom edge in dp."""
        return self.top + self.height

    def contains(self, x: float, y: float) -> bool:
        """Whether a point lies in the part that shows."""
        left, top, right, bottom = self.clip
        return max(left, self.left) <= x < min(right, self.right) and max(top, self.top) <= y < min(bottom, self.bottom)

    def walk(self) -> Iterator[Placed]:
        """This node and all below it, in drawing order."""
        yield self
        for child in self.children:
            yield from child.walk()

    def at(self, path: tuple[int, ...]) -> Placed | None:
        """The descendant with that path, or None where it is not placed."""
        if self.path == path:
            return self
        for child in self.children:
            if path[: len(child.path)] == child.path:
                return child.at(path)
        return None


def meet(one: Rect, other: Rect) -> Rect:
    """The common part; it may have no area."""
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])


def scroll_limit(placed: Placed) -> float:
    """The largest offset of a list in dp; 0 where everything fits."""
    return max(0.0, (placed.scroll_extent or 0.0) - placed.height)
