"""The phone's UiAutomation server as a resource: when it may run, and when it is started again.

While UiAutomation runs, Android switches every accessibility service off (TalkBack, Switch Access, ...). So which are
on is read before anything starts it, the server as well as `uiautomator dump`; it is only started when none is on or
the owner has consented, and ended as soon as one is switched on. That setting is never written.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Sequence

from device.adb import probe
from device.adb.client import Link
from device.adb.refusals import translated
from device.adb.u2 import TREE_DEADLINE, U2
from device.clock import Clock
from device.errors import AutomationBusy, AutomationDied, CommandRefused, DeadlineExceeded, DeviceError, NoTree

log = logging.getLogger(__name__)

RESTART_PAUSE = 30.0
"""Seconds between attempts to bring the server back: something else may be fighting for it."""
DUMP_FILE = "/data/local/tmp/tapwright-window.xml"
DUMP_DEADLINE = 10.0
"""`uiautomator dump` takes 2.2 s on phones and waits for an idle screen before."""
BOUND_PATIENCE = 3.0
"""Seconds that accessibility services get to come back when UiAutomation has ended."""
BOUND_INTERVAL = 0.2
_FAILURES = (AutomationBusy, AutomationDied, CommandRefused, DeadlineExceeded, NoTree)
"""What speaks against UiAutomation; a broken link concerns all, and is passed on."""


class Automation:
    """At most one server for one phone. `reason` says why there is none; `starts` counts them."""

    def __init__(self, link: Link, clock: Clock, *, consent: bool) -> None:
        self._link = link
        self._clock = clock
        self._consent = consent
        self._u2: U2 | None = None
        self._not_before = 0.0
        self._broken = False
        self._blocked = False
        self._busy = False
        self._bound: tuple[str, ...] = ()
        self.tree_deadline = TREE_DEADLINE
        self.reason = ""
        self.starts = 0

    @property
    def u2(self) -> U2 | None:
        """The server, if one runs."""
        return self._u2 if self._u2 is not None and self._u2.alive else None

    async def ensure(self) -> bool:
        """Start the server if it may run and does not; returns whether it was started just now.

        Raises DeviceError only when the phone itself cannot be reached.
        """
        if self._u2 is not None and not await self._u2.answering():
            self._broken = True
            await self._end()
        if self._u2 is not None or self._blocked or self._clock.monotonic() < self._not_before:
            return False
        if not await self._allowed():
            return False
        if self.starts or self.reason:
            self._not_before = self._clock.monotonic() + RESTART_PAUSE
        try:
            self._u2 = await U2.start(self._link, join=not self._broken)
            if not await self._u2.answering():
                await self._end()
                raise AutomationDied("the phone's server has started, but does not answer")
        except _FAILURES as error:
            self._not_before = self._clock.monotonic() + RESTART_PAUSE
            self._busy = isinstance(error, AutomationBusy)
            self.reason = f"{error} {error.advice}".strip()
            return False
        self.starts += 1
        if self.starts > 1:
            log.warning("phone's server started again serial=%s starts=%d", self._link.serial, self.starts)
        self._broken, self._busy, self.reason = False, False, ""
        return True

    def relinked(self) -> None:
        """The link is new: what has ended with the old one may start without a pause."""
        self._not_before = 0.0

    async def _allowed(self) -> bool:
        """Ask the phone who else is there; returns whether UiAutomation may run."""
        services = await probe.accessibility_services(self._link)
        if not await self.heed(services):
            return False
        if services and not self._bound:
            self._bound = await probe.bound_services(self._link) or ()
        return True

    async def heed(self, services: Sequence[str]) -> bool:
        """Make way for the accessibility services that are on; returns whether the server may run."""
        self._blocked = bool(services) and not self._consent
        if self._blocked:
            names = ", ".join(one.split("/")[0] for one in services)
            self.reason = f"an accessibility service is on ({names}) and would be silenced; the owner may consent"
            await self._end()
        return not self._blocked

    async def tree(self) -> tuple[str | None, str]:
        """A dump of the accessibility tree (XML), or None and the reason. Raises LinkLost."""
        if self._blocked:
            return None, self.reason
        try:
            xml = await self.u2.tree(self.tree_deadline) if self.u2 is not None else await self._stock_dump()
        except _FAILURES as error:
            return None, f"the phone gave no tree: {error}"
        return (xml, "") if "<node" in xml else (None, self.reason or "the phone gave an empty tree")

    async def _stock_dump(self) -> str:
        """The tree from the phone's own program, for when our server does not start. Raises DeviceError."""
        # The dumper is UiAutomation as well.
        if self._busy or not await self._allowed():
            return ""
        answer = await self._link.shell(["uiautomator", "dump", DUMP_FILE], DUMP_DEADLINE)
        if "dumped to" not in answer.text:
            raise translated((answer.out + answer.err).decode(errors="replace")[:200], serial=self._link.serial)
        try:
            return (await self._link.pull(DUMP_FILE)).decode(errors="replace")
        finally:
            with contextlib.suppress(DeviceError):
                await self._link.shell(["rm", "-f", DUMP_FILE])

    async def close(self) -> tuple[str, ...]:
        """End the server; labels of the accessibility services that it had silenced and that have not come back."""
        ran = self._u2 is not None
        await self._end()
        return await self._missing() if ran and self._bound else ()

    async def _end(self) -> None:
        if self._u2 is not None:
            await self._u2.close()
            self._u2 = None

    async def _missing(self) -> tuple[str, ...]:
        until = self._clock.monotonic() + BOUND_PATIENCE
        while True:
            try:
                now = await probe.bound_services(self._link)
            except DeviceError:
                # A phone that is gone cannot be asked; with the link our server has ended, too.
                return ()
            missing = tuple(one for one in self._bound if now is not None and one not in now)
            if not missing or self._clock.monotonic() >= until:
                break
            await self._clock.sleep(BOUND_INTERVAL)
        if missing:
            log.error("accessibility services did not come back serial=%s services=%r", self._link.serial, missing)
        return missing
