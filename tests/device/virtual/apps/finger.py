"""A finger on a virtual phone that knows only what the accessibility tree says: it finds, scrolls, taps, types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from device.virtual.core.world import diff
from device.virtual.phone import VirtualPhone
from device.virtual.ui import A11yNode


class Finger:
    """Touches what a person would see; every look is a fresh one."""

    def __init__(self, phone: VirtualPhone) -> None:
        self.phone = phone
        self._before: dict[str, Any] = phone.world.to_json()

    def nodes(self, *types: str) -> Iterator[A11yNode]:
        """Visible nodes of the windows of these types (app and dialog by default), in drawing order."""
        for window in self.phone.windows():
            if window.type in (types or ("app", "dialog")):
                yield from _walk(window.root)

    def texts(self, *types: str) -> list[str]:
        """What can be read."""
        return [node.text for node in self.nodes(*types) if node.text]

    def find(self, text: str = "", *, id: str = "", types: tuple[str, ...] = ()) -> A11yNode | None:
        """The first node with that text, description, hint or resource id."""
        found = None
        for node in self.nodes(*types):
            named = text and text in (node.text, node.desc, node.hint)
            if named or (id and node.resource_id.endswith(f"/{id}")):
                found = found or node
        return found

    def see(self, text: str = "", *, id: str = "") -> A11yNode:
        """As `find`, scrolling to the end of the list and failing with what was read."""
        self.top()
        read: list[str] = []
        while True:
            found = self.find(text, id=id)
            if found is not None and (self._whole(found) or not self._scrollable):
                return found
            if (now := self.texts()) == read or not self._scrollable:
                if found is not None:
                    return found
                raise AssertionError(f"nowhere on the screen: {text or id!r}; last read {read}")
            read = now
            self.scroll()

    def tap(self, text: str = "", *, id: str = "", types: tuple[str, ...] = ()) -> None:
        """Tap it, scrolling for it first when it is in an app."""
        node = self.find(text, id=id, types=types) if types else self.see(text, id=id)
        assert node is not None, f"not there: {text or id!r} in {types}; read {self.texts(*types)}"
        left, top, right, bottom = node.bounds
        self.phone.tap((left + right) / 2, (top + bottom) / 2)
        self.phone.settle()

    def scroll(self, share: float = 0.45) -> None:
        """Move the list up by a share of the screen."""
        width, height = self.phone.size
        self.phone.swipe([(width * 0.5, height * 0.75), (width * 0.5, height * (0.75 - share))], 900)
        self.phone.settle()

    def top(self) -> None:
        """Go to the beginning of the list."""
        read: list[str] = []
        while self._scrollable and (now := self.texts()) != read:
            read = now
            width, height = self.phone.size
            self.phone.swipe([(width * 0.5, height * 0.4), (width * 0.5, height * 0.85)], 600)
            self.phone.settle()

    def type(self, text: str) -> None:
        """Put text into the focused field."""
        assert self.phone.commit_text(text), "no field has the focus"
        self.phone.settle()

    def fill(self, label: str, text: str) -> None:
        """Tap a field and type into it."""
        self.tap(label)
        self.type(text)

    def back(self) -> None:
        """Press Back."""
        self.phone.key(4)
        self.phone.settle()

    def changes(self) -> list[tuple[str, Any, Any]]:
        """What is different in the world since the last call, as (path, before, after)."""
        now = self.phone.world.to_json()
        found = [(one["path"], one["before"], one["after"]) for one in diff(self._before, now)]
        self._before = now
        return found

    @property
    def _scrollable(self) -> bool:
        return any(node.scrollable for node in self.nodes())

    def _whole(self, node: A11yNode) -> bool:
        """Whether it lies clear of the bars, the fold and a floating button."""
        height = self.phone.size[1]
        return node.bounds[1] >= height * 0.03 and node.bounds[3] <= height * 0.86


def _walk(node: A11yNode) -> Iterator[A11yNode]:
    yield node
    for child in node.children:
        yield from _walk(child)
