"""What a provider does with a picture of a given size, so that nothing is made smaller unseen.

Digits drawn for a picture of one size are not readable in a smaller one, and coordinates come back in pixels of
the smaller one. Rules as measured and read for the set-of-mark reference (1080x2400, 720x1600, 540x1200): Claude
takes patches of 28 px up to an edge and a number of them; GPT-4o and its tiled relatives shrink to 2048 and then to
a short side of 768; newer OpenAI models take 32 px patches unshrunk when `detail` is "original". The budget of
10 000 patches is that of openai/codex, codex-rs/core/src/context_manager/history.rs.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from device.geometry import Size
from policies.llm.errors import WouldShrink


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Largest picture that a model sees as it was sent: edges in pixels, patches of `patch` pixels square.

    `original`: the model only takes it unshrunk when it is told `detail: "original"`.
    """

    long_side: int
    short_side: int
    patch: int
    patches: int
    original: bool = False

    def fit(self, size: Size) -> bool:
        longer, shorter = max(size.width, size.height), min(size.width, size.height)
        count = ceil(size.width / self.patch) * ceil(size.height / self.patch)
        return longer <= self.long_side and shorter <= self.short_side and count <= self.patches

    def largest(self, size: Size) -> Size:
        """The largest size of the same shape that fits."""
        scale = min(1.0, self.long_side / max(size.width, size.height), self.short_side / min(size.width, size.height))
        while True:
            smaller = Size(max(int(size.width * scale), 1), max(int(size.height * scale), 1))
            if self.fit(smaller):
                return smaller
            scale *= 0.99


_CLAUDE = Limits(long_side=1568, short_side=1568, patch=28, patches=1568)
_CLAUDE_LARGE = Limits(long_side=2576, short_side=2576, patch=28, patches=4784)
_TILES = Limits(long_side=2048, short_side=768, patch=512, patches=8)
_ORIGINAL = Limits(long_side=6000, short_side=6000, patch=32, patches=10_000, original=True)
# What every provider above shows to its model as it is: the rule for models that nobody has measured.
_SAFE = Limits(long_side=1568, short_side=768, patch=28, patches=1568)

_BY_PREFIX: tuple[tuple[str, Limits], ...] = (
    ("claude-opus-4-7", _CLAUDE_LARGE),
    ("claude-opus-4-8", _CLAUDE_LARGE),
    ("claude-opus-5", _CLAUDE_LARGE),
    ("claude-sonnet-5", _CLAUDE_LARGE),
    ("claude-haiku-5", _CLAUDE_LARGE),
    ("claude-fable-5", _CLAUDE_LARGE),
    ("claude-", _CLAUDE),
    ("gpt-4o", _TILES),
    ("gpt-5.4", _ORIGINAL),
    ("gpt-5.5", _ORIGINAL),
    ("gpt-5.6", _ORIGINAL),
    ("gpt-6", _ORIGINAL),
    ("gpt-5", _TILES),
)


def limits(model: str) -> Limits:
    """The rule for that model; an unknown one gets what fits everywhere."""
    return next((rule for prefix, rule in _BY_PREFIX if model.startswith(prefix)), _SAFE)


def check(size: Size, model: str) -> None:
    """Raise WouldShrink, naming the largest size that fits, when the model would not see the picture as sent."""
    rule = limits(model)
    if not rule.fit(size):
        best = rule.largest(size)
        raise WouldShrink(
            f"A picture of {size} would be made smaller before {model} sees it.",
            advice=f"Send at most {best}: set the policy's width to {min(best.width, best.height)} or less.",
        )
