"""What stands between a decision and the phone: a pure judgement on one act.

It looks at the act and at what is really under the finger, not at what the policy says about it, so text on
a screen can talk a policy into an act but not the gate into letting it through.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from agent_server import secrets
from agent_server.runs import words
from agent_server.runs.model import Budgets, OutcomeCode
from device.actions import (
    Action,
    ClearText,
    DoubleTap,
    Drag,
    Key,
    LongPress,
    PressKey,
    Swipe,
    Tap,
    TypeText,
    Wait,
    to_json,
)
from device.base import Answer
from device.geometry import Point
from perception.screen import Element, Screen
from policies.base import Ask

STATUS_BAR = 0.045
"""Share of the height in which only the status bar lies: 24 to 40 dp of the 914 dp of a 1080x2400 phone at
420 dpi. Its clock and icons change by themselves."""
CONTAINER = 0.2
"""An element that covers more of the frame than this is a list or a page; its text is not what is touched.
A dialog's button or a list row of a phone covers at most a tenth."""
FIELD = "text_field"
ROWS = frozenset({"list_item", "switch", "checkbox", "radio"})
"""Roles whose text is a title and then details: "Apps", and below it "Permissions, default apps"."""
SLIDES = ("slide", "swipe", "滑动")


@dataclass(frozen=True, slots=True)
class Admit:
    """Go ahead. `cause` tells the policy afterwards that this was tried before in vain."""

    cause: str = ""


@dataclass(frozen=True, slots=True)
class AskPerson:
    """Only with the person's yes. `word` is the one that stood on the target, `name` the target's text.

    Of a secret to be typed `word` is its name, and `name` the app that gets it.
    """

    cause: str
    word: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Refuse:
    """Not at all; the policy is told why."""

    cause: str


@dataclass(frozen=True, slots=True)
class Conclude:
    """The run ends here."""

    code: OutcomeCode
    cause: str


Verdict = Admit | AskPerson | Refuse | Conclude


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """One earlier step as the gate remembers it. `denied` is the cause when the person kept it from happening."""

    fingerprint: str
    signature: str
    changed: Answer = Answer.UNKNOWN
    denied: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What this run may do. `ask_always`: a real phone, and nobody said that the run is trusted."""

    budgets: Budgets
    ask_always: bool


@dataclass(frozen=True, slots=True)
class Keys:
    """Names of secrets: those that are kept, and those that the person has named in this run."""

    kept: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()


def judge(
    action: Action,
    element: Element | None,
    screen: Screen,
    past: Sequence[Deed],
    *,
    rules: Rules,
    step: int,
    seconds_left: float,
    keys: Keys = Keys(),
) -> Verdict:
    """Admit the act, ask the person, refuse it, or end the run.

    `step` counts from 1; a run may act in at most `budgets.steps` steps, one more may look and finish.
    """
    if step > rules.budgets.steps:
        return Conclude(OutcomeCode.OUT_OF_STEPS, "out-of-steps")
    if seconds_left <= 0:
        return Conclude(OutcomeCode.OUT_OF_SECONDS, "out-of-seconds")
    again = repeats(signature(action, element), screen, past)
    denied = next((deed.denied for deed in again if deed.denied), "")
    if denied:
        return Conclude(OutcomeCode.DENIED, denied)
    # A picture may change under names that stay, as in a photo viewer: what changed anything was not in vain.
    again = tuple(deed for deed in again if deed.changed is not Answer.YES)
    if len(again) >= 2 and not isinstance(action, Wait):
        return Conclude(OutcomeCode.STUCK, "same-act-thrice")
    if isinstance(action, TypeText) and (verdict := _typing(action.text, element, screen, keys)) is not None:
        return verdict
    for name in touched_text(action, element, screen):
        word = words.sensitive(name)
        if word is not None:
            return AskPerson("sensitive-word", word, name)
    if rules.ask_always and not isinstance(action, Wait):
        return AskPerson("untrusted-phone")
    return Admit("same-act-again" if again and not isinstance(action, Wait) else "")


def _typing(text: str, element: Element | None, screen: Screen, keys: Keys) -> Verdict | None:
    """Secrets go only where the person says so, and only those that they have named: text on a screen names none.

    Into a protected field goes a reference and nothing else, for what a policy makes up is no password.
    """
    names = secrets.names_in(text)
    if names - keys.kept:
        return Refuse("unknown-secret")
    if names - keys.named:
        return Refuse("secret-not-named")
    if takes_secret(element, screen) and not secrets.bare(text):
        return Refuse("password-field")
    if not names:
        return None
    # Whatever the policy means to type into: the phone types into what has the focus.
    field = focused_element(screen)
    hides = field is not None and field.password
    cause = "types-secret" if hides else "types-secret-openly"
    return AskPerson(cause, ", ".join(sorted(names)), screen.foreground.package)


def repeats(sign: str, screen: Screen, past: Sequence[Deed]) -> tuple[Deed, ...]:
    """The same act since this screen last changed, oldest first."""
    now = fingerprint(screen)
    stretch: list[Deed] = []
    for deed in reversed(past):
        if deed.fingerprint != now and deed.changed is not Answer.NO:
            break
        stretch.append(deed)
        now = deed.fingerprint
    return tuple(deed for deed in reversed(stretch) if deed.signature == sign)


def signature(choice: Action | Ask, element: Element | None) -> str:
    """What makes two acts the same: kind, target and content. A hash, for it must not carry typed text."""
    if isinstance(choice, Ask):
        return _digest("ask", choice.prompt)
    values = {name: value for name, value in to_json(choice).items() if name != "seconds"}
    if isinstance(choice, Tap | DoubleTap | LongPress):
        # A model's points scatter by a few pixels; the element, or else the hundredth of the frame, is what counts.
        values["at"] = element.key if element is not None else [round(choice.at.x, 2), round(choice.at.y, 2)]
    return _digest(*(f"{name}={value!r}" for name, value in sorted(values.items())))


def fingerprint(screen: Screen) -> str:
    """Equal for two looks at a screen on which nothing that matters has changed."""
    front = screen.foreground
    parts = [front.package, front.activity, front.window, str(screen.frame.keyboard)]
    for element in screen.elements:
        if element.resource_id.startswith("com.android.systemui:") or element.box.bottom <= STATUS_BAR:
            continue
        parts.append("|".join((element.key, element.text, *sorted(element.states))))
    return _digest(*parts)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def takes_secret(element: Element | None, screen: Screen) -> bool:
    """Whether typed text would go into a password field, or into a field that asks for one by name.

    Where the focus cannot be seen, a password field anywhere on the screen is reason enough.
    """
    focused = focused_element(screen)
    targets = [one for one in (element, focused) if one is not None]
    if any(one.password or words.protected(one.label) or words.protected(one.text) for one in targets):
        return True
    return focused is None and any(one.password for one in screen.elements)


def focused_element(screen: Screen) -> Element | None:
    return next((one for one in screen.elements if "focused" in one.states), None)


def touched_text(action: Action, element: Element | None, screen: Screen) -> tuple[str, ...]:
    """The written text and the names of what the act touches; empty for acts that touch nothing in particular."""
    match action:
        case Tap(at) | DoubleTap(at) | LongPress(at):
            touched = _under(at, screen)
        case Drag(start):
            touched = _under(start, screen)
        case Swipe(start):
            touched = [one for one in _under(start, screen) if any(word in one.name.casefold() for word in SLIDES)]
            element = None
        case PressKey(Key.ENTER):
            touched = [one for one in screen.elements if "focused" in one.states]
            element = None
        case _:
            return ()
    if element is not None and element not in touched:
        touched = [element, *touched]
    return tuple(text for one in touched for text in _own_text(one) if text)


def same_aim(action: Action, before: Screen, now: Screen) -> bool:
    """Whether an act that was agreed to on one screen would reach the same thing on another one."""
    if before.foreground.package != now.foreground.package:
        return False
    if isinstance(action, TypeText) and secrets.names_in(action.text):
        old, new = focused_element(before), focused_element(now)
        return (old and (old.key, old.password)) == (new and (new.key, new.password))
    return touched_text(action, None, before) == touched_text(action, None, now)


def _own_text(element: Element) -> tuple[str, ...]:
    """What is written on the thing itself: of a row its title, of a field nothing, for touching it only focuses it."""
    if element.role == FIELD:
        return ()
    text = element.text.split("\n", 1)[0] if element.role in ROWS else element.text
    return text, element.label


def _under(point: Point, screen: Screen) -> list[Element]:
    """The elements at that place, smallest first, without whole pages."""
    here = [one for one in screen.elements if one.box.contains(point) and one.box.area <= CONTAINER]
    return sorted(here, key=lambda one: one.box.area)


def target_of(action: Action, element: Element | None, screen: Screen) -> Element | None:
    """The element an act is aimed at: the one the policy meant, or what lies under the finger or has the focus.

    Of a secret it is what has the focus, whatever the policy meant.
    """
    if isinstance(action, TypeText) and secrets.names_in(action.text):
        return focused_element(screen)
    if element is not None:
        return element
    match action:
        case Tap(at) | DoubleTap(at) | LongPress(at):
            return next(iter(_under(at, screen)), None)
        case TypeText() | ClearText():
            return focused_element(screen)
        case _:
            return None
