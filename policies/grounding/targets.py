"""From words and a screen to the element that is meant, or to those between which a person must choose."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from perception.screen import Element, Screen, TreeStatus
from policies.grounding.naming import CONTROLS, FAIR, SURE, Fit, Match, compare, matches, normalise, spoken_name, titles

# Two names that fit equally well differ by less: an equal name and the same without accents are .03 apart.
_EQUAL = 0.02
# More options than this are not remembered when they are read out.
_MOST_OPTIONS = 6
_NESTED = 0.9


class Want(StrEnum):
    """What the step needs the element for."""

    TOUCH = "touch"
    FIELD = "field"
    SWITCH = "switch"


@dataclass(frozen=True, slots=True)
class Unclear:
    """Several elements that fit equally well, and how to tell them apart."""

    candidates: tuple[Element, ...]
    options: tuple[str, ...]


def digest(element: Element) -> str:
    """Finds an element again on the next screen without saying what is written on it."""
    return hashlib.sha256(element.key.encode()).hexdigest()[:12]


def find(
    wanted: str, want: Want, screen: Screen, *, searched: bool = False, last: bool = False, chosen: str = ""
) -> Match | Unclear | None:
    """The element that is meant, the several that may be, or None.

    `searched`: the screen has been looked through, so a likeness will do. `last`: nothing else is left, so even
    what seems to take no touch will do, such as a page's title. `chosen`: the digest of what the person has chosen
    among equals.
    """
    by_choice = next((one for one in screen.elements if chosen and digest(one) == chosen), None)
    if by_choice is not None:
        return Match(_part_to_touch(by_choice, want, screen), 1.0, Fit.EXACT)
    likely = [one for one in matches(wanted, screen) if one.score >= FAIR]
    if not last:
        likely = [one for one in likely if _takes_touch(one.element)]
    found = likely if searched or last else [one for one in likely if _sure(one, want, screen)]
    fields = [one for one in found if one.element.role == "text_field"]
    if want is Want.FIELD and fields:
        found = fields
    if not found:
        return None
    best = [one for one in found if found[0].score - one.score <= _EQUAL]
    best = _without_doubles(best, want)
    rivals = [one for one in best if one.element.interactable]
    if len(rivals) > 1:
        return unclear([one.element for one in rivals], screen)
    taken = (rivals or best)[0]
    return Match(_part_to_touch(taken.element, want, screen), taken.score, taken.fit)


def _sure(one: Match, want: Want, screen: Screen) -> bool:
    """Good enough to act at once, without looking further.

    A part of a name may belong to the wrong switch ("Bluetooth", "Bluetooth tethering"), and without a tree to
    something that only informs ("System", "System version").
    """
    if want is Want.SWITCH or screen.tree_status is not TreeStatus.FRESH:
        return one.fit in (Fit.EXACT, Fit.MISREAD)
    return one.fit is Fit.EXACT or one.score >= SURE


def _takes_touch(element: Element) -> bool:
    """Now, or once the keyboard is away or the app enables it; not what only informs, like a page's title."""
    return element.interactable or not element.states.isdisjoint({"blocked", "disabled"})


def unclear(candidates: Sequence[Element], screen: Screen) -> Unclear:
    """The question which of these is meant."""
    kept = tuple(candidates[:_MOST_OPTIONS])
    return Unclear(kept, tell_apart(kept, screen))


def _without_doubles(best: Sequence[Match], want: Want) -> list[Match]:
    """A row and its own switch, or a thing and its inside, are one target: keep what the step needs."""
    dropped: set[int] = set()
    for a, b in combinations([one.element for one in best], 2):
        controls = [one for one in (a, b) if is_control(one)]
        if len(controls) == 1 and _level(a, b):
            other = b if controls[0] is a else a
            dropped.add(other.mark if want is Want.SWITCH else controls[0].mark)
        elif a.box.inside(b.box) > _NESTED or b.box.inside(a.box) > _NESTED:
            weaker = min((a, b), key=lambda one: (one.interactable, -one.box.area))
            dropped.add(weaker.mark)
    return [one for one in best if one.element.mark not in dropped]


def is_control(element: Element) -> bool:
    return element.role in CONTROLS or not element.states.isdisjoint({"checked", "unchecked"})


def _level(a: Element, b: Element) -> bool:
    """In one row: each one's middle is between the other's top and bottom, or the smaller's is."""
    low, high = sorted((a.box, b.box), key=lambda box: box.height)
    return high.top <= low.center.y <= high.bottom


def _part_to_touch(element: Element, want: Want, screen: Screen) -> Element:
    """For a switch the control of the row, otherwise the element itself."""
    return control_of(element, screen) or element if want is Want.SWITCH else element


def control_of(element: Element, screen: Screen) -> Element | None:
    """What shows whether the element is on: itself, or the only control in its row that has no other name."""
    if is_control(element):
        return element
    name = next(iter(titles(element)), "")
    beside = [one for one in screen.elements if is_control(one) and _level(one, element) and _answers_to(one, name)]
    return beside[0] if len(beside) == 1 else None


def _answers_to(control: Element, name: str) -> bool:
    own = titles(control)
    return not own or any((fit := compare(name, one)) is not None and fit[1] is Fit.EXACT for one in own)


def state(element: Element, screen: Screen) -> bool | None:
    """On, off, or None where the screen does not show it."""
    control = control_of(element, screen)
    if control is None or screen.tree_status is not TreeStatus.FRESH:
        return None
    return True if "checked" in control.states else False if "unchecked" in control.states else None


# What appcompat and Material call the arrow of a page below the first one, in English and Chinese.
_UP_NAMES = frozenset({"navigate up", "back", "go back", "转到上一层级", "向上导航", "返回"})


def up_arrow(screen: Screen) -> Element | None:
    """The arrow that leads to the page above, where there is one; a cross that closes a form is none."""
    return next((one for one in screen.elements if one.interactable and normalise(one.label) in _UP_NAMES), None)


def focused_field(screen: Screen) -> Element | None:
    """The field that would take typed text now."""
    return next((one for one in screen.elements if "focused" in one.states and one.role == "text_field"), None)


# Telling apart


def tell_apart(candidates: Sequence[Element], screen: Screen) -> tuple[str, ...]:
    """A short name for each, all different: by details, by what stands beside or above, else by place."""
    names = [spoken_name(one) for one in candidates]
    for more in (_details, _beside, _above):
        hints = [more(one, candidates, screen) for one in candidates]
        told = [f"{name}, {hint}" if hint else name for name, hint in zip(names, hints, strict=True)]
        if len(set(told)) == len(told):
            return tuple(told) if len(set(names)) < len(names) else tuple(names)
    return tuple(f"{name}, {place}" for name, place in zip(names, _places(candidates), strict=True))


def _details(element: Element, candidates: Sequence[Element], screen: Screen) -> str:
    if element.role == "text_field" or element.password:
        return ""
    return ", ".join(line.strip() for line in element.text.splitlines()[1:] if line.strip())


def _beside(element: Element, candidates: Sequence[Element], screen: Screen) -> str:
    near = [one for one in _named(candidates, screen) if _level(one, element)]
    near.sort(key=lambda one: abs(one.box.center.x - element.box.center.x))
    return f"beside {spoken_name(near[0])}" if near else ""


def _above(element: Element, candidates: Sequence[Element], screen: Screen) -> str:
    near = [
        one
        for one in _named(candidates, screen)
        if one.box.center.y < element.box.top and one.box.left < element.box.right and one.box.right > element.box.left
    ]
    near.sort(key=lambda one: element.box.top - one.box.center.y)
    return f"below {spoken_name(near[0])}" if near else ""


def _named(candidates: Sequence[Element], screen: Screen) -> Iterable[Element]:
    marks = {one.mark for one in candidates}
    return (one for one in screen.elements if one.mark not in marks and one.role != "list" and titles(one))


def _places(candidates: Sequence[Element]) -> tuple[str, ...]:
    tops = [one.box.center.y for one in candidates]
    across = max(tops) - min(tops) < 0.02
    if len(candidates) == 2:
        words = ("on the left", "on the right") if across else ("the upper one", "the lower one")
        first = min(candidates, key=lambda one: one.box.center.x if across else one.box.center.y)
        return tuple(words[0] if one is first else words[1] for one in candidates)
    side = "from the left" if across else "from the top"
    return tuple(f"number {place} {side}" for place in range(1, len(candidates) + 1))
