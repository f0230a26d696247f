"""The conditions a phone works under: faults and latency, asked for by coroutines and decided where the phone lives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from device.virtual.adbd.bridge import PhoneHost
from device.virtual.faults.fault import Fault
from device.virtual.faults.injector import FaultInjector, Fired
from device.virtual.faults.latency import LATENCIES
from device.virtual.faults.wire import AnswerFault, DelayFault, Operation

K = TypeVar("K", bound=Fault)


class Conditions:
    """One phone's. A calm phone without latency is asked nothing and waits for nothing."""

    def __init__(self, host: PhoneHost) -> None:
        self._host = host
        self.injector = FaultInjector()
        self.latency = LATENCIES["none"]

    async def strike(
        self, kind: type[K], operation: Any = None, detail: Mapping[str, Any] | None = None
    ) -> list[Fired[K]]:
        """The faults of that kind that befall an operation; they stand in the journal now."""
        if not self.injector.armed(kind):
            return []
        return await self._host.run(lambda phone: self.injector.firing(phone, kind, operation, detail))

    async def begin(self, operation: Operation) -> None:
        """Wait as long as the phone takes before the operation has its effect."""
        ms = self.latency.of(operation).before
        told = {"path": operation.path, "operation": operation.name}
        ms += sum(fired.fault.ms for fired in await self.strike(DelayFault, operation, told))
        await self._wait(ms)

    async def end(self, operation: Operation, tree: str | None = None) -> None:
        """Wait as long as it takes afterwards; a dumped `tree` takes its time for each element."""
        delay = self.latency.of(operation)
        await self._wait(delay.after + (delay.per_element * tree.count("<node") if tree and delay.per_element else 0.0))

    async def _wait(self, ms: float) -> None:
        if ms > 0:
            await self._host.sleep(ms / 1000)

    async def breaks(self, service: str) -> tuple[float, bool] | None:
        """The share after which the next answer of a service breaks off, and whether the connection does so too."""
        fired = await self.strike(AnswerFault, service, {"answer": service})
        return (fired[0].fault.share, fired[0].fault.whole) if fired else None
