"""The prompt to the letter: it is part of the network's input format, and another wording is another network.

Sources: OpenGVLab/GUI-Odyssey, src/eval_mm/evaluate_GUIOdyssey.py (second form) and data/format_converter.py at
872e48e (first form); qwen_generation_utils.py (`make_context`, chatml).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from policies.odyssey.network.config import TOKENS_PER_IMAGE
from policies.odyssey.tokenizer import Tokenizer

SYSTEM = "You are a helpful assistant."
WINDOW = 4
"""Actions and screenshots of the past that are told."""


class Form(StrEnum):
    """Which checkpoints a prompt belongs to: those of 2024 (four splits) or of 2025 (random high and low)."""

    V1 = "v1"
    V2 = "v2"


class Picture(StrEnum):
    """What comes into a slot of 256 columns."""

    NOW = "now"
    HISTORY = "history"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the network is asked. `actions` are rendered answers, oldest first; the last four are told.

    `earlier` counts the screenshots of the past that are there. `screenshots` and `told` say whether the forms have
    lines for screenshots and for actions at all. With `context`, a sentence on what has been done, that stands before
    the actions (a variant of the paper's table 4, whose published wording is not known).
    """

    instruction: str
    actions: Sequence[str] = ()
    earlier: int = 0
    screenshots: bool = True
    told: bool = True
    context: str = ""


@dataclass(frozen=True, slots=True)
class Prompt:
    """Ids, and for each slot its first column and what it shows."""

    ids: tuple[int, ...]
    slots: tuple[tuple[int, Picture], ...]


def turn(question: Question, form: Form) -> list[str | Picture]:
    """The person's turn: texts with pictures between them."""
    past = list(question.actions)[-WINDOW:]
    # Renumbered inside the window; each item ends its line, which leaves a blank one before the last sentence.
    listed = "".join(f"{number}. {action}\n" for number, action in enumerate(past, 1))
    parts: list[str | Picture] = [
        "Picture 1: ",
        Picture.NOW,
        f"\nI'm looking for guidance on how to {question.instruction}",
    ]
    if question.earlier and question.screenshots:
        parts += ["\nPrevious screenshots: ", Picture.HISTORY]
    elif form is Form.V2 and question.screenshots:
        parts.append("\nPrevious screenshots: None")
    if question.context:
        parts.append(f"\nPrevious context: {question.context}")
    if past and question.told:
        parts.append(f"\nPrevious Actions: {listed}")
    elif form is Form.V2 and question.screenshots and question.told:
        parts.append("\nPrevious Actions: None")
    if form is Form.V2:
        parts.append("\nProvide the command-style action directly.")
    return _merged(parts)


def _merged(parts: Sequence[str | Picture]) -> list[str | Picture]:
    """Neighbouring texts as one: they are cut into tokens together."""
    out: list[str | Picture] = []
    for part in parts:
        if out and not isinstance(part, Picture) and not isinstance(out[-1], Picture):
            out[-1] = out[-1] + part
        else:
            out.append(part)
    return out


def build(parts: Sequence[str | Picture], tokenizer: Tokenizer, answer: str | None = None) -> Prompt:
    """The chat in ids: system, the person's turn, the header of the answer; with `answer`, that too and its end.

    Whatever a text holds, no special id comes of it.
    """
    special = tokenizer.special
    line = tokenizer.encode("\n")
    ids = [special.im_start, *tokenizer.encode(f"system\n{SYSTEM}"), special.im_end, *line]
    ids += [special.im_start, *tokenizer.encode("user\n")]
    slots = []
    for part in parts:
        if isinstance(part, Picture):
            ids.append(special.image_start)
            slots.append((len(ids), part))
            ids += [special.image_pad] * TOKENS_PER_IMAGE
            ids.append(special.image_end)
        else:
            ids += tokenizer.encode(part)
    ids += [special.im_end, *line, special.im_start, *tokenizer.encode("assistant\n")]
    if answer is not None:
        ids += [*tokenizer.encode(answer), special.im_end, *line]
    return Prompt(tuple(ids), tuple(slots))
