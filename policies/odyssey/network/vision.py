"""A screenshot as 256 tokens: patches, transformer blocks, adapter (visual.py of the published code)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from policies.odyssey.network.attention import Adapter, join_heads, resized, split_heads
from policies.odyssey.network.config import HEAD_OF_RESAMPLERS, Config, VisionConfig

EPS = 1e-6
LEARNED_GRID = 16
"""The positions were learned on 16 x 16 patches and are stretched to the grid in use."""


class Block(nn.Module):
    """Norm before attention and before the feed-forward, both added to what came in."""

    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.norm_1 = nn.LayerNorm(config.width, eps=EPS)
        # Rows are [all q | all k | all v]; checkpoints pack them by head, which `weights` undoes.
        self.qkv = nn.Linear(config.width, 3 * config.width)
        self.out = nn.Linear(config.width, config.width)
        self.norm_2 = nn.LayerNorm(config.width, eps=EPS)
        self.up = nn.Linear(config.width, config.mlp)
        self.down = nn.Linear(config.mlp, config.width)

    def forward(self, x: Tensor) -> Tensor:
        """[pictures, patches, width] to the same."""
        queries, keys, values = (split_heads(part, self.heads) for part in self.qkv(self.norm_1(x)).chunk(3, dim=-1))
        x = x + self.out(join_heads(functional.scaled_dot_product_attention(queries, keys, values)))
        out: Tensor = x + self.down(functional.gelu(self.up(self.norm_2(x))))
        return out


class Vision(nn.Module):
    """Pixels to tokens as wide as the decoder."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        vision = config.vision
        self.grid = vision.grid
        self.patches = nn.Conv2d(3, vision.width, kernel_size=vision.patch, stride=vision.patch, bias=False)
        self.position = nn.Parameter(torch.zeros(LEARNED_GRID**2, vision.width))
        self.norm_in = nn.LayerNorm(vision.width, eps=EPS)
        self.blocks = nn.ModuleList(Block(vision) for _ in range(vision.layers))
        self.adapter = Adapter(vision.width, config.hidden, config.hidden // HEAD_OF_RESAMPLERS, EPS)
        self.norm_out = nn.LayerNorm(config.hidden, eps=EPS)
        self.projection = nn.Parameter(torch.zeros(config.hidden, config.hidden))

    def forward(self, pixels: Tensor) -> Tensor:
        """Normalised RGB [pictures, 3, image, image] to [pictures, 256, hidden]. There is no norm after the blocks."""
        x = self.patches(pixels).flatten(2).transpose(1, 2)  # [pictures, grid * grid, width], row by row
        x = self.norm_in(x + resized(self.position, self.grid))
        for block in self.blocks:
            x = block(x)
        out: Tensor = self.norm_out(self.adapter(x)) @ self.projection
        return out
