"""The next thing to do for a step, from what is on the screen now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from device.actions import Action, ClearText, DoubleTap, LongPress, OpenApp, PressKey, Tap, TypeText, Wait
from device.geometry import Point
from perception.screen import Element
from policies.base import Decision
from policies.follow.motion import swipe
from policies.follow.progress import Phase
from policies.follow.scene import END_SCROLLS, SCROLLS, Scene, described
from policies.follow.steps import (
    Check,
    Clear,
    Direction,
    Gesture,
    Open,
    Pause,
    Press,
    Scroll,
    Toggle,
    Touch,
    Type,
    doing,
)
from policies.grounding import targets
from policies.grounding.naming import Fit, Match, compare, shows, spoken_name, titles
from policies.grounding.targets import Unclear, Want

WHOLE = "All of it is the text"
_GESTURES: dict[Gesture, tuple[Callable[[Point], Action], str]] = {
    Gesture.TAP: (Tap, "Tapping"),
    Gesture.DOUBLE_TAP: (DoubleTap, "Double-tapping"),
    Gesture.HOLD: (LongPress, "Holding"),
}


@dataclass(frozen=True, slots=True)
class Done:
    """The step needs no act, or no further one; `note` says why."""

    note: str = ""


def attempt(scene: Scene) -> Decision | Done:
    """Act, ask, search, give up, or find that there is nothing to do."""
    match step := scene.step:
        case Open(app):
            return scene.act(OpenApp(app), f"{doing(step)}.")
        case Press(key):
            return scene.act(PressKey(key), f"{doing(step)}.")
        case Pause(seconds):
            return scene.act(Wait(seconds), f"{doing(step)}.")
        case Scroll():
            return _scroll(scene, step)
        case Check(target):
            return Done(f"{target} is shown.") if shows(target, scene.screen) is not None else scene.search(target)
        case Touch():
            return _touch(scene, step)
        case Toggle():
            return _toggle(scene, step)
        case Type():
            return _ask_reading(scene, step) or _into_field(scene, step.into)
        case Clear():
            return _into_field(scene, step.target)
        case _:
            assert_never(step)


def enter(scene: Scene, field: Element | None) -> Decision:
    """Type or clear; the field has the focus, as far as can be known."""
    step = scene.step
    place = f" {spoken_name(field)}" if field is not None else f" {step.into}" if isinstance(step, Type) else ""
    if isinstance(step, Type):
        # Without a field's name the text is added where the person has put the cursor.
        thought = f"Typing the text{' into' if place.strip() else ''}{place.rstrip()}."
        return scene.act(TypeText(step.text, replace=bool(step.into)), thought, element=field)
    return scene.act(ClearText(), f"Clearing{place or ' the field'}.", element=field)


def _scroll(scene: Scene, step: Scroll) -> Decision | Done:
    progress = scene.progress
    motion = swipe(step.finger, scene.screen)
    if step.end:
        if progress.turned:
            there = "The end is reached." if progress.exhausted else f"I stop after {progress.down} swipes."
            return Done(there)
        return scene.on(down=progress.down + 1).act(motion, f"{doing(step)}.", Phase.SEARCH)
    if not step.to:
        return scene.act(motion, f"{doing(step)}.")
    if shows(step.to, scene.screen) is not None:
        return Done(f"{step.to} is in view.")
    if step.finger is Direction.UP:
        return scene.search(step.to)
    if progress.turned:
        return scene.missing(step.to)
    thought = f"I do not see {step.to}, so I swipe {step.finger} to look for it."
    return scene.on(down=progress.down + 1).act(motion, thought, Phase.SEARCH)


def _target(scene: Scene, wanted: str, want: Want) -> Match | Decision:
    """The element that is meant, or what must come first: a question, or a search."""
    found = scene.find(wanted, want)
    if found is None:
        elsewhere = scene.look_on(wanted)
        if elsewhere is not None:
            return elsewhere
        found = scene.find(wanted, want, last=True)
    if found is None:
        return scene.missing(wanted)
    return scene.which(wanted, found) if isinstance(found, Unclear) else found


def _hindrance(scene: Scene, wanted: str, element: Element) -> Decision | None:
    """What keeps a finger from the element."""
    name = spoken_name(element)
    if "blocked" in element.states:
        # The tree says blocked only of what lies under a keyboard, so one is there unless the phone denies it.
        if scene.screen.frame.keyboard is not False and not scene.progress.uncovered:
            return scene.hide_keyboard(wanted)
        return scene.trouble(f"{name} is covered.")
    if "disabled" in element.states and not element.interactable:
        return scene.trouble(f"{name} is there, but it is disabled.")
    return None


def _touch(scene: Scene, step: Touch) -> Decision:
    found = _target(scene, step.target, Want.TOUCH)
    if isinstance(found, Decision):
        return found
    if hindrance := _hindrance(scene, step.target, found.element):
        return hindrance
    gesture, verb = _GESTURES[step.gesture]
    thought = f"{verb} {described(found, scene.progress)}."
    return scene.act(gesture(found.element.click), thought, element=found.element)


def _toggle(scene: Scene, step: Toggle) -> Decision | Done:
    found = _target(scene, step.target, Want.SWITCH)
    if isinstance(found, Decision):
        return found
    state = targets.state(found.element, scene.screen)
    word = "on" if step.on else "off"
    if state is step.on:
        return Done(f"{spoken_name(found.element)} is already {word}.")
    if hindrance := _hindrance(scene, step.target, found.element):
        return hindrance
    thought = f"Turning {word} {described(found, scene.progress)}."
    return scene.on(blind=state is None).act(Tap(found.element.click), thought, element=found.element)


def _into_field(scene: Scene, name: str) -> Decision:
    """Give the field the focus, or where it has it enter the text at once."""
    found = _target(scene, name, Want.FIELD) if name else _only_field(scene)
    if found is None:
        return enter(scene, targets.focused_field(scene.screen))
    if isinstance(found, Decision):
        return found
    if "focused" in found.element.states:
        return enter(scene, found.element)
    if hindrance := _hindrance(scene, name, found.element):
        return hindrance
    thought = f"Tapping the field {described(found, scene.progress)}, to type there."
    return scene.act(Tap(found.element.click), thought, Phase.FOCUSED, found.element)


def _only_field(scene: Scene) -> Match | Decision | None:
    """Where text goes that names no field: None leaves it to the phone's own focus."""
    fields = [one for one in scene.screen.elements if one.role == "text_field" and "blocked" not in one.states]
    if not scene.sees or not fields or targets.focused_field(scene.screen) is not None:
        return None
    by_choice = [one for one in fields if targets.digest(one) == scene.progress.chosen]
    if len(fields) > 1 and not by_choice:
        return scene.which("", targets.unclear(fields, scene.screen))
    return Match((by_choice or fields)[0], 1.0, Fit.EXACT)


def _ask_reading(scene: Scene, step: Type) -> Decision | None:
    """`type Meet me in Paris`, and there is a field called Paris: only the person knows what is meant."""
    if step.tail is None or scene.progress.words:
        return None
    name = step.tail[1]
    fields = [one for one in scene.screen.elements if one.role == "text_field" or not scene.sees]
    if not any(_called(one, name) for one in fields):
        return None
    options = (WHOLE, f"Type into {name}")
    return scene.ask(f"Do the last words belong to the text, or is {name} the field?", options, Phase.READING)


def _called(element: Element, name: str) -> bool:
    return any((fit := compare(name, title)) is not None and fit[1] is Fit.EXACT for title in titles(element))


def search_ended(scene: Scene, *, moved: bool) -> Scene:
    """The progress of a search after a swipe: where the end is reached, it turns, and at the top it is over."""
    progress, step = scene.progress, scene.step
    if isinstance(step, Scroll) and step.end:
        return scene.on(phase=Phase.START, turned=not moved or progress.down >= END_SCROLLS, exhausted=not moved)
    if progress.turned:
        return scene.on(phase=Phase.START, exhausted=not moved)
    return scene.on(phase=Phase.START, turned=not moved or progress.down >= SCROLLS)
