"""How every constructor makes its node: attributes that all widgets share, and the props of one kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from device.virtual.ui.node import Act, Node

Pad = float | tuple[float, float, float, float]
"""Padding in dp: one number for all sides, or left, top, right, bottom."""


class Common(TypedDict, total=False):
    """Keywords every constructor takes.

    `id` is a short resource id (`save` becomes `package:id/save`; one with a colon stays as it is). `w`, `h`, `min_h`
    are dp; `weight` is the share of the free space in a row or column. `bg` is a colour (see `Theme.color`), `radius`
    its corners in dp. `on_back` (of a root), `swipe_up` and `swipe_down` are acts for the session. Of a root: `asks` is
    the permission that the screen asks for, `secure` keeps it out of captures.
    """

    id: str
    desc: str
    cls: str
    on_tap: Act | None
    on_long: Act | None
    enabled: bool
    w: float
    h: float
    min_h: float
    weight: float
    bg: str | None
    radius: float
    on_back: Act | None
    swipe_up: Act | None
    swipe_down: Act | None
    asks: str
    secure: bool


class Padded(Common, total=False):
    """Keywords of constructors that have no padding parameter of their own."""

    pad: Pad


class Styled(Padded, total=False):
    """Keywords of constructors without parameters for colour and selection of their own."""

    color: str
    selected: bool


_FIELDS = frozenset({"id", "desc", "cls", "on_tap", "on_long", "enabled", "selected"})


def make(
    kind: str,
    common: Mapping[str, Any],
    *,
    children: tuple[Node, ...] = (),
    text: str = "",
    cls: str = "",
    on_tap: Act | None = None,
    on_change: Act | None = None,
    checked: bool | None = None,
    selected: bool = False,
    password: bool = False,
    **props: Any,
) -> Node:
    """A node of `kind`; what the caller gave in `common` goes before what the constructor set. None means absent."""
    fields: dict[str, Any] = {"cls": cls, "on_tap": on_tap, "selected": selected}
    for key, value in common.items():
        if key in _FIELDS:
            fields[key] = value
        elif value is not None:
            props[key] = value
    pad = props.get("pad")
    if pad is not None:
        props["pad"] = sides(pad)
    return Node(
        kind=kind,
        text=text,
        children=children,
        on_change=on_change,
        checked=checked,
        password=password,
        props=props,
        **fields,
    )


def sides(pad: Pad) -> tuple[float, float, float, float]:
    """Padding as left, top, right, bottom."""
    return pad if isinstance(pad, tuple) else (pad, pad, pad, pad)


def present(*nodes: Node | None) -> tuple[Node, ...]:
    """The nodes that are there."""
    return tuple(node for node in nodes if node is not None)
