"""Pictures as the vision tower takes them."""

from __future__ import annotations

import io

import numpy as np
import torch
from PIL import Image
from torch import Tensor

MEAN = (0.48145466, 0.4578275, 0.40821073)
STD = (0.26862954, 0.26130258, 0.27577711)
"""Of RGB in 0 to 1: those of CLIP (visual.py of the published code)."""
MOST_PIXELS = 50_000_000
"""Far beyond any screen; above it a few compressed bytes would cost gigabytes."""
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
"""Screens come in these; some of Pillow's others start programs or follow paths."""


class BadPicture(ValueError):
    """The bytes are no picture, or one that is too large; the message says which."""


def opened(data: bytes) -> Image.Image:
    """Encoded bytes as an RGB picture. Raises BadPicture."""
    try:
        picture = Image.open(io.BytesIO(data), formats=FORMATS)
        if picture.width * picture.height > MOST_PIXELS:
            raise BadPicture(
                f"the picture has {picture.width} x {picture.height} pixels; at most {MOST_PIXELS} are read"
            )
        return picture.convert("RGB")
    except BadPicture:
        raise
    except Exception as error:  # the border to decoders: what they raise for broken bytes has no common class
        raise BadPicture(f"{len(data)} bytes are not a picture that can be read: {error}") from error


def prepared(picture: Image.Image, size: int) -> Tensor:
    """Squeezed to size x size whatever its shape, normalised: [3, size, size], float32.

    Places on the picture are told in thousandths of each axis, so the squeeze does not move them.
    """
    small = picture.convert("RGB").resize((size, size), Image.Resampling.BICUBIC)
    pixels = torch.from_numpy(np.asarray(small, dtype=np.float32) / 255.0).permute(2, 0, 1)
    mean, std = (torch.tensor(one)[:, None, None] for one in (MEAN, STD))
    return (pixels - mean) / std
