"""What one decision is made from, and the forms a decision takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from device.actions import Action, Key, PressKey, Tap
from perception.screen import Element, Screen, TreeStatus
from policies.base import Ask, Decision, Finish, Status
from policies.follow.motion import swipe
from policies.follow.progress import Phase, Progress
from policies.follow.replies import TROUBLE
from policies.follow.steps import Check, Direction, Open, Pause, Scroll, Step, Toggle, Type, order
from policies.grounding import targets
from policies.grounding.naming import Fit, Match, nearest_names, spoken_name

SCROLLS = 8
"""Swipes of half a screen in one direction before the search turns: four screens, the longest settings page of a
stock phone (about 30 rows of 72 dp) has three."""

END_SCROLLS = 20
"""Swipes to the end of a list: half of the 40 steps that a run has unless somebody says otherwise."""
CLIMBS = 5
"""Pages that an app may be deep in when it is opened; the settings of a stock phone are four deep."""

_FITS = {
    Fit.EXACT: "which matches exactly",
    Fit.PREFIX: "which begins with the words",
    Fit.PHRASE: "which holds the words",
    Fit.MISREAD: "which reads almost the same",
    Fit.WORDS: "which has all the words",
    Fit.PART: "which is a part of the words",
    Fit.FUZZY: "which is spelt alike",
    Fit.DETAIL: "which says so below its name",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The steps, the screen, and where we are. Nothing here outlives the decision."""

    steps: Sequence[Step]
    screen: Screen
    progress: Progress

    @property
    def step(self) -> Step:
        """The step that is worked on, as the person has explained it."""
        step = self.steps[self.progress.step]
        if isinstance(step, Type) and step.tail is not None and self.progress.words == "field":
            return Type(*step.tail)
        return step

    @property
    def sees(self) -> bool:
        """Whether states and contents of elements can be trusted."""
        return self.screen.tree_status is TreeStatus.FRESH

    @property
    def keyboard(self) -> bool:
        return bool(self.screen.frame.keyboard)

    def on(self, **changes: Any) -> Scene:
        """The same with other progress."""
        return replace(self, progress=replace(self.progress, **changes))

    def find(self, wanted: str, want: targets.Want, *, last: bool = False) -> Match | targets.Unclear | None:
        progress = self.progress
        return targets.find(wanted, want, self.screen, searched=progress.turned, last=last, chosen=progress.chosen)

    def seen(self, wanted: str, want: targets.Want) -> Element | None:
        """The element that is meant where that is beyond doubt; asks and searches nothing."""
        found = self.find(wanted, want)
        return found.element if isinstance(found, Match) else None

    def act(self, action: Action, thought: str, phase: Phase = Phase.ACTED, element: Element | None = None) -> Decision:
        progress = replace(self.progress, phase=phase)
        if phase is Phase.ACTED:
            progress = replace(progress, tries=progress.tries + 1)
        return Decision(choice=action, thought=thought, summary=self._summary(), element=element, memo=progress.memo())

    def _summary(self) -> str:
        return f"Step {self.progress.step + 1} of {len(self.steps)}: {order(self.step)}."

    def ask(self, prompt: str, options: Sequence[str], phase: Phase, **changes: Any) -> Decision:
        progress = replace(self.progress, phase=phase, **changes)
        choice = Ask(prompt=prompt, options=tuple(options), reason=self._summary())
        return Decision(choice=choice, thought=prompt, summary=self._summary(), memo=progress.memo())

    def trouble(self, what: str) -> Decision:
        """Something stands in the way of this step: the person decides how to go on."""
        often = f" This was try {self.progress.tries}." if self.progress.tries > 1 else ""
        return self.ask(f"{what}{often} What now?", TROUBLE, Phase.ASK, unclear=0)

    def which(self, wanted: str, doubt: targets.Unclear) -> Decision:
        """Several elements fit equally well: the person chooses."""
        count = len(doubt.candidates)
        what = f"{count} things fit {wanted}" if wanted else f"{count} fields can take the text"
        among = tuple(targets.digest(one) for one in doubt.candidates)
        return self.ask(f"{what}. Which one?", doubt.options, Phase.CHOOSE, among=among, unclear=0)

    def hide_keyboard(self, wanted: str) -> Decision:
        thought = f"Putting the keyboard away, which may hide {wanted}."
        return self.on(uncovered=True).act(PressKey(Key.BACK), thought, Phase.UNCOVER)

    def search(self, wanted: str) -> Decision:
        """The next look for what is not in view, or the end when everything has been looked through."""
        return self.look_on(wanted) or self.missing(wanted)

    def look_on(self, wanted: str) -> Decision | None:
        """A look without the keyboard, further down, back to the top, on the page above; None: all was seen."""
        progress = self.progress
        if self.keyboard and not progress.uncovered:
            return self.hide_keyboard(wanted)
        if not progress.turned:
            finger, way, counted = Direction.UP, "down", {"down": progress.down + 1}
        elif not progress.exhausted and progress.up < progress.down + SCROLLS:
            finger, way, counted = Direction.DOWN, "up", {"up": progress.up + 1}
        else:
            return self._climb(wanted)
        thought = f"I do not see {wanted}, so I scroll {way} to look for it."
        return self.on(**counted).act(swipe(finger, self.screen), thought, Phase.SEARCH)

    def _climb(self, wanted: str) -> Decision | None:
        """Go up a page and look there.

        An app that was opened may show the page where it was left, and a switch may have led to a page of its own.
        """
        if isinstance(self.step, Check | Scroll) or self.progress.climbs >= CLIMBS:
            return None
        before = reversed(self.steps[: self.progress.step])
        last = next((one for one in before if not isinstance(one, Pause | Scroll | Check)), None)
        arrow = targets.up_arrow(self.screen)
        if arrow is None or not isinstance(last, Open | Toggle):
            return None
        thought = f"{wanted} is not on this page, so I go up to the page before."
        higher = replace(self.progress.again(), climbs=self.progress.climbs + 1)
        return replace(self, progress=higher).act(Tap(arrow.click), thought, Phase.CLIMB, arrow)

    def missing(self, wanted: str) -> Decision:
        near = ", ".join(nearest_names(wanted, self.screen))
        seen = f"The nearest names on the screen are: {near}." if near else "There is nothing to read on the screen."
        return self.impossible(f"“{wanted}” is not there. {seen}")

    def impossible(self, why: str) -> Decision:
        reason = f"Step {self.progress.step + 1}, {order(self.step)}: {why}"
        finish = Finish(status=Status.IMPOSSIBLE, reason=reason)
        return Decision(choice=finish, thought=reason, summary=self._summary(), memo=self.progress.memo())


def described(found: Match, progress: Progress) -> str:
    """The element and why it was taken: "Display, which matches exactly"."""
    name = spoken_name(found.element)
    if progress.chosen:
        return f"{name}, as you chose"
    if found.score == 1:
        return f"{name}, which matches exactly"
    return f"{name}, {_FITS[found.fit]}, a match of {found.score:.0%}"
