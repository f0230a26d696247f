"""Generation: batching, caching, padding and memory change nothing; constrained answers are always answers."""

from __future__ import annotations

import io
import json
import math
import struct
import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'tapwright[odyssey]'")
pytest.importorskip("tiktoken", reason="tiktoken is not installed: pip install 'tapwright[odyssey]'")

from PIL import Image  # noqa: E402

from policies.odyssey import tokenizer as vocabulary  # noqa: E402
from policies.odyssey.constraint import Constraint  # noqa: E402
from policies.odyssey.generation import Answer, Job, TooLong, Writer  # noqa: E402
from policies.odyssey.grammar import parse  # noqa: E402
from policies.odyssey.memory import Eyes  # noqa: E402
from policies.odyssey.network.config import PRESETS, BadConfig, Config, from_published  # noqa: E402
from policies.odyssey.network.decoder import Cache, log_n, ntk_alpha, rotations  # noqa: E402
from policies.odyssey.network.images import BadPicture, opened  # noqa: E402
from policies.odyssey.network.model import Odyssey, Slot, randomise  # noqa: E402
from policies.odyssey.prompt import Form, Prompt, Question, build, turn  # noqa: E402
from policies.odyssey.weights import BadWeights, by_head, by_kind, export, fill, load, name_map  # noqa: E402
from tests.policies.odyssey.folders import published_config  # noqa: E402

SMALL = vocabulary.small()
TINY = PRESETS["tiny"]


@cache
def network(preset: str = "tiny") -> Odyssey:
    model = Odyssey(PRESETS[preset])
    randomise(model, 7)
    # Wider than 0.02, so that answers differ from prompt to prompt.
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(6.0)
    return model.eval()


def screen(seed: int) -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 255, (60, 30, 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def writer(limit: int = 1 << 30, preset: str = "tiny") -> tuple[Writer, Eyes]:
    eyes = Eyes(network(preset), limit)
    return Writer(network(preset), SMALL, eyes), eyes


def job(n: int, tokens: int = 12, constrained: bool = False) -> Job:
    """The n-th step of a task, with n earlier screens."""
    question = Question(instruction=f"task {'x' * n}", actions=[f"CLICK: ({k}, {k})" for k in range(n)], earlier=n)
    return Job(
        prompt=build(turn(question, Form.V2), SMALL),
        screens=[screen(n)],
        history=[screen(k) for k in range(n)],
        tokens=tokens,
        constrained=constrained,
    )


def free(one: Job) -> Answer:
    return writer()[0].answer([one])[0]


# Nothing but speed depends on how it is computed


def test_answers_in_a_batch_are_those_given_alone() -> None:
    jobs = [job(0), job(1), job(3, tokens=5), job(6)]
    together = writer()[0].answer(jobs)
    assert together == [free(one) for one in jobs]
    assert len({one.text for one in together}) > 1


def test_answers_with_remembered_pictures_are_those_with_pictures_encoded_anew() -> None:
    jobs = [job(n) for n in range(4)]
    kept, eyes = writer()
    anew, _ = writer(limit=0)
    assert [kept.answer([one]) for one in jobs] == [anew.answer([one]) for one in jobs]
    assert eyes.encoded == 4 and eyes.remembered == 0 + 1 + 2 + 3


def test_memory_keeps_to_its_limit_and_lets_the_oldest_go() -> None:
    _, eyes = writer()
    eyes.look([screen(0)])
    one = eyes.used
    _, small = writer(limit=2 * one)
    for number in (0, 1, 0, 2):
        small.look([screen(number)])
    assert small.used == 2 * one and small.encoded == 3
    small.look([screen(0)])
    assert small.encoded == 3, "the one that was looked at last but one is still there"
    small.look([screen(1)])
    assert small.encoded == 4


def test_decoding_with_the_cache_is_the_full_forward() -> None:
    model = network()
    ids = torch.tensor([build(["abc " * 20], SMALL).ids])
    mask = torch.ones_like(ids, dtype=torch.bool)
    with torch.inference_mode():
        whole = model(model.embed(ids), mask)
        cache = Cache.empty(TINY, 1, ids.shape[1], model.decoder.embedding.weight)
        parts = [model(model.embed(ids[:, :9]), mask, cache)]
        parts += [model(model.embed(ids[:, at : at + 1]), mask, cache) for at in range(9, ids.shape[1])]
    assert torch.allclose(torch.cat(parts, dim=1), whole, atol=1e-4)


def test_padding_on_the_left_and_on_the_right_give_the_same() -> None:
    model = network()
    ids = torch.tensor([build(["some words"], SMALL).ids])
    pad = torch.full((1, 17), SMALL.special.endoftext)
    yes, no = torch.ones_like(ids, dtype=torch.bool), torch.zeros_like(pad, dtype=torch.bool)
    with torch.inference_mode():
        alone = model(model.embed(ids), yes)
        left = model(model.embed(torch.cat([pad, ids], 1)), torch.cat([no, yes], 1))[:, 17:]
        right = model(model.embed(torch.cat([ids, pad], 1)), torch.cat([yes, no], 1))[:, : ids.shape[1]]
    assert torch.allclose(left, alone, atol=1e-4) and torch.allclose(right, alone, atol=1e-4)


def test_the_order_of_earlier_screenshots_does_not_matter() -> None:
    forwards = job(3)
    assert free(forwards).text == free(replace(forwards, history=list(reversed(forwards.history)))).text


def test_only_the_last_four_screenshots_count() -> None:
    six = job(6)
    assert free(six) == free(replace(six, history=six.history[-4:]))
    assert free(six).text != free(replace(six, history=six.history[:4])).text


def test_every_text_that_is_told_while_writing_makes_up_the_answer() -> None:
    heard: list[str] = []
    answer = free(replace(job(1), told=lambda text: heard.append(text) is None))
    assert "".join(heard) == answer.text and len(heard) > 1


def test_whoever_listens_can_stop_the_writing() -> None:
    answer = free(replace(job(1), told=lambda text: False))
    assert answer.written == 1 and not answer.ended


# Long prompts (hand-computed)


@pytest.mark.parametrize(
    ("length", "alpha"), [(1, 1.0), (2048, 1.0), (2049, 3.0), (4096, 3.0), (4097, 7.0), (8192, 7.0), (8193, 15.0)]
)
def test_the_rotary_base_is_stretched_by_powers_of_two(length: int, alpha: float) -> None:
    assert ntk_alpha(length, 2048) == alpha


def test_rotations_at_a_stretched_base_by_hand() -> None:
    config = replace(TINY, heads=1)
    cos, sin = rotations(torch.tensor([0, 3]), config, 3.0)
    base = 10_000 * 3.0 ** (128 / 126)
    for channel in (0, 1, 63):
        angle = 3 / base ** (2 * channel / 128)
        assert float(cos[1, channel]) == pytest.approx(math.cos(angle), abs=1e-5)
        assert float(sin[1, channel + 64]) == pytest.approx(math.sin(angle), abs=1e-5)
    assert cos[0].tolist() == [1.0] * 128


def test_queries_far_behind_are_scaled_by_the_logarithm_of_their_place() -> None:
    factors = log_n(torch.tensor([0, 2047, 2048, 4095]), 2048)[:, 0].tolist()
    assert factors == pytest.approx([1.0, 1.0, math.log(2049) / math.log(2048), math.log(4096) / math.log(2048)])


def test_a_prompt_beyond_the_trained_length_decodes_as_its_full_forward() -> None:
    short = replace(TINY, trained_length=32, longest=256)
    model = Odyssey(short)
    randomise(model, 3)
    model.eval()
    ids = torch.randint(0, 200, (1, 70), generator=torch.Generator().manual_seed(1))
    mask = torch.ones_like(ids, dtype=torch.bool)
    with torch.inference_mode():
        cache = Cache.empty(short, 1, 70, model.decoder.embedding.weight)
        model(model.embed(ids[:, :60]), mask, cache)
        assert cache.alpha == ntk_alpha(60, 32) == 3.0
        following = model(model.embed(ids[:, 60:61]), mask, cache)
        # 60 and 61 columns have the same stretch, so one pass over all of them must agree.
        whole = model(model.embed(ids[:, :61]), mask[:, :61])[:, -1:]
    assert torch.allclose(following, whole, atol=1e-4)


def test_training_neither_stretches_nor_scales() -> None:
    short = replace(TINY, trained_length=8)
    model = Odyssey(short)
    randomise(model, 3)
    ids = torch.arange(40)[None]
    mask = torch.ones_like(ids, dtype=torch.bool)
    with torch.no_grad():
        trained = model.train()(model.embed(ids), mask)
        far = replace(short, trained_length=4096)
        model.decoder.config = far
        assert torch.equal(trained, model.eval()(model.embed(ids), mask))


# Constrained answers


@pytest.mark.parametrize("seed", range(40))
def test_random_logits_under_constraint_always_give_an_answer(seed: int) -> None:
    grammar = Constraint(SMALL, 512)
    random = torch.Generator().manual_seed(seed)
    left = grammar.shortest() + seed
    state, ids = grammar.start, []
    while True:
        allowed = grammar.allowed(state, left)
        assert bool(allowed.any())
        token = int(torch.rand(512, generator=random).masked_fill(~allowed, -1.0).argmax())
        left -= 1
        if token == SMALL.special.im_end:
            break
        ids.append(token)
        state = grammar.next(state, token)
    assert left >= 0
    parse(SMALL.decode(ids))


@pytest.mark.parametrize(
    "text",
    [
        "CLICK: (0, 1000)",
        "CLICK: (1000, 10)",
        "LONG_PRESS: (100, 999)",
        "SCROLL: LEFT",
        "TYPE: é 你好 👍🏽 \"'",
        "COMPLETE",
    ],
)
def test_every_answer_can_be_written_under_constraint(text: str) -> None:
    grammar = Constraint(SMALL, 512)
    state = grammar.start
    for token in SMALL.encode(text):
        assert bool(grammar.allowed(state, 100)[token]), text
        state = grammar.next(state, token)
    assert bool(grammar.allowed(state, 1)[SMALL.special.im_end])


@pytest.mark.parametrize(
    "text", ["CLICK: (1001, 1)", "CLICK: (00, 1)", "TYPE: a\nb", "TYPE: \x85", "COMPLETED", "click"]
)
def test_what_is_no_answer_cannot_be_written_under_constraint(text: str) -> None:
    grammar = Constraint(SMALL, 512)
    state = grammar.start
    for token in SMALL.encode(text):
        if not bool(grammar.allowed(state, 100)[token]):
            return
        state = grammar.next(state, token)
    assert not bool(grammar.allowed(state, 100)[SMALL.special.im_end])


def test_a_network_that_knows_nothing_answers_under_constraint() -> None:
    answers = writer()[0].answer([job(n, tokens=30, constrained=True) for n in range(3)])
    assert all(one.ended for one in answers)
    for one in answers:
        parse(one.text)


# Bad input


def test_bytes_that_are_no_picture_are_refused_before_anything_is_written() -> None:
    with pytest.raises(BadPicture, match="not a picture"):
        free(replace(job(0), screens=[b"not a picture"]))


def test_a_prompt_without_room_is_refused_with_both_lengths() -> None:
    long = Job(prompt=Prompt(tuple([5] * 8190), ()), tokens=8)
    with pytest.raises(TooLong, match=r"8190 .* 8"):
        free(long)


def test_fewer_screens_than_the_prompt_shows_are_named() -> None:
    with pytest.raises(ValueError, match="more screens"):
        free(replace(job(0), screens=[]))
    with pytest.raises(ValueError, match="none was given"):
        free(replace(job(1), history=[]))


def test_a_picture_of_twenty_megapixels_is_read() -> None:
    out = io.BytesIO()
    Image.new("RGB", (5000, 4000), (9, 9, 9)).save(out, "PNG")
    assert free(replace(job(0), screens=[out.getvalue()])).written > 0


POSTSCRIPT = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n(x) run\n%%EOF"


@pytest.mark.parametrize(
    "data", [b"", POSTSCRIPT, screen(0)[:200], screen(0)[:60] + b"\0" * 300, b"\x89PNG\r\n\x1a\n" + b"\xff" * 99]
)
def test_broken_pictures_and_formats_that_can_start_programs_are_refused(data: bytes) -> None:
    with pytest.raises(BadPicture):
        opened(data)


def test_a_small_file_that_would_fill_the_memory_is_refused_unread() -> None:
    header = b"IHDR" + struct.pack(">IIBBBBB", 8_000, 7_000, 8, 2, 0, 0, 0)
    claims = screen(0)[:12] + header + struct.pack(">I", zlib.crc32(header)) + screen(0)[33:]
    with pytest.raises(BadPicture, match=r"8000 x 7000 pixels"):
        opened(claims)
    header = header.replace(struct.pack(">II", 8_000, 7_000), struct.pack(">II", 60_000, 60_000))
    with pytest.raises(BadPicture):
        opened(screen(0)[:12] + header + struct.pack(">I", zlib.crc32(header)) + screen(0)[33:])


def test_pictures_made_ready_by_other_threads_are_seen_as_any_others() -> None:
    _, plain = writer()
    _, ready = writer(limit=1 << 20)
    pictures = [screen(n) for n in range(9)]
    with ThreadPoolExecutor(4) as pool:
        for _ in pool.map(ready.prepare, [pictures[n % 3 :: 3] for n in range(6)]):
            pass
        with pytest.raises(BadPicture):
            ready.prepare([b"none"])
    for ours, theirs in zip(ready.look(pictures), plain.look(pictures), strict=True):
        assert torch.equal(ours.tokens, theirs.tokens)
    assert ready.encoded == 9 and ready.used <= 1 << 20


def test_a_character_of_several_tokens_is_told_once_it_is_whole() -> None:
    heard: list[str] = []
    model = Odyssey(replace(TINY, layers=1))
    randomise(model, 1)
    model.eval()
    text = "TYPE: é👍" + "\ufffd" + "!"
    wanted = [*SMALL.encode(text), SMALL.special.im_end]
    one = Job(prompt=build(["x"], SMALL), tokens=40, told=lambda said: heard.append(said) is None)
    answer = Writer(model, SMALL, Eyes(model, 0), Saying(wanted)).answer([one])[0]
    assert answer.text == "".join(heard) == text and answer.ended
    assert "👍" in heard and heard.count("") >= 4


class Saying:
    """Decoding of a network that says one thing."""

    def __init__(self, ids: list[int]) -> None:
        self._ids = iter(ids)

    def begin(self, embedded: torch.Tensor, mask: torch.Tensor, room: int) -> torch.Tensor:
        return self.next([0])

    def next(self, ids: Sequence[int]) -> torch.Tensor:
        return torch.nn.functional.one_hot(torch.tensor([next(self._ids)]), 512).float()


def test_a_slot_outside_its_row_is_refused() -> None:
    with pytest.raises(ValueError, match="slot"):
        network().embed(torch.zeros(1, 300, dtype=torch.long), [Slot(0, 60, torch.zeros(256, TINY.hidden))])


@pytest.mark.parametrize("change", [{"hidden": 192}, {"heads": 3}, {"heads": 128}])
def test_sizes_that_do_not_fit_are_named(change: dict[str, int]) -> None:
    with pytest.raises(BadConfig, match="hidden"):
        replace(TINY, **change)  # type: ignore[arg-type]


def test_a_config_that_lacks_a_size_is_named() -> None:
    with pytest.raises(BadConfig, match="hidden_size"):
        from_published({"visual": {"output_dim": 1}})


# Weights


def test_packing_by_head_is_undone_and_done() -> None:
    rows = torch.arange(24.0)
    assert by_kind(rows, 2).tolist() == [
        *range(4),
        *range(12, 16),
        *range(4, 8),
        *range(16, 20),
        *range(8, 12),
        *range(20, 24),
    ]
    assert torch.equal(by_head(by_kind(rows, 2), 2), rows)


def saved(folder: Path, config: Config, parts: int, kind: str) -> None:
    """A folder in the published layout."""
    from safetensors.torch import save_file

    tensors = {name: tensor.contiguous() for name, tensor in export(network())}
    tensors["transformer.his_resampler.pos_embed"] = torch.zeros(256, config.hidden)
    names = sorted(tensors)
    index: dict[str, str] = {}
    for part in range(parts):
        stem = "model" if kind == "safetensors" else "pytorch_model"
        file = f"{stem}-{part + 1:05}-of-{parts:05}.{kind}"
        mine = {name: tensors[name] for name in names[part::parts]}
        (save_file if kind == "safetensors" else torch.save)(mine, folder / file)
        index |= dict.fromkeys(mine, file)
    name = "model.safetensors.index.json" if kind == "safetensors" else "pytorch_model.bin.index.json"
    (folder / name).write_text(json.dumps({"weight_map": index}))
    (folder / "config.json").write_text(json.dumps(published_config(config)))


@pytest.mark.parametrize("kind", ["safetensors", "bin"])
def test_a_published_folder_gives_the_same_network(tmp_path: Path, kind: str) -> None:
    saved(tmp_path, TINY, 2, kind)
    loaded = load(tmp_path, device="cpu", dtype=torch.float32)
    assert loaded.config == TINY
    for (name, ours), (_, theirs) in zip(loaded.named_parameters(), network().named_parameters(), strict=True):
        assert torch.equal(ours, theirs), name


def test_a_missing_part_of_the_weights_is_named(tmp_path: Path) -> None:
    saved(tmp_path, TINY, 2, "bin")
    (tmp_path / "pytorch_model-00002-of-00002.bin").unlink()
    with pytest.raises(BadWeights, match=r"lacks pytorch_model-00002-of-00002\.bin"):
        load(tmp_path, device="cpu", dtype=torch.float32)


def test_a_truncated_file_of_weights_is_named(tmp_path: Path) -> None:
    saved(tmp_path, TINY, 1, "bin")
    file = tmp_path / "pytorch_model-00001-of-00001.bin"
    file.write_bytes(file.read_bytes()[:5000])
    with pytest.raises(BadWeights, match="cannot be read"):
        load(tmp_path, device="cpu", dtype=torch.float32)


def test_a_folder_without_weights_says_what_it_should_hold(tmp_path: Path) -> None:
    with pytest.raises(BadWeights, match=r"no config\.json"):
        load(tmp_path, device="cpu", dtype=torch.float32)


def test_missing_unknown_and_misshapen_names_are_listed() -> None:
    tensors = dict(export(network()))
    del tensors["lm_head.weight"]
    tensors["transformer.stranger"] = torch.zeros(1)
    tensors["transformer.ln_f.weight"] = torch.zeros(3)
    with pytest.raises(BadWeights) as caught:
        fill(Odyssey(TINY), tensors.items())
    said = str(caught.value)
    assert "missing: lm_head.weight" in said and "unknown: transformer.stranger" in said
    assert "transformer.ln_f.weight is [3], not [128]" in said


def test_every_parameter_has_exactly_one_published_name() -> None:
    ours = [part.name for part in name_map(TINY).values()]
    assert sorted(ours) == sorted(name for name, _ in network().named_parameters())
