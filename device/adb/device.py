"""A phone behind an adb server, as the layers above see it: look, and act at most once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import assert_never

from device import settle
from device.actions import (
    Action,
    ClearText,
    DoubleTap,
    Drag,
    LongPress,
    OpenApp,
    Pinch,
    PressKey,
    Swipe,
    Tap,
    TypeText,
    Wait,
)
from device.adb import apps, probe, typing
from device.adb.capture import Capture
from device.adb.client import AdbServer, Link
from device.adb.gestures import Hands
from device.adb.typing import Landed
from device.adb.u2 import U2
from device.base import Answer, DeviceInfo, Outcome, State, View
from device.clock import Clock, SystemClock
from device.errors import AutomationBusy, AutomationDied, DeadlineExceeded, DeviceError, LinkLost, StaleView
from device.frame import Frame
from device.settle import DEFAULT_BOUND, FIRST_LOOK, LAUNCH_BOUND, TYPING_BOUND, Settled

OPEN_DEADLINE = 10.0
RESTART_PAUSE = 30.0
"""Seconds between attempts to bring the phone's server back: something else may be fighting for it."""
READ_TRIES = 3


class _Sent:
    """Whether the phone has been asked yet: from then on a lost answer means "unknown"."""

    def __init__(self) -> None:
        self.maybe = False

    def __call__(self) -> None:
        self.maybe = True


class AdbDevice:
    """One phone. Calls are serialised: one look or one act at a time."""

    def __init__(self, link: Link, clock: Clock, *, use_tree: bool, consent: bool) -> None:
        self._link = link
        self._clock = clock
        self._use_tree = use_tree
        self._consent = consent
        self._capture = Capture(link)
        self._hands = Hands(link, clock)
        self._u2: U2 | None = None
        self._no_u2 = ""
        self._tried_u2: float | None = None
        self._rotation = 0
        self._info: DeviceInfo | None = None
        self._still: Settled | None = None
        self._turn = asyncio.Lock()

    @classmethod
    async def open(
        cls,
        server: AdbServer,
        serial: str,
        clock: Clock | None = None,
        *,
        use_tree: bool = True,
        consent_accessibility: bool = False,
    ) -> AdbDevice:
        """Connect to a phone that the adb server lists. Raises DeviceError when it is not ready.

        `consent_accessibility` says that the owner agrees to UiAutomation while accessibility services are on.
        """
        device = cls(server.link(serial), clock or SystemClock(), use_tree=use_tree, consent=consent_accessibility)
        async with asyncio.timeout(OPEN_DEADLINE):
            device._info = await probe.describe(device._link)
        return device

    @property
    def serial(self) -> str:
        return self._link.serial

    async def describe(self) -> DeviceInfo:
        if self._info is None:
            self._info = await probe.describe(self._link)
        capabilities = {"raw", "input", *(["jpeg", "tree", "unicode"] if self._u2 is not None else [])}
        return replace(self._info, capabilities=frozenset(capabilities))

    async def close(self) -> None:
        """End what was started on the phone."""
        if self._u2 is not None:
            await self._u2.close()
            self._u2 = None

    # Looking

    async def observe(self, *, tree: bool = True) -> View:
        async with self._turn:
            return await self._reading(lambda: self._observe(tree))

    async def _observe(self, tree: bool) -> View:
        started = self._clock.monotonic()
        await self._automation()
        first = await self._picture()
        still = self._still
        if still is None or not still.stable or not settle.quiet(still.grey, settle.thumbnail(first)):
            still = await settle.settle(self._picture, self._clock, DEFAULT_BOUND, first=first)
        else:
            still = Settled(first, settle.thumbnail(first), True)
        self._still = still
        settled_at = self._clock.monotonic()
        seen, (xml, reason) = await asyncio.gather(probe.conditions(self._link), self._tree(tree))
        self._rotation = seen.rotation
        states = set(seen.states)
        secure = settle.black(still.grey) and State.SCREEN_OFF not in states
        states |= {State.SECURE} if secure else set()
        states |= {State.NO_TREE} if xml is None else set()
        states |= set() if still.stable else {State.RESTLESS}
        frame = replace(
            still.frame, rotation=seen.rotation, foreground=seen.foreground, keyboard=seen.keyboard, secure=secure
        )
        ended = self._clock.monotonic()
        return View(
            frame=frame,
            tree=xml,
            tree_reason=reason,
            states=frozenset(states),
            stable=still.stable,
            timings={"settle": settled_at - started, "tree": ended - settled_at},
        )

    async def _tree(self, wanted: bool) -> tuple[str | None, str]:
        if not wanted or not self._use_tree:
            return None, "the tree is turned off"
        if self._u2 is None:
            return None, self._no_u2
        try:
            xml = await self._u2.tree()
        except DeviceError as error:
            return None, f"the phone gave no tree: {error}"
        return (xml, "") if "<node" in xml else (None, "the phone gave an empty tree")

    async def _picture(self) -> Frame:
        return await self._capture.frame(self._u2, self._rotation, self._clock.now())

    async def _automation(self) -> None:
        """Start the phone's server, unless that would silence somebody's screen reader."""
        if self._u2 is not None and self._u2.alive:
            return
        self._u2 = None
        now = self._clock.monotonic()
        if self._tried_u2 is not None and self._no_u2 and now - self._tried_u2 < RESTART_PAUSE:
            return
        services = await probe.accessibility_services(self._link)
        if services and not self._consent:
            names = ", ".join(one.split("/")[0] for one in services)
            self._no_u2 = f"an accessibility service is on ({names}) and would be silenced; the owner may consent"
            return
        self._tried_u2 = now
        try:
            self._u2 = await U2.start(self._link)
            self._no_u2 = ""
        except (AutomationBusy, AutomationDied) as error:
            self._no_u2 = f"{error} {error.advice}".strip()

    async def _reading(self, read: Callable[[], Awaitable[View]]) -> View:
        """Reading may be repeated: a broken stream or a dead server gets a fresh one, twice."""
        for left in reversed(range(READ_TRIES)):
            try:
                return await read()
            except (AutomationDied, LinkLost):
                if not left:
                    raise
                await self.close()
                await self._clock.sleep(0.5)
        raise AssertionError("the last try returns or raises")

    # Acting

    async def act(self, action: Action, on: View | None = None) -> Outcome:
        async with self._turn:
            return await self._act(action, on)

    async def _act(self, action: Action, on: View | None) -> Outcome:
        started = self._clock.monotonic()
        if isinstance(action, Wait):
            await self._clock.sleep(action.seconds)
            return Outcome(sent=Answer.YES, path="wait", changed=Answer.UNKNOWN, elapsed=action.seconds)
        component = await apps.resolve(self._link, action.name) if isinstance(action, OpenApp) else ""
        await self._automation()
        before = await self._picture()
        if on is not None and before.size != on.frame.size:
            raise StaleView(
                f"the screen is {before.size} now, and was {on.frame.size} when the place was chosen",
                serial=self.serial,
                advice="Look again.",
            )
        sent = _Sent()
        try:
            landed = await self._send(action, before, component, sent)
        except (LinkLost, DeadlineExceeded, AutomationDied) as error:
            if not sent.maybe:
                raise
            self._still = None
            spent = self._clock.monotonic() - started
            return Outcome(sent=Answer.UNKNOWN, path="", changed=Answer.UNKNOWN, elapsed=spent, note=str(error))
        injected = self._clock.monotonic()
        return await self._effect(action, before, landed, started, injected)

    async def _send(self, action: Action, before: Frame, component: str, sent: _Sent) -> Landed:
        match action:
            case TypeText(text, replace):
                if self._u2 is None:
                    return await typing.type_by_input(self._link, text, replace, sent)
                return await typing.type_by_automation(self._u2, text, replace, sent)
            case ClearText():
                if self._u2 is None:
                    return await typing.clear_by_input(self._link, sent)
                return await typing.clear_by_automation(self._u2, sent)
            case OpenApp():
                sent()
                return Landed("am start", None, await apps.launch(self._link, component, self._clock))
            case Tap() | DoubleTap() | LongPress() | Swipe() | Drag() | Pinch() | PressKey():
                return Landed(await self._hands.perform(action, before.size, self._u2, sent), None)
            case Wait():
                raise AssertionError("waiting touches nothing")
            case _:
                assert_never(action)

    async def _effect(self, action: Action, before: Frame, landed: Landed, started: float, injected: float) -> Outcome:
        """Wait until the screen settles and say what changed. The act is done: nothing here raises for it."""
        try:
            await self._clock.sleep(FIRST_LOOK)
            after = await settle.settle(self._picture, self._clock, _bound(action))
            self._still = after
            traces = settle.changed(settle.thumbnail(before), after.grey)
            changed, settled = (Answer.YES if traces else Answer.NO), after.stable
        except DeviceError as error:
            self._still, settled, changed = None, False, Answer.UNKNOWN
            landed = replace(landed, note=f"{landed.note} {error}".strip())
        ended = self._clock.monotonic()
        return Outcome(
            sent=Answer.YES,
            path=landed.path,
            changed=changed,
            settled=settled,
            landed=landed.text,
            elapsed=ended - started,
            note=landed.note,
            timings={"inject": injected - started, "settle": ended - injected},
        )


def _bound(action: Action) -> float:
    match action:
        case OpenApp():
            return LAUNCH_BOUND
        case TypeText() | ClearText():
            return TYPING_BOUND
        case _:
            return DEFAULT_BOUND
