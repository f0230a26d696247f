"""Looking at one phone: a picture of a screen that stands still, its tree, and what state the phone is in.

Picture, tree and services are asked one after the other of a screen that may change at any time, and each may be
wrong in a way of its own. So they are held against each other: a picture of another size than the screen's, a tree of
another rotation or window, a dark picture that no window's flag explains. What does not fit is asked again, and what
still does not fit is left out and said.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

import cv2
import numpy as np

from device import settle
from device.adb import probe, states, tree
from device.adb.automation import Automation
from device.adb.capture import MEDIA, Capture
from device.adb.client import Link
from device.adb.frames import LiveFrames
from device.adb.probe import Conditions
from device.base import State, View
from device.clock import Clock
from device.errors import BadFrame, DeviceError
from device.frame import Foreground, Frame
from device.geometry import Size
from device.settle import DEFAULT_BOUND, INTERVAL, QUIET_PAIRS, RESTLESS_BOUND, Settled, Thumbnail

FOCUS_PATIENCE = 1.0
"""Seconds that a screen without any focused window may take: between two windows nobody has the focus."""
LOOKS = 4
"""Looks at a screen whose parts contradict each other: turning takes a phone less than a second."""
BEYOND = 1.01
"""How far a tree may reach, in screens: a dump is clipped to the screen, and a pixel of rounding is none."""
LATEST = 10.0
"""Seconds that an injected event was reported to take at most (UiAutomation waiting for animations on API 36); what
moves later has another cause."""
LIKE_SHAPE = 0.02
"""Share by which the sides' ratio may differ in a picture that is only scaled: rounding of a small one."""

Dump = tuple[str | None, str]
"""The tree as XML, or None and the reason."""


@dataclass(frozen=True)
class _Last:
    """The screen of the view before, for telling a tree that was left behind."""

    grey: Thumbnail
    tree: str


class Eyes:
    """Looks at one phone; not for two callers at once. `still` is the last settled screen, None for none."""

    def __init__(self, link: Link, clock: Clock, automation: Automation, live: LiveFrames, *, use_tree: bool) -> None:
        self._link = link
        self._clock = clock
        self._automation = automation
        self._live = live
        self._use_tree = use_tree
        self._capture = Capture(link, clock)
        self._restless = settle.RestlessScreens()
        self._measured = False
        self._rotation = 0
        self._last: _Last | None = None
        self._services: tuple[str, ...] | None = None
        self._explained: Thumbnail | None = None
        self._doubt_before = ""
        self.still: Settled | None = None
        self._unmoved: tuple[Thumbnail, float] | None = None

    async def ready(self) -> None:
        """See to the phone's server; after a start, find out which path gives pictures quickest."""
        started = await self._automation.ensure()
        if started or not self._measured:
            await self._capture.measure(self._automation.u2)
            self._measured = True

    async def picture(self) -> Frame:
        """One picture, still or not. Raises BadFrame, DeadlineExceeded, LinkLost."""
        frame = await self._capture.frame(self._automation.u2, self._rotation, self._clock.now)
        self._live.publish(frame)
        return frame

    async def tree(self, wanted: bool = True) -> Dump:
        if not wanted or not self._use_tree:
            return None, "the tree is turned off"
        return await self._automation.tree()

    async def look(self, wants_tree: bool) -> View:
        """Look once the screen stands still. Raises DeviceError.

        Services and tree are asked between two pictures, and belong to the screen when both are alike.
        """
        started = self._clock.monotonic()
        await self.ready()
        still = self.still if self.still is not None and self.still.stable else None
        bound = DEFAULT_BOUND if still is not None or self.still is None else RESTLESS_BOUND
        patience: float | None = None
        until: float | None = None
        misfits, doubted = 0, False
        first: Frame | None = None
        while True:
            pause = 0.0
            if still is None:
                first = first or await self.picture()
                until = until or self._clock.monotonic() + await self._bound(first, bound)
                left = until - self._clock.monotonic()
                still = await settle.settle(self.picture, self._clock, left, first=first, quiet_pairs=QUIET_PAIRS - 1)
                pause = INTERVAL
            settled_at = self._clock.monotonic()
            patience = patience or settled_at + FOCUS_PATIENCE
            seen, dump, _ = await asyncio.gather(self._conditions(), self.tree(wants_tree), self._clock.sleep(pause))
            if still.stable:
                still, first = await self._still_there(still)
                if not still.stable and (until is None or self._clock.monotonic() < until):
                    still = None
                    continue
            if misfit := self._misfit(still.frame, seen):
                misfits += 1
                if misfits == LOOKS:
                    raise BadFrame(misfit, serial=self._link.serial)
                if misfits > 1:
                    # Once may be a phone that is being turned; twice, and the path does not tell the truth.
                    self._capture.doubt(MEDIA[still.frame.media_type])
                still = first = None
                continue
            dump, doubt = await self._fitting_tree(dump, seen, still, wants_tree)
            if doubt and not doubted and doubt != self._doubt_before:
                # The screen may be about to move: its tree is ahead of its picture.
                doubted, still, first = True, None, None
                await self._clock.sleep(INTERVAL)
                continue
            self._doubt_before = doubt
            dark = State.SCREEN_OFF in states.recognised(seen.signs)
            if seen.focused is not False or dark or self._clock.monotonic() >= patience:
                return await self._view(still, seen, dump, started, settled_at)
            await self._clock.sleep(INTERVAL)
            still = first = None

    async def _still_there(self, still: Settled) -> tuple[Settled, Frame]:
        """The newest picture: of the same screen, which then stands still, or of another."""
        frame = await self.picture()
        grey = settle.thumbnail(frame)
        stable = settle.quiet(still.grey, grey)
        return replace(still, frame=frame, grey=grey, stable=stable, moving=settle.difference(still.grey, grey)), frame

    async def _bound(self, first: Frame, otherwise: float) -> float:
        if not self._restless:
            return otherwise
        front = await probe.focus(self._link) or Foreground()
        return self._restless.bound(front, settle.thumbnail(first), otherwise)

    async def _conditions(self) -> Conditions:
        return await probe.conditions(self._link, several_displays=self._capture.several_displays)

    def _misfit(self, frame: Frame, seen: Conditions) -> str:
        """Why the picture cannot be one of this screen, or ""."""
        if self._capture.several_displays and self._capture.show(seen.display):
            return "the phone has changed to another display"
        if seen.size is None or frame.size == seen.size or _scaled(frame.size, seen.size):
            return ""
        return f"the picture has {frame.size} pixels, the screen {seen.size}"

    async def _view(self, still: Settled, seen: Conditions, dump: Dump, started: float, settled_at: float) -> View:
        notes = list(self._services_changed(seen))
        self._rotation = seen.rotation
        if seen.size is not None and still.frame.size != seen.size:
            notes.append(f"the picture of {still.frame.size} was scaled to the screen's {seen.size}")
            still = replace(still, frame=scaled(still.frame, seen.size))
        still, secure, doubts = await self._explain_dark(still, seen)
        xml, reason = dump
        await self._automation.heed(seen.signs.services)
        found = states.recognised(seen.signs, xml)
        whole = {State.SECURE: secure, State.NO_TREE: xml is None, State.RESTLESS: not still.stable}
        details = {**found, **({State.NO_TREE: reason} if xml is None else {}), State.SECURE: secure or ""}
        late = self._moved_late(still)
        self._restless.learn(seen.foreground, still)
        self.still = still
        self._last = _Last(still.grey, tree.signature(xml)) if xml is not None else None
        names = frozenset(found) | {state for state, holds in whole.items() if holds}
        return View(
            frame=replace(
                still.frame,
                rotation=seen.rotation,
                foreground=seen.foreground,
                keyboard=seen.signs.keyboard,
                secure=bool(secure),
            ),
            tree=xml,
            tree_reason=reason,
            states=names,
            details={state: words for state, words in details.items() if words and state in names},
            stable=still.stable,
            late_change=late,
            notes=(*notes, *doubts),
            timings={"settle": settled_at - started, "read": self._clock.monotonic() - settled_at},
        )

    def judged_unmoved(self, grey: Thumbnail | None) -> None:
        """The screen on which an act was judged to have changed nothing; None for an act that did change it."""
        self._unmoved = None if grey is None else (grey, self._clock.monotonic() + LATEST)

    def _moved_late(self, still: Settled) -> bool:
        if self._unmoved is None:
            return False
        grey, until = self._unmoved
        late = settle.changed(grey, still.grey)
        if late or self._clock.monotonic() >= until:
            self._unmoved = None
        return late

    def _services_changed(self, seen: Conditions) -> list[str]:
        """Accessibility services that are on now are compared with those of the look before, at every look."""
        before, self._services = self._services, seen.signs.services
        if before is None:
            return []
        gone = [one for one in before if one not in seen.signs.services]
        come = [one for one in seen.signs.services if one not in before]
        return [f"accessibility service turned off: {one}" for one in gone] + [
            f"accessibility service turned on: {one}" for one in come
        ]

    # Pictures that are dark

    async def _explain_dark(self, still: Settled, seen: Conditions) -> tuple[Settled, str, list[str]]:
        """The screen as it can best be had, which windows forbid pictures of them, and what stays doubtful."""
        dark = settle.dark_rows(still.grey)
        if dark < settle.DARK_ROWS or seen.signs.wakefulness in ("Asleep", "Dozing"):
            return still, "", []
        titles = await probe.protected(self._link)
        if titles is None:
            return still, "the picture is black" if settle.black(still.grey) else "", []
        if titles:
            return still, ", ".join(titles), []
        if self._explained is not None and settle.quiet(self._explained, still.grey):
            return still, "", []
        return await self._second_opinion(still)

    async def _second_opinion(self, still: Settled) -> tuple[Settled, str, list[str]]:
        """No window forbids it: another path may see more."""
        path = MEDIA[still.frame.media_type]
        try:
            frame = await self._capture.frame(self._automation.u2, self._rotation, self._clock.now, but=path)
            grey = settle.thumbnail(frame)
        except DeviceError as error:
            return still, "", [f"a large part of the picture is black: {error}"]
        if settle.dark_rows(grey) < settle.dark_rows(still.grey) and settle.changed(still.grey, grey):
            self._capture.doubt(path)
            return replace(still, frame=frame, grey=grey), "", [f"the picture by {path} was partly black"]
        self._explained = still.grey
        return still, "", ["a large part of the picture is black, and no window forbids pictures"]

    # Trees that do not fit

    async def _fitting_tree(self, dump: Dump, seen: Conditions, still: Settled, wanted: bool) -> tuple[Dump, str]:
        """The tree of this screen, and what speaks against it, or "".

        One that does not fit is read again, and left out when it still does not.
        """
        xml, _ = dump
        if xml is None:
            return dump, ""
        size = seen.size or still.frame.size
        if not self._doubt(xml, seen, size) and not self._left_behind(xml, still):
            return dump, ""
        xml, reason = await self.tree(wanted)
        doubt = self._doubt(xml, seen, size) if xml is not None else ""
        return ((None, doubt) if doubt else (xml, reason)), doubt

    def _left_behind(self, xml: str, still: Settled) -> bool:
        """Whether the screen has changed since the view before, and its tree has not."""
        last = self._last
        return last is not None and settle.changed(last.grey, still.grey) and tree.signature(xml) == last.tree

    def _doubt(self, xml: str, seen: Conditions, size: Size) -> str:
        """Why this tree cannot be one of this screen, or ""."""
        if not tree.whole(xml):
            return f"the phone's tree breaks off after {len(xml)} characters"
        turns = tree.turned(xml)
        if turns is not None and turns != seen.rotation:
            return f"the phone's tree is of a screen at {90 * turns} degrees, which is now at {90 * seen.rotation}"
        right, bottom = tree.extent(xml)
        if right > size.width * BEYOND or bottom > size.height * BEYOND:
            return f"the phone's tree reaches to {right}x{bottom}, the screen only to {size}"
        front = seen.foreground.package
        if front and front != states.SYSTEM_UI and tree.packages(xml) <= {states.SYSTEM_UI}:
            return f"the phone's tree shows only the system's bars, and not {front}, which is in front"
        return ""


def _scaled(size: Size, wanted: Size) -> bool:
    """Whether a picture of that size can be the whole screen, only larger or smaller."""
    ratio = (size.width / size.height) / (wanted.width / wanted.height)
    return abs(ratio - 1) <= LIKE_SHAPE


def scaled(frame: Frame, size: Size) -> Frame:
    """The picture in another size, as PNG: what is reckoned in pixels above must be the screen's own."""
    pixels = cv2.resize(frame.pixels, (size.width, size.height), interpolation=cv2.INTER_LINEAR)
    done, data = cv2.imencode(".png", cv2.cvtColor(np.asarray(pixels), cv2.COLOR_RGB2BGR))
    if not done:
        raise BadFrame(f"a picture of {frame.size} could not be scaled to {size}")
    return Frame(
        data=data.tobytes(), media_type="image/png", size=size, rotation=frame.rotation, taken_at=frame.taken_at
    )
