"""Power and the lock: whether the screen is on, what wakes it, and what opens the lock."""

from __future__ import annotations

import hashlib
from typing import Literal, get_args

from device.virtual.core.journal import Journal
from device.virtual.core.package import Credential
from device.virtual.core.world import World
from device.virtual.session import PinPad, Rest, Session

LockKind = Literal["none", "swipe", "pin"]
Wakefulness = Literal["Awake", "Asleep", "Dozing", "Dreaming"]
"""Words of `dumpsys power`."""

PIN_LENGTHS = range(4, 17)
"""Digits a PIN may have (AOSP, LockPatternUtils and the settings' screen lock)."""

FREE_ATTEMPTS = 5
"""After so many wrong PINs in a row the pad takes none for a while (AOSP, LockPatternUtils)."""

WAIT_MS = 30_000.0


class Power:
    """The screen's state in the session, the lock's in the world. `cause` is the id of the input behind a call."""

    def __init__(self, world: World, session: Session, journal: Journal) -> None:
        self._world = world
        self._session = session
        self._journal = journal

    @property
    def wakefulness(self) -> Wakefulness:
        if not self._session.awake:
            return "Dozing" if self._session.rest_kind == "dozing" else "Asleep"
        return "Dreaming" if self._session.rest_kind == "dreaming" else "Awake"

    @property
    def lock(self) -> LockKind:
        """What locks the phone."""
        if len(self._world.table(Credential)):  # a PIN holds whatever the setting says (AOSP, LockPatternUtils)
            return "pin"
        return "none" if self._world.settings.flag("secure", "lockscreen_disabled") else "swipe"

    def set_lock(self, kind: str, pin: str, cause: str) -> None:
        """Change the lock; raises ValueError for a kind or a PIN that is none."""
        if kind not in get_args(LockKind):
            raise ValueError(f"lock must be one of {', '.join(get_args(LockKind))}, not {kind!r}")
        if kind == "pin" and (len(pin) not in PIN_LENGTHS or not (pin.isascii() and pin.isdigit())):
            raise ValueError(f"a PIN has {PIN_LENGTHS[0]} to {PIN_LENGTHS[-1]} digits; this one does not")
        args = {"disabled": kind == "none", "digest": self._digest(pin) if kind == "pin" else ""}
        shown = {"disabled": kind == "none", "kind": kind}
        self._world.commit("system.set_lock", args, cause, shown=shown)
        self._session.locked = self._session.locked and kind != "none"
        self._session.pad = PinPad()
        self._session.changed()

    def matches(self, pin: str) -> bool:
        """Whether this is the PIN."""
        return any(row.digest == self._digest(pin) for row in self._world.table(Credential))

    def _digest(self, pin: str) -> str:
        return hashlib.sha256(f"{self._world.seed}:{pin}".encode()).hexdigest()

    # the screen

    def sleep(self, rest: Rest = "") -> None:
        """Switch the screen off; the phone locks unless the lock is disabled. `rest`: "dozing" or nothing."""
        if self._session.awake:
            self._leave()
            self._session.awake = False
        self._session.rest_kind = rest
        self._session.changed()

    def dream(self) -> None:
        """Show the screen saver; the phone locks behind it."""
        if self._session.awake and self._session.rest_kind != "dreaming":
            self._leave()
            self._session.rest_kind = "dreaming"
            self._session.changed()

    def _leave(self) -> None:
        self.lock_now()
        self._session.shade = ""
        self._session.heads_up = 0
        self._session.ime_wanted = False
        self._session.pad.open = False
        self._session.a11y_focus = None

    def lock_now(self) -> None:
        """Lock, unless the lock is disabled."""
        self._session.locked = self.lock != "none"
        self._session.pad.typed = ""
        self._session.changed()

    def wake(self) -> None:
        """Switch the screen on, or end the screen saver; a locked phone shows its lock screen."""
        if not self._session.awake or self._session.rest_kind:
            self._session.awake = True
            self._session.rest_kind = ""
            self._session.changed()

    # the lock

    def dismiss(self) -> None:
        """Leave the lock screen: it opens at once, or asks for the PIN."""
        session = self._session
        if not session.locked:
            return
        if self.lock == "pin":
            session.pad.open = True
            session.pad.typed = ""
        else:
            self._open()
        session.changed()

    def back(self) -> None:
        """From the PIN pad back to the lock screen."""
        self._session.pad.open = False
        self._session.pad.typed = ""
        self._session.changed()

    def pin_key(self, value: str, cause: str) -> None:
        """A key of the PIN pad: a digit, "delete" or "enter"."""
        pad = self._session.pad
        if not pad.open or self._session.pin_seconds:
            return
        if value == "delete":
            pad.typed = pad.typed[:-1]
        elif value == "enter":
            self._try(cause)
        elif len(pad.typed) < PIN_LENGTHS[-1]:
            pad.typed += value
            pad.note = ""
        self._session.changed()

    def _try(self, cause: str) -> None:
        pad = self._session.pad
        if not pad.typed:
            return
        right = self.matches(pad.typed)
        told = {"field": "pinEntry", "length": len(pad.typed), "password": True, "right": right}
        self._journal.append("text", told, cause)
        pad.typed = ""
        if right:
            self._open()
            return
        pad.wrong += 1
        pad.note = "wrong"
        if pad.wrong % FREE_ATTEMPTS == 0:
            pad.until = self._world.clock.now_ms() + WAIT_MS

    def _open(self) -> None:
        self._session.locked = False
        self._session.pad = PinPad()
