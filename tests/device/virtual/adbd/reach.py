"""Finding things on the phone's screen for a test."""

from __future__ import annotations

from collections.abc import Iterator

from device.virtual.phone import VirtualPhone
from device.virtual.ui.a11y import A11yNode

SETTINGS, CONTACTS, LAUNCHER = "com.android.settings", "org.tapwright.contacts", "org.tapwright.launcher"


def nodes(phone: VirtualPhone) -> list[A11yNode]:
    """Every element of every window."""
    return [node for window in phone.windows() for node in _walk(window.root)]


def _walk(node: A11yNode) -> Iterator[A11yNode]:
    yield node
    for child in node.children:
        yield from _walk(child)


def open_field(phone: VirtualPhone) -> None:
    """Show the editor of a new contact with its first field in focus."""
    phone.start(CONTACTS)
    phone.settle()
    labels = ("create", "add", "new")
    phone.click_node(next(node for node in nodes(phone) if node.clickable and node.desc.lower().startswith(labels)))
    phone.settle()
    phone.click_node(next(node for node in nodes(phone) if node.editable))
    phone.settle()


def field_text(phone: VirtualPhone) -> str:
    """What the focused field holds."""
    node = next(node for node in nodes(phone) if node.editable and node.focused)
    return "" if node.text == node.hint else node.text
