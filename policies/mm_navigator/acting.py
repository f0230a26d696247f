"""What an answer of the dialect means on the screen that was shown."""

from __future__ import annotations

from collections.abc import Collection
from typing import assert_never

from device import actions
from device.actions import Key, PressKey
from device.geometry import Point
from perception.screen import Element, Screen
from policies.base import Ask, Choice, Finish, Status
from policies.mm_navigator import grammar
from policies.mm_navigator.grammar import Act, Direction

# Swipes as Auto-UI draws its canonical ones (cooelf/Auto-GUI, utils_data.py): from .8 to .2 of the screen.
_NEAR, _FAR = 0.2, 0.8
_KEYBOARD_SHARE = 0.5
"""An open keyboard takes a bit less than the lower half; on it the finger would write."""
_SECONDS = 0.8
"""Slow enough that the lifting finger does not fling past a screen that nobody has seen."""


def meaning(act: Act, screen: Screen, tags: Collection[int]) -> tuple[Choice, Element | None]:
    """The choice, and the element that is meant. `tags` are the numbers that were drawn.

    Raises ValueError with a reason that a model can act on when the number is none of them.
    """
    match act:
        case grammar.Click(idx):
            element = _tagged(idx, screen, tags)
            return actions.Tap(element.click), element
        case grammar.LongPress(idx):
            element = _tagged(idx, screen, tags)
            return actions.LongPress(element.click), element
        case grammar.Type(text):
            return actions.TypeText(text), _focused(screen)
        case grammar.Enter():
            return PressKey(Key.ENTER), _focused(screen)
        case grammar.Swipe(direction):
            return _swipe(direction, keyboard=bool(screen.frame.keyboard)), None
        case grammar.Back():
            return PressKey(Key.BACK), None
        case grammar.Home():
            return PressKey(Key.HOME), None
        case grammar.OpenApp(app):
            return actions.OpenApp(app), None
        case grammar.Ask(question, options):
            return Ask(prompt=question, options=options), None
        case grammar.Complete(answer):
            return Finish(status=Status.COMPLETE, answer=answer), None
        case grammar.Impossible(reason):
            return Finish(status=Status.IMPOSSIBLE, reason=reason), None
        case _:
            assert_never(act)


def _tagged(idx: int, screen: Screen, tags: Collection[int]) -> Element:
    element = screen.element(idx)
    if element is None or idx not in tags:
        shown = ", ".join(map(str, sorted(tags))) or "none"
        raise ValueError(f"there is no number {idx} in the picture; the numbers are {shown}.")
    return element


def _focused(screen: Screen) -> Element | None:
    """The field that typing goes to, where the screen tells."""
    return next((one for one in screen.elements if one.role == "text_field" and "focused" in one.states), None)


def _swipe(direction: Direction, *, keyboard: bool) -> actions.Swipe:
    height = _KEYBOARD_SHARE if keyboard else 1.0
    middle = 0.5 * height
    match direction:
        case Direction.UP:
            start, end = Point(0.5, _FAR * height), Point(0.5, _NEAR * height)
        case Direction.DOWN:
            start, end = Point(0.5, _NEAR * height), Point(0.5, _FAR * height)
        case Direction.LEFT:
            start, end = Point(_FAR, middle), Point(_NEAR, middle)
        case Direction.RIGHT:
            start, end = Point(_NEAR, middle), Point(_FAR, middle)
    return actions.Swipe(start, end, _SECONDS)
