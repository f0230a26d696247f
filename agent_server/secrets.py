"""Secrets by name. A task says `{{secret:bank}}`; the value is put in at the last moment, for the phone alone.

Values lie in one JSON file of mode 0600 in the data folder: other users of the machine cannot read them, programs of
the same user, its administrators and backups can. They are in no database, log, event, prompt or picture.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import stat
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import structlog
from rapidfuzz import fuzz

from agent_server.errors import InvalidRequest, NotFound, SecretsUnreadable, UnknownSecret

log = structlog.get_logger()

REFERENCE = re.compile(r"\{\{\s*secret\s*:([^{}]*)\}\}")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
LONGEST = 1000
"""Characters of a value: longer than any password, shorter than a text that somebody mistook for one."""
SHORT = 4
"""Values below this length count only where they are all that an element says: "42" is in every telephone number."""
_READ_FROM = 6
_ALIKE = 80.0
"""Least likeness, 0 to 100, of a value and what OCR reads. Of 120 random passwords drawn at phone sizes 99 were read
exactly, the others with letters of one shape exchanged (those are made equal first); the worst had 80."""
_SHAPES = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l", "!": "l", "5": "s", "8": "b"})


def names_in(value: Any) -> frozenset[str]:
    """The names that a text, or any text in plain data, refers to, as they are written."""
    if isinstance(value, str):
        return frozenset(found.strip() for found in REFERENCE.findall(value))
    if isinstance(value, Mapping):
        return frozenset().union(*(names_in(part) for part in value.values()))
    if isinstance(value, list | tuple):
        return frozenset().union(*(names_in(part) for part in value))
    return frozenset()


def plain(text: str) -> str:
    """The text without its references."""
    return REFERENCE.sub("", text)


def bare(text: str) -> bool:
    """Whether the text is references and nothing else."""
    return bool(REFERENCE.search(text)) and not plain(text).strip()


def reference(name: str) -> str:
    return f"{{{{secret:{name}}}}}"


@dataclass(frozen=True, slots=True)
class _Known:
    """What the file held when it was last read. Values never show in a repr."""

    stamp: tuple[int, int, int] | None = None
    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    squeezed: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, stamp: tuple[int, int, int], values: Mapping[str, str]) -> _Known:
        ordered = sorted(values, key=lambda name: -len(values[name]))
        return cls(
            stamp, {name: values[name] for name in ordered}, tuple((one, squeeze(values[one])) for one in ordered)
        )


class Vault:
    """The secrets of one data folder. Changes by another process are seen at the next question."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = _Known()

    # Keeping

    def names(self) -> tuple[str, ...]:
        """Raises SecretsUnreadable."""
        return tuple(sorted(self._read().values))

    def put(self, name: str, value: str) -> None:
        """Keep a value under a name, in place of the one it had. Raises InvalidRequest, SecretsUnreadable."""
        if not NAME.fullmatch(name):
            raise InvalidRequest(
                f"{name!r} cannot be the name of a secret.",
                advice="Take up to 64 letters, digits, dots, hyphens or underscores.",
                pointer="/name",
            )
        if not value.strip() or len(value) > LONGEST or not _typeable(value):
            raise InvalidRequest(
                f"The value of {name} must be 1 to {LONGEST} characters that can be typed, not only spaces.",
                advice="It has been kept nowhere.",
                pointer="/value",
            )
        self._change(lambda values: {**values, name: value})

    def delete(self, name: str) -> None:
        """Raises NotFound, SecretsUnreadable."""
        if name not in self._read().values:
            raise NotFound(f"There is no secret {name!r}.", advice="`tapwright secrets list` shows the names.")
        self._change(lambda values: {key: value for key, value in values.items() if key != name})

    # Putting in, and taking out

    def resolve(self, text: str) -> str:
        """The text with values in place of references, for the phone and nobody else. Raises UnknownSecret."""
        values = self._read().values
        missing = sorted(names_in(text) - values.keys())
        if missing:
            raise unknown(missing[0], self.names())
        return REFERENCE.sub(lambda found: values[found[1].strip()], text)

    def conceal(self, text: str) -> str:
        """The text with references in place of values; short ones only where they are all of it."""
        for name, value in self._read().values.items():
            if len(value) >= SHORT:
                text = text.replace(value, reference(name))
            elif text.strip() == value:
                text = reference(name)
        return text

    def shown_in(self, text: str, *, read: bool = False) -> str:
        """The name of a secret that a text on a screen gives away, or an empty string.

        Case, spaces and widths of letters do not count. `read` says that the text was read from a picture, where
        letters may be mistaken for others of their shape.
        """
        said = squeeze(text)
        if not said:
            return ""
        for name, value in self._read().squeezed:
            if value == said or (len(value) >= SHORT and value in said):
                return name
            if read and len(value) >= _READ_FROM and _alike(value, said):
                return name
        return ""

    def written_out_in(self, value: Any) -> str:
        """The name of a secret whose value stands as a word of its own in a text of plain data, or an empty string."""
        texts = list(_texts(value))
        for name, secret in self._read().values.items():
            alone = re.compile(rf"(?<!\w){re.escape(secret)}(?!\w)")
            if len(secret) >= SHORT and any(alone.search(text) for text in texts):
                return name
        return ""

    def __bool__(self) -> bool:
        """Whether there is any secret."""
        return bool(self._read().values)

    # The file

    def _read(self) -> _Known:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            self._known = _Known()
            return self._known
        stamp = found.st_mtime_ns, found.st_size, found.st_ino
        if self._known.stamp == stamp:
            return self._known
        if stat.S_IMODE(found.st_mode) & 0o077:
            log.warning("secrets could be read by others", file=self._path.name, mended="mode 0600")
            self._path.chmod(0o600)
        try:
            values = json.loads(self._path.read_text(encoding="utf-8"))["secrets"]
            good = all(isinstance(text, str) and NAME.fullmatch(name) for name, text in values.items())
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            good = False
        if not good:
            # The error beneath may quote the file, so it is not chained.
            raise SecretsUnreadable(
                f"{self._path} cannot be read as secrets.", advice="Put it right or delete it, then set them anew."
            ) from None
        self._known = _Known.of(stamp, values)
        return self._known

    def _change(self, change: Callable[[Mapping[str, str]], Mapping[str, str]]) -> None:
        """Replace the file as a whole: a reader sees the old or the new one, and a crash leaves one of them."""
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _locked(self._path.with_name(f"{self._path.name}.lock")):
            values = change(self._read().values)
            new = self._path.with_name(f"{self._path.name}.new")
            new.unlink(missing_ok=True)
            with _private(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as handle:
                with os.fdopen(handle, "wb", closefd=False) as file:
                    file.write(json.dumps({"secrets": dict(values)}, ensure_ascii=False).encode())
                os.fsync(handle)
            new.replace(self._path)


def unknown(name: str, known: tuple[str, ...], pointer: str = "") -> UnknownSecret:
    there = f"There are: {', '.join(known)}." if known else "There is none yet."
    return UnknownSecret(
        f"There is no secret {name!r}.", advice=f"{there} Keep one: tapwright secrets set NAME", pointer=pointer
    )


def squeeze(text: str) -> str:
    """Text as it is compared: compatibility forms, without case, without spaces and invisible signs."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(one for one in folded if not one.isspace() and unicodedata.category(one) != "Cf")


def _alike(value: str, said: str) -> bool:
    value, said = value.translate(_SHAPES), said.translate(_SHAPES)
    # A part is looked for in the longer of the two, and the longer must be what was read.
    likeness = fuzz.partial_ratio if len(said) >= len(value) else fuzz.ratio
    return likeness(value, said) >= _ALIKE


def _typeable(text: str) -> bool:
    return all(unicodedata.category(one) not in ("Cc", "Cs") or one == "\t" for one in text)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)


@contextlib.contextmanager
def _private(path: Path, flags: int) -> Iterator[int]:
    """A file of mode 0600, whatever the process's umask allows."""
    handle = os.open(path, flags, 0o600)
    try:
        os.fchmod(handle, 0o600)
        yield handle
    finally:
        os.close(handle)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One writer at a time, across processes; the kernel lets go when one dies."""
    with _private(path, os.O_RDWR | os.O_CREAT) as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
