from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_server.runs import speak
from agent_server.runs.gate import FIELD
from agent_server.runs.model import EventType, Importance, OutcomeCode
from agent_server.runs.phrases import ACTS, KEYS, LANGUAGES, LINES, REASONS
from agent_server.runs.redact import told
from device.actions import (
    Action,
    ClearText,
    DoubleTap,
    Drag,
    Key,
    LongPress,
    OpenApp,
    Pinch,
    PressKey,
    Swipe,
    Tap,
    TypeText,
    Wait,
)
from device.geometry import Point

WORDS = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Nd", "Cs")), max_size=200)
PLACES = st.builds(Point, st.floats(0, 1), st.floats(0, 1))
ACTIONS: st.SearchStrategy[Action] = st.one_of(
    st.builds(Tap, PLACES),
    st.builds(DoubleTap, PLACES),
    st.builds(LongPress, PLACES),
    st.builds(Swipe, PLACES, PLACES),
    st.builds(Drag, PLACES, PLACES),
    st.builds(Pinch, PLACES, st.floats(0.5, 2)),
    st.builds(TypeText, st.text(max_size=30)),
    st.just(ClearText()),
    st.builds(PressKey, st.sampled_from(Key)),
    st.builds(OpenApp, WORDS),
    st.builds(Wait),
)
TARGETS = st.none() | st.builds(
    lambda name, role: {"mark": 7, "role": role, "name": name, "box": [0.11, 0.22, 0.33, 0.44], "password": False},
    WORDS,
    st.sampled_from(["button", FIELD]),
)
ACTS_DATA = st.builds(
    lambda action, target, changed, why: {"action": told(action), "target": target, "changed": changed, "reason": why},
    ACTIONS,
    TARGETS,
    st.sampled_from(["yes", "no", "unknown"]),
    WORDS,
)
OUTCOMES = st.builds(
    lambda code, summary, answer: {
        "state": "x",
        "cause": "",
        "summary": summary,
        "outcome": {"code": code.value, "summary": summary, "answer": answer},
    },
    st.sampled_from([code for code in OutcomeCode if code is not OutcomeCode.INTERRUPTED]),
    WORDS,
    WORDS,
)
OPTIONS = st.lists(st.builds(lambda label: {"id": "a", "label": label}, WORDS), min_size=1, max_size=12)


def _question(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(
        lambda act, prompt, options: {
            **act,
            "kind": kind,
            "prompt": prompt,
            "options": options if kind == "choice" else [],
        },
        ACTS_DATA,
        WORDS,
        OPTIONS,
    )


def _answered() -> st.SearchStrategy[dict[str, Any]]:
    return st.one_of(
        st.builds(lambda yes: {"kind": "approval", "answer": "allow" if yes else "deny"}, st.booleans()),
        st.builds(lambda label: {"kind": "choice", "answer": "1", "label": label}, WORDS),
        st.just({"kind": "text", "characters": 12}),
    )


DATA: dict[EventType, st.SearchStrategy[dict[str, Any]]] = {
    EventType.RUN_QUEUED: st.builds(lambda n: {"serial": "emulator", "position": n}, st.integers(0, 99)),
    EventType.RUN_STARTED: st.builds(lambda model: {"model": model}, WORDS),
    EventType.STEP_STARTED: st.builds(lambda n: {"n": n}, st.integers(1, 1000)),
    EventType.OBSERVATION: st.builds(lambda app, n: {"app": app, "elements": n}, WORDS, st.integers(0, 200)),
    EventType.PERCEPTION: st.builds(lambda n: {"elements": n}, st.integers(0, 200)),
    EventType.THOUGHT: st.builds(lambda text: {"text": text, "summary": ""}, WORDS),
    EventType.ACTION_PLANNED: ACTS_DATA,
    EventType.ACTION_DONE: ACTS_DATA,
    EventType.ACTION_UNCERTAIN: ACTS_DATA,
    EventType.ACTION_FAILED: ACTS_DATA,
    EventType.ACTION_BLOCKED: ACTS_DATA,
    EventType.QUESTION_ASKED: st.one_of(*(_question(kind) for kind in ("approval", "choice", "text"))),
    EventType.QUESTION_ANSWERED: _answered(),
    EventType.QUESTION_EXPIRED: st.sampled_from([{}, {"cause": "run-ended"}]),
    EventType.STEP_REFLECTED: st.one_of(
        st.builds(lambda said: {"summary": said, "cause": "", "reason": ""}, WORDS),
        st.builds(lambda why: {"summary": "", "cause": "model-timed-out", "reason": why}, WORDS),
    ),
    EventType.USAGE: st.builds(lambda n: {"tokens": n}, st.none() | st.integers(0, 10**6)),
    EventType.RUN_PAUSING: st.just({}),
    EventType.RUN_PAUSED: st.just({}),
    EventType.RUN_RESUMED: st.just({}),
    EventType.RUN_STOPPING: st.just({}),
    EventType.RUN_INTERRUPTED: OUTCOMES,
    EventType.RUN_FINISHED: OUTCOMES,
}


def test_every_event_type_has_an_importance_and_is_tried_here() -> None:
    assert set(speak.IMPORTANCE) == set(EventType) == set(DATA)


@pytest.mark.parametrize("lang", [*LANGUAGES, "zh-Hant-TW", "EN-gb", "fr"])
@pytest.mark.parametrize("type", list(EventType))
def test_every_event_is_one_short_sentence_without_coordinates(type: EventType, lang: str) -> None:
    @given(DATA[type])
    def check(data: dict[str, Any]) -> None:
        said = speak.speak(type, data, lang)
        assert len(said) <= 140
        assert "\n" not in said
        # Nothing in the words drawn above holds a digit, so a fraction can only be a coordinate.
        assert re.search(r"\d\.\d", said) is None, said
        assert "{" not in re.sub("|".join(map(re.escape, _drawn(data))), "", said) if _drawn(data) else "{" not in said
        assert speak.importance(type, data) in Importance

    check()


def _drawn(data: Any) -> list[str]:
    """Every text that a test put in, and its pieces: they may hold braces of their own."""
    if isinstance(data, str):
        return ["{", "}"] if "{" in data or "}" in data else []
    if isinstance(data, dict):
        return [part for value in data.values() for part in _drawn(value)]
    if isinstance(data, list):
        return [part for value in data for part in _drawn(value)]
    return []


def test_both_languages_say_the_same_things() -> None:
    assert set(LINES["en"]) == set(LINES["zh"])
    assert set(ACTS["en"]) == set(ACTS["zh"])
    assert set(KEYS["en"]) == set(KEYS["zh"]) == {key.value for key in Key}
    assert set(REASONS["en"]) <= set(REASONS["zh"])


@pytest.mark.parametrize(
    ("type", "data", "en", "zh"),
    [
        (EventType.STEP_STARTED, {"n": 3}, "Step 3.", "第3步。"),
        (
            EventType.ACTION_DONE,
            {"action": told(Tap(Point(0.1, 0.2))), "target": {"name": "Save"}, "changed": "yes"},
            "Tapped “Save”.",
            "已点按“Save”。",
        ),
        (
            EventType.ACTION_DONE,
            {"action": told(Swipe(Point(0.5, 0.8), Point(0.5, 0.2))), "target": None, "changed": "no"},
            "Swiped up. Nothing changed.",
            "已向上滑动，没有变化。",
        ),
        (
            EventType.ACTION_PLANNED,
            {"action": told(TypeText("María")), "target": {"name": "First name"}},
            "Typing 5 characters into “First name”.",
            "正在“First name”中输入5个字符。",
        ),
        (
            EventType.QUESTION_ASKED,
            {"kind": "approval", "prompt": "", "action": told(Tap(Point(0, 0))), "target": {"name": "Delete"}},
            "May I tap “Delete”? Say yes or no.",
            "可以点按“Delete”吗？请说可以或不可以。",
        ),
        (
            EventType.QUESTION_ASKED,
            {"kind": "choice", "prompt": "Which number?", "options": [{"label": "Home"}, {"label": "Work"}]},
            "Which number? 1: Home. 2: Work.",
            "Which number?1：Home。 2：Work。",
        ),
        (
            EventType.RUN_FINISHED,
            {"outcome": {"code": "complete", "summary": "All steps done.", "answer": ""}},
            "Done. All steps done.",
            "完成。All steps done.",
        ),
    ],
)
def test_sentences_read_as_people_talk(type: EventType, data: dict[str, Any], en: str, zh: str) -> None:
    assert speak.speak(type, data, "en") == en
    assert speak.speak(type, data, "zh-CN") == zh


def test_a_run_that_ended_badly_is_as_important_as_a_question() -> None:
    def of(code: str) -> Importance:
        return speak.importance(EventType.RUN_FINISHED, {"outcome": {"code": code}})

    assert of("complete") == of("stopped") == Importance.RESULT
    assert of("device_lost") == Importance.ALERT
