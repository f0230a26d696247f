"""Typed text stays out of events and logs: only its length is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from device.actions import Action, ClearText, TypeText, kind, to_json

SHORT = 4
"""Texts below this length are hidden only where they stand alone: "a" is in every sentence."""


class Redactor:
    """Knows what was typed in a run and hides it in everything that is told about the run."""

    def __init__(self, lang: str = "en") -> None:
        self._typed: set[str] = set()
        self._form = "（{}个字符）" if lang.startswith("zh") else "({} characters)"

    def learn(self, text: str) -> None:
        self._typed |= {part for part in (text, text.strip()) if part}

    def text(self, value: str) -> str:
        for typed in sorted(self._typed, key=len, reverse=True):
            if len(typed) >= SHORT:
                value = value.replace(typed, self._form.format(len(typed)))
            elif value.strip() == typed:
                value = self._form.format(len(typed))
        return value

    def data(self, value: Any) -> Any:
        """The same plain data with every string redacted."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {name: self.data(part) for name, part in value.items()}
        if isinstance(value, list | tuple):
            return [self.data(part) for part in value]
        return value


def told(action: Action) -> dict[str, Any]:
    """An action as an event may tell it: typed text by its length, a swipe also by where the finger goes."""
    if isinstance(action, TypeText):
        return {"kind": kind(action), "characters": len(action.text), "replace": action.replace}
    out = to_json(action)
    if "start" in out and "end" in out:
        (x0, y0), (x1, y1) = out["start"], out["end"]
        down, right = y1 - y0, x1 - x0
        sideways = abs(right) > abs(down)
        out["finger"] = ("right" if right > 0 else "left") if sideways else ("down" if down > 0 else "up")
    return out


def stored(action: Action, *, secret: bool) -> dict[str, Any]:
    """An action as its step's row keeps it: with the typed text, unless that is a secret."""
    return told(action) if secret and not isinstance(action, ClearText) else to_json(action)
