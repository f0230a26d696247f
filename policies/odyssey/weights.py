"""Published checkpoints: which of their names is which part of the network, and how they are read.

The map is explicit and complete: a name that is missing, unknown or of another shape is an error that lists it. Memory
stays near the weights' own size, because tensors are read one file at a time and copied into place.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from policies.odyssey.network.config import BadConfig, Config, from_published
from policies.odyssey.network.model import Odyssey

INDEXES = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
SINGLES = ("model.safetensors", "pytorch_model.bin")
FLOATING = frozenset({"F64", "F32", "F16", "BF16"})
"""Types of safetensors that the network's numbers can come as."""
LISTED = 8
"""Names that an error quotes of each kind; a wrong folder has hundreds of them."""


class BadWeights(ValueError):
    """A folder or file does not hold this network; the message lists what is wrong."""


@dataclass(frozen=True, slots=True)
class Part:
    """Our name of a published tensor. `by_head` heads: its rows are packed [q, k, v] per head, ours [q | k | v]."""

    name: str
    by_head: int = 0


UNUSED = frozenset({"transformer.his_resampler.pos_embed"})
"""In every checkpoint, and never used by the published code."""


def name_map(config: Config) -> dict[str, Part]:
    """Published name to ours, for every tensor of the network."""
    parts = {
        "transformer.wte.weight": "decoder.embedding.weight",
        "transformer.ln_f.weight": "decoder.norm.weight",
        "lm_head.weight": "decoder.head.weight",
        "transformer.visual.conv1.weight": "vision.patches.weight",
        "transformer.visual.positional_embedding": "vision.position",
        "transformer.visual.proj": "vision.projection",
        "transformer.visual.attn_pool.kv_proj.weight": "vision.adapter.widen.weight",
        "transformer.visual.attn_pool.pos_embed": "vision.adapter.position",
        "transformer.his_resampler.proj": "resampler.projection",
        **_both("transformer.visual.ln_pre", "vision.norm_in"),
        **_both("transformer.visual.ln_post", "vision.norm_out"),
        **_both("transformer.his_resampler.ln_post", "resampler.norm_out"),
        **_squeezer("transformer.visual.attn_pool", "vision.adapter"),
        **_squeezer("transformer.his_resampler", "resampler"),
    }
    for i in range(config.layers):
        parts |= _decoder_block(f"transformer.h.{i}", f"decoder.blocks.{i}")
    found = {published: Part(ours) for published, ours in parts.items()}
    for i in range(config.vision.layers):
        found |= _vision_block(f"transformer.visual.transformer.resblocks.{i}", f"vision.blocks.{i}", config)
    return found


def _both(published: str, ours: str) -> dict[str, str]:
    return {f"{published}.{one}": f"{ours}.{one}" for one in ("weight", "bias")}


def _squeezer(published: str, ours: str) -> dict[str, str]:
    """What adapter and history resampler have in common."""
    return {
        f"{published}.query": f"{ours}.query",
        f"{published}.attn.in_proj_weight": f"{ours}.attention.qkv.weight",
        f"{published}.attn.in_proj_bias": f"{ours}.attention.qkv.bias",
        **_both(f"{published}.attn.out_proj", f"{ours}.attention.out"),
        **_both(f"{published}.ln_q", f"{ours}.norm_query"),
        **_both(f"{published}.ln_kv", f"{ours}.norm_seen"),
    }


def _decoder_block(published: str, ours: str) -> dict[str, str]:
    return {
        f"{published}.ln_1.weight": f"{ours}.norm_1.weight",
        f"{published}.ln_2.weight": f"{ours}.norm_2.weight",
        **_both(f"{published}.attn.c_attn", f"{ours}.attention.qkv"),
        f"{published}.attn.c_proj.weight": f"{ours}.attention.out.weight",
        f"{published}.mlp.w1.weight": f"{ours}.up.weight",
        f"{published}.mlp.w2.weight": f"{ours}.gate.weight",
        f"{published}.mlp.c_proj.weight": f"{ours}.down.weight",
    }


def _vision_block(published: str, ours: str, config: Config) -> dict[str, Part]:
    plain = {
        **_both(f"{published}.ln_1", f"{ours}.norm_1"),
        **_both(f"{published}.ln_2", f"{ours}.norm_2"),
        **_both(f"{published}.attn.out_proj", f"{ours}.out"),
        **_both(f"{published}.mlp.c_fc", f"{ours}.up"),
        **_both(f"{published}.mlp.c_proj", f"{ours}.down"),
    }
    packed = _both(f"{published}.attn.in_proj", f"{ours}.qkv")
    heads = config.vision.heads
    return {name: Part(ours) for name, ours in plain.items()} | {
        name: Part(ours, heads) for name, ours in packed.items()
    }


def by_kind(tensor: Tensor, heads: int) -> Tensor:
    """Rows packed [q, k, v] for each head, as [q of all heads | k of all | v of all]."""
    rows = tensor.shape[0] // (3 * heads)
    return tensor.view(heads, 3, rows, *tensor.shape[1:]).transpose(0, 1).reshape(tensor.shape)


def by_head(tensor: Tensor, heads: int) -> Tensor:
    """The other way round."""
    rows = tensor.shape[0] // (3 * heads)
    return tensor.view(3, heads, rows, *tensor.shape[1:]).transpose(0, 1).reshape(tensor.shape)


class _Tally:
    """What was found of the network's tensors, and what is wrong with it."""

    def __init__(self, model: Odyssey) -> None:
        self._parts = name_map(model.config)
        self._ours = dict(model.named_parameters())
        self._found: set[str] = set()
        self._wrong: dict[str, list[str]] = {"unknown": [], "given twice": [], "of another shape": [], "no numbers": []}

    def takes(self, name: str, shape: Sequence[int], floating: bool) -> tuple[Part, Tensor] | None:
        """Where a tensor belongs; None for one that is not used or cannot be."""
        if name in UNUSED:
            return None
        if name not in self._parts:
            self._wrong["unknown"].append(name)
            return None
        if name in self._found:
            self._wrong["given twice"].append(name)
            return None
        self._found.add(name)
        part = self._parts[name]
        target = self._ours[part.name]
        if tuple(shape) != tuple(target.shape):
            self._wrong["of another shape"].append(f"{name} is {list(shape)}, not {list(target.shape)}")
        elif not floating:
            self._wrong["no numbers"].append(f"{name} holds integers, as quantised weights do")
        else:
            return part, target
        return None

    def complain(self) -> None:
        """Raises BadWeights unless all are there and fit."""
        _complain({"missing": sorted(self._parts.keys() - self._found), **self._wrong})


@torch.no_grad()
def fill(model: Odyssey, tensors: Iterable[tuple[str, Tensor]]) -> None:
    """Copy published tensors into the network, cast to its type. Raises BadWeights unless all are there and fit."""
    tally = _Tally(model)
    for name, tensor in tensors:
        taken = tally.takes(name, tensor.shape, tensor.is_floating_point())
        if taken is not None:
            part, target = taken
            target.copy_(by_kind(tensor, part.by_head) if part.by_head else tensor)
    tally.complain()


def verify(folder: Path) -> tuple[Config, tuple[Path, ...]]:
    """Hold a folder to the network it describes, by names, shapes and types alone: no weights are read.

    Answers its sizes and files. Raises BadWeights.
    """
    config, files = read_config(folder), files_of(folder)
    tally = _Tally(_sizes_only(config))
    for path in files:
        for name, shape, floating in _described(path):
            tally.takes(name, shape, floating)
    tally.complain()
    return config, files


def _complain(wrong: Mapping[str, list[str]]) -> None:
    said = [
        f"{len(names)} {kind}: {', '.join(names[:LISTED])}{' ...' if len(names) > LISTED else ''}"
        for kind, names in wrong.items()
        if names
    ]
    if said:
        raise BadWeights("these are not the weights of this network; " + "; ".join(said))


def export(model: Odyssey) -> Iterator[tuple[str, Tensor]]:
    """The network's tensors under their published names, in the published packing."""
    ours = dict(model.named_parameters())
    for name, part in name_map(model.config).items():
        tensor = ours[part.name].detach()
        yield name, by_head(tensor, part.by_head) if part.by_head else tensor


def read_config(folder: Path) -> Config:
    """Raises BadWeights when the folder has no config.json that can be read."""
    try:
        return from_published(json.loads((folder / "config.json").read_text()))
    except OSError:
        raise BadWeights(f"{folder} has no config.json") from None
    except (BadConfig, ValueError) as error:
        raise BadWeights(f"{folder}: {error}") from error


def files_of(folder: Path) -> tuple[Path, ...]:
    """The files that hold the weights. Raises BadWeights naming every file that is missing."""
    for index in INDEXES:
        if (folder / index).exists():
            try:
                named = sorted(set(json.loads((folder / index).read_text())["weight_map"].values()))
            except (ValueError, KeyError, AttributeError, TypeError) as error:
                raise BadWeights(f"{folder / index} is no index: {error}") from error
            gone = [name for name in named if "/" in name or not (folder / name).is_file()]
            if gone:
                raise BadWeights(f"{folder} lacks {', '.join(gone)}")
            return tuple(folder / name for name in named)
    for single in SINGLES:
        if (folder / single).is_file():
            return (folder / single,)
    raise BadWeights(f"{folder} holds no weights: there is none of {', '.join((*INDEXES, *SINGLES))}")


def tensors_in(paths: Iterable[Path]) -> Iterator[tuple[str, Tensor]]:
    """Name and tensor, one file in memory at a time at most. Raises BadWeights."""
    for path in paths:
        with _reading(path):
            yield from _safetensors(path) if path.suffix == ".safetensors" else _pickled(path).items()


def _described(path: Path) -> Iterator[tuple[str, Sequence[int], bool]]:
    """Name, shape and whether it holds floating numbers, of each tensor of a file."""
    with _reading(path):
        if path.suffix != ".safetensors":
            for name, tensor in _pickled(path).items():
                yield name, tensor.shape, tensor.is_floating_point()
            return
        from safetensors import safe_open

        with safe_open(path, framework="pt") as file:
            for name in file.keys():  # noqa: SIM118 - the file is no mapping
                piece = file.get_slice(name)
                yield name, piece.get_shape(), piece.get_dtype() in FLOATING


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except BadWeights:
        raise
    except Exception as error:  # the border to other people's files, whose readers' errors have no common class
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise BadWeights(f"{path} cannot be read: {said}") from error


def _safetensors(path: Path) -> Iterator[tuple[str, Tensor]]:
    from safetensors import safe_open

    with safe_open(path, framework="pt") as file:
        for name in file.keys():  # noqa: SIM118 - the file is no mapping
            yield name, file.get_tensor(name)


def _pickled(path: Path) -> dict[str, Tensor]:
    # weights_only: a checkpoint is somebody else's file and must not be able to run code. mmap: pages come as needed.
    loaded: Any = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    if not isinstance(loaded, dict) or not all(isinstance(one, Tensor) for one in loaded.values()):
        raise BadWeights(f"{path} holds something else than named tensors")
    return loaded


def load(folder: Path, *, device: str, dtype: torch.dtype) -> Odyssey:
    """The network of a published folder, ready to be asked. Raises BadWeights."""
    config = read_config(folder)
    files = files_of(folder)
    model = bare(config, device=device, dtype=dtype)
    fill(model, tensors_in(files))
    return model.eval()


def bare(config: Config, *, device: str, dtype: torch.dtype) -> Odyssey:
    """The network with memory for its weights and nothing in it."""
    return _sizes_only(config).to(dtype).to_empty(device=device)


def count(config: Config) -> int:
    """Parameters of the network."""
    return sum(one.numel() for one in _sizes_only(config).parameters())


def _sizes_only(config: Config) -> Odyssey:
    with torch.device("meta"):
        return Odyssey(config)
