"""Questions about a phone that need no UiAutomation: each one shell command, read by a parser."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from device.adb import commands, parsers
from device.adb.client import Link
from device.base import DeviceInfo, State
from device.errors import CommandRefused
from device.frame import Foreground


async def accessibility_services(link: Link) -> tuple[str, ...]:
    """Components of the accessibility services that are on."""
    answer = await link.shell(commands.setting("secure", "enabled_accessibility_services"))
    return parsers.services(answer.text)


async def focus(link: Link) -> Foreground | None:
    return parsers.foreground((await link.shell(["dumpsys", "window", "displays"])).text)


@dataclass(frozen=True, slots=True)
class Conditions:
    """What holds besides the picture."""

    foreground: Foreground
    keyboard: bool | None
    rotation: int
    states: frozenset[State]


async def conditions(link: Link) -> Conditions:
    """Focus, keyboard, rotation, lock and power, asked at the same time."""
    window, ime, power, display = await asyncio.gather(
        link.shell(["dumpsys", "window", "displays"]),
        link.shell(["dumpsys", "input_method"]),
        link.shell(["dumpsys", "power"]),
        link.shell(["dumpsys", "display"]),
    )
    keyboard = parsers.keyboard_shown(ime.text)
    states = set()
    if keyboard:
        states.add(State.KEYBOARD)
    if parsers.awake(power.text) is False:
        states.add(State.SCREEN_OFF)
    if parsers.locked(window.text):
        states.add(State.LOCKED)
    return Conditions(
        foreground=parsers.foreground(window.text) or Foreground(),
        keyboard=keyboard,
        rotation=parsers.rotation(display.text) or 0,
        states=frozenset(states),
    )


async def describe(link: Link) -> DeviceInfo:
    """Facts that hold as long as the phone is connected. Raises CommandRefused when it tells no size."""
    props, size, density, services = await asyncio.gather(
        link.shell(["getprop"]),
        link.shell(["wm", "size"]),
        link.shell(["wm", "density"]),
        accessibility_services(link),
    )
    natural = parsers.size(size.text)
    if natural is None:
        raise CommandRefused(f"`wm size` answers {size.text.strip()!r}", serial=link.serial)
    known = parsers.properties(props.text)
    sdk = known.get("ro.build.version.sdk", "")
    return DeviceInfo(
        serial=link.serial,
        model=known.get("ro.product.model", "unknown"),
        sdk=int(sdk) if sdk.isdecimal() else 0,
        size=natural,
        density=parsers.density(density.text) or 160,
        virtual=known.get("ro.tapwright.virtual") == "1",
        accessibility_services=services,
    )
