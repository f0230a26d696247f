"""The hand of a program on the phone: what `input` and the automation server inject goes through here."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from device.virtual import keymap
from device.virtual.core.clock import VirtualClock
from device.virtual.errors import PhoneError
from device.virtual.faults.injector import FaultInjector
from device.virtual.faults.touch import Act, InputFault, Key, Landing, Pointer, RefuseInjection, Swipe, Tap, Typed
from device.virtual.phone import VirtualPhone
from device.virtual.system import ImeReply
from device.virtual.ui.a11y import A11yNode

LOOK_MS = 16.0
"""How often a delayed tap looks whether the picture has changed: one frame of 60 Hz."""


class InjectionNotAllowed(PhoneError):
    """The caller has no INJECT_EVENTS permission."""

    def __init__(self) -> None:
        super().__init__("injecting input is refused (INJECT_EVENTS)")


class Pending(Protocol):
    """A gesture under way."""

    @property
    def done(self) -> bool: ...


@dataclass(slots=True)
class Later:
    """A gesture that has not begun yet."""

    begun: Pending | None = None

    @property
    def done(self) -> bool:
        return self.begun is not None and self.begun.done


@dataclass(slots=True)
class Gestures:
    """Several gestures one after the other; done when all are, at once when there is none."""

    parts: list[Pending] = field(default_factory=list)

    @property
    def done(self) -> bool:
        return all(part.done for part in self.parts)


class Hand:
    """The phone's input as programs reach it by `path`: like the phone's own calls, with the faults that are armed.

    Raises InjectionNotAllowed where that is refused, and what the phone's calls raise.
    """

    def __init__(self, phone: VirtualPhone, injector: FaultInjector, path: str) -> None:
        self._phone = phone
        self._injector = injector
        self._path = path

    def tap(self, x: float, y: float, hold_ms: float = 0) -> Pending:
        return self._do(lambda moving: Tap(path=self._path, moving=moving, x=x, y=y, hold_ms=hold_ms))

    def swipe(self, points: Sequence[tuple[float, float]], duration_ms: float) -> Pending:
        return self._do(lambda moving: Swipe(path=self._path, points=tuple(points), duration_ms=duration_ms))

    def drag(self, points: Sequence[tuple[float, float]], duration_ms: float) -> Pending:
        return self._do(lambda moving: Swipe(path=self._path, points=tuple(points), duration_ms=duration_ms, drag=True))

    def key(self, code: int, meta: int = 0, long_press: bool = False) -> Pending:
        return self._do(lambda moving: Key(path=self._path, code=code, meta=meta, long_press=long_press))

    def pointer(self, action: str, x: float, y: float) -> None:
        self._do(lambda moving: Pointer(path=self._path, action=action, x=x, y=y), counted=action == "down")

    def type_text(self, text: str) -> Pending:
        """Raises UnmappedCharacter for what no key types, before anything lands."""
        keymap.check_typable(text)
        return self._do(lambda moving: Typed(path=self._path, text=text, via="keys"))

    def commit_text(self, text: str) -> bool:
        return self._text(text, "ime", self._phone.commit_text)

    def set_text(self, node: A11yNode, text: str) -> bool:
        return self._text(text, "set", lambda text: self._phone.set_text(node, text))

    def clear_text(self) -> bool:
        return self._text("", "keys", lambda text: self._phone.clear_text())

    def paste(self) -> bool:
        clipboard = self._phone.clipboard
        return self._text(
            clipboard,
            "paste",
            lambda text: self._phone.paste() if text == clipboard else self._phone.commit_text(text),
        )

    def ime_broadcast(self, action: str, extras: Mapping[str, str | int]) -> ImeReply:
        """A broadcast to the keyboard for programs; one whose text is ignored is answered as without a field."""
        if not action.endswith(("_INPUT_TEXT", "_SET_TEXT")):
            return self._phone.ime_broadcast(action, extras)
        replies: list[ImeReply] = []

        def send(text: str) -> bool:
            more = {"text": base64.b64encode(text.encode()).decode("ascii")} if text != typed else {}
            replies.append(self._phone.ime_broadcast(action, {**extras, **more}))
            return True

        typed = _decoded(str(extras.get("text", "")))
        return replies[-1] if self._text(typed, "ime", send) else ImeReply(-1, action)

    def _text(self, text: str, via: str, put: Callable[[str], bool]) -> bool:
        """Text that is there at once; False when it was ignored, or the phone had no field for it."""
        act = Typed(path=self._path, text=text, via=via)
        if not self._injector.active:
            return put(text)
        landings = self._bent(act)
        results = [put(landing.act.text) for landing in landings if isinstance(landing.act, Typed)]
        self._injector.acted(self._phone, Gestures())
        return any(results)

    def _do(self, act: Callable[[bool], Act], *, counted: bool = True) -> Pending:
        if not self._injector.active:
            return _perform(self._phone, act(False))
        gestures = Gestures()
        for landing in self._bent(act(self._phone.animating)):
            pending = _land(self._phone, landing)
            if landing.awaited:
                gestures.parts.append(pending)
        if counted:
            self._injector.acted(self._phone, gestures)
        return gestures

    def _bent(self, act: Act) -> list[Landing]:
        """What becomes of the act, every fault that fires bending what the one before has left of it."""
        landings = [Landing(act=act)]
        for fired in self._injector.firing(self._phone, InputFault, act, act.told()):
            if isinstance(fired.fault, RefuseInjection):
                raise InjectionNotAllowed
            landings = [
                Landing(
                    act=next_.act,
                    after_ms=landing.after_ms + next_.after_ms,
                    awaited=landing.awaited and next_.awaited,
                    at_change=landing.at_change or next_.at_change,
                )
                for landing in landings
                for next_ in fired.fault.bend(landing.act, fired.random)
            ]
        return landings


def _land(phone: VirtualPhone, landing: Landing) -> Pending:
    """Let an act reach the phone at its time."""
    if landing.after_ms <= 0:
        return _perform(phone, landing.act)
    clock = phone.clock
    if landing.awaited and not clock.live:
        clock.advance(landing.after_ms)
        return _perform(phone, landing.act)
    later = Later()

    def begin() -> None:
        later.begun = _perform(phone, landing.act)

    if landing.at_change:
        _at_change(phone, clock, begin, clock.now_ms() + landing.after_ms, phone.frame())
    else:
        clock.at(clock.now_ms() + landing.after_ms, "late touch", begin)
    return later


def _at_change(
    phone: VirtualPhone, clock: VirtualClock, begin: Callable[[], None], deadline: float, before: int
) -> None:
    def look() -> None:
        if phone.frame() != before or clock.now_ms() >= deadline:
            begin()
        else:
            _at_change(phone, clock, begin, deadline, before)

    clock.at(min(clock.now_ms() + LOOK_MS, deadline), "late touch", look)


def _perform(phone: VirtualPhone, act: Act) -> Pending:
    match act:
        case Tap():
            return phone.tap(act.x, act.y, act.hold_ms)
        case Swipe(drag=True):
            return phone.drag(_on_glass(phone, act.points), act.duration_ms)
        case Swipe():
            return phone.swipe(_on_glass(phone, act.points), act.duration_ms, act.rest_ms)
        case Key():
            return phone.key(act.code, act.meta, act.long_press)
        case Typed():
            return phone.type_text(act.text) if act.text else Gestures()
        case Pointer():
            phone.pointer(act.action, act.x, act.y)
            return Gestures()
    raise TypeError(f"no act: {act!r}")


def _on_glass(phone: VirtualPhone, points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """A finger that goes too far stops at the edge; where it started is its own business."""
    width, height = phone.size
    first, *rest = points
    return [first, *((min(max(x, 0.0), width - 1.0), min(max(y, 0.0), height - 1.0)) for x, y in rest)]


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""
