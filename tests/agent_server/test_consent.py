"""Pictures go only where the phone's owner agreed."""

from __future__ import annotations

import pytest

from agent_server.consent import Consented, ConsentMissing
from policies import registry

REMOTE = {"provider": "openai", "model": "a-model"}
HERE = {**REMOTE, "base_url": "http://127.0.0.1:9/v1"}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")


def test_a_remote_model_without_consent_is_refused_by_host_and_the_setting_is_named() -> None:
    with pytest.raises(ConsentMissing, match=r"api\.openai\.com") as caught:
        Consented(registry, ()).check("mm_navigator", REMOTE, "open Settings")
    assert "TAPWRIGHT_REMOTE_HOSTS=api.openai.com" in caught.value.advice


def test_consent_to_one_host_is_none_to_another() -> None:
    with pytest.raises(ConsentMissing):
        Consented(registry, ("api.anthropic.com",)).create("mm_navigator", REMOTE)


def test_a_model_on_this_machine_and_a_policy_without_one_need_no_consent() -> None:
    consented = Consented(registry, ())
    consented.check("mm_navigator", HERE, "open Settings")
    consented.check("follow", {}, "open Settings")
    assert {info.name for info in consented.names()} >= {"follow", "mm_navigator", "scripted"}


def test_a_host_that_the_owner_named_is_admitted() -> None:
    assert Consented(registry, ("api.openai.com",)).create("mm_navigator", REMOTE).name == "mm_navigator"
