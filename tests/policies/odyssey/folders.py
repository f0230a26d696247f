"""Folders in the published layout, made for tests."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from policies.odyssey import tokenizer
from policies.odyssey.network.config import Config


def published_config(sizes: Config) -> dict[str, Any]:
    """config.json as the published folders have it."""
    vision = sizes.vision
    return {
        "hidden_size": sizes.hidden,
        "num_hidden_layers": sizes.layers,
        "num_attention_heads": sizes.heads,
        "kv_channels": sizes.head,
        "intermediate_size": 2 * sizes.mlp,
        "vocab_size": sizes.vocabulary,
        "layer_norm_epsilon": sizes.norm_eps,
        "seq_length": sizes.trained_length,
        "visual": {
            "width": vision.width,
            "layers": vision.layers,
            "heads": vision.heads,
            # Published with four digits; the inner width is rounded down.
            "mlp_ratio": vision.mlp / vision.width + 1e-6,
            "image_size": vision.image,
            "patch_size": vision.patch,
            "output_dim": sizes.hidden,
        },
    }


def write_vocabulary(folder: Path, extra: int = 0) -> None:
    """`qwen.tiktoken` with the small vocabulary, and `extra` ranks besides."""
    ranks = [*(bytes([value]) for value in range(256)), *tokenizer.SMALL_MERGES]
    ranks += [f"extra{n}".encode() for n in range(extra)]
    lines = (base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(ranks))
    (folder / "qwen.tiktoken").write_bytes(b"".join(lines))
