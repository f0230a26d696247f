"""What docs/policies.md says of the policy: its settings, presets, dialect, and what a step sends."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from device.actions import Key, PressKey
from policies.base import Decision
from policies.llm.base import Picture, Request
from policies.mm_navigator import grammar
from policies.mm_navigator.conversation import begin, joined, sum_up
from policies.mm_navigator.style import Style, presets
from tests.policies.mm_navigator.pages import page, seen, turn

DOCS = Path(__file__).parents[3] / "docs" / "policies.md"
NAMES = [
    "Network",
    "Connected",
    "Apps",
    "Notifications",
    "Battery",
    "Storage",
    "Sound",
    "Display",
    "Wallpaper",
    "Security",
    "Privacy",
    "Location",
]
PAST = turn(Decision(choice=PressKey(Key.HOME), memo="I opened the settings and looked for the page of the display."))
ROWS = {
    "image only": Style(history=False),
    "+text": Style(history=False, text=True),
    "+history (default)": Style(),
    "+text, +history": Style(text=True),
    "+history, fused": Style(summary="fused"),
    "+history, describe": Style(describe=True),
}


def estimate(request: Request) -> int:
    """Four letters to a token; a picture of 540x1200 as 20 by 43 patches of 28 pixels, one token each."""
    parts = [part for message in request.messages for part in message.parts]
    letters = len(request.system) + sum(len(part) for part in parts if isinstance(part, str))
    return letters // 4 + 860 * sum(isinstance(part, Picture) for part in parts)


def step(style: Style) -> list[Request]:
    opening = begin(seen(page(*NAMES), PAST), style)
    words = "I would tap Display, which stands in the list below Sound." if style.describe else ""
    said = grammar.render(grammar.Said("The page of the display is in this list.", grammar.Click(8)))
    made = [opening.request, opening.asking(words)] if style.describe else [opening.request]
    raw = joined(words, said) if style.describe else said
    return [*made, sum_up(opening, raw, "en")] if style.reflects else made


def documented() -> dict[str, tuple[int, int, int]]:
    rows = re.findall(r"^\| ([^|]+?) \| (\d) \| (\d) \| ([\d ]+?) \|", DOCS.read_text(), re.MULTILINE)
    return {name: (int(calls), int(pictures), int(tokens.replace(" ", ""))) for name, calls, pictures, tokens in rows}


@pytest.mark.parametrize("name", ROWS)
def test_the_table_of_what_a_step_sends_is_true(name: str) -> None:
    made = step(ROWS[name])
    calls, pictures, tokens = documented()[name]
    assert calls == len(made)
    assert pictures == sum(len(request.pictures) for request in made)
    assert tokens == pytest.approx(sum(map(estimate, made)), rel=0.03)


SECTION = DOCS.read_text().partition("## mm_navigator")[2].partition("\n## ")[0]


def first_cells(after: str) -> list[str]:
    """Words in code of the first column of the table that follows."""
    table = SECTION.partition(after)[2].partition("\n\n")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return [word for row in rows for word in re.findall(r"`([^`]+)`", row)]


def test_every_setting_is_documented_with_its_default() -> None:
    assert set(first_cells("| setting | default | |")) == {"preset", *(one.name for one in fields(Style))}
    for one in fields(Style):
        shown = str(one.default).lower()
        assert f"| `{one.name}` | `{shown}` |" in SECTION, one.name


def test_every_preset_is_documented_with_the_papers_score() -> None:
    assert set(first_cells("| preset | row | paper |")) == set(presets())
    for preset in presets().values():
        row = next(line for line in SECTION.splitlines() if line.startswith("| `") and f"`{preset.name}`" in line)
        assert preset.overall is None or str(preset.overall) in row


def test_every_action_is_documented_with_its_fields() -> None:
    told = {word: sorted(branch["properties"].keys() - {"action_type"}) for word, branch in branches().items()}
    assert set(first_cells("| `action_type` | fields | |")) == set(told)
    for word, names in told.items():
        row = next(line for line in SECTION.splitlines() if line.startswith("| `") and f"`{word}`" in line)
        assert sorted(re.findall(r"`(\w+)`", row.split("|")[2])) == names


def branches() -> dict[str, dict[str, Any]]:
    forms = grammar.schema(summary=False)["properties"]["action"]["anyOf"]
    return {form["properties"]["action_type"]["enum"][0]: form for form in forms}
