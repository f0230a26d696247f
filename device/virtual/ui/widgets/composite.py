"""Composites: bars, rows, dialogs and keys, made of the other widgets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from device.virtual.ui.node import Act, Node
from device.virtual.ui.widgets.base import Padded, Styled, make, present
from device.virtual.ui.widgets.containers import Column
from device.virtual.ui.widgets.content import Icon, Text
from device.virtual.ui.widgets.controls import Button, IconButton, Radio, Slider, Switch

_NAV_WORDS = {"arrow_back": "Navigate up", "close": "Close", "menu": "Open navigation drawer"}


def TopBar(
    title: str,
    nav: str = "arrow_back",
    on_nav: Act | None = None,
    actions: Sequence[Node] = (),
    large: bool = False,
    **common: Unpack[Styled],
) -> Node:
    """The 64 dp bar at the top; a large one has its title on a line of its own below."""
    leading = IconButton(nav, desc=_NAV_WORDS.get(nav, nav), on_tap=on_nav, color="on_surface") if nav else None
    name = Text(title, style="display" if large else "title", max_lines=2 if large else 1, weight=0 if large else 1)
    end = 16 if actions and actions[-1].kind == "button" else 4
    spacing: Styled = {"pad": (4 if nav else 16, 8, end, 8)}
    return make(
        "large_top_bar" if large else "top_bar",
        {**spacing, **common},
        children=present(leading, name, *actions),
        gap=4 if nav else 0,
        align="center",
    )


def SectionHeader(text: str, **common: Unpack[Styled]) -> Node:
    """The small coloured heading above a group of rows."""
    shared: Styled = {"color": "primary", "id": "android:id/title", **common}
    return make("section_header", shared, text=text, style="label")


def ListItem(
    title: str,
    summary: str = "",
    icon: str = "",
    leading: Node | None = None,
    trailing: Node | None = None,
    **common: Unpack[Styled],
) -> Node:
    """A row with title and summary. The row is one target; icon and trailing node stand beside the texts."""
    first = leading if leading is not None else Icon(icon, id="android:id/icon") if icon else None
    children = present(first, _texts(title, summary, common.get("enabled", True)), trailing)
    return make("list_item", {**_spacing(children), **common}, children=children, gap=_gap(children[0]), align="center")


def SwitchItem(
    title: str,
    checked: bool,
    on_change: Act | None = None,
    summary: str = "",
    icon: str = "",
    **common: Unpack[Styled],
) -> Node:
    """A row that toggles as a whole; its switch shows the state and is no target of its own."""
    enabled = bool(common.get("enabled", True))
    switch = Switch(checked, id="android:id/switch_widget", enabled=enabled)
    tap = on_change.with_value(not checked) if on_change is not None else None
    first = Icon(icon, id="android:id/icon") if icon else None
    children = present(first, _texts(title, summary, common.get("enabled", True)), switch)
    return make(
        "list_item",
        {**_spacing(children), **common},
        children=children,
        on_tap=tap,
        on_change=on_change,
        gap=_gap(children[0]),
        align="center",
    )


def RadioItem(
    text: str,
    selected: bool = False,
    on_change: Act | None = None,
    summary: str = "",
    **common: Unpack[Padded],
) -> Node:
    """A row with a radio button before its text; the row is the target."""
    tap = on_change.with_value(True) if on_change is not None else None
    children = (Radio(selected, id="android:id/checkbox"), _texts(text, summary, common.get("enabled", True)))
    spacing: Styled = {**_spacing(children), "min_h": 56}
    return make(
        "list_item", {**spacing, **common}, children=children, on_tap=tap, on_change=on_change, gap=16, align="center"
    )


def SliderItem(
    title: str,
    value: float,
    lo: float,
    hi: float,
    on_change: Act | None = None,
    icon: str = "",
    **common: Unpack[Styled],
) -> Node:
    """A row with a slider below its title."""
    slider = Slider(value, lo, hi, on_change, id="android:id/seekbar", desc=title)
    texts = Column(Text(title, style="list_title", id="android:id/title"), slider, align="stretch", weight=1)
    children = present(Icon(icon, id="android:id/icon") if icon else None, texts)
    return make("list_item", {**_spacing(children), **common}, children=children, gap=_gap(children[0]), align="center")


def Dialog(
    title: str, body: str | Node = "", buttons: Sequence[Node] = (), icon: str = "", **common: Unpack[Styled]
) -> Node:
    """A centred card with title, body and buttons at its end. As a root it is placed in the middle of its window."""
    centred = "center" if icon else "start"
    if isinstance(body, str):
        words = Text(body, style="body_small", color="on_surface_variant", id="android:id/message") if body else None
    else:
        words = body
    parts = present(
        Icon(icon, color="secondary") if icon else None,
        Text(title, style="headline", align=centred, id="alertTitle") if title else None,
        words,
    )
    roles = tuple(["icon"] * bool(icon) + ["title"] * bool(title) + ["body"] * (words is not None))
    return make("dialog", common, children=(*parts, *buttons), roles=(*roles, *["button"] * len(buttons)))


def Menu(items: Sequence[Node | tuple[str, Act]], **common: Unpack[Styled]) -> Node:
    """The overflow menu, below the top bar at the end side. Items are (text, act) or nodes."""
    rows = tuple(item if isinstance(item, Node) else MenuItem(item[0], on_tap=item[1]) for item in items)
    return make("menu", common, children=rows)


def MenuItem(text: str, icon: str = "", **common: Unpack[Styled]) -> Node:
    """One line of a menu."""
    children = present(Icon(icon) if icon else None, Text(text, id="title", max_lines=1, weight=1))
    spacing: Styled = {"pad": (16, 0, 16, 0), "min_h": 48}
    return make("menu_item", {**spacing, **common}, children=children, gap=12, align="center")


def Tabs(labels: Sequence[str], selected: int = 0, on_select: Act | None = None, **common: Unpack[Padded]) -> Node:
    """Tabs of equal width; touching one does `on_select` with its index as the value."""
    tabs = tuple(
        make(
            "tab",
            {},
            text=label,
            selected=index == selected,
            on_tap=on_select.with_value(index) if on_select is not None else None,
            weight=1,
        )
        for index, label in enumerate(labels)
    )
    return make("tabs", common, children=tabs, align="stretch")


def Empty(icon: str, text: str, **common: Unpack[Styled]) -> Node:
    """What a screen shows when there is nothing to show."""
    children = (
        Icon(icon, size=48, color="outline"),
        Text(text, style="body", color="on_surface_variant", align="center", id="empty_text"),
    )
    return make("empty", common, children=children)


def Key(
    label: str, value: str, width: float = 1.0, style: str = "key", icon: str = "", **common: Unpack[Styled]
) -> Node:
    """A key of the on-screen keyboard. `style`: key, function, enter. `width` is its share of the row."""
    shared: Styled = {"desc": label, "weight": width, **common}
    return make("key", shared, text=label, on_tap=Act("ime.key", {"value": value}), value=value, style=style, icon=icon)


def BottomNav(
    items: Sequence[tuple[str, str]], selected: int = 0, on_select: Act | None = None, **common: Unpack[Padded]
) -> Node:
    """The bar of destinations at the bottom: (icon, label); touching one does `on_select` with its index."""
    entries = tuple(
        make(
            "nav_item",
            {},
            text=label,
            selected=index == selected,
            on_tap=on_select.with_value(index) if on_select is not None else None,
            icon=icon,
            weight=1,
        )
        for index, (icon, label) in enumerate(items)
    )
    return make("bottom_nav", common, children=entries, align="start")


def TextButton(text: str, **common: Unpack[Styled]) -> Node:
    """A button without a background, as dialogs have them."""
    return Button(text, style="text", **common)


def _spacing(children: tuple[Node, ...]) -> Styled:
    """Padding and least height of a row: texts begin 72 dp from the edge beside an icon of 24 or an avatar of 40 dp."""
    last = children[-1].kind
    start = 24.0 if children[0].kind in ("icon", "column", "radio") else 16.0
    end = {"icon_button": 12.0, "checkbox": 12.0, "button": 16.0}.get(last, 24.0)
    high = 8.0 if last in ("icon_button", "checkbox", "button") else 14.0
    return {"pad": (start, high, end, high), "min_h": 64}


def _gap(first: Node) -> float:
    return 24.0 if first.kind == "icon" else 16.0


def _texts(title: str, summary: str, enabled: bool) -> Node:
    faint = not enabled
    heading = Text(title, style="list_title", color="on_surface/38" if faint else "on_surface", id="android:id/title")
    if not summary:
        return make("column", {"weight": 1}, children=(heading,), gap=0, align="stretch", justify="start")
    tint = "on_surface_variant/38" if faint else "on_surface_variant"
    below = Text(summary, style="body_small", color=tint, id="android:id/summary")
    return make("column", {"weight": 1}, children=(heading, below), gap=0, align="stretch", justify="start")
