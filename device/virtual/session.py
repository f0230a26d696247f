"""What the phone shows and holds apart from its data: tasks, focus, keyboard, shade, toast, power, movement."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from device.virtual.core.app import App
from device.virtual.core.clock import VirtualClock
from device.virtual.tasks import OpenScreen, Tasks
from device.virtual.ui.anim import Fling, Span

TOAST_SHORT_MS, TOAST_LONG_MS = 2000.0, 3500.0
"""How long Android shows a toast."""

Shade = Literal["", "notifications", "quick_settings"]


@dataclass(slots=True)
class KeyboardView:
    """Layer and shift of the on-screen keyboard (see shell/keyboard.py)."""

    layer: str = "letters"
    shift: str = "off"


class Session:
    """State of the views. Who changes it calls `changed()`; moments are kept as `now_ms` of the clock."""

    def __init__(self, clock: VirtualClock, app_of: Callable[[str], App], home: str) -> None:
        self._clock = clock
        self.version = 0
        self.tasks = Tasks(app_of, home)
        self.shade: Shade = ""
        self.shade_screen = OpenScreen(serial=-1, name="shade", activity="")
        self.ime_wanted = False
        self.keyboard = KeyboardView()
        self.awake = True
        self.locked = False
        self.toast_text = ""
        self.toast_until = 0.0
        self.last_toast: str | None = None
        self.clipboard = ""
        self.flings: dict[int, Fling] = {}
        self.ime_slide: Span | None = None
        self.ime_height = 0.0
        self.pressed: tuple[str | int, tuple[int, ...]] | None = None
        self.field_kind = ""
        self.field_action = ""

    def changed(self) -> None:
        """Something visible may be different."""
        self.version += 1

    @property
    def front(self) -> OpenScreen:
        """The screen that keys and text go to."""
        return self.shade_screen if self.shade else self.tasks.front.top

    @property
    def toast(self) -> str:
        """The toast on the screen now."""
        return self.toast_text if self._clock.now_ms() < self.toast_until else ""

    def show_toast(self, text: str, *, long: bool = False) -> None:
        """Show a toast for 2 s, or 3.5 s."""
        self.toast_text = self.last_toast = text
        self.toast_until = self._clock.now_ms() + (TOAST_LONG_MS if long else TOAST_SHORT_MS)
        self.changed()

    def pressed_on(self, owner: str | int) -> tuple[int, ...] | None:
        """Path of the node under the finger in the window of that screen (or of that id), if there is one."""
        return self.pressed[1] if self.pressed is not None and self.pressed[0] == owner else None

    def screen(self, serial: int) -> OpenScreen | None:
        """The open screen of that serial, the shade's among them."""
        if serial == self.shade_screen.serial:
            return self.shade_screen
        found = self.tasks.find(serial)
        return found[1] if found else None

    def scroll_of(self, screen: OpenScreen) -> Mapping[str, float]:
        """A copy of the offsets of the screen's lists at this moment, flings included."""
        fling = self.flings.get(screen.serial)
        if fling is None:
            return dict(screen.scroll)
        return {**screen.scroll, fling.key: fling.at(self._clock.now_ms())}

    def rest(self, screen: OpenScreen) -> bool:
        """Stop what moves on the screen where it is; whether something did."""
        fling = self.flings.pop(screen.serial, None)
        if fling is None:
            return False
        now = self._clock.now_ms()
        screen.scroll[fling.key] = fling.at(now)
        self.changed()
        return fling.running(now)

    def settle_flings(self) -> None:
        """Write down the offsets of lists that have come to rest, and forget lists that are gone."""
        now = self._clock.now_ms()
        for serial, fling in list(self.flings.items()):
            screen = self.screen(serial)
            if screen is None or not fling.running(now):
                del self.flings[serial]
                if screen is not None:
                    screen.scroll[fling.key] = fling.at(now)

    def dump(self) -> str:
        """As JSON text: lists in motion stand where they will rest, moments become lengths of time from now."""
        now = self._clock.now_ms()
        rests = {serial: (fling.key, fling.at(fling.start + fling.length)) for serial, fling in self.flings.items()}
        state = {
            "tasks": self.tasks.to_json(rests),
            "shade": self.shade,
            "shade_screen": self.shade_screen.to_json(rests.get(-1)),
            "ime_wanted": self.ime_wanted,
            "field": [self.field_kind, self.field_action],
            "keyboard": [self.keyboard.layer, self.keyboard.shift],
            "awake": self.awake,
            "locked": self.locked,
            "toast": [self.toast_text, max(self.toast_until - now, 0.0), self.last_toast],
            "clipboard": self.clipboard,
        }
        return json.dumps(state, ensure_ascii=False, separators=(",", ":"))

    def load(self, text: str) -> None:
        """Go back to what `dump` wrote."""
        state = json.loads(text)
        self.tasks.load(state["tasks"])
        self.shade = state["shade"]
        self.shade_screen = OpenScreen.from_json(state["shade_screen"])
        self.ime_wanted = state["ime_wanted"]
        self.field_kind, self.field_action = state["field"]
        self.keyboard = KeyboardView(*state["keyboard"])
        self.awake, self.locked = state["awake"], state["locked"]
        self.toast_text, rest, self.last_toast = state["toast"]
        self.toast_until = self._clock.now_ms() + rest
        self.clipboard = state["clipboard"]
        self.flings, self.ime_slide = {}, None
        self.changed()
