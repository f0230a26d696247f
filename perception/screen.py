"""A screen as a policy sees it: one frame and its numbered elements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from device.frame import Foreground, Frame
from device.geometry import Box, Point


class Source(StrEnum):
    """Where an element was seen."""

    TREE = "tree"
    OCR = "ocr"
    ICON = "icon"


class TreeStatus(StrEnum):
    """Whether the accessibility tree could be used for this frame."""

    FRESH = "fresh"
    STALE = "stale"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """One thing on the screen that can be named, and usually touched.

    `mark` counts from 1 in reading order and lives as long as its screen; `key` persists from screen to
    screen. `text` is what is written there, `label` what it is called without being written (content
    description, inferred name); the two are never mixed. `states` holds any of checked, unchecked, selected,
    focused, disabled, scrollable, blocked. The text of a password field is never read.
    """

    mark: int
    key: str
    box: Box
    click: Point
    role: str
    text: str = ""
    label: str = ""
    states: frozenset[str] = frozenset()
    sources: frozenset[Source] = frozenset()
    confidence: float = 1.0
    interactable: bool = True
    password: bool = False
    resource_id: str = ""

    @property
    def name(self) -> str:
        """The best short name for people: the first written line, else the label, else the role."""
        return (self.text or self.label or self.role).split("\n")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """A frame with its elements in mark order (`elements[i].mark == i + 1`)."""

    frame: Frame
    elements: tuple[Element, ...]
    tree_status: TreeStatus
    tree_reason: str = ""
    confirm_ratio: float | None = None
    timings: Mapping[str, float] = field(default_factory=dict)

    @property
    def foreground(self) -> Foreground:
        return self.frame.foreground

    def element(self, mark: int) -> Element | None:
        """The element with that mark, or None: marks of another screen mean nothing here."""
        return self.elements[mark - 1] if 1 <= mark <= len(self.elements) else None
