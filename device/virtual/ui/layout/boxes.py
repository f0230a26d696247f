"""Containers: columns, rows, boxes, grids and lists."""

from __future__ import annotations

from collections.abc import Sequence

from device.virtual.ui.layout.engine import (
    Pass,
    Size,
    arranges,
    edges,
    fluid,
    inner,
    measures,
    offset,
    padding,
)
from device.virtual.ui.layout.placed import Placed, Rect, meet
from device.virtual.ui.node import Node

Arranged = tuple[tuple[Placed, ...], float | None]


@measures("column", "card")
def measure_column(work: Pass, node: Node, limit: float, fill: bool) -> Size:
    """As wide as its widest child, or all there is where it centres or ends them."""
    left, top, right, bottom = padding(node)
    room = limit - left - right
    wide = high = 0.0
    children = list(work.children(node))
    for _, child in children:
        w, h = work.measure(child, room, fill)
        wide, high = max(wide, w), high + h
    high += node.props["gap"] * max(0, len(children) - 1)
    greedy = node.kind == "card" or (fill and node.props["align"] in ("center", "end", "stretch"))
    return limit if greedy else wide + left + right, high + top + bottom


@arranges("column", "card")
def arrange_column(work: Pass, node: Node, area: Rect, clip: Rect, path: tuple[int, ...]) -> Arranged:
    """From the top; children with a weight share what is left."""
    left, top, wide, high = inner(area, padding(node))
    align, gap = node.props["align"], node.props["gap"]
    children = list(work.children(node))
    sizes = [work.measure(child, wide, True) for _, child in children]
    weights = [child.props.get("weight", 0.0) for _, child in children]
    heights = _shares([h for _, h in sizes], weights, high - gap * max(0, len(children) - 1))
    used = sum(heights) + gap * max(0, len(children) - 1)
    y = top + offset(node.props.get("justify", "start"), high, used)
    placed = []
    for (index, child), (w, _), h in zip(children, sizes, heights, strict=True):
        w = wide if align == "stretch" and fluid(child, buttons=True) else w
        placed.append(work.place(child, (left + offset(align, wide, w), y, w, h), clip, (*path, index)))
        y += h + gap
    return tuple(placed), None


@measures("row", "list_item", "search_bar", "top_bar", "menu_item", "tabs", "bottom_nav")
def measure_row(work: Pass, node: Node, limit: float, fill: bool) -> Size:
    """As wide as its children together, or all there is where one of them has a weight."""
    left, top, right, bottom = padding(node)
    children = list(work.children(node))
    widths = _row_widths(work, node, children, limit - left - right)
    high = max((work.measure(child, w, False)[1] for (_, child), w in zip(children, widths, strict=True)), default=0.0)
    wide = sum(widths) + node.props.get("gap", 0.0) * max(0, len(children) - 1)
    return wide + left + right, high + top + bottom


@arranges("row", "list_item", "search_bar", "top_bar", "menu_item", "tabs", "bottom_nav")
def arrange_row(work: Pass, node: Node, area: Rect, clip: Rect, path: tuple[int, ...]) -> Arranged:
    """From the left; children with a weight share what is left."""
    children = list(work.children(node))
    return place_row(work, node, children, inner(area, padding(node)), clip, path), None


def place_row(
    work: Pass,
    node: Node,
    children: Sequence[tuple[int, Node]],
    area: Rect,
    clip: Rect,
    path: tuple[int, ...],
    align: str = "",
) -> tuple[Placed, ...]:
    """Place children beside each other in an area without padding."""
    left, top, wide, high = area
    gap, align = node.props.get("gap", 0.0), align or node.props.get("align", "start")
    widths = _row_widths(work, node, children, wide)
    used = sum(widths) + gap * max(0, len(children) - 1)
    x = left + offset(node.props.get("justify", "start"), wide, used)
    placed = []
    for (index, child), w in zip(children, widths, strict=True):
        h = work.measure(child, w, False)[1]
        if align == "stretch" and child.kind != "spacer" and not child.props.get("h"):
            h = high
        placed.append(work.place(child, (x, top + offset(align, high, h), w, h), clip, (*path, index)))
        x += w + gap
    return tuple(placed)


def _row_widths(work: Pass, node: Node, children: Sequence[tuple[int, Node]], wide: float) -> list[float]:
    gap = node.props.get("gap", 0.0)
    free = wide - gap * max(0, len(children) - 1)
    weights = [child.props.get("weight", 0.0) for _, child in children]
    rest, widths = free, []
    for (_, child), weight in zip(children, weights, strict=True):
        w = 0.0 if weight else work.measure(child, max(0.0, rest), False)[0]
        rest -= w
        widths.append(w)
    return _shares(widths, weights, free)


def _shares(sizes: list[float], weights: list[float], room: float) -> list[float]:
    total = sum(weights)
    if not total:
        return sizes
    rest = max(0.0, room - sum(size for size, weight in zip(sizes, weights, strict=True) if not weight))
    return [rest * weight / total if weight else size for size, weight in zip(sizes, weights, strict=True)]


@measures("box")
def measure_box(work: Pass, node: Node, limit: float, fill: bool) -> Size:
    """As large as its largest child."""
    left, top, right, bottom = padding(node)
    across = node.props["align"][0]
    sizes = [work.measure(child, limit - left - right, fill) for _, child in work.children(node)]
    wide = limit if fill and across in ("center", "end") else max((w for w, _ in sizes), default=0.0) + left + right
    return wide, max((h for _, h in sizes), default=0.0) + top + bottom


@arranges("box")
def arrange_box(work: Pass, node: Node, area: Rect, clip: Rect, path: tuple[int, ...]) -> Arranged:
    """Every child in the whole area, aligned on its own."""
    left, top, wide, high = inner(area, padding(node))
    across, down = node.props["align"]
    placed = []
    for index, child in work.children(node):
        w, h = work.measure(child, wide, across == "stretch")
        if across == "stretch" and fluid(child):
            w = wide
        if down == "stretch" and fluid(child) and not child.props.get("h"):
            h = high
        x, y = left + offset(across, wide, w), top + offset(down, high, h)
        placed.append(work.place(child, (x, y, w, h), clip, (*path, index)))
    return tuple(placed), None


@measures("grid")
def measure_grid(work: Pass, node: Node, limit: float, _fill: bool) -> Size:
    """All the width; rows as high as their highest cell."""
    left, top, right, bottom = padding(node)
    rows = _grid_rows(work, node, limit - left - right)
    high = sum(height for height, _ in rows) + node.props["gap"] * max(0, len(rows) - 1)
    return limit, high + top + bottom


@arranges("grid")
def arrange_grid(work: Pass, node: Node, area: Rect, clip: Rect, path: tuple[int, ...]) -> Arranged:
    """Row by row."""
    left, top, wide, _ = inner(area, padding(node))
    gap = node.props["gap"]
    cell = (wide - gap * (node.props["columns"] - 1)) / node.props["columns"]
    placed, y = [], top
    for height, row in _grid_rows(work, node, wide):
        if y < clip[3] and y + height > clip[1]:
            for column, (index, child) in enumerate(row):
                place = (left + column * (cell + gap), y, cell, height)
                placed.append(work.place(child, place, clip, (*path, index)))
        y += height + gap
    return tuple(placed), None


def _grid_rows(work: Pass, node: Node, wide: float) -> list[tuple[float, list[tuple[int, Node]]]]:
    columns, children = node.props["columns"], list(work.children(node))
    cell = (wide - node.props["gap"] * (columns - 1)) / columns
    rows = [children[start : start + columns] for start in range(0, len(children), columns)]
    return [(max(work.measure(child, cell, True)[1] for _, child in row), row) for row in rows]


@measures("scroll")
def measure_scroll(work: Pass, node: Node, limit: float, _fill: bool) -> Size:
    """All the width, and the height of the content."""
    left, top, right, bottom = padding(node)
    heights = [work.measure(child, limit - left - right, True)[1] for _, child in work.children(node)]
    return limit, sum(heights) + node.props["gap"] * max(0, len(heights) - 1) + top + bottom


@arranges("scroll")
def arrange_scroll(work: Pass, node: Node, area: Rect, clip: Rect, path: tuple[int, ...]) -> Arranged:
    """The children that show at the present offset; the offset is kept within the content."""
    left, top, right, bottom = padding(node)
    bottom, work.bottom_pad = bottom + work.bottom_pad, 0.0
    x, y, wide, high = area
    room, gap = wide - left - right, node.props["gap"]
    children = list(work.children(node))
    sizes = [work.measure(child, room, True) for _, child in children]
    extent = sum(h for _, h in sizes) + gap * max(0, len(sizes) - 1) + top + bottom
    shift = min(max(0.0, work.state.scroll.get(node.props["key"], 0.0)), max(0.0, extent - high))
    shown = meet(clip, edges(area))
    placed, cursor = [], y + top - shift
    for (index, child), (w, h) in zip(children, sizes, strict=True):
        if cursor < shown[3] and cursor + h > shown[1] and h > 0:
            w = room if fluid(child) else w
            placed.append(work.place(child, (x + left, cursor, w, h), shown, (*path, index)))
        cursor += h + gap
    return tuple(placed), extent
