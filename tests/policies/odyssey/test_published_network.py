"""Module by module and as a whole, our network answers as the published one did."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'tapwright[odyssey]'")

from policies.odyssey.decoding import Fixed, Growing, Speed  # noqa: E402
from policies.odyssey.network.config import PRESETS, from_published  # noqa: E402
from policies.odyssey.network.images import prepared  # noqa: E402
from policies.odyssey.network.model import loss  # noqa: E402
from policies.odyssey.weights import export, name_map  # noqa: E402
from tests.policies.odyssey.published import (  # noqa: E402
    FACTS,
    arrays,
    config,
    features,
    image_array,
    picture,
    published_network,
    slots,
    weight_for,
)

CLOSE = 1e-4
"""Absolute, as data/README.md gives it for float32 on a processor."""
IMAGES = [name for name, _, _ in FACTS["images"]]


def near(ours: Any, name: str, tolerance: float = CLOSE) -> None:
    theirs = arrays()[name]
    ours = np.asarray(ours)
    assert ours.shape == theirs.shape
    apart = float(np.abs(ours - theirs).max())
    assert apart <= tolerance, f"{name}: {apart} apart"


def at_every(name: str, step: int) -> Any:
    return (slice(None), slice(None, None, step)) if name else None


@pytest.mark.parametrize("name", IMAGES)
def test_the_pictures_are_those_that_were_asked_about(name: str) -> None:
    height, width = next((h, w) for one, h, w in FACTS["images"] if one == name)
    digest = hashlib.sha256(image_array(name, height, width).tobytes()).hexdigest()
    assert digest == FACTS["image_sha256"][name]


@pytest.mark.parametrize(("name", "expected"), FACTS["weight_check"]["tiny_a"].items())
def test_the_weights_are_those_that_were_asked_with(name: str, expected: dict[str, Any]) -> None:
    tensor = weight_for(name, expected["shape"])
    if tensor is None:
        tensor = dict(export(published_network())).get(name)
    if tensor is None:
        pytest.skip("a table that the published code never uses")
    assert list(tensor.shape) == expected["shape"]
    assert np.allclose(tensor.flatten()[:3], expected["first"], atol=1e-6)
    assert float(tensor.double().sum()) == pytest.approx(expected["sum"], abs=1e-3)


@pytest.mark.parametrize("name", IMAGES)
def test_a_picture_is_prepared_as_published(name: str) -> None:
    ours = prepared(picture(name), 448)
    near(ours[:, ::32, ::32], f"preproc448/{name}/sub")
    near(torch.stack([ours.mean((1, 2)), ours.std((1, 2))]), f"preproc448/{name}/mean_std")


def test_the_vision_tower_answers_as_published() -> None:
    found = torch.stack([features(name) for name in IMAGES])
    near(found[:, ::37], "visual/tiny_a/probe")
    near(found.norm(dim=-1), "visual/tiny_a/norm", 1e-3)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_history_resampler_answers_as_published(count: int) -> None:
    seen = torch.stack([features(name) for name in FACTS["his"]["tiny_a"][str(count)]["images"]])
    with torch.no_grad():
        ours = published_network().resampler(seen)
        reversed_order = published_network().resampler(seen.flip(0))
    near(ours[::17], f"his/tiny_a/{count}")
    assert float((ours - reversed_order).abs().max()) < 1e-5


@pytest.mark.parametrize("module", ["mlp", "ln_1", "his_resampler", "his_resampler_small", "attn_pool", "resblock"])
def test_each_module_answers_as_published(module: str) -> None:
    network = published_network()
    given = torch.from_numpy(arrays()[f"module/tiny_a/{module}/in"])
    with torch.no_grad():
        ours = {
            "mlp": lambda x: network.decoder.blocks[0].feed_forward(x),
            "ln_1": lambda x: network.decoder.blocks[0].norm_1(x),
            "his_resampler": lambda x: network.resampler(x)[None, ::17],
            "his_resampler_small": lambda x: network.resampler(x)[None, ::17],
            "attn_pool": lambda x: network.vision.adapter(x)[:, ::17],
            "resblock": lambda x: network.vision.blocks[0](x.transpose(0, 1)).transpose(0, 1),
        }[module](given)
    near(ours, f"module/tiny_a/{module}/out")


@pytest.mark.parametrize("name", FACTS["cases"])
def test_the_whole_network_answers_as_published(name: str) -> None:
    case = FACTS["cases"][name]
    ids = torch.tensor(case["input_ids"])
    mask = torch.tensor(case["attention_mask"]).bool()
    network = published_network()
    with torch.no_grad():
        logits = network(network.embed(ids, slots(case)), mask)
    rows, columns = zip(*case["probes"], strict=True)
    probed = logits[list(rows), list(columns)]
    near(probed, f"case/{name}/logits")
    assert probed.argmax(-1).tolist() == case["argmax"]
    if "labels" in case:
        assert float(loss(logits, torch.tensor(case["labels"]))) == pytest.approx(case["loss"], rel=1e-5)


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("name", [name for name, case in FACTS["cases"].items() if "generated" in case])
def test_greedy_decoding_writes_what_the_published_network_wrote(name: str, fixed: bool) -> None:
    case, network = FACTS["cases"][name], published_network()
    ids = torch.tensor(case["input_ids"])
    wanted = torch.tensor(case["generated"]).reshape(len(ids), -1)
    decoding = Fixed(network, Speed()) if fixed else Growing(network)
    with torch.inference_mode():
        embedded = network.embed(ids, slots(case))
        logits = decoding.begin(embedded, torch.tensor(case["attention_mask"]).bool(), ids.shape[1] + wanted.shape[1])
        written = [logits.argmax(-1)]
        for _ in range(wanted.shape[1] - 1):
            written.append(decoding.next(written[-1].tolist()).argmax(-1))
    assert torch.stack(written, dim=1).tolist() == wanted.tolist()


def test_the_names_are_those_of_the_published_checkpoint() -> None:
    published = {name: tuple(shape) for name, shape in FACTS["full_state_dict"]}
    full = PRESETS["full"]
    with torch.device("meta"):
        from policies.odyssey.network.model import Odyssey

        ours = dict(Odyssey(full).named_parameters())
    mapped = {name: tuple(ours[part.name].shape) for name, part in name_map(full).items()}
    unused = {"transformer.his_resampler.pos_embed"}
    assert mapped == {name: shape for name, shape in published.items() if name not in unused}
    assert {part.name for part in name_map(full).values()} == set(ours)
    assert FACTS["full_keys"] == len(published) and from_published(FACTS["configs"]["tiny_a"]) == config()
