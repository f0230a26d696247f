"""Decoding that can only end in an answer of the grammar: an automaton over bytes, and masks over a vocabulary.

A token is allowed when its bytes lead from the state reached so far to one from which an answer can still be finished
within the tokens that are left; the end is allowed in the states where an answer is whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from policies.odyssey.tokenizer import Tokenizer

_DIGITS = range(ord("0"), ord("9") + 1)
_NEVER = 1 << 20
"""More bytes than any answer has: no end is in reach."""


@dataclass(slots=True)
class Automaton:
    """States are numbers, 0 is the first; `edges[state][byte]` is the next. `whole` are those where it may end."""

    edges: list[dict[int, int]] = field(default_factory=lambda: [{}])
    whole: set[int] = field(default_factory=set)

    def new(self) -> int:
        self.edges.append({})
        return len(self.edges) - 1

    def literal(self, start: int, text: str, end: int | None = None) -> int:
        """A path for these bytes, sharing what is there already; its last state, which is `end` if that is given."""
        at, data = start, text.encode()
        for place, byte in enumerate(data):
            last = place == len(data) - 1
            if last and end is not None:
                self.edges[at][byte] = end
                return end
            if byte not in self.edges[at]:
                self.edges[at][byte] = self.new()
            at = self.edges[at][byte]
        return at

    def thousandths(self, start: int, after: str) -> int:
        """A number from 0 to 1000 without leading zeros, then `after`; the state behind that."""
        zero, one, ten, hundred, thousand = (self.new() for _ in range(5))
        ones, tens, hundreds = (self.new() for _ in range(3))
        self._digits(start, {0: zero, 1: one}, ones)
        self._digits(one, {0: ten}, tens)
        self._digits(ten, {0: hundred}, hundreds)
        self.edges[hundred][_DIGITS[0]] = thousand
        self._digits(ones, {}, tens)
        self._digits(tens, {}, hundreds)
        behind = self.literal(zero, after)
        for state in (one, ten, hundred, thousand, ones, tens, hundreds):
            self.literal(state, after, behind) if len(after) == 1 else self._join(state, after, behind)
        return behind

    def _digits(self, state: int, special: Mapping[int, int], other: int) -> None:
        for value, byte in enumerate(_DIGITS):
            self.edges[state][byte] = special.get(value, other)

    def _join(self, state: int, after: str, behind: int) -> None:
        self.literal(self.literal(state, after[:-1]), after[-1], behind)

    def text(self, start: int) -> None:
        """At least one character of well-formed UTF-8 without control characters, any number of them."""
        inside = self.new()
        self.whole.add(inside)
        tails = [inside, self.new(), self.new()]
        for state, following in ((tails[1], inside), (tails[2], tails[1])):
            self._span(state, 0x80, 0xBF, following)
        for state in (start, inside):
            self._span(state, 0x20, 0x7E, inside)
            self._span(state, 0xC3, 0xDF, tails[1])
            # 0xC2 begins the controls U+0080 to U+009F too; its characters proper begin at 0xA0.
            self._lead(state, 0xC2, 0xA0, 0xBF, inside)
            self._lead(state, 0xE0, 0xA0, 0xBF, tails[1])
            self._span(state, 0xE1, 0xEC, tails[2])
            self._lead(state, 0xED, 0x80, 0x9F, tails[1])
            self._span(state, 0xEE, 0xEF, tails[2])
            self._lead(state, 0xF0, 0x90, 0xBF, tails[2])
            for byte in (0xF1, 0xF2, 0xF3):
                self._lead(state, byte, 0x80, 0xBF, tails[2])
            self._lead(state, 0xF4, 0x80, 0x8F, tails[2])

    def _span(self, state: int, first: int, last: int, target: int) -> None:
        for byte in range(first, last + 1):
            self.edges[state][byte] = target

    def _lead(self, state: int, byte: int, first: int, last: int, target: int) -> None:
        second = self.new()
        self.edges[state][byte] = second
        self._span(second, first, last, target)

    def distances(self) -> list[int]:
        """For each state, the bytes that are missing to a whole answer."""
        found = [0 if state in self.whole else _NEVER for state in range(len(self.edges))]
        changed = True
        while changed:
            changed = False
            for state, edges in enumerate(self.edges):
                best = min((found[target] + 1 for target in edges.values()), default=_NEVER)
                if best < found[state]:
                    found[state], changed = best, True
        return found


def answers() -> Automaton:
    """The grammar's own spellings (`grammar.render`)."""
    machine = Automaton()
    for word in ("PRESS_HOME", "PRESS_BACK", "PRESS_RECENT", "COMPLETE", "IMPOSSIBLE"):
        machine.whole.add(machine.literal(0, word))
    scroll = machine.literal(0, "SCROLL: ")
    for word in ("UP", "DOWN", "LEFT", "RIGHT"):
        machine.whole.add(machine.literal(scroll, word))
    for word in ("CLICK: (", "LONG_PRESS: ("):
        comma = machine.thousandths(machine.literal(0, word), ", ")
        machine.whole.add(machine.thousandths(comma, ")"))
    machine.text(machine.literal(0, "TYPE: "))
    return machine


@dataclass(slots=True)
class _Branch:
    """Tokens of a vocabulary by their bytes: those that end here, and what follows."""

    tokens: list[int] = field(default_factory=list)
    below: dict[int, _Branch] = field(default_factory=dict)


class Constraint:
    """Masks for one vocabulary. A state's tokens are found once and kept: there are some two hundred states."""

    def __init__(self, tokenizer: Tokenizer, width: int) -> None:
        """`width`: how many logits the network has; those beyond the vocabulary are never allowed."""
        self._machine = answers()
        self._missing = self._machine.distances()
        self._end = tokenizer.special.im_end
        self._width = width
        self._root = _Branch()
        self._tokenizer = tokenizer
        self._targets: dict[int, tuple[Tensor, Tensor]] = {}
        for token in range(min(tokenizer.special.endoftext, width)):
            branch = self._root
            for byte in tokenizer.token(token):
                branch = branch.below.setdefault(byte, _Branch())
            branch.tokens.append(token)

    @property
    def start(self) -> int:
        return 0

    def shortest(self) -> int:
        """Tokens within which an answer can always be finished, its end included."""
        return self._missing[0] + 1

    def allowed(self, state: int, left: int) -> Tensor:
        """[width] bool: what may come next when `left` tokens may still be written, this one included."""
        tokens, missing = self._reached(state)
        mask = torch.zeros(self._width, dtype=torch.bool)
        # Behind this token an answer needs so many single bytes and its end.
        mask[tokens[missing + 1 <= left - 1]] = True
        if state in self._machine.whole:
            mask[self._end] = True
        return mask

    def next(self, state: int, token: int) -> int:
        """The state behind a token that was allowed."""
        for byte in self._tokenizer.token(token):
            state = self._machine.edges[state][byte]
        return state

    def _reached(self, state: int) -> tuple[Tensor, Tensor]:
        """The tokens that can be walked from a state, and the bytes that are missing behind each of them."""
        if state not in self._targets:
            tokens: list[int] = []
            missing: list[int] = []
            paths = [(self._root, state)]
            while paths:
                branch, at = paths.pop()
                tokens += branch.tokens
                missing += [self._missing[at]] * len(branch.tokens)
                for byte, target in self._machine.edges[at].items():
                    if byte in branch.below:
                        paths.append((branch.below[byte], target))
            self._targets[state] = (torch.tensor(tokens, dtype=torch.long), torch.tensor(missing, dtype=torch.long))
        return self._targets[state]
