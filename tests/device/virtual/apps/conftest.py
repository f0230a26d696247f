"""A phone and a finger for every test."""

from __future__ import annotations

import pytest
from finger import Finger

from device.virtual.phone import VirtualPhone


@pytest.fixture
def phone() -> VirtualPhone:
    return VirtualPhone()


@pytest.fixture
def finger(phone: VirtualPhone) -> Finger:
    return Finger(phone)
