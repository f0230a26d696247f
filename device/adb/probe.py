"""Questions about a phone that need no UiAutomation: each one shell command, read by a parser."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from device.adb import commands, parsers
from device.adb.client import Link
from device.adb.states import Signs
from device.base import DeviceInfo
from device.errors import CommandRefused
from device.frame import Foreground
from device.geometry import Size


async def accessibility_services(link: Link) -> tuple[str, ...]:
    """Components of the accessibility services that are on."""
    answer = await link.shell(commands.setting("secure", "enabled_accessibility_services"))
    return parsers.services(answer.text)


async def bound_services(link: Link) -> tuple[str, ...] | None:
    """Labels of the accessibility services that are at work; empty while they are suppressed, None: it does not say."""
    return parsers.bound_services((await link.shell(["dumpsys", "accessibility"])).text)


async def focus(link: Link) -> Foreground | None:
    """Who has the focus; empty for nobody, None when the phone does not say."""
    return parsers.foreground((await link.shell(["dumpsys", "window", "displays"])).text)


async def rotation(link: Link) -> int:
    """Quarter turns of the screen, 0 to 3."""
    return await _turns(link, (await link.shell(["dumpsys", "window", "displays"])).text)


async def _turns(link: Link, windows: str) -> int:
    turns = parsers.rotation(windows)
    if turns is None:
        turns = parsers.rotation((await link.shell(["dumpsys", "display"])).text)
    return turns or 0


async def keyboard(link: Link) -> tuple[bool | None, bool | None]:
    """Whether the keyboard is shown, and whether something takes its text; None for unknown."""
    text = (await link.shell(["dumpsys", "input_method"])).text
    return parsers.keyboard_shown(text), parsers.takes_text(text)


async def protected(link: Link) -> tuple[str, ...] | None:
    """Titles of the windows on the screen that forbid pictures; None when the phone does not say."""
    return parsers.protected_windows((await link.shell(["dumpsys", "window", "windows"])).text)


@dataclass(frozen=True, slots=True)
class Held:
    """How the phone is held just now. `size` is None and `wakefulness` "" when it does not say."""

    size: Size | None
    rotation: int
    wakefulness: str


async def held(link: Link) -> Held:
    """Size, rotation and wakefulness, asked at the same time."""
    windows, power = await asyncio.gather(
        link.shell(["dumpsys", "window", "displays"]), link.shell(["dumpsys", "power"])
    )
    turns = await _turns(link, windows.text)
    return Held(parsers.screen_size(windows.text), turns, parsers.wakefulness(power.text) or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What holds besides the picture. `size` is the screen's as it is held; `display` the physical one that is on,
    asked only of a phone with several."""

    signs: Signs
    rotation: int
    size: Size | None
    display: str | None

    @property
    def foreground(self) -> Foreground:
        return self.signs.foreground or Foreground()

    @property
    def focused(self) -> bool | None:
        """Whether any window has the focus; None for unknown."""
        return None if self.signs.foreground is None else self.signs.foreground != Foreground()


async def conditions(link: Link, *, several_displays: bool = False) -> Conditions:
    """Focus, keyboard, rotation, lock, power and accessibility services, asked at the same time."""
    windows, policy, ime, power, (services, explored), display = await asyncio.gather(
        link.shell(["dumpsys", "window", "displays"]),
        link.shell(["dumpsys", "window", "policy"]),
        keyboard(link),
        link.shell(["dumpsys", "power"]),
        _accessibility(link),
        _display(link, several_displays),
    )
    signs = Signs(
        foreground=parsers.foreground(windows.text),
        wakefulness=parsers.wakefulness(power.text),
        locked=parsers.locked(policy.text),
        lock_secure=parsers.lock_secure(policy.text),
        keyboard=ime[0],
        explored=explored,
        services=services,
    )
    return Conditions(
        signs=signs,
        rotation=await _turns(link, windows.text),
        size=parsers.screen_size(windows.text),
        display=display,
    )


async def _accessibility(link: Link) -> tuple[tuple[str, ...], bool]:
    """The services that are on, and whether one of them has taken over touches."""
    services, touch = await asyncio.gather(
        accessibility_services(link), link.shell(commands.setting("secure", "touch_exploration_enabled"))
    )
    return services, parsers.setting(touch.text) == "1"


async def _display(link: Link, several: bool) -> str | None:
    return parsers.default_display((await link.shell(["dumpsys", "display"])).text) if several else None


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
