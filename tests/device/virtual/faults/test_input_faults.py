"""Input faults: what lands on the phone is not what was injected, and the journal says so."""

from __future__ import annotations

import base64

import pytest

from device.virtual.errors import UnmappedCharacter
from device.virtual.faults.hand import InjectionNotAllowed

from .bench import Bench

ENTER, A, HOME = 66, 29, 3


def test_a_dropped_tap_is_answered_and_touches_nothing(bench: Bench) -> None:
    bench.arm("tap_dropped")
    assert bench.hand().tap(10, 20).done
    assert bench.inputs() == [] and bench.fired()[0]["fault"] == "tap_dropped"


def test_a_tap_may_be_dropped_only_while_the_picture_moves(bench: Bench) -> None:
    bench.arm("tap_dropped", moving=True)
    bench.hand().tap(10, 20)
    bench.phone.start("com.android.settings")
    assert bench.phone.animating
    bench.hand().tap(30, 40)
    bench.phone.settle()
    bench.hand().tap(50, 60)
    assert [entry["x"] for entry in bench.inputs()] == [10, 50]


def test_a_fault_concerns_the_path_it_names(bench: Bench) -> None:
    bench.arm("tap_dropped", path="u2")
    bench.hand("input").tap(1, 2)
    bench.hand("u2").tap(3, 4)
    assert [entry["x"] for entry in bench.inputs()] == [1]


def test_a_shifted_tap_lands_beside_its_point(bench: Bench) -> None:
    bench.arm("tap_shifted", sigma_px=30)
    for _ in range(5):
        bench.hand().tap(500, 1000)
    places = [(entry["x"], entry["y"]) for entry in bench.inputs()]
    assert len(set(places)) == 5 and all(0 < abs(x - 500) < 200 and abs(y - 1000) < 200 for x, y in places)


def test_a_doubled_tap_lands_twice_and_the_answer_waits_for_both(bench: Bench) -> None:
    bench.arm("tap_doubled", gap_ms=120)
    assert bench.hand().tap(5, 6).done
    assert [entry["action"] for entry in bench.inputs()] == ["tap", "tap"] and bench.phone.clock.now_ms() == 120


def test_a_delayed_tap_is_answered_at_once_and_lands_later(bench: Bench) -> None:
    bench.arm("tap_delayed", ms=600)
    assert bench.hand().tap(5, 6).done and bench.inputs() == []
    bench.phone.advance(599)
    assert bench.inputs() == []
    bench.phone.advance(1)
    assert len(bench.inputs()) == 1


def test_a_tap_may_land_as_soon_as_the_picture_has_changed(bench: Bench) -> None:
    bench.arm("tap_delayed", {"next": 1}, ms=5000, until_change=True)
    bench.hand().tap(5, 6)
    bench.phone.advance(1000)
    assert bench.inputs() == []
    bench.phone.show_toast("changed")
    bench.phone.advance(20)
    assert [entry["x"] for entry in bench.inputs()] == [5]


def test_a_long_press_may_be_read_as_a_tap(bench: Bench) -> None:
    bench.arm("long_press_short")
    bench.hand().tap(5, 6, 700)
    bench.hand().tap(7, 8, 100)
    assert [entry["hold_ms"] for entry in bench.inputs()] == [0, 100]
    assert len(bench.fired()) == 1


def scrolled(bench: Bench) -> float:
    """Where the first list of the settings has come to rest after a quick swipe."""
    bench.open_settings()
    bench.hand().swipe([(540, 1800), (540, 1200)], 150)
    bench.phone.settle(10_000)
    return bench.node("Network & internet").bounds[1] if "Network" in bench.xml() else -1.0


def test_a_swipe_without_inertia_does_not_fling(bench: Bench) -> None:
    far = scrolled(Bench())
    bench.arm("swipe_without_inertia")
    near = scrolled(bench)
    assert bench.fired()[0]["act"] == "swipe"
    assert near > far


def test_an_overshooting_swipe_goes_further_and_stays_on_the_glass(bench: Bench) -> None:
    bench.arm("swipe_overshoot", factor=2)
    bench.hand().swipe([(500, 1000), (500, 800)], 100)
    bench.hand().swipe([(500, 1000), (500, 100)], 100)
    bench.hand().drag([(500, 1000), (500, 800)], 100)
    ends = [entry["points"][-1] for entry in bench.inputs()]
    assert ends == [[500, 600], [500, 0], [500, 800]]


def test_a_dropped_key_does_nothing(bench: Bench) -> None:
    bench.open_settings()
    bench.arm("key_dropped", {"next": 1})
    bench.hand().key(HOME)
    assert bench.phone.foreground[0] == "com.android.settings" and bench.fired()[0]["code"] == HOME
    bench.hand().key(HOME)
    assert bench.phone.foreground[0] == "org.tapwright.launcher"


TEXT = "the quick brown fox"


def test_characters_are_lost(bench: Bench) -> None:
    bench.open_field()
    bench.arm("chars_lost", share=0.5)
    bench.hand().type_text(TEXT)
    landed = bench.field()
    assert 0 < len(landed) < len(TEXT) and "text" not in str(bench.fired()[0].get("parameters"))
    rest = iter(TEXT)
    assert all(char in rest for char in landed)


def test_characters_land_twice(bench: Bench) -> None:
    bench.open_field()
    bench.arm("chars_doubled", share=1)
    bench.hand().type_text("abc")
    assert bench.field() == "aabbcc"


def test_the_first_characters_are_swallowed_and_the_journal_keeps_no_text(bench: Bench) -> None:
    bench.open_field()
    bench.arm("text_head_lost", count=4)
    bench.hand().type_text(TEXT)
    assert bench.field() == TEXT[4:]
    assert bench.fired()[0]["length"] == len(TEXT) and TEXT not in str(bench.fired())


def test_autocorrect_replaces_a_word(bench: Bench) -> None:
    bench.open_field()
    bench.arm("autocorrect")
    bench.hand().type_text("my names")
    assert bench.field() == "my namse"
    bench.hand().type_text(" at it")
    assert bench.field() == "my namse at it"


def test_text_is_ignored_on_the_ways_that_are_named(bench: Bench) -> None:
    bench.open_field()
    bench.arm("text_ignored", via="keys")
    bench.hand().type_text("lost")
    bench.hand().key(A)
    assert bench.field() == "" and len(bench.fired()) == 2
    bench.phone.clipboard = "pasted"
    assert bench.hand("u2").paste() and bench.field() == "pasted"
    bench.arm("text_ignored")
    field = bench.focused()
    assert not bench.hand("u2").paste() and not bench.hand("u2").set_text(field, "x")
    assert not bench.hand("u2").commit_text("x") and bench.field() == "pasted"
    assert bench.hand("u2").clear_text() and bench.field() == ""  # clearing is no text


def test_pasted_set_and_broadcast_text_may_lose_characters_too(bench: Bench) -> None:
    bench.phone.install("com.github.uiautomator")
    bench.open_field()
    bench.arm("text_head_lost", count=1, via="any")
    bench.phone.clipboard = "paste"
    bench.hand("u2").paste()
    assert bench.field() == "aste"
    field = bench.focused()
    bench.hand("u2").set_text(field, "set")
    assert bench.field() == "et"
    bench.phone.set_ime("com.github.uiautomator/.AdbKeyboard")
    text = base64.b64encode("你好".encode()).decode()
    reply = bench.hand().ime_broadcast("ADB_KEYBOARD_SET_TEXT", {"text": text})
    assert reply.result == -1 and bench.field() == "好"
    bench.arm("text_ignored", via="ime")
    reply = bench.hand().ime_broadcast("ADB_KEYBOARD_INPUT_TEXT", {"text": text})
    assert (reply.result, reply.data) == (-1, "ADB_KEYBOARD_INPUT_TEXT") and bench.field() == "好"


def test_what_no_key_types_is_refused_whatever_is_lost(bench: Bench) -> None:
    bench.open_field()
    bench.arm("chars_lost", share=1)
    with pytest.raises(UnmappedCharacter):
        bench.hand().type_text("é")


def test_refused_injection_raises_and_leaves_no_input(bench: Bench) -> None:
    bench.arm("refuse_injection", path="u2")
    bench.hand("input").tap(1, 2)
    with pytest.raises(InjectionNotAllowed):
        bench.hand("u2").tap(3, 4)
    with pytest.raises(InjectionNotAllowed):
        bench.hand("u2").key(HOME)
    assert len(bench.inputs()) == 1 and len(bench.fired()) == 2


def test_what_injects_nothing_is_not_refused(bench: Bench) -> None:
    bench.open_field()
    bench.arm("refuse_injection")
    assert bench.hand("u2").set_text(bench.focused(), "set") and bench.field() == "set"
    with pytest.raises(InjectionNotAllowed):
        bench.hand("u2").paste()


def test_the_keyboard_comes_late(bench: Bench) -> None:
    bench.arm("keyboard_late", ms=1500)
    start = bench.phone.clock.now_ms()
    bench.open_field()
    assert (bench.phone.focused_field is None, bench.phone.ime_shown) == (False, False)
    assert not any(window.type == "ime" for window in bench.phone.windows())
    bench.phone.advance(start + 4000 - bench.phone.clock.now_ms())
    assert bench.phone.ime_shown and any(window.type == "ime" for window in bench.phone.windows())
    assert bench.fired()[0]["fault"] == "keyboard_late"


def test_the_keyboard_never_comes_and_the_field_takes_text_all_the_same(bench: Bench) -> None:
    bench.arm("keyboard_absent")
    bench.open_field()
    bench.phone.advance(60_000)
    assert not bench.phone.ime_shown
    bench.hand().type_text("typed")
    assert bench.field() == "typed"
