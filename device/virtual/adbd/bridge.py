"""What the wire needs of whoever keeps the phone: everything that touches the phone happens in its own thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from device.virtual.phone import VirtualPhone

T = TypeVar("T")


class PhoneHost(Protocol):
    """A phone that lives in a thread of its own, or in the caller's when time stands still."""

    async def run(self, job: Callable[[VirtualPhone], T]) -> T:
        """Carry out `job(phone)` where the phone lives and give its result; its exceptions come through."""
        ...

    async def until(self, condition: Callable[[VirtualPhone], bool], seconds: float) -> bool:
        """Wait, in the phone's time, until the condition holds; False when the seconds are over first."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Let the phone's time pass."""
        ...
