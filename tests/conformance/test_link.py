"""The link itself: what clients see when a phone goes away in the middle, and comes back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import adbutils
import pytest

from .conftest import AdbServer, LivePhone, free_port, wait_for_state

ROOT = Path(__file__).parents[2]
RECONNECT_SECONDS = 20.0
"""adb 29 tries again after about 10 s, adb 36 after about 3 s."""


@pytest.fixture
def own(server: AdbServer) -> Iterator[LivePhone]:
    """A second phone, for tests that break it."""
    phone = LivePhone()
    assert server.run("connect", phone.address).stdout.startswith(b"connected to ")
    wait_for_state(server, phone.address, "device")
    yield phone
    server.run("disconnect", phone.address)
    phone.close()


def cut(live: LivePhone) -> None:
    """Pull the cable."""
    live.loop.call_soon_threadsafe(live.served.adbd.cut)


def test_a_stream_that_is_cut_has_no_exit_packet(server: AdbServer, own: LivePhone) -> None:
    stream = server.client.device(own.address).open_transport()
    stream.send_command("shell,v2:echo begun; sleep 30")
    stream.check_okay()
    assert stream.read_exact(5 + 6)[5:] == b"begun\n"
    cut(own)
    with pytest.raises(EOFError):
        stream.read_exact(5)
    stream.close()


def test_a_cut_phone_comes_back_by_itself(server: AdbServer, own: LivePhone) -> None:
    cut(own)
    wait_for_state(server, own.address, "device", RECONNECT_SECONDS)
    assert server.run("-s", own.address, "shell", "echo back").stdout == b"back\n"


def test_two_phones_answer_side_by_side(server: AdbServer, fresh: LivePhone, own: LivePhone) -> None:
    for phone, x in ((fresh, 11), (own, 22)):
        server.run("-s", phone.address, "shell", f"input tap {x} 1")
    for phone, mine, other in ((fresh, 11.0, 22.0), (own, 22.0, 11.0)):
        taps = [e.data["x"] for e in phone.ask(lambda p: tuple(p.journal)) if e.data.get("action") == "tap"]
        assert taps[-1] == mine and other not in taps


def test_many_calls_at_once_are_all_answered(server: AdbServer, own: LivePhone) -> None:
    calls = [
        subprocess.Popen(
            [server.binary, "-s", own.address, "shell", f"echo {n}; sleep 0.1; exit {n}"],
            env=server.env,
            stdout=subprocess.PIPE,
        )
        for n in range(20)
    ]
    for n, call in enumerate(calls):
        out, _ = call.communicate(timeout=20)
        assert (out, call.returncode) == (f"{n}\n".encode(), n)


def test_a_closed_stream_ends_the_command(server: AdbServer, own: LivePhone) -> None:
    device = server.client.device(own.address)
    device.sync.push(b"jar", "/data/local/tmp/u2.jar")
    stream = device.shell("CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main -p 9008", stream=True)
    assert b"Starting Server" in stream.recv(200)
    assert own.served.adbd.u2.running
    stream.close()
    deadline = time.monotonic() + 5
    while own.served.adbd.u2.running and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not own.served.adbd.u2.running
    with pytest.raises(adbutils.AdbError):
        device.create_connection(adbutils.Network.TCP, 9008)


def test_uiautomator2_finds_the_phone_by_its_address_alone(server: AdbServer, own: LivePhone) -> None:
    """Its own adb client reads the server's port from the environment when it is imported: a process of its own."""
    program = (
        "import sys, uiautomator2; d = uiautomator2.connect(sys.argv[1]); "
        "print(d.info['displayWidth'], d.shell('echo hi').output.strip(), len(d.dump_hierarchy()) > 500); "
        "d.stop_uiautomator()"
    )
    env = {**os.environ, **server.env, "PATH": f"{server.binary.parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        [sys.executable, "-c", program, own.address], env=env, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "1080 hi True\n", done.stderr


def test_the_program_serves_a_phone_and_ends_when_told(server: AdbServer, tmp_path: Path) -> None:
    """`python -m device.virtual` prints what to connect to, and stops cleanly on SIGTERM."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "device.virtual", "--port", str(port), "--profile", "tablet", "--dark",
         "--control-port", "0", "--token-file", str(tmp_path / "token")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=dict(os.environ),
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == f"virtual phone: adb connect 127.0.0.1:{port}\n"
        assert process.stdout.readline().startswith("control: http://127.0.0.1:")
        address = f"127.0.0.1:{port}"
        assert server.run("connect", address).stdout.startswith(b"connected to ")
        wait_for_state(server, address, "device")
        assert server.run("-s", address, "shell", "wm size").stdout == b"Physical size: 1600x2560\n"
        assert server.run("-s", address, "shell", "cmd uimode night").stdout == b"Night mode: yes\n"
        assert (tmp_path / "token").stat().st_mode & 0o777 == 0o600
        server.run("disconnect", address)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=10)
        assert (process.returncode, err) == (0, "")
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate(timeout=5)
