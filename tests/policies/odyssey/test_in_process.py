"""The network in the policy's own process: loaded once, the same answers as through the server, nobody waits for it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'tapwright[odyssey]'")
pytest.importorskip("tiktoken", reason="tiktoken is not installed: pip install 'tapwright[odyssey]'")

import numpy as np  # noqa: E402
from PIL import Image  # noqa: E402

from device.base import Answer  # noqa: E402
from device.geometry import Size  # noqa: E402
from policies import registry  # noqa: E402
from policies.base import Decision, Observation, Turn  # noqa: E402
from policies.llm.errors import TimedOut, Unavailable  # noqa: E402
from policies.odyssey.local import network  # noqa: E402
from policies.odyssey.network.config import PRESETS  # noqa: E402
from policies.odyssey.network.model import Odyssey as Network  # noqa: E402
from policies.odyssey.network.model import randomise  # noqa: E402
from policies.odyssey.policy import BadSetting, Odyssey, OdysseyPolicy  # noqa: E402
from policies.odyssey.source import Source  # noqa: E402
from policies.odyssey.weights import export  # noqa: E402
from tests.policies.odyssey.folders import published_config, write_vocabulary  # noqa: E402
from tests.policies.odyssey.serving import folder_served  # noqa: E402
from tests.policies.screens import screen  # noqa: E402

STEPS = 6


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A network that knows nothing and answers each screen differently."""
    folder = tmp_path_factory.mktemp("weights")
    model = Network(PRESETS["tiny"])
    randomise(model, 11)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(5.0)
    torch.save(dict(export(model)), folder / "pytorch_model.bin")
    (folder / "config.json").write_text(json.dumps(published_config(model.config)))
    write_vocabulary(folder)
    return folder


def observation(step: int, history: tuple[Turn, ...] = ()) -> Observation:
    import io

    pixels = np.random.default_rng(step).integers(0, 255, (120, 54, 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    seen = screen()
    frame = replace(seen.frame, data=out.getvalue(), size=Size(54, 120))
    return Observation(goal="set an <img>alarm</img>", screen=replace(seen, frame=frame), history=history)


async def walked(policy: OdysseyPolicy) -> list[Decision]:
    history: list[Turn] = []
    for step in range(STEPS):
        now = observation(step, tuple(history))
        decision = await policy.decide(now)
        history.append(Turn(step=step + 1, decision=decision, sent=Answer.YES, frame=now.screen.frame))
    await policy.close()
    return [one.decision for one in history]


@pytest.mark.anyio
async def test_decisions_and_token_counts_are_those_made_through_the_server(weights: Path) -> None:
    here = await walked(Odyssey(weights=str(weights)))
    async with folder_served(weights) as url:
        there = await walked(Odyssey(base_url=url, model=weights.name))
    assert [one.choice for one in here] == [one.choice for one in there]
    assert [one.usage.tokens for one in here] == [one.usage.tokens for one in there]
    assert len({one.raw for one in here}) > 1


@pytest.mark.anyio
async def test_the_prompt_form_is_the_one_that_was_given(weights: Path) -> None:
    first, second = [
        (await Odyssey(weights=str(weights), form=form).decide(observation(0))).usage.input_tokens
        for form in ("v1", "v2")
    ]
    assert first is not None and second is not None and first < second


@pytest.mark.anyio
async def test_a_network_is_loaded_once_in_a_process(weights: Path) -> None:
    policies = [Odyssey(weights=str(weights)) for _ in range(3)]
    await asyncio.gather(*(one.decide(observation(n)) for n, one in enumerate(policies)))
    source = Source(folder=weights)
    spelt = Source(folder=weights / ".." / weights.name)
    assert network(source) is network(spelt)
    assert network(source) is not network(replace(source, dtype="bfloat16"))


@pytest.mark.anyio
async def test_the_event_loop_goes_on_while_the_network_is_loaded_and_asked() -> None:
    # A process of its own: PyTorch itself is imported in it for the first time.
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", TICKING], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout)
    assert told["imported"] is False, "nothing of PyTorch is needed to offer the policy"
    assert told["longest"] < told["seconds"] / 2, told
    assert told["ticks"] > 20, told


TICKING = """
import asyncio, json, sys, time
from policies import registry
from tests.policies.odyssey.ticking import observation
async def main():
    policy = registry.create("odyssey", {"random_init": "tiny"})
    imported = "torch" in sys.modules
    deciding = asyncio.create_task(policy.decide(observation()))
    started = last = time.monotonic()
    longest = ticks = 0
    while not deciding.done():
        await asyncio.sleep(0.01)
        now = time.monotonic()
        longest, last, ticks = max(longest, now - last), now, ticks + 1
    await deciding
    print(json.dumps({"imported": imported, "longest": longest, "ticks": ticks, "seconds": last - started}))
asyncio.run(main())
"""


@pytest.mark.anyio
async def test_a_decision_that_is_cancelled_does_not_keep_the_network(weights: Path) -> None:
    policy = Odyssey(weights=str(weights))
    await policy.decide(observation(0))
    task = asyncio.create_task(policy.decide(observation(1)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await asyncio.wait_for(policy.decide(observation(2)), 30)).raw


@pytest.mark.anyio
async def test_an_answer_that_takes_too_long_is_cut_off_by_the_timeout(weights: Path) -> None:
    await Odyssey(weights=str(weights)).decide(observation(0))
    started = time.monotonic()
    with pytest.raises(TimedOut):
        await Odyssey(weights=str(weights), timeout=0.001).decide(observation(1))
    assert time.monotonic() - started < 30


@pytest.mark.anyio
async def test_a_folder_that_was_broken_is_tried_again_once_it_is_mended(weights: Path, tmp_path: Path) -> None:
    for one in ("config.json", "qwen.tiktoken"):
        (tmp_path / one).write_bytes((weights / one).read_bytes())
    policy = Odyssey(weights=str(tmp_path))
    with pytest.raises(Unavailable, match="no weights"):
        await policy.decide(observation(0))
    (tmp_path / "pytorch_model.bin").write_bytes((weights / "pytorch_model.bin").read_bytes())
    assert (await policy.decide(observation(0))).raw


def test_pictures_stay_here_so_nobody_is_asked_for_consent(weights: Path) -> None:
    assert Odyssey(weights=str(weights)).needs.remote_model == ""
    assert Odyssey(weights=str(weights)).needs.remote_host == ""
    assert "127.0.0.1" in Odyssey().needs.remote_model


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"weights": "/nowhere"}, r"no config\.json"),
        ({"random_init": "huge"}, "tiny"),
        ({"weights": "/nowhere", "random_init": "tiny"}, "either"),
        ({"device": "cuda"}, "device"),
        ({"dtype": "float16"}, "dtype"),
        ({"form": "v1"}, "form"),
        ({"random_init": "tiny", "dtype": "int8"}, "int8"),
        ({"random_init": "tiny", "form": "v3"}, "form"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_before_the_run(params: dict[str, Any], said: str) -> None:
    with pytest.raises(BadSetting, match=said):
        registry.create("odyssey", params)
