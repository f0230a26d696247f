"""docs/phones.md names a test in every row, and each of them exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = [
    line
    for line in (ROOT / "docs" / "phones.md").read_text().splitlines()
    if line.startswith("| ") and not line.startswith(("| topic", "| ---"))
]
SOURCES = {path.stem: path.read_text() for path in (ROOT / "tests").rglob("test_*.py")}
NAMES = {name for text in SOURCES.values() for name in re.findall(r"def (test_\w+)\(", text)} | SOURCES.keys()


def named(row: str) -> list[str]:
    """Modules and tests in the last cell; `...` stands for any letters."""
    cell = row.strip().strip("|").split("|")[-1]
    quoted = [part.strip() for one in re.findall(r"`([^`]+)`", cell) for part in one.split(":")]
    return [Path(one).stem if one.endswith(".py") else one for one in quoted]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_every_row_names_tests_that_exist(row: str) -> None:
    found = named(row)
    assert found or row.strip().strip("|").split("|")[-1].strip() == "as above"
    for name in found:
        pattern = re.compile(r"\w*".join(map(re.escape, name.split("..."))))
        assert any(pattern.fullmatch(one) for one in NAMES), name


def test_every_topic_is_told_once() -> None:
    topics = [row.split("|")[1].strip() for row in ROWS]
    assert len(topics) == len(set(topics)) > 30
