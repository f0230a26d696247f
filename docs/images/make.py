"""Draws the pictures of the virtual phone: `python docs/images/make.py [names...]` writes docs/images/phone-*.png.

Each picture is a sheet of screens side by side. Everything is drawn by the phone itself from its seed, so two runs
write the same bytes.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from PIL import Image

from device.virtual.core.accessibility import TALKBACK
from device.virtual.phone import VirtualPhone
from device.virtual.verbs import do

FOLDER = Path(__file__).parent
MOST_BYTES = 300_000
_GAP, _PAPER = 24, (95, 99, 104)
_SETTINGS, _CONTACTS = "com.android.settings", "org.tapwright.contacts"
_READ_CONTACTS = {"package": _CONTACTS, "permission": "android.permission.READ_CONTACTS"}

Step = Callable[[VirtualPhone], object]


def tap(text: str) -> Step:
    """Touch the element with that text or description."""

    def step(phone: VirtualPhone) -> None:
        for window in phone.windows():
            waiting = [window.root]
            while waiting:
                node = waiting.pop()
                if text in (node.text, node.desc):
                    left, top, right, bottom = node.bounds
                    phone.tap((left + right) / 2, (top + bottom) / 2)
                    phone.settle()
                    return
                waiting += node.children
        raise LookupError(f"no element {text!r} on the screen: {phone.focused_window}")

    return step


def opened(package: str, activity: str = "") -> Step:
    """Start an app, or one of its activities."""
    return lambda phone: phone.start(package, activity)


def typed(text: str) -> Step:
    """Put text into the focused field."""
    return lambda phone: phone.commit_text(text)


def dragged(share: float) -> Step:
    """Scroll down by that share of the screen."""

    def step(phone: VirtualPhone) -> None:
        width, height = phone.size
        phone.swipe([(width / 2, height * 0.8), (width / 2, height * (0.8 - share))], 800)

    return step


def key(code: int) -> Step:
    """Press a key."""
    return lambda phone: phone.key(code)


def pulled(*, quick: bool = False) -> Step:
    """Open the shade."""
    return lambda phone: phone.open_quick_settings() if quick else phone.open_notifications()


def swiped_up(phone: VirtualPhone) -> None:
    """Open the drawer from the home screen."""
    width, height = phone.size
    phone.swipe([(width / 2, height * 0.6), (width / 2, height * 0.2)], 200)


def done(verb: str, **arguments: object) -> Step:
    """Bring about one of the states that `POST /do` names."""
    return lambda phone: do(phone, verb, arguments)


def put(ns: str, setting: str, value: str) -> Step:
    """Store a setting."""
    return lambda phone: phone.put_setting(ns, setting, value)


def fingered(x: float, y: float) -> Step:
    """Touch as a person does, shares of the screen."""
    return lambda phone: phone.tap(phone.size[0] * x, phone.size[1] * y, fingers=1)


PINNED = (done("set_lock", kind="pin", pin="2580"), done("lock"), done("unlock"))
ASKED = (opened(_CONTACTS), done("reset_permissions", package=_CONTACTS), done("request_permission", **_READ_CONTACTS))
READ = (opened(_SETTINGS), done("enable_accessibility_service", id=TALKBACK), fingered(0.5, 0.37))
MAIL = done("notify", package=_CONTACTS, title="Maria Lopez", text="Are you coming tonight?")

FORM = (
    opened(_CONTACTS),
    tap("Create contact"),
    tap("First name"),
    typed("María"),
    tap("Last name"),
    typed("García-张伟"),
)
RUNNING = (opened(_SETTINGS), opened(_CONTACTS), key(187))

SHEETS: dict[str, tuple[dict[str, object], Sequence[Sequence[Step]]]] = {
    "phone-home": (
        {},
        ([], [swiped_up], [pulled()], RUNNING),
    ),
    "phone-settings": (
        {},
        (
            [opened(_SETTINGS)],
            [opened(_SETTINGS, ".Settings$DisplaySettingsActivity")],
            [opened(_SETTINGS, ".Settings$WifiSettingsActivity")],
            [opened(_SETTINGS), tap("Search settings"), tap("Search settings"), typed("dark")],
        ),
    ),
    "phone-contacts": (
        {},
        (
            [opened(_CONTACTS)],
            FORM,
            [opened(_CONTACTS), tap("Amina Diallo")],
            [opened(_CONTACTS), tap("Amina Diallo"), tap("Delete")],
        ),
    ),
    "phone-dark": (
        {"dark": True},
        (
            [opened(_SETTINGS)],
            [opened(_SETTINGS, ".Settings$DisplaySettingsActivity")],
            FORM,
            [pulled(quick=True)],
        ),
    ),
    "phone-chinese": (
        {"lang": "zh"},
        ([], [opened(_SETTINGS)], [opened(_SETTINGS, ".Settings$SoundSettingsActivity")], [opened(_CONTACTS)]),
    ),
    "phone-states": (
        {},
        (
            [opened(_SETTINGS), done("show_anr")],
            [opened(_SETTINGS), done("show_crash", again=True)],
            ASKED,
            [opened(_SETTINGS), MAIL],
            READ,
        ),
    ),
    "phone-lock": (
        {},
        (
            [done("sleep"), done("wake")],
            [*PINNED, lambda phone: phone.type_text("258")],
            [*PINNED, lambda phone: phone.type_text("1111"), key(66)],
            [put("secure", "doze_always_on", "1"), done("doze")],
            [opened(_SETTINGS), done("set_secure", package=_SETTINGS)],
        ),
    ),
    "phone-states-dark": (
        {"dark": True, "lang": "zh"},
        (
            [opened(_SETTINGS), done("show_anr")],
            ASKED,
            [*PINNED, lambda phone: phone.type_text("258")],
            [opened(_SETTINGS), MAIL],
            READ,
        ),
    ),
    "phone-states-tablet": (
        {"profile": "tablet"},
        ([opened(_SETTINGS), done("show_anr")], ASKED, PINNED, [opened(_SETTINGS), MAIL]),
    ),
    "phone-tablet": (
        {"profile": "tablet"},
        ([], [opened(_SETTINGS)], FORM),
    ),
}
"""Name of the picture: what kind of phone, and the steps that lead to each of its screens."""


def shot(options: dict[str, object], steps: Sequence[Step], height: int) -> Image.Image:
    """The screen of a fresh phone after the steps, scaled to that height."""
    phone = VirtualPhone(**options)  # type: ignore[arg-type]
    for step in steps:
        step(phone)
        phone.settle()
    image = phone.image().convert("RGB")
    return image.resize((round(image.width * height / image.height), height), Image.Resampling.LANCZOS)


def sheet(screens: Sequence[Image.Image]) -> Image.Image:
    """The screens side by side on grey."""
    width = sum(one.width for one in screens) + _GAP * (len(screens) + 1)
    paper = Image.new("RGB", (width, screens[0].height + 2 * _GAP), _PAPER)
    left = _GAP
    for one in screens:
        paper.paste(one, (left, _GAP))
        left += one.width + _GAP
    return paper


def encoded(image: Image.Image) -> bytes:
    """PNG with a palette of 256 colours, which flat screens hardly show."""
    buffer = io.BytesIO()
    image.quantize(256, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def main(names: Sequence[str]) -> None:
    """Write the named pictures, or all of them."""
    for name in names or SHEETS:
        options, screens = SHEETS[name]
        data = encoded(sheet([shot(options, steps, 900) for steps in screens]))
        if len(data) > MOST_BYTES:
            raise ValueError(f"{name} takes {len(data)} bytes, more than {MOST_BYTES}: show fewer screens")
        (FOLDER / f"{name}.png").write_bytes(data)
        print(f"{name}.png {len(data) // 1000} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
