"""What the published network answered, and the deterministic weights and pictures that it was asked with.

The formulas are those of data/README.md.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from policies.odyssey.network.config import Config, from_published
from policies.odyssey.network.images import prepared
from policies.odyssey.network.model import Odyssey, Slot
from policies.odyssey.weights import bare, export, fill

DATA = Path(__file__).parent / "data"
FACTS: dict[str, Any] = json.loads((DATA / "model.json").read_text())
IDS: dict[str, int] = FACTS["ids"]["tiny"]
HISTORY = "image-history: "


@cache
def arrays() -> dict[str, NDArray[np.float32]]:
    with np.load(DATA / "model.npz") as packed:
        return {name: packed[name] for name in packed}


def uniforms(text: str, count: int) -> NDArray[np.float64]:
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
    return np.random.RandomState(seed).random_sample(count)


def weight_for(name: str, shape: Sequence[int]) -> torch.Tensor | None:
    """The tensor of a published name; None for tables that stay as they are."""
    if name.endswith("pos_embed"):
        return None
    s = 2 * uniforms("weight:" + name, math.prod(shape)) - 1
    if len(shape) == 1:
        value = 1 + 0.2 * s if name.endswith(".weight") else 0.1 * s
    elif name.endswith(("wte.weight", "positional_embedding", "query")):
        value = math.sqrt(3) * 0.5 * s
    else:
        gain = 2.0 if name.endswith(("c_attn.weight", "in_proj.weight", "in_proj_weight")) else 1.0
        value = gain * math.sqrt(3 / math.prod(shape[1:])) * s
    return torch.from_numpy(value.reshape(shape).astype(np.float32))


@cache
def config(name: str = "tiny_a") -> Config:
    return from_published(FACTS["configs"][name])


def filled(sizes: Config) -> Odyssey:
    """The network with the deterministic weights, put in by their published names."""
    model = bare(sizes, device="cpu", dtype=torch.float32)
    # What stays as it is was made on the meta device and has no values yet.
    tables = dict(Odyssey(sizes).named_parameters())
    with torch.no_grad():
        model.vision.adapter.position.copy_(tables["vision.adapter.position"])

    def every() -> Iterator[tuple[str, torch.Tensor]]:
        for name, tensor in export(model):
            made = weight_for(name, tensor.shape)
            yield name, tensor.clone() if made is None else made

    fill(model, every())
    return model.eval()


@cache
def published_network() -> Odyssey:
    return filled(config())


@cache
def picture(name: str) -> Image.Image:
    height, width = next((h, w) for one, h, w in FACTS["images"] if one == name)
    return Image.fromarray(image_array(name, height, width))


def image_array(name: str, height: int, width: int) -> NDArray[np.uint8]:
    u = uniforms("image:" + name, 3 + 24 * 7 + height * width * 2)
    offsets = np.floor(u[:3] * 256).astype(int)
    y, x = np.mgrid[0:height, 0:width]
    ramps = [255 * y // height, 255 * x // width, 128 * y // height + 127 * x // width]
    pixels = np.stack([(offset + ramp) % 256 for offset, ramp in zip(offsets, ramps, strict=True)], axis=2)
    for top, left, tall, wide, *colour in u[3:171].reshape(24, 7):
        y0, x0 = int(top * height), int(left * width)
        y1, x1 = y0 + 4 + int(tall * height / 4), x0 + 4 + int(wide * width / 2)
        pixels[y0:y1, x0:x1] = [int(value * 256) for value in colour]
    noise = u[171:].reshape(height, width, 2)
    spots = noise[..., 0] < 0.10
    pixels[spots] = np.floor(noise[..., 1] * 256).astype(int)[spots][:, None]
    return pixels.astype(np.uint8)


@cache
def features(name: str) -> torch.Tensor:
    """A picture's 256 tokens by the network with deterministic weights."""
    with torch.no_grad():
        return published_network().vision(prepared(picture(name), config().vision.image)[None])[0]


def slots(case: dict[str, Any]) -> list[Slot]:
    """What the published code finds by reading names out of the ids."""
    found = []
    for row, ids in enumerate(case["input_ids"]):
        for at, token in enumerate(ids):
            if token != IDS["img_start"]:
                continue
            path = bytes(one for one in ids[at + 1 : at + 257] if one < 256).decode()
            name = path.removeprefix(HISTORY)
            with torch.no_grad():
                tokens = (
                    published_network().resampler(torch.stack([features(one) for one in case["history"][name][-4:]]))
                    if path.startswith(HISTORY)
                    else features(name)
                )
            found.append(Slot(row, at + 1, tokens))
    return found
