"""`tapwright doctor`: what is missing on this machine, and the command that mends it."""

from __future__ import annotations

import asyncio
import importlib.util
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from agent_server.cli import local
from agent_server.settings import Settings
from device.adb.client import ensure_server
from device.errors import DeviceError
from device.geometry import Size


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `mend` is what to do when it is not all right."""

    what: str
    ok: bool
    detail: str
    mend: str = ""
    needed: bool = True


def register(app: typer.Typer) -> None:
    app.command(help="Say what is missing here, and the command that mends it.")(doctor)


def doctor(
    serial: Annotated[str | None, typer.Option(help="Also check this phone.")] = None,
) -> None:
    findings = list(_machine())
    findings += asyncio.run(_links(serial))
    for finding in findings:
        sign = "ok  " if finding.ok else ("MISS" if finding.needed else "note")
        typer.echo(f"{sign}  {finding.what}: {finding.detail}")
        if not finding.ok and finding.mend:
            typer.echo(f"      mend it with: {finding.mend}")
    missing = [finding for finding in findings if finding.needed and not finding.ok]
    typer.echo("Everything needed is here." if not missing else f"{len(missing)} thing(s) missing.")
    raise typer.Exit(1 if missing else 0)


def _machine() -> Iterator[Finding]:
    version = platform.python_version()
    yield Finding("Python", sys.version_info >= (3, 11), version, "install Python 3.11 or newer")
    yield _timed("OCR engine", _try_ocr, "pip install --force-reinstall rapidocr onnxruntime")
    yield _owners_of_cv2()
    settings = Settings()
    data = settings.data_dir
    free = shutil.disk_usage(_nearest(data)).free / 1e9
    yield Finding(
        "disk for screenshots", free > 1, f"{free:.1f} GB free at {data}", "free some space, or set TAPWRIGHT_DATA_DIR"
    )


def _nearest(path: Path) -> Path:
    return next(parent for parent in (path, *path.parents) if parent.exists())


def _timed(what: str, probe: Callable[[], str], mend: str) -> Finding:
    started = time.monotonic()
    try:
        detail = probe()
    except Exception as error:  # the border: whatever a broken installation raises is the finding
        return Finding(what, False, f"{type(error).__name__}: {error}", mend)
    return Finding(what, True, f"{detail} ({time.monotonic() - started:.1f} s)")


def _try_ocr() -> str:
    from perception.ocr import RapidOcrReader, warm_up

    reader = RapidOcrReader()
    warm_up(reader)
    return f"{reader.name} reads"


def _owners_of_cv2() -> Finding:
    from importlib.metadata import packages_distributions

    owners = sorted(set(packages_distributions().get("cv2", ())))
    one = owners == ["opencv-python-headless"]
    mend = (
        "pip uninstall -y opencv-python opencv-contrib-python && pip install --force-reinstall opencv-python-headless"
    )
    found = importlib.util.find_spec("cv2") is not None
    return Finding("OpenCV", found and one, ", ".join(owners) or "not installed", mend)


async def _links(serial: str | None) -> list[Finding]:
    settings = Settings()
    try:
        server = await ensure_server(settings.adb_port, host=settings.adb_host)
        listed = await server.devices()
    except DeviceError as error:
        return [Finding("adb server", False, str(error), error.advice or "apt install adb")]
    names = ", ".join(f"{one.serial} ({one.state})" for one in listed) or "no phone"
    found = [
        Finding("adb server", True, f"version {await server.version()} on port {settings.adb_port}"),
        Finding("phones", bool(listed), names, "plug one in, or start one: tapwright phone", needed=False),
    ]
    if serial is not None:
        found += await _phone(serial)
    return found


async def _phone(serial: str) -> list[Finding]:
    try:
        async with local.phone(serial) as device:
            info = await device.describe()
            view = await device.observe()
    except DeviceError as error:
        return [Finding(serial, False, str(error), error.advice)]
    size: Size = view.frame.size
    services = ", ".join(info.accessibility_services)
    return [
        Finding(serial, True, f"{info.model}, SDK {info.sdk}{', virtual' if info.virtual else ''}"),
        Finding("picture", True, f"{size} {view.frame.media_type}, {len(view.frame.data) // 1024} kB"),
        Finding("accessibility tree", view.tree is not None, view.tree_reason or "read", needed=False),
        Finding("accessibility services", True, services or "none is on"),
    ]
