"""What phones answer, read into values. Pure and total: any text gives a value, None, or a named error.

Grammars as recorded from real phones (tests/recorded) and as the clients' own parsers read them.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass

from device.errors import BadFrame
from device.frame import Foreground
from device.geometry import Size

_FOCUS = re.compile(r"mCurrentFocus=(?:null|Window\{\S+(?: u\d+)? ([^}\r\n]+)\})")
_LEAVING = re.compile(r"\s+(?:paused=\w+|EXITING)$")
_COMPONENT = re.compile(r"([\w.]+)/([\w.$]+)")
_RESUMED = re.compile(r"(?:topResumedActivity|mResumedActivity)[=:]\s*ActivityRecord\{\S+ u\d+ ([\w.]+)/([\w.$]+)")
_ROTATION = re.compile(r"\bm(?:Current)?Rotation=(?:ROTATION_)?(\d+)\b")
_ORIENTATION = re.compile(r"\borientation=([0-3])\b")
_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_END = b"IEND\xaeB`\x82"
_JPEG_END = b"\xff\xd9"
_MOST_TRAILING = 64
"""Bytes that may follow a picture's end: a line feed, padding."""
_FLAG_SECURE = 0x2000
"""android.view.WindowManager.LayoutParams.FLAG_SECURE; older releases print the flags as a number."""
_BIGGEST_SIDE = 20_000
"""Pixels; no display comes near, and a header of noise does."""


def size(text: str) -> Size | None:
    """`wm size`: the override wins over the physical size; natural orientation."""
    found = dict(re.findall(r"(Physical|Override) size:\s*(\d{1,5}x\d{1,5})", text))
    chosen = found.get("Override") or found.get("Physical")
    if chosen is None:
        return None
    width, height = map(int, chosen.split("x"))
    return Size(width, height) if width and height else None


def density(text: str) -> int | None:
    """`wm density`, dots per inch."""
    found = dict(re.findall(r"(Physical|Override) density:\s*(\d{1,4})\b", text))
    chosen = found.get("Override") or found.get("Physical")
    return int(chosen) if chosen else None


def rotation(text: str) -> int | None:
    """`dumpsys window displays` or `dumpsys display`: quarter turns of the first display, 0 to 3."""
    if found := _ROTATION.search(text):
        turns = int(found[1])
        return {90: 1, 180: 2, 270: 3}.get(turns, turns if turns <= 3 else None)
    found = _ORIENTATION.search(text)
    return int(found[1]) if found else None


def screen_size(text: str) -> Size | None:
    """`dumpsys window displays`: the size of the default display as it is held now."""
    start = text.find("mDisplayId=0")
    found = re.search(r"\bcur=(\d{1,5})x(\d{1,5})\b", text[max(start, 0) :])
    if found is None or not int(found[1]) or not int(found[2]):
        return None
    return Size(int(found[1]), int(found[2]))


def properties(text: str) -> Mapping[str, str]:
    """`getprop`: `[name]: [value]` lines."""
    return dict(re.findall(r"^\[([^\]\r\n]+)\]: \[([^\r\n]*)\]\r?$", text, re.MULTILINE))


def foreground(text: str) -> Foreground | None:
    """`dumpsys window displays` (or all of `dumpsys window`): who has the focus.

    Several displays may each print a focus, most of them null; the last that is not counts. A focus without a
    component is a system window such as NotificationShade or `Application Not Responding: ...`. An empty
    Foreground means that nobody has the focus, None that the text does not say.
    """
    focus = _FOCUS.findall(text)
    titles = [_LEAVING.sub("", title.strip()) for title in focus if title]
    if titles:
        component = _COMPONENT.fullmatch(titles[-1])
        return _activity(component[1], component[2]) if component else Foreground(window=titles[-1])
    if focus:
        return Foreground()
    resumed = _RESUMED.search(text)
    return _activity(resumed[1], resumed[2]) if resumed else None


def _activity(package: str, activity: str) -> Foreground:
    """`.Settings` is short for the package and Settings."""
    return Foreground(package=package, activity=package + activity if activity.startswith(".") else activity)


def keyboard_shown(text: str) -> bool | None:
    """`dumpsys input_method`: shown only when both flags agree; None when neither is there.

    mInputShown alone is also true without a visible keyboard (hardware keyboard, silent IME).
    """
    flags: dict[str, str] = dict(re.findall(r"\b(mInputShown|mIsInputViewShown)=(true|false)\b", text))
    if "mInputShown" not in flags:
        return None
    return flags["mInputShown"] == "true" and flags.get("mIsInputViewShown", "true") == "true"


def takes_text(text: str) -> bool | None:
    """`dumpsys input_method`: whether something on the screen is connected to the keyboard; None: it does not say."""
    found = re.findall(r"\bmServedInputConnection(?:Wrapper)?=(\S+)", text)
    return any(one != "null" for one in found) if found else None


def wakefulness(text: str) -> str | None:
    """`dumpsys power`: Awake, Asleep, Dozing or Dreaming; None when it does not say."""
    found = re.search(r"mWakefulness=(\w+)", text)
    return None if found is None else str(found[1])


def awake(text: str) -> bool | None:
    """`dumpsys power`: None when it does not say."""
    found = wakefulness(text)
    return None if found is None else found == "Awake"


def locked(text: str) -> bool | None:
    """`dumpsys window policy`: whether the keyguard is there; None when it does not say.

    mShowingLockscreen is gone from newer releases; KeyguardStateMonitor and KeyguardServiceDelegate stay.
    """
    found = re.findall(r"\b(?:mShowingLockscreen|mIsShowing|isKeyguardShowing|showing)=(true|false)\b", text)
    return "true" in found if found else None


def lock_secure(text: str) -> bool | None:
    """`dumpsys window policy`: whether the lock takes a PIN, pattern or password; None when it does not say."""
    found = re.search(r"^\s*secure=(true|false)\b", text, re.MULTILINE)
    return None if found is None else found[1] == "true"


def protected_windows(text: str) -> tuple[str, ...] | None:
    """`dumpsys window windows`: titles of the windows on the screen that forbid pictures; None without windows."""
    blocks = re.split(r"^\s*Window #\d+ Window\{", text, flags=re.MULTILINE)[1:]
    if not blocks:
        return None
    return tuple(_window_title(block) for block in blocks if _shown(block) and _protected(block))


def _window_title(block: str) -> str:
    found = re.match(r"\S+(?: u\d+)? ([^}\r\n]*)\}", block)
    return found[1].strip() if found else ""


def _shown(block: str) -> bool:
    return not re.search(r"\b(?:isOnScreen|isVisible)=false\b", block)


def _protected(block: str) -> bool:
    if found := re.search(r"\bfl=#([0-9a-fA-F]{1,8})\b", block):
        return bool(int(found[1], 16) & _FLAG_SECURE)
    return re.search(r"\bfl=[A-Z_ ]*\bSECURE\b", block) is not None


def default_display(text: str) -> str | None:
    """`dumpsys display`: the physical display that shows display 0 now; a foldable phone changes it."""
    for viewport in re.findall(r"DisplayViewport\{([^}]*)\}", text):
        found = re.search(r"\bdisplayId=0\b.*\buniqueId='?local:(\d{1,20})\b", viewport)
        if found:
            return str(found[1])
    return None


def bound_services(text: str) -> tuple[str, ...] | None:
    """`dumpsys accessibility`: labels of the services that are connected; None when it does not say.

    While UiAutomation suppresses them this is empty, although the setting still names them.
    """
    found = re.search(r"Bound services:\s*\{(.*)", text)
    if found is None:
        return None
    # Labels may hold anything but a comma: the dump does not quote them.
    return tuple(label.strip() for label in re.findall(r"Service\[label=([^,\]]*)", found[1]))


def display_ids(text: str) -> tuple[str, ...]:
    """`dumpsys SurfaceFlinger --display-id`: the physical displays, in its order."""
    return tuple(re.findall(r"^Display (\d{1,20}) \(", text, re.MULTILINE))


def setting(text: str) -> str:
    """`settings get`: the word null means unset."""
    value = text.strip()
    return "" if value == "null" else value


def services(text: str) -> tuple[str, ...]:
    """`enabled_accessibility_services`: components joined by colons."""
    return tuple(one for one in setting(text).split(":") if one)


def packages(text: str) -> tuple[str, ...]:
    """`pm list packages`: `package:NAME` lines."""
    return tuple(re.findall(r"^package:([\w.]+)\r?$", text, re.MULTILINE))


def launcher_component(text: str) -> str | None:
    """`cmd package resolve-activity --brief`: the component on its last line; None for `No activity found`."""
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines and _COMPONENT.fullmatch(lines[-1].strip()) else None


def components(text: str) -> tuple[str, ...]:
    """`cmd package query-activities --brief`: the lines that are a component."""
    return tuple(line.strip() for line in text.splitlines() if _COMPONENT.fullmatch(line.strip()))


@dataclass(frozen=True, slots=True)
class Launch:
    """What `am start -W` said: the activity that came up, and the line that says why nothing did, or ""."""

    activity: Foreground
    refusal: str


def launch(text: str) -> Launch:
    """`am start -W`. The exit code is 0 also on failure (API 34), so the words decide."""
    lines = [line.strip() for line in text.splitlines()]
    refusals = [line for line in lines if re.match(r"Error|java\.|Exception|.*SecurityException|.*not started", line)]
    # An app that was open already is no failure: "... its current task has been brought to the front".
    refusals = [line for line in refusals if not re.search(r"brought to the front|delivered to", line)]
    found = re.search(r"^\s*Activity:\s*([\w.]+)/([\w.$]+)\s*$", text, re.MULTILINE)
    return Launch(_activity(found[1], found[2]) if found else Foreground(), refusals[0] if refusals else "")


@dataclass(frozen=True, slots=True)
class RawFrame:
    """A raw screen: rows of R, G, B, A from the top left."""

    size: Size
    pixels: bytes


def raw_frame(data: bytes | memoryview) -> RawFrame:
    """`screencap` without -p: three or four u32 (width, height, format, colour space), then pixels.

    Raises BadFrame when the bytes are something else.
    """
    if len(data) < 16:
        raise BadFrame(f"a raw frame of {len(data)} bytes")
    width, height, form = struct.unpack_from("<III", data)
    header = len(data) - width * height * 4
    # Formats 1 and 2 are RGBA_8888 and RGBX_8888 (AOSP system/graphics.h).
    if not (0 < width <= _BIGGEST_SIDE and 0 < height <= _BIGGEST_SIDE) or header not in (12, 16) or form not in (1, 2):
        raise BadFrame(f"not a raw frame: {len(data)} bytes that begin {bytes(data[:16]).hex(' ')}")
    return RawFrame(Size(width, height), bytes(memoryview(data)[header:]))


def png(data: bytes) -> bytes:
    """`screencap -p`: phones with two displays print a warning before the picture. Raises BadFrame."""
    at = data.find(_PNG)
    if at < 0:
        words = data[:120].decode(errors="replace").strip()
        raise BadFrame(f"no PNG in {len(data)} bytes{': ' + words if words else ''}")
    if _PNG_END not in data[-len(_PNG_END) - _MOST_TRAILING :]:
        raise BadFrame(f"a PNG that breaks off after {len(data) - at} bytes")
    return data[at:] if at else data


def jpeg(data: bytes) -> bytes:
    """A JPEG that is there to its end. Raises BadFrame; `jpeg_size` tells whether it is one at all."""
    if _JPEG_END not in data[-len(_JPEG_END) - _MOST_TRAILING :]:
        raise BadFrame(f"a JPEG that breaks off after {len(data)} bytes")
    return data


def png_size(data: bytes) -> Size:
    """Width and height from a PNG's first chunk. Raises BadFrame."""
    if len(data) < 24 or not data.startswith(_PNG) or data[12:16] != b"IHDR":
        raise BadFrame(f"{len(data)} bytes are not a PNG")
    width, height = struct.unpack_from(">II", data, 16)
    if not (0 < width <= _BIGGEST_SIDE and 0 < height <= _BIGGEST_SIDE):
        raise BadFrame(f"a PNG of {width}x{height}")
    return Size(width, height)


def jpeg_size(data: bytes) -> Size:
    """Width and height from a JPEG's frame header (ITU T.81, B.2.2). Raises BadFrame."""
    at = 2
    while data.startswith(b"\xff\xd8") and at + 9 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, at + 5)
            if width and height:
                return Size(width, height)
            break
        at += 2 + max(length, 2)
    raise BadFrame(f"{len(data)} bytes are not a JPEG that can be read")
