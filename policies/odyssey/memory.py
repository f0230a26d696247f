"""Each screenshot is encoded once: what the network made of it is kept by the digest of its bytes, up to a limit.

Kept are the 256 tokens of a picture and its keys and values in the history resampler. Both depend on the picture alone,
so this is exact: the published code encodes up to five pictures at each step, of which four were seen before.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from policies.odyssey.network.attention import KeysValues
from policies.odyssey.network.images import opened, prepared
from policies.odyssey.network.model import Odyssey

AT_ONCE = 8
"""Pictures that are encoded together: more gain nothing, and each needs 50 MB on its way through the full network."""
SQUEEZED = 64
"""Pictures that lie ready to be encoded, 2.4 MB each: those of a full line of requests."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What is kept of one picture: tokens [256, hidden]; keys and values [heads, 256, channels]."""

    tokens: Tensor
    memory: KeysValues

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(one.numel() * one.element_size() for one in (self.tokens, *self.memory))


class Eyes:
    """Encodes pictures, and remembers. For the thread that owns the network, but for `prepare`, which is for all."""

    def __init__(self, model: Odyssey, limit: int) -> None:
        """`limit`: bytes that may be kept; 0 keeps nothing, so that every picture is encoded anew."""
        self._model = model
        self._limit = limit
        self._kept: OrderedDict[str, Seen] = OrderedDict()
        self._squeezed: OrderedDict[str, Tensor] = OrderedDict()
        self._lock = threading.Lock()
        self.used = 0
        self.encoded = 0
        self.remembered = 0

    def prepare(self, pictures: Sequence[bytes]) -> None:
        """Read and squeeze pictures that were not seen before, so that the network's thread need not.

        Raises BadPicture. For any thread: it is slow, and touches nothing that `look` changes without a lock.
        """
        for one in pictures:
            name = _name(one)
            # A picture that is forgotten between now and `look` is read there once more.
            if name in self._kept or name in self._squeezed:
                continue
            small = prepared(opened(one), self._model.config.vision.image)
            with self._lock:
                self._squeezed[name] = small
                while len(self._squeezed) > SQUEEZED:
                    self._squeezed.popitem(last=False)

    @torch.inference_mode()
    def look(self, pictures: Sequence[bytes]) -> list[Seen]:
        """What the network makes of encoded pictures (PNG, JPEG, ...). Raises BadPicture before anything is encoded.

        New ones are encoded together, each only once.
        """
        names = [_name(one) for one in pictures]
        found = {name: self._kept[name] for name in names if name in self._kept}
        self.remembered += sum(name in found for name in names)
        new = {name: one for name, one in zip(names, pictures, strict=True) if name not in found}
        found |= self._encode(new)
        for name in dict.fromkeys(names):
            self._keep(name, found[name])
        return [found[name] for name in names]

    def _encode(self, new: dict[str, bytes]) -> dict[str, Seen]:
        pixels = {name: self._taken(name, one) for name, one in new.items()}
        names = list(new)
        found: dict[str, Seen] = {}
        weight = self._model.vision.patches.weight
        for first in range(0, len(names), AT_ONCE):
            some = names[first : first + AT_ONCE]
            batch = torch.stack([pixels[name] for name in some])
            tokens = self._model.vision(batch.to(weight.device, weight.dtype))
            memory = self._model.resampler.remember(tokens)
            for i, name in enumerate(some):
                found[name] = Seen(tokens[i], KeysValues(memory.keys[i], memory.values[i]))
        self.encoded += len(new)
        return found

    def _taken(self, name: str, picture: bytes) -> Tensor:
        with self._lock:
            small = self._squeezed.pop(name, None)
        return prepared(opened(picture), self._model.config.vision.image) if small is None else small

    def _keep(self, name: str, seen: Seen) -> None:
        if name in self._kept:
            self._kept.move_to_end(name)
            return
        if seen.size > self._limit:
            return
        # Slices would keep the whole batch they were cut from.
        own = Seen(seen.tokens.clone(), KeysValues(*(part.clone() for part in seen.memory)))
        self._kept[name] = own
        self.used += own.size
        while self.used > self._limit:
            # Never the one that was just put in: it alone is within the limit.
            _, oldest = self._kept.popitem(last=False)
            self.used -= oldest.size

    def history(self, seen: Sequence[Seen]) -> Tensor:
        """The 256 tokens of the last screenshots: [256, hidden]. At least one."""
        keys = torch.stack([one.memory.keys for one in seen])
        values = torch.stack([one.memory.values for one in seen])
        return self._model.resampler.recall(KeysValues(keys, values))


def _name(picture: bytes) -> str:
    return hashlib.sha256(picture).hexdigest()
