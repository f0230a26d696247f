"""What docs/policies.md shows is what happens."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from device.actions import Swipe
from device.base import Answer
from policies import registry
from policies.base import Finish, Observation, Turn
from policies.follow.grammar import parse
from policies.scripted import Scripted
from tests.policies.phone import decide
from tests.policies.screens import listed, screen
from tests.policies.test_grammar import DEMO
from tests.policies.test_registry import install

PAGE = (Path(__file__).parents[2] / "docs/policies.md").read_text()
FOLLOW = PAGE.partition("\n## scripted")[0]


def test_the_documented_demo_is_the_tested_one() -> None:
    shown = re.search(r"\n    (Open Settings.*?)\n\n", PAGE, re.DOTALL)
    assert shown is not None
    assert " ".join(shown[1].split()) == DEMO


def test_every_step_in_the_table_can_be_read() -> None:
    rows = [line.split("|")[1] for line in FOLLOW.splitlines() if line.startswith("| `")]
    steps = [step for row in rows for step in re.findall(r"`([^`]+)`", row) if step[0].islower()]
    assert len(steps) >= 15
    for step in steps:
        assert len(parse(step)) == 1, step


def test_the_documented_script_is_accepted() -> None:
    shown = re.search(r"\n    (\[\{.*?\}\])\n", PAGE, re.DOTALL)
    assert shown is not None
    Scripted(json.loads(shown[1]))


def test_the_documented_policy_runs_as_an_installed_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    point = re.search(r'\n(\w+) = "([\w:]+)"\n```', PAGE)
    assert source is not None and point is not None
    assert len(source[1].splitlines()) <= 40
    install(tmp_path, "tapwright_reader", source[1], {point[1]: point[2]})
    monkeypatch.syspath_prepend(tmp_path)
    assert registry.names()[-1].description == "Reads a whole list, page by page."
    policy = registry.create("reader", {"pages": 3})
    page = screen(*listed("Ada", "Bo"))
    first = decide(policy, Observation(goal="read", screen=page))
    assert isinstance(first.choice, Swipe) and first.thought == "Page 1: Ada, Bo."
    turn = Turn(step=1, decision=first, sent=Answer.YES, changed=Answer.NO)
    last = decide(policy, Observation(goal="read", screen=page, history=(turn,)))
    assert isinstance(last.choice, Finish) and last.choice.answer == "Ada, Bo"
