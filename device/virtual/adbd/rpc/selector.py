"""Finding elements as uiautomator does: one search over all windows for plain selectors, another for chained ones.

A plain selector (no index, instance, child or sibling) becomes a BySelector: every window is searched, the active one
first, and text comparisons mind the case. Any other becomes a UiSelector: only the active window is searched, `index`
is the place among the siblings, `instance` counts matches, and contains/starts-with ignore the case.
Source: bytecode of com.wetest.uia2.stub.Selector in u2.jar 0.2.x; AOSP androidx.test.uiautomator QueryController.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from device.virtual.ui.a11y import A11yNode, A11yWindow

TEXT, TEXT_CONTAINS, TEXT_MATCHES, TEXT_STARTS = 0x1, 0x2, 0x4, 0x8
CLASS, CLASS_MATCHES = 0x10, 0x20
DESC, DESC_CONTAINS, DESC_MATCHES, DESC_STARTS = 0x40, 0x80, 0x100, 0x200
PACKAGE, PACKAGE_MATCHES, ID, ID_MATCHES = 0x80000, 0x100000, 0x200000, 0x400000
INDEX, INSTANCE = 0x800000, 0x1000000

_STRINGS: Mapping[int, tuple[str, str, str]] = {
    # bit: field of the selector, attribute of the node, comparison
    TEXT: ("text", "text", "equals"),
    TEXT_CONTAINS: ("textContains", "text", "contains"),
    TEXT_MATCHES: ("textMatches", "text", "matches"),
    TEXT_STARTS: ("textStartsWith", "text", "starts"),
    CLASS: ("className", "cls", "equals"),
    CLASS_MATCHES: ("classNameMatches", "cls", "matches"),
    DESC: ("description", "desc", "equals"),
    DESC_CONTAINS: ("descriptionContains", "desc", "contains"),
    DESC_MATCHES: ("descriptionMatches", "desc", "matches"),
    DESC_STARTS: ("descriptionStartsWith", "desc", "starts"),
    PACKAGE: ("packageName", "package", "equals"),
    PACKAGE_MATCHES: ("packageNameMatches", "package", "matches"),
    ID: ("resourceId", "resource_id", "equals"),
    ID_MATCHES: ("resourceIdMatches", "resource_id", "matches"),
}
_FLAGS: Mapping[int, tuple[str, str]] = {
    0x400: ("checkable", "checkable"),
    0x800: ("checked", "checked"),
    0x1000: ("clickable", "clickable"),
    0x2000: ("longClickable", "long_clickable"),
    0x4000: ("scrollable", "scrollable"),
    0x8000: ("enabled", "enabled"),
    0x10000: ("focusable", "focusable"),
    0x20000: ("focused", "focused"),
    0x40000: ("selected", "selected"),
}


class BadSelector(ValueError):
    """The object is no selector, or an expression in it is none."""


@dataclass(frozen=True, slots=True)
class Step:
    """One selector of a chain, as "root", "child" or "sibling" of the one before."""

    relation: str
    conditions: Mapping[int, Any]

    @property
    def instance(self) -> int:
        return int(self.conditions.get(INSTANCE, 0))


@dataclass(frozen=True, slots=True)
class Selector:
    """A parsed selector with its own children and siblings, flattened to a chain."""

    steps: tuple[Step, ...]

    @property
    def plain(self) -> bool:
        """Whether uiautomator searches all windows for it."""
        return len(self.steps) == 1 and not ({INDEX, INSTANCE} & self.steps[0].conditions.keys())

    def at(self, instance: int) -> Selector:
        """The same selector for another match of its last step."""
        last = self.steps[-1]
        changed = Step(last.relation, {**last.conditions, INSTANCE: instance})
        return Selector((*self.steps[:-1], changed))

    def __str__(self) -> str:
        """As uiautomator writes it in its errors."""
        return "".join(f"UiSelector[{_describe(step)}]" for step in self.steps)


def parse_selector(value: object) -> Selector:
    """A selector object of the JSON interface; raises BadSelector."""
    return Selector(tuple(_steps(value, "root")))


def _steps(value: object, relation: str) -> Iterator[Step]:
    if not isinstance(value, Mapping) or not isinstance(value.get("mask"), int | float):
        raise BadSelector(f"a selector is an object with a mask, not {type(value).__name__}")
    mask = int(value["mask"])
    conditions: dict[int, Any] = {}
    for bit, (name, _, how) in _STRINGS.items():
        if mask & bit:
            text = value.get(name)
            if not isinstance(text, str):
                raise BadSelector(f"{name} must be text, not {text!r}")
            conditions[bit] = _pattern(text) if how == "matches" else text
    for bit, (name, _) in _FLAGS.items():
        if mask & bit:
            conditions[bit] = bool(value.get(name))
    for bit, name in ((INDEX, "index"), (INSTANCE, "instance")):
        if mask & bit:
            conditions[bit] = int(value.get(name, 0))
    yield Step(relation, conditions)
    relations, selectors = value.get("childOrSibling") or (), value.get("childOrSiblingSelector") or ()
    for kind, inner in zip(relations, selectors, strict=False):
        yield from _steps(inner, str(kind).lower())


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text, re.DOTALL)
    except re.error as error:
        raise BadSelector(f"java.util.regex.PatternSyntaxException: {error} near index 0\n{text}") from None


def find(windows: Sequence[A11yWindow], selector: Selector) -> A11yNode | None:
    """The first element that fits, or None."""
    if selector.plain:
        return next(_everywhere(windows, selector.steps[0].conditions), None)
    active = active_window(windows)
    return None if active is None else _Chained(selector.steps).search(active.root)


def find_all(windows: Sequence[A11yWindow], selector: Selector) -> list[A11yNode]:
    """Every element that fits, in the order in which `instance` counts them."""
    found: list[A11yNode] = []
    while (node := find(windows, selector.at(len(found)))) is not None:
        found.append(node)
    return found


def active_window(windows: Sequence[A11yWindow]) -> A11yWindow | None:
    """The window with the input focus."""
    return next((window for window in windows if window.focused), None)


def walk(node: A11yNode) -> Iterator[A11yNode]:
    """Every visible element below and including this one, parents first."""
    if node.visible:
        yield node
        for child in node.children:
            yield from walk(child)


def _everywhere(windows: Sequence[A11yWindow], conditions: Mapping[int, Any]) -> Iterator[A11yNode]:
    for window in sorted(windows, key=lambda window: not window.focused):
        for node in walk(window.root):
            if _fits(node, 0, conditions, ignore_case=False):
                yield node


class _Chained:
    """A depth-first search that moves on to the next step wherever one matches, and back out when that leads nowhere.

    `instance` counts the places where all other conditions of a step hold.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = steps
        self._seen = [0] * len(steps)

    def search(self, root: A11yNode) -> A11yNode | None:
        return self._search(0, root, None, 0)

    def _search(self, at: int, node: A11yNode, parent: A11yNode | None, index: int) -> A11yNode | None:
        start = node
        if self._matches(at, node, index):
            if at == len(self._steps) - 1:
                return node
            at += 1
            if self._steps[at].relation == "sibling":
                if parent is None:
                    return None
                start = parent
        for place, child in enumerate(start.children):
            if child.visible and (found := self._search(at, child, start, place)) is not None:
                return found
        return None

    def _matches(self, at: int, node: A11yNode, index: int) -> bool:
        step = self._steps[at]
        if not _fits(node, index, step.conditions, ignore_case=True):
            return False
        if self._seen[at] == step.instance:
            return True
        self._seen[at] += 1
        return False


def _fits(node: A11yNode, index: int, conditions: Mapping[int, Any], *, ignore_case: bool) -> bool:
    for bit, wanted in conditions.items():
        if bit in _FLAGS:
            if getattr(node, _FLAGS[bit][1]) != wanted:
                return False
        elif bit in _STRINGS:
            _, attribute, how = _STRINGS[bit]
            if not _COMPARE[how](getattr(node, attribute), wanted, ignore_case):
                return False
        elif bit == INDEX and index != wanted:
            return False
    return True


def _fold(text: str, ignore_case: bool) -> str:
    return text.lower() if ignore_case else text


_COMPARE: Mapping[str, Callable[[str, Any, bool], bool]] = {
    "equals": lambda text, wanted, fold: text == wanted,
    "contains": lambda text, wanted, fold: _fold(wanted, fold) in _fold(text, fold),
    "starts": lambda text, wanted, fold: _fold(text, fold).startswith(_fold(wanted, fold)),
    "matches": lambda text, wanted, fold: wanted.fullmatch(text) is not None,
}


def _describe(step: Step) -> str:
    names = {bit: name for bit, (name, _, _) in _STRINGS.items()} | {bit: name for bit, (name, _) in _FLAGS.items()}
    names |= {INDEX: "index", INSTANCE: "instance"}
    parts = [
        f"{_upper(names[bit])}={value.pattern if isinstance(value, re.Pattern) else str(value)}"
        for bit, value in step.conditions.items()
    ]
    return ", ".join(parts)


def _upper(name: str) -> str:
    return re.sub(r"([A-Z])", r"_\1", name).upper()
