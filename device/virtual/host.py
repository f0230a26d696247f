"""A phone alive among coroutines: it lives in a thread of its own and is reached through a mailbox.

    phone = VirtualPhone(clock=VirtualClock("live"))
    async with serve_phone(phone) as served:
        print(f"adb connect {served.address}")

The event loop never waits for the phone to draw or encode: it posts a job and awaits the answer. An idle phone uses no
processor time, for its thread sleeps until a job or the next timer.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from device.virtual.adbd.services import Adbd, banner
from device.virtual.faults.latency import latency as latency_of
from device.virtual.faults.plan import Plan
from device.virtual.phone import VirtualPhone

T = TypeVar("T")

log = logging.getLogger(__name__)

STEP_MS = 16.0
"""How far a manual clock is advanced at a time while somebody waits for a condition: one frame of 60 Hz."""
FRAME_S = 1 / 30
"""How often an animating phone's conditions are looked at again."""


class PhoneStopped(ConnectionError):
    """The phone's thread has ended."""


@dataclass(slots=True)
class _Job:
    run: Callable[[VirtualPhone], Any]
    answer: asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop


@dataclass(slots=True)
class _Condition:
    """Somebody who waits: `seconds` of the phone's time, until `deadline` in its milliseconds."""

    holds: Callable[[VirtualPhone], bool]
    seconds: float
    answer: asyncio.Future[bool]
    loop: asyncio.AbstractEventLoop
    deadline: float = 0.0


class PhoneThread:
    """The thread a phone lives in. `start` before the first call, `stop` after the last."""

    def __init__(self, phone: VirtualPhone) -> None:
        self._phone = phone
        self._mailbox: queue.SimpleQueue[_Job | _Condition | None] = queue.SimpleQueue()
        self._conditions: list[_Condition] = []
        self._thread = threading.Thread(target=self._live, name="virtual phone", daemon=True)
        self._stopped = False

    def start(self) -> None:
        self._thread.start()

    async def stop(self) -> None:
        """End the thread; whoever still waits gets PhoneStopped."""
        self._stopped = True
        self._mailbox.put(None)
        await asyncio.get_running_loop().run_in_executor(None, self._thread.join)

    async def run(self, job: Callable[[VirtualPhone], T]) -> T:
        """Carry out `job(phone)` in the phone's thread and give its result."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()
        self._post(_Job(job, answer, loop))
        return await answer

    async def until(self, condition: Callable[[VirtualPhone], bool], seconds: float) -> bool:
        """Wait, in the phone's time, until the condition holds; False when the seconds are over first."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[bool] = loop.create_future()
        self._post(_Condition(condition, seconds, answer, loop))
        return await answer

    async def sleep(self, seconds: float) -> None:
        """Let the phone's time pass."""
        await self.until(lambda phone: False, seconds)

    def _post(self, item: _Job | _Condition) -> None:
        if self._stopped:
            raise PhoneStopped("the virtual phone has been switched off")
        self._mailbox.put(item)

    def _live(self) -> None:
        while True:
            try:
                item = self._mailbox.get(timeout=self._patience())
            except queue.Empty:
                pass
            else:
                if item is None:
                    break
                if isinstance(item, _Job):
                    self._carry_out(item)
                else:
                    item.deadline = self._phone.clock.now_ms() + item.seconds * 1000.0
                    self._conditions.append(item)
            if self._phone.clock.live:
                self._pass()
            self._check()
        for condition in self._conditions:
            _refuse(condition)
        while not self._mailbox.empty():
            if (left := self._mailbox.get()) is not None:
                _refuse(left)

    def _pass(self, ms: float = 0.0) -> None:
        """Let timers run: those that are due, or on a manual clock those of the next milliseconds."""
        try:
            if self._phone.clock.live:
                self._phone.pump()
            else:
                self._phone.advance(ms)
        except Exception:  # a timer of some app failed; the phone goes on, as a phone does when an app crashes
            log.exception("a timer of the virtual phone failed")

    def _patience(self) -> float | None:
        """Seconds until something has to be done without being asked; None for never."""
        if not self._phone.clock.live:
            return 0.0 if self._hurried() else None
        times = [] if (due := self._phone.due()) is None else [due / 1000.0]
        if self._conditions:
            now = self._phone.clock.now_ms()
            times += [max(condition.deadline - now, 0.0) / 1000.0 for condition in self._conditions]
            if self._phone.animating:
                times.append(FRAME_S)
        return min(times, default=None)

    def _check(self) -> None:
        """Answer the conditions that hold or are over; on a manual clock let time pass for the others."""
        waiting = []
        for condition in self._conditions:
            if condition.answer.cancelled():
                continue
            try:
                holds = condition.holds(self._phone)
            except Exception as error:  # a condition belongs to its caller, and so does its failure
                _settle(condition.loop, condition.answer, error=error)
                continue
            if holds or self._phone.clock.now_ms() >= condition.deadline:
                _settle(condition.loop, condition.answer, holds)
            else:
                waiting.append(condition)
        self._conditions = waiting
        if not self._phone.clock.live and self._mailbox.empty() and (hurried := self._hurried()):
            self._pass(min(*hurried, STEP_MS))

    def _hurried(self) -> list[float]:
        """Milliseconds until the deadlines of those for whom a manual clock has to go on."""
        now = self._phone.clock.now_ms()
        left = [condition.deadline - now for condition in self._conditions]
        return [max(ms, 0.0) for ms in left if ms < PATIENT_MS]

    def _carry_out(self, job: _Job) -> None:
        try:
            result = job.run(self._phone)
        except Exception as error:  # a job belongs to its caller, and so does its failure
            _settle(job.loop, job.answer, error=error)
        else:
            _settle(job.loop, job.answer, result)


PATIENT_MS = 3_600_000.0
"""Whoever waits longer than an hour waits for others to act, not for time: a manual clock stays where it is."""


def _settle(
    loop: asyncio.AbstractEventLoop, answer: asyncio.Future[Any], result: Any = None, error: Exception | None = None
) -> None:
    def put() -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(result)

    if not loop.is_closed():
        loop.call_soon_threadsafe(put)


def _refuse(item: _Job | _Condition) -> None:
    _settle(item.loop, item.answer, error=PhoneStopped("the virtual phone has been switched off"))


@dataclass(frozen=True, slots=True)
class ServedPhone:
    """A phone on the wire; `host` is the way to the phone itself."""

    listener: PhoneListener
    host: PhoneThread
    adbd: Adbd

    @property
    def address(self) -> str:
        """What `adb connect` takes; another one after the phone has moved to a new port."""
        return self.listener.address

    def __str__(self) -> str:
        return self.address


@asynccontextmanager
async def serve_phone(
    phone: VirtualPhone,
    *,
    port: int = 0,
    bind: str = "127.0.0.1",
    faults: Plan | None = None,
    latency: str = "none",
) -> AsyncIterator[ServedPhone]:
    """Put a phone behind the adb wire until the block ends. Port 0 takes a free one outside adb's emulator range.

    From here on nobody but the served host may touch the phone. Raises OSError when the port is taken, and BadFault
    for an unknown latency model.
    """
    hello = banner(phone)
    host = PhoneThread(phone)
    adbd = Adbd(host, hello)
    adbd.conditions.latency = latency_of(latency)
    listener = PhoneListener(adbd, bind, port)
    await listener.open()
    adbd.link.listener = listener
    host.start()
    try:
        if faults is not None:
            await host.run(lambda phone: adbd.conditions.injector.arm(phone, faults))
        yield ServedPhone(listener, host, adbd)
    finally:
        adbd.close()
        await listener.close()
        await host.stop()


class PhoneListener:
    """The phone's TCP port. One chosen here is not one that adb servers scan for emulators (5555 to 5585)."""

    def __init__(self, adbd: Adbd, bind: str, port: int) -> None:
        self._adbd = adbd
        self._bind = bind
        self._port = port
        self._server: asyncio.Server | None = None

    @property
    def address(self) -> str:
        return f"{self._bind}:{self._port}"

    async def open(self, *, elsewhere: bool = False) -> None:
        """Listen where it was, or on another free port; raises OSError when the port is taken."""
        loop, wanted = asyncio.get_running_loop(), 0 if elsewhere else self._port
        while True:
            server = await loop.create_server(self._adbd.transport, self._bind, wanted, start_serving=False)
            number = cast(int, server.sockets[0].getsockname()[1])
            if wanted or (number not in EMULATOR_PORTS and number != self._port):
                self._server, self._port = server, number  # kept before the next await, which may be cancelled
                await server.start_serving()
                return
            server.close()

    async def close(self) -> None:
        """Refuse connections from now on; those there are stay."""
        if self._server is not None:
            self._server.close()
            self._server = None


EMULATOR_PORTS = range(5554, 5586)
