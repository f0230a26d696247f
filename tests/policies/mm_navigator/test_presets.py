"""The published experiments as files of settings."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest

from policies import registry
from policies.errors import PolicyError
from policies.mm_navigator import MmNavigator
from policies.mm_navigator.style import DEFAULT, BadSetting, Style, presets, read, settle

MODEL = {"provider": "openai", "model": "m", "base_url": "http://127.0.0.1:8000/v1"}
# Scores as the paper prints them (arXiv 2311.07562, tables 3 to 5).
ROWS = {
    "table3-image-only": 50.54,
    "table3-text": 51.92,
    "table3-history": 52.96,
    "table4-by-side": 48.39,
    "table4-red": 49.05,
    "table4-center": 49.72,
    "table5-baseline": 48.39,
    "table5-think": 46.66,
    "table5-specific": 48.77,
    "section4-describe": None,
}
GOOD = '[paper]\nrow = "Table 9: X"\noverall = 1.5\n[settings]\ntags = "red"\n'


def made(**params: Any) -> Style:
    policy = registry.create("mm_navigator", {**MODEL, **params})
    assert isinstance(policy, MmNavigator)
    return policy.style


def test_every_row_of_the_papers_tables_is_a_file_that_makes_a_policy() -> None:
    assert {name: preset.overall for name, preset in presets().items()} == ROWS
    for name in ROWS:
        assert made(preset=name) == Style(**presets()[name].settings)


def test_rows_of_one_table_differ_in_what_the_table_compares() -> None:
    def settings(*names: str) -> list[dict[str, Any]]:
        return [dict(presets()[name].settings) for name in names]

    image, text, history = settings("table3-image-only", "table3-text", "table3-history")
    assert [(one["text"], one["history"]) for one in (image, text, history)] == [
        (False, False),
        (True, False),
        (True, True),
    ]
    tags = settings("table4-by-side", "table4-red", "table4-center")
    assert [one.pop("tags") for one in tags] == ["beside", "red", "centre"]
    assert tags[0] == tags[1] == tags[2]
    prompts = settings("table5-baseline", "table5-think", "table5-specific")
    assert [one.pop("prompt") for one in prompts] == ["baseline", "think", "detail"]
    assert prompts[0] == prompts[1] == prompts[2]
    # The two rows with the same figures in the paper are the same settings.
    assert settings("table4-by-side") == settings("table5-baseline")


def test_what_the_paper_does_not_say_is_said_so_in_the_file() -> None:
    for name in ROWS:
        text = (files("policies.mm_navigator") / "presets" / f"{name}.toml").read_text()
        comment = " ".join(line.removeprefix("# ") for line in text.splitlines() if line.startswith("#"))
        assert any(sign in comment for sign in ("not in the paper", "does not say", "as in table", "measured no")), name


def test_given_settings_win_over_the_preset_and_the_preset_over_the_defaults() -> None:
    assert made() == DEFAULT
    assert made(preset="table4-red").tags == "red"
    assert made(preset="table4-red", tags="placed", text=True) == Style(
        text=True, prompt="baseline", tags="placed", max_tokens=1024
    )
    # What would be the default counts when it is given.
    assert made(preset="table3-image-only", history=True).history is True


@pytest.mark.parametrize("name", ["table6", "", 3, "../table3-text"])
def test_an_unknown_preset_lists_the_known_ones(name: Any) -> None:
    with pytest.raises(BadSetting, match="no preset") as caught:
        made(preset=name)
    assert all(known in caught.value.advice for known in ROWS)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("nothing", "Expected '='"),
        (GOOD.replace("tags", "colour"), "settings: unknown or missing: colour"),
        (GOOD.replace('"red"', '"blue"'), "tags must be one of"),
        (GOOD.replace('"red"', "3"), "tags must be one of"),
        (GOOD + 'text = "yes"', "text must be true or false"),
        (GOOD + "width = 20", "width must be 200"),
        (GOOD.replace("1.5", '"much"'), "overall must be a number"),
        (GOOD.replace('row = "Table 9: X"', ""), "row"),
        (GOOD + "[more]", "the file: unknown or missing: more"),
        (GOOD.replace("[settings]", "[other]"), "unknown or missing: other, settings"),
        ("paper = 3\n[settings]\n", "paper must be a table"),
    ],
)
def test_a_wrong_file_is_named_with_its_field(text: str, named: str) -> None:
    with pytest.raises(BadSetting, match=named) as caught:
        read("mine", text)
    assert "mine" in str(caught.value)


def test_a_right_file_is_read() -> None:
    preset = read("mine", GOOD)
    assert (preset.row, preset.overall, preset.settings) == ("Table 9: X", 1.5, {"tags": "red"})
    assert settle(None, **preset.settings) == Style(tags="red")


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"tags": "none"}, "tags"),
        ({"tags": 1}, "tags"),
        ({"prompt": "shout"}, "prompt"),
        ({"describe": "yes"}, "describe"),
        ({"max_tokens": 1.5}, "max_tokens"),
    ],
)
def test_wrong_settings_are_named(params: dict[str, Any], named: str) -> None:
    with pytest.raises(PolicyError, match=named):
        made(**params)
