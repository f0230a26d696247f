"""Takes the pictures of the dashboard: `python docs/images/dashboard.py` writes docs/images/dashboard-*.png.

A real server, a virtual phone and Debian's Chromium. The picture shows the moment after the dark theme was tapped.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parents[1]))

from tests.dashboard.conftest import CHROMIUM, FLAGS  # noqa: E402
from tests.lab import Lab, Phone  # noqa: E402

BEFORE = ("Open Contacts, tap Create contact, press back", "Go home")
TASK = "Open Settings, tap Display, turn on Dark theme, go home, open Contacts, tap Create contact"
SIZE = {"width": 1280, "height": 840}
TRIES = 10
TOUCHED = "document.querySelector('[data-step=\"3\"] .result')?.textContent.includes('changed')"
STILL_THERE = "document.getElementById('seen-title').textContent.endsWith(' 3')"


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="tapwright-pictures-") as folder:
        lab = Lab(Path(folder))
        with lab.adb_server(), lab.server() as client, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            for scheme in ("light", "dark"):
                page = browser.new_context(viewport=SIZE, color_scheme=scheme).new_page()
                page.goto(client.url + client.call("POST", "/v1/login-tickets")["path"])
                _write(FOLDER / f"dashboard-{scheme}.png", _moment(lab, client, page))
            browser.close()
    return 0


def _moment(lab: Lab, client: Any, page: Any) -> bytes:
    """The page between the third step's act and the fourth step's look; tried on a fresh phone when that is missed."""
    for _ in range(TRIES):
        with lab.phone() as phone:
            for task in BEFORE:
                _over(client, _started(client, phone, task))
            run_id = _started(client, phone, TASK)
            page.goto(f"{client.url}/#/runs/{run_id}")
            while not page.evaluate(TOUCHED):
                page.wait_for_timeout(10)
            picture = page.screenshot()
            still_there = page.evaluate(STILL_THERE)
            _over(client, run_id)
        if still_there:
            return bytes(picture)
    raise SystemExit("the moment was missed each time: is the machine busy?")


def _started(client: Any, phone: Phone, task: str) -> str:
    return str(client.call("POST", "/v1/runs", json={"task": task, "serial": phone.serial})["id"])


def _over(client: Any, run_id: str) -> None:
    list(client.events(run_id))


def _write(path: Path, picture: bytes) -> None:
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(256).save(path, optimize=True)


if __name__ == "__main__":
    sys.exit(main())
