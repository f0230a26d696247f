"""What phones answered, read into values; and any other text, which must give a value or a named error."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.adb import parsers
from device.errors import BadFrame
from device.frame import Foreground
from device.geometry import Size

RECORDED = Path(__file__).parents[2] / "recorded"


def recorded(name: str) -> str:
    return (RECORDED / name).read_text()


FOCUS = "mCurrentFocus=Window{1a2b u0 %s}"


@pytest.mark.parametrize(
    "text, expected",
    [
        (FOCUS % "com.a/com.a.Main", Foreground("com.a", "com.a.Main")),
        (FOCUS % "com.a/.Main", Foreground("com.a", "com.a.Main")),
        (FOCUS % "com.a/com.a.Main paused=false", Foreground("com.a", "com.a.Main")),
        (FOCUS % "NotificationShade", Foreground(window="NotificationShade")),
        (FOCUS % "Application Not Responding: com.a", Foreground(window="Application Not Responding: com.a")),
        ("mCurrentFocus=null\n  " + FOCUS % "com.a/.B", Foreground("com.a", "com.a.B")),
        (FOCUS % "com.a/.B" + "\n  mCurrentFocus=null", Foreground("com.a", "com.a.B")),
        (FOCUS % "com.a/.B" + "\r\n", Foreground("com.a", "com.a.B")),
        ("mCurrentFocus=null", Foreground()),
        ("  topResumedActivity=ActivityRecord{1 u0 com.a/.B t12}", Foreground("com.a", "com.a.B")),
        ("    mResumedActivity: ActivityRecord{1 u0 com.a/.B t12}", Foreground("com.a", "com.a.B")),
        ("", None),
        ("mCurrentFocus=Window{1a2b u0 com.a/com.a.Ma", None),
    ],
)
def test_the_focus_is_read_in_every_form_phones_print(text: str, expected: Foreground | None) -> None:
    assert parsers.foreground(text) == expected


def test_the_focus_of_recorded_phones() -> None:
    sample = parsers.foreground(recorded("avc_dumpsys_window_windows_sample_ui.txt"))
    assert sample == Foreground("com.dtmilano.android.sampleui", "com.dtmilano.android.sampleui.MainActivity")
    for name in ("dumpsys_window_a11.txt", "dumpsys_window_a13.txt"):
        # These releases do not tell the focus in this part of the dump.
        assert parsers.foreground(recorded(name)) is None
        assert parsers.rotation(recorded(name)) == 0


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Physical size: 1080x2400\n", Size(1080, 2400)),
        ("Physical size: 1080x2400\r\nOverride size: 720x1600\r\n", Size(720, 1600)),
        ("Override size: 0x0", None),
        ("Physical size: 1080x", None),
        ("error: closed", None),
    ],
)
def test_the_size_is_the_override_if_there_is_one(text: str, expected: Size | None) -> None:
    assert parsers.size(text) == expected


@pytest.mark.parametrize(
    "text, expected",
    [("Physical density: 420\n", 420), ("Physical density: 420\nOverride density: 360", 360), ("", None)],
)
def test_the_density_is_the_override_if_there_is_one(text: str, expected: int | None) -> None:
    assert parsers.density(text) == expected


@pytest.mark.parametrize(
    "text, expected",
    [
        ("mRotation=1 mAltOrientation=false", 1),
        ("mRotation=ROTATION_270", 3),
        ("mCurrentRotation=ROTATION_90", 1),
        ("mRotation=ROTATION_45", None),
        ("DisplayViewport{type=INTERNAL, orientation=2, logicalFrame=..}", 2),
        ("orientation=7", None),
        ("", None),
    ],
)
def test_the_rotation_is_quarter_turns(text: str, expected: int | None) -> None:
    assert parsers.rotation(text) == expected


@pytest.mark.parametrize(
    "text, expected",
    [
        ("mInputShown=true\nmIsInputViewShown=true", True),
        ("mInputShown=true\nmIsInputViewShown=false", False),
        ("mInputShown=true", True),
        ("mInputShown=false", False),
        ("mIsInputViewShown=true", None),
        ("", None),
    ],
)
def test_a_keyboard_counts_only_when_it_is_on_the_screen(text: str, expected: bool | None) -> None:
    assert parsers.keyboard_shown(text) is expected


@pytest.mark.parametrize(
    "text, expected",
    [
        ("mServedInputConnection=null", False),
        ("mServedInputConnection=IRemoteInputConnectionInvoker{1a}", True),
        ("mServedInputConnectionWrapper=android.x@1", True),
        ("", None),
    ],
)
def test_a_connected_field_is_told(text: str, expected: bool | None) -> None:
    assert parsers.takes_text(text) is expected


@pytest.mark.parametrize(
    "text, expected",
    [("mWakefulness=Awake", True), ("mWakefulness=Asleep", False), ("mWakefulness=Dozing", False), ("", None)],
)
def test_only_awake_is_awake(text: str, expected: bool | None) -> None:
    assert parsers.awake(text) is expected


@pytest.mark.parametrize(
    "text, expected",
    [
        ("KeyguardStateMonitor\n  mIsShowing=true", True),
        ("KeyguardServiceDelegate\n showing=false\nKeyguardStateMonitor\n mIsShowing=false", False),
        ("mShowingLockscreen=true", True),
        ("", None),
    ],
)
def test_a_lock_screen_is_seen_in_old_and_new_forms(text: str, expected: bool | None) -> None:
    assert parsers.locked(text) is expected


@pytest.mark.parametrize(
    "text, expected",
    [
        ("  Display: mDisplayId=0\n    init=1080x2400 420dpi cur=2400x1080 app=2274x1080", Size(2400, 1080)),
        ("  Display: mDisplayId=2\n cur=10x20\n  Display: mDisplayId=0 (organized)\n cur=30x40", Size(30, 40)),
        ("cur=0x0", None),
        ("", None),
    ],
)
def test_the_size_of_the_screen_is_that_of_the_default_display_as_it_is_held(text: str, expected: Size | None) -> None:
    assert parsers.screen_size(text) == expected


@pytest.mark.parametrize(
    "text, expected", [("    secure=true", True), ("   KeyguardServiceDelegate\n  secure=false\n", False), ("", None)]
)
def test_a_lock_with_a_secret_is_told_from_one_without(text: str, expected: bool | None) -> None:
    assert parsers.lock_secure(text) is expected


WINDOW_BLOCK = (
    "  Window #{} Window{{1a u0 {}}}:\n    mAttrs={{(0,0)}}\n      fl={}\n    isOnScreen={}\n    isVisible=true\n"
)


@pytest.mark.parametrize(
    "text, expected",
    [
        (WINDOW_BLOCK.format(0, "com.a/.Bank", "LAYOUT_IN_SCREEN SECURE SPLIT_TOUCH", "true"), ("com.a/.Bank",)),
        (WINDOW_BLOCK.format(0, "com.a/.Bank", "SECURE", "false"), ()),
        (WINDOW_BLOCK.format(0, "com.a/.Bank", "NOT_FOCUSABLE", "true"), ()),
        (WINDOW_BLOCK.format(0, "com.a/.Bank", "#81812100", "true"), ("com.a/.Bank",)),
        (WINDOW_BLOCK.format(0, "com.a/.Bank", "#81810100", "true"), ()),
        ("WINDOW MANAGER WINDOWS", None),
        ("", None),
    ],
)
def test_a_window_that_forbids_pictures_is_known_by_its_flag(text: str, expected: tuple[str, ...] | None) -> None:
    assert parsers.protected_windows(text) == expected


@pytest.mark.parametrize("name", sorted(one.name for one in RECORDED.glob("dumpsys_window_*.txt")))
def test_recorded_phones_show_no_protected_window(name: str) -> None:
    assert parsers.protected_windows(recorded(name)) == ()


VIEWPORT = "mViewports=[DisplayViewport{{type=EXTERNAL, isActive=true, displayId=2, uniqueId='local:7'}}, {}]"


@pytest.mark.parametrize(
    "text, expected",
    [
        (VIEWPORT.format("DisplayViewport{type=INTERNAL, displayId=0, uniqueId='local:4619827259835644672'}"),
         "4619827259835644672"),
        (VIEWPORT.format("DisplayViewport{type=INTERNAL, displayId=0, uniqueId='virtual:x'}"), None),
        ("", None),
    ],
)  # fmt: skip
def test_the_display_that_is_on_is_the_one_behind_display_0(text: str, expected: str | None) -> None:
    assert parsers.default_display(text) == expected


@pytest.mark.parametrize(
    "text, expected",
    [
        (
            "     Bound services:{Service[label=TalkBack, feedbackType[FEEDBACK_SPOKEN], capabilities=251]}",
            ("TalkBack",),
        ),
        ("Bound services:{Service[label=A, x[y]], Service[label=Voice Access, z]}", ("A", "Voice Access")),
        ("     Bound services:{}", ()),
        ("", None),
    ],
)
def test_services_that_are_at_work_are_told_by_their_labels(text: str, expected: tuple[str, ...] | None) -> None:
    assert parsers.bound_services(text) == expected


def test_properties_survive_carriage_returns_and_brackets() -> None:
    text = "[ro.product.model]: [Pixel 8]\r\n[a.b]: [x [y] z]\r\n[empty]: []\n[cut]: [of"
    assert parsers.properties(text) == {"ro.product.model": "Pixel 8", "a.b": "x [y] z", "empty": ""}


def test_packages_are_lines_of_that_form_only() -> None:
    text = "package:com.a\r\npackage:com.b_c.d\nWARNING: linker\npackage:com.e uid:10\npackage:"
    assert parsers.packages(text) == ("com.a", "com.b_c.d")


@pytest.mark.parametrize(
    "text, expected",
    [
        ("priority=0 preferredOrder=0\ncom.a/.Main\n", "com.a/.Main"),
        ("com.a/com.a.x.Main$Alias\r\n", "com.a/com.a.x.Main$Alias"),
        ("No activity found\n", None),
        ("", None),
    ],
)
def test_the_launcher_entry_is_the_last_line(text: str, expected: str | None) -> None:
    assert parsers.launcher_component(text) == expected


@pytest.mark.parametrize("text, expected", [("null\n", ()), ("", ()), ("a/b:c/d\n", ("a/b", "c/d")), (":\n", ())])
def test_accessibility_services_are_joined_by_colons(text: str, expected: tuple[str, ...]) -> None:
    assert parsers.services(text) == expected


@pytest.mark.parametrize(
    "text, refusal",
    [
        ("Starting: Intent { cmp=com.a/.B }\nStatus: ok\nActivity: com.a/.B\nComplete\n", ""),
        (
            "Starting: Intent { cmp=com.a/.B }\n"
            "Warning: Activity not started, its current task has been brought to the front\n",
            "",
        ),
        ("Warning: Activity not started, intent has been delivered to currently running top-most instance.", ""),
        ("Error type 3\nError: Activity class {com.a/.B} does not exist.\n", "Error type 3"),
        ("Error: Activity not started, unable to resolve Intent { }", "Error: Activity not started"),
        ("java.lang.SecurityException: Permission Denial: starting Intent", "java.lang.SecurityException"),
    ],
)
def test_the_words_of_am_start_decide_not_its_exit_code(text: str, refusal: str) -> None:
    told = parsers.launch(text).refusal
    assert told.startswith(refusal) and bool(told) == bool(refusal)


def test_am_start_tells_which_activity_came_up() -> None:
    assert parsers.launch("Status: ok\nActivity: com.a/.B\n").activity == Foreground("com.a", "com.a.B")


# Pictures


def _raw(width: int, height: int, words: int) -> bytes:
    return struct.pack("<4I", width, height, 1, 0)[: 4 * words] + bytes(width * height * 4)


@pytest.mark.parametrize("words", [3, 4])
def test_a_raw_frame_has_three_or_four_words_before_its_pixels(words: int) -> None:
    frame = parsers.raw_frame(_raw(5, 7, words))
    assert frame.size == Size(5, 7) and len(frame.pixels) == 5 * 7 * 4


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x89PNG",
        _raw(5, 7, 4)[:-1],
        _raw(5, 7, 4) + b"x",
        struct.pack("<4I", 5, 7, 99, 0) + bytes(140),
        struct.pack("<4I", 0, 0, 1, 0),
        struct.pack("<4I", 0xFFFFFFFF, 0xFFFFFFFF, 1, 0),
        b"[Warning] Multiple displays were found, but no display id was specified!",
    ],
)
def test_a_cut_or_foreign_raw_frame_is_a_bad_frame(data: bytes) -> None:
    with pytest.raises(BadFrame):
        parsers.raw_frame(data)


def _encoded(suffix: str) -> bytes:
    done, data = cv2.imencode(suffix, np.full((40, 30, 3), 90, np.uint8))
    assert done
    return bytes(data)


def test_a_png_after_a_warning_is_found() -> None:
    data = parsers.png(b"[Warning] Multiple displays were found\n" + _encoded(".png"))
    assert parsers.png_size(data) == Size(30, 40)


@pytest.mark.parametrize("suffix, read", [(".png", parsers.png), (".jpg", parsers.jpeg)])
def test_a_picture_that_breaks_off_is_a_bad_frame_wherever_it_does(suffix: str, read: Callable[[bytes], bytes]) -> None:
    data = _encoded(suffix)
    assert read(data) == data and read(data + b"\r\n")
    for end in range(len(data) - 1, 8, -7):
        with pytest.raises(BadFrame, match="breaks off"):
            read(data[:end])


def test_no_png_tells_what_was_said_instead() -> None:
    with pytest.raises(BadFrame, match="Failed to take"):
        parsers.png(b"Failed to take screenshot. Status: -38\n")


def test_the_size_of_a_jpeg_is_in_its_header() -> None:
    assert parsers.jpeg_size(_encoded(".jpg")) == Size(30, 40)


@pytest.mark.parametrize("data", [b"", b"\xff\xd8", b"\xff\xd8\xff\xe0\x00\x00", b"GIF89a", b"\xff\xd8" + b"\xff" * 40])
def test_what_is_no_jpeg_is_a_bad_frame(data: bytes) -> None:
    with pytest.raises(BadFrame):
        parsers.jpeg_size(data)


# Totality: any text gives a value, any bytes a value or BadFrame.

TEXT_PARSERS: tuple[Callable[[str], object], ...] = (
    parsers.size,
    parsers.density,
    parsers.rotation,
    parsers.properties,
    parsers.foreground,
    parsers.keyboard_shown,
    parsers.takes_text,
    parsers.awake,
    parsers.wakefulness,
    parsers.locked,
    parsers.lock_secure,
    parsers.screen_size,
    parsers.protected_windows,
    parsers.default_display,
    parsers.bound_services,
    parsers.display_ids,
    parsers.setting,
    parsers.services,
    parsers.packages,
    parsers.launcher_component,
    parsers.components,
    parsers.launch,
)
BYTE_PARSERS: tuple[Callable[[bytes], object], ...] = (
    parsers.raw_frame,
    parsers.png,
    parsers.jpeg,
    parsers.png_size,
    parsers.jpeg_size,
)
WORDS = st.sampled_from(
    [
        *("mCurrentFocus=", "Window{", " u0 ", "}", "null", "com.a/.B", "Physical size: ", "0x0", "99999x99999"),
        *("mRotation=ROTATION_", "orientation=", "[", "]:", "package:", "Activity:", "Error", "mInputShown="),
        *("true", "Display (", "\r\n", " \n", "Window #1 Window{", "fl=#", "fl=SECURE", "cur=1x1", "secure=true"),
        *(
            "DisplayViewport{",
            "displayId=0",
            "uniqueId='local:1'",
            "Bound services:{",
            "Service[label=",
            "mDisplayId=0",
        ),
    ]
)


@pytest.mark.parametrize("parse", TEXT_PARSERS, ids=lambda one: str(one.__name__))
@given(text=st.one_of(st.text(), st.lists(WORDS).map(" ".join), st.lists(WORDS).map("".join)))
def test_any_text_gives_a_value(parse: Callable[[str], object], text: str) -> None:
    parse(text)


@pytest.mark.parametrize("parse", TEXT_PARSERS, ids=lambda one: str(one.__name__))
def test_every_truncation_of_every_recorded_answer_gives_a_value(parse: Callable[[str], object]) -> None:
    for name in (one.name for one in RECORDED.iterdir() if one.suffix in (".txt", ".xml")):
        text = recorded(name).replace("\n", "\r\n")
        for end in range(0, len(text), 1487):
            parse(text[:end])


@pytest.mark.parametrize("parse", BYTE_PARSERS, ids=lambda one: str(one.__name__))
@given(
    data=st.one_of(
        st.binary(),
        st.binary().map(lambda rest: b"\xff\xd8" + rest),
        st.binary().map(lambda rest: b"\x89PNG\r\n\x1a\n" + rest),
    )
)
def test_any_bytes_give_a_picture_or_a_bad_frame(parse: Callable[[bytes], object], data: bytes) -> None:
    try:
        parse(data)
    except BadFrame as error:
        assert str(error)
