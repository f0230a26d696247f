"""Parts of a screen with a fixed arrangement: scaffold, bars, rows of lists, dialogs, menus."""

from __future__ import annotations

from device.virtual.ui.layout.boxes import Arranged, place_row
from device.virtual.ui.layout.engine import Pass, Size, arranges, inner, measures, padding
from device.virtual.ui.layout.placed import Placed, Rect, meet
from device.virtual.ui.node import Node

_GESTURE_BAR = 30.0  # a bottom inset below this is the gesture bar (24 dp), under which lists run on
_FAB_MARGIN = 16.0
_BAR_HEIGHT = 64.0
_DIALOG_PAD = 24.0
_LARGE_TITLE = (24.0, 20.0)  # beside, and above and below
_ITEM_PAD = 16.0
_DIALOG_GAP = 16.0
_ABOVE_BUTTONS, _BUTTON_ROW, _BELOW_BUTTONS = 8.0, 48.0, 16.0
_ROWS = frozenset({"list_item", "menu_item", "divider"})


@measures("scaffold")
def _scaffold_size(_work: Pass, _node: Node, limit: float, _fill: bool) -> Size:
    return limit, 0.0


@arranges("scaffold")
def arrange_scaffold(work: Pass, node: Node, area: Rect, clip: Rect, path: tuple[int, ...]) -> Arranged:
    """Top bar below the status bar, bottom bar above the navigation bar or keyboard, body between, button over it."""
    slots = {
        slot: (index, child) for index, (slot, child) in enumerate(zip(node.props["slots"], node.children, strict=True))
    }
    left, top, right, bottom = work.env.insets
    x, y, wide, high = inner(area, (left, 0.0, right, 0.0))
    upper, lower = y + top, y + high - bottom
    placed: dict[str, Placed] = {}

    def put(slot: str, at: float, height: float, within: Rect) -> None:
        index, child = slots[slot]
        placed[slot] = work.place(child, (x, at, wide, height), within, (*path, index))

    if "top" in slots:
        height = work.measure(slots["top"][1], wide, True)[1]
        put("top", upper, height, clip)
        upper += height
    if "bottom" in slots:
        height = work.measure(slots["bottom"][1], wide, True)[1]
        under = bottom if slots["bottom"][1].kind == "bottom_nav" and bottom < _GESTURE_BAR else 0.0
        put("bottom", lower - height, height + under, clip)
        lower -= height
    if "body" in slots:
        flows = "bottom" not in slots and bottom < _GESTURE_BAR and slots["body"][1].kind == "scroll"
        end = y + high if flows else lower
        work.bottom_pad = bottom if flows else 0.0
        put("body", upper, max(0.0, end - upper), meet(clip, (x, upper, x + wide, end)))
        work.bottom_pad = 0.0
    if "fab" in slots:
        w, h = work.measure(slots["fab"][1], wide - 2 * _FAB_MARGIN)
        spot = (x + wide - _FAB_MARGIN - w, lower - _FAB_MARGIN - h, w, h)
        placed["fab"] = work.place(slots["fab"][1], spot, clip, (*path, slots["fab"][0]))
    return tuple(placed[slot] for slot in node.props["slots"] if slot in placed), None


@measures("large_top_bar")
def measure_large_bar(work: Pass, node: Node, limit: float, _fill: bool) -> Size:
    """The bar of 64 dp and the title below it."""
    title = _title(node)[1]
    return limit, _BAR_HEIGHT + _LARGE_TITLE[1] + work.measure(title, limit - 2 * _LARGE_TITLE[0])[1] + _LARGE_TITLE[1]


@arranges("large_top_bar")
def arrange_large_bar(work: Pass, node: Node, area: Rect, clip: Rect, path: tuple[int, ...]) -> Arranged:
    """Buttons in the upper part: the first at the start, if it navigates, the others at the end."""
    left, top, wide, _ = area
    index, title = _title(node)
    spread = [(at, child) for at, child in work.children(node) if at != index]
    spacer = Node(kind="spacer", props={"w": 0, "h": 0, "weight": 1})
    row = [*spread[:index], (len(node.children), spacer), *spread[index:]]
    bar = place_row(work, node, row, inner((left, top, wide, _BAR_HEIGHT), padding(node)), clip, path, "center")
    room = wide - 2 * _LARGE_TITLE[0]
    below = (left + _LARGE_TITLE[0], top + _BAR_HEIGHT + _LARGE_TITLE[1], room, work.measure(title, room)[1])
    name = work.place(title, below, clip, (*path, index))
    parts = [part for part in bar if part.node.kind != "spacer"]
    return (*parts[:index], name, *parts[index:]), None


def _title(node: Node) -> tuple[int, Node]:
    return next((index, child) for index, child in enumerate(node.children) if child.kind == "text")


@measures("dialog")
def measure_dialog(work: Pass, node: Node, limit: float, _fill: bool) -> Size:
    """Padding 24 dp, 16 dp between the parts, buttons in a row at the end."""
    room = limit - 2 * _DIALOG_PAD
    heights = [work.measure(child, limit if _full_width(child) else room, True)[1] for _, child in _parts(node)]
    between = _DIALOG_GAP * max(0, len(heights) - 1)
    below = _ABOVE_BUTTONS + _BUTTON_ROW + _BELOW_BUTTONS if "button" in node.props["roles"] else _DIALOG_PAD
    return limit, _DIALOG_PAD + sum(heights) + between + below


@arranges("dialog")
def arrange_dialog(work: Pass, node: Node, area: Rect, clip: Rect, path: tuple[int, ...]) -> Arranged:
    """Icon, title and body below each other; a body that is too high becomes a list of its own."""
    left, top, wide, high = area
    within = meet(clip, (left, top, left + wide, top + high))
    placed = []
    buttons = [(index, child) for index, child in enumerate(node.children) if node.props["roles"][index] == "button"]
    end = top + high - (_ABOVE_BUTTONS + _BUTTON_ROW + _BELOW_BUTTONS if buttons else _DIALOG_PAD)
    y = top + _DIALOG_PAD
    for index, child in _parts(node):
        bleed = 0.0 if _full_width(child) else _DIALOG_PAD
        w, h = work.measure(child, wide - 2 * bleed, True)
        role = node.props["roles"][index]
        if role == "icon":
            bleed = (wide - w) / 2
        else:
            w = wide - 2 * bleed
        room = max(0.0, end - y)
        if role == "body" and h > room + 0.5 and child.kind != "scroll":
            child = Node(kind="scroll", children=(child,), props={"key": "dialog", "gap": 0.0})
        part = (left + bleed, y, w, min(h, room))
        placed.append(work.place(child, part, meet(within, (left, y, left + wide, y + part[3])), (*path, index)))
        y += part[3] + _DIALOG_GAP
    if buttons:
        row = Node(kind="row", props={"gap": 8.0, "align": "center", "justify": "end"})
        spot = (left + _DIALOG_PAD, end + _ABOVE_BUTTONS, wide - 2 * _DIALOG_PAD, _BUTTON_ROW)
        placed += place_row(work, row, buttons, spot, within, path)
    return tuple(placed), None


def _parts(node: Node) -> list[tuple[int, Node]]:
    return [(index, child) for index, child in enumerate(node.children) if node.props["roles"][index] != "button"]


def _full_width(node: Node) -> bool:
    """Whether a dialog's body is a list of rows, which bring their own padding."""
    if node.kind in ("column", "scroll"):
        return bool(node.children) and all(map(_full_width, node.children))
    return node.kind in _ROWS


@measures("menu")
def measure_menu(work: Pass, node: Node, limit: float, _fill: bool) -> Size:
    """As wide as its widest line, at least 112 dp; 8 dp above and below."""
    widths = [_item_width(work, child) for child in node.children]
    wide = min(limit, max([112.0, *widths]))
    return wide, 16.0 + sum(work.measure(child, wide, True)[1] for child in node.children)


@arranges("menu")
def arrange_menu(work: Pass, node: Node, area: Rect, clip: Rect, path: tuple[int, ...]) -> Arranged:
    """Lines below each other."""
    left, top, wide, _ = area
    placed, y = [], top + 8.0
    for index, child in enumerate(node.children):
        h = work.measure(child, wide, True)[1]
        placed.append(work.place(child, (left, y, wide, h), clip, (*path, index)))
        y += h
    return tuple(placed), None


def _item_width(work: Pass, item: Node) -> float:
    text = next((child.text for child in item.children if child.kind == "text"), item.text)
    icons = 36.0 * sum(child.kind == "icon" for child in item.children)
    return work.line_width(text, "body") + icons + 2 * _ITEM_PAD


@measures("empty")
def measure_empty(work: Pass, node: Node, limit: float, _fill: bool) -> Size:
    """All the width; as high as icon and text with 48 dp around."""
    return limit, sum(work.measure(child, limit - 96, True)[1] for child in node.children) + 16 + 96


@arranges("empty")
def arrange_empty(work: Pass, node: Node, area: Rect, clip: Rect, path: tuple[int, ...]) -> Arranged:
    """Icon above text, in the middle."""
    left, top, wide, high = area
    sizes = [work.measure(child, wide - 96, True) for child in node.children]
    y = top + (high - sum(h for _, h in sizes) - 16) / 2
    placed = []
    for index, (child, (w, h)) in enumerate(zip(node.children, sizes, strict=True)):
        placed.append(work.place(child, (left + (wide - w) / 2, y, w, h), clip, (*path, index)))
        y += h + 16
    return tuple(placed), None
