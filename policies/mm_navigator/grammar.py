"""The dialect of MM-Navigator's answers: one JSON object with a thought and one action.

The paper's actions are click, type, scroll, home and back with numeric tags counted from 1 (zzxslp/MM-Navigator,
call_gpt4.py). Long press, enter, opening an app, asking the person and both endings are ours. The paper's scroll means
the content vertically and the finger horizontally (eval.py); here a swipe always says what the finger does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Direction(StrEnum):
    """Where the finger goes."""

    UP = "up"
    DOWN = "down"
    LEFT = "left"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Click:
    idx: int


@dataclass(frozen=True, slots=True)
class LongPress:
    idx: int


@dataclass(frozen=True, slots=True)
class Type:
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Enter:
    pass


@dataclass(frozen=True, slots=True)
class Swipe:
    direction: Direction


@dataclass(frozen=True, slots=True)
class Back:
    pass


@dataclass(frozen=True, slots=True)
class Home:
    pass


@dataclass(frozen=True, slots=True)
class OpenApp:
    app: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to the person; without options they answer in their own words."""

    question: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Complete:
    answer: str


@dataclass(frozen=True, slots=True)
class Impossible:
    reason: str


Act = Click | LongPress | Type | Enter | Swipe | Back | Home | OpenApp | Ask | Complete | Impossible


@dataclass(frozen=True, slots=True)
class Said:
    """A whole answer. `summary` is there when one call does both turns, else None."""

    thought: str
    act: Act
    summary: str | None = None


@dataclass(frozen=True, slots=True)
class _Row:
    """One kind of action: its word, its value, the kinds of its fields, and what a model is told of it."""

    word: str
    value: type[Any]
    fields: Mapping[str, type[Any]]
    gloss: str


_TABLE = (
    _Row("click", Click, {"idx": int}, "tap the element with that number"),
    _Row("long_press", LongPress, {"idx": int}, "put the finger on the element with that number and hold it"),
    _Row(
        "type", Type, {"text": str}, "add text to the field that has the focus; tap a field first to give it the focus"
    ),
    _Row("enter", Enter, {}, "press the enter key: send, search or confirm what was typed"),
    _Row(
        "swipe",
        Swipe,
        {"direction": Direction},
        'move the finger over the screen; "up" brings into view what lies further down, "left" what lies to the right',
    ),
    _Row("navigate_back", Back, {}, "go back one screen, or put the keyboard away"),
    _Row("navigate_home", Home, {}, "go to the home screen"),
    _Row("open_app", OpenApp, {"app": str}, "bring an app to the front by the name that people see"),
    _Row(
        "ask",
        Ask,
        {"question": str, "options": tuple},
        "put a question to the person, with the answers to choose from, or an empty list for an answer in words",
    ),
    _Row(
        "complete",
        Complete,
        {"answer": str},
        "everything that was asked for is done; the answer if the task asks for information, else an empty text",
    ),
    _Row("impossible", Impossible, {"reason": str}, "the task cannot be done on this phone, and why"),
)
_BY_WORD = {row.word: row for row in _TABLE}
_BY_VALUE = {row.value: row for row in _TABLE}
_EXAMPLES: Mapping[type[Any], str] = {
    int: "N",
    str: '"..."',
    Direction: '"up" | "down" | "left" | "right"',
    tuple: '["...", "..."]',
}
_INSTEAD = {
    "scroll": ' Say "swipe" with the way the finger goes: "up" shows what lies further down.',
    "tap": ' Say "click".',
    "press_enter": ' Say "enter".',
}
"""Words of other dialects: refused like any other, with the word that is right."""
# Models put their JSON into a fence now and then, whatever they are told.
_FENCE = re.compile(r"```(?:json)?\s*\n(.*)\n\s*```", re.DOTALL)


def describe() -> str:
    """One line per action, as a prompt shows it."""
    return "\n".join(f"- {_form(row)}: {row.gloss}" for row in _TABLE)


def _form(row: _Row) -> str:
    fields = "".join(f', "{name}": {_EXAMPLES[kind]}' for name, kind in row.fields.items())
    return f'{{"action_type": "{row.word}"{fields}}}'


def schema(*, summary: bool) -> dict[str, Any]:
    """The JSON schema of an answer: closed objects, every property required, a plain `anyOf` of the actions."""
    text = {"type": "string"}
    properties: dict[str, Any] = {"thought": text, "action": {"anyOf": [_object(_properties(row)) for row in _TABLE]}}
    return _object({**properties, "summary": text} if summary else properties)


def _properties(row: _Row) -> dict[str, Any]:
    kinds: Mapping[type[Any], dict[str, Any]] = {
        int: {"type": "integer"},
        str: {"type": "string"},
        Direction: {"type": "string", "enum": list(map(str, Direction))},
        tuple: {"type": "array", "items": {"type": "string"}},
    }
    word = {"action_type": {"type": "string", "enum": [row.word]}}
    return {**word, **{name: kinds[kind] for name, kind in row.fields.items()}}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def render(said: Said) -> str:
    """The answer as a model writes it; `parse` reads it back."""
    row = _BY_VALUE[type(said.act)]
    action = {"action_type": row.word, **{name: getattr(said.act, name) for name in row.fields}}
    whole: dict[str, Any] = {"thought": said.thought, "action": action}
    return json.dumps(whole if said.summary is None else {**whole, "summary": said.summary}, ensure_ascii=False)


def parse(text: str, *, summary: bool) -> Said:
    """The inverse of `render`. Raises ValueError with a reason that a model can act on.

    Nothing may be missing, superfluous or doubled; an answer that is a JSON code block as a whole is read too.
    """
    fenced = _FENCE.fullmatch(text.strip())
    try:
        whole = json.loads(fenced.group(1) if fenced else text, object_pairs_hook=_closed, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        more = " Give one object with one action." if error.msg == "Extra data" else ""
        raise ValueError(f"it is not one JSON object: {error.msg} at character {error.pos}.{more}") from error
    except RecursionError as error:
        raise ValueError("it is nested too deeply.") from error
    _check_keys(whole, ("thought", "action", "summary") if summary else ("thought", "action"), "the object")
    return Said(
        thought=_text(whole["thought"], "thought"),
        act=act(whole["action"]),
        summary=_text(whole["summary"], "summary") if summary else None,
    )


def act(data: object) -> Act:
    """One action from plain data. Raises ValueError."""
    word = data.get("action_type") if isinstance(data, dict) else None
    row = _BY_WORD.get(word) if isinstance(word, str) else None
    if row is None or not isinstance(data, dict):
        hint = _INSTEAD.get(word, "") if isinstance(word, str) else ""
        raise ValueError(f"action must be an object whose action_type is one of {', '.join(_BY_WORD)}.{hint}")
    _check_keys(data, ("action_type", *row.fields), f"the action {row.word}")
    made: Act = row.value(**{name: _value(data[name], kind, name) for name, kind in row.fields.items()})
    if isinstance(made, Ask) and not made.question.strip():
        raise ValueError("question must say what you want to know.")
    return made


def _value(value: object, kind: type[Any], name: str) -> object:
    if kind is int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError(f"{name} must be a whole number.")
        return value
    if kind is Direction:
        if value not in list(Direction):
            raise ValueError(f"{name} must be one of {', '.join(Direction)}.")
        return Direction(str(value))
    if kind is tuple:
        if not isinstance(value, list):
            raise ValueError(f"{name} must be a list of texts.")
        return tuple(_text(one, f"each of {name}") for one in value)
    return _text(value, name)


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a text.")
    if any("\ud800" <= sign <= "\udfff" for sign in value):
        raise ValueError(f"{name} has half a character in it.")
    return value


def _check_keys(data: object, keys: tuple[str, ...], what: str) -> None:
    if not isinstance(data, dict) or data.keys() != set(keys):
        raise ValueError(f"{what} must have exactly these keys: {', '.join(keys)}.")


def _closed(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key is there twice.")
    return dict(pairs)


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no number.")
