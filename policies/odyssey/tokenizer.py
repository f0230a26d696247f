"""Text and ids: byte-pair ranks of a `qwen.tiktoken` file, and the special ids after them.

Source: OpenGVLab/GUI-Odyssey, OdysseyAgent/tokenization_qwen.py. There, special strings in a person's text are
honoured; here they are never: `<|im_end|>` or `<img>` in an instruction are only letters.
"""

from __future__ import annotations

import base64
import binascii
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import tiktoken

PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""How text is cut before pairs are merged; each digit stands alone."""
EXTRAS = 205
NAMED = ("<ref>", "</ref>", "<box>", "</box>", "<quad>", "</quad>", "<img>", "</img>", "<imgpad>")


class BadVocabulary(ValueError):
    """A vocabulary file that cannot be used; the message says where."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Special:
    """Ids that stand for no text. They follow the ranks, in the order of the published tokenizer."""

    endoftext: int
    im_start: int
    im_end: int
    image_start: int
    image_end: int
    image_pad: int

    @classmethod
    def after(cls, ranks: int) -> Special:
        """For a vocabulary of so many ranks."""
        named = ranks + 3 + EXTRAS
        return cls(
            endoftext=ranks,
            im_start=ranks + 1,
            im_end=ranks + 2,
            image_start=named + NAMED.index("<img>"),
            image_end=named + NAMED.index("</img>"),
            image_pad=named + NAMED.index("<imgpad>"),
        )


class Tokenizer:
    """Ranks of byte strings make a vocabulary; ids are below `size`."""

    def __init__(self, ranks: Mapping[bytes, int]) -> None:
        """Raises BadVocabulary unless the ranks are 0 to n - 1 and every single byte has one."""
        if sorted(ranks.values()) != list(range(len(ranks))):
            raise BadVocabulary(f"the ranks are not the numbers 0 to {len(ranks) - 1}, each once")
        if missing := [value for value in range(256) if bytes([value]) not in ranks]:
            raise BadVocabulary(f"{len(missing)} single bytes have no rank, for example {missing[0]:#04x}")
        self._coding = tiktoken.Encoding("odyssey", pat_str=PATTERN, mergeable_ranks=dict(ranks), special_tokens={})
        self._bytes = {rank: token for token, rank in ranks.items()}
        self.special = Special.after(len(ranks))

    @property
    def size(self) -> int:
        """Ids that mean something; a network may have room for more."""
        return self.special.image_pad + 1

    def encode(self, text: str) -> list[int]:
        """Ids of plain text, composed (NFC) first. No text ever gives a special id."""
        return self._coding.encode_ordinary(unicodedata.normalize("NFC", text))

    def decode(self, ids: Iterable[int]) -> str:
        """The text of ids; special ids are left out, bytes that are no UTF-8 become U+FFFD."""
        return b"".join(self._bytes.get(one, b"") for one in ids).decode(errors="replace")

    def token(self, token: int) -> bytes:
        """The bytes of one id; empty for a special id or one without meaning."""
        return self._bytes.get(token, b"")


def read(path: Path) -> Tokenizer:
    """A `qwen.tiktoken` file: on each line a byte string in base64 and its rank. Raises BadVocabulary."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise BadVocabulary(f"{path} cannot be read: {error.strerror}") from error
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            token, rank = line.split()
            ranks[base64.b64decode(token, validate=True)] = int(rank)
        except (ValueError, binascii.Error):
            raise BadVocabulary(f"{path}, line {number}: expected base64 and a number, not {line[:60]!r}") from None
    return Tokenizer(ranks)


SMALL_MERGES = (
    b"CL",
    b"IC",
    b"CLIC",
    b"CLICK",
    b": ",
    b", ",
    b"PR",
    b"ES",
    b"PRES",
    b"PRESS",
    b"SC",
    b"RO",
    b"LL",
    b"TY",
)
"""A few pairs of the answers' words, so that merging happens in tests too."""


def small(merges: Sequence[bytes] = SMALL_MERGES) -> Tokenizer:
    """A vocabulary of our own, of bytes and a few pairs, for networks that have learned nothing."""
    return Tokenizer({token: rank for rank, token in enumerate([*(bytes([value]) for value in range(256)), *merges])})
