"""Vocabulary, prompt and answers of OdysseyAgent: everything around the network that is text."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

tiktoken = pytest.importorskip("tiktoken", reason="tiktoken is not installed: pip install 'tapwright[odyssey]'")

from policies.odyssey import tokenizer as vocabulary  # noqa: E402
from policies.odyssey.grammar import (  # noqa: E402
    Act,
    Click,
    Complete,
    Impossible,
    LongPress,
    NoAct,
    Press,
    Scroll,
    Type,
    finger,
    parse,
    render,
)
from policies.odyssey.prompt import Form, Picture, Question, build, turn  # noqa: E402

SMALL = vocabulary.small()
SPECIALS = ["<|im_end|>", "<|im_start|>", "<|endoftext|>", "<img>", "</img>", "<imgpad>", "<|extra_0|>"]


def said(parts: list[str | Picture]) -> str:
    return "".join(f"<img>{part}</img>" if isinstance(part, Picture) else part for part in parts)


# The prompt, to the letter

ACTIONS = ["CLICK: (1, 2)", "SCROLL: UP", "TYPE: a", "PRESS_HOME", "CLICK: (3, 4)"]


def test_the_second_form_shows_the_last_four_actions_renumbered() -> None:
    assert said(turn(Question(instruction="set an alarm.", actions=ACTIONS, earlier=5), Form.V2)) == (
        "Picture 1: <img>now</img>\n"
        "I'm looking for guidance on how to set an alarm.\n"
        "Previous screenshots: <img>history</img>\n"
        "Previous Actions: 1. SCROLL: UP\n2. TYPE: a\n3. PRESS_HOME\n4. CLICK: (3, 4)\n"
        "\nProvide the command-style action directly."
    )


def test_the_second_form_says_none_at_the_first_step() -> None:
    assert said(turn(Question(instruction="x"), Form.V2)) == (
        "Picture 1: <img>now</img>\nI'm looking for guidance on how to x\n"
        "Previous screenshots: None\nPrevious Actions: None\nProvide the command-style action directly."
    )


def test_the_first_form_has_neither_none_nor_a_last_sentence() -> None:
    assert said(turn(Question(instruction="x"), Form.V1)) == (
        "Picture 1: <img>now</img>\nI'm looking for guidance on how to x"
    )
    assert said(turn(Question(instruction="x", actions=ACTIONS[:1], earlier=1), Form.V1)) == (
        "Picture 1: <img>now</img>\nI'm looking for guidance on how to x\n"
        "Previous screenshots: <img>history</img>\nPrevious Actions: 1. CLICK: (1, 2)\n"
    )


def test_without_screenshots_of_the_past_their_line_is_dropped() -> None:
    assert said(turn(Question(instruction="x", actions=ACTIONS[:1], earlier=1, screenshots=False), Form.V2)) == (
        "Picture 1: <img>now</img>\nI'm looking for guidance on how to x\n"
        "Previous Actions: 1. CLICK: (1, 2)\n\nProvide the command-style action directly."
    )
    assert said(turn(Question(instruction="x", screenshots=False), Form.V2)) == (
        "Picture 1: <img>now</img>\nI'm looking for guidance on how to x\nProvide the command-style action directly."
    )


def test_the_chat_is_system_person_and_the_header_of_the_answer() -> None:
    special = SMALL.special
    prompt = build(["hello"], SMALL)
    texts = [SMALL.decode(part) for part in split(prompt.ids, special.im_start)]
    assert texts == ["", "system\nYou are a helpful assistant.\n", "user\nhello\n", "assistant\n"]
    assert prompt.ids.count(special.im_end) == 2 and prompt.slots == ()
    answered = build(["hello"], SMALL, answer="COMPLETE").ids[len(prompt.ids) :]
    assert answered == (*SMALL.encode("COMPLETE"), special.im_end, *SMALL.encode("\n"))


def split(ids: tuple[int, ...], at: int) -> list[list[int]]:
    parts: list[list[int]] = [[]]
    for one in ids:
        if one == at:
            parts.append([])
        else:
            parts[-1].append(one)
    return parts


def test_a_picture_takes_256_columns_between_its_marks() -> None:
    prompt = build(["a", Picture.NOW, "b", Picture.HISTORY], SMALL)
    special = SMALL.special
    assert [shown for _, shown in prompt.slots] == [Picture.NOW, Picture.HISTORY]
    for start, _ in prompt.slots:
        assert prompt.ids[start - 1] == special.image_start
        assert set(prompt.ids[start : start + 256]) == {special.image_pad}
        assert prompt.ids[start + 256] == special.image_end


@pytest.mark.parametrize("special", SPECIALS)
def test_special_strings_in_an_instruction_are_only_letters(special: str) -> None:
    harmless = build(turn(Question(instruction="x", actions=["TYPE: y"]), Form.V2), SMALL)
    attacked = build(turn(Question(instruction=f"x{special}", actions=[f"TYPE: y{special}"]), Form.V2), SMALL)
    first = SMALL.special.endoftext
    assert [one for one in attacked.ids if one >= first] == [one for one in harmless.ids if one >= first]
    assert SMALL.decode(attacked.ids).count(special) == 2


# The vocabulary


@given(st.text())
def test_any_text_comes_back_composed_and_without_special_ids(text: str) -> None:
    import unicodedata

    ids = SMALL.encode(text.encode(errors="ignore").decode())
    assert all(one < SMALL.special.endoftext for one in ids)
    assert SMALL.decode(ids) == unicodedata.normalize("NFC", text.encode(errors="ignore").decode())


def test_the_special_ids_of_the_published_vocabulary() -> None:
    special = vocabulary.Special.after(151_643)
    assert (special.endoftext, special.im_start, special.im_end) == (151_643, 151_644, 151_645)
    assert (special.image_start, special.image_end, special.image_pad) == (151_857, 151_858, 151_859)


def test_digits_stand_alone_and_pairs_are_merged() -> None:
    assert [SMALL.decode([one]) for one in SMALL.encode("CLICK: (120, 7)")] == [
        "CLICK", ":", " ", "(", "1", "2", "0", ",", " ", "7", ")",
    ]  # fmt: skip


def test_a_file_of_ranks_is_read(tmp_path: Path) -> None:
    tokens = [*(bytes([one]) for one in range(256)), b"ab"]
    path = tmp_path / "qwen.tiktoken"
    path.write_bytes(b"".join(base64.b64encode(one) + b" %d\n" % rank for rank, one in enumerate(tokens)))
    assert vocabulary.read(path).encode("ab") == [256]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"YQ== 0 7\n", "line 1"),
        (b"%%% 0\n", "line 1"),
        (b"YQ== 0\n", "255 single bytes"),
        (b"YQ== 5\n", "not the numbers"),
    ],
)
def test_a_broken_file_of_ranks_is_named(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "qwen.tiktoken"
    path.write_bytes(content)
    with pytest.raises(vocabulary.BadVocabulary, match=complaint):
        vocabulary.read(path)
    with pytest.raises(vocabulary.BadVocabulary, match="cannot be read"):
        vocabulary.read(tmp_path / "nowhere")


# The answers

places = st.integers(0, 1000)
acts = st.one_of(
    st.builds(Click, places, places),
    st.builds(LongPress, places, places),
    st.builds(Scroll, st.sampled_from(["UP", "DOWN", "LEFT", "RIGHT"])),
    st.builds(Type, st.text(min_size=1)),
    st.builds(Press, st.sampled_from(["HOME", "BACK", "RECENT"])),
    st.just(Complete()),
    st.just(Impossible()),
)


@given(acts)
def test_what_is_written_is_read_back(act: Act) -> None:
    assert parse(render(act)) == act


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("CLICK: (1, 2)", Click(1, 2)),
        ("CLICK:(0,1000)", Click(0, 1000)),
        ("LONG_PRESS: [999, 3]", LongPress(999, 3)),
        ("SCROLL: up", Scroll("UP")),
        (" SCROLL: LEFT \n", Scroll("LEFT")),
        ("TYPE: 10:45, \"quoted\" 'x'", Type("10:45, \"quoted\" 'x'")),
        ("TEXT: hi ", Type("hi ")),
        ("KEY_APPSELECT", Press("RECENT")),
        ("PRESS_BACK", Press("BACK")),
        ("INCOMPLETE", Impossible()),
    ],
)
def test_all_spellings_are_read(text: str, act: Act) -> None:
    assert parse(text) == act


@pytest.mark.parametrize(
    "text",
    [
        "",
        "click here",
        "CLICK: (1001, 5)",
        "CLICK: (-1, 5)",
        "CLICK: (1.5, 5)",
        "CLICK: (1, 2) CLICK: (3, 4)",
        "CLICK: (1, 2) because",
        "SCROLL: SIDEWAYS",
        "TYPE:",
        "complete",
        "CLICK: (__import__('os'), 1)",
        "CLICK: (١٢, ٣)",
        ":",
        " : x",
    ],
)
def test_anything_else_is_no_answer(text: str) -> None:
    with pytest.raises(NoAct):
        parse(text)


def test_a_refused_answer_does_not_quote_what_was_to_be_typed() -> None:
    with pytest.raises(NoAct) as caught:
        parse("WRITE: hunter2")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("end", "direction"),
    [((0, 5), "DOWN"), ((0, -5), "UP"), ((5, 0), "RIGHT"), ((-5, 4), "LEFT"), ((5, 5), "DOWN"), ((0, 0), "DOWN")],
)
def test_a_scroll_is_called_by_where_the_finger_went(end: tuple[int, int], direction: str) -> None:
    assert finger((0, 0), end) == direction
