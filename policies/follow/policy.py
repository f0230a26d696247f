"""`follow`: does what step-by-step instructions say, without any model.

Private, free, instant. It reads the task (`grammar`), sees what became of the last act (`aftermath`), finds what is
meant on the screen (`ground`) and does the next thing (`attempt`). Where it stands is in each decision's memo
(`progress`).
"""

from __future__ import annotations

from dataclasses import replace

from policies.base import Decision, Finish, Needs, Observation, Status
from policies.follow import grammar, progress
from policies.follow.aftermath import resume
from policies.follow.attempt import attempt
from policies.follow.scene import Scene


class Follow:
    """Does what step-by-step instructions say: private, free, no model."""

    name = "follow"
    needs = Needs(elements=True, tree=True)

    def check(self, goal: str) -> None:
        """Raises UnreadableTask naming the words that cannot be read, with examples of what can."""
        grammar.parse(goal)

    async def decide(self, observation: Observation) -> Decision:
        """The next act, question or end.

        Raises UnreadableTask, and PolicyError when the history is another policy's.
        """
        steps = grammar.parse(observation.goal)
        here, turn = progress.read(observation.history)
        scene = Scene(steps=steps, screen=observation.screen, progress=here)
        if turn is not None and here.step < len(steps):
            resumed = resume(scene, turn)
            if isinstance(resumed, Decision):
                return resumed
            scene = resumed
        notes: list[str] = []
        while scene.progress.step < len(steps):
            outcome = attempt(scene)
            if isinstance(outcome, Decision):
                return replace(outcome, thought=" ".join((*notes, outcome.thought)))
            notes.append(outcome.note)
            scene = replace(scene, progress=scene.progress.next_step())
        return _complete(scene, notes)


def _complete(scene: Scene, notes: list[str]) -> Decision:
    total, skipped = len(scene.steps), scene.progress.skipped
    if skipped:
        done = f"{total - skipped} of {total} steps are done; {skipped} skipped as you said."
    else:
        done = f"All {total} steps are done." if total > 1 else "The step is done."
    reason = " ".join((*notes, done))
    finish = Finish(status=Status.COMPLETE, reason=reason)
    return Decision(choice=finish, thought=reason, memo=scene.progress.memo())
