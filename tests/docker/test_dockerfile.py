"""What docker/ promises, read from its files. The image itself is built and run in test_image.py."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from agent_server.api.server import GRACE_SECONDS
from agent_server.settings import PREFIX, Settings

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "docker/Dockerfile"
COMPOSE = ROOT / "docker/compose.yaml"
BIN = Path(sys.executable).parent


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions in order: name and the rest, continuation lines joined."""
    lines = [line for line in DOCKERFILE.read_text().splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [(line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in joined.splitlines() if line.strip()]


def said(name: str) -> list[str]:
    return [rest for found, rest in instructions() if found == name]


def compose() -> dict[str, Any]:
    return dict(yaml.safe_load(COMPOSE.read_text()))


def own_services() -> dict[str, dict[str, Any]]:
    """The services that run our own image."""
    return {name: one for name, one in compose()["services"].items() if one["image"].startswith("tapwright:")}


def test_hadolint_finds_nothing_in_the_dockerfile() -> None:
    checked = subprocess.run([BIN / "hadolint", DOCKERFILE], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_compose_file_fits_the_compose_specification() -> None:
    arguments = ["--builtin-schema", "vendor.compose-spec", str(COMPOSE)]
    checked = subprocess.run([BIN / "check-jsonschema", *arguments], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_a_misspelt_key_of_the_compose_file_would_be_found(tmp_path: Path) -> None:
    wrong = tmp_path / "compose.yaml"
    wrong.write_text(COMPOSE.read_text().replace("stop_grace_period", "stop_grace_periode"))
    arguments = ["--builtin-schema", "vendor.compose-spec", str(wrong)]
    assert subprocess.run([BIN / "check-jsonschema", *arguments], capture_output=True, check=False).returncode == 1


def test_the_base_is_pinned_by_an_argument_that_can_be_swapped() -> None:
    (base,) = [rest for rest in said("ARG") if rest.startswith("BASE=")]
    assert re.fullmatch(r"BASE=[\w./-]+:(\d+\.\d+[\w.-]*|[\w.-]+@sha256:[0-9a-f]{64})", base)
    assert said("FROM") == ["${BASE} AS build", "${BASE}"]


def test_nothing_is_taken_at_its_latest() -> None:
    images = [one["image"] for one in compose()["services"].values()]
    for text in (*said("FROM"), *said("ARG"), *images):
        assert "latest" not in text
    assert all(re.search(r":[\w.-]*\d[\w.-]*}?$", image) for image in images), images


def test_the_image_runs_as_somebody_who_is_not_root() -> None:
    assert said("USER") == ["10001:10001"]
    after = [name for name, _ in instructions()]
    assert "RUN" not in after[after.index("USER") :], "nothing is built after it"


@pytest.mark.parametrize("name", ["ENTRYPOINT", "CMD", "VOLUME"])
def test_commands_are_in_exec_form(name: str) -> None:
    (rest,) = said(name)
    assert all(isinstance(word, str) for word in json.loads(rest))


def test_the_health_check_is_in_exec_form() -> None:
    (rest,) = said("HEALTHCHECK")
    command = json.loads(rest.split("CMD ", 1)[1])
    assert command == ["/opt/tapwright/bin/python", "/opt/tapwright/health.py"]


def test_no_secret_and_no_address_of_an_index_is_baked_in() -> None:
    text = DOCKERFILE.read_text()
    assert not re.search(r"index-url|find-links|https?://|(?i:token|api_key|password)=", text.split("LABEL")[0])


def test_every_package_of_the_wheel_gets_into_the_build_and_no_test_does() -> None:
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    allowed = {line.removeprefix("!") for line in lines if line.startswith("!")}
    assert "*" in lines and {*packages["packages"], "constraints.txt", "docker/health.py"} <= allowed
    assert not {"tests", ".git", ".venv", "docs"} & allowed


@pytest.mark.parametrize("name", ["server", "phone"])
def test_our_containers_get_no_more_than_they_need(name: str) -> None:
    one = own_services()[name]
    assert one["read_only"] is True and one["cap_drop"] == ["ALL"]
    assert one["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in one and "mem_limit" in one and "pids_limit" in one


def test_nothing_but_the_server_is_published_and_that_on_loopback() -> None:
    ports = {name: one.get("ports", []) for name, one in compose()["services"].items()}
    assert {name: given for name, given in ports.items() if given} == {"server": ["127.0.0.1:8765:8765"]}


def test_the_adb_ports_of_phones_are_on_a_network_without_a_way_out() -> None:
    document = compose()
    assert document["networks"]["phones"] == {"internal": True}
    for name, one in document["services"].items():
        if name not in ("server", "odyssey"):
            assert one["networks"] == ["phones"], name


def test_only_the_server_and_the_virtual_phone_start_by_default() -> None:
    services = compose()["services"]
    assert [name for name, one in services.items() if "profiles" not in one] == ["server", "phone"]
    assert {name: one["profiles"] for name, one in services.items() if "profiles" in one} == {
        "emulator": ["emulator"],
        "redroid": ["redroid"],
        "odyssey": ["gpu"],
    }


def test_containers_get_longer_to_end_than_the_server_takes() -> None:
    assert int(own_services()["server"]["stop_grace_period"].removesuffix("s")) > GRACE_SECONDS + 5


def test_the_settings_in_the_compose_file_exist() -> None:
    given = own_services()["server"]["environment"]
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    assert {name for name in given if name.startswith(PREFIX)} <= known


def test_image_and_package_have_the_same_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert {one["image"] for one in own_services().values()} == {f"tapwright:{version}"}
    assert f"-t tapwright:{version} " in DOCKERFILE.read_text()
