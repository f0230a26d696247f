"""OdysseyAgent: what encoding each screenshot once, and each other change to the published way, is worth.

The fifth step of a task: one new screenshot, four that were seen. All ways are measured in one run and take turns, on
the same network with random weights: `full` in bfloat16 where there is a CUDA GPU, `small` in float32 otherwise. What
random weights answer has no end, so an answer is as many tokens as a tap has, and the published way always writes 30.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import statistics
import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from benchmarks.figures import Figure, against, ms

if TYPE_CHECKING:
    from policies.odyssey.generation import Job, Writer
    from policies.odyssey.memory import Eyes
    from policies.odyssey.network.model import Odyssey
    from policies.odyssey.tokenizer import Tokenizer

TAP = "CLICK: (512, 930)"
PUBLISHED_TOKENS = 30
"""The published evaluation stops at a token that was never a target (evaluate_GUIOdyssey.py, max_new_tokens)."""
PAPER = {"resampler": (0.71, 20.27), "pictures": (0.98, 17.05)}
"""Table 7: seconds to the first token, tokens a second; 256 tokens of history against 1024."""
FIRST_TOKEN, WHOLE_STEP, OF_THE_BOUND = 1.67, 2.0, 0.6
"""To the first token at most 0.6 of encoding anew, a step at most half of the published way's; share of the bound."""
SCREEN = (448, 448)
"""What the policy sends: the network's own picture, so that reading it weighs the same everywhere."""
COPIED = 1 << 30
"""Bytes of the copy that the memory's bandwidth is measured with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How a step is answered. `memory`: screenshots are encoded once; `eager`: attention in separate operations."""

    name: str
    memory: bool = True
    eager: bool = False
    published_length: bool = False
    history: str = "resampler"
    plain: bool = False


OURS = Way(name="ours")
PICTURES = Way(name="four pictures instead of the resampler", history="pictures")
REENCODED = Way(name="all else equal, pictures encoded anew", memory=False)
PUBLISHED = Way(name="the published way", memory=False, eager=True, published_length=True, plain=True)
ALONE = (
    Way(name="pictures encoded once", eager=True, published_length=True, plain=True),
    Way(name="fused attention", memory=False, published_length=True, plain=True),
    Way(name="stopping at the end of the answer", memory=False, eager=True, plain=True),
)
RECORDED = Way(name="decoding steps recorded", memory=False, eager=True, published_length=True)
"""Only on a GPU: elsewhere steps are plain in any case."""


@dataclass(slots=True)
class Taken:
    """Seconds to the first token, for the whole step, and tokens a second after the first."""

    first: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    rate: list[float] = field(default_factory=list)


def measure(folder: Path, repeat: int) -> list[Figure]:
    """Medians of `repeat` steps of each way, after one that does not count."""
    missing = [name for name in ("torch", "tiktoken", "safetensors") if find_spec(name) is None]
    if missing:
        return [Figure(f"not measured: {', '.join(missing)} is not installed (pip install 'tapwright[odyssey]')", "")]
    import torch

    gpu = torch.cuda.is_available()
    bench = Bench("full" if gpu else "small", "cuda" if gpu else "cpu")
    ways = [OURS, PICTURES, REENCODED, PUBLISHED, *ALONE, *([RECORDED] if gpu else [])]
    taken = {way: Taken() for way in ways}
    for turn in range(repeat + 1):
        for way in ways:
            bench.step(way, turn, taken[way] if turn else Taken())
    return [*_figures(taken, bench.said), *(_bandwidth(bench, taken[OURS]) if gpu else [])]


class Bench:
    """A network with two memories: one that keeps, and one that forgets at once."""

    def __init__(self, preset: str, device: str) -> None:
        from policies.odyssey.source import Source, opened

        self.network, self.words = opened(Source(preset=preset, device=device))
        self.said = f"{preset}, {self.network.decoder.embedding.weight.dtype}, {device}".replace("torch.", "")
        self._numbers = itertools.count()
        self._earlier = [picture(next(self._numbers)) for _ in range(4)]
        self._writers = {
            (memory, plain): _writer(self.network, self.words, memory, plain)
            for memory in (True, False)
            for plain in (True, False)
        }

    def step(self, way: Way, turn: int, taken: Taken) -> None:
        """One step with a screenshot that nobody has seen."""
        writer, eyes = self._writers[way.memory, way.plain]
        if way.memory:
            eyes.look(self._earlier)
        first = 0.0

        def told(_: str) -> bool:
            nonlocal first
            first = first or time.perf_counter()
            return True

        job = self._job(way, told)
        with _attention(way.eager):
            started = time.perf_counter()
            (answer,) = writer.answer([job])
            ended = time.perf_counter()
        assert answer.written == job.tokens, "these random weights end an answer; take another seed"
        taken.first.append(first - started)
        taken.whole.append(ended - started)
        taken.rate.append((answer.written - 1) / (ended - first))

    def _job(self, way: Way, told: object) -> Job:
        from dataclasses import replace

        from policies.odyssey.conversation import Manner, Said, asked

        length = PUBLISHED_TOKENS if way.published_length else len(self.words.encode(TAP)) + 1
        past = [one for screen in self._earlier for one in (Said("user", "", screen), Said("assistant", TAP))]
        now = Said("user", "turn on the dark theme", picture(next(self._numbers)))
        manner = Manner(history=way.history, constrained=False, tokens=length)  # type: ignore[arg-type]
        return replace(asked([*past, now], manner, self.words), told=told)  # type: ignore[arg-type]


def _writer(network: Odyssey, words: Tokenizer, memory: bool, plain: bool) -> tuple[Writer, Eyes]:
    from policies.odyssey.decoding import chosen
    from policies.odyssey.generation import Writer
    from policies.odyssey.memory import Eyes

    eyes = Eyes(network, (1 << 30) if memory else 0)
    return Writer(network, words, eyes, chosen(network, False if plain else None)), eyes


def picture(number: int) -> bytes:
    """A screen-like picture: no two are equal."""
    random = np.random.default_rng(number)
    pixels = np.full((*SCREEN, 3), random.integers(0, 255, 3), dtype=np.uint8)
    for _ in range(24):
        top, left, tall, wide = random.integers(0, 400, 4)
        pixels[top : top + tall // 4, left : left + wide // 2] = random.integers(0, 255, 3)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG", compress_level=1)
    return out.getvalue()


def _attention(eager: bool) -> contextlib.AbstractContextManager[object]:
    """Attention in separate operations, as the published code writes it out, or whatever kernel PyTorch picks."""
    if not eager:
        return contextlib.nullcontext()
    from torch import Tensor, finfo, softmax, where
    from torch.nn.functional import scaled_dot_product_attention
    from torch.overrides import TorchFunctionMode

    class Eager(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return (
                attend(*args, **(kwargs or {}))
                if func is scaled_dot_product_attention
                else func(*args, **(kwargs or {}))
            )

    def attend(queries: Tensor, keys: Tensor, values: Tensor, attn_mask: Tensor | None = None) -> Tensor:
        weights = queries @ keys.transpose(-1, -2) / queries.shape[-1] ** 0.5
        if attn_mask is not None:
            weights = where(attn_mask, weights, finfo(weights.dtype).min)
        return softmax(weights, dim=-1) @ values

    return Eager()


def _figures(taken: dict[Way, Taken], said: str) -> list[Figure]:
    ours, anew, published = taken[OURS], taken[REENCODED], taken[PUBLISHED]
    figures = [
        Figure(f"network and device: {said}", ""),
        against("to the first token, pictures encoded once", ours.first, anew.first, "anew", FIRST_TOKEN),
        against("a whole step", ours.whole, published.whole, "published way", WHOLE_STEP),
    ]
    for way in (*ALONE, RECORDED):
        if way in taken:
            median, other = statistics.median(taken[way].whole), statistics.median(published.whole)
            figures.append(Figure(f"a whole step, {way.name} alone", ms(median), ms(other), other / median))
    for way, name, tokens in ((OURS, "resampler", 256), (PICTURES, "pictures", 1024)):
        seconds, rate = PAPER[name]
        label = "history resampler, 256 tokens" if tokens == 256 else "multi-image, 1024 tokens"
        found = taken[way]
        figures.append(Figure(f"to the first token, {label}", ms(statistics.median(found.first)), f"paper {seconds} s"))
        figures.append(Figure(f"tokens a second, {label}", f"{statistics.median(found.rate):.1f}", f"paper {rate}"))
    several = statistics.median(taken[PICTURES].first) / statistics.median(ours.first)
    paper = PAPER["pictures"][0] / PAPER["resampler"][0]
    figures.append(Figure("to the first token, multi-image by resampler", f"{several:.2f}x", f"paper {paper:.2f}x"))
    return figures


def _bandwidth(bench: Bench, ours: Taken) -> list[Figure]:
    """Every token reads all weights of the decoder but the embedding once: no way of decoding one answer is faster."""
    import torch

    source = torch.empty(COPIED, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    seconds = []
    for _ in range(12):
        torch.cuda.synchronize()
        started = time.perf_counter()
        target.copy_(source)
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - started)
    bandwidth = 2 * COPIED / min(seconds)
    decoder = bench.network.decoder
    read = sum(one.numel() * one.element_size() for one in decoder.parameters())
    read -= decoder.embedding.weight.numel() * decoder.embedding.weight.element_size()
    bound, rate = bandwidth / read, statistics.median(ours.rate)
    text = f"bound {bound:.1f} ({bandwidth / 1e9:.0f} GB/s measured, {read / 1e9:.2f} GB a token)"
    return [Figure("tokens a second, of what the memory allows", f"{rate:.1f}", text, rate / bound, OF_THE_BOUND)]
