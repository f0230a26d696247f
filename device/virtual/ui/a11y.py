"""The accessibility tree: what a screen reader or `uiautomator dump` sees of the nodes that are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from device.virtual.ui.env import Env, LayoutState
from device.virtual.ui.layout import Placed, scroll_limit
from device.virtual.ui.node import Node

Bounds = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels of the screen."""

WindowType = Literal[
    "app", "dialog", "ime", "status_bar", "nav_bar", "shade", "toast", "keyguard", "alert", "heads_up", "dream"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class A11yNode:
    """One accessible element.

    `bounds` are clipped to what shows. `path` leads to the node in the laid-out tree; `window` is the number of its
    window. `range_value` is the value of a seek bar or progress bar. `important` is False for plain containers, which
    compressed dumps leave out. `text` of an empty field is its hint, as Android reports it.
    """

    cls: str
    package: str
    resource_id: str = ""
    text: str = ""
    desc: str = ""
    hint: str = ""
    bounds: Bounds
    checkable: bool = False
    checked: bool = False
    clickable: bool = False
    enabled: bool = True
    focusable: bool = False
    focused: bool = False
    scrollable: bool = False
    long_clickable: bool = False
    password: bool = False
    selected: bool = False
    visible: bool = True
    editable: bool = False
    important: bool = True
    range_value: float | None = None
    path: tuple[int, ...] = ()
    window: int = 0
    children: tuple[A11yNode, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class A11yWindow:
    """A window with its tree; `type` says what it is for, `secure` that its pixels may not be captured."""

    type: WindowType
    package: str
    title: str
    focused: bool
    root: A11yNode
    secure: bool = False
    id: str = ""


CLASSES: Mapping[str, str] = {
    "text": "android.widget.TextView",
    "section_header": "android.widget.TextView",
    "app_icon": "android.widget.TextView",
    "icon": "android.widget.ImageView",
    "avatar": "android.widget.ImageView",
    "picture": "android.widget.ImageView",
    "button": "android.widget.Button",
    "icon_button": "android.widget.ImageButton",
    "chip": "android.widget.CompoundButton",
    "switch": "android.widget.Switch",
    "checkbox": "android.widget.CheckBox",
    "radio": "android.widget.RadioButton",
    "slider": "android.widget.SeekBar",
    "text_field": "android.widget.EditText",
    "progress": "android.widget.ProgressBar",
    "row": "android.widget.LinearLayout",
    "column": "android.widget.LinearLayout",
    "list_item": "android.widget.LinearLayout",
    "menu_item": "android.widget.LinearLayout",
    "search_bar": "android.widget.LinearLayout",
    "tab": "android.widget.LinearLayout",
    "empty": "android.widget.LinearLayout",
    "top_bar": "android.view.ViewGroup",
    "large_top_bar": "android.view.ViewGroup",
    "grid": "android.view.ViewGroup",
    "tabs": "android.widget.HorizontalScrollView",
    "menu": "android.widget.ListView",
}
"""Class by kind of node; every other kind is a FrameLayout."""

_ABSENT = frozenset({"spacer", "divider"})
_LABELLED = frozenset({"tab", "nav_item", "key"})
"""Kinds whose label is their description, as on Android; their class shows no text."""


def accessible(
    placed: Placed,
    package: str,
    offset: tuple[float, float],
    env: Env,
    state: LayoutState,
    window: int = 0,
) -> tuple[A11yNode, ...]:
    """The tree of a window at `offset` (left, top in dp): its root, or nothing when it has no visible area."""
    return tuple(_Reader(package, offset, env, state, window).read(placed, root=True))


@dataclass(frozen=True, slots=True)
class _Reader:
    package: str
    offset: tuple[float, float]
    env: Env
    state: LayoutState
    window: int

    def read(self, placed: Placed, *, root: bool = False) -> Iterator[A11yNode]:
        """The node, unless nothing of it shows; a list's rows that are scrolled away are not placed at all."""
        node = placed.node
        bounds = self._bounds(placed)
        if node.kind in _ABSENT or bounds is None:
            return
        children = tuple(found for child in placed.children for found in self.read(child))
        text, hint = self._text(node), _hint(node)
        field, scrolls = node.kind == "text_field", scroll_limit(placed) > 0
        clickable = node.on_tap is not None or (field and node.enabled)
        desc = node.desc or (node.text if node.kind in _LABELLED else "")
        acts = clickable or node.on_long is not None or node.checked is not None or scrolls or field
        yield A11yNode(
            cls=node.cls or _class(node),
            package=self.package,
            resource_id=resource_id(self.package, node.id),
            text=text or hint if field else text,
            desc=desc,
            hint=hint,
            bounds=bounds,
            checkable=node.checked is not None,
            checked=bool(node.checked),
            clickable=clickable,
            enabled=node.enabled,
            focusable=clickable or scrolls or node.kind == "slider",
            focused=field and self.state.focus is not None and node.props["bind"] == self.state.focus,
            scrollable=scrolls,
            long_clickable=node.on_long is not None or field,
            password=node.password,
            selected=node.selected,
            editable=field and node.enabled,
            important=root or acts or bool(text or desc) or node.kind in ("slider", "progress"),
            range_value=node.props.get("value") if node.kind in ("slider", "progress") else None,
            path=placed.path,
            window=self.window,
            children=children,
        )

    def _bounds(self, placed: Placed) -> Bounds | None:
        left, top, right, bottom = placed.clip
        x, y = self.offset
        edges = (
            max(left, placed.left) + x,
            max(top, placed.top) + y,
            min(right, placed.right) + x,
            min(bottom, placed.bottom) + y,
        )
        pixels = tuple(round(edge * self.env.density) for edge in edges)
        return (pixels[0], pixels[1], pixels[2], pixels[3]) if pixels[0] < pixels[2] and pixels[1] < pixels[3] else None

    def _text(self, node: Node) -> str:
        if node.kind in _LABELLED:
            return ""
        return BULLET * len(node.text) if node.password else node.text


BULLET = "\u2022"


def _hint(node: Node) -> str:
    return str(node.props.get("label") or node.props.get("hint") or "") if node.kind == "text_field" else ""


def _class(node: Node) -> str:
    if node.kind == "scroll":
        rows = any(child.kind == "list_item" for child in node.children)
        return "androidx.recyclerview.widget.RecyclerView" if rows else "android.widget.ScrollView"
    if node.kind == "fab":
        return "android.widget.Button" if node.text else "android.widget.ImageButton"
    return CLASSES.get(node.kind, "android.widget.FrameLayout")


def resource_id(package: str, short: str) -> str:
    """`save` as `package:id/save`; an id with a colon is complete."""
    return short if not short or ":" in short else f"{package}:id/{short}"


# --- dumps


_HEADER = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
_UNLABELLED = ("GridView", "GridLayout", "ListView", "TableLayout")
"""Classes that may be touched without a label, after the dumper of Android's uiautomator tool."""


def to_xml(
    windows: Sequence[A11yWindow], rotation: int, *, u2: bool, compressed: bool = False, max_depth: int = 50
) -> str:
    """The windows as XML: as uiautomator2's server writes it, or (one window) as `uiautomator dump` does.

    Attributes, their order and the escaping are those of recorded dumps; nodes deeper than `max_depth` (the top of a
    window is 1) are left out, `compressed` leaves out plain containers.
    """
    roots = [window.root for window in windows] if u2 else [window.root for window in windows[:1]]
    writer = _Writer(u2=u2, compressed=compressed, max_depth=max_depth, parts=[_HEADER])
    writer.newline(0)
    if not roots:
        return "".join([*writer.parts, f'<hierarchy rotation="{rotation}" />'])
    writer.parts.append(f'<hierarchy rotation="{rotation}">')
    for root in roots:
        writer.node(root, 0, 1)
    writer.newline(0)
    writer.parts.append("</hierarchy>")
    return "".join(writer.parts)


@dataclass(frozen=True, slots=True)
class _Writer:
    u2: bool
    compressed: bool
    max_depth: int
    parts: list[str]

    def newline(self, depth: int) -> None:
        """uiautomator2's server indents, the stock tool does not."""
        if self.u2:
            self.parts.append("\r\n" + "  " * depth)

    def node(self, node: A11yNode, index: int, depth: int) -> None:
        """The element with what is below it."""
        self.newline(depth)
        self.parts.append(
            "<node" + "".join(f" {name}={quoted(value)}" for name, value in self._attributes(node, index))
        )
        children = list(self._children(node)) if depth < self.max_depth else []
        if not children:
            self.parts.append(" />")
            return
        self.parts.append(">")
        for at, child in enumerate(children):
            self.node(child, at, depth + 1)
        self.newline(depth)
        self.parts.append("</node>")

    def _children(self, node: A11yNode) -> Iterator[A11yNode]:
        for child in node.children:
            if self.compressed and not child.important:
                yield from self._children(child)
            else:
                yield child

    def _attributes(self, node: A11yNode, index: int) -> Iterator[tuple[str, str]]:
        if unlabelled(node):
            yield "NAF", "true"
        ranged = self.u2 and node.range_value is not None
        yield "index", str(index)
        yield "text", str(float(f"{node.range_value:.7g}")) if ranged else node.text
        yield "resource-id", node.resource_id
        yield "class", node.cls
        yield "package", node.package
        yield "content-desc", node.desc
        for name, value in (
            ("checkable", node.checkable),
            ("checked", node.checked),
            ("clickable", node.clickable),
            ("enabled", node.enabled),
            ("focusable", node.focusable),
            ("focused", node.focused),
            ("scrollable", node.scrollable),
            ("long-clickable", node.long_clickable),
            ("password", node.password),
            ("selected", node.selected),
        ):
            yield name, "true" if value else "false"
        if self.u2:
            yield "visible-to-user", "true" if node.visible else "false"
        yield "bounds", "[{},{}][{},{}]".format(*node.bounds)
        if self.u2:
            yield "drawing-order", str(index + 1)
            yield "hint", node.hint
            yield "display-id", "0"


def unlabelled(node: A11yNode) -> bool:
    """Whether a dump marks the node NAF: it can be touched, but nothing in it has a text or description."""
    if any(name in node.cls for name in _UNLABELLED):
        return False
    return node.clickable and node.enabled and not _labelled(node)


def _labelled(node: A11yNode) -> bool:
    return bool(node.text or node.desc) or any(map(_labelled, node.children))


def quoted(value: str) -> str:
    """An attribute value as Android's XML serializer writes it: in apostrophes where it holds quotes only."""
    if value.isascii() and value.isalnum():
        return f'"{value}"'
    quote = "'" if '"' in value else '"'
    return quote + "".join(_escaped(char, quote) for char in value) + quote


def _escaped(char: str, quote: str) -> str:
    point = ord(char)
    if char in "&<>" or char == quote:
        return {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}[char]
    if char in "\t\n\r" or point > 0xFFFF:
        return f"&#{point};"
    control = point < 0x20 or 0x7F <= point <= 0x84 or 0x86 <= point <= 0x9F
    return "." if control or 0xD800 <= point <= 0xDFFF or 0xFDD0 <= point <= 0xFDDF or point > 0xFFFD else char
