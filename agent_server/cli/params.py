"""A policy's parameters as the command line takes them: `--param width=720`, and a JSON file of many."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

ParamOption = Annotated[
    list[str] | None,
    typer.Option(
        "--param", "--params", metavar="KEY=VALUE", help="A parameter of the policy; VALUE is JSON, or a plain word."
    ),
]
ParamsFileOption = Annotated[
    Path | None, typer.Option(help="A JSON object of parameters; what --param says wins over it.")
]
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MEANT_AS_JSON = re.compile(r"[\[{\"]|-?\d+(\.\d*)?$")
"""What begins like JSON and is none is a mistake, not a word."""


class BadParam(ValueError):
    """A parameter cannot be read; the message names it and says how to mend it."""


def read(pairs: Sequence[str] | None, file: Path | None) -> dict[str, Any]:
    """Parameters of a file and of the command line. Raises BadParam."""
    found = {} if file is None else _of_file(file)
    seen: set[str] = set()
    for pair in pairs or ():
        key, sign, text = pair.partition("=")
        key = key.strip()
        if not sign or not _KEY.fullmatch(key):
            raise BadParam(f"--param {pair!r} must be KEY=VALUE, such as width=720")
        if key in seen:
            raise BadParam(f"--param {key} is given twice")
        seen.add(key)
        found[key] = _value(key, text)
    return found


def checked(pairs: Sequence[str] | None, file: Path | None) -> dict[str, Any]:
    """As `read`; what cannot be read ends the command as bad usage."""
    try:
        return read(pairs, file)
    except BadParam as error:
        raise typer.BadParameter(str(error)) from error


def _value(key: str, text: str) -> Any:
    """JSON where it is JSON; a plain word stands for itself, so that model=gpt-6 needs no quotes within quotes."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except ValueError as error:
        if _MEANT_AS_JSON.match(text):
            raise BadParam(f"--param {key}: {text!r} is not JSON: {error}") from error
        return text


def _of_file(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"), parse_constant=_no_constant)
    except (OSError, ValueError) as error:
        raise BadParam(f"--params-file {file}: {error}") from error
    if not isinstance(found, dict):
        raise BadParam(f'--params-file {file} must hold a JSON object, such as {{"width": 720}}')
    return found


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number that JSON knows")
