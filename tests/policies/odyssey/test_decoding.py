"""A room of fixed size answers as a growing cache does: whatever the batch, whatever was in the room before."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'tapwright[odyssey]'")
pytest.importorskip("tiktoken", reason="tiktoken is not installed: pip install 'tapwright[odyssey]'")

from policies.odyssey import tokenizer as vocabulary  # noqa: E402
from policies.odyssey.decoding import KEPT_ROOMS, Fixed, Growing, Speed, chosen  # noqa: E402
from policies.odyssey.generation import Answer, Job, Writer, batches  # noqa: E402
from policies.odyssey.memory import Eyes  # noqa: E402
from policies.odyssey.network.config import PRESETS, Config  # noqa: E402
from policies.odyssey.network.model import Odyssey, randomise  # noqa: E402
from policies.odyssey.prompt import build  # noqa: E402

SMALL = vocabulary.small()
CLOSE = 1e-5


def network(config: Config = PRESETS["tiny"], seed: int = 4) -> Odyssey:
    model = Odyssey(config).eval()
    randomise(model, seed)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(6.0)
    return model


def prompts(model: Odyssey, lengths: list[int], seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Padded on the left."""
    width = max(lengths)
    ids = torch.randint(0, 250, (len(lengths), width), generator=torch.Generator().manual_seed(seed))
    mask = torch.arange(width)[None, :] >= width - torch.tensor(lengths)[:, None]
    return model.embed(ids), mask


@torch.inference_mode()
def walked(
    decoding: Growing | Fixed, model: Odyssey, lengths: list[int], steps: int = 6, seed: int = 0
) -> torch.Tensor:
    """Logits [steps + 1, rows, vocabulary]; always the likeliest token is taken."""
    embedded, mask = prompts(model, lengths, seed)
    logits = decoding.begin(embedded, mask, max(lengths) + steps)
    found = [logits.clone()]
    for _ in range(steps):
        logits = decoding.next(logits.argmax(-1).tolist())
        found.append(logits.clone())
    return torch.stack(found)


@pytest.mark.parametrize("lengths", [[5], [40, 3], [17, 60, 1], [9, 9, 9, 30, 2]])
def test_a_fixed_room_answers_as_a_growing_cache(lengths: list[int]) -> None:
    model = network()
    fixed, growing = walked(Fixed(model, Speed()), model, lengths), walked(Growing(model), model, lengths)
    assert torch.equal(fixed.argmax(-1), growing.argmax(-1))
    assert torch.allclose(fixed, growing, atol=CLOSE)


def test_a_room_that_was_used_before_answers_as_a_new_one() -> None:
    model = network()
    used = Fixed(model, Speed())
    walked(used, model, [200, 100, 50], seed=1)
    assert torch.equal(walked(used, model, [7, 3, 5]), walked(Fixed(model, Speed()), model, [7, 3, 5]))


def test_numbers_that_overflowed_in_one_batch_do_not_reach_the_next() -> None:
    model = network()
    used = Fixed(model, Speed())
    with torch.inference_mode():
        embedded, mask = prompts(model, [200])
        embedded[:, 100:] = float("inf")
        assert bool(used.begin(embedded, mask, 210).isnan().any())
    assert not bool(walked(used, model, [5]).isnan().any())


def test_beyond_the_trained_length_stretch_and_factors_are_kept_too() -> None:
    model = network(replace(PRESETS["tiny"], trained_length=256, longest=1024))
    for lengths in ([250], [240, 100], [300], [20]):
        ours = walked(Fixed(model, Speed()), model, lengths, 10)
        assert torch.allclose(ours, walked(Growing(model), model, lengths, 10), atol=CLOSE)


def test_no_more_rooms_are_kept_than_their_limit() -> None:
    model = network(replace(PRESETS["tiny"], layers=1))
    fixed = Fixed(model, Speed())
    for rows in (1, 2, 3, 5, 9, 1, 17):
        walked(fixed, model, [4] * rows, 1)
        assert fixed.kept <= KEPT_ROOMS


def test_a_step_can_be_traced_as_one_whole() -> None:
    model = network(replace(PRESETS["tiny"], layers=1))
    traced = Fixed(model, Speed(backend="eager"))
    assert torch.allclose(walked(traced, model, [9, 4], 3), walked(Growing(model), model, [9, 4], 3), atol=CLOSE)


def test_where_a_step_cannot_be_compiled_it_is_taken_plainly(caplog: pytest.LogCaptureFixture) -> None:
    model = network()
    with caplog.at_level(logging.WARNING):
        broken = walked(Fixed(model, Speed(record=True, backend="no-such-compiler")), model, [9], 3)
    assert "cannot be compiled" in caplog.text
    assert torch.cuda.is_available() or "cannot be recorded" in caplog.text
    assert torch.allclose(broken, walked(Growing(model), model, [9], 3), atol=CLOSE)


def test_without_a_gpu_steps_are_plain_unless_compiling_is_asked_for() -> None:
    model = network()
    assert isinstance(chosen(model, None), Growing) and isinstance(chosen(model, False), Growing)
    assert isinstance(chosen(model, True), Fixed)


# What is answered together


def job(words: int, tokens: int = 20) -> Job:
    return Job(prompt=build([" ".join("abc"[k % 3] for k in range(words))], SMALL), tokens=tokens)


def test_long_prompts_in_a_batch_are_answered_as_alone() -> None:
    # Padding beyond the trained length would change the stretch of the shorter ones.
    model = network(replace(PRESETS["tiny"], trained_length=150, longest=1024))

    def answers(jobs: list[Job]) -> list[Answer]:
        return Writer(model, SMALL, Eyes(model, 0)).answer(jobs)

    jobs = [job(1), job(150), job(20), job(30, tokens=60), job(2)]
    assert answers(jobs) == [answers([one])[0] for one in jobs]
    assert len(batches(jobs, 150)) < len(jobs), "those that fit are still answered together"


def test_every_job_is_in_exactly_one_batch_within_the_trained_length() -> None:
    jobs = [job(n * 13 % 70, tokens=20 + n * 7 % 90) for n in range(20)]
    made = batches(jobs, 180)
    assert sorted(i for batch in made for i in batch) == list(range(20))
    for batch in made:
        room = max(len(jobs[i].prompt.ids) for i in batch) + max(jobs[i].tokens for i in batch)
        assert room <= 180 or len(batch) == 1
