from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import ValidationError

from agent_server.settings import Settings, unknown_variables


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No variable of the machine that runs the tests."""
    for name in list(os.environ):
        if name.startswith("TAPWRIGHT_") or name in ("ANDROID_ADB_SERVER_PORT", "XDG_DATA_HOME"):
            monkeypatch.delenv(name)
    yield


def test_the_defaults_are_safe_loopback_with_a_token() -> None:
    settings = Settings()
    assert (settings.host, settings.auth, settings.adb_port, settings.crash_at) == ("127.0.0.1", True, 5037, "")
    assert settings.data_dir == Path.home() / ".local" / "share" / "tapwright"


def test_every_setting_has_a_sentence() -> None:
    for name, field in Settings.model_fields.items():
        assert field.description and field.description.endswith((".", ")")), name


def test_every_setting_is_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "api.md").read_text()
    for name in Settings.model_fields:
        assert f"TAPWRIGHT_{name.upper()}" in text, name


def test_the_adb_port_falls_back_to_adbs_own_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "6000")
    assert Settings().adb_port == 6000
    monkeypatch.setenv("TAPWRIGHT_ADB_PORT", "6001")
    assert Settings().adb_port == 6001


def test_lists_are_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAPWRIGHT_ALLOW_HOSTS", "phone.local, other.local,")
    assert Settings().allow_hosts == ("phone.local", "other.local")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("PORT", "70000", "port"),
        ("TOKEN", "short", "at least 16"),
        ("CRASH_AT", "somewhere", "in_policy"),
        ("CRASH_AT", "after_intent:x", "POINT:STEP"),
        ("QUESTION_SECONDS", "0", "question_seconds"),
        ("OCR", "sometimes", "ocr"),
        ("CONNECT", "phone", "HOST:PORT"),
    ],
)
def test_a_wrong_value_fails_at_once_and_names_the_field(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str
) -> None:
    monkeypatch.setenv(f"TAPWRIGHT_{name}", value)
    with pytest.raises(ValidationError, match=message):
        Settings()


def test_the_door_cannot_be_open_to_the_network() -> None:
    with pytest.raises(ValidationError, match="auth cannot be off"):
        Settings(host="0.0.0.0", auth=False)


def test_the_token_is_not_shown_by_accident() -> None:
    assert "a-token-for-tests-only" not in repr(Settings(token="a-token-for-tests-only"))  # type: ignore[arg-type]


def test_a_misspelt_variable_is_found_with_the_nearest_name() -> None:
    found = unknown_variables({"TAPWRIGHT_PROT": "1", "TAPWRIGHT_SOAK": "1", "TAPWRIGHT_PORT": "1", "PATH": ""})
    assert found == {"TAPWRIGHT_PROT": "TAPWRIGHT_PORT"}
