"""A task so far, as a chat: the prompt that the network was taught, whoever asks and by whatever way.

Each earlier message of the user holds the screenshot of a step, each of the assistant the action that followed; the
last one holds the present screenshot and the instruction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from policies.odyssey.generation import MOST_TOKENS, BadJob, Job
from policies.odyssey.prompt import WINDOW, Form, Picture, Question, build, turn
from policies.odyssey.tokenizer import Tokenizer

History = Literal["resampler", "pictures", "none"]


class BadChat(BadJob):
    """The chat cannot be asked; `at` is the number of the message, None for the list as a whole."""

    def __init__(self, message: str, at: int | None = None) -> None:
        super().__init__(message)
        self.at = at


@dataclass(frozen=True, slots=True)
class Said:
    """One message: of the user with a screenshot, its encoded bytes, or of the assistant with an action."""

    role: Literal["user", "assistant"]
    text: str = ""
    picture: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How to ask. `history`: earlier screenshots through the resampler, as whole pictures, or not at all; at most four.

    `context` is told in words; `constrained`: only an answer of the grammar can come out.
    """

    form: Form = Form.V2
    history: History = "resampler"
    actions: bool = True
    context: str = ""
    constrained: bool = True
    tokens: int = MOST_TOKENS


def asked(said: Sequence[Said], manner: Manner, tokenizer: Tokenizer) -> Job:
    """The chat as a job. Raises BadChat."""
    if not said or said[-1].role != "user":
        raise BadChat("the last message must be the user's, with the present screenshot")
    now, last = said[-1], len(said) - 1
    instruction = now.text.strip()
    if not instruction:
        raise BadChat("the last message holds no instruction", last)
    if now.picture is None:
        raise BadChat("the last message holds no screenshot", last)
    past = [one.picture for one in said[:-1] if one.role == "user" and one.picture is not None]
    earlier = past[-WINDOW:] if manner.history != "none" else []
    question = Question(
        instruction=instruction,
        actions=[one.text for one in said[:-1] if one.role == "assistant"],
        earlier=len(earlier),
        screenshots=manner.history != "none",
        told=manner.actions,
        context=manner.context,
    )
    parts, shown = turn(question, manner.form), [now.picture]
    if manner.history == "pictures" and earlier:
        parts, shown = _as_pictures(parts, len(earlier)), [now.picture, *earlier]
    return Job(
        prompt=build(parts, tokenizer),
        screens=shown,
        history=earlier if manner.history == "resampler" else (),
        tokens=manner.tokens,
        constrained=manner.constrained,
    )


def _as_pictures(parts: Sequence[str | Picture], count: int) -> list[str | Picture]:
    """Each earlier screenshot in columns of its own, where the resampled history would stand: for comparison only."""
    out: list[str | Picture] = []
    for part in parts:
        out += [Picture.NOW] * count if part is Picture.HISTORY else [part]
    return out
