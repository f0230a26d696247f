"""`scripted`: replays decisions that were written down, for demonstrations, regression runs and tests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from device import actions
from perception.screen import Element, Screen
from policies.base import Ask, Choice, Decision, Finish, Needs, Observation, Status
from policies.errors import PolicyError
from policies.grounding.naming import nearest_names, spoken_name
from policies.grounding.targets import Unclear, Want, find

_TOUCHES = ("tap", "double_tap", "long_press")
_WRITES = ("type_text", "clear_text")
_NUMBERS = ("seconds", "scale")
_KINDS: Mapping[str, type] = {"text": str, "name": str, "replace": bool, "key": str}


class BadScript(PolicyError):
    """A step of the script is wrong, or does not fit the screen; the message names the step and its field."""

    code = "bad-script"


@dataclass(frozen=True, slots=True)
class Line:
    """One step: what to do, and by mark or name what to do it to. A touch's place is filled in on the screen."""

    data: Mapping[str, Any]
    target: str | int | None


class Scripted:
    """Replays decisions that were written down: for demonstrations and tests."""

    name = "scripted"
    needs = Needs(elements=True, tree=True)

    def __init__(self, steps: Sequence[Mapping[str, Any]]) -> None:
        """One decision per step, in order; each is plain data with a `kind`.

        An action as `device.actions.to_json` writes it; touches take `target` (a name as people say it, or a
        mark) instead of `at`; `{"kind": "finish", "status": "complete", "reason": "", "answer": ""}`;
        `{"kind": "ask", "prompt": "Which?", "options": ["this", "that"]}`. Behind the last step the script
        finishes as complete. Raises BadScript.
        """
        if not isinstance(steps, list | tuple) or not steps:
            raise BadScript("steps must be a list with at least one step.", advice='For example: [{"kind": "finish"}]')
        self._lines = tuple(_line(f"steps[{number}]", step) for number, step in enumerate(steps))

    async def decide(self, observation: Observation) -> Decision:
        """The next step of the script. Raises BadScript when its target is not on the screen, or not clear."""
        number = _next_number(observation)
        if number >= len(self._lines):
            return Decision(choice=Finish(status=Status.COMPLETE, reason="The script is at its end."))
        line = self._lines[number]
        memo = json.dumps({"script": number})
        if line.target is None:
            return Decision(choice=_choice(line.data), thought=f"Line {number + 1} of the script.", memo=memo)
        element = _element(f"steps[{number}].target", line.target, line.data["kind"], observation.screen)
        placed = {"at": [element.click.x, element.click.y]} if line.data["kind"] in _TOUCHES else {}
        thought = f"Line {number + 1} of the script, for {spoken_name(element)}."
        return Decision(choice=_choice({**line.data, **placed}), thought=thought, element=element, memo=memo)


def _next_number(observation: Observation) -> int:
    """Index of the step after the last one of ours in the history."""
    for turn in reversed(observation.history):
        try:
            memo = json.loads(turn.decision.memo)
        except ValueError:
            continue
        if isinstance(memo, dict) and isinstance(memo.get("script"), int):
            return int(memo["script"]) + 1
    return 0


def _line(where: str, step: object) -> Line:
    if not isinstance(step, Mapping):
        raise BadScript(f"{where} must be an object with a kind, not {step!r}.")
    data = dict(step)
    target = data.pop("target", None)
    kind = data.get("kind")
    if target is not None:
        if kind not in (*_TOUCHES, *_WRITES):
            raise BadScript(f"{where}.target: a step of kind {kind!r} takes no target.")
        if isinstance(target, bool) or not isinstance(target, str | int) or target == "":
            raise BadScript(f"{where}.target must be a name or a mark, not {target!r}.")
        if "at" in data:
            raise BadScript(f"{where} has both target and at; keep one.")
    try:
        _choice({**data, "at": [0.5, 0.5]} if target is not None and kind in _TOUCHES else data)
    except ValueError as error:
        raise BadScript(f"{where}: {error}") from error
    return Line(data, target)


def _choice(data: Mapping[str, Any]) -> Choice:
    """The decision that plain data stands for. Raises ValueError naming the field that is wrong."""
    match data.get("kind"):
        case "finish":
            _check_fields(data, ("status", "reason", "answer"))
            status = data.get("status", Status.COMPLETE)
            if status not in list(Status):
                raise ValueError(f"status must be one of {', '.join(Status)}, not {status!r}")
            reason, answer = _text(data, "reason", ""), _text(data, "answer", "")
            return Finish(status=Status(status), reason=reason, answer=answer)
        case "ask":
            _check_fields(data, ("prompt", "options", "reason"))
            options = data.get("options", ())
            if not isinstance(options, list | tuple) or not all(isinstance(one, str) for one in options):
                raise ValueError(f"options must be a list of texts, not {options!r}")
            return Ask(prompt=_text(data, "prompt"), options=tuple(options), reason=_text(data, "reason", ""))
        case _:
            for field, value in data.items():
                _check_value(field, value)
            return actions.from_json(dict(data))


def _check_fields(data: Mapping[str, Any], known: Sequence[str]) -> None:
    unknown = sorted(data.keys() - {"kind", *known})
    if unknown:
        raise ValueError(f"{', '.join(unknown)} unknown; a step of kind {data['kind']} takes {', '.join(known)}")


def _text(data: Mapping[str, Any], field: str, default: str | None = None) -> str:
    value = data.get(field, default)
    if not isinstance(value, str):
        raise ValueError(f"{field} must be a text, not {value!r}")
    return value


def _check_value(field: str, value: object) -> None:
    kind = _KINDS.get(field)
    if kind is not None and not isinstance(value, kind):
        # Typed text stays out of messages.
        shown = type(value).__name__ if field == "text" else repr(value)
        raise ValueError(f"{field} must be {'true or false' if kind is bool else 'a text'}, not {shown}")
    if field in _NUMBERS and (isinstance(value, bool) or not isinstance(value, int | float) or value <= 0):
        raise ValueError(f"{field} must be a number above 0, not {value!r}")


def _element(where: str, target: str | int, kind: str, screen: Screen) -> Element:
    """The element with that mark or name. Raises BadScript."""
    if isinstance(target, int):
        marked = screen.element(target)
        if marked is None:
            raise BadScript(f"{where}: there is no mark {target}; the screen has 1 to {len(screen.elements)}.")
        return marked
    found = find(target, Want.FIELD if kind in _WRITES else Want.TOUCH, screen)
    if found is None:
        near = ", ".join(nearest_names(target, screen))
        raise BadScript(f"{where}: “{target}” is not on the screen.", advice=f"The nearest names are: {near}.")
    if isinstance(found, Unclear):
        raise BadScript(
            f"{where}: {len(found.candidates)} things fit “{target}”.",
            advice=f"Give the mark instead of the name, or a fuller name: {'; '.join(found.options)}.",
        )
    return found.element
