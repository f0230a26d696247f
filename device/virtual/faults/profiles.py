"""Fault plans that come with the phone, and the reading of plans from files."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

from device.virtual.faults.fault import BadFault
from device.virtual.faults.plan import Plan, read_plan

PROFILES = ("clean", "everyday", "flaky-adb", "blind", "deaf")


def profile(name: Any, seed: int | None = None) -> Plan:
    """The plan of that name; raises BadFault with the known names."""
    if name not in PROFILES:
        raise BadFault(f"no fault profile {name!r}; known are {', '.join(PROFILES)}")
    text = resources.files(__package__).joinpath(f"plans/{name}.json").read_text("utf-8")
    return read_plan(json.loads(text), seed)


def load(name_or_path: str, seed: int | None = None) -> Plan:
    """A profile by name, or the plan in a JSON file; raises BadFault, also for a file that cannot be read."""
    if name_or_path in PROFILES:
        return profile(name_or_path, seed)
    try:
        text = Path(name_or_path).read_text("utf-8")
    except OSError as error:
        known = ", ".join(PROFILES)
        raise BadFault(
            f"{name_or_path!r} is no fault profile ({known}) and no readable file: {error.strerror}"
        ) from None
    try:
        return read_plan(json.loads(text), seed)
    except ValueError as error:
        raise BadFault(f"{name_or_path}: {error}") from None
