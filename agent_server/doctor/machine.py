"""What this machine needs: Python, the OCR engine, one owner of cv2, room for pictures."""

from __future__ import annotations

import importlib.util
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from agent_server.doctor.finding import Finding
from agent_server.settings import Settings


def look(settings: Settings) -> Iterator[Finding]:
    """Each thing in turn; the OCR engine is started once for it."""
    version = platform.python_version()
    yield Finding("Python", sys.version_info >= (3, 11), version, "install Python 3.11 or newer")
    yield _timed("OCR engine", _try_ocr, "pip install --force-reinstall rapidocr onnxruntime")
    yield _owners_of_cv2()
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
