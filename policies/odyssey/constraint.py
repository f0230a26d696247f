"""Decoding that can only end in an answer of the grammar: an automaton over bytes, and masks over a vocabulary.

A token is allowed when its bytes lead from the state reached so far to one from which an answer can still be finished
within the tokens that are left; the end is allowed in the states where an answer is whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
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


class Constraint:
    """Masks for one vocabulary, made where the network's logits lie. What a state allows is found once and kept."""

    def __init__(self, tokenizer: Tokenizer, width: int, device: torch.device | str = "cpu") -> None:
        """`width`: how many logits the network has; those beyond the vocabulary are never allowed."""
        machine = answers()
        self._edges = machine.edges
        self._whole = machine.whole
        self._end = tokenizer.special.im_end
        self._width = width
        self._device = torch.device(device)
        self._tokenizer = tokenizer
        # One state more than there are: whoever falls into it never gets out, and no end is in reach.
        dead = len(machine.edges)
        self._table = np.full((dead + 1, 256), dead, dtype=np.int16)
        for state, edges in enumerate(machine.edges):
            for byte, target in edges.items():
                self._table[state, byte] = target
        self._missing = np.array([*machine.distances(), _NEVER])
        self._tokens = _Bytes([tokenizer.token(one) for one in range(min(tokenizer.special.endoftext, width))])
        self._reach: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}
        self._free: dict[int, Tensor] = {}

    @property
    def start(self) -> int:
        return 0

    def shortest(self) -> int:
        """Tokens within which an answer can always be finished, its end included."""
        return int(self._missing[0]) + 1

    def allowed(self, state: int, left: int) -> Tensor:
        """[width] bool: what may come next when `left` tokens may still be written, this one included."""
        tokens, missing = self._reached(state)
        # Behind a token an answer needs so many single bytes and its end.
        if len(missing) == 0 or int(missing.max()) + 2 <= left:
            if state not in self._free:
                self._free[state] = self._mask(state, tokens)
            return self._free[state]
        return self._mask(state, tokens[missing + 2 <= left])

    def next(self, state: int, token: int) -> int:
        """The state behind a token that was allowed."""
        for byte in self._tokenizer.token(token):
            state = self._edges[state][byte]
        return state

    def _mask(self, state: int, tokens: NDArray[np.int64]) -> Tensor:
        mask = torch.zeros(self._width, dtype=torch.bool)
        mask[torch.from_numpy(tokens)] = True
        if state in self._whole:
            mask[self._end] = True
        return mask.to(self._device)

    def _reached(self, state: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The tokens that can be walked from a state, and the bytes that are missing behind each of them."""
        if state not in self._reach:
            tokens, ends = self._tokens.walk(self._table, state)
            missing = self._missing[ends]
            self._reach[state] = (tokens[missing < _NEVER], missing[missing < _NEVER])
        return self._reach[state]


class _Bytes:
    """The bytes of all tokens of a vocabulary in a row, to be walked all at once."""

    def __init__(self, tokens: Sequence[bytes]) -> None:
        self._flat = np.frombuffer(b"".join(tokens), dtype=np.uint8)
        self._lengths = np.array([len(one) for one in tokens], dtype=np.int64)
        self._starts = np.cumsum(self._lengths) - self._lengths

    def walk(self, table: NDArray[np.int16], state: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Tokens whose bytes all lead on from a state, and the states behind them. The table's last state is dead."""
        dead = len(table) - 1
        tokens = np.flatnonzero(self._lengths > 0)
        at = np.full(len(tokens), state, dtype=np.int64)
        walked, ends = [], []
        place = 0
        while len(tokens):
            at = table[at, self._flat[self._starts[tokens] + place]].astype(np.int64)
            place += 1
            alive = at != dead
            tokens, at = tokens[alive], at[alive]
            over = self._lengths[tokens] == place
            walked.append(tokens[over])
            ends.append(at[over])
            tokens, at = tokens[~over], at[~over]
        return np.concatenate(walked), np.concatenate(ends)
