"""The whole network: pictures and text in, logits out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from policies.odyssey.network.attention import HistoryResampler, sine_table
from policies.odyssey.network.config import HEAD_OF_RESAMPLERS, TOKENS_PER_IMAGE, Config
from policies.odyssey.network.decoder import Cache, Decoder
from policies.odyssey.network.vision import Vision

IGNORED = -100
"""A target that counts for nothing in the loss."""


@dataclass(frozen=True, slots=True)
class Slot:
    """256 tokens that take the place of the columns from `start` on in one row of a batch: [256, hidden]."""

    row: int
    start: int
    tokens: Tensor


class Odyssey(nn.Module):
    """Vision, history resampler and decoder."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.vision = Vision(config)
        self.resampler = HistoryResampler(config.hidden, config.hidden // HEAD_OF_RESAMPLERS)
        self.decoder = Decoder(config)

    def embed(self, ids: Tensor, slots: Sequence[Slot] = ()) -> Tensor:
        """Ids [batch, columns] to embeddings [batch, columns, hidden], with pictures in their places.

        Raises ValueError for a slot that does not lie inside its row.
        """
        # The ids inside a slot may be bytes of a name or padding; whatever they are is overwritten.
        embedded: Tensor = self.decoder.embedding(ids)
        if slots:
            embedded = embedded.clone()
        for slot in slots:
            end = slot.start + TOKENS_PER_IMAGE
            if not (0 <= slot.row < ids.shape[0] and slot.start >= 0 and end <= ids.shape[1]):
                raise ValueError(f"a slot at row {slot.row}, columns {slot.start}-{end}, in ids of {tuple(ids.shape)}")
            embedded[slot.row, slot.start : end] = slot.tokens.to(embedded.dtype)
        return embedded

    def forward(self, embedded: Tensor, mask: Tensor, cache: Cache | None = None) -> Tensor:
        """Logits [batch, columns, vocabulary]; arguments as in `Decoder.forward`."""
        logits: Tensor = self.decoder.head(self.decoder(embedded, mask, cache))
        return logits

    def last_logits(self, embedded: Tensor, mask: Tensor, cache: Cache | None = None) -> Tensor:
        """Logits of the last column alone, [batch, vocabulary]: the head is the widest layer of all."""
        hidden = self.decoder(embedded, mask, cache)
        logits: Tensor = self.decoder.head(hidden[:, -1])
        return logits


def loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Mean cross-entropy of the next token over the batch, in float32; targets of -100 count for nothing.

    `logits` [batch, columns, vocabulary], `targets` [batch, columns], not shifted.
    """
    return functional.cross_entropy(
        logits[:, :-1].float().flatten(0, 1), targets[:, 1:].flatten(), ignore_index=IGNORED
    )


@torch.no_grad()
def randomise(model: Odyssey, seed: int) -> None:
    """Weights that are no use but the same for the same seed: normal, 0.02 wide, as the published code starts from.

    Drawn where the weights lie, one parameter at a time.
    """
    generator = torch.Generator(device=next(model.parameters()).device).manual_seed(seed)
    for name, parameter in model.named_parameters():
        if name.endswith("adapter.position"):
            # Fixed, and in every checkpoint; a network made without values has not got it.
            parameter.copy_(sine_table(parameter.shape[1], math.isqrt(parameter.shape[0])))
        elif parameter.dim() == 1:
            parameter.fill_(1.0 if "norm" in name and name.endswith("weight") else 0.0)
        else:
            parameter.normal_(0.0, 0.02, generator=generator)
