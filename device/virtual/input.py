"""Everything a person or program can do to the phone: fingers and keys, with the time they take.

On a manual clock a gesture advances it and is over when the call returns. On a live clock the call plans the gesture
and returns a `Pending` whose `done` becomes true when `pump` has carried out its last event.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from device.virtual import keymap
from device.virtual.acts import Acts
from device.virtual.core.clock import VirtualClock
from device.virtual.core.journal import Journal, text_data
from device.virtual.errors import WrongClock
from device.virtual.screen_reader import ScreenReader
from device.virtual.session import Session
from device.virtual.system import System
from device.virtual.text_input import TextInput
from device.virtual.touch import Change, Touch
from device.virtual.ui.gestures import LONG_PRESS_MS
from device.virtual.ui.node import Act

Points = Sequence[tuple[float, float]]
"""A finger's way in pixels."""

STEP_MS = 16.0
"""Time between two positions of a gesture: a touch screen of 60 Hz."""

_BRIGHTNESS_STEP = 25  # of 255, as Android's brightness keys


@dataclass(slots=True)
class Pending:
    """A gesture under way."""

    done: bool = False


class Input:
    """`scale` gives pixels per dp; `change` goes around whatever an input changes (see picture.Picture.change)."""

    def __init__(
        self,
        reader: ScreenReader,
        session: Session,
        system: System,
        acts: Acts,
        text: TextInput,
        touch: Touch,
        journal: Journal,
        clock: VirtualClock,
        scale: Callable[[], float],
        change: Change,
    ) -> None:
        self._reader = reader
        self._explores = ""  # cause of the finger that the screen reader has in hand
        self._session = session
        self._system = system
        self._acts = acts
        self._text = text
        self._touch = touch
        self._journal = journal
        self._clock = clock
        self._scale = scale
        self._change = change

    # fingers

    def down(self, x: float, y: float, cause: str, fingers: int = 0) -> None:
        """A touch begins: of so many fingers of a person, or (0) injected by a program."""
        self._explores = ""
        if fingers == 1 and self._reader.active and self._session.awake:
            self._explores = cause
            self._reader.down(x / self._scale(), y / self._scale(), cause)
        else:
            self._touch.down(x / self._scale(), y / self._scale(), cause)

    def move(self, x: float, y: float) -> None:
        if self._explores:
            self._reader.move(x / self._scale(), y / self._scale(), self._explores)
        else:
            self._touch.move(x / self._scale(), y / self._scale())

    def up(self, x: float, y: float) -> None:
        if self._explores:
            cause, self._explores = self._explores, ""
            self._reader.up(x / self._scale(), y / self._scale(), cause)
        else:
            self._touch.up(x / self._scale(), y / self._scale())

    def pointer(self, action: str, x: float, y: float, fingers: int = 0) -> None:
        """One event of a finger: down, move, up or cancel; raises ValueError for another one."""
        if action not in ("down", "move", "up", "cancel"):
            raise ValueError(f"pointer action must be down, move, up or cancel, not {action!r}")
        if action == "down":
            cause = self._journal.input({"action": "down", "x": x, "y": y, **_by(fingers)})
            self.down(x, y, cause, fingers)
            return
        self._journal.append("input", {"action": action, "x": x, "y": y})
        if action == "cancel":
            self._explores = ""
            self._reader.cancel()
            self._touch.cancel()
        else:
            (self.move if action == "move" else self.up)(x, y)

    def tap(self, x: float, y: float, hold_ms: float, fingers: int = 0) -> Pending:
        """Touch a point for that long."""
        cause = self._journal.input({"action": "tap", "x": x, "y": y, "hold_ms": hold_ms, **_by(fingers)})
        return self._perform(
            [(0.0, lambda: self.down(x, y, cause, fingers)), (max(hold_ms, 0.0), lambda: self.up(x, y))], "tap"
        )

    def swipe(
        self,
        points: Points,
        duration_ms: float,
        *,
        hold_ms: float = 0.0,
        rest_ms: float = 0.0,
        name: str = "swipe",
        fingers: int = 0,
    ) -> Pending:
        """Draw a finger along the points at even speed, resting `hold_ms` on the first and `rest_ms` on the last."""
        if len(points) < 2:
            raise ValueError(f"a {name} needs at least two points, not {len(points)}")
        way = {"points": [list(point) for point in points], "duration_ms": duration_ms}
        cause = self._journal.input({"action": name, **way, **_by(fingers)})
        steps: list[tuple[float, Callable[[], None]]] = [(0.0, lambda: self.down(*points[0], cause, fingers))]
        for ms, x, y in along(points, max(duration_ms, 1.0)):
            steps.append((hold_ms + ms, lambda x=x, y=y: self.move(x, y)))  # type: ignore[misc]
        steps.append((hold_ms + max(duration_ms, 1.0) + rest_ms, lambda: self.up(*points[-1])))
        return self._perform(steps, name)

    def drag(self, points: Points, duration_ms: float, fingers: int = 0) -> Pending:
        """Press long, then draw the finger along the points."""
        return self.swipe(points, duration_ms, hold_ms=LONG_PRESS_MS, name="drag", fingers=fingers)

    def _perform(self, steps: list[tuple[float, Callable[[], None]]], name: str) -> Pending:
        pending, start = Pending(), self._clock.now_ms()

        def finish() -> None:
            pending.done = True

        if self._clock.live:
            for ms, step in steps:
                if ms <= 0:
                    step()
                else:
                    self._clock.at(start + ms, name, step)
            self._clock.at(start + steps[-1][0], name, finish)
            if steps[-1][0] <= 0:
                self._clock.run_due()
            return pending
        for ms, step in steps:
            self._clock.advance(max(start + ms - self._clock.now_ms(), 0.0))
            step()
        finish()
        return pending

    # keys

    def key(self, code: int, meta: int, long_press: bool) -> Pending:
        """Press a key; with `long_press` it is held for half a second."""
        field = self._text.focused()
        secret = self._asks_pin or (field is not None and field.password)
        secret = secret and keymap.character(code, meta) != ""
        seen = {"length": 1, "password": True} if secret else {"code": code}
        more = {"meta": meta} if meta and not secret else {}
        cause = self._journal.input({**seen, **more, **({"long_press": True} if long_press else {})}, kind="key")
        hold = LONG_PRESS_MS if long_press else 0.0
        return self._perform([(hold, lambda: self.press(code, meta, cause))], "key")

    def press(self, code: int, meta: int, cause: str) -> None:
        """What a key does."""
        with self._change():
            self._press(code, meta, cause)

    def _press(self, code: int, meta: int, cause: str) -> None:
        if self._power(code) or not self._session.awake:
            return
        if self._session.rest_kind == "dreaming":  # any key ends the screen saver, and does nothing else
            self._system.power.wake()
            return
        if self._session.locked:
            self._pin_key(code, cause)
            return
        match code:
            case keymap.BACK | keymap.ESCAPE:
                self.back(cause)
            case keymap.HOME:
                self._acts.home()
            case keymap.APP_SWITCH:
                self._acts.recents()
            case keymap.VOLUME_UP | keymap.VOLUME_DOWN | keymap.VOLUME_MUTE:
                self._volume(code, cause)
            case keymap.BRIGHTNESS_UP | keymap.BRIGHTNESS_DOWN:
                self._brightness(code, cause)
            case 83:  # KEYCODE_NOTIFICATION
                self._acts.shade("" if self._session.shade else "notifications")
            case _:
                self._text.key(code, meta, cause)
        self._session.changed()

    def back(self, cause: str) -> None:
        """The Back key: the keyboard goes first, then the shade, a dialog, the screen, the app."""
        session = self._session
        if session.shade:
            self._acts.shade("")
        elif session.error is not None:
            return  # the system's error dialogs cannot be left this way
        elif session.ime_shown and session.front.focus is not None:
            self._text.hide()
        else:
            own = self._text.root_act("on_back")
            self._acts.perform(own or Act("nav.back"), session.front, cause)
        session.changed()

    def _pin_key(self, code: int, cause: str) -> None:
        """What a key does to the PIN pad; the lock screen itself feels none."""
        power, char = self._system.power, keymap.character(code)
        if not self._session.pad.open:
            return
        if code in (keymap.BACK, keymap.ESCAPE):
            power.back()
        elif code in (keymap.ENTER, keymap.NUMPAD_ENTER):
            power.pin_key("enter", cause)
        elif code == keymap.DEL:
            power.pin_key("delete", cause)
        elif char.isdigit():
            power.pin_key(char, cause)

    def _power(self, code: int) -> bool:
        power = self._system.power
        match code:
            case keymap.POWER:
                (power.sleep if self._session.awake else power.wake)()
            case keymap.SLEEP:
                power.sleep()
            case keymap.WAKEUP:
                power.wake()
            case keymap.MENU if self._session.locked and power.wakefulness == "Awake":
                power.dismiss()
            case _:
                return False
        return True

    def _volume(self, code: int, cause: str) -> None:
        level = int(self._system.world.settings.number("system", "volume_music", 5))
        step = {keymap.VOLUME_UP: 1, keymap.VOLUME_DOWN: -1}.get(code, -level)
        self._system.commit("put", cause, ns="system", key="volume_music", value=min(max(level + step, 0), 15))

    def _brightness(self, code: int, cause: str) -> None:
        level = int(self._system.world.settings.number("system", "screen_brightness", 128))
        step = _BRIGHTNESS_STEP if code == keymap.BRIGHTNESS_UP else -_BRIGHTNESS_STEP
        self._system.commit("put", cause, ns="system", key="screen_brightness", value=min(max(level + step, 1), 255))

    def type_text(self, text: str) -> Pending:
        """Type through the key map; raises UnmappedCharacter before anything is typed."""
        keymap.check_typable(text)
        field = self._text.focused()
        password = self._asks_pin or (field is not None and field.password)
        cause = self._journal.input({"typed": text_data(text, password=password)}, kind="key")
        if self._asks_pin:
            return self._perform([(0.0, lambda: self._type_pin(text, cause))], "text")
        if field is None:
            return Pending(done=True)
        return self._perform([(0.0, lambda: self._type(text, cause))], "text")

    @property
    def _asks_pin(self) -> bool:
        return self._session.locked and self._session.pad.open and self._session.awake

    def _type_pin(self, text: str, cause: str) -> None:
        with self._change():
            for digit in filter(str.isdigit, text):
                self._system.power.pin_key(digit, cause)

    def _type(self, text: str, cause: str) -> None:
        with self._change():
            self._type_runs(text, cause)

    def _type_runs(self, text: str, cause: str) -> None:
        run = ""
        for char in text:
            if char not in "\n\t":
                run += char
                continue
            if run:
                self._text.commit(run, cause)
            run = ""
            self._text.key(keymap.ENTER if char == "\n" else keymap.TAB, 0, cause)
        if run:
            self._text.commit(run, cause)

    def need_manual(self, call: str) -> None:
        if self._clock.live:
            raise WrongClock(call, "manual")


def _by(fingers: int) -> dict[str, int]:
    """What the journal tells of who touched: the fingers of a person, nothing for a program."""
    return {"fingers": fingers} if fingers else {}


def along(points: Points, duration_ms: float) -> list[tuple[float, float, float]]:
    """Positions (ms, x, y) of a finger that follows the points at even speed, the last point at the end."""
    lengths = [math.dist(a, b) for a, b in pairwise(points)]
    whole = sum(lengths)
    steps = max(math.ceil(duration_ms / STEP_MS), 1)
    found = []
    for step in range(1, steps + 1):
        left = whole * step / steps
        for (ax, ay), (bx, by), length in zip(points, points[1:], lengths, strict=False):
            if left <= length or (bx, by) == tuple(points[-1]):
                share = min(left / length, 1.0) if length else 1.0
                found.append((duration_ms * step / steps, ax + (bx - ax) * share, ay + (by - ay) * share))
                break
            left -= length
    return found
