"""Folders of weights: what is wrong with one is said, nothing of it is run, and it fits into memory once."""

from __future__ import annotations

import json
import pickle
import resource
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'tapwright[odyssey]'")
pytest.importorskip("tiktoken", reason="tiktoken is not installed: pip install 'tapwright[odyssey]'")
safetensors = pytest.importorskip("safetensors.torch", reason="safetensors is not installed")

from typer.testing import CliRunner  # noqa: E402

from policies.odyssey.command import group  # noqa: E402
from policies.odyssey.network.config import PRESETS, Config, VisionConfig, from_published  # noqa: E402
from policies.odyssey.network.model import Odyssey, randomise  # noqa: E402
from policies.odyssey.source import NoNetwork, Source, opened  # noqa: E402
from policies.odyssey.weights import BadWeights, bare, count, export, fill, load, verify  # noqa: E402
from tests.policies.odyssey.folders import published_config, write_vocabulary  # noqa: E402

TINY = PRESETS["tiny"]


def tensors(config: Config = TINY) -> dict[str, torch.Tensor]:
    model = Odyssey(config)
    randomise(model, 1)
    return {name: tensor.contiguous() for name, tensor in export(model)}


def folder_of(folder: Path, config: Config = TINY) -> Path:
    (folder / "config.json").write_text(json.dumps(published_config(config)))
    return folder


# What is wrong is said


def test_a_file_that_would_run_code_is_refused_and_runs_nothing(tmp_path: Path) -> None:
    class Bomb:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "ran",))

    torch.save({"x": Bomb()}, folder_of(tmp_path) / "pytorch_model.bin")
    for way in (verify, lambda one: load(one, device="cpu", dtype=torch.float32)):
        with pytest.raises(BadWeights, match=r"pytorch_model\.bin cannot be read"):
            way(tmp_path)
    (tmp_path / "pytorch_model.bin").write_bytes(pickle.dumps({"x": 1}))
    with pytest.raises(BadWeights, match="cannot be read"):
        verify(tmp_path)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("content", [[torch.zeros(2)], {"epoch": 3}, torch.zeros(2)])
def test_a_file_of_something_else_than_named_tensors_is_refused(tmp_path: Path, content: Any) -> None:
    torch.save(content, folder_of(tmp_path) / "pytorch_model.bin")
    with pytest.raises(BadWeights, match="named tensors"):
        verify(tmp_path)


@pytest.mark.parametrize("way", [verify, lambda one: load(one, device="cpu", dtype=torch.float32)])
def test_a_truncated_safetensors_file_is_named(tmp_path: Path, way: Any) -> None:
    file = folder_of(tmp_path) / "model.safetensors"
    safetensors.save_file(tensors(), file)
    file.write_bytes(file.read_bytes()[:-5000])
    with pytest.raises(BadWeights, match=r"model\.safetensors cannot be read"):
        way(tmp_path)


def test_what_is_given_twice_or_quantised_is_listed() -> None:
    made = tensors()
    made["lm_head.weight"] = made["lm_head.weight"].to(torch.int8)
    with pytest.raises(BadWeights) as caught:
        fill(Odyssey(TINY), [*made.items(), ("transformer.ln_f.weight", torch.ones(128))])
    assert "1 given twice: transformer.ln_f.weight" in str(caught.value)
    assert "1 no numbers: lm_head.weight holds integers" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kv_channels": 32}, "kv_channels"),
        ({"rotary_pct": 0.5}, "rotary_pct"),
        ({"no_bias": False}, "no_bias"),
        ({"tie_word_embeddings": True}, "tie_word_embeddings"),
        ({"num_attention_heads": 0}, "division"),
        ({"visual": 3}, "config.json"),
        ({"hidden_size": "wide"}, "config.json"),
    ],
)
def test_a_config_of_another_network_is_refused_by_name(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        from_published({**published_config(TINY), **change})


# It is checked without being read, and loaded without a second copy


def test_a_full_size_folder_is_checked_without_reading_its_weights(tmp_path: Path) -> None:
    full = PRESETS["full"]
    with torch.device("meta"):
        shapes = {name: list(tensor.shape) for name, tensor in export(Odyssey(full))}
    header, end = {}, 0
    for name, shape in shapes.items():
        size = 2 * torch.Size(shape).numel()
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [end, end + size]}
        end += size
    written = json.dumps(header).encode()
    with (folder_of(tmp_path, full) / "model.safetensors").open("wb") as file:
        file.write(len(written).to_bytes(8, "little") + written)
        file.truncate(8 + len(written) + end)  # the weights are a hole in the file
    write_vocabulary(tmp_path)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert verify(tmp_path)[0] == full
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 2**20, f"{grown} KiB for weights of {end} bytes"
    assert count(full) == 9_742_959_360 - 256 * 4096, "all but the table that is never used"
    done = CliRunner().invoke(group, ["check", str(tmp_path)])
    assert done.exit_code == 0 and "19.5 GB as bfloat16" in done.output


LOAD = """
import sys, torch
from pathlib import Path
from policies.odyssey import weights
def private():
    status = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["RssAnon"].split()[0]) * 1024
def watched(tensors, seen):
    for one in tensors:
        seen.append(private())
        yield one
def load(folder):
    seen = [private()]
    model = weights.bare(weights.read_config(folder), device="cpu", dtype=torch.float32)
    weights.fill(model, watched(weights.tensors_in(weights.files_of(folder)), seen))
    return max(seen) - seen[0]
# What PyTorch imports at its first work is not the weights'.
from policies.odyssey.network.config import PRESETS
weights.bare(PRESETS["tiny"], device="cpu", dtype=torch.float32)
print(*[load(Path(folder)) for folder in sys.argv[1:]])
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="this system does not tell private memory")
def test_loading_needs_little_more_memory_than_the_weights(tmp_path: Path) -> None:
    tower = VisionConfig(width=64, layers=1, heads=4, mlp=128)
    config = Config(hidden=256, layers=12, heads=2, mlp=2048, vocabulary=10_000, vision=tower)
    made = tensors(config)
    size = sum(one.numel() * 4 for one in made.values())
    assert size > 100_000_000
    folders = [tmp_path / kind for kind in ("bin", "safetensors")]
    for folder in folders:
        folder.mkdir()
        folder_of(folder, config)
    torch.save(made, folders[0] / "pytorch_model.bin")
    safetensors.save_file(made, folders[1] / "model.safetensors")
    line = [sys.executable, "-c", LOAD, *map(str, folders)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    for private in map(int, done.stdout.split()):
        assert size * 0.5 < private < size * 1.5, f"{private / size:.2f} times the weights"


def test_random_weights_are_made_in_place_with_the_fixed_table_in_them() -> None:
    made = bare(TINY, device="cpu", dtype=torch.float32)
    randomise(made, 3)
    elsewhere = Odyssey(TINY)
    table = elsewhere.vision.adapter.position.clone()
    randomise(elsewhere, 3)
    assert torch.equal(made.vision.adapter.position, table)
    for ours, theirs in zip(made.parameters(), elsewhere.parameters(), strict=True):
        assert torch.equal(ours, theirs)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_answers_nearly_as_full(dtype: str) -> None:
    half, _ = opened(Source(preset="tiny", dtype=dtype))  # type: ignore[arg-type]
    whole = Odyssey(TINY)
    whole.load_state_dict({name: one.float() for name, one in half.state_dict().items()})
    whole.eval()
    pixels = torch.randn(2, 3, 448, 448, generator=torch.Generator().manual_seed(1))
    ids = torch.arange(40)[None]
    mask = torch.ones_like(ids, dtype=torch.bool)
    with torch.inference_mode():
        for model in (half, whole):
            assert model.vision(pixels.to(model.vision.position.dtype)).dtype == model.vision.position.dtype
        seen = [
            model.resampler(model.vision(pixels.to(model.vision.position.dtype))).float() for model in (half, whole)
        ]
        said = [model(model.embed(ids), mask).float() for model in (half, whole)]
    for ours, theirs in (seen, said):
        assert float((ours - theirs).norm() / theirs.norm()) < 0.03


# Sources


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (Source(), "either a folder"),
        (Source(preset="huge"), "tiny"),
        (Source(preset="tiny", device="gpu"), "'gpu' is no device"),
        (Source(preset="tiny", device="meta:x"), "no device"),
        (Source(folder=Path("/nowhere")), r"no config\.json"),
    ],
)
def test_a_source_that_is_none_is_named(source: Source, said: str) -> None:
    with pytest.raises(NoNetwork, match=said):
        opened(source)


def test_a_gpu_that_is_not_there_is_named() -> None:
    if torch.cuda.is_available():
        pytest.skip("there is one")
    with pytest.raises(NoNetwork, match="no GPU"):
        opened(Source(preset="tiny", device="cuda"))


def test_a_vocabulary_larger_than_the_network_is_refused_before_it_is_served(tmp_path: Path) -> None:
    write_vocabulary(folder_of(tmp_path), extra=300)
    torch.save(tensors(), tmp_path / "pytorch_model.bin")
    with pytest.raises(NoNetwork, match="ids, the network only 512"):
        opened(Source(folder=tmp_path))


def test_a_port_that_is_taken_is_named_before_anything_is_loaded() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = CliRunner().invoke(group, ["serve", "--random-init", "tiny", "--port", port])
    assert done.exit_code == 1 and f"127.0.0.1:{port} cannot be listened on" in done.stderr
    assert "Loading" not in done.stderr
