"""The language model: Qwen-7B as it stands in modeling_qwen.py of the published code."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from policies.odyssey.network.attention import join_heads, split_heads
from policies.odyssey.network.config import Config


class RmsNorm(nn.Module):
    """Computed in float32 and cast back before the weight is applied."""

    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        wide = x.float()
        normed = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)
        return normed.to(x.dtype) * self.weight


def ntk_alpha(length: int, trained: int) -> float:
    """How much the rotary base is stretched for a prompt of `length` columns, padding included; 1 up to `trained`."""
    return max(2.0 ** math.ceil(math.log2(length / trained) + 1) - 1.0, 1.0) if length > 0 else 1.0


def rotations(positions: Tensor, config: Config, alpha: float) -> tuple[Tensor, Tensor]:
    """Cosines and sines for columns, [columns, head] each, in float32."""
    head = config.head
    base = config.rope_base * alpha ** (head / (head - 2))
    exponents = torch.arange(0, head, 2, dtype=torch.float32, device=positions.device) / head
    angles = positions.float()[:, None] * (1.0 / base**exponents)
    both = torch.cat([angles, angles], dim=-1)
    return both.cos(), both.sin()


def rotated(x: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    """Turn the first half of the channels against the second, in float32."""
    cos, sin = turn
    wide = x.float()
    first, second = wide.chunk(2, dim=-1)
    return (wide * cos + torch.cat([-second, first], dim=-1) * sin).to(x.dtype)


def log_n(positions: Tensor, trained: int) -> Tensor:
    """Factors on the queries, [columns, 1]: above 1 from the column after `trained` on (counted from 1)."""
    # In float32 throughout: not every accelerator has a wider type.
    counted = positions.float() + 1
    factors = torch.where(counted > trained, counted.log() / math.log(trained), torch.ones_like(counted))
    return factors[:, None]


@dataclass(slots=True)
class Cache:
    """Keys and values of all layers, in place: [layers, batch, heads, room, head]; `used` columns are filled.

    `alpha` is the stretch of the rotary base that the prompt had; decoding keeps it.
    """

    keys: Tensor
    values: Tensor
    used: int = 0
    alpha: float = 1.0

    @classmethod
    def empty(cls, config: Config, batch: int, room: int, like: Tensor) -> Cache:
        shape = (config.layers, batch, config.heads, room, config.head)
        return cls(like.new_zeros(shape), like.new_zeros(shape))

    @property
    def room(self) -> int:
        return self.keys.shape[3]


@dataclass(frozen=True, slots=True)
class Place:
    """Where the columns of one call stand: their rotation, their factors on queries, and what they may look at.

    `mask` is [batch, 1, columns, seen], true where looking is allowed; `columns` are the numbers of the call's columns.
    """

    columns: Tensor
    turn: tuple[Tensor, Tensor]
    factors: Tensor | None
    mask: Tensor


class Attention(nn.Module):
    """Causal attention; only the projection to queries, keys and values has a bias."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.heads = config.heads
        self.qkv = nn.Linear(config.hidden, 3 * config.hidden)
        self.out = nn.Linear(config.hidden, config.hidden, bias=False)

    def forward(self, x: Tensor, place: Place, cache: Cache | None, layer: int) -> Tensor:
        queries, keys, values = (split_heads(part, self.heads) for part in self.qkv(x).chunk(3, dim=-1))
        queries, keys = rotated(queries, place.turn), rotated(keys, place.turn)
        if place.factors is not None:
            queries = queries * place.factors.to(queries.dtype)
        if cache is not None:
            cache.keys[layer].index_copy_(2, place.columns, keys)
            cache.values[layer].index_copy_(2, place.columns, values)
            seen = place.mask.shape[-1]
            keys, values = cache.keys[layer, :, :, :seen], cache.values[layer, :, :, :seen]
        mixed = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=place.mask)
        out: Tensor = self.out(join_heads(mixed))
        return out


class Block(nn.Module):
    """Attention and a gated feed-forward. The gate's silu is on the second projection (w2), not the first."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.norm_1 = RmsNorm(config.hidden, config.norm_eps)
        self.attention = Attention(config)
        self.norm_2 = RmsNorm(config.hidden, config.norm_eps)
        self.up = nn.Linear(config.hidden, config.mlp, bias=False)
        self.gate = nn.Linear(config.hidden, config.mlp, bias=False)
        self.down = nn.Linear(config.mlp, config.hidden, bias=False)

    def feed_forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.down(self.up(x) * functional.silu(self.gate(x)))
        return out

    def forward(self, x: Tensor, place: Place, cache: Cache | None, layer: int) -> Tensor:
        x = x + self.attention(self.norm_1(x), place, cache, layer)
        return x + self.feed_forward(self.norm_2(x))


class Decoder(nn.Module):
    """Embeddings in, logits out. Positions are columns: the padding of a row counts."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.hidden)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = RmsNorm(config.hidden, config.norm_eps)
        self.head = nn.Linear(config.hidden, config.vocabulary, bias=False)

    def forward(self, embedded: Tensor, mask: Tensor, cache: Cache | None = None) -> Tensor:
        """Hidden states [batch, columns, hidden] of embeddings [batch, columns, hidden].

        `mask` is [batch, columns seen so far], true for columns that are no padding; with a cache it also covers what
        the cache holds. The cache is filled on the way.
        """
        out = self.through(embedded, self._place(embedded, mask, cache), cache)
        if cache is not None:
            cache.used += embedded.shape[1]
        return out

    def through(self, embedded: Tensor, place: Place, cache: Cache | None) -> Tensor:
        """Hidden states of columns whose place is known."""
        x = embedded
        for layer, block in enumerate(self.blocks):
            x = block(x, place, cache, layer)
        out: Tensor = self.norm(x)
        return out

    def _place(self, embedded: Tensor, mask: Tensor, cache: Cache | None) -> Place:
        start = 0 if cache is None else cache.used
        columns = embedded.shape[1]
        alpha = 1.0
        if self.config.ntk and not self.training:
            # Only a prompt is measured: what is generated after it keeps its stretch.
            alpha = ntk_alpha(columns, self.config.trained_length) if start == 0 else cache.alpha if cache else 1.0
        if cache is not None:
            cache.alpha = alpha
        positions = torch.arange(start, start + columns, device=embedded.device)
        factors = None
        if self.config.log_n and not self.training and start + columns > self.config.trained_length:
            factors = log_n(positions, self.config.trained_length)
        seen = torch.arange(start + columns, device=embedded.device)
        allowed = (seen[None, :] <= positions[:, None])[None, None] & mask[:, None, None, : start + columns]
        # A row of padding looks at itself, so that it has a value at all; nobody ever looks at it.
        allowed = allowed | (seen[None, :] == positions[:, None])[None, None]
        return Place(positions, rotations(positions, self.config, alpha), factors, allowed)
