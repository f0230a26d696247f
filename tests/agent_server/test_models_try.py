"""`tapwright models try`: honest checks, a limit that is kept, and a table; and the parameters that commands take."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agent_server.cli import app
from agent_server.cli.models import table
from agent_server.cli.params import BadParam, read
from agent_server.cli.trial import EXPECTED, NOT_RUN, Done, Limits, Purse
from agent_server.cli.trial_tasks import TASKS, verdict
from device.virtual.core.world import diff
from device.virtual.phone import VirtualPhone
from policies.base import UNKNOWN_CALL, Usage
from policies.llm import prices

HOST, MODEL = "models.example", "seer-1"
PRICES = {
    "as_of": "2026-01-01",
    "per_tokens": 1_000_000,
    "models": [{"host": HOST, "model": MODEL, "input": 2.0, "output": 10.0}],
}
DARK, CONTACT, NUMBER, READ = (
    next(one for one in TASKS if one.id == name) for name in ("dark-theme", "new-contact", "new-number", "read-email")
)


@pytest.fixture(autouse=True)
def priced() -> Iterator[None]:
    """Prices of our own, and afterwards those of the package again."""
    prices.use(PRICES)
    yield
    prices.use(prices.read(Path(prices.__file__).parent / "prices.json"))


def change(path: str, before: Any, after: Any) -> dict[str, Any]:
    return {"path": path, "before": before, "after": after}


def ada(**values: str) -> dict[str, Any]:
    row = {"id": 26, "first": "Ada", "last": "Lovelace", "phone": "+44 20 7946 0018", "company": "", **values}
    return change("contacts.contact/26", None, row)


# Tasks


def test_there_are_ten_different_tasks_and_an_untouched_phone_has_done_none() -> None:
    assert len({one.id for one in TASKS}) == len({one.goal for one in TASKS}) == len(TASKS) == 10
    for task in TASKS:
        assert verdict(task, (), ""), task.id


def test_every_setting_and_record_that_a_task_names_is_on_the_phone_and_not_yet_right() -> None:
    state = VirtualPhone("phone", seed=1).state_json()
    for task in TASKS:
        for path, value in task.wanted.items():
            table_, _, rest = path.partition("/")
            first, _, second = rest.partition("/")
            if first == "+":
                continue
            held = state["settings"][first] if table_ == "settings" else state["tables"][table_][first]
            assert second in held and held[second] != value and type(held[second]) is type(value), path


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ([change("settings/secure/ui_night_mode", "1", "2")], ""),
        ([change("settings/secure/ui_night_mode", "1", "0")], "settings/secure/ui_night_mode is not 2"),
        (
            [change("settings/secure/ui_night_mode", "1", "2"), change("settings/global/wifi_on", "1", "0")],
            "settings/global/wifi_on changed",
        ),
    ],
)
def test_a_task_is_done_when_what_was_wanted_changed_and_nothing_else(
    changes: list[dict[str, Any]], wrong: str
) -> None:
    assert verdict(DARK, changes, "") == wrong


def test_a_new_contact_counts_by_its_fields_and_numbers_by_their_digits() -> None:
    assert verdict(CONTACT, [ada()], "") == ""
    assert verdict(CONTACT, [ada(phone="+442079460018", company="Engines")], "") == ""
    assert "is not Ada Lovelace" in verdict(CONTACT, [ada(last="Lovelac")], "")
    assert verdict(CONTACT, [ada(), change("contacts.contact/27", None, {"first": "Ada"})], "") == (
        "contacts.contact/27 changed"
    )
    assert verdict(NUMBER, [change("contacts.contact/7/phone", "+1 555 0111", "+1 (555) 0199")], "") == ""
    assert verdict(NUMBER, [change("contacts.contact/4/phone", "+1 555 0101", "+1 555 0199")], "")


def test_a_question_is_answered_only_without_touching_anything() -> None:
    assert verdict(READ, (), "It is Kenji@Example.com.") == ""
    assert verdict(READ, (), "kenji@example.org") == "answer is not kenji@example.com"
    assert verdict(READ, [change("contacts.contact/14/starred", False, True)], "kenji@example.com") != ""


def test_the_phones_own_diff_has_the_paths_that_the_tasks_name() -> None:
    phone = VirtualPhone("phone", seed=1)
    before = phone.state_json()
    after = json.loads(json.dumps(before))
    after["settings"]["secure"]["ui_night_mode"] = "2"
    assert verdict(DARK, diff(before, after), "") == ""
    after = json.loads(json.dumps(before))
    after["tables"]["contacts.contact"]["26"] = ada()["after"]
    assert verdict(CONTACT, diff(before, after), "") == ""


# The limit


def test_a_task_that_could_cost_more_than_is_left_is_not_begun() -> None:
    purse = Purse(Limits(usd=0.50, tokens=None), HOST, MODEL)
    step = prices.cost_usd(EXPECTED, HOST, MODEL)
    assert step is not None and purse.too_dear(DARK) == "", DARK.steps * step
    purse.spend([Usage(calls=2, input_tokens=9000, output_tokens=900, cost_usd=0.03)] * 4)
    assert purse.left_usd == pytest.approx(0.38)
    assert purse.too_dear(DARK) == "" and purse.too_dear(CONTACT).startswith("it could cost $0.48, and $0.38 of $0.50")


def test_tokens_bound_a_trial_without_prices() -> None:
    purse = Purse(Limits(usd=None, tokens=100_000), "elsewhere", MODEL)
    assert purse.too_dear(DARK) == ""
    purse.spend([Usage(calls=1, input_tokens=5000, output_tokens=500, cost_usd=None)] * 9)
    assert purse.left_tokens == 50_500 and purse.too_dear(DARK).startswith("it could take 55000 tokens, and 50500 of")


def test_a_call_whose_price_nobody_told_counts_as_expected() -> None:
    purse = Purse(Limits(usd=0.10, tokens=20_000), HOST, MODEL)
    purse.spend([UNKNOWN_CALL])
    assert purse.left_usd == pytest.approx(0.10 - 0.022) and purse.left_tokens == 13_000


def test_the_table_says_what_the_phone_says_and_what_is_unknown() -> None:
    spent = Usage(calls=8, input_tokens=24_000, output_tokens=1200, cost_usd=0.06)
    done = Done(task=DARK, outcome="complete", steps=3, seconds=8.25, usage=spent)
    lied = replace(done, task=NUMBER, wrong="contacts.contact/7/phone is not +15550199", usage=UNKNOWN_CALL)
    lines = table([done, lied, Done(task=READ, outcome=NOT_RUN)]).splitlines()
    assert lines[2].split() == ["dark-theme", "complete", "done", "3", "8.2", "24000", "1200", "$0.0600"]
    assert lines[3].split() == ["new-number", "complete", "not", "done", "3", "8.2", "unknown", "unknown", "unknown"]
    assert lines[4].split() == ["read-email", "not", "run"]
    assert lines[6].split() == ["all", "1", "of", "3", "6", "16.5", "unknown", "unknown", "unknown"]
    assert done.verified and not lied.verified


# Refusals, before anything is started


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--base-url", "http://127.0.0.1:9/v1"], "is not known (prices of 2026-01-01), so --max-cost cannot be kept"),
        ([], "There is no key for openai"),
        (["--policy", "nobody"], "no policy called 'nobody'"),
        (["--policy", "follow"], "do not fit"),
        (["--param", "width=12"], "width must be"),
        (["--param", "width"], "must be KEY=VALUE"),
        (["--tasks", "11"], "--tasks"),
        (["--max-cost", "0"], "0.0001"),
    ],
)
def test_a_trial_that_cannot_be_held_or_is_badly_asked_for_starts_nothing(
    arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for name in ("OPENAI_BASE_URL", "TAPWRIGHT_PRICE_FILE"):
        monkeypatch.delenv(name, raising=False)
    with_url = [] if arguments in ([], ["--tasks", "11"], ["--max-cost", "0"]) else ["--base-url", "http://127.0.0.1:9"]
    result = CliRunner().invoke(app, ["models", "try", "--provider", "openai", "--model", "m", *with_url, *arguments])
    assert result.exit_code == 2
    assert said in " ".join(result.output.replace("│", " ").split()), result.output


# Parameters


def test_parameters_are_json_or_plain_words_and_the_command_line_wins(tmp_path: Path) -> None:
    file = tmp_path / "params.json"
    file.write_text('{"width": 540, "text": true, "model": "a"}')
    assert read(["width=720", "model=gpt-6-sol", 'note="5"', 'list=["a", 1]', "empty=", "url=http://x/?a=b"], file) == {
        "width": 720,
        "text": True,
        "model": "gpt-6-sol",
        "note": "5",
        "list": ["a", 1],
        "empty": "",
        "url": "http://x/?a=b",
    }
    assert read(None, None) == {}


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ("width", "KEY=VALUE"),
        ("=5", "KEY=VALUE"),
        ("a b=5", "KEY=VALUE"),
        ('x="open', "not JSON"),
        ("x=[1,", "not JSON"),
        ("x=01", "not JSON"),
        ("x={a: 1}", "not JSON"),
        ("x=[NaN]", "NaN is no number"),
    ],
)
def test_a_parameter_that_cannot_be_read_is_named_with_its_mending(pair: str, said: str) -> None:
    with pytest.raises(BadParam, match=said):
        read([pair], None)


def test_a_parameter_given_twice_or_a_file_that_is_no_object_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadParam, match="width is given twice"):
        read(["width=1", "width=2"], None)
    for text in ("[1]", "{", '{"x": NaN}'):
        (tmp_path / "p.json").write_text(text)
        with pytest.raises(BadParam, match=r"p\.json"):
            read(None, tmp_path / "p.json")
    with pytest.raises(BadParam, match=r"gone\.json"):
        read(None, tmp_path / "gone.json")


# Prices


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"as_of": "yesterday", "per_tokens": 1, "models": []}',
        '{"as_of": "2026-01-01", "per_tokens": 0, "models": []}',
        '{"as_of": "2026-01-01", "per_tokens": 1, "models": [{"host": "h", "model": "m", "input": "2", "output": 1}]}',
        '{"as_of": "2026-01-01", "per_tokens": 1, "models": [{"host": "h", "model": "m", "input": 2}]}',
    ],
)
def test_a_file_that_is_no_list_of_prices_is_refused_by_name(tmp_path: Path, text: str) -> None:
    file = tmp_path / "prices.json"
    file.write_text(text)
    with pytest.raises(prices.BadPrices, match=r"prices\.json"):
        prices.read(file)
