"""Looking: pictures by every path, the tree, who is in front, and when a screen counts as still."""

from __future__ import annotations

import asyncio
import time

import numpy as np

from device.actions import Key, PressKey, Swipe
from device.base import State
from device.frame import decode
from device.geometry import Point
from evaluation.conformance.bench import Bench, edges, nodes
from evaluation.conformance.check import Group, NotHere, expect

group = Group("looking")
RATE_FRAMES = 20
ALIKE = 10.0
"""Mean difference, 0 to 255, up to which two pictures show the same screen; JPEG itself costs about one."""
PNG = b"\x89PNG\r\n\x1a\n"
STATUS_BAR = 0.06
"""Part of the height from the top that may change by itself: clock and signal."""


@group.check("adbutils and we agree on size and rotation of the screen")
async def _size(bench: Bench) -> str:
    view = await bench.home()
    theirs = tuple(await bench.judge(bench.adb.window_size))
    ours = (view.frame.size.width, view.frame.size.height)
    expect(ours == theirs, f"we see {ours}, adbutils says {theirs}")
    turns = await bench.judge(bench.adb.rotation)
    expect(view.frame.rotation == turns, f"we say {view.frame.rotation} quarter turns, adbutils {turns}")
    return f"{view.frame.size}, {bench.info.density} dpi"


@group.check("the picture is the phone's own PNG")
async def _picture(bench: Bench) -> str:
    view = await bench.settings()
    answer = await bench.link.exec(["screencap", "-p"])
    start = answer.find(PNG)
    expect(start >= 0, f"screencap sent no PNG but {answer[:40]!r}")
    theirs = decode(answer[start:], "image/png")
    ours = view.frame.pixels
    expect(ours.shape == theirs.shape, f"we see {ours.shape}, the PNG is {theirs.shape}")
    skip = round(STATUS_BAR * ours.shape[0])
    apart = float(np.abs(ours[skip:].astype(np.int16) - theirs[skip:].astype(np.int16)).mean())
    expect(apart < ALIKE, f"they differ by {apart:.1f} of 255 on average")
    warned = f", after {start} bytes of warning" if start else ""
    return f"{view.frame.media_type}, differs by {apart:.2f} of 255{warned}"


@group.check("twenty looks in a row all succeed")
async def _rate(bench: Bench) -> str:
    await bench.home()
    started = time.monotonic()
    for _ in range(RATE_FRAMES):
        view = await bench.device.observe()
    each = (time.monotonic() - started) / RATE_FRAMES
    bench.timings["look"] = each
    return f"{1000 * each:.0f} ms each, {view.frame.media_type}"


@group.check("the tree parses, has a root, and lies on the screen")
async def _tree(bench: Bench) -> str:
    view = await bench.settings()
    found = nodes(view)
    expect(len(found) > 5, f"only {len(found)} nodes on the first page of Settings")
    expect(any(one.package == view.foreground.package for one in found), "no node belongs to the app in front")
    return f"{len(found)} nodes, {len(view.tree or '')} characters"


@group.check("adbutils and we agree on the app in front")
async def _front(bench: Bench) -> str:
    view = await bench.settings()
    theirs = await bench.judge(bench.adb.app_current)
    expect(view.foreground.package == theirs.package, f"we say {view.foreground.package}, adbutils {theirs.package}")
    return f"{view.foreground.package}/{view.foreground.activity}"


@group.check("uiautomator2 and we read the same words at the same places")
async def _words(bench: Bench) -> str:
    automator = await bench.automator()
    view = await bench.settings()
    theirs = await bench.judge(automator.dump_hierarchy)
    system = "com.android.systemui"
    ours = {(one.words, one.cls) for one in nodes(view) if one.words and one.package != system}
    other = view.__class__(frame=view.frame, tree=theirs)
    read = {(one.words, one.cls) for one in nodes(other) if one.words and one.package != system}
    expect(ours == read, f"only we read {sorted(ours - read)[:3]}, only uiautomator2 {sorted(read - ours)[:3]}")
    return f"{len(ours)} words"


@group.check("bounds are numbers of this screen in this rotation")
async def _bounds(bench: Bench) -> str:
    view = await bench.settings()
    nodes(view)
    root = (view.tree or "").split('bounds="', 1)[1].split('"', 1)[0]
    _, _, right, bottom = edges(root)
    size = view.frame.size
    expect(right <= size.width and bottom <= size.height, f"a root reaches to {right}, {bottom} on a screen of {size}")
    return root


@group.check("a still screen settles, and is called stable")
async def _still(bench: Bench) -> str:
    await bench.home()
    view = await bench.device.observe()
    expect(view.stable, "the home screen never stands still")
    return f"{1000 * view.timings.get('settle', 0.0):.0f} ms"


@group.check("rotation is followed from one look to the next", destructive=True)
async def _rotation(bench: Bench) -> str:
    before = await bench.preferences()
    view = await bench.settings()
    try:
        await bench.link.shell(["settings", "put", "system", "accelerometer_rotation", "0"])
        await bench.link.shell(["settings", "put", "system", "user_rotation", "1"])
        await asyncio.sleep(1.0)  # what is waited for is the sensor service of the phone, which tells nobody
        turned = await bench.device.observe()
        if turned.frame.rotation != 1:
            raise NotHere("this phone does not turn its screen on request")
        first, second = view.frame.size, turned.frame.size
        expect((first.width, first.height) == (second.height, second.width), f"{first} became {second}")
    finally:
        for name in ("user_rotation", "accelerometer_rotation"):
            await bench.link.shell(["settings", "put", "system", name, before[name] or "0"])
        await asyncio.sleep(1.0)
    back = await bench.device.observe()
    expect(back.frame.size == view.frame.size, f"the screen stays {back.frame.size}")
    return f"{first} to {second}"


@group.check("a screen that is off is said to be off, and wakes", destructive=True)
async def _off(bench: Bench) -> str:
    await bench.home()
    await bench.device.act(PressKey(Key.SLEEP))
    dark = await bench.device.observe()
    await bench.device.act(PressKey(Key.WAKE))
    awake = await bench.device.observe()
    if State.LOCKED in awake.states:
        await bench.link.shell(["wm", "dismiss-keyguard"])
        await bench.device.act(Swipe(Point(0.5, 0.8), Point(0.5, 0.2)))
    open_again = await bench.device.observe()
    expect(State.SCREEN_OFF in dark.states, f"the states of a screen that is off are {sorted(dark.states)}")
    expect(State.SCREEN_OFF not in awake.states, "the phone did not wake")
    expect(State.LOCKED not in open_again.states, "the phone is locked now; unlock it before you go on")
    return ", ".join(sorted(awake.states)) or "no lock"
