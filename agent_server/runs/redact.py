"""Typed text stays out of events and logs: only its length is told. Of a secret not even that: only its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agent_server import secrets
from agent_server.secrets import Vault
from device.actions import Action, ClearText, TypeText, kind, to_json

SHORT = 4
"""Texts below this length are hidden only where they stand alone: "a" is in every sentence."""
_EXACT = frozenset(
    (
        *("screenshot", "overlay", "list", "question_id", "serial", "host", "deadline"),
        *("kind", "cause", "code", "state", "secrets", "app", "activity", "path", "key"),
    )
)
"""Fields of events that hold names of ours or of the phone's, which a typed "5554" must not tear apart."""


class Redactor:
    """Knows what was typed in a run, and every secret, and hides both in everything that is told about the run."""

    def __init__(self, lang: str = "en", vault: Vault | None = None) -> None:
        self._typed: set[str] = set()
        self._vault = vault
        self._form = "（{}个字符）" if lang.startswith("zh") else "({} characters)"

    def learn(self, text: str) -> None:
        """What was typed; the references in it may be told."""
        for part in secrets.REFERENCE.sub("\0", text).split("\0"):
            self._typed |= {one for one in (part, part.strip()) if one.strip()}

    def conceal(self, value: str) -> str:
        """The same text with names in place of secrets; what was typed stays."""
        return value if self._vault is None else self._vault.conceal(value)

    def conceal_in(self, value: Any) -> Any:
        """The same plain data with every text concealed."""
        return _each(value, self.conceal)

    def text(self, value: str) -> str:
        value = self.conceal(value)
        for typed in sorted(self._typed, key=len, reverse=True):
            if len(typed) >= SHORT:
                value = value.replace(typed, self._form.format(len(typed)))
            elif value.strip() == typed:
                value = self._form.format(len(typed))
        return value

    def data(self, value: Any) -> Any:
        """The same plain data with every string redacted."""
        return _each(value, self.text)


def _each(value: Any, change: Callable[[str], str]) -> Any:
    """Plain data with every free text changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {name: part if name in _EXACT else _each(part, change) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_each(part, change) for part in value]
    return value


def told(action: Action) -> dict[str, Any]:
    """An action as an event may tell it: typed text by its length, secrets by name, a swipe also by where it goes."""
    if isinstance(action, TypeText):
        plain, names = secrets.plain(action.text), secrets.names_in(action.text)
        typed: dict[str, Any] = {"kind": kind(action), "characters": len(plain), "replace": action.replace}
        return {**typed, "secrets": sorted(names)} if names else typed
    out = to_json(action)
    if "start" in out and "end" in out:
        (x0, y0), (x1, y1) = out["start"], out["end"]
        down, right = y1 - y0, x1 - x0
        sideways = abs(right) > abs(down)
        out["finger"] = ("right" if right > 0 else "left") if sideways else ("down" if down > 0 else "up")
    return out


def stored(action: Action, *, secret: bool) -> dict[str, Any]:
    """An action as its step's row keeps it: with the typed text, unless that is a secret. A reference is none."""
    hidden = secret and not isinstance(action, ClearText)
    if hidden and isinstance(action, TypeText) and secrets.bare(action.text):
        hidden = False
    return told(action) if hidden else to_json(action)
