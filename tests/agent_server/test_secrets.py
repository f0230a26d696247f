"""Secrets by name: the value reaches the phone and nothing else."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agent_server import secrets
from agent_server.cli import app
from agent_server.errors import InvalidRequest, NotFound, SecretsUnreadable, UnknownSecret
from agent_server.runs.redact import Redactor, stored, told
from agent_server.secrets import SHORT, Vault, names_in
from device.actions import TypeText

VALUE = "kestrel-9-Harbour"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    vault = Vault(tmp_path / "data" / "secrets.json")
    vault.put("bank", VALUE)
    return vault


def test_the_file_of_secrets_is_for_its_owner_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        Vault(tmp_path / "secrets.json").put("bank", VALUE)
    finally:
        os.umask(before)
    for path in tmp_path.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    assert not (tmp_path / "secrets.json.new").exists()


def test_a_file_that_others_could_read_is_closed_to_them(vault: Vault, tmp_path: Path) -> None:
    path = tmp_path / "data" / "secrets.json"
    path.chmod(0o644)
    os.utime(path)
    assert vault.names() == ("bank",)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_change_by_another_process_is_seen(vault: Vault, tmp_path: Path) -> None:
    other = Vault(tmp_path / "data" / "secrets.json")
    assert other.names() == ("bank",)
    vault.put("wifi", "paper-lantern")
    assert other.names() == ("bank", "wifi")
    vault.delete("bank")
    assert other.names() == ("wifi",) and other.resolve("{{secret:wifi}}") == "paper-lantern"


@pytest.mark.parametrize("name", ["", "two words", "a/b", "-x", "é", "x" * 65, "a}}"])
def test_a_wrong_name_is_refused_with_what_is_right(vault: Vault, name: str) -> None:
    with pytest.raises(InvalidRequest, match="name of a secret"):
        vault.put(name, "value")


@pytest.mark.parametrize("value", ["", "   ", "a\nb", "a\0b", "\ud800", "x" * 1001])
def test_a_wrong_value_is_refused_without_being_quoted(vault: Vault, value: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        vault.put("other", value)
    assert not value.strip() or value not in str(caught.value)
    assert vault.names() == ("bank",)


def test_what_is_not_there_cannot_be_deleted_or_put_in(vault: Vault) -> None:
    with pytest.raises(NotFound, match="'wifi'"):
        vault.delete("wifi")
    with pytest.raises(UnknownSecret, match="'wifi'") as caught:
        vault.resolve("{{secret:bank}} {{secret:wifi}}")
    assert "bank" in caught.value.advice and VALUE not in str(caught.value) + caught.value.advice


@pytest.mark.parametrize("text", ["", "{", "[]", '{"secrets": {"bank": 3}}', '{"secrets": {"no name": "x"}}', "\xff"])
def test_a_broken_file_is_an_error_that_quotes_nothing_of_it(tmp_path: Path, text: str) -> None:
    path = tmp_path / "secrets.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(SecretsUnreadable) as caught:
        Vault(path).names()
    assert caught.value.__cause__ is None and str(path) in str(caught.value)


def test_values_are_in_no_repr(vault: Vault) -> None:
    vault.names()
    assert VALUE not in repr(vault) + repr(vault._known)


def test_references_are_put_in_once_and_never_within_a_value(vault: Vault) -> None:
    vault.put("trick", "{{secret:bank}}")
    assert vault.resolve("a {{secret:bank}} b {{ secret : bank }}") == f"a {VALUE} b {VALUE}"
    assert vault.resolve("{{secret:trick}}") == "{{secret:bank}}"


def test_names_are_found_in_plain_data() -> None:
    assert names_in({"a": ["{{secret:x}}", {"b": "no {{ secret: y }}"}], "n": 3}) == {"x", "y"}
    assert names_in("{{secret:}}") == {""} and names_in("{secret:x}") == frozenset()
    assert secrets.bare(" {{secret:x}} ") and not secrets.bare("a{{secret:x}}") and not secrets.bare("a")


@pytest.mark.parametrize(
    ("text", "read", "shown"),
    [
        (VALUE, False, True),
        (f"Your password is {VALUE}.", False, True),
        ("KESTREL - 9 - harbour", False, True),
        ("ｋｅｓｔｒｅｌ-9-Harbour", False, True),
        ("kestrel-9-\nHarbour", False, True),
        ("kestrel-9", False, False),
        ("kestreI-g-Harbour", False, False),
        ("kestreI-g-Harbour", True, True),
        ("Saved: kestre1-9-Harb0ur", True, True),
        ("kestrel harbour", True, True),
        ("Harbour", True, False),
        ("", True, False),
    ],
)
def test_a_text_gives_a_secret_away_whatever_its_case_and_spaces_and_read_ones_also_nearly(
    vault: Vault, text: str, read: bool, shown: bool
) -> None:
    assert vault.shown_in(text, read=read) == ("bank" if shown else "")


def test_values_shorter_than_four_characters_count_only_as_a_whole_text(vault: Vault) -> None:
    vault.put("pin", "427")
    assert SHORT == 4
    assert vault.shown_in(" 4 2 7 ") == "pin" and vault.shown_in("1427", read=True) == ""
    assert vault.conceal("427") == "{{secret:pin}}" and vault.conceal("call 427") == "call 427"


def test_a_value_is_found_in_a_request_where_it_stands_as_a_word(vault: Vault) -> None:
    vault.put("code", "5550")
    assert vault.written_out_in({"params": ["type 5550"]}) == "code"
    assert vault.written_out_in("call 45550123") == ""
    assert vault.written_out_in(f"type {VALUE} into it") == "bank"


def test_an_act_with_a_secret_is_told_by_name_and_kept_by_reference() -> None:
    act = TypeText("{{secret:bank}}", replace=True)
    assert told(act) == {"kind": "type_text", "characters": 0, "replace": True, "secrets": ["bank"]}
    assert stored(act, secret=True) == {"kind": "type_text", "text": "{{secret:bank}}", "replace": True}
    assert "text" not in stored(TypeText("x {{secret:bank}}"), secret=True)


def test_what_is_told_has_names_in_place_of_secrets_and_names_of_ours_stay_whole(vault: Vault) -> None:
    vault.put("code", "beef")
    redactor = Redactor("en", vault)
    redactor.learn("hello {{secret:bank}}")
    data: dict[str, Any] = {
        "text": f"hello, it says {VALUE} and {{{{secret:bank}}}}",
        "overlay": "0beef1",
        "n": [VALUE],
    }
    assert redactor.data(data) == {
        "text": "(5 characters), it says {{secret:bank}} and {{secret:bank}}",
        "overlay": "0beef1",
        "n": ["{{secret:bank}}"],
    }


def test_the_command_line_keeps_lists_and_forgets_secrets_without_showing_one(tmp_path: Path) -> None:
    def tapwright(*arguments: str, said: str = "", code: int = 0) -> str:
        result = CliRunner().invoke(
            app, ["secrets", *arguments], input=said, env={"TAPWRIGHT_DATA_DIR": str(tmp_path / "data")}
        )
        assert result.exit_code == code, result.output
        assert VALUE not in result.output
        return result.output

    assert "No secret" in tapwright("list")
    assert "{{secret:bank}}" in tapwright("set", "bank", said=f"{VALUE}\r\n")
    assert Vault(tmp_path / "data" / "secrets.json").resolve("{{secret:bank}}") == VALUE
    assert tapwright("list") == "bank\n"
    assert "more than one line" in tapwright("set", "bank", said=f"{VALUE}\nsecond", code=2)
    assert "name of a secret" in tapwright("set", "two words", said=VALUE, code=2)
    assert "must be 1 to" in tapwright("set", "empty", said="", code=2)
    assert "forgotten" in tapwright("delete", "bank") and "No secret" in tapwright("list")
    assert "There is no secret 'bank'" in tapwright("delete", "bank", code=1)
