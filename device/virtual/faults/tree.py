"""Tree faults: the dump is empty, old, cut, shifted, poor, of the wrong window, or fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from device.virtual.faults.fault import Fault, choice, number
from device.virtual.ui.a11y import A11yNode, A11yWindow

Windows = tuple[A11yWindow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dump:
    """A tree about to be handed out. `path` is "stock" (`uiautomator dump`) or "u2"; `before` the one before it.

    `bar_px` is the height of the status bar. `lookup`: elements are looked up by a selector, nothing is dumped.
    """

    path: str
    bar_px: int = 0
    before: Windows | None = None
    lookup: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeFault(Fault):
    """`path`: which dump it concerns. A fault changes the windows, or the XML they have become."""

    path: str = choice("any", "stock", "u2")

    def fits(self, operation: Dump) -> bool:
        return self.path in ("any", operation.path) and not operation.lookup

    def change(self, windows: Windows, dump: Dump, random: Random) -> Windows:
        return windows

    def cut(self, xml: str) -> str:
        return xml


@dataclass(frozen=True, slots=True, kw_only=True)
class FailingDump(TreeFault):
    """`uiautomator dump` ends without a tree, with these words."""

    path: str = choice("stock")

    @property
    def words(self) -> str:
        return ""

    @property
    def status(self) -> int:
        return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class NotIdle(FailingDump):
    """The screen never stands still for the dumper."""

    @property
    def words(self) -> str:
        return "ERROR: could not get idle state."

    @property
    def status(self) -> int:
        return 0  # real ones end well all the same


@dataclass(frozen=True, slots=True, kw_only=True)
class DumpKilled(FailingDump):
    """The dumper is killed, as on screens too heavy for it."""

    @property
    def words(self) -> str:
        return "Killed"

    @property
    def status(self) -> int:
        return 137  # 128 + SIGKILL


@dataclass(frozen=True, slots=True, kw_only=True)
class EmptyTree(TreeFault):
    """There is no element: a game, a canvas. Selectors find nothing either."""

    def fits(self, operation: Dump) -> bool:
        return self.path in ("any", operation.path)

    def change(self, windows: Windows, dump: Dump, random: Random) -> Windows:
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TruncatedTree(TreeFault):
    """Only the first share of the XML."""

    share: float = number(0.5, 0, 1)

    def cut(self, xml: str) -> str:
        return xml[: int(len(xml) * self.share)]


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleTree(TreeFault):
    """The tree of the dump before; the first dump after arming is honest."""

    def fits(self, operation: Dump) -> bool:
        return TreeFault.fits(self, operation) and operation.before is not None

    def change(self, windows: Windows, dump: Dump, random: Random) -> Windows:
        assert dump.before is not None
        return dump.before


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundsOff(TreeFault):
    """All bounds lie lower by `px`; 0 stands for the height of the status bar."""

    px: int = number(0, -4000, 4000)

    def change(self, windows: Windows, dump: Dump, random: Random) -> Windows:
        down = self.px or dump.bar_px

        def lower(node: A11yNode) -> A11yNode:
            left, top, right, bottom = node.bounds
            return replace(node, bounds=(left, top + down, right, bottom + down))

        return _mapped(windows, lower)


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingTexts(TreeFault):
    """A share of the elements has neither text nor description; `of` "buttons": only what can be touched."""

    share: float = number(1.0, 0, 1)
    of: str = choice("any", "buttons")

    def change(self, windows: Windows, dump: Dump, random: Random) -> Windows:
        def silence(node: A11yNode) -> A11yNode:
            if (self.of == "buttons" and not node.clickable) or random.random() >= self.share:
                return node
            return replace(node, text="", desc="", hint="")

        return _mapped(windows, silence)


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateIds(TreeFault):
    """All elements of a package that have an id have the same one."""

    def change(self, windows: Windows, dump: Dump, random: Random) -> Windows:
        def rename(node: A11yNode) -> A11yNode:
            return replace(node, resource_id=f"{node.package}:id/item") if node.resource_id else node

        return _mapped(windows, rename)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongWindow(TreeFault):
    """The tree of the system's bars in place of the app's."""

    def change(self, windows: Windows, dump: Dump, random: Random) -> Windows:
        bars = tuple(window for window in windows if window.type in ("status_bar", "nav_bar"))
        return tuple(replace(window, focused=not number) for number, window in enumerate(bars))


@dataclass(frozen=True, slots=True, kw_only=True)
class RootsShuffled(TreeFault):
    """The windows in a random order: the real server keeps them in a hash set."""

    def change(self, windows: Windows, dump: Dump, random: Random) -> Windows:
        return tuple(random.sample(windows, len(windows)))


@dataclass(frozen=True, slots=True, kw_only=True)
class AutomationTaken(Fault):
    """Another program holds UiAutomation: no server starts, and no dump is made."""


def _mapped(windows: Windows, change: Callable[[A11yNode], A11yNode]) -> Windows:
    def walk(node: A11yNode) -> A11yNode:
        return replace(change(node), children=tuple(map(walk, node.children)))

    return tuple(replace(window, root=walk(window.root)) for window in windows)
