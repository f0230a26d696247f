"""Content: text, icons and pictures."""

from __future__ import annotations

from typing import Unpack

from device.virtual.ui.node import Node
from device.virtual.ui.widgets.base import Padded, Styled, make


def Text(
    text: str,
    style: str = "body",
    color: str = "on_surface",
    max_lines: int | None = None,
    align: str = "start",
    **common: Unpack[Padded],
) -> Node:
    """Text in a style of `text.STYLES`; beyond `max_lines` it ends in an ellipsis. `align`: start, center, end."""
    return make("text", {**common, "color": color}, text=text, style=style, max_lines=max_lines or 0, align=align)


def Icon(
    name: str, size: float = 24, color: str = "on_surface_variant", filled: bool = False, **common: Unpack[Padded]
) -> Node:
    """A Material symbol of `size` dp."""
    return make("icon", {**common, "color": color}, icon=name, size=size, filled=filled)


def Avatar(initials: str, hue: int = 217, size: float = 40, **common: Unpack[Styled]) -> Node:
    """A disc with up to two letters; without letters, with a person. `hue` is 0..359."""
    return make("avatar", common, initials=initials, hue=hue, size=size)


def Picture(kind: str = "wallpaper", seed: int = 1, **common: Unpack[Styled]) -> Node:
    """A painted picture that fills its place; the seed chooses colours and shapes."""
    return make("picture", common, picture=kind, seed=seed)


def AppIcon(icon: str, hue: int, label: str = "", size: float = 56, **common: Unpack[Styled]) -> Node:
    """A launcher icon: a disc with a white glyph, the label below it in `color` (white by default)."""
    return make("app_icon", common, text=label, icon=icon, hue=hue, size=size)
