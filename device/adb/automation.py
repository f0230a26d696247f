"""The phone's UiAutomation server as a resource: when it may run, and when it is started again.

While UiAutomation runs, Android switches every accessibility service off (TalkBack, Switch Access, ...). So it is
only started when none is on or the owner has consented, and ended as soon as one is switched on.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from device.adb import probe
from device.adb.client import Link
from device.adb.u2 import U2
from device.clock import Clock
from device.errors import AutomationBusy, AutomationDied, CommandRefused, DeadlineExceeded, DeviceError

RESTART_PAUSE = 30.0
"""Seconds between attempts to bring the server back: something else may be fighting for it."""
DUMP_FILE = "/data/local/tmp/tapwright-window.xml"
DUMP_DEADLINE = 10.0
"""`uiautomator dump` takes 2.2 s on phones and waits for an idle screen before."""


class Automation:
    """At most one server for one phone. `reason` says why there is none."""

    def __init__(self, link: Link, clock: Clock, *, consent: bool) -> None:
        self._link = link
        self._clock = clock
        self._consent = consent
        self._u2: U2 | None = None
        self._started = False
        self._not_before = 0.0
        self._broken = False
        self._blocked = False
        self._busy = False
        self.reason = ""

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
            await self.close()
        if self._u2 is not None or self._blocked or self._clock.monotonic() < self._not_before:
            return False
        if not await self.heed(await probe.accessibility_services(self._link)):
            return False
        if self._started or self.reason:
            self._not_before = self._clock.monotonic() + RESTART_PAUSE
        try:
            self._u2 = await U2.start(self._link, join=not self._broken)
            if not await self._u2.answering():
                await self.close()
                raise AutomationDied("the phone's server has started, but does not answer")
        except (AutomationBusy, AutomationDied, CommandRefused, DeadlineExceeded) as error:
            self._not_before = self._clock.monotonic() + RESTART_PAUSE
            self._busy = isinstance(error, AutomationBusy)
            self.reason = f"{error} {error.advice}".strip()
            return False
        self._started, self._broken, self._busy, self.reason = True, False, False, ""
        return True

    async def heed(self, services: Sequence[str]) -> bool:
        """Make way for the accessibility services that are on; returns whether the server may run."""
        self._blocked = bool(services) and not self._consent
        if self._blocked:
            names = ", ".join(one.split("/")[0] for one in services)
            self.reason = f"an accessibility service is on ({names}) and would be silenced; the owner may consent"
            await self.close()
        return not self._blocked

    async def tree(self) -> tuple[str | None, str]:
        """A dump of the accessibility tree (XML), or None and the reason. Raises LinkLost."""
        if self._blocked:
            return None, self.reason
        try:
            xml = await self.u2.tree() if self.u2 is not None else await self._stock_dump()
        except (AutomationBusy, AutomationDied, CommandRefused, DeadlineExceeded) as error:
            return None, f"the phone gave no tree: {error}"
        return (xml, "") if "<node" in xml else (None, self.reason or "the phone gave an empty tree")

    async def _stock_dump(self) -> str:
        """The tree from the phone's own program, for when our server does not start. Raises DeviceError."""
        if self._busy:
            return ""
        answer = await self._link.shell(["uiautomator", "dump", DUMP_FILE], DUMP_DEADLINE)
        if "dumped to" not in answer.text:
            raise CommandRefused((answer.out + answer.err).decode(errors="replace").strip()[:200])
        try:
            return (await self._link.pull(DUMP_FILE)).decode(errors="replace")
        finally:
            with contextlib.suppress(DeviceError):
                await self._link.shell(["rm", "-f", DUMP_FILE])

    async def close(self) -> None:
        """End the server."""
        if self._u2 is not None:
            await self._u2.close()
            self._u2 = None
