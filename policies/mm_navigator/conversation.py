"""What is said to the model about one screen, turn by turn.

With marks alone there is one turn: task, history, plain and marked picture, and the question. With `describe` there
are two: on the plain picture the model says what it would do, on the marked one it names the number. The summary is
one more turn of the same conversation.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from device.actions import kind
from device.base import Answer
from perception import overlay
from perception.overlay import Overlay
from policies.base import Ask, Finish, Observation, Turn
from policies.llm import prompts
from policies.llm.base import Message, Picture, Request, Schema
from policies.mm_navigator import grammar
from policies.mm_navigator.style import Style

_NOTHING = "(nothing)"
"""Providers refuse an empty turn; a model that said nothing is quoted with a mark for it."""
_THEN = "\n\n---\n\n"
"""Between the description and the answer in a decision's words. JSON has no line breaks of its own in texts, so the
last one is ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """How the conversation about a screen begins. `marks` are the numbers that were drawn.

    `request` asks for the action, or for its description when there is a `then`: the turn that asks for the action.
    """

    request: Request
    marks: frozenset[int]
    schema: Schema
    then: Message | None = None

    def asking(self, description: str) -> Request:
        """The request for an action, after that description where one was asked for."""
        if self.then is None:
            return self.request
        said = Message("assistant", (description.strip() or _NOTHING,))
        return replace(self.request, messages=(*self.request.messages, said, self.then), schema=self.schema)


def begin(observation: Observation, style: Style) -> Opening:
    """Draws both pictures: call it on a worker thread."""
    plain = overlay.draw(observation.screen, width=style.width, style="none")
    drawn = overlay.draw(observation.screen, width=style.width, style=style.tags)
    form = prompts.render(_prompt("form_fused" if style.fused else "form"), thought=_prompt(f"thought_{style.prompt}"))
    schema = Schema("next_action", grammar.schema(summary=style.fused))
    before, listing, question = _task(observation, style), _listing(drawn, style), _prompt(f"question_{style.prompt}")
    then = None
    if style.describe:
        words = (*before, prompts.render(_prompt("describe"), lang=observation.lang))
        first = Message("user", (_joined(words), _picture(plain)))
        then = Message("user", (_joined([*listing, _prompt("localise"), form]), _picture(drawn)))
    else:
        first = Message("user", (_joined([*before, *listing, question]), _picture(plain), _picture(drawn)))
    request = Request(
        system=_system(observation, style, "" if style.describe else form),
        messages=(first,),
        schema=None if style.describe else schema,
        max_tokens=style.max_tokens,
    )
    return Opening(request=request, marks=frozenset(drawn.marks), schema=schema, then=then)


def sum_up(opening: Opening, raw: str, lang: str) -> Request:
    """The turn that asks for the summary, after a decision whose own words were `raw`."""
    description, answer = parted(raw) if opening.then is not None else ("", raw)
    question = prompts.render(_prompt("reflect"), lang=lang)
    asked = opening.asking(description)
    turns = (Message("assistant", (answer.strip() or _NOTHING,)), Message("user", (question,)))
    return replace(asked, messages=(*asked.messages, *turns), schema=None)


def joined(description: str, answer: str) -> str:
    """Both of the model's turns as one text."""
    return f"{description}{_THEN}{answer}"


def parted(raw: str) -> tuple[str, str]:
    """The inverse of `joined`."""
    description, _, answer = raw.rpartition(_THEN)
    return description, answer


def _prompt(name: str) -> str:
    return prompts.load(__package__, name)


def _joined(texts: Sequence[str]) -> str:
    return "\n\n".join(text for text in texts if text)


def _picture(drawn: Overlay) -> Picture:
    return Picture(drawn.data, "image/jpeg", drawn.size)


def _system(observation: Observation, style: Style, form: str) -> str:
    pictures = prompts.render(
        _prompt("pictures_describe" if style.describe else "pictures"), tags=_prompt(f"tags_{style.tags}")
    )
    rules = prompts.render(_prompt("rules"), more=" and summary" if style.fused else "", lang=observation.lang)
    context = f"{_prompt('context')}\n" if style.prompt == "detail" else ""
    text = prompts.render(
        _prompt("system"), pictures=pictures, actions=grammar.describe(), rules=context + rules, form=form
    )
    return text.strip()


def _task(observation: Observation, style: Style) -> Sequence[str]:
    texts = [prompts.render(_prompt("task"), goal=observation.goal)]
    if style.history:
        texts.append(_history(observation.history))
    replies = [_reply(turn) for turn in observation.history if isinstance(turn.decision.choice, Ask)]
    if replies:
        # Without them a question would be asked for ever, whatever else the model is told.
        texts.append(prompts.render(_prompt("replies"), replies="\n".join(replies)))
    return texts


def _listing(drawn: Overlay, style: Style) -> Sequence[str]:
    return [prompts.render(_prompt("listing"), listing=_quoted(drawn.listing))] if style.text else []


def _quoted(listing: str) -> str:
    # Texts are JSON strings in it; a < could only come from the screen, and could otherwise end the quotation.
    return listing.replace("<", "\\u003c")


def _history(turns: Sequence[Turn]) -> str:
    if not turns:
        return _prompt("first_step")
    # A summary holds all that was done before it; one that never came leaves a gap, which the record fills.
    last = max((at for at, turn in enumerate(turns) if turn.decision.memo), default=-1)
    lines = [turns[last].decision.memo] if last >= 0 else []
    lines += [_recorded(turn) for turn in turns[last + 1 :]]
    return prompts.render(_prompt("history"), summary="\n".join(lines), outcome=_outcome(turns[-1]))


def _recorded(turn: Turn) -> str:
    """A step in the run's words; typed text is left out, and what the screen said is quoted."""
    choice, element = turn.decision.choice, turn.decision.element
    act = "a question" if isinstance(choice, Ask) else "an end" if isinstance(choice, Finish) else kind(choice)
    on = f" on {json.dumps(element.name, ensure_ascii=False)}" if element is not None else ""
    return f"Step {turn.step}, from the record: {act.replace('_', ' ')}{on}; {_outcome(turn)}"


def _reply(turn: Turn) -> str:
    question = turn.decision.choice.prompt if isinstance(turn.decision.choice, Ask) else ""
    return f"- {question}: {turn.reply or 'no answer came; go on without it.'}"


def _outcome(turn: Turn) -> str:
    """Facts, whatever the summary claims: an action that was refused or changed nothing is said to be so."""
    if isinstance(turn.decision.choice, Ask):
        said = "it was a question; the answer is below."
    elif turn.sent is Answer.NO:
        said = "it was not carried out."
    elif turn.sent is Answer.UNKNOWN:
        said = "nobody knows whether it was carried out; look before you repeat it."
    else:
        said = {
            Answer.YES: "it was carried out and the screen changed.",
            Answer.NO: "it was carried out and nothing changed on the screen.",
            Answer.UNKNOWN: "it was carried out; whether anything changed is not known.",
        }[turn.changed]
    return f"{said} {turn.note}".strip()
