from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab import Lab


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A bench whose private adb server runs."""
    lab = Lab(tmp_path)
    with lab.adb_server():
        yield lab
