"""The network once more, in float64 and numpy, written from its description and not from our code.

By published names and in the published packing, eager and without any cache: what ours must answer for sizes, paddings
and lengths that no recorded outputs exist for. Source: OpenGVLab/GUI-Odyssey, OdysseyAgent/{modeling_qwen,visual}.py.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Weights = Mapping[str, Array]


def softmax(x: Array) -> Array:
    shifted = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=-1, keepdims=True))


def layer_norm(w: Weights, name: str, x: Array, eps: float) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    return np.asarray(
        centred / np.sqrt((centred**2).mean(-1, keepdims=True) + eps) * w[f"{name}.weight"] + w[f"{name}.bias"]
    )


def attention(q: Array, k: Array, v: Array, heads: int, bias: Array | float = 0.0) -> Array:
    """One row: [queries, width], [keys, width], [keys, width]; head after head."""
    size = q.shape[-1] // heads
    out = np.zeros_like(q)
    for head in range(heads):
        part = slice(head * size, (head + 1) * size)
        out[:, part] = softmax(q[:, part] @ k[:, part].T / math.sqrt(size) + bias) @ v[:, part]
    return out


def multihead(w: Weights, name: str, q: Array, k: Array, v: Array, heads: int) -> Array:
    """torch's own module: all queries, then all keys, then all values in one matrix."""
    projected = [
        one @ matrix.T + bias
        for one, matrix, bias in zip(
            (q, k, v), np.split(w[f"{name}.in_proj_weight"], 3), np.split(w[f"{name}.in_proj_bias"], 3), strict=True
        )
    ]
    mixed = attention(projected[0], projected[1], projected[2], heads)
    return np.asarray(mixed @ w[f"{name}.out_proj.weight"].T + w[f"{name}.out_proj.bias"])


def resampled(w: Weights, screens: Array) -> Array:
    """[n, 256, hidden] to [256, hidden]: one bag of tokens, norms of eps 1e-5, no positions."""
    name = "transformer.his_resampler"
    hidden = screens.shape[-1]
    bag = layer_norm(w, f"{name}.ln_kv", screens.reshape(-1, hidden), 1e-5)
    query = layer_norm(w, f"{name}.ln_q", w[f"{name}.query"], 1e-5)
    out = multihead(w, f"{name}.attn", query, bag, bag, hidden // 128)
    return np.asarray(layer_norm(w, f"{name}.ln_post", out, 1e-5) @ w[f"{name}.proj"])


def seen(w: Weights, sizes: Any, pixels: Array) -> Array:
    """One picture of 16 x 16 patches, [3, side, side], to [256, hidden]. No table is stretched at this size."""
    name, vision = "transformer.visual", sizes.vision
    patch = vision.patch
    kernel = w[f"{name}.conv1.weight"].reshape(vision.width, -1)
    rows = [
        kernel @ pixels[:, y : y + patch, x : x + patch].ravel()
        for y in range(0, vision.image, patch)
        for x in range(0, vision.image, patch)
    ]
    x = layer_norm(w, f"{name}.ln_pre", np.stack(rows) + w[f"{name}.positional_embedding"], 1e-6)
    size = vision.width // vision.heads
    for i in range(vision.layers):
        block = f"{name}.transformer.resblocks.{i}"
        packed = layer_norm(w, f"{block}.ln_1", x, 1e-6) @ w[f"{block}.attn.in_proj.weight"].T
        packed = (packed + w[f"{block}.attn.in_proj.bias"]).reshape(len(x), vision.heads, 3, size)  # by head: q, k, v
        q, k, v = (packed[:, :, one].reshape(len(x), -1) for one in range(3))
        mixed = attention(q, k, v, vision.heads)
        x = x + mixed @ w[f"{block}.attn.out_proj.weight"].T + w[f"{block}.attn.out_proj.bias"]
        up = layer_norm(w, f"{block}.ln_2", x, 1e-6) @ w[f"{block}.mlp.c_fc.weight"].T + w[f"{block}.mlp.c_fc.bias"]
        gelu = up * 0.5 * (1 + np.vectorize(math.erf)(up / math.sqrt(2)))
        x = x + gelu @ w[f"{block}.mlp.c_proj.weight"].T + w[f"{block}.mlp.c_proj.bias"]
    pool = f"{name}.attn_pool"
    keys = layer_norm(w, f"{pool}.ln_kv", x @ w[f"{pool}.kv_proj.weight"].T, 1e-6)
    table = w[f"{pool}.pos_embed"]
    query = layer_norm(w, f"{pool}.ln_q", w[f"{pool}.query"], 1e-6) + table
    pooled = multihead(w, f"{pool}.attn", query, keys + table, keys, sizes.hidden // 128)
    return np.asarray(layer_norm(w, f"{name}.ln_post", pooled, 1e-6) @ w[f"{name}.proj"])


def stretch(columns: int, trained: int) -> float:
    return max(2 ** math.ceil(math.log(columns / trained, 2) + 1) - 1, 1)


def logits(w: Weights, sizes: Any, embedded: Array, real: NDArray[np.bool_], alpha: float) -> Array:
    """One row, [columns, hidden] with its padding mask, to [columns, vocabulary]."""
    columns, hidden = embedded.shape
    size = hidden // sizes.heads
    frequencies = 1 / (sizes.rope_base * alpha ** (size / (size - 2))) ** (np.arange(0, size, 2) / size)
    angles = np.arange(columns)[:, None] * frequencies
    turn = np.exp(1j * angles)

    def rotated(x: Array) -> Array:
        out = np.empty_like(x)
        for head in range(sizes.heads):
            first = slice(head * size, head * size + size // 2)
            second = slice(head * size + size // 2, (head + 1) * size)
            both = (x[:, first] + 1j * x[:, second]) * turn
            out[:, first], out[:, second] = both.real, both.imag
        return out

    far = np.array(
        [math.log(i, sizes.trained_length) if i > sizes.trained_length else 1 for i in range(1, columns + 1)]
    )
    floor = float(np.finfo(np.float32).min)
    bias = np.where(np.tri(columns, dtype=bool) & real[None, :], 0.0, floor)

    def rms(name: str, x: Array) -> Array:
        return np.asarray(x / np.sqrt((x**2).mean(-1, keepdims=True) + sizes.norm_eps) * w[f"{name}.weight"])

    x = embedded
    for i in range(sizes.layers):
        block = f"transformer.h.{i}"
        packed = rms(f"{block}.ln_1", x) @ w[f"{block}.attn.c_attn.weight"].T + w[f"{block}.attn.c_attn.bias"]
        q, k, v = np.split(packed, 3, axis=1)
        mixed = attention(rotated(q) * far[:, None], rotated(k), v, sizes.heads, bias)
        x = x + mixed @ w[f"{block}.attn.c_proj.weight"].T
        normed = rms(f"{block}.ln_2", x)
        gate = normed @ w[f"{block}.mlp.w2.weight"].T
        inner = normed @ w[f"{block}.mlp.w1.weight"].T * (gate / (1 + np.exp(-gate)))
        x = x + inner @ w[f"{block}.mlp.c_proj.weight"].T
    return np.asarray(rms("transformer.ln_f", x) @ w["lm_head.weight"].T)
