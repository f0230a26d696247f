"""What the phone shows and holds apart from its data: tasks, focus, keyboard, shade, toast, power, movement."""

from __future__ import annotations

import json
import math
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
Veil = Literal["", "starting", "loading"]
Rest = Literal["", "dozing", "dreaming"]
"""What the phone does while nobody uses it, beside being asleep."""

HEADS_UP_MS = 5000.0
"""How long a notification shows over the app (SystemUI, heads_up_notification_decay)."""


@dataclass(frozen=True, slots=True)
class ErrorDialog:
    """The system's word about an app: it does not respond ("anr") or has stopped ("crash", `again`: keeps stopping)."""

    kind: Literal["anr", "crash"]
    package: str
    again: bool = False

    @property
    def title(self) -> str:
        """The window's title as the window manager has it."""
        return f"{'Application Not Responding' if self.kind == 'anr' else 'Application Error'}: {self.package}"


@dataclass(slots=True)
class PinPad:
    """The pad that asks for the PIN: digits typed so far, refusals, and until when it refuses every PIN."""

    open: bool = False
    typed: str = ""
    wrong: int = 0
    note: str = ""
    until: float = 0.0


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
        self.ime_delay: Callable[[], float] | None = None  # ms the keyboard lets itself be waited for
        self.ime_from = 0.0
        self.veil: Veil = ""
        self.veil_owner = ""
        self.veil_until = 0.0
        self.pushed: dict[int, float] = {}  # dp by which something that came late pushes a screen down, by serial
        self.keyboard = KeyboardView()
        self.awake = True
        self.locked = False
        self.rest_kind: Rest = ""
        self.pad = PinPad()
        self.errors: list[ErrorDialog] = []
        self.crashed: set[str] = set()
        self.secure: dict[str, str] = {}
        self.heads_up = 0
        self.heads_up_until = 0.0
        self.folded = False
        self.held = 0  # quarter turns at which the phone is held; the display follows while auto-rotate is on
        self.a11y_focus: tuple[str, tuple[int, ...]] | None = None
        self.automation = ""
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
    def ime_shown(self) -> bool:
        """Whether the keyboard is wanted and has come."""
        return self.ime_wanted and self._clock.now_ms() >= self.ime_from

    def want_ime(self) -> None:
        """Ask for the keyboard; it comes at once, or as late as `ime_delay` says."""
        if self.ime_wanted:
            return
        delay = self.ime_delay() if self.ime_delay is not None else 0.0
        self.ime_wanted, self.ime_from = True, self._clock.now_ms() + delay
        if 0 < delay < float("inf"):
            self._clock.at(self.ime_from, "keyboard", self.changed)

    def cover(self, veil: Veil, ms: float) -> None:
        """Hide the app in front for so long."""
        self.veil, self.veil_owner = veil, self.tasks.front.package
        self.veil_until = self._clock.now_ms() + ms
        self._clock.at(self.veil_until, "veil", self._uncover)
        self.changed()

    def _uncover(self) -> None:
        if self.veil and self._clock.now_ms() >= self.veil_until:
            self.veil = ""
            self.changed()

    def push_down(self, dp: float, after_ms: float) -> None:
        """Let the screen in front slip down by `dp` when so much time has passed, until it closes."""
        serial = self.front.serial

        def slip() -> None:
            self.pushed[serial] = dp
            self.changed()

        self._clock.at(self._clock.now_ms() + after_ms, "late layout", slip)

    @property
    def front(self) -> OpenScreen:
        """The screen that keys and text go to."""
        return self.shade_screen if self.shade else self.tasks.front.top

    @property
    def toast(self) -> str:
        """The toast on the screen now."""
        return self.toast_text if self._clock.now_ms() < self.toast_until else ""

    @property
    def error(self) -> ErrorDialog | None:
        """The error dialog on top; none while the lock screen or the dark covers it."""
        return self.errors[-1] if self.errors and self.awake and not self.locked else None

    @property
    def heads_up_shown(self) -> int:
        """Id of the notification that shows over the app now, 0 for none."""
        hidden = self.locked or not self.awake or self.shade
        return self.heads_up if self._clock.now_ms() < self.heads_up_until and not hidden else 0

    @property
    def pin_seconds(self) -> int:
        """Whole seconds for which no PIN is taken, 0 for none."""
        return max(math.ceil((self.pad.until - self._clock.now_ms()) / 1000.0), 0)

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
            "rest": self.rest_kind,
            "pad": [self.pad.open, self.pad.wrong, self.pad.note, max(self.pad.until - now, 0.0)],
            "errors": [[error.kind, error.package, error.again] for error in self.errors],
            "crashed": sorted(self.crashed),
            "secure": self.secure,
            "heads_up": [self.heads_up, max(self.heads_up_until - now, 0.0)],
            "folded": self.folded,
            "held": self.held,
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
        now = self._clock.now_ms()
        self.toast_until = now + rest
        self.clipboard = state["clipboard"]
        self.rest_kind = state["rest"]
        opened, wrong, note, left = state["pad"]  # digits typed so far are not kept
        self.pad = PinPad(opened, "", wrong, note, now + left)
        self.errors = [ErrorDialog(kind, package, again) for kind, package, again in state["errors"]]
        self.crashed = set(state["crashed"])
        self.secure = dict(state["secure"])
        self.heads_up, left = state["heads_up"]
        self.heads_up_until = now + left
        self.folded, self.held = state["folded"], state["held"]
        self.a11y_focus = None
        self.flings, self.ime_slide = {}, None
        self.ime_from, self.veil, self.pushed = 0.0, "", {}
        self.changed()
