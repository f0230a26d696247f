"""Containers: they place their children and may have a background."""

from __future__ import annotations

from typing import Unpack

from device.virtual.ui.node import Node
from device.virtual.ui.widgets.base import Common, Pad, Styled, make, present


def Column(
    *children: Node, gap: float = 0, align: str = "start", justify: str = "start", **common: Unpack[Styled]
) -> Node:
    """Children below each other. `align` places them across (start, center, end, stretch), `justify` along."""
    return make("column", common, children=children, gap=gap, align=align, justify=justify)


def Row(
    *children: Node, gap: float = 0, align: str = "start", justify: str = "start", **common: Unpack[Styled]
) -> Node:
    """Children beside each other. `align` places them across (start, center, end, stretch), `justify` along."""
    return make("row", common, children=children, gap=gap, align=align, justify=justify)


def Box(*children: Node, align: tuple[str, str] = ("stretch", "start"), **common: Unpack[Styled]) -> Node:
    """Children on top of each other; `align` is (across, down), each start, center, end or stretch.

    Stretching widens containers, text and fields only; an icon or a button keeps its size.
    """
    return make("box", common, children=children, align=align)


def Spacer(w: float = 0, h: float = 0, weight: float = 0) -> Node:
    """Empty space of a fixed size, or a share of the free space. It is not part of the accessibility tree."""
    return make("spacer", {}, w=w, h=h, weight=weight)


def Scroll(*children: Node, key: str = "list", gap: float = 0, pad: Pad = 0, **common: Unpack[Common]) -> Node:
    """A vertical list of which only the visible part is placed; `key` names its offset in the view state."""
    return make("scroll", {**common, "pad": pad}, children=children, key=key, gap=gap)


def Grid(*children: Node, columns: int, gap: float = 0, **common: Unpack[Styled]) -> Node:
    """Children in cells of equal width, row by row; a row is as high as its highest cell."""
    return make("grid", common, children=children, columns=columns, gap=gap)


def Divider(inset: float = 0, **common: Unpack[Styled]) -> Node:
    """A thin line across."""
    return make("divider", common, inset=inset)


def Card(*children: Node, gap: float = 0, align: str = "stretch", **common: Unpack[Styled]) -> Node:
    """A column on a rounded background of its own."""
    defaults: Styled = {"bg": "surface_container", "radius": 16, "pad": 16}
    return make("card", {**defaults, **common}, children=children, gap=gap, align=align)


def Scaffold(
    top: Node | None = None,
    body: Node | None = None,
    bottom: Node | None = None,
    fab: Node | None = None,
    **common: Unpack[Styled],
) -> Node:
    """A whole screen: bar above, body, bar below, floating button; keeps clear of the window's insets."""
    named = {"top": top, "body": body, "bottom": bottom, "fab": fab}
    slots = tuple(name for name, node in named.items() if node is not None)
    defaults: Common = {"bg": "surface"}
    return make("scaffold", {**defaults, **common}, children=present(*named.values()), slots=slots)
