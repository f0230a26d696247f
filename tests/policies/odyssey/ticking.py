"""An observation, made without PyTorch."""

from __future__ import annotations

import io
from dataclasses import replace

from PIL import Image

from device.geometry import Size
from policies.base import Observation
from tests.policies.screens import screen


def observation() -> Observation:
    out = io.BytesIO()
    Image.new("RGB", (54, 120), (9, 90, 30)).save(out, "PNG")
    seen = screen()
    return Observation(
        goal="go", screen=replace(seen, frame=replace(seen.frame, data=out.getvalue(), size=Size(54, 120)))
    )
