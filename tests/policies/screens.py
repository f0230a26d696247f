"""Screens made by hand, as perception would give them to a policy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from device.frame import Foreground, Frame
from device.geometry import Box, Size
from perception.screen import Element, Screen, Source, TreeStatus

ROW = 0.06
"""Height of one row of `element`, as a share of the screen."""


def element(
    text: str = "",
    *,
    label: str = "",
    role: str = "list_item",
    states: Sequence[str] = (),
    row: float = 0,
    left: float = 0.0,
    right: float = 1.0,
    interactable: bool = True,
    password: bool = False,
    source: Source = Source.TREE,
    rows: float = 1,
) -> Element:
    """An element in the given row below the status bar; mark and key are given by `screen`."""
    top = 0.05 + row * ROW
    box = Box(left, top, right, min(top + rows * ROW - 0.005, 1.0))
    return Element(
        mark=1,
        key="",
        box=box,
        click=box.center,
        role=role,
        text=text,
        label=label,
        states=frozenset(states),
        sources=frozenset({source}),
        interactable=interactable,
        password=password,
    )


def screen(
    *elements: Element, keyboard: bool | None = False, tree: TreeStatus = TreeStatus.FRESH, app: str = "org.example"
) -> Screen:
    """Numbered elements on an empty frame; keys as `perception.merge` makes them."""
    seen: Counter[str] = Counter()
    numbered = []
    for mark, one in enumerate(elements, 1):
        name = one.label if one.role == "text_field" else one.text.split("\n")[0] or one.label
        stem = f"{one.role}:{name}"
        seen[stem] += 1
        numbered.append(replace(one, mark=mark, key=stem if seen[stem] == 1 else f"{stem}#{seen[stem]}"))
    frame = Frame(
        data=b"",
        media_type="image/png",
        size=Size(1080, 2400),
        rotation=0,
        taken_at=datetime(2026, 1, 1, tzinfo=UTC),
        foreground=Foreground(package=app),
        keyboard=keyboard,
    )
    return Screen(frame=frame, elements=tuple(numbered), tree_status=tree)


def listed(*names: str) -> tuple[Element, ...]:
    """Rows of a list, one below the other."""
    return tuple(element(name, row=place) for place, name in enumerate(names))


def read(text: str, row: float = 0, rows: float = 1) -> Element:
    """A piece of writing that only OCR has seen."""
    return element(text, role="text", row=row, right=0.6, source=Source.OCR, rows=rows)
