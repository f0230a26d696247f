"""Input faults: what a program injects lands elsewhere, twice, late, in part or not at all.

An act is bent into landings: what reaches the phone, and after how long. Sources of the troubles: taps that report
success and do nothing (RunMobileBuild/auto-mobile), burst text of which a part lands (midscene, Maestro, argent),
swallowed first characters, `INJECT_EVENTS` refusals; all gathered in the reference on real devices.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from device.virtual import keymap
from device.virtual.faults.fault import Fault, choice, number
from device.virtual.ui.gestures import LONG_PRESS_MS

FINGER_REST_MS = 200.0
"""A finger that rests so long before it lifts leaves no speed: the tracker's horizon is 100 ms (ui/gestures.py)."""

Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """Something a program does to the phone. `path` is "input" (shell) or "u2"; `moving`: the picture moves now."""

    path: str
    moving: bool = False

    def told(self) -> dict[str, Any]:
        """What the journal tells of it."""
        return {"act": type(self).__name__.lower()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tap(Act):
    x: float
    y: float
    hold_ms: float = 0.0

    def told(self) -> dict[str, Any]:
        return {"act": "tap", "at": [self.x, self.y]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Swipe(Act):
    """`drag`: after a long press on the first point; `rest_ms`: how long the finger rests on the last."""

    points: Points
    duration_ms: float
    drag: bool = False
    rest_ms: float = 0.0

    def told(self) -> dict[str, Any]:
        return {"act": "drag" if self.drag else "swipe", "at": list(self.points[0])}


@dataclass(frozen=True, slots=True, kw_only=True)
class Key(Act):
    code: int
    meta: int = 0
    long_press: bool = False

    def told(self) -> dict[str, Any]:
        return {"act": "key"} if keymap.character(self.code, self.meta) else {"act": "key", "code": self.code}


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed(Act):
    """Text on its way; `via` is "keys", "ime", "paste" or "set". The journal never gets it from here."""

    text: str
    via: str

    def told(self) -> dict[str, Any]:
        return {"act": "text", "via": self.via, "length": len(self.text)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer(Act):
    action: str
    x: float
    y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """An act as it reaches the phone, `after_ms`; the program's answer waits for it when `awaited`.

    With `at_change` it lands as soon as the picture has changed, at the latest after `after_ms`.
    """

    act: Act
    after_ms: float = 0.0
    awaited: bool = True
    at_change: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class InputFault(Fault):
    """`path`: which way in it concerns."""

    path: str = choice("any", "input", "u2")

    def fits(self, operation: Act) -> bool:
        return self.path in ("any", operation.path)

    def bend(self, act: Act, random: Random) -> Iterable[Landing]:
        """What becomes of the act."""
        return (Landing(act=act),)


@dataclass(frozen=True, slots=True, kw_only=True)
class RefuseInjection(InputFault):
    """INJECT_EVENTS is refused to whoever injects; hand.py raises for it. Broadcasts and set-text inject nothing."""

    def fits(self, operation: Act) -> bool:
        injected = not isinstance(operation, Typed) or operation.via in ("keys", "paste")
        return InputFault.fits(self, operation) and injected


@dataclass(frozen=True, slots=True, kw_only=True)
class TapDropped(InputFault):
    """The tap is answered with success and touches nothing; with `moving` only while the picture moves."""

    moving: bool = False

    def fits(self, operation: Act) -> bool:
        return InputFault.fits(self, operation) and isinstance(operation, Tap) and (operation.moving or not self.moving)

    def bend(self, act: Act, random: Random) -> Iterable[Landing]:
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TapFault(InputFault):
    """One that befalls taps alone."""

    def fits(self, operation: Act) -> bool:
        return InputFault.fits(self, operation) and isinstance(operation, Tap)


@dataclass(frozen=True, slots=True, kw_only=True)
class TapShifted(TapFault):
    """The tap lands beside its point, normally distributed with `sigma_px` to either side."""

    sigma_px: float = number(24.0, 0, 2000)

    def bend(self, act: Act, random: Random) -> Iterable[Landing]:
        assert isinstance(act, Tap)
        dx, dy = random.gauss(0, self.sigma_px), random.gauss(0, self.sigma_px)
        return (Landing(act=replace(act, x=act.x + dx, y=act.y + dy)),)


@dataclass(frozen=True, slots=True, kw_only=True)
class TapDoubled(TapFault):
    """The tap lands twice, `gap_ms` between."""

    gap_ms: float = number(80.0, 0, 10_000)

    def bend(self, act: Act, random: Random) -> Iterable[Landing]:
        return Landing(act=act), Landing(act=act, after_ms=self.gap_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class TapDelayed(TapFault):
    """Answered at once, the tap lands `ms` later, or as soon as the picture has changed (`until_change`)."""

    ms: float = number(600.0, 0, 60_000)
    until_change: bool = False

    def bend(self, act: Act, random: Random) -> Iterable[Landing]:
        return (Landing(act=act, after_ms=self.ms, awaited=False, at_change=self.until_change),)


@dataclass(frozen=True, slots=True, kw_only=True)
class LongPressShort(TapFault):
    """A long press is read as a tap."""

    def fits(self, operation: Act) -> bool:
        return TapFault.fits(self, operation) and isinstance(operation, Tap) and operation.hold_ms >= LONG_PRESS_MS

    def bend(self, act: Act, random: Random) -> Iterable[Landing]:
        assert isinstance(act, Tap)
        return (Landing(act=replace(act, hold_ms=0.0)),)


@dataclass(frozen=True, slots=True, kw_only=True)
class SwipeFault(InputFault):
    """One that befalls swipes; a drag has no speed to lose."""

    def fits(self, operation: Act) -> bool:
        return InputFault.fits(self, operation) and isinstance(operation, Swipe) and not operation.drag


@dataclass(frozen=True, slots=True, kw_only=True)
class SwipeWithoutInertia(SwipeFault):
    """The finger rests before it lifts: the list stays where it was let go."""

    def bend(self, act: Act, random: Random) -> Iterable[Landing]:
        assert isinstance(act, Swipe)
        return (Landing(act=replace(act, rest_ms=FINGER_REST_MS)),)


@dataclass(frozen=True, slots=True, kw_only=True)
class SwipeOvershoot(SwipeFault):
    """The finger goes `factor` times as far; hand.py keeps it on the glass."""

    factor: float = number(1.5, 0, 10)

    def bend(self, act: Act, random: Random) -> Iterable[Landing]:
        assert isinstance(act, Swipe)
        (x, y), f = act.points[0], self.factor
        points = tuple((x + (px - x) * f, y + (py - y) * f) for px, py in act.points)
        return (Landing(act=replace(act, points=points)),)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyDropped(InputFault):
    """A key press does nothing."""

    def fits(self, operation: Act) -> bool:
        return InputFault.fits(self, operation) and isinstance(operation, Key)

    def bend(self, act: Act, random: Random) -> Iterable[Landing]:
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFault(InputFault):
    """`via`: keys (`input text`, key events), ime (broadcasts), paste, set (ACTION_SET_TEXT), or any."""

    via: str = choice("keys", "ime", "paste", "set", "any")

    def fits(self, operation: Act) -> bool:
        if isinstance(operation, Key):
            character = keymap.character(operation.code, operation.meta)
            return InputFault.fits(self, operation) and bool(character) and self.via in ("any", "keys")
        return (
            InputFault.fits(self, operation)
            and isinstance(operation, Typed)
            and bool(operation.text)
            and self.via in ("any", operation.via)
        )

    def alter(self, text: str, random: Random) -> str:
        """What lands of the text; a key's character is a text of one."""
        return text

    def bend(self, act: Act, random: Random) -> Iterable[Landing]:
        if isinstance(act, Key):
            times = len(self.alter(keymap.character(act.code, act.meta), random))
            return (Landing(act=act),) * times
        assert isinstance(act, Typed)
        return (Landing(act=replace(act, text=self.alter(act.text, random))),)


@dataclass(frozen=True, slots=True, kw_only=True)
class CharsLost(TextFault):
    """Each character is lost with that probability."""

    share: float = number(0.2, 0, 1)

    def alter(self, text: str, random: Random) -> str:
        return "".join(char for char in text if random.random() >= self.share)


@dataclass(frozen=True, slots=True, kw_only=True)
class CharsDoubled(TextFault):
    """Each character lands twice with that probability."""

    share: float = number(0.2, 0, 1)

    def alter(self, text: str, random: Random) -> str:
        return "".join(char * (2 if random.random() < self.share else 1) for char in text)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextHeadLost(TextFault):
    """The first characters go before the field listens."""

    count: int = number(2, 0, 10_000)

    def alter(self, text: str, random: Random) -> str:
        return text[self.count :]


@dataclass(frozen=True, slots=True, kw_only=True)
class Autocorrect(TextFault):
    """The longest word of four letters or more is replaced: its last two letters change places."""

    def alter(self, text: str, random: Random) -> str:
        words = text.split(" ")
        long = max(words, key=len)
        if len(long) < 4:
            return text
        words[words.index(long)] = long[:-2] + long[-1] + long[-2]
        return " ".join(words)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextIgnored(TextFault):
    """Text by these ways does nothing at all; the on-screen keyboard's keys still type."""

    via: str = choice("any", "keys", "ime", "paste", "set")

    def bend(self, act: Act, random: Random) -> Iterable[Landing]:
        return ()
