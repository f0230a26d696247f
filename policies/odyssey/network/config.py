"""The sizes of the network, and the sets of sizes that have a name.

Source: OpenGVLab/GUI-Odyssey, OdysseyAgent/config.json and configuration_qwen.py; the resampler's numbers are defaults
of HisResampler in modeling_qwen.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

TOKENS_PER_IMAGE = 256
"""Queries of adapter and resampler: each picture, and the whole history together, become so many tokens."""
HEAD_OF_RESAMPLERS = 128
"""Channels per head of adapter and history resampler: they have hidden // 128 heads."""


class BadConfig(ValueError):
    """The sizes do not fit together; the message names them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VisionConfig:
    """The vision tower: `image` pixels square, cut into patches of `patch`; `mlp` inner width."""

    width: int
    layers: int
    heads: int
    mlp: int
    image: int = 448
    patch: int = 14

    @property
    def grid(self) -> int:
        """Patches along each side."""
        return self.image // self.patch


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The whole network. `mlp` is the width of each half of the gated feed-forward.

    `trained_length` is where dynamic NTK (`ntk`) and log-n scaling (`log_n`) begin; `history` the screenshots that the
    resampler takes.
    """

    hidden: int
    layers: int
    heads: int
    mlp: int
    vocabulary: int
    vision: VisionConfig
    rope_base: float = 10_000.0
    norm_eps: float = 1e-6
    trained_length: int = 2048
    longest: int = 8192
    history: int = 4
    ntk: bool = True
    log_n: bool = True

    def __post_init__(self) -> None:
        if self.heads < 1 or self.hidden % self.heads or (self.hidden // self.heads) % 2:
            raise BadConfig(f"hidden {self.hidden} must be an even multiple of heads {self.heads}")
        if self.hidden % HEAD_OF_RESAMPLERS or self.hidden % 4:
            raise BadConfig(f"hidden {self.hidden} must be a multiple of {HEAD_OF_RESAMPLERS}")
        if self.vision.width % self.vision.heads:
            raise BadConfig(f"vision width {self.vision.width} must be a multiple of heads {self.vision.heads}")
        if self.vision.image % self.vision.patch:
            raise BadConfig(f"image {self.vision.image} must be a multiple of patch {self.vision.patch}")

    @property
    def head(self) -> int:
        """Channels of one head of the decoder."""
        return self.hidden // self.heads


def from_published(values: Mapping[str, Any]) -> Config:
    """Read a published config.json. Raises BadConfig for a missing or impossible value."""
    try:
        vision = values["visual"]
        _refuse_what_is_not_built(values)
        return Config(
            hidden=int(values["hidden_size"]),
            layers=int(values["num_hidden_layers"]),
            heads=int(values["num_attention_heads"]),
            # The published number counts both halves of the gated feed-forward.
            mlp=int(values["intermediate_size"]) // 2,
            vocabulary=int(values["vocab_size"]),
            vision=VisionConfig(
                width=int(vision["width"]),
                layers=int(vision["layers"]),
                heads=int(vision["heads"]),
                mlp=int(vision["width"] * float(vision["mlp_ratio"])),
                image=int(vision["image_size"]),
                patch=int(vision["patch_size"]),
            ),
            rope_base=float(values.get("rotary_emb_base", 10_000)),
            norm_eps=float(values["layer_norm_epsilon"]),
            trained_length=int(values["seq_length"]),
            longest=int(values.get("max_position_embeddings", 8192)),
            history=int(values.get("his_len", 4)),
            ntk=bool(values.get("use_dynamic_ntk", True)),
            log_n=bool(values.get("use_logn_attn", True)),
        )
    except KeyError as missing:
        raise BadConfig(f"config.json lacks {missing}") from None
    except BadConfig:
        raise
    except (TypeError, ValueError, ZeroDivisionError, AttributeError) as error:
        raise BadConfig(f"config.json: {error}") from error


def _refuse_what_is_not_built(values: Mapping[str, Any]) -> None:
    """Values that every published folder shares, and with others of which the weights would mean something else."""
    hidden, heads = int(values["hidden_size"]), int(values["num_attention_heads"])
    fixed: dict[str, tuple[Any, Any]] = {
        "visual.output_dim": (values["visual"]["output_dim"], hidden),
        "visual.n_queries": (values["visual"].get("n_queries", TOKENS_PER_IMAGE), TOKENS_PER_IMAGE),
        "kv_channels": (values.get("kv_channels", hidden // heads), hidden // heads),
        "rotary_pct": (values.get("rotary_pct", 1.0), 1.0),
        "no_bias": (values.get("no_bias", True), True),
        "tie_word_embeddings": (values.get("tie_word_embeddings", False), False),
    }
    for name, (given, wanted) in fixed.items():
        if given != wanted:
            raise BadConfig(f"config.json: {name} is {given!r}; this network is built for {wanted!r}")


PRESETS: Mapping[str, Config] = MappingProxyType(
    {
        "full": Config(
            hidden=4096,
            layers=32,
            heads=32,
            mlp=11008,
            vocabulary=151_936,
            vision=VisionConfig(width=1664, layers=48, heads=16, mlp=8192),
        ),
        # Quick enough on a processor for tests and demonstrations of the wire; it knows nothing.
        "small": Config(
            hidden=256,
            layers=4,
            heads=4,
            mlp=704,
            vocabulary=512,
            vision=VisionConfig(width=128, layers=4, heads=4, mlp=512),
        ),
        "tiny": Config(
            hidden=128,
            layers=2,
            heads=2,
            mlp=256,
            vocabulary=512,
            vision=VisionConfig(width=64, layers=1, heads=4, mlp=128),
        ),
    }
)
"""`full` is the published network: 9,742,959,360 parameters. The others are for machines without a large GPU."""
