"""What became of the last decision, and what follows from it.

An act is never repeated blindly: it counts as done when it was sent and something changed, when its aim can be
seen, or when nothing speaks against it; otherwise the screen is looked at once more and then the person is asked.
"""

from __future__ import annotations

from dataclasses import replace

from device.actions import Key, Wait
from device.base import Answer
from perception.screen import Element
from policies.base import Ask, Decision, Turn
from policies.follow import replies
from policies.follow.attempt import enter, search_ended
from policies.follow.progress import Phase
from policies.follow.scene import CLIMBS, Scene
from policies.follow.steps import Check, Clear, Open, Pause, Press, Scroll, Step, Toggle, Touch, Type, order, past
from policies.grounding import targets
from policies.grounding.naming import Match, normalise, shows
from policies.grounding.targets import Want


def resume(scene: Scene, turn: Turn) -> Scene | Decision:
    """The scene to go on from after that turn, or the decision that it forces."""
    match scene.progress.phase:
        case Phase.START:
            return scene
        case Phase.CHOOSE:
            return _chosen(scene, turn)
        case Phase.READING:
            return _reading(scene, turn)
        case Phase.ASK:
            return _decided(scene, turn)
        case Phase.LOOK:
            changed = Answer.YES if turn.changed is Answer.YES else Answer.NO
            seen = replace(turn, sent=Answer.YES, changed=changed, note="")
            looked = scene.on(phase=scene.progress.for_, looked=True)
            return _focused(looked, seen) if looked.progress.phase is Phase.FOCUSED else _acted(looked, seen)
        case _ if turn.sent is Answer.NO:
            return scene.trouble(f"I could not {order(scene.step)}.{_sentence(turn.note)}")
        case Phase.SEARCH:
            return search_ended(scene, moved=turn.changed is not Answer.NO)
        case Phase.CLIMB if turn.changed is Answer.NO:
            # The arrow leads nowhere: nothing is left to look through.
            return scene.on(phase=Phase.START, climbs=CLIMBS, turned=True, exhausted=True)
        case Phase.UNCOVER | Phase.CLIMB:
            return scene.on(phase=Phase.START)
        case Phase.FOCUSED:
            return _focused(scene, turn)
        case Phase.ACTED:
            return _acted(scene, turn)


def _sentence(note: str) -> str:
    """Somebody's note as a sentence behind another."""
    words = note.strip().rstrip(".")
    return f" {words[0].upper()}{words[1:]}." if words else ""


# After an act


def _acted(scene: Scene, turn: Turn) -> Scene | Decision:
    step = scene.step
    reached = _reached(scene, step)
    done = replace(scene, progress=scene.progress.next_step())
    if turn.sent is Answer.UNKNOWN:
        if reached or (reached is None and turn.changed is Answer.YES) or isinstance(step, Pause | Scroll):
            return done
        return scene.trouble(f"It is not certain whether I {past(step)}.")
    if isinstance(step, Toggle) and reached is False:
        return _not_switched(scene, step)
    if turn.changed is Answer.NO and not reached and not _may_change_nothing(step):
        return _look_again(scene) or scene.trouble(f"I {past(step)}, but nothing has changed.")
    return done


def _may_change_nothing(step: Step) -> bool:
    """Where an unchanged screen is no failure: the phone has verified it, or there was nothing left to change."""
    return isinstance(step, Open | Pause | Scroll) or (isinstance(step, Press) and step.key is Key.HOME)


def _not_switched(scene: Scene, step: Toggle) -> Scene | Decision:
    """After the touch the switch is seen, and it is as before."""
    if scene.progress.blind:
        # What was touched showed no state and led to the switch itself, which has not been touched yet.
        return scene.on(phase=Phase.START, blind=False, looked=False)
    word = "off" if step.on else "on"
    return _look_again(scene) or scene.trouble(f"I tapped {step.target}, but it is still {word}.")


def _look_again(scene: Scene) -> Decision | None:
    """One more look a moment later, for what takes its time; never the act once more."""
    progress = scene.progress
    if progress.looked:
        return None
    thought = f"Nothing to see yet after I {past(scene.step)}; I look again in a moment."
    return scene.on(for_=progress.phase).act(Wait(), thought, Phase.LOOK)


def _reached(scene: Scene, step: Step) -> bool | None:
    """Whether the step's aim can be seen on the screen; None where it cannot be seen either way."""
    match step:
        case Toggle(target, on):
            element = scene.seen(target, Want.SWITCH)
            state = targets.state(element, scene.screen) if element is not None else None
            return None if state is None else state is on
        case Touch(target):
            return _touched(scene, target)
        case Type(text, into):
            return _holds(scene, into, text)
        case Clear(target):
            return _holds(scene, target, "")
        case Open(app):
            front = scene.screen.foreground.package
            return True if normalise(app).replace(" ", "") in (front.casefold(), *front.casefold().split(".")) else None
        case Press() | Pause() | Scroll() | Check():
            return None


def _touched(scene: Scene, target: str) -> bool:
    """The target is gone, or shows that it was touched."""
    chosen = scene.progress.chosen
    if chosen and all(targets.digest(one) != chosen for one in scene.screen.elements):
        return True
    found = scene.find(target, Want.TOUCH)
    if found is None:
        return True
    if not isinstance(found, Match):
        return False
    states = found.element.states
    return not states.isdisjoint({"selected", "focused"}) or (found.element.role == "radio" and "checked" in states)


def _holds(scene: Scene, into: str, text: str) -> bool | None:
    """Whether the field can be seen to hold the text; the content of a password field cannot."""
    field = _field(scene, into)
    if scene.sees and field is not None and not field.password:
        return normalise(field.text) == normalise(text)
    return True if text and shows(text, scene.screen) is not None else None


def _field(scene: Scene, into: str) -> Element | None:
    found = scene.seen(into, Want.FIELD) if into else None
    return found if found is not None else targets.focused_field(scene.screen)


def _focused(scene: Scene, turn: Turn) -> Scene | Decision:
    """A field was touched: type where that can be seen or nothing speaks against it."""
    step = scene.step
    name = step.into if isinstance(step, Type) else step.target if isinstance(step, Clear) else ""
    focus = targets.focused_field(scene.screen)
    field = scene.seen(name, Want.FIELD) if name else focus
    elsewhere = scene.sees and focus is not None and field is not None and focus.key != field.key
    shown = not elsewhere and (focus is not None or scene.keyboard)
    if shown or (turn.changed is not Answer.NO and turn.sent is Answer.YES and not elsewhere):
        return enter(scene, field if field is not None and (field is focus or focus is None) else focus)
    if turn.sent is Answer.UNKNOWN:
        return scene.trouble(f"It is not certain whether I tapped {name or 'the field'}.")
    return _look_again(scene) or scene.trouble(f"I tapped {name or 'the field'}, but it does not take text.")


# After a question


def _chosen(scene: Scene, turn: Turn) -> Scene | Decision:
    asked = turn.decision.choice
    options = asked.options if isinstance(asked, Ask) else ()
    place = replies.chosen(turn.reply, options)
    if place is not None and place < len(scene.progress.among):
        return scene.on(phase=Phase.START, chosen=scene.progress.among[place], among=())
    said = replies.decided(turn.reply)
    if said == replies.SKIP:
        return replace(scene, progress=scene.progress.next_step(skipped=True))
    if said == replies.STOP:
        return scene.impossible("you stopped here.")
    return _unclear(scene, turn, options)


def _reading(scene: Scene, turn: Turn) -> Scene | Decision:
    asked = turn.decision.choice
    options = asked.options if isinstance(asked, Ask) else ()
    place = replies.chosen(turn.reply, options)
    if place is None:
        return _unclear(scene, turn, options)
    return scene.on(phase=Phase.START, words=("text", "field")[place])


def _decided(scene: Scene, turn: Turn) -> Scene | Decision:
    said = replies.decided(turn.reply)
    if said == replies.RETRY:
        return replace(scene, progress=scene.progress.again())
    if said == replies.SKIP:
        return replace(scene, progress=scene.progress.next_step(skipped=True))
    if said == replies.STOP:
        return scene.impossible("you stopped here.")
    return _unclear(scene, turn, replies.TROUBLE)


def _unclear(scene: Scene, turn: Turn, options: tuple[str, ...]) -> Decision:
    """Ask once more; then, or when nobody answers, give up rather than guess."""
    if not turn.reply.strip():
        return scene.impossible(turn.note or "nobody answered the question.")
    if scene.progress.unclear:
        return scene.impossible("I did not understand the answer.")
    asked = turn.decision.choice
    prompt = asked.prompt if isinstance(asked, Ask) else ""
    again = f"I did not understand that. {prompt}".strip()
    return scene.ask(again, options, scene.progress.phase, unclear=scene.progress.unclear + 1)
