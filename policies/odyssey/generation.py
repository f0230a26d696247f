"""Answers, greedily: the likeliest token each time, until the end of the turn.

The published code always writes 30 tokens and cuts afterwards; here writing ends with the turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from policies.odyssey.constraint import Constraint
from policies.odyssey.memory import Eyes, Seen
from policies.odyssey.network.decoder import Cache
from policies.odyssey.network.model import Odyssey, Slot
from policies.odyssey.prompt import WINDOW, Picture, Prompt
from policies.odyssey.tokenizer import Tokenizer

MOST_TOKENS = 128
"""Default for one answer; the published 30 cut long typed texts off."""


class TooLong(ValueError):
    """Prompt and answer do not fit the network's positions; the message gives both lengths."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One prompt with its pictures, encoded as bytes: `screens` for the slots "now" in order, `history` oldest first.

    `constrained`: only an answer of the grammar can come out. `told` hears of each token's text as it is written and
    returns False to stop.
    """

    prompt: Prompt
    screens: Sequence[bytes] = ()
    history: Sequence[bytes] = ()
    tokens: int = MOST_TOKENS
    constrained: bool = False
    told: Callable[[str], bool] | None = None


@dataclass(slots=True)
class Answer:
    """`ended` is false when the tokens ran out first. `written` counts tokens, the end included."""

    text: str = ""
    ended: bool = False
    written: int = 0
    asked: int = 0


@dataclass(slots=True)
class _Row:
    """One answer while it is written."""

    job: Job
    answer: Answer
    state: int = 0
    ids: list[int] = field(default_factory=list)
    over: bool = False
    said: int = 0


class Writer:
    """Answers several jobs at once. Owned by one thread, as the network and the eyes it is given."""

    def __init__(self, model: Odyssey, tokenizer: Tokenizer, eyes: Eyes) -> None:
        if tokenizer.size > model.config.vocabulary:
            raise ValueError(f"the vocabulary has {tokenizer.size} ids, the network {model.config.vocabulary}")
        self._model = model
        self._tokenizer = tokenizer
        self._eyes = eyes
        self._ends = (tokenizer.special.im_end, tokenizer.special.endoftext, tokenizer.special.im_start)
        self._constraint: Constraint | None = None

    def check(self, job: Job) -> None:
        """Raises TooLong, and ValueError for a constrained job without room for the shortest answer."""
        length = len(job.prompt.ids)
        if length + job.tokens > self._model.config.longest:
            raise TooLong(
                f"the prompt has {length} tokens and the answer may have {job.tokens}; "
                f"the network has {self._model.config.longest} positions"
            )
        if job.tokens < 1:
            raise ValueError(f"an answer has at least 1 token, not {job.tokens}")
        if job.constrained and job.tokens < self._grammar().shortest():
            raise ValueError(f"a constrained answer may need {self._grammar().shortest()} tokens, not {job.tokens}")

    @torch.inference_mode()
    def answer(self, jobs: Sequence[Job]) -> list[Answer]:
        """All answers. Raises BadPicture, TooLong, ValueError before anything is written."""
        for job in jobs:
            self.check(job)
        embedded, mask = self._prompts(jobs)
        room = embedded.shape[1] + max(job.tokens for job in jobs)
        cache = Cache.empty(self._model.config, len(jobs), room, embedded)
        mask = torch.cat([mask, mask.new_ones(len(jobs), room - mask.shape[1])], dim=1)
        rows = [_Row(job, Answer(asked=len(job.prompt.ids))) for job in jobs]
        logits = self._model.last_logits(embedded, mask, cache)
        while True:
            chosen = self._choose(logits, rows)
            for row, token in zip(rows, chosen, strict=True):
                self._write(row, token)
            if all(row.over for row in rows):
                return [row.answer for row in rows]
            ids = torch.tensor(chosen, device=embedded.device)[:, None]
            logits = self._model.last_logits(self._model.embed(ids), mask, cache)

    def _prompts(self, jobs: Sequence[Job]) -> tuple[Tensor, Tensor]:
        """Embeddings [jobs, columns, hidden], padded on the left, and their mask."""
        device = self._model.decoder.embedding.weight.device
        width = max(len(job.prompt.ids) for job in jobs)
        ids = torch.full((len(jobs), width), self._tokenizer.special.endoftext, dtype=torch.long)
        mask = torch.zeros(len(jobs), width, dtype=torch.bool)
        for row, job in enumerate(jobs):
            ids[row, width - len(job.prompt.ids) :] = torch.tensor(job.prompt.ids)
            mask[row, width - len(job.prompt.ids) :] = True
        slots = [one for row, slots in enumerate(self._slots(jobs)) for one in _moved(slots, row, width, jobs[row])]
        return self._model.embed(ids.to(device), slots), mask.to(device)

    def _slots(self, jobs: Sequence[Job]) -> list[list[tuple[int, Tensor]]]:
        """For each job, first column and tokens of each slot. All pictures of all jobs are encoded together."""
        every = [one for job in jobs for one in (*job.screens, *job.history[-WINDOW:])]
        seen = iter(self._eyes.look(every))
        found = []
        for job in jobs:
            screens = [next(seen) for _ in job.screens]
            past = [next(seen) for _ in job.history[-WINDOW:]]
            found.append(self._filled(job, screens, past))
        return found

    def _filled(self, job: Job, screens: Sequence[Seen], past: Sequence[Seen]) -> list[tuple[int, Tensor]]:
        now = iter(screens)
        slots = []
        for start, shown in job.prompt.slots:
            if shown is Picture.HISTORY and not past:
                raise ValueError("the prompt shows earlier screenshots and none was given")
            tokens = self._eyes.history(past) if shown is Picture.HISTORY else next(now, None)
            if tokens is None:
                raise ValueError(f"the prompt shows more screens than the {len(screens)} that were given")
            slots.append((start, tokens if isinstance(tokens, Tensor) else tokens.tokens))
        return slots

    def _choose(self, logits: Tensor, rows: Sequence[_Row]) -> list[int]:
        if any(row.job.constrained and not row.over for row in rows):
            grammar = self._grammar()
            mask = torch.ones(logits.shape, dtype=torch.bool)
            for i, row in enumerate(rows):
                if row.job.constrained and not row.over:
                    mask[i] = grammar.allowed(row.state, row.job.tokens - row.answer.written)
            logits = logits.masked_fill(~mask.to(logits.device), float("-inf"))
        chosen: list[int] = logits.argmax(dim=-1).tolist()
        return chosen

    def _write(self, row: _Row, token: int) -> None:
        if row.over:
            return
        row.answer.written += 1
        if token in self._ends:
            row.answer.ended = row.over = True
            return
        row.ids.append(token)
        if row.job.constrained:
            row.state = self._grammar().next(row.state, token)
        row.answer.text = self._tokenizer.decode(row.ids)
        row.over = row.answer.written >= row.job.tokens
        if row.job.told is not None and not self._tell(row):
            row.over = True

    def _tell(self, row: _Row) -> bool:
        """Whole characters only: a character of several tokens is told once it is whole."""
        told = row.job.told
        text = row.answer.text if row.over else row.answer.text.rstrip("\ufffd")
        new, row.said = text[row.said :], max(row.said, len(text))
        return told is None or told(new)

    def _grammar(self) -> Constraint:
        if self._constraint is None:
            self._constraint = Constraint(self._tokenizer, self._model.config.vocabulary)
        return self._constraint


def _moved(slots: Sequence[tuple[int, Tensor]], row: int, width: int, job: Job) -> list[Slot]:
    padding = width - len(job.prompt.ids)
    return [Slot(row, start + padding, tokens) for start, tokens in slots]
