"""Controls: widgets that are tapped, switched, dragged or typed into.

A control that produces a value carries its act as `on_change`. Where one tap decides the value (switch, checkbox,
radio, tab) `on_tap` is that act with the value filled in, so that whoever taps needs to know nothing else.
"""

from __future__ import annotations

from typing import Unpack

from device.virtual.ui.node import Act, Node
from device.virtual.ui.widgets.base import Padded, Styled, make
from device.virtual.ui.widgets.content import Icon


def Button(text: str, style: str = "filled", icon: str = "", **common: Unpack[Styled]) -> Node:
    """A pill with text. `style`: filled, tonal, outlined, text."""
    return make("button", common, text=text, style=style, icon=icon)


def IconButton(
    icon: str, *, size: float = 24, filled: bool = False, style: str = "standard", **common: Unpack[Styled]
) -> Node:
    """An icon in a 48 dp target. `style`: standard, filled, tonal, outlined (with a 40 dp disc)."""
    return make("icon_button", common, icon=icon, size=size, filled=filled, style=style)


def Fab(icon: str, text: str = "", **common: Unpack[Styled]) -> Node:
    """The floating action button; with text it is the wide one."""
    return make("fab", common, text=text, icon=icon)


def Chip(text: str, selected: bool = False, icon: str = "", **common: Unpack[Padded]) -> Node:
    """A filter chip; a selected one is filled and ticked."""
    return make("chip", common, text=text, selected=selected, checked=selected, icon=icon)


def Switch(checked: bool, on_change: Act | None = None, **common: Unpack[Styled]) -> Node:
    """A 52 x 32 dp switch."""
    return make("switch", common, checked=checked, on_change=on_change, on_tap=_with(on_change, not checked))


def Checkbox(checked: bool, on_change: Act | None = None, text: str = "", **common: Unpack[Styled]) -> Node:
    """A tick box, with its text beside it."""
    tap = _with(on_change, not checked)
    return make("checkbox", common, text=text, checked=checked, on_change=on_change, on_tap=tap)


def Radio(selected: bool, text: str = "", on_change: Act | None = None, **common: Unpack[Padded]) -> Node:
    """A radio button, with its text beside it."""
    return make("radio", common, text=text, checked=selected, on_change=on_change, on_tap=_with(on_change, True))


def Slider(value: float, lo: float, hi: float, on_change: Act | None = None, **common: Unpack[Styled]) -> Node:
    """A slider from `lo` to `hi`; a tap or drag sets the value (see `slider_value`)."""
    return make("slider", common, on_change=on_change, value=min(max(value, lo), hi), lo=lo, hi=hi)


def TextField(
    bind: str,
    label: str = "",
    value: str = "",
    icon: str = "",
    kind: str = "text",
    multiline: bool = False,
    hint: str = "",
    variant: str = "outlined",
    **common: Unpack[Styled],
) -> Node:
    """An editable field; `value` is what it holds until somebody types.

    `kind`: text, phone, email, number, password. `variant`: outlined, filled, or bare (no frame).
    """
    return make(
        "text_field",
        common,
        text=value,
        password=kind == "password",
        bind=bind,
        label=label,
        hint=hint,
        icon=icon,
        input=kind,
        multiline=multiline,
        variant=variant,
    )


_PILL: Styled = {"pad": (16, 4, 4, 4), "h": 56, "radius": 28, "bg": "surface_container_high"}


def SearchBar(bind: str = "", hint: str = "", value: str = "", icon: str = "search", **common: Unpack[Styled]) -> Node:
    """The 56 dp search pill. With `bind` one types into it; without, it is a button (`on_tap`) that says `hint`."""
    if not bind:
        label = make("text", {"color": "on_surface_variant", "weight": 1}, text=hint, style="body", max_lines=1)
        return make("search_bar", {**_PILL, **common}, children=(Icon(icon), label), gap=16, align="center")
    ids = {"id": str(common.get("id", "")), "weight": 1}
    field = make("text_field", ids, text=value, bind=bind, label="", hint=hint, icon="", input="text", variant="bare")
    clear = make(
        "icon_button",
        {"desc": "Clear", "id": "clear"},
        icon="close",
        size=24,
        filled=False,
        style="standard",
        on_tap=Act("field.clear", {"bind": bind}),
        needs=bind,
    )
    outer: Styled = {**_PILL, **common, "id": ""}
    return make("search_bar", outer, children=(Icon(icon), field, clear), gap=16, align="center")


def Progress(value: float | None = None, **common: Unpack[Styled]) -> Node:
    """A progress bar from 0 to 1; None is the indefinite one."""
    return make("progress", common, value=value)


def _with(act: Act | None, value: bool) -> Act | None:
    return act.with_value(value) if act is not None else None
