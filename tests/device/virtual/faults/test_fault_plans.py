"""Plans are read strictly, fire when their conditions hold, and fire the same way for the same seed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from device.virtual.faults.catalogue import FAULTS
from device.virtual.faults.fault import BadFault
from device.virtual.faults.plan import read_plan
from device.virtual.faults.profiles import PROFILES, load, profile

from .bench import SETTINGS, Bench


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ([{"fault": "gremlins"}], "plan[0]: no fault 'gremlins'; known are tap_dropped"),
        ([{}], "no fault None"),
        (
            [{"fault": "tap_shifted", "parameters": {"sigma": 3}}],
            "tap_shifted has no parameter 'sigma'; it has path, sig",
        ),
        ([{"fault": "crlf", "parameters": {"x": 1}}], "crlf has no parameter 'x'; it has none"),
        ([{"fault": "tap_shifted", "parameters": {"sigma_px": "3"}}], "tap_shifted.sigma_px must be a number from 0"),
        (
            [{"fault": "half_drawn", "parameters": {"share": 1.5}}],
            "half_drawn.share must be a number from 0 to 1, not 1.5",
        ),
        ([{"fault": "rotate", "parameters": {"to": 1.5}}], "rotate.to must be a whole number from 0 to 3"),
        ([{"fault": "rotate", "parameters": {"to": True}}], "not True"),
        (
            [{"fault": "tap_dropped", "parameters": {"path": "usb"}}],
            "tap_dropped.path must be one of 'any', 'input', 'u2'",
        ),
        ([{"fault": "tap_dropped", "parameters": {"moving": 1}}], "tap_dropped.moving must be true or false"),
        ([{"fault": "toast", "parameters": {"text": 7}}], "toast.text must be text"),
        ([{"fault": "crlf", "parameters": []}], "parameters of crlf must be an object"),
        ([{"fault": "crlf", "when": {"sometimes": 1}}], "when has no 'sometimes'; it has after_acts, at_ms, screen"),
        ([{"fault": "crlf", "when": {"probability": 2}}], "when.probability must be a number from 0 to 1, not 2"),
        ([{"fault": "crlf", "when": {"after_acts": -1}}], "when.after_acts must be a whole number from 0"),
        ([{"fault": "crlf", "when": {"next": 0}}], "when.next must be a whole number from 1"),
        ([{"fault": "crlf", "when": {"at_ms": "soon"}}], "when.at_ms"),
        ([{"fault": "crlf", "when": {"screen": ""}}], "when.screen"),
        ([{"fault": "crlf", "when": 3}], "when must be an object"),
        ([{"fault": "crlf", "wenn": {}}], "a rule has no 'wenn'; it has fault, parameters, when"),
        ([3], "a rule must be an object, not 3"),
        ({"plan": 3}, "plan must be a list"),
        ({"plan": [], "seed": "x"}, "seed must be a whole number"),
        ({"plan": [], "sead": 1}, "has no 'sead'"),
        ("everyday", "must be an object or a list"),
    ],
)
def test_a_bad_plan_is_refused_by_name(plan: Any, words: str) -> None:
    with pytest.raises(BadFault) as caught:
        read_plan(plan)
    assert words in str(caught.value)


def test_a_plan_is_written_as_it_was_read() -> None:
    rules = [{"fault": name, "parameters": kind().parameters(), "when": {"next": 2}} for name, kind in FAULTS.items()]
    assert read_plan({"seed": 5, "plan": rules}).to_json() == {"seed": 5, "plan": rules}


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_reads_and_takes_another_seed(name: str) -> None:
    assert (len(profile(name).rules) == 0) == (name == "clean")
    assert profile(name, 99).seed == 99 and load(name, 3).seed == 3


def test_a_file_with_a_plan_is_read_and_a_bad_one_named(tmp_path: Path) -> None:
    good, bad, text = tmp_path / "good.json", tmp_path / "bad.json", tmp_path / "text.json"
    good.write_text(json.dumps([{"fault": "crlf"}]))
    bad.write_text(json.dumps([{"fault": "crlff"}]))
    text.write_text("{")
    assert load(str(good), 4).to_json() == {"seed": 4, "plan": [{"fault": "crlf", "parameters": {}, "when": {}}]}
    for path, words in ((bad, "no fault 'crlff'"), (text, "text.json"), (tmp_path / "none", "no readable file")):
        with pytest.raises(BadFault, match=words):
            load(str(path))


def played(seed: int) -> list[dict[str, Any]]:
    """What a plan of several dice does to thirty taps."""
    bench = Bench()
    rules = [
        {"fault": "tap_dropped", "when": {"probability": 0.3}},
        {"fault": "tap_shifted", "when": {"probability": 0.5}},
        {"fault": "toast", "when": {"probability": 0.2, "next": 3}},
    ]
    bench.injector.arm(bench.phone, read_plan(rules, seed))
    for n in range(30):
        bench.hand().tap(500 + n, 900)
        bench.phone.advance(500)
    return [entry.to_json() for entry in bench.phone.journal]


def test_the_same_plan_seed_and_inputs_give_the_same_firings() -> None:
    first = played(7)
    assert first == played(7) != played(8)
    assert len([entry for entry in first if entry["kind"] == "fault"]) > 10


def test_a_rule_of_its_own_dice_is_not_moved_by_another_rule() -> None:
    def dropped(*more: dict[str, Any]) -> list[Any]:
        bench = Bench()
        dice = {"fault": "tap_dropped", "when": {"probability": 0.4}}
        bench.injector.arm(bench.phone, read_plan([dice, *more], 3))
        for n in range(20):
            bench.hand().tap(n, 900)
        return [data["at"] for data in bench.fired() if data["fault"] == "tap_dropped"]

    assert dropped() == dropped({"fault": "tap_shifted", "when": {"probability": 0.5}}) != []


def test_every_firing_tells_fault_parameters_and_act(bench: Bench) -> None:
    bench.arm("tap_dropped", path="input")
    bench.hand().tap(10, 20)
    (entry,) = bench.fired()
    assert entry == {
        "fault": "tap_dropped",
        "parameters": {"path": "input", "moving": False},
        "act": "tap",
        "at": [10, 20],
    }
    assert bench.injector.to_json()["fired"] == {"tap_dropped": 1}


def test_next_limits_and_after_acts_waits(bench: Bench) -> None:
    bench.arm("tap_dropped", {"after_acts": 2, "next": 2})
    for n in range(6):
        bench.hand().tap(n, 5)
    assert [entry["x"] for entry in bench.inputs()] == [0, 1, 4, 5]


def test_a_moment_of_the_clock_and_a_screen_are_conditions(bench: Bench) -> None:
    bench.arm("tap_dropped", {"at_ms": 1000})
    bench.hand().tap(1, 5)
    bench.phone.advance(1000)
    bench.hand().tap(2, 5)
    assert [entry["x"] for entry in bench.inputs()] == [1]
    for named in (SETTINGS, "root"):
        bench.phone.force_stop(SETTINGS)
        bench.arm("tap_dropped", {"screen": named})
        bench.hand().tap(3, 5)
        bench.open_settings()
        assert named in (bench.phone.screen, SETTINGS)
        bench.hand().tap(4, 5)
        assert bench.inputs()[-1]["x"] == 3


def test_a_calm_phone_is_not_asked(bench: Bench) -> None:
    seen = [bench.injector.active]
    bench.arm("tap_dropped")
    seen.append(bench.injector.active)
    bench.injector.clear(bench.phone)
    seen.append(bench.injector.active)
    assert seen == [False, True, False] and bench.phone.opened is None
    bench.hand().tap(1, 2)
    assert len(bench.inputs()) == 1 and bench.injector.acts == 0


def test_switches_take_true_false_and_parameters_and_stay_beside_a_plan(bench: Bench) -> None:
    injector, phone = bench.injector, bench.phone
    injector.switch(phone, {"tap_dropped": {"path": "u2"}, "crlf": True, "rpc": "hang"})
    bench.arm("toast", {"after_acts": 5})
    told = injector.to_json()
    assert told["tap_dropped"] == {"path": "u2", "moving": False} and told["crlf"] is True and told["rpc"] == "hang"
    assert told["plan"]["plan"][0]["fault"] == "toast"
    injector.switch(phone, {"tap_dropped": False, "rpc": ""})
    told = injector.to_json()
    assert (told["tap_dropped"], told["rpc"], told["rpc_hang"], told["crlf"]) == (False, "", False, True)
    for values, words in (({"crlf": 1}, "true or false"), ({"no": True}, "no fault"), ({"rpc": 1}, "rpc must be one")):
        with pytest.raises(BadFault, match=words):
            injector.switch(phone, {"crlf": False, **values} if "crlf" not in values else values)
    assert injector.to_json()["crlf"] is True


def test_the_documentation_names_every_fault_and_parameter() -> None:
    text = (Path(__file__).parents[4] / "docs" / "virtual-phone.md").read_text()
    rows = {line.split("|")[1].strip(" `"): line for line in text.splitlines() if line.startswith("| `")}
    for name, kind in FAULTS.items():
        assert name in rows, f"docs/virtual-phone.md lacks {name}"
        for parameter in kind().parameters():
            assert f"`{parameter}`" in rows[name] or parameter == "path", f"{name}: {parameter}"
    for name in PROFILES:
        assert f"`{name}`" in text
