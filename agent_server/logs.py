"""Structured logs: events with fields, never prose, never typed text, never a token."""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from typing import Any, Literal, TextIO

import structlog

Form = Literal["auto", "console", "json"]
SECRET_FIELDS = frozenset({"text", "token", "ticket", "authorization", "cookie", "answer", "password"})
"""Fields whose value is never written, whoever passes them."""


def _hide_secrets(_: object, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for name in SECRET_FIELDS & event.keys():
        event[name] = "(hidden)"
    return event


def _tracebacks() -> structlog.processors.ExceptionRenderer:
    # Without local variables: those may hold what somebody typed.
    return structlog.processors.ExceptionRenderer(structlog.tracebacks.ExceptionDictTransformer(show_locals=False))


def configure(form: Form, level: str, stream: TextIO | None = None) -> None:
    """Send our own and the libraries' log lines to `stream` (standard error), in one form."""
    out = stream or sys.stderr
    console = form == "console" or (form == "auto" and out.isatty())
    threshold = logging.getLevelNamesMapping()[level.upper()]
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="ts"),
        _hide_secrets,
    ]
    if console:
        render: list[structlog.typing.Processor] = [
            structlog.dev.ConsoleRenderer(colors=out.isatty(), exception_formatter=structlog.dev.plain_traceback)
        ]
    else:
        render = [_tracebacks(), structlog.processors.JSONRenderer(ensure_ascii=False)]
    structlog.configure(
        processors=[*shared, *render],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.WriteLoggerFactory(file=out),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *render], foreign_pre_chain=shared
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    # Libraries speak at their own volume; what they say below a warning is about themselves.
    root.setLevel(max(threshold, logging.WARNING))
