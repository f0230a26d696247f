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
    """Who has the focus; empty for nobody, None when the phone does not say."""
    return parsers.foreground((await link.shell(["dumpsys", "window", "displays"])).text)


async def rotation(link: Link) -> int:
    """Quarter turns of the screen, 0 to 3."""
    turns = parsers.rotation((await link.shell(["dumpsys", "window", "displays"])).text)
    if turns is None:
        turns = parsers.rotation((await link.shell(["dumpsys", "display"])).text)
    return turns or 0


async def keyboard(link: Link) -> tuple[bool | None, bool | None]:
    """Whether the keyboard is shown, and whether something takes its text; None for unknown."""
    text = (await link.shell(["dumpsys", "input_method"])).text
    return parsers.keyboard_shown(text), parsers.takes_text(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What holds besides the picture. `focused` says whether any window has the focus, None for unknown."""

    foreground: Foreground
    focused: bool | None
    keyboard: bool | None
    rotation: int
    services: tuple[str, ...]
    states: frozenset[State]


async def conditions(link: Link) -> Conditions:
    """Focus, keyboard, rotation, lock, power and accessibility services, asked at the same time."""
    windows, policy, ime, power, services = await asyncio.gather(
        link.shell(["dumpsys", "window", "displays"]),
        link.shell(["dumpsys", "window", "policy"]),
        keyboard(link),
        link.shell(["dumpsys", "power"]),
        accessibility_services(link),
    )
    turns = parsers.rotation(windows.text)
    shown, _ = ime
    states = {State.KEYBOARD} if shown else set()
    if parsers.awake(power.text) is False:
        states.add(State.SCREEN_OFF)
    if parsers.locked(policy.text):
        states.add(State.LOCKED)
    front = parsers.foreground(windows.text)
    return Conditions(
        foreground=front or Foreground(),
        focused=None if front is None else front != Foreground(),
        keyboard=shown,
        rotation=turns if turns is not None else await rotation(link),
        services=services,
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
