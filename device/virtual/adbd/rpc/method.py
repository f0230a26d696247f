"""What a method of the automation server is given."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from device.virtual.adbd.bridge import PhoneHost
from device.virtual.adbd.conditions import Conditions
from device.virtual.adbd.rpc.errors import invalid_params, java_error, not_found
from device.virtual.adbd.rpc.selector import BadSelector, Selector, find, parse_selector
from device.virtual.adbd.shell.input import NOT_ALLOWED
from device.virtual.faults import reader
from device.virtual.faults.hand import Hand, InjectionNotAllowed
from device.virtual.faults.tree import Windows
from device.virtual.phone import VirtualPhone
from device.virtual.ui.a11y import A11yNode

Params = Sequence[Any]
Shell = Callable[[str], Awaitable[tuple[int, bytes, bytes]]]

GESTURE_SECONDS = 60.0
"""A gesture that has not ended by then belongs to a phone that is gone."""


@dataclass(slots=True)
class Watcher:
    """What to do when all its elements are on the screen: click one, or press keys."""

    conditions: tuple[Selector, ...]
    click: Selector | None = None
    keys: tuple[str, ...] = ()
    triggered: bool = False


@dataclass(slots=True)
class Automation:
    """One run of the server: the phone, and what clients asked it to remember."""

    host: PhoneHost
    shell: Shell
    conditions: Conditions
    objects: dict[str, Selector] = field(default_factory=dict)
    watchers: dict[str, Watcher] = field(default_factory=dict)
    configurator: dict[str, int] = field(
        default_factory=lambda: {
            "actionAcknowledgmentTimeout": 3000,
            "keyInjectionDelay": 0,
            "scrollAcknowledgmentTimeout": 200,
            "uiAutomationFlags": 0,
            "waitForIdleTimeout": 0,
            "waitForSelectorTimeout": 0,
        }
    )
    _names: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def remember(self, selector: Selector) -> str:
        """A name under which clients may refer to the element."""
        name = str(next(self._names))
        self.objects[name] = selector
        return name

    def target(self, value: object) -> Selector:
        """A selector object, or the name of a remembered one."""
        if isinstance(value, str):
            if value not in self.objects:
                raise not_found(f"[{value}]")
            return self.objects[value]
        try:
            return parse_selector(value)
        except BadSelector as error:
            raise java_error("java.lang.IllegalArgumentException", str(error)) from None

    def hand(self, phone: VirtualPhone) -> Hand:
        """The phone's input as the server reaches it."""
        return Hand(phone, self.conditions.injector, "u2")

    def windows(self, phone: VirtualPhone) -> Windows:
        """What selectors look through."""
        return reader.windows(phone, self.conditions.injector)

    async def gesture(self, act: Callable[[Hand], Any]) -> bool:
        """Carry a gesture out and wait until it is over."""
        try:
            pending = await self.host.run(lambda phone: act(self.hand(phone)))
        except InjectionNotAllowed:
            raise java_error(*NOT_ALLOWED.split(": ", 1)) from None
        if pending is not None and not isinstance(pending, bool):
            await self.host.until(lambda phone: pending.done, GESTURE_SECONDS)
        return True

    async def element(self, value: object) -> A11yNode:
        """The element now on the screen; raises the error for a missing one."""
        selector = self.target(value)
        node = await self.host.run(lambda phone: find(self.windows(phone), selector))
        if node is None:
            raise not_found(selector)
        return node


Method = Callable[[Automation, Params], Awaitable[Any]]


def numbers(method: str, params: Params, *counts: int) -> list[float]:
    """All parameters as numbers; their number must be one of `counts`."""
    if len(params) not in counts or not all(isinstance(p, int | float) and not isinstance(p, bool) for p in params):
        raise invalid_params(method)
    return [float(p) for p in params]


def center(node: A11yNode) -> tuple[float, float]:
    """The middle pixel of what shows of an element, as Android rounds it."""
    left, top, right, bottom = node.bounds
    return float((left + right) // 2), float((top + bottom) // 2)
