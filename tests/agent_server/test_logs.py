from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from agent_server import logs


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Logging is one per process: give it back as it was."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_log_line_is_an_event_with_fields() -> None:
    stream = io.StringIO()
    logs.configure("json", "info", stream)
    structlog.get_logger().info("acted", run="run_1", step=3, kind="tap")
    (line,) = lines(stream)
    assert (line["event"], line["run"], line["step"], line["kind"], line["level"]) == (
        "acted",
        "run_1",
        3,
        "tap",
        "info",
    )
    assert str(line["ts"]).endswith("Z")


def test_secrets_are_hidden_whoever_passes_them() -> None:
    stream = io.StringIO()
    logs.configure("json", "info", stream)
    structlog.get_logger().info("typed", text="hunter2", token="abc", answer="yes")
    assert "hunter2" not in stream.getvalue() and "abc" not in stream.getvalue()


@pytest.mark.parametrize("form", ["json", "console"])
def test_a_traceback_shows_places_and_no_local_values(form: logs.Form) -> None:
    stream = io.StringIO()
    logs.configure(form, "info", stream)

    def fail() -> None:
        typed = "".join(("hun", "ter2"))
        raise RuntimeError(str(len(typed)))

    for log in (structlog.get_logger(), logging.getLogger("library")):
        try:
            fail()
        except RuntimeError:
            log.exception("failed")
    assert "hunter2" not in stream.getvalue() and stream.getvalue().count("fail") >= 4


def test_libraries_speak_up_only_from_a_warning_on() -> None:
    stream = io.StringIO()
    logs.configure("json", "debug", stream)
    logging.getLogger("sqlalchemy.engine").info("SELECT secret")
    logging.getLogger("uvicorn.error").warning("slow")
    assert [line["event"] for line in lines(stream)] == ["slow"]


def test_less_important_lines_are_left_out() -> None:
    stream = io.StringIO()
    logs.configure("json", "warning", stream)
    structlog.get_logger().info("detail")
    structlog.get_logger().warning("trouble")
    assert [line["event"] for line in lines(stream)] == ["trouble"]
