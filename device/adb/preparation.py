"""Changing a phone's own settings for the time of its use, and putting everything back.

Each change is written into the journal first. It is put back by `restore`, or, when the process died before, by
whoever opens the phone next. What is no longer as we left it has been changed by its owner, and stays.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from device.actions import Key
from device.adb import commands, parsers, probe
from device.adb.changes import Change, ChangeJournal, digest
from device.adb.client import Link
from device.adb.refusals import translated
from device.adb.u2 import U2
from device.base import Preparation
from device.clock import Clock
from device.errors import CommandRefused, DeviceError, Locked
from device.geometry import Point, Size

log = logging.getLogger(__name__)

ANIMATIONS = (
    "global/window_animation_scale",
    "global/transition_animation_scale",
    "global/animator_duration_scale",
)
OFF = "0"
PLUGGED = "7"
"""Mains, USB and wireless (android.os.BatteryManager): stay awake while any of them gives power."""
WAKE_PATIENCE = 2.0
UNLOCK_PATIENCE = 2.0
INTERVAL = 0.1
UPWARDS = (Point(0.5, 0.8), Point(0.5, 0.2))
"""The swipe that opens a lock screen without a secret: from its lower third upwards, off the edge of home."""
SWIPE_SECONDS = 0.25
ENABLED = "ime/enabled:"
"""Name of the change that a keyboard was enabled; its component follows."""


class Preparer:
    """Prepares one phone."""

    def __init__(self, link: Link, clock: Clock, journal: ChangeJournal) -> None:
        self._link = link
        self._clock = clock
        self._journal = journal

    async def prepare(self, wanted: Preparation) -> None:
        """What is wanted and nothing else. Raises Locked for a lock that only its owner opens, DeviceError."""
        if wanted.wake or wanted.unlock:
            await self._wake()
        if wanted.unlock:
            await self._unlock()
        settings = {name: OFF for name in ANIMATIONS if wanted.animations_off}
        if wanted.stay_awake:
            settings["global/stay_on_while_plugged_in"] = PLUGGED
        if wanted.lock_rotation:
            settings["system/user_rotation"] = str(await probe.rotation(self._link))
            settings["system/accelerometer_rotation"] = OFF
        if wanted.show_touches is not None:
            settings["system/show_touches"] = str(int(wanted.show_touches))
        for name, value in settings.items():
            await self._set(name, value)

    async def _set(self, name: str, value: str) -> None:
        before = await self._get(name)
        if before == value:
            return
        self._journal.record(Change(kind="setting", name=name, before=before, ours=value))
        await self._put(name, value)
        if await self._get(name) != value:
            raise CommandRefused(f"the phone keeps {name} as it is", serial=self._link.serial, doing="preparing it")

    # Waking and unlocking

    async def _wake(self) -> None:
        if parsers.awake((await self._link.shell(["dumpsys", "power"])).text) is not False:
            return
        await self._run(commands.key(commands.KEY_CODES[Key.WAKE]))
        await self._until(self._awake, WAKE_PATIENCE)

    async def _awake(self) -> bool:
        return parsers.awake((await self._link.shell(["dumpsys", "power"])).text) is not False

    async def _unlock(self) -> None:
        policy = (await self._link.shell(["dumpsys", "window", "policy"])).text
        if not parsers.locked(policy):
            return
        if parsers.lock_secure(policy):
            raise Locked("only its owner can open this lock screen", serial=self._link.serial, doing="unlocking it")
        await self._run(["wm", "dismiss-keyguard"])
        if await self._until(self._open, UNLOCK_PATIENCE):
            return
        size = (await probe.held(self._link)).size or parsers.size((await self._link.shell(["wm", "size"])).text)
        await self._run(commands.swipe(*UPWARDS, SWIPE_SECONDS, size or Size(1080, 1920)))
        if not await self._until(self._open, UNLOCK_PATIENCE):
            raise Locked(
                "the lock screen does not open by a swipe", serial=self._link.serial, doing="unlocking it", secure=False
            )

    async def _open(self) -> bool:
        return not parsers.locked((await self._link.shell(["dumpsys", "window", "policy"])).text)

    async def _until(self, holds: Callable[[], Awaitable[bool]], patience: float) -> bool:
        until = self._clock.monotonic() + patience
        while not await holds():
            if self._clock.monotonic() >= until:
                return False
            await self._clock.sleep(INTERVAL)
        return True

    # Putting back

    async def restore(self, u2: U2 | None) -> None:
        """Undo what is still as we made it, newest first. What cannot be undone now stays in the journal.

        The clipboard needs the phone's server. Raises the first DeviceError after everything was tried.
        """
        failure: DeviceError | None = None
        for change in self._journal.pending:
            try:
                await self._undo(change, u2)
            except DeviceError as error:
                log.warning("not put back serial=%s kind=%s name=%s", self._link.serial, change.kind, change.name)
                failure = failure or error
        if failure is not None:
            failure.doing = failure.doing or "putting its settings back"
            raise failure

    async def _undo(self, change: Change, u2: U2 | None) -> None:
        match change.kind:
            case "setting" if change.name.startswith(ENABLED):
                await self._run(["ime", "disable", change.name.removeprefix(ENABLED)])
            case "setting":
                if await self._get(change.name) == change.ours:
                    await self._put(change.name, change.before)
            case "keyboard":
                if change.before and await self._get("secure/default_input_method") == change.ours:
                    await self._run(["ime", "set", change.before])
            case "clipboard":
                if u2 is None:
                    return
                now = await u2.read("getClipboard")
                if not isinstance(now, str) or digest(now) == change.ours:
                    # Where the phone lets nobody read it, what its owner had is the better guess.
                    await u2.call("setClipboard", None, change.before)
        self._journal.forget(change.kind, change.name)

    async def _get(self, name: str) -> str:
        space, _, key = name.partition("/")
        return parsers.setting((await self._link.shell(commands.setting(space, key))).text)

    async def _put(self, name: str, value: str) -> None:
        space, _, key = name.partition("/")
        await self._run(["settings", "put", space, key, value] if value else ["settings", "delete", space, key])

    async def _run(self, argv: list[str]) -> None:
        """Raises the error that the phone's words mean."""
        answer = await self._link.shell(argv)
        words = (answer.out + answer.err).decode(errors="replace").strip()
        if answer.code != 0 or "Exception" in words:
            raise translated(words[:400] or f"`{argv[0]}` ended with code {answer.code}", serial=self._link.serial)
