"""Screens made by hand, as a policy would be given them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from device.frame import Foreground, Frame
from device.geometry import Box, Size
from perception.screen import Element, Screen, Source, TreeStatus


def element(
    text: str = "",
    *,
    label: str = "",
    role: str = "list_item",
    states: Sequence[str] = (),
    row: float = 0,
    column: float = 0.0,
    width: float = 1.0,
    interactable: bool = True,
    password: bool = False,
) -> Element:
    """An element in a row of a twelfth of the screen's height; the mark is given by `screen`."""
    top = 0.06 + row * 0.07
    box = Box(column, top, min(column + width, 1.0), top + 0.06)
    return Element(
        mark=1,
        key=f"{role}:{text or label}:{row}",
        box=box,
        click=box.center,
        role=role,
        text=text,
        label=label,
        states=frozenset(states),
        sources=frozenset({Source.TREE}),
        interactable=interactable,
        password=password,
    )


def screen(*elements: Element, keyboard: bool = False, tree: TreeStatus = TreeStatus.FRESH, app: str = "a.b") -> Screen:
    frame = Frame(
        data=b"",
        media_type="image/png",
        size=Size(1080, 2400),
        rotation=0,
        taken_at=datetime(2026, 1, 1, tzinfo=UTC),
        foreground=Foreground(package=app),
        keyboard=keyboard,
    )
    numbered = tuple(replace(one, mark=mark) for mark, one in enumerate(elements, 1))
    return Screen(frame=frame, elements=numbered, tree_status=tree)




def rows(*names: str) -> tuple[Element, ...]:
    return tuple(element(name, row=place) for place, name in enumerate(names))
