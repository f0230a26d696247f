"""Acting: taps, scrolling and keys, each judged by what the screen shows afterwards."""

from __future__ import annotations

import time

from device.actions import Key, LongPress, PressKey, Swipe
from device.base import Answer, View
from device.geometry import Point
from evaluation.conformance.bench import SETTINGS, Bench, Node, nodes
from evaluation.conformance.check import Failed, Group, NotHere, expect

group = Group("acting")
NOT_THE_SEARCH = 0.25
"""Rows are looked for below this part of the height: above it are the title and the search."""


def rows(view: View) -> list[Node]:
    """Clickable rows of a list, from the top."""
    found = [one for one in nodes(view) if one.clickable and one.box.top > NOT_THE_SEARCH and one.box.width > 0.5]
    return sorted(found, key=lambda one: one.box.top)


def words(view: View) -> list[str]:
    return [one.words for one in nodes(view) if one.words and one.package == SETTINGS]


@group.check("a tap opens the row under it, and back returns")
async def _tap(bench: Bench) -> str:
    view = await bench.settings()
    first = rows(view)
    if not first:
        raise NotHere("the first page of Settings has no row that is recognised")
    started = time.monotonic()
    outcome = await bench.tap(first[0].box.center, view)
    bench.timings["tap, settled"] = time.monotonic() - started
    expect(outcome.changed is Answer.YES, f"nothing changed ({outcome.path})")
    opened = await bench.device.observe()
    expect(words(opened) != words(view), "the same page is shown")
    await bench.device.act(PressKey(Key.BACK))
    back = await bench.device.observe()
    expect(words(back) == words(view), "back did not return to the page before")
    return f"{outcome.path}, {1000 * outcome.elapsed:.0f} ms"


@group.check("a swipe upwards scrolls to later rows, and the way back")
async def _scroll(bench: Bench) -> str:
    view = await bench.settings()
    if not any(one.scrollable for one in nodes(view)):
        raise NotHere("the first page of Settings does not scroll on this screen")
    lower, upper = Point(0.5, 0.75), Point(0.5, 0.3)
    outcome = await bench.device.act(Swipe(lower, upper), on=view)
    moved = await bench.device.observe()
    later = [one for one in words(moved) if one not in words(view)]
    expect(outcome.changed is Answer.YES and bool(later), "no new row came up")
    for _ in range(4):
        await bench.device.act(Swipe(upper, lower))
    back = await bench.device.observe()
    expect(rows(back)[0].box.top > 0 and words(view)[0] in words(back), "the first row did not come back")
    return f"{len(later)} new words, {outcome.path}"


@group.check("a long press is sent once and lifts again")
async def _long(bench: Bench) -> str:
    await bench.home()
    outcome = await bench.device.act(LongPress(Point(0.5, 0.4), 0.8))
    expect(outcome.sent is Answer.YES, outcome.note)
    await bench.device.act(PressKey(Key.BACK))
    await bench.home()
    return f"{outcome.path}, {1000 * outcome.elapsed:.0f} ms"


@group.check("home, recents and back do what they are called")
async def _keys(bench: Bench) -> str:
    inside = await bench.settings()
    home = await bench.home()
    expect(home.foreground.package != inside.foreground.package, "home left Settings in front")
    await bench.device.act(PressKey(Key.RECENTS))
    recents = await bench.device.observe()
    await bench.device.act(PressKey(Key.BACK))
    await bench.home()
    expect(recents.foreground != inside.foreground, "recents shows Settings itself")
    return recents.foreground.package or recents.foreground.window


@group.check("a tap that hits nothing is said to have changed nothing")
async def _nothing(bench: Bench) -> str:
    view = await bench.settings()
    title = next((one for one in nodes(view) if one.words and not one.clickable and one.box.bottom < 0.3), None)
    if title is None:
        raise NotHere("Settings shows no title")
    outcome = await bench.tap(title.box.center, view)
    if outcome.changed is Answer.YES:
        raise Failed(f"tapping the title {title.words!r} is said to have changed something")
    return str(outcome.changed)


@group.check("back closes the keyboard first, and then the page")
async def _keyboard(bench: Bench) -> str:
    view = await bench.search_field()
    if not view.keyboard:
        raise NotHere("no keyboard is shown for the search of Settings (a hardware keyboard?)")
    await bench.device.act(PressKey(Key.BACK))
    closed = await bench.device.observe()
    expect(closed.keyboard is False, f"the keyboard is shown: {closed.keyboard}")
    expect(closed.foreground.package == view.foreground.package, "back left the page at once")
    return "keyboard, then page"
