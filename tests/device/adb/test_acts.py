"""Acts under the profiles `everyday` and `flaky-adb`: none twice, none lost without a word, none without end.

50 by default, 500 with TAPWRIGHT_SOAK_ACTS=500 (`make soak`). What happened is read from the phone's own journal.
"""

from __future__ import annotations

import contextlib
import os
import random
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pytest

from device.actions import Action, DoubleTap, Drag, Key, LongPress, OpenApp, PressKey, Swipe, Tap
from device.adb import commands
from device.adb.device import AdbDevice
from device.base import Answer, Outcome
from device.errors import DeviceError
from device.geometry import Point, Size
from tests.device.adb.phone_bench import CONTACTS, SETTINGS, Bench
from tests.lab import Lab

pytestmark = pytest.mark.anyio

ACTS = int(os.environ.get("TAPWRIGHT_SOAK_ACTS", "50"))
PROFILES = ("everyday", "flaky-adb")
SEED = 11
BOUND = 90.0
"""Seconds of one act at most: the start of the server (35), three looks at a broken link, the launch (20), settling."""
SIZE = Size(1080, 2400)


@dataclass(frozen=True)
class Deed:
    """One act: what was asked, what the driver said of it, where the journal stood before and after it."""

    action: Action
    outcome: Outcome | DeviceError
    before: int
    after: int
    seconds: float

    @property
    def sent(self) -> Answer:
        return self.outcome.sent if isinstance(self.outcome, Outcome) else Answer.NO

    def __str__(self) -> str:
        said = self.outcome if isinstance(self.outcome, Outcome) else repr(self.outcome)
        return f"{self.action} in {self.seconds:.1f} s: {said}"


def acts(count: int, dice: random.Random) -> list[Action]:
    """A mixture of acts; every finger first touches at a place of its own, by which the journal knows it again."""
    heights = dice.sample(range(300, 2100), count)
    chosen: list[Action] = []
    for number, y in enumerate(heights):
        # Away from the edges, off which a swipe is kept; 97 is prime to 800: neighbours in time are none on the glass.
        at = Point.from_pixel(140 + 97 * number % 800, y, SIZE)
        to = Point(at.x, dice.uniform(0.2, 0.8))
        one: Action = dice.choices(
            [
                Tap(at),
                DoubleTap(at),
                Swipe(at, to, 0.2),
                Swipe(at, to, 0.5),
                LongPress(at, 0.6),
                Drag(at, to, 0.3),
                PressKey(dice.choice([Key.BACK, Key.HOME, Key.VOLUME_UP])),
                OpenApp(dice.choice([SETTINGS, CONTACTS])),
            ],
            weights=[8, 1, 2, 2, 1, 1, 2, 3],
        )[0]
        chosen.append(one)
    return chosen


async def perform(bench: Bench, device: AdbDevice, actions: list[Action]) -> list[Deed]:
    deeds = []
    for action in actions:
        before, started = bench.mark(), time.monotonic()
        outcome: Outcome | DeviceError
        try:
            outcome = await device.act(action)
        except DeviceError as error:
            outcome = error
            with contextlib.suppress(DeviceError):
                await device.observe(tree=False)
        deeds.append(Deed(action, outcome, before, bench.mark(), time.monotonic() - started))
    return deeds


def place(action: Action) -> tuple[int, int] | None:
    match action:
        case Tap(at) | DoubleTap(at) | LongPress(at):
            return at.to_pixel(SIZE)
        case Swipe(start) | Drag(start):
            return start.to_pixel(SIZE)
    return None


def first_touch(data: dict[str, Any]) -> tuple[int, int] | None:
    """Where a finger came down, if this entry of the journal is one."""
    if data.get("action") not in ("tap", "down", "swipe", "drag"):
        return None
    x, y = data["points"][0] if "points" in data else (data["x"], data["y"])
    return int(x), int(y)


def complaints(deeds: list[Deed], entries: list[dict[str, Any]]) -> list[str]:
    """Acts that happened more often than asked, or less often than the driver says."""
    came = Counter(spot for one in entries if one["kind"] == "input" and (spot := first_touch(one["data"])))
    dropped = {tuple(map(int, one["data"]["at"])) for one in entries if one["data"].get("fault") == "tap_dropped"}
    wrong = []
    for deed in deeds:
        spot = place(deed.action)
        if spot is None:
            continue
        wanted = 2 if isinstance(deed.action, DoubleTap) else 1
        if came[spot] > wanted:
            wrong.append(f"came {came[spot]} times: {deed}")
        elif came[spot] and deed.sent is Answer.NO:
            wrong.append(f"came, though it is said not to have been sent: {deed}")
        elif came[spot] < wanted and deed.sent is Answer.YES and not _told(deed, spot in dropped, entries):
            wrong.append(f"was lost, and nobody said so: {deed}")
    return wrong + _counted(deeds, entries)


def _told(deed: Deed, dropped: bool, entries: list[dict[str, Any]]) -> bool:
    """Whether a tap that the phone itself dropped was reported as one that changed nothing.

    What the driver sees is the screen: if something else opened at that moment, the screen has changed.
    """
    assert isinstance(deed.outcome, Outcome)
    meanwhile = [one for one in entries[deed.before : deed.after] if one["kind"] in ("window", "toast")]
    restless = not deed.outcome.settled
    return dropped and (deed.outcome.changed is not Answer.YES or bool(meanwhile) or restless)


def _counted(deeds: list[Deed], entries: list[dict[str, Any]]) -> list[str]:
    """Keys and apps have no place of their own: their numbers must lie between what is sure and what is possible."""
    keys = Counter(one["data"].get("code") for one in entries if one["kind"] == "key")
    apps = Counter(str(one["data"]["start"]).split("/")[0] for one in entries if "start" in one["data"])
    wrong = []
    for action in {deed.action for deed in deeds if isinstance(deed.action, PressKey | OpenApp)}:
        sent = [deed.sent for deed in deeds if deed.action == action]
        name = commands.KEY_CODES[action.key] if isinstance(action, PressKey) else action.name
        came = keys[name] if isinstance(action, PressKey) else apps[name]
        sure, possible = sent.count(Answer.YES), sent.count(Answer.YES) + sent.count(Answer.UNKNOWN)
        if not sure <= came <= possible:
            wrong.append(f"{action} came {came} times, and was sent {sure} to {possible} times")
    return wrong


@pytest.mark.parametrize("profile", PROFILES)
async def test_no_act_comes_twice_or_is_lost_without_a_word_or_hangs(
    tmp_path_factory: pytest.TempPathFactory, profile: str
) -> None:
    lab = Lab(tmp_path_factory.mktemp("acts"))
    with lab.adb_server(), lab.phone("--faults", profile, "--fault-seed", str(SEED)) as phone:
        bench = Bench(lab, phone)
        async with bench.opened() as device:
            deeds = await perform(bench, device, acts(ACTS // len(PROFILES), random.Random(SEED)))
        entries, fired = bench.journal(), bench.fired()
    assert not (wrong := complaints(deeds, entries)), "\n".join(wrong)
    slowest = max(deeds, key=lambda deed: deed.seconds)
    assert slowest.seconds < BOUND, slowest
    assert sum(deed.sent is Answer.YES for deed in deeds) >= len(deeds) * 0.7, "\n".join(map(str, deeds))
    assert fired, "no fault has fired: this proves nothing"


def entry(kind: str, **data: Any) -> dict[str, Any]:
    return {"kind": kind, "data": data}


@pytest.mark.parametrize(
    ("sent", "changed", "entries", "word"),
    [
        (Answer.YES, Answer.YES, [entry("input", action="tap", x=540, y=1200)], ""),
        (Answer.UNKNOWN, Answer.UNKNOWN, [], ""),
        (Answer.YES, Answer.YES, [entry("input", action="tap", x=540, y=1200)] * 2, "came 2 times"),
        (Answer.YES, Answer.YES, [], "was lost"),
        (Answer.YES, Answer.NO, [entry("fault", fault="tap_dropped", at=[540, 1200])], ""),
        (Answer.YES, Answer.YES, [entry("fault", fault="tap_dropped", at=[540, 1200])], "was lost"),
    ],
)
def test_this_proof_can_fail(sent: Answer, changed: Answer, entries: list[dict[str, Any]], word: str) -> None:
    outcome = Outcome(sent=sent, path="uiautomator", changed=changed, settled=True)
    deed = Deed(Tap(Point.from_pixel(540, 1200, SIZE)), outcome, 0, len(entries), 0.1)
    said = complaints([deed], entries)
    assert (word in said[0]) if word else said == []
