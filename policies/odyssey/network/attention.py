"""Attention with several heads, and the two modules that squeeze many tokens into 256."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from policies.odyssey.network.config import TOKENS_PER_IMAGE


class KeysValues(NamedTuple):
    """Projected keys and values of some tokens: [batch, heads, tokens, channels] each."""

    keys: Tensor
    values: Tensor


def split_heads(x: Tensor, heads: int) -> Tensor:
    """[batch, tokens, width] to [batch, heads, tokens, channels]."""
    batch, tokens, width = x.shape
    return x.view(batch, tokens, heads, width // heads).transpose(1, 2)


def join_heads(x: Tensor) -> Tensor:
    """[batch, heads, tokens, channels] to [batch, tokens, width]."""
    batch, heads, tokens, channels = x.shape
    return x.transpose(1, 2).reshape(batch, tokens, heads * channels)


class CrossAttention(nn.Module):
    """Projections of queries, keys and values packed as [q | k | v], each with a bias, as torch's own module has them.

    Keys and values are projected apart from the queries, so that they can be kept for tokens that are seen again.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def queries(self, x: Tensor) -> Tensor:
        width = x.shape[-1]
        return split_heads(functional.linear(x, self.qkv.weight[:width], self.qkv.bias[:width]), self.heads)

    def keys_values(self, keys: Tensor, values: Tensor) -> KeysValues:
        width = keys.shape[-1]
        k = functional.linear(keys, self.qkv.weight[width : 2 * width], self.qkv.bias[width : 2 * width])
        v = functional.linear(values, self.qkv.weight[2 * width :], self.qkv.bias[2 * width :])
        return KeysValues(split_heads(k, self.heads), split_heads(v, self.heads))

    def attend(self, queries: Tensor, seen: KeysValues) -> Tensor:
        """[batch, tokens of the queries, width]."""
        mixed = functional.scaled_dot_product_attention(queries, seen.keys, seen.values)
        out: Tensor = self.out(join_heads(mixed))
        return out


class Adapter(nn.Module):
    """Patches of one picture to 256 tokens as wide as the decoder (`Resampler` of visual.py).

    A fixed sine table is added to queries and keys, not to values.
    """

    def __init__(self, patch_width: int, width: int, heads: int, eps: float) -> None:
        super().__init__()
        self.query = nn.Parameter(torch.zeros(TOKENS_PER_IMAGE, width))
        self.position = nn.Parameter(sine_table(width, math.isqrt(TOKENS_PER_IMAGE)))
        self.widen = nn.Linear(patch_width, width, bias=False)
        self.norm_query = nn.LayerNorm(width, eps=eps)
        self.norm_seen = nn.LayerNorm(width, eps=eps)
        self.attention = CrossAttention(width, heads)

    def forward(self, patches: Tensor) -> Tensor:
        """[pictures, patches, patch width] to [pictures, 256, width]."""
        count, tokens, _ = patches.shape
        seen = self.norm_seen(self.widen(patches))
        queries = (self.norm_query(self.query) + self.position).expand(count, -1, -1)
        keys = seen + resized(self.position, math.isqrt(tokens))
        attention = self.attention
        return attention.attend(attention.queries(queries), attention.keys_values(keys, seen))


class HistoryResampler(nn.Module):
    """Tokens of the last screenshots to 256 tokens (`HisResampler` of modeling_qwen.py).

    No position and no time is told to it, so the order of the screenshots does not matter. Its norms have torch's
    default eps, unlike all others of the network; its `pos_embed` is in the checkpoints and unused.
    """

    EPS = 1e-5

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.query = nn.Parameter(torch.zeros(TOKENS_PER_IMAGE, width))
        self.norm_query = nn.LayerNorm(width, eps=self.EPS)
        self.norm_seen = nn.LayerNorm(width, eps=self.EPS)
        self.attention = CrossAttention(width, heads)
        self.norm_out = nn.LayerNorm(width, eps=self.EPS)
        self.projection = nn.Parameter(torch.zeros(width, width))

    def remember(self, screenshots: Tensor) -> KeysValues:
        """What is kept of encoded screenshots: [n, 256, width] to keys and values [n, heads, 256, channels]."""
        seen = self.norm_seen(screenshots)
        return self.attention.keys_values(seen, seen)

    def recall(self, memories: KeysValues) -> Tensor:
        """From keys and values [n, heads, 256, channels] of n screenshots, the history's tokens: [256, width]."""
        one = KeysValues(*(_in_a_row(part) for part in memories))
        queries = self.attention.queries(self.norm_query(self.query).unsqueeze(0))
        mixed: Tensor = self.norm_out(self.attention.attend(queries, one)) @ self.projection
        return mixed[0]

    def forward(self, screenshots: Tensor) -> Tensor:
        """[n, 256, width] to [256, width]."""
        return self.recall(self.remember(screenshots))


def _in_a_row(part: Tensor) -> Tensor:
    """[n, heads, tokens, channels] to [1, heads, n * tokens, channels]."""
    _, heads, _, channels = part.shape
    return part.transpose(0, 1).reshape(1, heads, -1, channels)


def sine_table(width: int, side: int) -> Tensor:
    """[side * side, width]: the first half of the channels tells the column, the second the row.

    In each half sines come before cosines, with frequencies 1 / 10000 ** (i / (width / 4)).
    """
    quarter = width // 4
    frequencies = 1.0 / 10_000 ** (torch.arange(quarter, dtype=torch.float64) / quarter)
    angles = torch.arange(side, dtype=torch.float64)[:, None] * frequencies
    one = torch.cat([angles.sin(), angles.cos()], dim=1)  # [side, width / 2]
    columns = one[None, :, :].expand(side, side, -1)
    rows = one[:, None, :].expand(side, side, -1)
    return torch.cat([columns, rows], dim=2).reshape(side * side, width).float()


def resized(table: Tensor, side: int) -> Tensor:
    """A table of [n * n, width] for a grid of another size, by bicubic interpolation: [side * side, width]."""
    old = math.isqrt(table.shape[0])
    if old == side:
        return table
    picture = table.float().view(1, old, old, -1).permute(0, 3, 1, 2)
    picture = functional.interpolate(picture, size=(side, side), mode="bicubic", align_corners=False)
    return picture.permute(0, 2, 3, 1).reshape(side * side, -1).to(table.dtype)
