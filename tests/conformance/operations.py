"""How an operation of a client library is written down: what is done, and what must have come of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from device.virtual.phone import VirtualPhone
from device.virtual.ui.a11y import A11yNode

SETTINGS, CONTACTS, LAUNCHER = "com.android.settings", "org.tapwright.contacts", "org.tapwright.launcher"
ADB_KEYBOARD = "com.github.uiautomator/.AdbKeyboard"


@dataclass(frozen=True, slots=True)
class Operation:
    """`run(device, live)` does it and asserts its effect."""

    name: str
    run: Callable[[Any, Any], None]


class Operations(list[Operation]):
    """Collects operations by decorator, in the order in which they are written."""

    def add(self, run: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
        self.append(Operation(run.__name__, run))
        return run


def nodes(phone: VirtualPhone) -> list[A11yNode]:
    """Every visible element of every window."""
    found: list[A11yNode] = []

    def walk(node: A11yNode) -> None:
        found.append(node)
        for child in node.children:
            walk(child)

    for window in phone.windows():
        walk(window.root)
    return found


def open_settings(live: Any) -> None:
    """Show the Settings app."""
    live.ask(lambda phone: phone.start(SETTINGS))
    assert live.until(lambda phone: not phone.animating)


def open_editor(live: Any) -> None:
    """Show the editor of a new contact with the first field in focus."""
    live.ask(lambda phone: phone.start(CONTACTS))
    live.until(lambda phone: not phone.animating)
    live.ask(lambda phone: phone.click_node(_create_button(phone)))
    assert live.until(lambda phone: any(node.editable for node in nodes(phone)) and not phone.animating)
    live.ask(lambda phone: phone.click_node(next(node for node in nodes(phone) if node.editable)))
    assert live.until(lambda phone: phone.focused_field is not None and not phone.animating)


def _create_button(phone: VirtualPhone) -> A11yNode:
    labels = ("create", "add", "new")
    return next(node for node in nodes(phone) if node.clickable and node.desc.lower().startswith(labels))


def field_text(phone: VirtualPhone) -> str:
    """What the focused field holds."""
    node = next(node for node in nodes(phone) if node.editable and node.focused)
    return "" if node.text == node.hint else node.text


def inputs(phone: VirtualPhone) -> list[dict[str, Any]]:
    """Inputs so far, in order."""
    return [dict(entry.data) for entry in phone.journal if entry.kind in ("input", "key")]


def last_input(phone: VirtualPhone) -> dict[str, Any]:
    return inputs(phone)[-1]


def front(phone: VirtualPhone) -> str:
    return phone.foreground[0]
