"""The server image, really built and really run. Takes two minutes and 300 MB from Debian's mirror and PyPI.

Only where TAPWRIGHT_REQUIRE contains `docker`, as in .ci/run: a failure then, where it cannot be done.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from agent_server.cli.client import ServiceClient
from agent_server.cli.demo import TASK, WANTED
from tests.docker.image import IMAGE, Builder, Container, Image, missing
from tests.lab import Phone, free_port

STOP_SECONDS = 5.0


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    """The image, mounted. Its store goes away with the module."""
    if "docker" not in os.environ.get("TAPWRIGHT_REQUIRE", "").split(","):
        pytest.skip("builds an image for two minutes: TAPWRIGHT_REQUIRE=docker pytest tests/docker/test_image.py")
    if why := missing():
        pytest.fail(why)
    folder = Path(tempfile.mkdtemp(prefix="tapwright-image-", dir="/var/tmp"))
    builder = Builder(folder)
    try:
        started = time.monotonic()
        builder.base()
        based = time.monotonic()
        builder.image()
        print(f"\nbase {based - started:.0f} s, image {time.monotonic() - based:.0f} s", flush=True)
        name = builder("from", IMAGE)
        yield Image(builder, name, Path(builder("mount", name)), builder.config())
    finally:
        with contextlib.suppress(AssertionError):
            builder("umount", "--all")
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("containers")
    # The containers' user must find its volumes.
    for one in (folder, *folder.parents[:3]):
        if one.stat().st_uid == os.geteuid() and one != Path("/tmp"):
            one.chmod(0o755)
    return folder


def within(seconds: float, what: Any, container: Container) -> Any:
    """What the question answers as soon as it is true."""
    ends = time.monotonic() + seconds
    while not (found := what()):
        assert container.process.poll() is None, container.log()
        assert time.monotonic() < ends, container.log()
        time.sleep(0.1)
    return found


@pytest.fixture(scope="module")
def phone(image: Image, place: Path) -> Iterator[tuple[Container, Phone]]:
    """The virtual phone in a container of its own, at an address that is not the server's."""
    port, control = free_port(), free_port()
    words = ["phone", "--bind", "127.0.0.2", "--port", str(port), "--control-port", str(control)]
    with image.container(place / "phone", *words, "--token-file", "/data/token", env={}) as container:
        token = place / "phone/token"
        within(30, lambda: token.exists() and token.read_text().strip() and "control:" in container.log(), container)
        yield container, Phone(f"127.0.0.2:{port}", f"http://127.0.0.1:{control}", token.read_text().strip())


@contextlib.contextmanager
def served(image: Image, data: Path, serial: str) -> Iterator[tuple[Container, ServiceClient]]:
    """The server in a container, once it takes runs."""
    port = free_port()
    env = {
        "TAPWRIGHT_PORT": str(port),
        "TAPWRIGHT_CONNECT": serial,
        # One network for all here: the adb server must not meet this machine's own.
        "TAPWRIGHT_ADB_PORT": str(free_port()),
        "ADB_MDNS": "0",
        "ADB_USB": "0",
        "ADB_EMU": "0",
    }
    url = f"http://127.0.0.1:{port}"

    def ready() -> bool:
        with contextlib.suppress(httpx.TransportError):
            return httpx.get(f"{url}/readyz", timeout=5, trust_env=False).status_code == 200
        return False

    with image.container(data, env=env) as container:
        within(60, ready, container)
        client = ServiceClient(url, (data / "tapwright/token").read_text().strip())
        try:
            yield container, client
        finally:
            client.close()


@pytest.fixture(scope="module")
def server(image: Image, place: Path, phone: tuple[Container, Phone]) -> Iterator[tuple[Container, ServiceClient]]:
    with served(image, place / "server", phone[1].serial) as pair:
        yield pair


def test_the_image_keeps_what_the_dockerfile_says(image: Image) -> None:
    config = image.config
    assert config["User"] == "10001:10001" and config["StopSignal"] == "SIGTERM"
    assert config["Healthcheck"]["Test"][0] == "CMD"
    assert config["ExposedPorts"] == {"8765/tcp": {}} and config["Volumes"] == {"/data": {}}


def test_no_secret_of_the_build_is_in_the_image(image: Image) -> None:
    assert not (image.root / "etc/pip.conf").exists() and not (image.root / "run/secrets").exists()
    assert not list((image.root / "opt/tapwright").rglob("tests/docker"))


def test_buildah_runs_the_image_as_somebody_who_is_not_root(image: Image) -> None:
    assert image.builder("run", "--isolation", "chroot", image.name, "--", "id", "-u") == "10001"


def test_the_server_runs_without_root_rights_or_a_root_it_could_write(server: tuple[Container, ServiceClient]) -> None:
    container, _ = server
    status = Path(f"/proc/{container.first}/status").read_text()
    facts = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert set(facts["Uid"].split()) == {"10001"} and facts["NoNewPrivs"] == "1"
    assert {int(facts[name], 16) for name in ("CapEff", "CapPrm", "CapBnd")} == {0}
    assert "Read-only file system" in container.execute("touch", "/opt/tapwright/x").stderr
    assert container.execute("touch", "/data/x", "/tmp/x").returncode == 0
    assert container.execute("cat", "/proc/1/comm").stdout == "tini\n"


def test_the_health_check_tells_a_server_that_takes_runs_from_one_that_does_not(
    image: Image, server: tuple[Container, ServiceClient]
) -> None:
    container, _ = server
    command = image.config["Healthcheck"]["Test"][1:]
    assert container.execute(*command).returncode == 0
    elsewhere = container.execute(*command, env={"TAPWRIGHT_PORT": str(free_port())})
    assert elsewhere.returncode == 1 and "refused" in elsewhere.stderr


def test_a_login_link_is_printed_inside_the_container(server: tuple[Container, ServiceClient]) -> None:
    container, client = server
    link = container.execute("tapwright", "login").stdout.strip()
    assert link.startswith(f"{client.url}/login?ticket=")
    assert httpx.get(link, trust_env=False).status_code == 303


def test_the_server_image_does_the_demo_task_on_the_phone_in_the_other_container(
    server: tuple[Container, ServiceClient], phone: tuple[Container, Phone]
) -> None:
    container, client = server
    serial = phone[1].serial

    def listed() -> bool:
        return any(one["serial"] == serial and one["ready"] for one in client.call("GET", "/v1/devices")["items"])

    within(20, listed, container)
    run = client.call("POST", "/v1/runs", json={"task": TASK, "serial": serial, "policy": "follow"})
    events = list(client.events(run["id"]))
    assert events[-1]["data"]["outcome"]["code"] == "complete", events[-1]
    state = phone[1].state()
    assert state["settings"]["secure"]["ui_night_mode"] == "2"
    rows = state["tables"]["contacts.contact"].values()
    assert any(all(row.get(key) == value for key, value in WANTED.items()) for row in rows)


def test_it_ends_within_5_seconds_of_sigterm_while_somebody_listens_and_goes_on_where_it_was(
    image: Image, place: Path, phone: tuple[Container, Phone]
) -> None:
    serial = phone[1].serial
    task = {"task": "Wait", "serial": serial, "policy": "scripted"}
    task["params"] = {"steps": [{"kind": "wait", "seconds": 5.0}] * 20}  # type: ignore[assignment]
    with served(image, place / "again", serial) as (container, client):
        within(20, lambda: client.call("GET", "/v1/devices")["items"], container)
        run = client.call("POST", "/v1/runs", json=task)
        heard: list[str] = []
        listening = threading.Thread(
            target=lambda: heard.extend(event["type"] for event in client.events(run["id"], patience=0.1)), daemon=True
        )
        listening.start()
        within(20, lambda: client.call("GET", f"/v1/runs/{run['id']}")["state"] == "running", container)
        seconds, status = container.stop()
        print(f"\nended {seconds:.1f} s after SIGTERM with status {status}", flush=True)
        assert seconds < STOP_SECONDS and status in (0, 143), container.log()
        listening.join(10)
        assert heard[-1] == "run.interrupted"
    with served(image, place / "again", serial) as (_, client):
        (known,) = client.call("GET", "/v1/runs")["items"]
        assert (known["id"], known["state"]) == (run["id"], "interrupted")
