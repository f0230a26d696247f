"""The doctor on a phone: each capability with its cause and what mends it, on real wires."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from agent_server.doctor.finding import Finding
from agent_server.doctor.phone import INJECTION_CAUSES, battery, free_megabytes, look
from device.adb.client import AdbServer
from device.adb.device import AdbDevice
from tests.lab import Lab, Phone

BATTERY = """Current Battery Service state:
  AC powered: false
  USB powered: true
  Wireless powered: false
  Max charging current: 500000
  status: 2
  health: 2
  present: true
  level: 87
  scale: 100
"""


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lab, Phone]]:
    lab = Lab(tmp_path_factory.mktemp("doctor"))
    with lab.adb_server(), lab.phone() as phone:
        yield lab, phone


def examine(lab: Lab, phone: Phone) -> Mapping[str, Finding]:
    async def ask() -> Mapping[str, Finding]:
        server = AdbServer("127.0.0.1", lab.adb_port)
        device = await AdbDevice.open(server, phone.serial)
        try:
            return {one.what: one async for one in look(server.link(phone.serial), device)}
        finally:
            await device.close()

    return asyncio.run(ask())


def test_a_healthy_phone_has_nothing_to_mend(wire: tuple[Lab, Phone]) -> None:
    found = examine(*wire)
    assert {"system", "picture", "accessibility tree", "touch and keys", "typing", "storage", "battery"} <= set(found)
    assert [one for one in found.values() if one.needed and not one.ok] == []
    assert "the virtual phone" in found["system"].detail


def test_a_phone_that_forbids_input_is_told_with_its_switch(wire: tuple[Lab, Phone]) -> None:
    lab, phone = wire
    phone.ask("POST", "/faults", json={"refuse_injection": True})
    try:
        found = examine(lab, phone)["touch and keys"]
    finally:
        phone.ask("POST", "/faults", json={"refuse_injection": False})
    assert found.needed and not found.ok
    assert "INJECT_EVENTS" in found.detail and "guards input" in found.cause
    assert "USB debugging (Security settings)" in found.mend


def test_asking_about_input_touches_nothing(wire: tuple[Lab, Phone]) -> None:
    lab, phone = wire
    before = len(phone.inputs())
    examine(lab, phone)
    keys = [one["data"].get("code") for one in phone.inputs()[before:]]
    assert set(keys) <= {0}, "only the key that means nothing may reach the phone"


def test_services_that_are_on_explain_the_missing_tree(wire: tuple[Lab, Phone]) -> None:
    lab, phone = wire
    service = "org.example.reader/.ReaderService"

    async def put(value: str) -> None:
        link = AdbServer("127.0.0.1", lab.adb_port).link(phone.serial)
        await link.shell(["settings", "put", "secure", "enabled_accessibility_services", value])

    asyncio.run(put(service))
    try:
        found = examine(lab, phone)
    finally:
        asyncio.run(put(""))
    tree = found["accessibility tree"]
    assert not tree.ok and not tree.needed
    assert "turn off the accessibility services" in tree.cause and "Consent" in tree.mend
    assert service in found["accessibility services"].detail


def test_the_command_prints_json_with_the_same_findings(wire: tuple[Lab, Phone]) -> None:
    lab, phone = wire
    command = [sys.executable, "-m", "agent_server", "doctor", "--serial", phone.serial, "--json"]
    done = subprocess.run(command, env={**os.environ, **lab.env}, capture_output=True, text=True, timeout=90)
    answer: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == 0 and answer["ok"], done.stdout
    names = [one["what"] for one in answer["findings"]]
    assert {"Python", "OCR engine", "adb server", "picture", "touch and keys"} <= set(names)


def test_every_brand_that_guards_input_has_its_switch_named() -> None:
    assert {"xiaomi", "redmi", "poco", "oppo"} <= set(INJECTION_CAUSES)
    assert all("evelop" in mend for mend in INJECTION_CAUSES.values())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/dm-8 112345678 2345678 109000000 3% /data\n",
            106445,
        ),
        ("Filesystem     Size  Used Avail\n/data  100G  20G  80G\n", None),
        ("", None),
    ],
)
def test_free_room_is_read_from_df(text: str, expected: int | None) -> None:
    assert free_megabytes(text) == expected


def test_battery_is_read_as_phones_print_it() -> None:
    assert battery(BATTERY) == (87, True)
    assert battery(BATTERY.replace("USB powered: true", "USB powered: false")) == (87, False)
    assert battery("no battery here") is None
