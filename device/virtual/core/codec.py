"""Rows as JSON and back: data only, so that a snapshot from anywhere is safe to read.

A list comes back as a tuple, since rows are immutable; dates, times, bytes and mappings are tagged.
"""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from enum import Enum
from functools import cache
from typing import Any

_PLAIN = (str, int, float, bool, type(None))


class NotStorable(TypeError):
    """A row or a command argument holds a value that a snapshot cannot keep."""


@cache
def field_names(row_type: type[Any]) -> tuple[str, ...]:
    """Names of a row's fields, in order."""
    return tuple(f.name for f in dataclasses.fields(row_type))


def encode(value: Any) -> Any:
    """A value as JSON can hold it; raises NotStorable for functions, objects and the like."""
    if isinstance(value, Enum):
        return encode(value.value)
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, list | tuple):
        return [encode(item) for item in value]
    if isinstance(value, datetime):
        return {"$datetime": value.isoformat()}
    if isinstance(value, date):
        return {"$date": value.isoformat()}
    if isinstance(value, timedelta):
        return {"$seconds": value.total_seconds()}
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode("ascii")}
    if isinstance(value, Mapping):
        return {"$map": [[encode(key), encode(item)] for key, item in value.items()]}
    raise NotStorable(f"{type(value).__name__} cannot be kept: use text, numbers, tuples, dates, bytes or mappings")


def decode(value: Any) -> Any:
    """The value that `encode` was given, lists as tuples."""
    if isinstance(value, list):
        return tuple([decode(item) for item in value])
    if isinstance(value, dict):
        ((tag, body),) = value.items()
        match tag:
            case "$datetime":
                return datetime.fromisoformat(body)
            case "$date":
                return date.fromisoformat(body)
            case "$seconds":
                return timedelta(seconds=body)
            case "$bytes":
                return base64.b64decode(body)
            case "$map":
                return {decode(key): decode(item) for key, item in body}
        raise ValueError(f"unknown tag {tag!r} in stored data")
    return value


def encode_row(row: Any) -> list[Any]:
    """A row's values in field order."""
    return [
        value if type(value) in _PLAIN else encode(value)
        for value in [getattr(row, name) for name in field_names(row.__class__)]
    ]


def decode_row(row_type: type, values: list[Any]) -> Any:
    """The row of that type with those values."""
    names = field_names(row_type)
    if len(names) != len(values):
        raise ValueError(f"stored {row_type.__name__} has {len(values)} values, its class {len(names)}")
    plain = [decode(value) if isinstance(value, list | dict) else value for value in values]
    return row_type(**dict(zip(names, plain, strict=True)))


def readable(value: Any) -> Any:
    """A value for people and checks: dates as ISO text, mappings as objects, bytes as base64."""
    if isinstance(value, Enum):
        return readable(value.value)
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, Mapping):
        return {str(key): readable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [readable(item) for item in value]
    raise NotStorable(f"{type(value).__name__} cannot be kept: use text, numbers, tuples, dates, bytes or mappings")


def readable_row(row: Any) -> dict[str, Any]:
    """A row as a JSON object."""
    return {name: readable(getattr(row, name)) for name in field_names(row.__class__)}
