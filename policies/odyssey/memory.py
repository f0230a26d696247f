"""Each screenshot is encoded once: what the network made of it is kept by the digest of its bytes, up to a limit.

Kept are the 256 tokens of a picture and its keys and values in the history resampler. Both depend on the picture alone,
so this is exact: the published code encodes up to five pictures at each step, of which four were seen before.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from policies.odyssey.network.attention import KeysValues
from policies.odyssey.network.images import opened, prepared
from policies.odyssey.network.model import Odyssey


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
    """Encodes pictures, and remembers. Not for two threads at once: the worker that owns the network owns it too."""

    def __init__(self, model: Odyssey, limit: int) -> None:
        """`limit`: bytes that may be kept; 0 keeps nothing, so that every picture is encoded anew."""
        self._model = model
        self._limit = limit
        self._kept: OrderedDict[str, Seen] = OrderedDict()
        self.used = 0
        self.encoded = 0
        self.remembered = 0

    @torch.inference_mode()
    def look(self, pictures: Sequence[bytes]) -> list[Seen]:
        """What the network makes of encoded pictures (PNG, JPEG, ...). Raises BadPicture before anything is encoded.

        New ones are encoded together, each only once.
        """
        names = [hashlib.sha256(one).hexdigest() for one in pictures]
        found = {name: self._kept[name] for name in names if name in self._kept}
        self.remembered += sum(name in found for name in names)
        new = {name: one for name, one in zip(names, pictures, strict=True) if name not in found}
        found |= self._encode(new)
        for name in dict.fromkeys(names):
            self._keep(name, found[name])
        return [found[name] for name in names]

    def _encode(self, new: dict[str, bytes]) -> dict[str, Seen]:
        if not new:
            return {}
        size = self._model.config.vision.image
        pixels = torch.stack([prepared(opened(one), size) for one in new.values()])
        weight = self._model.vision.patches.weight
        tokens = self._model.vision(pixels.to(weight.device, weight.dtype))
        memory = self._model.resampler.remember(tokens)
        self.encoded += len(new)
        return {name: Seen(tokens[i], KeysValues(memory.keys[i], memory.values[i])) for i, name in enumerate(new)}

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
            _, oldest = self._kept.popitem(last=False)
            self.used -= oldest.size

    def history(self, seen: Sequence[Seen]) -> Tensor:
        """The 256 tokens of the last screenshots: [256, hidden]. At least one."""
        keys = torch.stack([one.memory.keys for one in seen])
        values = torch.stack([one.memory.values for one in seen])
        return self._model.resampler.recall(KeysValues(keys, values))
