"""What is sent to a phone as a command line: pixels, and quoting as a real shell reads it."""

from __future__ import annotations

import base64
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from device.actions import DoubleTap, Drag, Key, LongPress, Pinch, PressKey, Swipe, Tap
from device.adb import commands
from device.adb.gestures import by_automation, by_input
from device.errors import CommandRefused
from device.geometry import Point, Size

SIZE = Size(1080, 2400)
MIDDLE = Point(0.5, 0.5)
END = Point(0.5, 0.25)


@pytest.mark.parametrize(
    "gesture, argvs",
    [
        (Tap(MIDDLE), ["input tap 540 1200"]),
        (Tap(Point(1, 1)), ["input tap 1079 2399"]),
        (Tap(Point(0, 0)), ["input tap 0 0"]),
        (DoubleTap(MIDDLE), ["input tap 540 1200", "input tap 540 1200"]),
        (LongPress(MIDDLE, 0.8), ["input swipe 540 1200 540 1200 800"]),
        (Swipe(MIDDLE, END, 0.3), ["input swipe 540 1200 540 600 300"]),
        (Drag(MIDDLE, END, 1.0), ["input draganddrop 540 1200 540 600 1000"]),
        (PressKey(Key.BACK), ["input keyevent 4"]),
        (PressKey(Key.WAKE), ["input keyevent 224"]),
    ],
)
def test_gestures_become_these_commands(gesture: Tap, argvs: list[str]) -> None:
    assert [" ".join(argv) for argv in by_input(gesture, SIZE)] == argvs


def test_every_key_has_a_code_of_its_own() -> None:
    codes = [commands.KEY_CODES[key] for key in Key]
    assert len(set(codes)) == len(codes)


def test_one_finger_cannot_pinch() -> None:
    with pytest.raises(CommandRefused, match="one finger"):
        by_input(Pinch(MIDDLE, 2.0), SIZE)


@pytest.mark.parametrize(
    "gesture, calls",
    [
        (Tap(MIDDLE), [("click", [540, 1200])]),
        (LongPress(MIDDLE, 1.5), [("click", [540, 1200, 1500])]),
        (Swipe(MIDDLE, END, 0.3), [("swipe", [540, 1200, 540, 600, 60])]),
        (Drag(MIDDLE, END, 1.0), [("drag", [540, 1200, 540, 600, 200])]),
        (PressKey(Key.HOME), [("pressKeyCode", [3])]),
        (DoubleTap(MIDDLE), [("injectInputEvent", [event, 540, 1200, 0]) for event in (0, 1, 0, 1)]),
    ],
)
def test_gestures_become_these_calls(gesture: Tap, calls: list[tuple[str, list[object]]]) -> None:
    assert by_automation(gesture, SIZE) == calls


places = st.builds(Point, st.floats(0, 1), st.floats(0, 1))


@given(center=places, scale=st.floats(0.01, 100))
def test_fingers_of_a_pinch_stay_on_the_screen_and_go_the_right_way(center: Point, scale: float) -> None:
    [(method, parameters)] = by_automation(Pinch(center, scale), SIZE)
    fingers = [one for one in parameters if isinstance(one, dict) and "x" in one]
    assert method == "gesture" and len(fingers) == 4
    assert all(0 <= one["x"] < SIZE.width and 0 <= one["y"] < SIZE.height for one in fingers)
    first, last = (abs(b["x"] - a["x"]) for a, b in (fingers[:2], fingers[2:]))
    assert first <= last if scale > 1 else first >= last


@given(at=places, width=st.integers(1, 4000), height=st.integers(1, 4000))
def test_a_tap_lands_on_the_screen(at: Point, width: int, height: int) -> None:
    _, _, x, y = commands.tap(at, Size(width, height))
    assert 0 <= int(x) < width and 0 <= int(y) < height


# Quoting


def words_as_sh_reads_them(line: str) -> list[str]:
    script = "for word in " + line + r"""; do printf '%s\0' "$word"; done"""
    answer = subprocess.run(["/bin/sh", "-c", script], capture_output=True, check=True, env={"IFS": " "})
    return answer.stdout.decode(errors="surrogateescape").split("\0")[:-1]


@given(
    words=st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1, max_size=8)
)
@settings(max_examples=60, deadline=None)
def test_a_real_shell_reads_back_every_word(words: list[str]) -> None:
    assert words_as_sh_reads_them(commands.quoted(words)) == words


@pytest.mark.parametrize(
    "word", ["$(touch x)", "`id`", "; reboot", "a'b", 'a"b', "\\", "\n", "*", "~", "&&", "$HOME", "", "#x", "!", "你好"]
)
def test_a_real_shell_runs_nothing_of_a_word(word: str) -> None:
    assert words_as_sh_reads_them(commands.quoted(["echo", word])) == ["echo", word]


@pytest.mark.parametrize("argv", [[], ["echo", "a\0b"]])
def test_what_no_command_line_can_hold_is_refused(argv: list[str]) -> None:
    with pytest.raises(ValueError):
        commands.quoted(argv)


# Typing through `input`


@pytest.mark.parametrize("text", ["", "plain text", 'it\'s "quoted" $(id) `x` \\ ~!@#^&*()'])
def test_ascii_can_be_typed(text: str) -> None:
    assert commands.typeable(text)


@pytest.mark.parametrize("text", ["100%", "%s", "é", "你好", "👍🏽", "a\nb", "tab\t", "\x7f", "\0"])
def test_the_rest_cannot_be_typed(text: str) -> None:
    assert not commands.typeable(text)
    with pytest.raises(ValueError):
        commands.type_text(text)


@given(text=st.text(st.characters(min_codepoint=32, max_codepoint=126, exclude_characters="%"), max_size=400))
def test_typed_pieces_are_the_text(text: str) -> None:
    argvs = commands.type_text(text)
    assert all(argv[:2] == ["input", "text"] and len(argv) == 3 for argv in argvs)
    # On the phone, %s becomes a space.
    assert "".join(argv[2].replace("%s", " ") for argv in argvs) == text


@pytest.mark.parametrize("keyboard", sorted(commands.ADB_KEYBOARDS))
def test_a_broadcast_carries_any_text_as_base64(keyboard: str) -> None:
    argv = commands.broadcast_text(keyboard, "héllo 你好 ?'\"")
    assert argv[:3] == ["am", "broadcast", "-a"]
    assert base64.b64decode(argv[-1]).decode() == "héllo 你好 ?'\""
