"""`scripted`: replays decisions that were written down.

For demonstrations, regression runs and tests: each step is an action with its place, or with the name of its
target, which is found on the live screen as `follow` finds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from device import actions
from device.actions import Action
from perception.screen import Element, Screen
from policies.base import Ask, Decision, Finish, Needs, Observation, Status
from policies.errors import PolicyError
from policies.grounding import GOOD, matches, nearest

TARGETED = frozenset({"tap", "double_tap", "long_press"})


@dataclass(frozen=True, slots=True)
class Line:
    """One step as written: plain data, and the name of its target if it has one."""

    data: Mapping[str, Any]
    target: str = ""


class Scripted:
    """Replays a list of decisions, one per step."""

    name = "scripted"
    needs = Needs(elements=True, tree=True)

    def __init__(self, steps: object = ()) -> None:
        """`steps`: action JSON (`device.actions.to_json`), `{"kind": "tap", "target": "Save"}`, or
        `{"kind": "finish", "status": "complete", "reason": ""}`, or `{"kind": "ask", "prompt": "", "options": []}`.

        Raises PolicyError naming the step and field that is wrong.
        """
        if not isinstance(steps, list | tuple) or not steps:
            raise PolicyError("params.steps must be a list of at least one step")
        self._lines = tuple(_line(number, step) for number, step in enumerate(steps))

    async def decide(self, observation: Observation) -> Decision:
        """The next line. Raises PolicyError when its target is not on the screen."""
        number = len(observation.history)
        if number >= len(self._lines):
            return Decision(choice=Finish(status=Status.COMPLETE, reason="The script is at its end."))
        line = self._lines[number]
        data = dict(line.data)
        match data["kind"]:
            case "finish":
                return Decision(choice=_finish(data))
            case "ask":
                return Decision(choice=Ask(prompt=data["prompt"], options=tuple(data.get("options", ()))))
            case _:
                element = _find(line.target, number, observation.screen) if line.target else None
                if element is not None:
                    data["at"] = [element.click.x, element.click.y]
                thought = f"Script line {number + 1}: {data['kind']} {element.name if element else ''}".rstrip() + "."
                return Decision(choice=_action(data), thought=thought, element=element)


def _finish(data: Mapping[str, Any]) -> Finish:
    return Finish(status=Status(data.get("status", "complete")), reason=str(data.get("reason", "")))


def _action(data: dict[str, Any]) -> Action:
    return actions.from_json(data)


def _line(number: int, step: object) -> Line:
    where = f"params.steps[{number}]"
    if not isinstance(step, Mapping):
        raise PolicyError(f"{where} must be an object, not {step!r}")
    data = dict(step)
    target = data.pop("target", "")
    if not isinstance(target, str):
        raise PolicyError(f"{where}.target must be a name, not {target!r}")
    kind = data.get("kind")
    try:
        if kind == "finish":
            _finish(data)
        elif kind == "ask":
            if not isinstance(data.get("prompt"), str) or not data["prompt"]:
                raise ValueError("prompt must be a question")
        elif target:
            if kind not in TARGETED:
                raise ValueError(f"target goes with {', '.join(sorted(TARGETED))}, not with {kind!r}")
            _action({**data, "at": [0.5, 0.5]})
        else:
            _action(data)
    except ValueError as error:
        raise PolicyError(f"{where}: {error}") from error
    return Line(data, target)


def _find(target: str, number: int, screen: Screen) -> Element:
    found = [one for one in matches(target, screen) if "blocked" not in one.element.states]
    if not found:
        near = ", ".join(nearest(target, screen))
        raise PolicyError(
            f"params.steps[{number}].target: nothing on the screen answers to {target!r} at {GOOD:.0%}",
            advice=f"The nearest names are: {near}." if near else "The screen shows no text.",
        )
    return found[0].element
