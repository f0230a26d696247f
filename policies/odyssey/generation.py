"""Answers, greedily: the likeliest token each time, until the end of the turn.

The published code always writes 30 tokens and cuts afterwards; here writing ends with the turn.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from policies.odyssey.constraint import Constraint
from policies.odyssey.decoding import Decoding, Growing
from policies.odyssey.memory import Eyes, Seen
from policies.odyssey.network.model import Odyssey, Slot
from policies.odyssey.prompt import WINDOW, Picture, Prompt
from policies.odyssey.tokenizer import Tokenizer

MOST_TOKENS = 128
"""Default for one answer; the published 30 cut long typed texts off."""


class BadJob(ValueError):
    """A job that cannot be answered whoever tries; the message says why."""


class TooLong(BadJob):
    """Prompt and answer do not fit the network's positions; the message gives both lengths."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One prompt with its pictures, encoded as bytes: `screens` for the slots "now" in order, `history` oldest first.

    `constrained`: only an answer of the grammar can come out. `told` hears of each token's text as it is written and
    returns False to stop. `ended` gets the answer at once, while others of its batch are still being written.
    """

    prompt: Prompt
    screens: Sequence[bytes] = ()
    history: Sequence[bytes] = ()
    tokens: int = MOST_TOKENS
    constrained: bool = False
    told: Callable[[str], bool] | None = None
    ended: Callable[[Answer], None] | None = None


@dataclass(slots=True)
class Answer:
    """`ended`: by its own end, not because the tokens ran out. `asked` and `written` count tokens, the end included."""

    text: str = ""
    ended: bool = False
    written: int = 0
    asked: int = 0


@dataclass(slots=True)
class _Row:
    """One answer while it is written. `characters` keeps the bytes of a character that is not whole yet."""

    job: Job
    answer: Answer
    state: int = 0
    over: bool = False
    characters: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace")
    )


class Writer:
    """Answers several jobs at once. For the one thread that owns network and eyes; `check` is for all."""

    def __init__(self, model: Odyssey, tokenizer: Tokenizer, eyes: Eyes, decoding: Decoding | None = None) -> None:
        """Raises ValueError when the vocabulary is larger than the network's."""
        if tokenizer.size > model.config.vocabulary:
            raise ValueError(f"the vocabulary has {tokenizer.size} ids, the network only {model.config.vocabulary}")
        self._model = model
        self._tokenizer = tokenizer
        self._eyes = eyes
        self._decoding = decoding or Growing(model)
        self._ends = (tokenizer.special.im_end, tokenizer.special.endoftext, tokenizer.special.im_start)
        self._device = model.decoder.embedding.weight.device
        # Made now, not at the first question: for a full vocabulary it takes a third of a second.
        self._grammar = Constraint(tokenizer, model.config.vocabulary, self._device)
        self._anything = torch.ones(model.config.vocabulary, dtype=torch.bool, device=self._device)

    def check(self, job: Job) -> None:
        """Raises TooLong, and BadJob for a constrained job without room for the shortest answer."""
        length = len(job.prompt.ids)
        if length + job.tokens > self._model.config.longest:
            raise TooLong(
                f"the prompt has {length} tokens and the answer may have {job.tokens}; "
                f"the network has {self._model.config.longest} positions"
            )
        if job.tokens < 1:
            raise BadJob(f"an answer has at least 1 token, not {job.tokens}")
        if job.constrained and job.tokens < self._grammar.shortest():
            raise BadJob(f"a constrained answer may need {self._grammar.shortest()} tokens, not {job.tokens}")

    @torch.inference_mode()
    def answer(self, jobs: Sequence[Job]) -> list[Answer]:
        """All answers, in the order of the jobs. Raises BadPicture, BadJob before anything of a batch is written."""
        for job in jobs:
            self.check(job)
        answers: dict[int, Answer] = {}
        for batch in batches(jobs, self._model.config.trained_length):
            answers |= zip(batch, self._together([jobs[i] for i in batch]), strict=True)
        return [answers[i] for i in range(len(jobs))]

    def _together(self, jobs: Sequence[Job]) -> list[Answer]:
        embedded, mask = self._prompts(jobs)
        rows = [_Row(job, Answer(asked=len(job.prompt.ids))) for job in jobs]
        logits = self._decoding.begin(embedded, mask, embedded.shape[1] + max(job.tokens for job in jobs))
        while True:
            chosen = self._choose(logits, rows)
            for row, token in zip(rows, chosen, strict=True):
                self._write(row, token)
            if all(row.over for row in rows):
                return [row.answer for row in rows]
            logits = self._decoding.next(chosen)

    def _prompts(self, jobs: Sequence[Job]) -> tuple[Tensor, Tensor]:
        """Embeddings [jobs, columns, hidden], padded on the left, and their mask."""
        width = max(len(job.prompt.ids) for job in jobs)
        ids = torch.full((len(jobs), width), self._tokenizer.special.endoftext, dtype=torch.long)
        mask = torch.zeros(len(jobs), width, dtype=torch.bool)
        for row, job in enumerate(jobs):
            ids[row, width - len(job.prompt.ids) :] = torch.tensor(job.prompt.ids)
            mask[row, width - len(job.prompt.ids) :] = True
        slots = [one for row, slots in enumerate(self._slots(jobs)) for one in _moved(slots, row, width, jobs[row])]
        return self._model.embed(ids.to(self._device), slots), mask.to(self._device)

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
                raise BadJob("the prompt shows earlier screenshots and none was given")
            tokens = self._eyes.history(past) if shown is Picture.HISTORY else next(now, None)
            if tokens is None:
                raise BadJob(f"the prompt shows more screens than the {len(screens)} that were given")
            slots.append((start, tokens if isinstance(tokens, Tensor) else tokens.tokens))
        return slots

    def _choose(self, logits: Tensor, rows: Sequence[_Row]) -> list[int]:
        if any(row.job.constrained and not row.over for row in rows):
            logits = logits.masked_fill(~torch.stack([self._allowed(row) for row in rows]), float("-inf"))
        chosen: list[int] = logits.argmax(dim=-1).tolist()
        return chosen

    def _allowed(self, row: _Row) -> Tensor:
        if row.over or not row.job.constrained:
            return self._anything
        return self._grammar.allowed(row.state, row.job.tokens - row.answer.written)

    def _write(self, row: _Row, token: int) -> None:
        if row.over:
            return
        row.answer.written += 1
        row.answer.ended = token in self._ends
        new = b"" if row.answer.ended else self._tokenizer.token(token)
        if row.job.constrained and not row.answer.ended:
            row.state = self._grammar.next(row.state, token)
        row.over = row.answer.ended or row.answer.written >= row.job.tokens
        text = row.characters.decode(new, row.over)
        row.answer.text += text
        if row.job.told is not None and not row.job.told(text):
            row.over = True
        if row.over and row.job.ended is not None:
            row.job.ended(row.answer)


def batches(jobs: Sequence[Job], trained: int) -> list[list[int]]:
    """Which jobs are answered together, by their numbers.

    Padding shifts a row, which changes nothing while all columns lie within the trained length; beyond it the stretch
    of the rotary base and the factors on queries depend on the column, so a batch that would reach it is not made.
    """
    found: list[list[int]] = []
    open_one: list[int] = []
    for i, job in enumerate(jobs):
        some = [jobs[k] for k in (*open_one, i)]
        room = max(len(one.prompt.ids) for one in some) + max(one.tokens for one in some)
        if len(job.prompt.ids) + job.tokens > trained:
            found.append([i])
        elif room > trained:
            found.append(open_one)
            open_one = [i]
        else:
            open_one.append(i)
    return [*found, *([open_one] if open_one else [])]


def _moved(slots: Sequence[tuple[int, Tensor]], row: int, width: int, job: Job) -> list[Slot]:
    padding = width - len(job.prompt.ids)
    return [Slot(row, start + padding, tokens) for start, tokens in slots]
