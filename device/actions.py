"""What can be done on a phone: a closed union of small frozen values.

A swipe says what the *finger* does. "Scroll up" means opposite things in different papers, so no action is
called scroll.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, assert_never

from device.geometry import Point


class Key(StrEnum):
    """Keys that a phone has under this name on every screen."""

    BACK = "back"
    HOME = "home"
    RECENTS = "recents"
    ENTER = "enter"
    DELETE = "delete"
    TAB = "tab"
    WAKE = "wake"
    SLEEP = "sleep"
    VOLUME_UP = "volume_up"
    VOLUME_DOWN = "volume_down"


@dataclass(frozen=True, slots=True)
class Tap:
    at: Point


@dataclass(frozen=True, slots=True)
class DoubleTap:
    at: Point


@dataclass(frozen=True, slots=True)
class LongPress:
    at: Point
    seconds: float = 0.8


@dataclass(frozen=True, slots=True)
class Swipe:
    """The finger touches `start`, moves to `end` in `seconds` and lifts.

    At the edges begin the phone's own gestures (back, home): a swipe that is meant as one says `from_edge`, any
    other is kept off them.
    """

    start: Point
    end: Point
    seconds: float = 0.3
    from_edge: bool = False


@dataclass(frozen=True, slots=True)
class Drag:
    """As a swipe, but the finger first rests until what it holds comes loose."""

    start: Point
    end: Point
    seconds: float = 0.8


@dataclass(frozen=True, slots=True)
class Pinch:
    """Two fingers about `center`; `scale` over 1 spreads them, under 1 closes them."""

    center: Point
    scale: float
    seconds: float = 0.5


@dataclass(frozen=True, slots=True)
class TypeText:
    """Put text into the focused field; `replace` empties it first. Never logged."""

    text: str
    replace: bool = False

    def __repr__(self) -> str:
        return f"TypeText(<{len(self.text)} characters>, replace={self.replace})"


@dataclass(frozen=True, slots=True)
class ClearText:
    """Empty the focused field."""


@dataclass(frozen=True, slots=True)
class PressKey:
    key: Key


@dataclass(frozen=True, slots=True)
class OpenApp:
    """Bring an app to the front, by package (`com.android.settings`) or by the label people see."""

    name: str


@dataclass(frozen=True, slots=True)
class Wait:
    seconds: float = 1.0


Action = Tap | DoubleTap | LongPress | Swipe | Drag | Pinch | TypeText | ClearText | PressKey | OpenApp | Wait


def kind(action: Action) -> str:
    """The action's stable name in events, logs and the API, e.g. `tap` or `type_text`."""
    match action:
        case Tap():
            return "tap"
        case DoubleTap():
            return "double_tap"
        case LongPress():
            return "long_press"
        case Swipe():
            return "swipe"
        case Drag():
            return "drag"
        case Pinch():
            return "pinch"
        case TypeText():
            return "type_text"
        case ClearText():
            return "clear_text"
        case PressKey():
            return "press_key"
        case OpenApp():
            return "open_app"
        case Wait():
            return "wait"
        case _:
            assert_never(action)


def to_json(action: Action) -> dict[str, Any]:
    """Plain data for the store and the API; places are [x, y] fractions. Text is included: redact above."""
    out: dict[str, Any] = {"kind": kind(action)}
    for name in action.__slots__:
        value = getattr(action, name)
        out[name] = [round(value.x, 5), round(value.y, 5)] if isinstance(value, Point) else value
    return out


_BY_KIND: dict[str, type[Any]] = {
    "tap": Tap,
    "double_tap": DoubleTap,
    "long_press": LongPress,
    "swipe": Swipe,
    "drag": Drag,
    "pinch": Pinch,
    "type_text": TypeText,
    "clear_text": ClearText,
    "press_key": PressKey,
    "open_app": OpenApp,
    "wait": Wait,
}


def from_json(data: dict[str, Any]) -> Action:
    """The inverse of `to_json`. Raises ValueError naming the field that is missing, unknown or wrong."""
    name = data.get("kind")
    if not isinstance(name, str) or name not in _BY_KIND:
        raise ValueError(f"kind must be one of {', '.join(_BY_KIND)}, not {name!r}")
    values: dict[str, Any] = {}
    for field, value in data.items():
        if field == "kind":
            continue
        if field in ("at", "start", "end", "center"):
            try:
                x, y = value
                value = Point(float(x), float(y))
            except (TypeError, ValueError) as error:
                raise ValueError(f"{field} must be [x, y], two fractions between 0 and 1, not {value!r}") from error
        elif field == "key":
            value = Key(value)
        values[field] = value
    try:
        action: Action = _BY_KIND[name](**values)
    except TypeError as error:
        raise ValueError(f"{name}: {error}") from error
    return action
