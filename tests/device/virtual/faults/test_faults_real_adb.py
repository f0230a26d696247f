"""The link's faults as unmodified adb and adbutils meet them, over a real adb server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import adbutils
import pytest

from tests.lab import Lab, Phone

DEADLINE = 20.0


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lab, Phone]]:
    lab = Lab(tmp_path_factory.mktemp("faults"))
    with lab.adb_server(), lab.phone() as phone:
        yield lab, phone


@pytest.fixture(autouse=True)
def healthy(bench: tuple[Lab, Phone]) -> Iterator[None]:
    yield
    bench[1].ask("POST", "/faults/clear")


def state(lab: Lab, serial: str) -> str:
    """What `adb devices` says of the phone."""
    lines = lab.adb("devices").stdout.decode().splitlines()
    return next((line.split("\t")[1] for line in lines if line.startswith(serial)), "absent")


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, "it did not come about in time"
        time.sleep(0.05)


def arm(phone: Phone, fault: str, **parameters: Any) -> None:
    phone.ask("POST", "/faults", json={"plan": [{"fault": fault, "parameters": parameters}]})


@pytest.mark.parametrize("fault", ["unauthorized", "offline"])
def test_adb_shows_the_state_and_the_phone_comes_back_by_itself(bench: tuple[Lab, Phone], fault: str) -> None:
    lab, phone = bench
    arm(phone, fault)
    until(lambda: state(lab, phone.serial) == fault)
    refused = lab.adb("-s", phone.serial, "shell", "echo", "x")
    assert refused.returncode != 0 and fault in refused.stderr.decode()
    phone.ask("POST", "/faults/clear")
    until(lambda: state(lab, phone.serial) == "device")
    assert lab.adb("-s", phone.serial, "shell", "echo", "x").stdout == b"x\n"


def test_adb_connects_again_to_a_phone_that_was_gone(bench: tuple[Lab, Phone]) -> None:
    lab, phone = bench
    arm(phone, "disconnect", ms=300)
    until(lambda: state(lab, phone.serial) != "device")
    lab.adb("disconnect", phone.serial)  # left alone adb 36 tries again after 3 s, adb 29 after 10 s
    until(lambda: b"connected to" in lab.adb("connect", phone.serial).stdout)
    assert lab.adb("-s", phone.serial, "shell", "echo", "x").stdout == b"x\n"


def test_a_shell_of_adbutils_sees_an_old_phones_line_ends_and_half_an_answer(bench: tuple[Lab, Phone]) -> None:
    lab, phone = bench
    device = adbutils.AdbClient("127.0.0.1", lab.adb_port).device(phone.serial)
    arm(phone, "crlf")
    assert device.shell("echo a; echo b", rstrip=False) == "a\r\nb\r\n"
    arm(phone, "half_answer")
    assert device.shell("echo 0123456789", rstrip=False) == "01234"  # no error: only the exit packet could tell
    cut = lab.adb("-s", phone.serial, "shell", "echo", "0123456789")
    assert cut.stdout != b"0123456789\n"


def test_a_push_to_a_full_phone_fails_in_androids_words(bench: tuple[Lab, Phone]) -> None:
    lab, phone = bench
    file = lab.folder / "file"
    file.write_text("x")
    arm(phone, "storage_full")
    pushed = lab.adb("-s", phone.serial, "push", str(file), "/sdcard/file")
    assert pushed.returncode != 0 and "No space left on device" in (pushed.stdout + pushed.stderr).decode()
