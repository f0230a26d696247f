"""What the scripted model wants, step by step, and what goes wrong on the way."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from policies.mm_navigator import grammar


class BadModelScript(ValueError):
    """A line of the script is wrong; the message names the line and the field."""


class FaultKind(StrEnum):
    """What can go wrong with one answer."""

    RATE_LIMITED = "rate_limited"  # 429, with Retry-After when `seconds` is given
    BROKEN = "broken"  # 500
    UNAUTHORIZED = "unauthorized"  # 401
    OVERFLOW = "overflow"  # 400: the conversation is too long
    SLOW = "slow"  # the right answer, `seconds` later
    CUT = "cut"  # the connection ends in the middle of the answer
    REFUSAL = "refusal"
    TRUNCATED = "truncated"  # the answer ends at the token limit
    INVALID_JSON = "invalid_json"
    WRONG_MARK = "wrong_mark"  # a number that is not in the picture
    EMPTY = "empty"  # an answer without a word
    SILENCE = "silence"  # no answer at all for `seconds`, a minute if nothing is said


class Turn(StrEnum):
    """Which answer of a step goes wrong."""

    DESCRIPTION = "description"
    ACTION = "action"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Fault:
    """One answer that goes wrong. `seconds`: how late, or what Retry-After says."""

    kind: FaultKind
    seconds: float | None = None
    turn: Turn = Turn.ACTION


@dataclass(frozen=True, slots=True)
class Line:
    """One step: an action whose number is found by `label`, and the faults that come before its good answer.

    It is passed over unless `when` can be read on the screen, and if `unless` can.
    """

    act: grammar.Act
    label: str = ""
    faults: tuple[Fault, ...] = ()
    when: str = ""
    unless: str = ""


@dataclass(frozen=True, slots=True)
class Script:
    """The lines in their order. `latency` seconds pass before every answer."""

    lines: tuple[Line, ...]
    latency: float = 0.0


def read(text: str) -> Script:
    """A script from JSON: `{"latency": 0.2, "lines": [{"action": {...}, "faults": [...]}, ...]}`.

    An action is one of MM-Navigator's dialect, but click and long_press have `label`, what is written on the
    thing, in place of `idx`. `when` and `unless` are words on the screen; `times` repeats the line. A fault is
    `{"kind": "rate_limited", "seconds": 0.2, "times": 1, "turn": "action"}`. Raises BadModelScript.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadModelScript(f"the script is not JSON: {error}") from error
    _check_keys(data, {"lines"}, {"latency"}, "the script")
    if not isinstance(data["lines"], list) or not data["lines"]:
        raise BadModelScript("lines must be a list with at least one line")
    lines = tuple(one for n, line in enumerate(data["lines"]) for one in _lines(f"lines[{n}]", line))
    return Script(lines, _seconds("latency", data.get("latency", 0.0)))


def _lines(where: str, data: object) -> Sequence[Line]:
    _check_keys(data, {"action"}, {"faults", "when", "unless", "times"}, where)
    assert isinstance(data, dict)
    action, label = data["action"], ""
    if isinstance(action, dict) and "label" in action:
        label = _words(f"{where}.action.label", action["label"])
        # The number is found in the picture; the dialect only has to see that there is one.
        action = {**{key: value for key, value in action.items() if key != "label"}, "idx": 0}
    try:
        act = grammar.act(action)
    except ValueError as error:
        raise BadModelScript(f"{where}: {error}") from error
    faults = data.get("faults", [])
    if not isinstance(faults, list):
        raise BadModelScript(f"{where}.faults must be a list")
    line = Line(
        act,
        label,
        tuple(fault for n, one in enumerate(faults) for fault in _faults(f"{where}.faults[{n}]", one)),
        *(_words(f"{where}.{name}", data[name]) if name in data else "" for name in ("when", "unless")),
    )
    return [line] * _times(where, data)


def _faults(where: str, data: object) -> Sequence[Fault]:
    _check_keys(data, {"kind"}, {"seconds", "times", "turn"}, where)
    assert isinstance(data, dict)
    turn = data.get("turn", "action")
    for name, value, known in (("kind", data["kind"], FaultKind), ("turn", turn, Turn)):
        if value not in list(known):
            raise BadModelScript(f"{where}.{name} must be one of {', '.join(known)}, not {value!r}")
    seconds = _seconds(f"{where}.seconds", data["seconds"]) if "seconds" in data else None
    return [Fault(FaultKind(data["kind"]), seconds, Turn(turn))] * _times(where, data)


def _times(where: str, data: Mapping[str, Any]) -> int:
    times = data.get("times", 1)
    if isinstance(times, bool) or not isinstance(times, int) or not 1 <= times <= 100:
        raise BadModelScript(f"{where}.times must be 1 to 100, not {times!r}")
    return times


def _words(where: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise BadModelScript(f"{where} must be what is written there, not {value!r}")
    return value


def _seconds(where: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 3600:
        raise BadModelScript(f"{where} must be 0 to 3600 seconds, not {value!r}")
    return float(value)


def _check_keys(data: object, needed: set[str], allowed: set[str], where: str) -> None:
    if not isinstance(data, Mapping):
        raise BadModelScript(f"{where} must be an object")
    wrong = sorted((needed - data.keys()) | (data.keys() - needed - allowed))
    if wrong:
        raise BadModelScript(f"{where}: missing or unknown: {', '.join(wrong)}")


def plain(line: Line) -> Mapping[str, Any]:
    """What the line wants, for a log: typed text is left out."""
    word = json.loads(grammar.render(grammar.Said("", line.act)))["action"]["action_type"]
    return {"action_type": word, **({"label": line.label} if line.label else {})}
