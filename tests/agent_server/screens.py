"""Screens made by hand, for what judges screens without a phone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from device.frame import Foreground, Frame
from device.geometry import Box, Size
from perception.screen import Element, Screen, TreeStatus


def element(text: str = "", *, row: int = 0, role: str = "button", **values: Any) -> Element:
    """A full-width element in one of ten rows of the screen."""
    box = Box(0.05, 0.1 + row * 0.08, 0.95, 0.1 + row * 0.08 + 0.06)
    known = {"mark": 1, "key": f"{role}:{text}:{row}", "box": box, "click": box.center, "role": role, "text": text}
    return Element(**{**known, **values})


def screen(*elements: Element, app: str = "org.example", keyboard: bool | None = None) -> Screen:
    numbered = tuple(replace(one, mark=i) for i, one in enumerate(elements, 1))
    frame = Frame(
        data=b"",
        media_type="image/png",
        size=Size(540, 1200),
        rotation=0,
        taken_at=datetime(2026, 1, 1, tzinfo=UTC),
        foreground=Foreground(package=app),
        keyboard=keyboard,
    )
    return Screen(frame=frame, elements=numbered, tree_status=TreeStatus.FRESH)
