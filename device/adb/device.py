"""A phone behind an adb server, as the layers above see it: look, and act at most once."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar, assert_never

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
from device.adb import apps, probe
from device.adb.automation import Automation
from device.adb.capture import Capture
from device.adb.client import AdbServer
from device.adb.gestures import Hands
from device.adb.probe import Conditions
from device.adb.tree import signature
from device.adb.typing import Landed, Typist
from device.base import Answer, DeviceInfo, Outcome, State, View
from device.clock import Clock, SystemClock
from device.errors import (
    AutomationDied,
    DeadlineExceeded,
    DeviceError,
    DeviceOffline,
    LinkLost,
    StaleView,
    TextNotLanded,
)
from device.frame import Foreground, Frame
from device.settle import DEFAULT_BOUND, FIRST_LOOK, INTERVAL, LAUNCH_BOUND, RESTLESS_BOUND, TYPING_BOUND, Settled

READ_TRIES = 3
RETRY_PAUSE = 0.5
FOCUS_PATIENCE = 1.0
"""Seconds that a screen without any focused window may take: between two windows nobody has the focus."""

T = TypeVar("T")


class _Sent:
    """Whether the phone has been asked yet: from then on a lost answer means "unknown"."""

    def __init__(self) -> None:
        self.maybe = False

    def __call__(self) -> None:
        self.maybe = True


class AdbDevice:
    """One phone. Calls are serialised: one look or one act at a time. Needs Android 7 or newer (shell_v2)."""

    def __init__(self, server: AdbServer, serial: str, clock: Clock, *, use_tree: bool, consent: bool) -> None:
        self._server = server
        self._link = server.link(serial)
        self._clock = clock
        self._use_tree = use_tree
        self._automation = Automation(self._link, clock, consent=consent)
        self._capture = Capture(self._link, clock)
        self._hands = Hands(self._link, clock)
        self._typist = Typist(self._link, clock, use_tree=use_tree)
        self._info: DeviceInfo | None = None
        self._measured = False
        self._rotation = 0
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
        """Connect to a phone that the adb server lists, and find the quickest way to its pictures.

        `use_tree` false means that no tree is read; the phone's server still takes pictures and text.
        `consent_accessibility` says that the owner agrees to UiAutomation while accessibility services are on.
        Raises DeviceError when the phone is not ready.
        """
        device = cls(server, serial, clock or SystemClock(), use_tree=use_tree, consent=consent_accessibility)
        try:
            device._info = await probe.describe(device._link)
            await device._prepare()
        except BaseException:
            await device.close()
            raise
        return device

    @property
    def serial(self) -> str:
        return self._link.serial

    async def describe(self) -> DeviceInfo:
        if self._info is None:
            self._info = await probe.describe(self._link)
        more = {"jpeg", "unicode", "pinch"} | ({"tree"} if self._use_tree else set())
        capabilities = {"raw", "input"} | (more if self._automation.u2 is not None else set())
        return replace(self._info, capabilities=frozenset(capabilities))

    async def close(self) -> None:
        """End what was started on the phone."""
        await self._automation.close()

    async def _prepare(self) -> None:
        """See to the phone's server; after a start, find out which path gives pictures quickest."""
        started = await self._automation.ensure()
        if started or not self._measured:
            await self._capture.measure(self._automation.u2)
            self._measured = True

    async def _picture(self) -> Frame:
        return await self._capture.frame(self._automation.u2, self._rotation, self._clock.now)

    async def _reading(self, read: Callable[[], Awaitable[T]]) -> T:
        """Looking may be repeated: after a broken link it is tried again, twice. Raises DeviceError."""
        for left in reversed(range(READ_TRIES)):
            try:
                return await read()
            except (AutomationDied, LinkLost, DeviceOffline):
                if not left:
                    raise
                self._still = None
                if ":" in self.serial:
                    # A phone on the network stays listed as offline until it is connected anew.
                    with contextlib.suppress(DeviceError):
                        await self._server.connect(self.serial)
                await self._clock.sleep(RETRY_PAUSE)
        raise AssertionError("the last try returns or raises")

    # Looking

    async def observe(self, *, tree: bool = True) -> View:
        async with self._turn:
            return await self._reading(lambda: self._observe(tree))

    async def _observe(self, tree: bool) -> View:
        started = self._clock.monotonic()
        await self._prepare()
        first, bound = None, DEFAULT_BOUND
        if self._still is not None and self._still.stable:
            # An act has settled the screen already: if it still looks like that, all can be asked at once.
            first, seen, dump = await asyncio.gather(self._picture(), probe.conditions(self._link), self._tree(tree))
            grey = settle.thumbnail(first)
            if settle.quiet(self._still.grey, grey) and seen.focused is not False:
                return await self._view(Settled(first, grey, True), seen, dump, started, started)
        elif self._still is not None:
            bound = RESTLESS_BOUND
        patience = self._clock.monotonic() + FOCUS_PATIENCE
        while True:
            still = await settle.settle(self._picture, self._clock, bound, first=first)
            settled_at = self._clock.monotonic()
            seen, dump = await asyncio.gather(probe.conditions(self._link), self._tree(tree))
            unfocused = seen.focused is False and State.SCREEN_OFF not in seen.states
            if not unfocused or self._clock.monotonic() >= patience:
                return await self._view(still, seen, dump, started, settled_at)
            first = None
            await self._clock.sleep(INTERVAL)

    async def _view(
        self, still: Settled, seen: Conditions, dump: tuple[str | None, str], started: float, settled_at: float
    ) -> View:
        self._still, self._rotation = still, seen.rotation
        await self._automation.heed(seen.services)
        xml, reason = dump
        secure = settle.black(still.grey) and State.SCREEN_OFF not in seen.states
        found = {State.SECURE: secure, State.NO_TREE: xml is None, State.RESTLESS: not still.stable}
        return View(
            frame=replace(
                still.frame,
                rotation=seen.rotation,
                foreground=seen.foreground,
                keyboard=seen.keyboard,
                secure=secure,
            ),
            tree=xml,
            tree_reason=reason,
            states=seen.states | {state for state, holds in found.items() if holds},
            stable=still.stable,
            timings={"settle": settled_at - started, "read": self._clock.monotonic() - settled_at},
        )

    async def _tree(self, wanted: bool) -> tuple[str | None, str]:
        if not wanted or not self._use_tree:
            return None, "the tree is turned off"
        return await self._automation.tree()

    # Acting

    async def act(self, action: Action, on: View | None = None) -> Outcome:
        if isinstance(action, Wait):
            await self._clock.sleep(action.seconds)
            return Outcome(sent=Answer.YES, path="wait", changed=Answer.UNKNOWN, elapsed=action.seconds)
        async with self._turn:
            return await self._act(action, on)

    async def _act(self, action: Action, on: View | None) -> Outcome:
        started = self._clock.monotonic()
        component = await apps.resolve(self._link, action.name) if isinstance(action, OpenApp) else ""
        before = await self._reading(lambda: self._before(on))
        grey = settle.thumbnail(before)
        self._still, sent = None, _Sent()
        try:
            landed = await self._send(action, before, component, sent)
        except TextNotLanded as error:
            # The phone has been touched, so this is an outcome; the next look shows what the field holds.
            landed = Landed("type", note=f"{error}. {error.advice}")
        except (LinkLost, DeadlineExceeded, AutomationDied) as error:
            if not sent.maybe:
                raise
            spent = self._clock.monotonic() - started
            return Outcome(sent=Answer.UNKNOWN, path="", changed=Answer.UNKNOWN, elapsed=spent, note=str(error))
        injected = self._clock.monotonic()
        changed, stable, note = await self._effect(action, on, grey, landed)
        ended = self._clock.monotonic()
        return Outcome(
            sent=Answer.YES,
            path=landed.path,
            changed=changed,
            settled=stable,
            landed=landed.text,
            elapsed=ended - started,
            note=note,
            timings={"inject": injected - started, "settle": ended - injected},
        )

    async def _before(self, on: View | None) -> Frame:
        """The screen as it is about to be touched. Raises StaleView when `on` is no longer a picture of it."""
        await self._prepare()
        if on is None:
            return await self._picture()
        frame, turns = await asyncio.gather(self._picture(), probe.rotation(self._link))
        if (frame.size, turns) != (on.frame.size, on.frame.rotation):
            raise StaleView(
                f"the screen is {frame.size} at {90 * turns} degrees now, and was {on.frame.size} at "
                f"{90 * on.frame.rotation} degrees when the place was chosen",
                serial=self.serial,
                advice="Look again.",
            )
        return frame

    async def _send(self, action: Action, before: Frame, component: str, sent: _Sent) -> Landed:
        u2 = self._automation.u2
        match action:
            case TypeText(text, replace):
                return await self._typist.type(text, replace, u2, sent)
            case ClearText():
                return await self._typist.clear(u2, sent)
            case OpenApp():
                packages = await apps.start(self._link, component, sent)
                return Landed("am start", note=await apps.in_front(self._link, packages, self._clock))
            case Tap() | DoubleTap() | LongPress() | Swipe() | Drag() | Pinch() | PressKey():
                return Landed(await self._hands.perform(action, before.size, u2, sent))
            case Wait():
                raise AssertionError("waiting touches nothing")
            case _:
                assert_never(action)

    async def _effect(
        self, action: Action, on: View | None, before: settle.Thumbnail, landed: Landed
    ) -> tuple[Answer, bool, str]:
        """Wait until the screen settles: what changed, whether it stands still, and the note.

        The act is done, so whatever goes wrong here is part of the note.
        """
        try:
            await self._clock.sleep(FIRST_LOOK)
            after = await settle.settle(self._picture, self._clock, _bound(action))
            self._still = after
            if landed.changed is not Answer.UNKNOWN:
                return landed.changed, after.stable, landed.note
            return await self._changed(on, before, after), after.stable, landed.note
        except DeviceError as error:
            self._still = None
            return landed.changed, False, f"{landed.note} {error}".strip()

    async def _changed(self, on: View | None, before: settle.Thumbnail, after: Settled) -> Answer:
        """Pixels say yes, unless they moved before and do so still; focus and tree see what pixels do not."""
        traces = settle.changed(before, after.grey)
        if traces and (after.stable or (on is not None and on.stable)):
            return Answer.YES
        deeper = await self._deeper_change(on, before)
        if deeper:
            return Answer.YES
        return Answer.UNKNOWN if traces else Answer.NO

    async def _deeper_change(self, on: View | None, before: settle.Thumbnail) -> bool:
        """Whether focus or tree differ from those of the view, if that was still true when the phone was touched."""
        if on is None or settle.changed(settle.thumbnail(on.frame), before):
            return False
        front = await probe.focus(self._link)
        if front is not None and Foreground() not in (front, on.foreground) and front != on.foreground:
            return True
        xml, _ = await self._tree(on.tree is not None and self._automation.u2 is not None)
        return xml is not None and on.tree is not None and signature(xml) != signature(on.tree)


def _bound(action: Action) -> float:
    match action:
        case OpenApp():
            return LAUNCH_BOUND
        case TypeText() | ClearText():
            return TYPING_BOUND
        case _:
            return DEFAULT_BOUND
