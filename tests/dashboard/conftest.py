"""A browser, and a server with a virtual phone, each in a process of its own.

Without Chromium or Playwright these tests are skipped; TAPWRIGHT_REQUIRE=chromium makes their absence a failure.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agent_server.cli.client import ServiceClient
from tests.lab import Lab, Phone

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    *("--no-sandbox", "--headless", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


def _missing() -> str:
    if not Path(CHROMIUM).exists():
        return f"no browser at {CHROMIUM}: apt-get install chromium"
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "playwright is not installed: pip install playwright"
    return ""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's Chromium, driven by Playwright."""
    missing = _missing()
    if missing and "chromium" in os.environ.get("TAPWRIGHT_REQUIRE", "").split(","):
        pytest.fail(missing)
    if missing:
        pytest.skip(missing)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@dataclass
class Bench:
    """A server, its phone, and a way in."""

    client: ServiceClient
    phone: Phone
    lab: Lab

    def login(self) -> str:
        """A fresh login link."""
        return self.client.url + str(self.client.call("POST", "/v1/login-tickets")["path"])

    def start(self, task: str, **values: Any) -> str:
        """A run by the API; returns its name."""
        body = {"task": task, "serial": self.phone.serial, **values}
        return str(self.client.call("POST", "/v1/runs", json=body)["id"])

    def script(self, *steps: dict[str, Any], **values: Any) -> str:
        """A run that replays written decisions."""
        return self.start("Replay what was written down", policy="scripted", params={"steps": list(steps)}, **values)

    def ended(self, run_id: str) -> dict[str, Any]:
        """The run once it has ended."""
        for _ in range(30):
            run: dict[str, Any] = self.client.call("GET", f"/v1/runs/{run_id}?wait=5")
            if run["state"] in ("succeeded", "failed", "stopped", "expired", "interrupted"):
                return run
        raise AssertionError(f"{run_id} goes on and on")

    def rest(self) -> None:
        """End what other tests left at work, and go to the home screen."""
        for state in ("queued", "running", "waiting_for_answer", "paused"):
            for run in self.client.call("GET", f"/v1/runs?state={state}")["items"]:
                self.client.call("POST", f"/v1/runs/{run['id']}/stop")
                self.ended(run["id"])


@pytest.fixture(scope="module")
def bench(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """One server and one virtual phone for all tests of the dashboard."""
    lab = Lab(tmp_path_factory.mktemp("dashboard"))
    with lab.adb_server(), lab.phone() as phone, lab.server() as client:
        yield Bench(client, phone, lab)


@pytest.fixture
def page(browser: Any, bench: Bench) -> Iterator[Any]:
    """A logged-in page of 1280 x 860 that fails the test when a script of it fails."""
    with open_page(browser, bench) as page:
        yield page


class open_page:  # noqa: N801 - reads as a function
    """A logged-in page with options of its own, such as color_scheme or viewport."""

    def __init__(self, browser: Any, bench: Bench, **options: Any) -> None:
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 860}, **options})
        self.bench = bench
        self.errors: list[str] = []

    def __enter__(self) -> Any:
        page = self.context.new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        # A refused request is an error in the console, too; those are answers, and tested as such.
        page.on("console", lambda line: self.errors.append(line.text) if "Security Policy" in line.text else None)
        page.goto(self.bench.login())
        return page

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.context.close()
        self.bench.rest()
        if kind is None:
            assert not self.errors, self.errors
