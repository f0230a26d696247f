"""What `follow` can read, sentence by sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.actions import Key
from policies.errors import UnreadableTask
from policies.follow.grammar import (
    Check,
    Clear,
    Open,
    Pause,
    Press,
    Scroll,
    Step,
    SwipeFinger,
    TapOn,
    Turn,
    Type,
    parse,
)

DEMO = (
    "Open Settings, tap Display, turn on Dark theme, go home, open Contacts, tap Create contact, "
    "type María into First name, type García-张伟 into Last name, type +34 600 555 0123 into Phone, tap Save"
)


def test_the_demo_has_ten_steps() -> None:
    assert parse(DEMO) == (
        Open("Settings"),
        TapOn("Display"),
        Turn("Dark theme", True),
        Press(Key.HOME),
        Open("Contacts"),
        TapOn("Create contact"),
        Type("María", "First name"),
        Type("García-张伟", "Last name"),
        Type("+34 600 555 0123", "Phone"),
        TapOn("Save"),
    )


ONE: list[tuple[str, Step]] = [
    ("open Settings", Open("Settings")),
    ("Launch the Contacts app", Open("Contacts")),
    ("start com.android.settings", Open("com.android.settings")),
    ("open Network and internet", Open("Network and internet")),
    ("tap Display", TapOn("Display")),
    ("Tap on the Save button.", TapOn("Save")),
    ("press OK", TapOn("OK")),
    ("click the 'Save, now' button", TapOn("Save, now")),
    ("select Notifications and sounds", TapOn("Notifications and sounds")),
    ("choose English (UK)", TapOn("English (UK)")),
    ("tap Wi-Fi & Bluetooth", TapOn("Wi-Fi & Bluetooth")),
    ("tap 显示", TapOn("显示")),
    ("long-press Camera", TapOn("Camera", long=True)),
    ("long press the Camera icon", TapOn("Camera", long=True)),
    ("press and hold Camera", TapOn("Camera", long=True)),
    ("tap and hold Camera", TapOn("Camera", long=True)),
    ("turn on Dark theme", Turn("Dark theme", True)),
    ("turn off Wi-Fi", Turn("Wi-Fi", False)),
    ("turn Wi-Fi off", Turn("Wi-Fi", False)),
    ("switch on the Hotspot switch", Turn("Hotspot", True)),
    ("enable Bluetooth", Turn("Bluetooth", True)),
    ("Disable Auto-rotate", Turn("Auto-rotate", False)),
    ("type hello into Message", Type("hello", "Message")),
    ("enter 42 into the Quantity field", Type("42", "Quantity")),
    ("write hello", Type("hello")),
    ('type "Hello, world" into Message', Type("Hello, world", "Message")),
    ("type “go home, then rest” into Note", Type("go home, then rest", "Note")),
    ("type 「你好，世界」 into 备注", Type("你好，世界", "备注")),
    ("type it's fine into Note", Type("it's fine", "Note")),
    ("type a into b into Formula", Type("a into b", "Formula")),
    ('type "a.b" in Name', Type("a.b", "Name")),
    ("fill in First name with Ada", Type("Ada", "First name")),
    ("clear Search", Clear("Search")),
    ("scroll down", Scroll("down")),
    ("scroll up to About phone", Scroll("up", "About phone")),
    ("scroll to About phone", Scroll("down", "About phone")),
    ("scroll down until Battery is visible", Scroll("down", "Battery")),
    ("swipe left", SwipeFinger("left")),
    ("go back", Press(Key.BACK)),
    ("back", Press(Key.BACK)),
    ("go home", Press(Key.HOME)),
    ("go to the home screen", Press(Key.HOME)),
    ("home", Press(Key.HOME)),
    ("go to recents", Press(Key.RECENTS)),
    ("press enter", Press(Key.ENTER)),
    ("press the enter key", Press(Key.ENTER)),
    ("enter", Press(Key.ENTER)),
    ("wait", Pause(1.0)),
    ("wait 3 seconds", Pause(3.0)),
    ("wait for 2.5 s", Pause(2.5)),
    ("check that Saved is shown", Check("Saved")),
    ("make sure Dark theme is visible", Check("Dark theme")),
    ("verify that the Save button is there", Check("Save")),
    ("please tap Next", TapOn("Next")),
    ("then tap Next", TapOn("Next")),
    ("Now please open Settings", Open("Settings")),
]


@pytest.mark.parametrize("sentence, step", ONE, ids=[sentence for sentence, _ in ONE])
def test_one_step_is_read(sentence: str, step: Step) -> None:
    assert parse(sentence) == (step,)


MANY: list[tuple[str, int]] = [
    ("open Settings and tap Display", 2),
    ("open Settings then tap Display", 2),
    ("open Settings and then tap Display", 2),
    ("Open Settings. Tap Display. Turn on Dark theme.", 3),
    ("open Settings\ntap Display\n\nturn on Dark theme\n", 3),
    ("open Settings; tap Network and internet; go back", 3),
    ("go back, home", 2),
    ("tap A, B and C then tap D", 2),
    ("open Settings，tap 显示", 2),
]


@pytest.mark.parametrize("sentence, count", MANY, ids=[sentence for sentence, _ in MANY])
def test_separators_separate_only_where_a_verb_follows(sentence: str, count: int) -> None:
    assert len(parse(sentence)) == count


@pytest.mark.parametrize(
    "sentence, words",
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("sing a song", "sing a song"),
        ("open Settings, please sing", "Settings, please sing"),
        ("tap", "tap"),
        ("type into Name", "type into Name"),
        ("wait 9000 seconds", "too long"),
        ("x" * 5000, "5000 characters"),
    ],
)
def test_what_cannot_be_read_is_named(sentence: str, words: str) -> None:
    if sentence == "open Settings, please sing":
        # No verb follows the comma, so it belongs to the name; the phone will say there is no such app.
        assert parse(sentence) == (Open(words),)
        return
    with pytest.raises(UnreadableTask) as caught:
        parse(sentence)
    assert words in str(caught.value)
    assert caught.value.advice


def test_text_with_a_separator_must_be_quoted_and_the_advice_shows_how() -> None:
    with pytest.raises(UnreadableTask, match="not clear where the text to type ends") as caught:
        parse("type Hello, world into Message")
    assert 'type "Hello, world"' in caught.value.advice


@given(st.text(st.characters(blacklist_characters='"', blacklist_categories=("Cs", "Co")), min_size=1, max_size=60))
def test_quoted_text_survives_exactly(text: str) -> None:
    assert parse(f'open Notes, type "{text}" into Body, tap Save') == (
        Open("Notes"),
        Type(text, "Body"),
        TapOn("Save"),
    )


@given(st.text(max_size=80))
def test_any_text_gives_steps_or_a_named_error(text: str) -> None:
    try:
        assert parse(text)
    except UnreadableTask as error:
        assert str(error)


def test_typed_text_is_not_in_a_steps_representation() -> None:
    assert "hunter2" not in repr(parse("type hunter2 into Password"))
