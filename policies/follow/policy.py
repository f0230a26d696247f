"""`follow`: does what step-by-step instructions say, without any model.

Private, free, instant. It reads the task (`grammar`), finds what is meant on the screen (`ground`), scrolls for what is
not in view, asks when two targets are equally good, and checks what can be checked before it goes on.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import assert_never

from device.actions import (
    Action,
    ClearText,
    LongPress,
    OpenApp,
    PressKey,
    Swipe,
    Tap,
    TypeText,
    Wait,
)
from device.actions import Key as PhoneKey
from device.base import Answer
from device.geometry import Box, Point
from perception.screen import Element, Screen
from policies import grounding as ground
from policies.base import Ask, Decision, Finish, Needs, Observation, Status, Turn
from policies.follow import grammar, progress
from policies.follow.progress import Progress
from policies.grounding import FIELDS, SWITCHES, Match

SCROLLS = 8
"""Screens looked through in one direction before giving up; the longest settings page has fewer."""
RETRY, SKIP, STOP = "Try again", "Skip this step", "Stop"

parse = lru_cache(maxsize=64)(grammar.parse)


class Follow:
    """The policy. Holds nothing between decisions."""

    name = "follow"
    needs = Needs(elements=True, tree=True)

    def check(self, goal: str) -> None:
        """Raises UnreadableTask naming the words that cannot be read."""
        parse(goal)

    async def decide(self, observation: Observation) -> Decision:
        """The next act, question or end. Raises UnreadableTask, PolicyError."""
        steps = parse(observation.goal)
        here = progress.read(observation.history)
        if observation.history and here.did:
            after = _after(steps[here.at], here, observation.history[-1], observation.screen)
            if isinstance(after, Decision):
                return after
            here = after
        while here.at < len(steps):
            decision = _attempt(steps[here.at], here, observation.screen)
            if decision is not None:
                return decision
            here = here.next_step()
        count = f"All {len(steps)} steps are" if len(steps) > 1 else "The step is"
        return _finish(Status.COMPLETE, f"{count} carried out.", here)


# What became of the last act


def _after(step: grammar.Step, here: Progress, turn: Turn, screen: Screen) -> Progress | Decision:
    """Where to go on after the last turn, or the decision that it forces."""
    if here.did in ("which", "unchanged"):
        return _answered(step, here, turn, screen)
    if turn.sent is Answer.NO:
        why = turn.note or "it was not allowed"
        return _finish(Status.IMPOSSIBLE, f"Could not {_words(step)}: {why}.", here)
    if here.did == "scroll":
        return _scrolled(here, turn)
    if here.did == "unblock":
        return replace(here, did="", unblocked=True)
    if here.did == "focus":
        return replace(here, did="", focused=True)
    if _reached(step, here, turn, screen):
        return here.next_step()
    if turn.sent is Answer.UNKNOWN:
        prompt = f"The phone did not say whether it could {_words(step)}. What now?"
    else:
        prompt = f"I tried to {_words(step)}, but nothing seems to have happened. What now?"
    return _ask(prompt, (RETRY, SKIP, STOP), here.doing("unchanged"))


def _scrolled(here: Progress, turn: Turn) -> Progress:
    moved = turn.changed is not Answer.NO
    if moved and here.scrolls < SCROLLS * (2 if here.turned else 1):
        return replace(here, did="", scrolls=here.scrolls + 1)
    if here.turned:
        return replace(here, did="", scrolls=SCROLLS * 2 + 1)
    return replace(here, did="", scrolls=SCROLLS, turned=True)


def _reached(step: grammar.Step, here: Progress, turn: Turn, screen: Screen) -> bool:
    """Whether the step's aim can be taken as reached after its act."""
    match step:
        case grammar.Turn(target, on):
            found = _find(target, screen, SWITCHES, here)
            state = _state(found, screen)
            return turn.changed is Answer.YES if state is None else state is on
        case grammar.Type(text, into):
            return turn.sent is Answer.YES and _holds(text, into, screen)
        case grammar.TapOn(target):
            found = _find(target, screen, frozenset(), here)
            gone = found is None or bool(found.element.states & {"focused", "selected"})
            return turn.changed is Answer.YES or (turn.sent is Answer.YES and (gone or turn.changed is Answer.UNKNOWN))
        case grammar.Open():
            return turn.sent is Answer.YES
        case _:
            return turn.sent is Answer.YES


def _holds(text: str, into: str, screen: Screen) -> bool:
    """False only when a trustworthy tree shows another text in the field."""
    found = _find(into, screen, FIELDS, Progress()) if into else None
    if found is None or found.element.password or not found.element.text or screen.tree_status != "fresh":
        return True
    return ground.plain(found.element.text) == ground.plain(text)


def _answered(step: grammar.Step, here: Progress, turn: Turn, screen: Screen) -> Progress | Decision:
    options = (RETRY, SKIP, STOP) if here.did == "unchanged" else _choices(step, screen)
    picked = ground.picked(turn.reply, options)
    if picked is None and here.asked < 2:
        return _ask(f"I did not understand {turn.reply!r}. Which one?", options, here)
    if picked is None or (here.did == "unchanged" and options[picked] == STOP):
        return _finish(Status.IMPOSSIBLE, f"Stopped before I could {_words(step)}.", here)
    if here.did == "which":
        return replace(here, did="", chosen=picked)
    return here.next_step() if options[picked] == SKIP else replace(here, did="", scrolls=0, turned=False)


# What to do for a step


def _attempt(step: grammar.Step, here: Progress, screen: Screen) -> Decision | None:
    """The next decision for this step, or None when there is nothing left to do for it."""
    match step:
        case grammar.Open(app):
            return _act(OpenApp(app), f"Opening {app}.", here)
        case grammar.Press(key):
            return _act(PressKey(key), f"Pressing {key.value}.", here)
        case grammar.Pause(seconds):
            return _act(Wait(seconds), f"Waiting {seconds:g} seconds.", here)
        case grammar.Scroll(direction, to) | grammar.SwipeFinger(direction, to):
            return _scroll_step(step, direction, to, here, screen)
        case grammar.Check(target):
            return None if _find(target, screen, frozenset(), here) else _search(target, here, screen)
        case grammar.TapOn(target, long):
            return _tap(step, target, long, here, screen)
        case grammar.Turn(target, on):
            return _turn(step, target, on, here, screen)
        case grammar.Type(text, into):
            if not into or (here.focused and here.did == ""):
                field = _focused(into, screen)
                where = f" into {into}" if into else ""
                return _act(TypeText(text, replace=bool(into)), f"Typing the text{where}.", here, field)
            return _focus(step, into, here, screen) or _attempt(step, replace(here, focused=True), screen)
        case grammar.Clear(target):
            if here.focused:
                return _act(ClearText(), f"Clearing {target}.", here, _focused(target, screen))
            return _focus(step, target, here, screen) or _attempt(step, replace(here, focused=True), screen)
        case _:
            assert_never(step)


def _scroll_step(
    step: grammar.Scroll | grammar.SwipeFinger, direction: grammar.Direction, to: str, here: Progress, screen: Screen
) -> Decision | None:
    if to and _find(to, screen, frozenset(), here):
        return None
    finger = _OPPOSITE[direction] if isinstance(step, grammar.Scroll) else direction
    if not to:
        return _act(_swipe(finger, screen), f"Scrolling {direction}.", here)
    if here.turned:
        return _not_found(to, here, screen)
    return _decision(_swipe(finger, screen), f"Scrolling {direction} to find {to}.", here.doing("scroll"))


def _tap(step: grammar.Step, target: str, long: bool, here: Progress, screen: Screen) -> Decision | None:
    found = _find_or_search(step, target, frozenset(), here, screen)
    if isinstance(found, Decision):
        return found
    at = found.element.click
    action: Action = LongPress(at) if long else Tap(at)
    verb = "Holding" if long else "Tapping"
    return _act(action, f"{verb} {_title(found)}, {_fit(found)}.", here, found.element)


def _turn(step: grammar.Step, target: str, on: bool, here: Progress, screen: Screen) -> Decision | None:
    found = _find_or_search(step, target, SWITCHES, here, screen)
    if isinstance(found, Decision):
        return found
    if _state(found, screen) is on:
        return None
    word = "on" if on else "off"
    return _act(Tap(found.element.click), f"Turning {word} {_title(found)}, {_fit(found)}.", here, found.element)


def _focus(step: grammar.Step, into: str, here: Progress, screen: Screen) -> Decision | None:
    """Tap the field, unless it has the focus already."""
    found = _find_or_search(step, into, FIELDS, here, screen)
    if isinstance(found, Decision):
        return found
    if "focused" in found.element.states:
        return None
    thought = f"Tapping the field {_title(found)}, {_fit(found)}."
    return _decision(Tap(found.element.click), thought, here.doing("focus"), found.element)


def _focused(into: str, screen: Screen) -> Element | None:
    focused = [one for one in screen.elements if "focused" in one.states and one.role in FIELDS]
    if focused:
        return focused[0]
    found = _find(into, screen, FIELDS, Progress()) if into else None
    return found.element if found is not None else None


# Finding


def _find(target: str, screen: Screen, roles: frozenset[str], here: Progress) -> Match | None:
    """The best match that is not covered; a person's pick among equals where there was one."""
    found = [one for one in ground.matches(target, screen, roles) if "blocked" not in one.element.states]
    rivals = ground.rivals(found, checkable=bool(roles & SWITCHES))
    if 0 <= here.chosen < len(rivals):
        return rivals[here.chosen]
    return rivals[0] if rivals else None


def _find_or_search(
    step: grammar.Step, target: str, roles: frozenset[str], here: Progress, screen: Screen
) -> Match | Decision:
    found = _find(target, screen, roles, here)
    if found is None:
        return _search(target, here, screen)
    rivals = ground.rivals(
        [one for one in ground.matches(target, screen, roles) if "blocked" not in one.element.states],
        checkable=bool(roles & SWITCHES),
    )
    if len(rivals) > 1 and not 0 <= here.chosen < len(rivals):
        count = len(rivals)
        prompt = f"There are {count} that fit {target!r}. Which one should I take to {_words(step)}?"
        return _ask(prompt, _described(rivals, screen), here.doing("which"))
    return found


def _choices(step: grammar.Step, screen: Screen) -> tuple[str, ...]:
    match step:
        case grammar.TapOn(target) | grammar.Clear(target) | grammar.Check(target):
            roles: frozenset[str] = frozenset()
        case grammar.Turn(target):
            roles = SWITCHES
        case grammar.Type(_, target):
            roles = FIELDS
        case _:
            return ()
    found = [one for one in ground.matches(target, screen, roles) if "blocked" not in one.element.states]
    return _described(ground.rivals(found, checkable=bool(roles & SWITCHES)), screen)


def _described(rivals: tuple[Match, ...], screen: Screen) -> tuple[str, ...]:
    """Each rival by its name and its nearest neighbour's, so that a listener can tell them apart."""
    out = []
    for place, one in enumerate(rivals):
        box, own = one.element.box, ground.plain(one.element.name)
        near = [
            other
            for other in screen.elements
            if other.mark != one.element.mark and other.text and ground.plain(other.name) != own
        ]
        near.sort(key=lambda other: abs(other.box.center.y - box.center.y) + abs(other.box.center.x - box.center.x) / 4)
        beside = f", near {near[0].name.splitlines()[0]}" if near else ""
        out.append(f"number {place + 1}: {' '.join(one.element.name.split())[:60]}{beside[:60]}")
    return tuple(out)


def _search(target: str, here: Progress, screen: Screen) -> Decision:
    """Put a keyboard away that may cover the target, then look further down, then back up; then give up."""
    if screen.frame.keyboard and not here.unblocked:
        return _decision(PressKey(PhoneKey.BACK), f"Closing the keyboard to look for {target}.", here.doing("unblock"))
    if here.scrolls > SCROLLS * 2:
        return _not_found(target, here, screen)
    direction: grammar.Direction = "down" if here.turned else "up"
    way = "up" if here.turned else "down"
    return _decision(_swipe(direction, screen), f"Scrolling {way} to find {target}.", here.doing("scroll"))


def _not_found(target: str, here: Progress, screen: Screen) -> Decision:
    near = ", ".join(ground.nearest(target, screen))
    hint = f" On the screen I see {near}." if near else " I cannot read anything on the screen."
    return _finish(Status.IMPOSSIBLE, f"I could not find {target!r}.{hint}", here)


def _state(found: Match | None, screen: Screen) -> bool | None:
    """On, off, or unknown."""
    if found is None:
        return None
    states = ground.switch_of(found.element, screen).states
    return True if "checked" in states else False if "unchecked" in states else None


_OPPOSITE: dict[grammar.Direction, grammar.Direction] = {"up": "down", "down": "up", "left": "right", "right": "left"}
_MIDDLE = Box(0.1, 0.25, 0.9, 0.8)
"""Clear of the bars and of the edges where a swipe means back or home."""


def _swipe(finger: grammar.Direction, screen: Screen) -> Swipe:
    """A finger's way through the biggest scrollable part of the screen, about half of it long."""
    lists = [one.box for one in screen.elements if "scrollable" in one.states]
    area = max(lists, key=lambda box: box.area, default=_MIDDLE).intersection(_MIDDLE) or _MIDDLE
    x, y = area.center.x, area.center.y
    reach_x, reach_y = area.width * 0.4, area.height * 0.4
    ends = {
        "up": (Point(x, y + reach_y), Point(x, y - reach_y)),
        "down": (Point(x, y - reach_y), Point(x, y + reach_y)),
        "left": (Point(x + reach_x, y), Point(x - reach_x, y)),
        "right": (Point(x - reach_x, y), Point(x + reach_x, y)),
    }
    start, end = ends[finger]
    return Swipe(start, end, 0.4)


# Saying it


def _title(found: Match) -> str:
    return " ".join(found.element.name.split("\n")[0].split())[:60]


def _fit(found: Match) -> str:
    return "which matches exactly" if found.exact else f"which fits at {round(found.score * 100)} percent"


def _words(step: grammar.Step) -> str:
    match step:
        case grammar.Open(app):
            return f"open {app}"
        case grammar.TapOn(target, long):
            return f"{'hold' if long else 'tap'} {target}"
        case grammar.Turn(target, on):
            return f"turn {'on' if on else 'off'} {target}"
        case grammar.Type(_, into):
            return f"type into {into}" if into else "type the text"
        case grammar.Clear(target):
            return f"clear {target}"
        case grammar.Scroll(direction, to) | grammar.SwipeFinger(direction, to):
            return f"scroll {direction}{' to ' + to if to else ''}"
        case grammar.Press(key):
            return f"press {key.value}"
        case grammar.Pause(seconds):
            return f"wait {seconds:g} seconds"
        case grammar.Check(target):
            return f"check that {target} is shown"
        case _:
            assert_never(step)


def _decision(action: Action, thought: str, here: Progress, element: Element | None = None) -> Decision:
    return Decision(choice=action, thought=thought, summary=thought, element=element, memo=here.memo())


def _act(action: Action, thought: str, here: Progress, element: Element | None = None) -> Decision:
    """The act that the step is about."""
    return _decision(action, thought, here.doing("act"), element)


def _ask(prompt: str, options: tuple[str, ...], here: Progress) -> Decision:
    memo = replace(here, asked=here.asked + 1).memo()
    return Decision(choice=Ask(prompt=prompt, options=options), thought=prompt, memo=memo)


def _finish(status: Status, reason: str, here: Progress) -> Decision:
    return Decision(choice=Finish(status=status, reason=reason), thought=reason, memo=here.memo())
