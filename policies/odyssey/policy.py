"""OdysseyAgent as a policy: its own prompt, its own words, on a live screen.

It chooses places, not marks. The network sees the screen squeezed to a square and answers in thousandths of each axis,
so a place on the picture is the same fraction of the screen.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Literal, get_args

from PIL import Image

from device import actions
from device.actions import Key, PressKey
from device.base import Answer
from device.frame import Frame
from device.geometry import Point, Size
from perception.screen import Element, Screen
from policies.base import Choice, Decision, Finish, Needs, Observation, Status, Turn
from policies.errors import PolicyError, Unparsable
from policies.llm.base import ChatModel, Message, Picture, Request
from policies.llm.model import connect
from policies.odyssey import grammar
from policies.odyssey.grammar import NoAct
from policies.odyssey.local import LocalModel
from policies.odyssey.source import Dtype, NoNetwork, Source, check

Told = Literal["actions", "screenshots", "context"]
Level = Literal["high", "low"]

WINDOW = 4
"""Steps of the past that are told (`his_len` of the published configuration)."""
SIDE = 448
"""The network's own picture; squeezing here already sends less and loses nothing."""
MOST_TOKENS = 128
"""For one answer; the published 30 cut long typed texts off."""
HERE = "http://127.0.0.1:8770/v1"
_NEAR, _FAR, _SECONDS = 0.3, 0.7, 0.6
"""A scroll of the data set names a direction only; this finger goes over two fifths of the screen, without a fling."""
_KEYS = {"HOME": Key.HOME, "BACK": Key.BACK, "RECENT": Key.RECENTS}
_NAMES = {key: name for name, key in _KEYS.items()}


class BadSetting(PolicyError):
    """A setting of the policy is wrong; the message names it."""

    code = "bad-policy-params"


class OdysseyPolicy:
    """The policy with a network that is there already."""

    name = "odyssey"

    def __init__(self, model: ChatModel, history: Collection[Told] = ("actions", "screenshots"), level: Level = "high"):
        self.needs = Needs(
            elements=True,
            tree=True,
            pictures=WINDOW if "screenshots" in history else 0,
            remote_model=f"{model.name} at {model.host}" if model.host else "",
            remote_host=model.host,
        )
        self._model = model
        self._told = frozenset(history)
        self._level = level

    async def close(self) -> None:
        """Let go of the network's connections."""
        await self._model.close()

    async def decide(self, observation: Observation) -> Decision:
        """The next action. Raises ModelError, Unparsable."""
        instruction = self._instruction(observation)
        if instruction is None:
            return Decision(choice=Finish(status=Status.COMPLETE, reason="All instructions were carried out."))
        messages = await asyncio.to_thread(self._messages, observation, instruction)
        reply = await self._model.answer(Request(system="", messages=messages, max_tokens=MOST_TOKENS))
        try:
            act = grammar.parse(reply.text)
        except NoAct as error:
            # It was never taught to be corrected: a second question would be one that it has no form for.
            raise Unparsable(reply.text, f"The network's answer cannot be used: {error}").after(reply.usage) from error
        choice, element = meaning(act, observation.screen)
        said = _in_words(act, element)
        return Decision(
            choice=choice, thought=said, summary=said, element=element, raw=grammar.render(act), usage=reply.usage
        )

    def _instruction(self, observation: Observation) -> str | None:
        """The goal; at the low level its line for this step, None behind the last."""
        if self._level == "high":
            return observation.goal
        lines = [line.strip() for line in observation.goal.splitlines() if line.strip()]
        done = sum(turn.sent is not Answer.NO for turn in observation.history)
        return lines[done] if done < len(lines) else None

    def _messages(self, observation: Observation, instruction: str) -> tuple[Message, ...]:
        """The chat as the server reads it: each step's screen and action, then the present screen and instruction."""
        past = [turn for turn in observation.history if rendered(turn.decision.choice)][-WINDOW:]
        messages: list[Message] = []
        for turn in past:
            if "screenshots" in self._told and turn.frame is not None:
                messages.append(Message("user", (squeezed(turn.frame),)))
            if "actions" in self._told:
                messages.append(Message("assistant", (rendered(turn.decision.choice),)))
        said = instruction
        if "context" in self._told and past:
            said = f"{instruction}\nPrevious context: {_context(past)}"
        return (*messages, Message("user", (squeezed(observation.screen.frame), said)))


class Odyssey(OdysseyPolicy):
    """The network of GUI-Odyssey, on a machine of yours (OdysseyAgent): behind its server, or in this process."""

    needs = Needs(elements=True, tree=True, pictures=WINDOW, remote_model="the network's server")

    def __init__(
        self,
        base_url: str = HERE,
        model: str = "odyssey",
        history: list[Told] = ["actions", "screenshots"],  # noqa: B006 - read only; its type is the parameter's schema
        level: Level = "high",
        timeout: float = 60.0,
        weights: str = "",
        random_init: str = "",
        device: str = "",
        dtype: Dtype | None = None,
        form: Literal["", "v1", "v2"] = "",
    ) -> None:
        """Parameters as a run gives them. Raises BadSetting, Rejected.

        With `weights`, a folder, or `random_init`, a size, the network is in this process: loaded at the first
        decision, on `device` as `dtype`, once for all runs; pictures go nowhere. Otherwise it is asked at `base_url`
        (`tapwright odyssey serve`), which has its own.
        """
        if not isinstance(history, list) or not set(history) <= set(get_args(Told)):
            raise BadSetting(f"history must be a list of any of {', '.join(get_args(Told))}, not {history!r}.")
        if level not in get_args(Level):
            raise BadSetting(f"level must be one of {', '.join(get_args(Level))}, not {level!r}.")
        if not isinstance(timeout, int | float) or isinstance(timeout, bool) or timeout <= 0:
            raise BadSetting(f"timeout must be a number of seconds above 0, not {timeout!r}.")
        if form not in ("", "v1", "v2"):
            raise BadSetting(f"form must be v1 or v2, not {form!r}.")
        if weights or random_init:
            source = _source(weights, random_init, device or "cpu", dtype)
            chat: ChatModel = LocalModel(source, form or "v2", seconds=timeout)
        else:
            _belong_to_a_network_here(device=device, dtype=dtype, form=form)
            chat = connect("openai", model, base_url=base_url, protocol="chat", structured=False, seconds=timeout)
        super().__init__(chat, history, level)


def _source(weights: str, preset: str, device: str, dtype: Dtype | None) -> Source:
    wanted = Source(folder=Path(weights) if weights else None, preset=preset, device=device, dtype=dtype)
    try:
        check(wanted)
    except NoNetwork as error:
        raise BadSetting(f"weights, random_init, device or dtype: {error}", advice=error.advice) from error
    return wanted


def _belong_to_a_network_here(**given: object) -> None:
    for name, value in given.items():
        if value:
            raise BadSetting(
                f"{name} is {value!r}, but the network's server has its own.",
                advice=f"Leave it out and start `tapwright odyssey serve --{name} ...`, or give weights as well.",
            )


def meaning(act: grammar.Act, screen: Screen) -> tuple[Choice, Element | None]:
    """The choice, and the element under the chosen place. Thousandths become fractions of the frame."""
    match act:
        case grammar.Click(x, y):
            at = Point.from_permille(x, y)
            return actions.Tap(at), under(at, screen)
        case grammar.LongPress(x, y):
            at = Point.from_permille(x, y)
            return actions.LongPress(at), under(at, screen)
        case grammar.Scroll(finger):
            return _swipe(finger), None
        case grammar.Type(text):
            field = next((one for one in screen.elements if one.role == "text_field" and "focused" in one.states), None)
            return actions.TypeText(text), field
        case grammar.Press(key):
            return PressKey(_KEYS[key]), None
        case grammar.Complete():
            return Finish(status=Status.COMPLETE), None
        case grammar.Impossible():
            return Finish(status=Status.IMPOSSIBLE, reason="The network calls the task impossible."), None
    raise AssertionError(act)


def under(at: Point, screen: Screen) -> Element | None:
    """The smallest element that holds the place: of nested ones the inner is meant."""
    holding = [one for one in screen.elements if one.box.contains(at)]
    return min(holding, key=lambda one: one.box.width * one.box.height, default=None)


def rendered(choice: Choice) -> str:
    """A choice in the network's words, as its history tells it; "" for what it has no word for."""
    match choice:
        case actions.Tap(at) | actions.DoubleTap(at):
            return grammar.render(grammar.Click(*_permille(at)))
        case actions.LongPress(at):
            return grammar.render(grammar.LongPress(*_permille(at)))
        case actions.Swipe(start, end) | actions.Drag(start, end):
            return grammar.render(grammar.Scroll(grammar.finger((start.x, start.y), (end.x, end.y))))
        case actions.TypeText(text):
            return grammar.render(grammar.Type(text))
        case PressKey(key) if key in _NAMES:
            name = _NAMES[key]
            return f"PRESS_{name}"
    return ""


def _permille(at: Point) -> tuple[int, int]:
    return round(at.x * grammar.THOUSAND), round(at.y * grammar.THOUSAND)


def _swipe(finger: grammar.Direction) -> actions.Swipe:
    start, end = {
        "UP": (Point(0.5, _FAR), Point(0.5, _NEAR)),
        "DOWN": (Point(0.5, _NEAR), Point(0.5, _FAR)),
        "LEFT": (Point(_FAR, 0.5), Point(_NEAR, 0.5)),
        "RIGHT": (Point(_NEAR, 0.5), Point(_FAR, 0.5)),
    }[finger]
    return actions.Swipe(start, end, _SECONDS)


def squeezed(frame: Frame) -> Picture:
    """The frame as the square that the network sees, without loss."""
    small = Image.fromarray(frame.pixels).resize((SIDE, SIDE), Image.Resampling.BICUBIC)
    out = io.BytesIO()
    small.save(out, "PNG", compress_level=1)
    return Picture(out.getvalue(), "image/png", Size(SIDE, SIDE))


def _context(turns: Sequence[Turn]) -> str:
    return " ".join(turn.decision.summary for turn in turns if turn.decision.summary)


def _in_words(act: grammar.Act, element: Element | None) -> str:
    """What was chosen, for people; typed text by its length."""
    name = (element.text or element.label) if element is not None else ""
    on = f" {name!r}" if name else ""
    match act:
        case grammar.Click(x, y):
            return f"Tap{on} at ({x}, {y})."
        case grammar.LongPress(x, y):
            return f"Long press{on} at ({x}, {y})."
        case grammar.Type(text):
            return f"Type {len(text)} characters."
        case _:
            return f"{grammar.render(act)}."


__all__ = ["BadSetting", "NoAct", "Odyssey", "OdysseyPolicy"]
