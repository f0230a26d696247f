"""Policies by name, ours and those of other packages, installed for real into a folder on the path."""

from __future__ import annotations

from pathlib import Path

import pytest

from policies import registry
from policies.base import Needs
from policies.errors import PolicyError, UnknownPolicy, UnreadableTask
from policies.follow import Follow
from policies.scripted import Scripted

GOOD = '''
from policies.base import Decision, Finish, Needs, Observation, Status

class Oracle:
    """Knows it all.

    Further words.
    """

    name = "oracle"
    needs = Needs(elements=False, tree=False, remote_model="oracle.example")

    def __init__(self, mood: str = "calm") -> None:
        self.mood = mood

    async def decide(self, observation: Observation) -> Decision:
        return Decision(choice=Finish(status=Status.COMPLETE, answer=self.mood))

number = 7
'''


def install(folder: Path, name: str, source: str, points: dict[str, str]) -> None:
    """A package as a package manager leaves it: its module, and its metadata with entry points."""
    (folder / f"{name}.py").write_text(source)
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [f"{point} = {value}" for point, value in points.items()]
    (info / "entry_points.txt").write_text("\n".join((f"[{registry.GROUP}]", *lines, "")))


def test_our_policies_are_there_with_a_sentence_and_their_needs() -> None:
    infos = registry.names()
    assert [info.name for info in infos][:2] == ["follow", "scripted"]
    assert all(info.description.endswith(".") or info.description for info in infos)
    assert infos[0].needs == Needs(elements=True, tree=True, remote_model="")
    assert isinstance(registry.create("follow"), Follow)
    assert isinstance(registry.create("scripted", {"steps": [{"kind": "wait"}]}), Scripted)


def test_another_packages_policy_is_found_and_gets_its_parameters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "oracle_policy", GOOD, {"oracle": "oracle_policy:Oracle"})
    monkeypatch.syspath_prepend(tmp_path)
    info = registry.names()[-1]
    assert (info.name, info.description) == ("oracle", "Knows it all.")
    assert info.needs.remote_model == "oracle.example"
    made = registry.create("oracle", {"mood": "wild"})
    assert made.name == "oracle" and vars(made) == {"mood": "wild"}
    registry.check("oracle", {}, "any goal")


def test_a_broken_package_is_named_and_hurts_nobody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "good_policy", GOOD, {"fine": "good_policy:Oracle", "seven": "good_policy:number"})
    install(tmp_path, "bad_policy", "raise RuntimeError('no licence')", {"bad": "bad_policy:Thing"})
    install(tmp_path, "copy_policy", GOOD, {"follow": "copy_policy:Oracle"})
    monkeypatch.syspath_prepend(tmp_path)
    assert [info.name for info in registry.names()] == ["follow", "scripted", "mm_navigator", "odyssey", "fine"]
    assert isinstance(registry.create("follow"), Follow)
    told = {(one.name, one.package): one.reason for one in registry.broken()}
    assert told[("bad", "bad_policy")] == "RuntimeError: no licence"
    assert told[("seven", "good_policy")] == "good_policy:number is of type int and cannot be called."
    assert told[("follow", "copy_policy")] == "another policy has this name."
    with pytest.raises(UnknownPolicy, match=r"bad.*installed but cannot be used: RuntimeError: no licence"):
        registry.create("bad")


def test_an_unknown_name_lists_those_there_are() -> None:
    with pytest.raises(UnknownPolicy, match="oracle") as caught:
        registry.create("oracle")
    assert "follow, scripted" in caught.value.advice


@pytest.mark.parametrize(
    "name, params, words",
    [
        ("follow", {"speed": 3}, "speed"),
        ("scripted", {}, "steps"),
        ("scripted", {"steps": [{"kind": "dance"}]}, r"steps\[0\]"),
    ],
)
def test_parameters_that_do_not_fit_are_refused_by_name(name: str, params: dict[str, object], words: str) -> None:
    with pytest.raises(PolicyError, match=words):
        registry.create(name, params)


def test_a_task_is_checked_before_a_run_is_made() -> None:
    registry.check("follow", {}, "open Settings")
    registry.check("follow", None, "open Settings")
    registry.check("scripted", {"steps": [{"kind": "wait"}]}, "whatever")
    with pytest.raises(UnreadableTask, match="sing"):
        registry.check("follow", {}, "sing")


def test_parameters_are_told_as_json_schema() -> None:
    schemas = {one.name: one.params for one in registry.names()}
    assert schemas["follow"]["properties"] == {}
    assert schemas["scripted"]["required"] == ["steps"]
    model = schemas["mm_navigator"]
    assert model["required"] == ["provider", "model"]
    assert model["properties"]["provider"]["enum"] == ["openai", "anthropic"]
    assert model["properties"]["structured"] == {"default": True, "title": "Structured", "type": "boolean"}
