"""Where a network comes from: a folder of weights, or random numbers; on which device, in which type.

Nothing here loads PyTorch before a network is really wanted.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from policies.odyssey.network.config import PRESETS

if TYPE_CHECKING:
    import torch

    from policies.odyssey.network.model import Odyssey
    from policies.odyssey.tokenizer import Tokenizer

Dtype = Literal["bfloat16", "float16", "float32"]
VOCABULARY = "qwen.tiktoken"
NEEDED = ("torch", "tiktoken", "safetensors")


class NoNetwork(Exception):
    """A network cannot be had; `advice` says what a person can do about it."""

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.advice = advice


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One of `folder` and `preset`, a name of `PRESETS`. `dtype` None: float32 on a processor, bfloat16 elsewhere."""

    folder: Path | None = None
    preset: str = ""
    device: str = "cpu"
    dtype: Dtype | None = None
    seed: int = 0

    @property
    def name(self) -> str:
        return self.folder.resolve().name if self.folder is not None else f"odyssey-random-{self.preset}"


def check(source: Source) -> None:
    """What can be told without loading anything. Raises NoNetwork."""
    need_torch()
    if (source.folder is None) == (not source.preset):
        raise NoNetwork("There must be either a folder of weights or the size of a random network.")
    if source.preset and source.preset not in PRESETS:
        raise NoNetwork(f"There is no size {source.preset!r}; there are {', '.join(PRESETS)}.")
    if source.folder is not None and not (source.folder / "config.json").is_file():
        raise NoNetwork(
            f"{source.folder} has no config.json.", f"Look closer with: tapwright odyssey check {source.folder}"
        )
    if source.dtype not in (None, *get_args(Dtype)):
        raise NoNetwork(f"There is no type {source.dtype!r}; there are {', '.join(get_args(Dtype))}.")


def need_torch() -> None:
    """Raises NoNetwork where the optional packages are missing."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise NoNetwork(f"{', '.join(missing)} is not installed.", "pip install 'tapwright[odyssey]'")


def opened(source: Source) -> tuple[Odyssey, Tokenizer]:
    """The network, ready to be asked, and its vocabulary. Slow. Raises NoNetwork."""
    check(source)
    import torch

    from policies.odyssey import tokenizer, weights

    device, dtype = _device(source.device), _dtype(source)
    try:
        if source.folder is not None:
            # The small files first: they are as often wrong.
            config = weights.read_config(source.folder)
            words = tokenizer.read(source.folder / VOCABULARY)
            if words.size > config.vocabulary:
                raise weights.BadWeights(f"{VOCABULARY} has {words.size} ids, the network only {config.vocabulary}")
            return weights.load(source.folder, device=str(device), dtype=dtype), words
        return _random(source, device, dtype), tokenizer.small()
    except (weights.BadWeights, tokenizer.BadVocabulary) as error:
        raise NoNetwork(f"{error}.", f"Look closer with: tapwright odyssey check {source.folder}") from error
    except torch.OutOfMemoryError as error:
        raise NoNetwork(
            f"{source.device} has too little memory for these weights as {dtype}.",
            "Use a smaller dtype or more memory.",
        ) from error


def _random(source: Source, device: torch.device, dtype: torch.dtype) -> Odyssey:
    from policies.odyssey import weights
    from policies.odyssey.network.model import randomise

    # Made where it will lie and as it will lie: the full network would not fit twice.
    model = weights.bare(PRESETS[source.preset], device=str(device), dtype=dtype)
    randomise(model, source.seed)
    return model.eval()


def _device(name: str) -> torch.device:
    import torch

    try:
        device = torch.device(name)
        if device.type == "cuda" and not torch.cuda.is_available():
            raise NoNetwork("PyTorch sees no GPU here.", "Use the device cpu, or install the PyTorch for your driver.")
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        said = (str(error).splitlines() or [""])[0]
        raise NoNetwork(f"{name!r} is no device that can be used here: {said}", "Use cpu, cuda or cuda:1.") from error
    return device


def _dtype(source: Source) -> torch.dtype:
    import torch

    name = source.dtype or ("float32" if torch.device(source.device).type == "cpu" else "bfloat16")
    return {"bfloat16": torch.bfloat16, "float16": torch.float16, "float32": torch.float32}[name]
