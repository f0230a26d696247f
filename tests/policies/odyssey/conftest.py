"""PyTorch is optional; where a check has promised it, its absence is a failure."""

from __future__ import annotations

import importlib.util
import os

if "torch" in os.environ.get("TAPWRIGHT_REQUIRE", "").split(",") and importlib.util.find_spec("torch") is None:
    raise RuntimeError("TAPWRIGHT_REQUIRE names torch, but it is not installed: pip install 'tapwright[odyssey]'")
