"""For sizes, paddings, histories and lengths beyond the recorded ones, ours answers as the description read anew."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'tapwright[odyssey]'")

from policies.odyssey.network.config import Config, VisionConfig  # noqa: E402
from policies.odyssey.network.decoder import Cache  # noqa: E402
from policies.odyssey.network.model import Odyssey, Slot, loss  # noqa: E402
from policies.odyssey.weights import export  # noqa: E402
from tests.policies.odyssey import reference  # noqa: E402
from tests.policies.odyssey.published import filled  # noqa: E402

CLOSE = 1e-4
"""Absolute, the tolerance of the recorded outputs."""
# hidden, heads, layers, half of the feed-forward, vocabulary, trained length, base of the rotation
SIZES = [
    (128, 1, 1, 96, 310, 2048, 10_000.0),
    (128, 4, 2, 64, 305, 24, 10_000.0),
    (256, 2, 1, 352, 400, 40, 10_000.0),
    (256, 8, 3, 80, 320, 16, 500.0),
    (384, 3, 2, 128, 333, 32, 10_000.0),
]


def sizes(hidden: int, heads: int, layers: int, mlp: int, vocabulary: int, trained: int, base: float) -> Config:
    tower = VisionConfig(width=24 * heads, layers=2, heads=heads, mlp=40, image=224, patch=14)
    return Config(
        hidden=hidden,
        heads=heads,
        layers=layers,
        mlp=mlp,
        vocabulary=vocabulary,
        vision=tower,
        trained_length=trained,
        rope_base=base,
    )


def made(numbers: tuple[Any, ...]) -> tuple[Odyssey, dict[str, Any]]:
    model = filled(sizes(*numbers))
    return model, {name: tensor.double().numpy() for name, tensor in export(model)}


def near(ours: Any, theirs: Any) -> None:
    assert float(np.abs(np.asarray(ours, dtype=np.float64) - theirs).max()) <= CLOSE


@pytest.mark.parametrize("numbers", SIZES)
@pytest.mark.parametrize("padding", ["left", "right"])
def test_any_sizes_and_paddings_answer_as_described(numbers: tuple[Any, ...], padding: str) -> None:
    model, weights = made(numbers)
    random = np.random.default_rng(sum(map(int, numbers)))
    lengths = random.integers(1, 90, 3)
    width = int(lengths.max())
    ids = torch.from_numpy(random.integers(0, 256, (3, width)))
    mask = torch.zeros(3, width, dtype=torch.bool)
    for row, length in enumerate(lengths):
        mask[row, slice(width - length, width) if padding == "left" else slice(0, length)] = True
    with torch.no_grad():
        embedded = model.embed(ids)
        ours = model(embedded, mask).numpy()
    # The published code measures the padded width.
    alpha = reference.stretch(width, model.config.trained_length)
    for row in range(3):
        real = mask[row].numpy()
        theirs = reference.logits(weights, model.config, embedded[row].double().numpy(), real, alpha)
        near(ours[row][real], theirs[real])


@pytest.mark.parametrize("numbers", SIZES[1:4])
def test_decoding_beyond_the_trained_length_keeps_the_stretch_of_the_prompt(numbers: tuple[Any, ...]) -> None:
    model, weights = made(numbers)
    config = model.config
    prompt, more = config.trained_length - 3, 9  # the prompt is short, what follows crosses the trained length
    ids = torch.randint(0, 256, (1, prompt + more), generator=torch.Generator().manual_seed(5))
    mask = torch.ones_like(ids, dtype=torch.bool)
    with torch.no_grad():
        cache = Cache.empty(config, 1, prompt + more, model.decoder.embedding.weight)
        parts = [model(model.embed(ids[:, :prompt]), mask, cache)]
        parts += [model(model.embed(ids[:, at : at + 1]), mask, cache) for at in range(prompt, prompt + more)]
        embedded = model.embed(ids)[0].double().numpy()
    alpha = reference.stretch(prompt, config.trained_length)
    near(torch.cat(parts, 1)[0], reference.logits(weights, config, embedded, mask[0].numpy(), alpha))


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7])
def test_any_number_of_screens_is_resampled_as_described(count: int) -> None:
    model, weights = made(SIZES[count % 3 + 2])
    screens = torch.randn(count, 256, model.config.hidden, generator=torch.Generator().manual_seed(count))
    with torch.no_grad():
        near(model.resampler(screens), reference.resampled(weights, screens.double().numpy()))


def test_a_picture_is_seen_as_described() -> None:
    model, weights = made(SIZES[3])
    pixels = torch.randn(1, 3, 224, 224, generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        near(model.vision(pixels)[0], reference.seen(weights, model.config, pixels[0].double().numpy()))


def test_pictures_and_history_in_a_padded_batch_answer_as_described() -> None:
    model, weights = made((256, 2, 1, 64, 310, 300, 10_000.0))
    random = torch.Generator().manual_seed(9)
    screens = torch.randn(3, 256, 256, generator=random)
    ids = torch.randint(0, 256, (2, 600), generator=random)
    mask = torch.ones_like(ids, dtype=torch.bool)
    mask[1, :270] = False
    with torch.no_grad():
        slots = [Slot(0, 7, screens[0]), Slot(0, 300, model.resampler(screens[1:])), Slot(1, 300, screens[2])]
        embedded = model.embed(ids, slots)
        ours = model(embedded, mask)
    plain = weights["transformer.wte.weight"][ids.numpy()]
    plain[0, 7:263] = screens[0].numpy()
    plain[0, 300:556] = reference.resampled(weights, screens[1:].double().numpy())
    plain[1, 300:556] = screens[2].numpy()
    for row in range(2):
        real = mask[row].numpy()
        theirs = reference.logits(weights, model.config, plain[row], real, reference.stretch(600, 300))
        near(ours[row].numpy()[real], theirs[real])


def test_the_loss_is_the_mean_over_the_counted_targets_of_the_batch() -> None:
    random = np.random.default_rng(1)
    logits = random.normal(size=(2, 6, 11))
    targets = random.integers(0, 11, (2, 6))
    targets[0, :4], targets[1, 2] = -100, -100
    chosen = [
        -np.log(reference.softmax(logits[row, at])[targets[row, at + 1]])
        for row in range(2)
        for at in range(5)
        if targets[row, at + 1] >= 0
    ]
    ours = loss(torch.from_numpy(logits), torch.from_numpy(targets))
    assert float(ours) == pytest.approx(float(np.mean(chosen)), rel=1e-5)


@pytest.mark.parametrize("change", [{"ntk": False}, {"log_n": False}])
def test_stretch_and_factors_can_be_off_by_configuration(change: dict[str, bool]) -> None:
    model, weights = made(SIZES[1])
    model.decoder.config = replace(model.config, **change)  # type: ignore[arg-type]
    ids = torch.arange(60)[None]
    mask = torch.ones_like(ids, dtype=torch.bool)
    trained = model.config.trained_length
    with torch.no_grad():
        embedded = model.embed(ids)
        ours = model(embedded, mask)[0]
    alpha = 1.0 if "ntk" in change else reference.stretch(60, trained)
    told = replace(model.config, trained_length=10_000) if "log_n" in change else model.config
    near(ours, reference.logits(weights, told, embedded[0].double().numpy(), mask[0].numpy(), alpha))
