"""A phone behind an adb server, as the layers above see it: look, and act at most once."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
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
from device.adb import apps, probe
from device.adb.automation import Automation
from device.adb.changes import ChangeJournal
from device.adb.client import AdbServer
from device.adb.eyes import Eyes
from device.adb.frames import LiveFrames
from device.adb.gestures import Hands
from device.adb.goal import Landed
from device.adb.lease import Lease, file_name
from device.adb.preparation import Preparer
from device.adb.recovery import Recovery
from device.adb.tree import signature
from device.adb.typing import Typist
from device.base import Answer, DeviceInfo, Outcome, Preparation, State, View, state_error
from device.clock import Clock, SystemClock
from device.errors import AutomationDied, DeadlineExceeded, DeviceError, LinkLost, StaleView, TextNotLanded
from device.frame import Foreground, Frame
from device.geometry import Size
from device.settle import DEFAULT_BOUND, FIRST_LOOK, LATE, LAUNCH_BOUND, TYPING_BOUND, Settled

DARK = frozenset({"Asleep", "Dozing"})
"""mWakefulness of a phone whose screen takes no touches (android.os.PowerManagerInternal)."""


class _Sent:
    """Whether the phone has been asked yet: from then on a lost answer means "unknown"."""

    def __init__(self) -> None:
        self.maybe = False

    def __call__(self) -> None:
        self.maybe = True


@dataclass(frozen=True, slots=True)
class _Before:
    """The screen about to be touched: its picture, and its own size as it is held."""

    grey: settle.Thumbnail
    size: Size


class AdbDevice:
    """One phone. Calls are serialised: one look or one act at a time. Needs Android 7 or newer (shell_v2)."""

    def __init__(
        self,
        server: AdbServer,
        serial: str,
        clock: Clock,
        *,
        use_tree: bool,
        consent: bool,
        folder: Path | None,
        switch_keyboard: bool,
    ) -> None:
        self._link = server.link(serial)
        self._clock = clock
        self._use_tree = use_tree
        self._automation = Automation(self._link, clock, consent=consent)
        self._live = LiveFrames(lambda: self._eyes.picture(), clock)
        self._eyes = Eyes(self._link, clock, self._automation, self._live, use_tree=use_tree)
        self._recovery = Recovery(server, serial, clock, self._relinked)
        self._journal = ChangeJournal(None if folder is None else folder / f"{file_name(serial)}.changes.json")
        self._preparer = Preparer(self._link, clock, self._journal)
        self._hands = Hands(self._link, clock)
        self._typist = Typist(
            self._link, clock, use_tree=use_tree, journal=self._journal, switch_keyboard=switch_keyboard
        )
        self._lease = None if folder is None else Lease.take(folder, serial)
        self._info: DeviceInfo | None = None
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
        folder: Path | None = None,
        switch_keyboard: bool = False,
    ) -> AdbDevice:
        """Connect to a phone that the adb server lists, and find the quickest way to its pictures.

        `use_tree` false means that no tree is read; the phone's server still takes pictures and text.
        `consent_accessibility` says that the owner agrees to UiAutomation while accessibility services are on.
        `switch_keyboard` says that an ADB keyboard which is installed may be chosen while it is typed to.
        `folder` holds the phone's lease and the journal of what was changed on it; what a process that died has left
        there is undone first. Without one nothing is leased, and a death leaves changes behind.
        Raises DeviceBusy when somebody holds the lease, DeviceError when the phone is not ready.
        """
        device = cls(
            server,
            serial,
            clock or SystemClock(),
            use_tree=use_tree,
            consent=consent_accessibility,
            folder=folder,
            switch_keyboard=switch_keyboard,
        )
        try:
            device._info = await probe.describe(device._link)
            await device._eyes.ready()
            if device._journal.pending:
                with contextlib.suppress(DeviceError):
                    # What cannot be undone now stays in the journal, and hinders nobody.
                    await device.restore()
        except BaseException as error:
            if isinstance(error, DeviceError):
                error.doing = error.doing or "opening the phone"
            await device.close()
            raise
        return device

    @property
    def serial(self) -> str:
        return self._link.serial

    @property
    def live(self) -> LiveFrames:
        """For cameras of another kind, which step back while we work."""
        return self._live

    async def describe(self) -> DeviceInfo:
        """Facts about the phone; which accessibility services are on is asked anew. Raises DeviceError."""
        if self._info is None:
            self._info = await probe.describe(self._link)
        services = await probe.accessibility_services(self._link)
        more = {"jpeg", "unicode", "pinch"} | ({"tree"} if self._use_tree else set())
        capabilities = {"raw", "input"} | (more if self._automation.u2 is not None else set())
        return replace(self._info, accessibility_services=services, capabilities=frozenset(capabilities))

    async def close(self) -> None:
        """End what was started on the phone, put back what was changed on it, and let others have it."""
        try:
            await self._live.close()
            if self._journal.pending:
                with contextlib.suppress(DeviceError):
                    await self.restore()
            await self._automation.close()
        finally:
            if self._lease is not None:
                self._lease.release()

    def _relinked(self) -> None:
        self._eyes.still = None
        self._automation.relinked()

    # Preparing

    async def prepare(self, wanted: Preparation) -> None:
        """Change what is wanted for the time of use, each change written down before it is made.

        Raises Locked for a lock that only its owner opens, DeviceError.
        """
        async with self._turn:
            self._eyes.still = None
            await self._preparer.prepare(wanted)

    async def restore(self) -> None:
        """Put back everything that is still as we made it; what cannot be, now, stays in the journal."""
        async with self._turn:
            self._eyes.still = None
            await self._preparer.restore(self._automation.u2)

    # Looking

    async def observe(self, *, tree: bool = True) -> View:
        async with self._turn:
            with self._live.at_work():
                starts = self._automation.starts
                view = await self._recovery.reading(lambda: self._eyes.look(tree), "looking at the screen")
                notes = list(self._recovery.taken_steps())
                if self._automation.starts > max(starts, 1):
                    notes.append(f"the phone's server was started again, for the {self._automation.starts - 1}. time")
                return replace(view, notes=(*notes, *view.notes)) if notes else view

    def frames(self, fps: float) -> AsyncIterator[Frame]:
        """Live pictures, at most `fps` a second (2 to 30), shared by all who watch and never ahead of look or act.

        Raises ValueError for another rate, DeviceError when the phone gives none.
        """
        return self._live.frames(fps)

    # Acting

    async def act(self, action: Action, on: View | None = None) -> Outcome:
        if isinstance(action, Wait):
            await self._clock.sleep(action.seconds)
            return Outcome(sent=Answer.YES, path="wait", changed=Answer.UNKNOWN, elapsed=action.seconds)
        async with self._turn:
            with self._live.at_work():
                return await self._act(action, on)

    async def _act(self, action: Action, on: View | None) -> Outcome:
        started = self._clock.monotonic()
        doing = "preparing to act"
        component = ""
        if isinstance(action, OpenApp):
            name = action.name
            component = await self._recovery.reading(lambda: apps.resolve(self._link, name), doing)
        before = await self._recovery.reading(lambda: self._before(action, on), doing)
        self._eyes.still, sent = None, _Sent()
        self._eyes.judged_unmoved(None)
        try:
            landed = await self._send(action, on, before, component, sent)
        except TextNotLanded as error:
            # The phone has been touched, so this is an outcome; the next look shows what the field holds.
            landed = Landed("type", error.got, f"{error}. {error.advice}", expected=error.expected)
        except (LinkLost, DeadlineExceeded, AutomationDied) as error:
            error.doing = error.doing or "acting"
            if not sent.maybe:
                raise
            spent = self._clock.monotonic() - started
            return Outcome(sent=Answer.UNKNOWN, path="", changed=Answer.UNKNOWN, elapsed=spent, note=str(error))
        except DeviceError as error:
            error.doing = error.doing or "acting"
            raise
        injected = self._clock.monotonic()
        changed, stable, note = await self._effect(action, on, before.grey, landed)
        ended = self._clock.monotonic()
        return Outcome(
            sent=Answer.YES,
            path=landed.path,
            changed=changed,
            settled=stable,
            landed=landed.text,
            expected=landed.expected,
            elapsed=ended - started,
            note=note,
            timings={"inject": injected - started, "settle": ended - injected},
        )

    async def _before(self, action: Action, on: View | None) -> _Before:
        """The screen as it is about to be touched.

        Raises StaleView when `on` is no longer a picture of it, ScreenOff when a touch would be lost.
        """
        await self._eyes.ready()
        frame, held = await asyncio.gather(self._eyes.picture(), probe.held(self._link))
        size = held.size or frame.size
        if on is not None and (size, held.rotation) != (on.frame.size, on.frame.rotation):
            raise StaleView(
                f"the screen is {size} at {90 * held.rotation} degrees now, and was {on.frame.size} at "
                f"{90 * on.frame.rotation} degrees when the place was chosen",
                serial=self.serial,
                doing="acting",
            )
        if held.wakefulness in DARK and not isinstance(action, PressKey | OpenApp):
            raise state_error(State.SCREEN_OFF, "a touch would be lost", serial=self.serial, doing="acting")
        return _Before(settle.thumbnail(frame), size)

    async def _send(self, action: Action, on: View | None, before: _Before, component: str, sent: _Sent) -> Landed:
        u2 = self._automation.u2
        match action:
            case TypeText(text, replace):
                return await self._typist.type(text, replace, u2, sent, self._automation.tree)
            case ClearText():
                return await self._typist.clear(u2, sent, self._automation.tree)
            case OpenApp():
                packages = await apps.start(self._link, component, sent)
                return Landed("am start", note=await apps.in_front(self._link, packages, self._clock))
            case Tap() | DoubleTap() | LongPress() | Swipe() | Drag() | Pinch() | PressKey():
                return await self._hands.perform(action, before.size, u2, sent, on)
            case Wait():
                raise AssertionError("waiting touches nothing")
            case _:
                assert_never(action)

    async def _effect(
        self, action: Action, on: View | None, before: settle.Thumbnail, landed: Landed
    ) -> tuple[Answer, bool, str]:
        """Wait until the screen settles: what changed, whether it stands still, and the note.

        A phone under load begins to move late, so "nothing changed" is only said when nothing has for a while.
        The act is done, so whatever goes wrong here is part of the note.
        """
        late = self._clock.monotonic() + LATE
        try:
            await self._clock.sleep(FIRST_LOOK)
            after = await settle.settle(self._eyes.picture, self._clock, _bound(action))
            changed = landed.changed
            if changed is Answer.UNKNOWN:
                changed = await self._changed(on, before, after)
            if changed is Answer.NO and landed.changed is Answer.UNKNOWN:
                moved = await settle.first_move(self._eyes.picture, self._clock, after.grey, late)
                if moved is not None:
                    after = await settle.settle(self._eyes.picture, self._clock, _bound(action), first=moved)
                    changed = await self._changed(on, before, after)
                self._eyes.judged_unmoved(after.grey if changed is Answer.NO else None)
            self._eyes.still = after
            return changed, after.stable, landed.note
        except DeviceError as error:
            self._eyes.still = None
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
        xml, _ = await self._eyes.tree(on.tree is not None and self._automation.u2 is not None)
        return xml is not None and on.tree is not None and signature(xml) != signature(on.tree)


def _bound(action: Action) -> float:
    match action:
        case OpenApp():
            return LAUNCH_BOUND
        case TypeText() | ClearText():
            return TYPING_BOUND
        case _:
            return DEFAULT_BOUND
