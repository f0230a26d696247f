"""A phone whose time stands still, with faults armed, and what programs do to it."""

from __future__ import annotations

import io
from typing import Any

from PIL import Image

from device.virtual.faults.camera import Picture, capture
from device.virtual.faults.hand import Hand
from device.virtual.faults.injector import FaultInjector
from device.virtual.faults.plan import read_plan
from device.virtual.faults.reader import dump
from device.virtual.phone import VirtualPhone
from device.virtual.ui.a11y import A11yNode
from tests.device.virtual.adbd.reach import field_text, nodes, open_field

SETTINGS = "com.android.settings"


class Bench:
    """`arm` takes a rule's parts; the rest is what `input`, a capture or a dump would do."""

    def __init__(self) -> None:
        self.phone = VirtualPhone()
        self.injector = FaultInjector()

    def arm(self, fault: str, when: dict[str, Any] | None = None, seed: int = 0, **parameters: Any) -> None:
        rule = {"fault": fault, "parameters": parameters, "when": when or {}}
        self.injector.arm(self.phone, read_plan([rule], seed))

    def hand(self, path: str = "input") -> Hand:
        return Hand(self.phone, self.injector, path)

    def shot(self, path: str = "screencap", form: str = "png", **how: Any) -> Picture | None:
        return capture(self.phone, self.injector, path, form, **how)  # type: ignore[arg-type]

    def picture(self, path: str = "screencap") -> Image.Image:
        taken = self.shot(path)
        assert taken is not None
        return Image.open(io.BytesIO(taken.data)).convert("RGB")

    def seen(self) -> Image.Image:
        """What is really on the screen."""
        return self.phone.image().convert("RGB")

    def xml(self, path: str = "u2") -> str:
        return dump(self.phone, self.injector, path)

    def inputs(self) -> list[dict[str, Any]]:
        return [dict(entry.data) for entry in self.phone.journal.entries("input") if "action" in entry.data]

    def fired(self) -> list[dict[str, Any]]:
        return [dict(entry.data) for entry in self.phone.journal.entries("fault")]

    def open_settings(self) -> None:
        self.phone.start(SETTINGS)
        self.phone.settle()

    def open_field(self) -> None:
        open_field(self.phone)

    def field(self) -> str:
        return field_text(self.phone)

    def focused(self) -> A11yNode:
        """The field that has the focus."""
        return next(node for node in nodes(self.phone) if node.focused)

    def touch(self, text: str) -> None:
        """A finger on the element of that text."""
        left, top, right, bottom = self.node(text).bounds
        self.phone.tap((left + right) / 2, (top + bottom) / 2)
        self.phone.settle()

    def node(self, text: str) -> A11yNode:
        return next(node for node in nodes(self.phone) if text in (node.text, node.desc))
