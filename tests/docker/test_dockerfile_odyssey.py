"""What docker/Dockerfile.odyssey promises, read from it. The image was not built: there was no GPU to run it on."""

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
from typer.main import get_command

from policies.odyssey.command import group

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "docker/Dockerfile.odyssey"
BIN = Path(sys.executable).parent


def said(name: str) -> list[str]:
    """The rest of each instruction of that name, continuation lines joined."""
    lines = [line for line in DOCKERFILE.read_text().splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines()
    return [line.split(" ", 1)[1] for line in joined if line.split(" ", 1)[0] == name]


def service() -> dict[str, Any]:
    return dict(yaml.safe_load((ROOT / "docker/compose.yaml").read_text())["services"]["odyssey"])


def test_hadolint_finds_nothing_in_the_dockerfile_of_the_network() -> None:
    checked = subprocess.run([BIN / "hadolint", DOCKERFILE], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_cuda_base_is_pinned_by_an_argument_that_can_be_swapped() -> None:
    assert [rest for rest in said("ARG") if re.fullmatch(r"CUDA_BASE=[\w./-]+:\d+\.\d+\.\d+-base-[\w.]+", rest)]
    assert said("FROM") == ["${CUDA_BASE} AS build", "${CUDA_BASE}"]
    assert "latest" not in DOCKERFILE.read_text()


def test_the_network_runs_as_somebody_who_is_not_root_and_reads_weights_only() -> None:
    assert said("USER") == ["10001:10001"]
    assert [one.rsplit(":", 2)[1:] for one in service()["volumes"]] == [["/weights", "ro"]]
    assert not any("weights" in rest for rest in said("COPY")), "no weights are in the image"
    assert service()["read_only"] is True and service()["cap_drop"] == ["ALL"]


def test_the_command_of_the_image_is_one_that_there_is() -> None:
    (entry,), (given,) = said("ENTRYPOINT"), said("CMD")
    assert json.loads(entry)[-2:] == ["/opt/tapwright/bin/tapwright", "odyssey"]
    name, *options = json.loads(given)
    serve = get_command(group).commands[name]  # type: ignore[attr-defined]
    known = {option for one in serve.params for option in one.opts}
    assert {one for one in options if one.startswith("--")} <= known
    port = options[options.index("--port") + 1]
    assert said("EXPOSE") == [port] and f"TAPWRIGHT_PORT={port}" in said("ENV")[-1]


def test_the_health_check_asks_the_network() -> None:
    (rest,) = said("HEALTHCHECK")
    assert json.loads(rest.split("CMD ", 1)[1]) == ["/opt/tapwright/bin/python", "/opt/tapwright/health.py"]
    assert "--start-period=600s" in rest


def test_the_service_has_a_gpu_and_is_reached_by_the_server_alone() -> None:
    document = yaml.safe_load((ROOT / "docker/compose.yaml").read_text())
    (device,) = service()["deploy"]["resources"]["reservations"]["devices"]
    assert device["capabilities"] == ["gpu"] and "ports" not in service()
    on_it = [name for name, one in document["services"].items() if "models" in one.get("networks", [])]
    assert sorted(on_it) == ["odyssey", "server"] and document["networks"]["models"] == {"internal": True}


def test_the_extra_that_the_image_installs_exists() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = {re.split(r"[<>=]", one)[0] for one in project["optional-dependencies"]["odyssey"]}
    assert names == {"torch", "tiktoken", "safetensors"}
    assert f"tapwright-odyssey:{project['version']}" == service()["image"]


@pytest.mark.parametrize("name", ["ENTRYPOINT", "CMD"])
def test_commands_of_the_network_are_in_exec_form(name: str) -> None:
    (rest,) = said(name)
    assert all(isinstance(word, str) for word in json.loads(rest))
