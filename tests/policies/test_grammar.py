"""What `follow` can read, sentence by sentence, and how it refuses the rest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.actions import Key
from policies.errors import UnreadableTask
from policies.follow.grammar import parse
from policies.follow.steps import (
    Check,
    Clear,
    Direction,
    Gesture,
    Open,
    Pause,
    Press,
    Scroll,
    Step,
    Toggle,
    Touch,
    Type,
    doing,
    order,
    past,
)

DEMO = (
    "Open Settings, tap Display, turn on Dark theme, go home, open Contacts, tap Create contact, "
    "type María into First name, type García-张伟 into Last name, type +34 600 555 0123 into Phone, tap Save"
)
UP, DOWN, LEFT = Direction.UP, Direction.DOWN, Direction.LEFT


def test_the_demo_has_ten_steps() -> None:
    assert parse(DEMO) == (
        Open("Settings"),
        Touch("Display"),
        Toggle("Dark theme", True),
        Press(Key.HOME),
        Open("Contacts"),
        Touch("Create contact"),
        Type("María", "First name"),
        Type("García-张伟", "Last name"),
        Type("+34 600 555 0123", "Phone"),
        Touch("Save"),
    )


ONE: list[tuple[str, Step]] = [
    ("open Settings", Open("Settings")),
    ("Launch the Contacts app", Open("Contacts")),
    ("start com.android.settings", Open("com.android.settings")),
    ("open up Weather", Open("Weather")),
    ("open Network and internet", Open("Network and internet")),
    ("Can you please open the Settings app?", Open("Settings")),
    ("tap Display", Touch("Display")),
    ("TAP Display", Touch("Display")),
    ("Tap on the Save button.", Touch("Save")),
    ("tap Save, please", Touch("Save")),
    ("tap the Save button for me please", Touch("Save")),
    ("press OK", Touch("OK")),
    ("click the 'Save, now' button", Touch("Save, now")),
    ("select Notifications and sounds", Touch("Notifications and sounds")),
    ("choose English (UK)", Touch("English (UK)")),
    ("tap Wi-Fi & Bluetooth", Touch("Wi-Fi & Bluetooth")),
    ("tap 显示", Touch("显示")),
    ("tap The Guardian", Touch("The Guardian")),
    ("tap Forgot password?", Touch("Forgot password?")),
    ("tap Don't allow", Touch("Don't allow")),
    ("tap “open, then close”", Touch("open, then close")),
    ('tap "the button"', Touch("the button")),
    ("tap Now and Then", Touch("Now and Then")),
    ('tap 5" screen', Touch('5" screen')),
    ("tap Home", Touch("Home")),
    ("long-press Camera", Touch("Camera", Gesture.HOLD)),
    ("long press the Camera icon", Touch("Camera", Gesture.HOLD)),
    ("press and hold Camera", Touch("Camera", Gesture.HOLD)),
    ("tap and hold on Camera", Touch("Camera", Gesture.HOLD)),
    ("double-tap the Photo", Touch("Photo", Gesture.DOUBLE_TAP)),
    ("turn on Dark theme", Toggle("Dark theme", True)),
    ("turn off Wi-Fi", Toggle("Wi-Fi", False)),
    ("turn the Wi-Fi off", Toggle("Wi-Fi", False)),
    ("switch on the Hotspot switch", Toggle("Hotspot", True)),
    ("enable Bluetooth", Toggle("Bluetooth", True)),
    ("Disable Auto-rotate", Toggle("Auto-rotate", False)),
    ("I'd like you to turn on Tap and pay", Toggle("Tap and pay", True)),
    ("type hello into Message", Type("hello", "Message")),
    ("enter 42 into the Quantity field", Type("42", "Quantity")),
    ("write hello", Type("hello")),
    ("type Meet me in Paris into Message", Type("Meet me in Paris", "Message")),
    ("type Meet me in Paris", Type("Meet me in Paris", tail=("Meet me", "Paris"))),
    ('type "Hello, world" into Message', Type("Hello, world", "Message")),
    ("type “go home, then rest” into Note", Type("go home, then rest", "Note")),
    ("type 「你好，世界」 into 备注", Type("你好，世界", "备注")),
    ("type 'it's fine, you' into Note", Type("it's fine, you", "Note")),
    ("type it's fine into Note", Type("it's fine", "Note")),
    ("type a into b into Formula", Type("a into b", "Formula")),
    ("type salt and pepper into Note", Type("salt and pepper", "Note")),
    ("type 3,5 into Price", Type("3,5", "Price")),
    ("type what? into Note", Type("what?", "Note")),
    ('type "a.b" in the Name field', Type("a.b", "Name")),
    ('type "into" into "Into, out"', Type("into", "Into, out")),
    ("fill in First name with Ada", Type("Ada", "First name")),
    ("clear the Search field", Clear("Search")),
    ("clear", Clear("")),
    ("scroll down", Scroll(UP)),
    ("swipe up", Scroll(UP)),
    ("swipe left", Scroll(LEFT)),
    ("scroll up to About phone", Scroll(DOWN, "About phone")),
    ("scroll to About phone", Scroll(UP, "About phone")),
    ("scroll down until Battery is visible", Scroll(UP, "Battery")),
    ("scroll to the top", Scroll(DOWN, end=True)),
    ("scroll down to the bottom of the page", Scroll(UP, end=True)),
    ("go back", Press(Key.BACK)),
    ("back", Press(Key.BACK)),
    ("press the back button", Press(Key.BACK)),
    ("go home", Press(Key.HOME)),
    ("go to the home screen", Press(Key.HOME)),
    ("home", Press(Key.HOME)),
    ("press home", Press(Key.HOME)),
    ("recents", Press(Key.RECENTS)),
    ("open recent apps", Press(Key.RECENTS)),
    ("press enter", Press(Key.ENTER)),
    ("press the enter key", Press(Key.ENTER)),
    ("enter", Press(Key.ENTER)),
    ("wait", Pause(1.0)),
    ("wait 3 seconds", Pause(3.0)),
    ("wait for 2.5 s", Pause(2.5)),
    ("wait half a second", Pause(0.5)),
    ("wait two minutes", Pause(120.0)),
    ("check that Saved is shown", Check("Saved")),
    ("make sure Dark theme is visible", Check("Dark theme")),
    ("verify that the Save button is on the screen", Check("Save")),
    ("please tap Next", Touch("Next")),
    ("then tap Next", Touch("Next")),
    ("Now please open Settings", Open("Settings")),
    ("1. Open Settings", Open("Settings")),
]


@pytest.mark.parametrize("sentence, step", ONE, ids=[sentence for sentence, _ in ONE])
def test_one_step_is_read(sentence: str, step: Step) -> None:
    assert parse(sentence) == (step,)


SETTINGS_DISPLAY: tuple[Step, ...] = (Open("Settings"), Touch("Display"))
MANY: list[tuple[str, tuple[Step, ...]]] = [
    ("open Settings, tap Display", SETTINGS_DISPLAY),
    ("open Settings,tap Display", SETTINGS_DISPLAY),
    ("open Settings and tap Display", SETTINGS_DISPLAY),
    ("open Settings & tap Display", SETTINGS_DISPLAY),
    ("open Settings then tap Display", SETTINGS_DISPLAY),
    ("open Settings and then please tap Display", SETTINGS_DISPLAY),
    ("open Settings, and then tap Display", SETTINGS_DISPLAY),
    ("open Settings; tap Display;", SETTINGS_DISPLAY),
    ("Open Settings. Tap Display.", SETTINGS_DISPLAY),
    ("First, open Settings. After that, tap Display.", SETTINGS_DISPLAY),
    ("open Settings\r\n\n  tap Display\n", SETTINGS_DISPLAY),
    ("1. Open Settings\n2) Tap Display", SETTINGS_DISPLAY),
    ("1. Open Settings 2. Tap Display", SETTINGS_DISPLAY),
    ("- open Settings\n• tap Display", SETTINGS_DISPLAY),
    ("open Settings，tap Display。", SETTINGS_DISPLAY),
    (
        "open Network and internet and tap Notifications and sounds",
        (Open("Network and internet"), Touch("Notifications and sounds")),
    ),
    ("open Photos and press and hold Beach", (Open("Photos"), Touch("Beach", Gesture.HOLD))),
    ("go back, home", (Press(Key.BACK), Press(Key.HOME))),
    ("type hello into Note and press enter", (Type("hello", "Note"), Press(Key.ENTER))),
    ('type "a" into B, type “c, d” into "E, F"', (Type("a", "B"), Type("c, d", "E, F"))),
    ("tap Search and type hello", (Touch("Search"), Type("hello"))),
]


@pytest.mark.parametrize("sentence, steps", MANY, ids=[sentence for sentence, _ in MANY])
def test_separators_part_steps_and_leave_names_whole(sentence: str, steps: tuple[Step, ...]) -> None:
    assert parse(sentence) == steps


@pytest.mark.parametrize(
    "sentence, words",
    [
        ("", "empty"),
        ("   \n", "empty"),
        (", . ;", "empty"),
        ("sing a song", "“sing a song”"),
        ("open Settings, please sing", "“sing”"),
        ("tap A, B and C, then tap D", "“B and C”"),
        ("tap Dr. Smith", "“Smith”"),
        ("tap Save then dance", "“tap Save then dance”"),
        ("tap Save, next", "“next”"),
        ("tap", "“tap”"),
        ("scroll", "“scroll”"),
        ("go to Settings", "“go to Settings”"),
        ("check Remember me", "“check Remember me”"),
        ("type into Name", "no text to type"),
        ('type "" into Name', "no text to type"),
        ('type "never closed into Name', "not closed"),
        ("wait 9000 seconds", "cannot wait 9000 seconds"),
        ("wait 0 seconds", "cannot wait 0 seconds"),
        ("sing, dance", "“sing”; “dance”"),
    ],
)
def test_what_cannot_be_read_is_named_with_the_way_to_say_it(sentence: str, words: str) -> None:
    with pytest.raises(UnreadableTask) as caught:
        parse(sentence)
    assert words in str(caught.value)
    assert caught.value.advice


def test_a_refusal_shows_two_examples_that_can_be_read() -> None:
    with pytest.raises(UnreadableTask) as caught:
        parse("sing")
    assert "Open Settings, tap Display, turn on Dark theme" in caught.value.advice
    assert 'type "Hello, world" into Message, then press enter' in caught.value.advice
    assert len(parse("Open Settings, tap Display, turn on Dark theme")) == 3
    assert len(parse('type "Hello, world" into Message, then press enter')) == 2


@pytest.mark.parametrize(
    "sentence, quoted",
    [
        ("type Hello, world into Message", 'type "Hello, world" into Message'),
        ("type Hello. How are you? into Message", 'type "Hello. How are you?" into Message'),
        ("type a, b, c into X", 'type "a, b, c" into X'),
        ("type Hello, world", 'type "Hello, world"'),
        ("type rock and click on it into Note", 'type "rock and click on it" into Note'),
        ("type now then later into X", 'type "now then later" into X'),
        ('type he said "no", twice into X', 'type “he said "no", twice” into X'),
    ],
)
def test_text_with_a_separator_is_refused_with_the_sentence_that_quotes_it(sentence: str, quoted: str) -> None:
    with pytest.raises(UnreadableTask, match="not clear where the text to type ends") as caught:
        parse(sentence)
    assert quoted + "." in caught.value.advice
    assert len(parse(quoted)) == 1


QUOTED = {"“": "”", "「": "」", '"': '"'}


@given(st.data(), st.sampled_from(sorted(QUOTED)))
def test_quoted_text_of_any_characters_survives(data: st.DataObject, opening: str) -> None:
    closing = QUOTED[opening]
    text = data.draw(st.text(min_size=1, max_size=40).filter(lambda text: closing not in text))
    assert parse(f"open Notes, type {opening}{text}{closing} into Body, tap Save") == (
        Open("Notes"),
        Type(text, "Body"),
        Touch("Save"),
    )


@given(st.text(max_size=80))
def test_any_task_gives_steps_or_a_named_error(task: str) -> None:
    try:
        assert parse(task)
    except UnreadableTask as error:
        assert str(error) and error.advice


@given(
    st.lists(
        st.sampled_from([sentence.rstrip(".") for sentence, _ in ONE if "please" not in sentence]),
        min_size=1,
        max_size=6,
    )
)
def test_sentences_joined_by_then_give_their_steps_in_order(sentences: list[str]) -> None:
    alone = tuple(step for sentence in sentences for step in parse(sentence))
    assert parse(";\n".join(sentences)) == alone


def test_typed_text_is_in_no_phrase_about_a_step() -> None:
    (step,) = parse("type hunter2 into Password")
    assert "hunter2" not in "".join((repr(step), order(step), past(step), doing(step)))


@pytest.mark.parametrize("sentence, step", ONE, ids=[sentence for sentence, _ in ONE])
def test_every_step_can_be_told_in_three_forms(sentence: str, step: Step) -> None:
    assert len({order(step), past(step), doing(step)}) == 3
