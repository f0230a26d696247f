"""PyTorch is optional; where a check has promised it, its absence is a failure. One thread of it is enough here."""

from __future__ import annotations

import importlib.util
import os

import pytest

HAS_TORCH = importlib.util.find_spec("torch") is not None

if "torch" in os.environ.get("TAPWRIGHT_REQUIRE", "").split(",") and not HAS_TORCH:
    raise RuntimeError("TAPWRIGHT_REQUIRE names torch, but it is not installed: pip install 'tapwright[odyssey]'")


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> None:
    """Several networks on two cores would only wait for each other."""
    if HAS_TORCH:
        import torch

        torch.set_num_threads(1)
