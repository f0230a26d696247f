"""The phone's files: path to bytes, with mode and time. Folders exist where files lie in them or where made."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from device.virtual.core.settings import Undoable

FILE_MODE, FOLDER_MODE = 0o100660, 0o040770


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """Content, Unix mode with the type bits, and the time of the last change. A folder has no content."""

    data: bytes
    mode: int
    mtime: datetime

    @property
    def is_folder(self) -> bool:
        return self.mode & 0o170000 == 0o040000


class Files:
    """A flat map of absolute paths. Changes only inside a command."""

    def __init__(self, undoable: Undoable, now: Callable[[], datetime]) -> None:
        self._undoable = undoable
        self._now = now
        self._files: dict[str, StoredFile] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths())

    def __len__(self) -> int:
        return len(self._files)

    def __contains__(self, path: str) -> bool:
        return self.get(path) is not None

    def values(self) -> tuple[StoredFile, ...]:
        """Every stored file and folder, in the order of the paths."""
        return tuple(file for _, file in self.items())

    def items(self) -> tuple[tuple[str, StoredFile], ...]:
        """Every path with its file, sorted by path."""
        return tuple(sorted(self._files.items()))

    def get(self, path: str) -> StoredFile | None:
        """The file or folder at that path. A folder that only other files imply has the time of the newest of them."""
        path = normal(path)
        if (found := self._files.get(path)) is not None:
            return found
        inside = [file.mtime for name, file in self._files.items() if name.startswith(_as_folder(path))]
        return StoredFile(data=b"", mode=FOLDER_MODE, mtime=max(inside)) if inside else None

    def read(self, path: str) -> bytes:
        """The content; raises FileNotFoundError or IsADirectoryError."""
        file = self.get(path)
        if file is None:
            raise FileNotFoundError(path)
        if file.is_folder:
            raise IsADirectoryError(path)
        return file.data

    def write(self, path: str, data: bytes, *, mode: int = FILE_MODE, mtime: datetime | None = None) -> None:
        """Create or replace a file; raises IsADirectoryError for a folder."""
        path = normal(path)
        old = self.get(path)
        if old is not None and old.is_folder:
            raise IsADirectoryError(path)
        self._change(path, StoredFile(data=bytes(data), mode=mode, mtime=mtime or self._now()))

    def make_folder(self, path: str, *, mode: int = FOLDER_MODE) -> None:
        """Create a folder; one that exists stays as it is."""
        path = normal(path)
        if self.get(path) is None:
            self._change(path, StoredFile(data=b"", mode=mode, mtime=self._now()))

    def remove(self, path: str, *, recursive: bool = False) -> None:
        """Take a file or an empty folder away; with `recursive` a folder and all in it.

        Raises FileNotFoundError, and OSError for a folder that is not empty.
        """
        path = normal(path)
        if self.get(path) is None:
            raise FileNotFoundError(path)
        inside = [name for name in self._files if name.startswith(_as_folder(path))]
        if inside and not recursive:
            raise OSError(f"{path} is a folder with files in it: remove it with recursive=True")
        for name in [*inside, path]:
            self._change(name, None)

    def listing(self, folder: str) -> tuple[str, ...]:
        """Names directly inside a folder, sorted; raises NotADirectoryError or FileNotFoundError."""
        folder = normal(folder)
        file = self.get(folder)
        if file is not None and not file.is_folder:
            raise NotADirectoryError(folder)
        if file is None and folder != "/":
            raise FileNotFoundError(folder)
        start = _as_folder(folder)
        return tuple(
            sorted({name[len(start) :].split("/")[0] for name in self._files if name.startswith(start)} - {""})
        )

    def paths(self) -> tuple[str, ...]:
        """Every stored path, sorted."""
        return tuple(sorted(self._files))

    def to_json(self) -> dict[str, Any]:
        """Size and SHA-256 by path: enough to see that a file came, went or changed."""
        return {
            path: "folder"
            if file.is_folder
            else {"size": len(file.data), "sha256": hashlib.sha256(file.data).hexdigest()}
            for path, file in sorted(self._files.items())
        }

    def dump(self) -> tuple[list[list[Any]], list[bytes]]:
        """Descriptions (path, mode, mtime, size) and the contents in the same order."""
        items = sorted(self._files.items())
        return [[p, f.mode, f.mtime.isoformat(), len(f.data)] for p, f in items], [f.data for _, f in items]

    def load(self, stored: list[list[Any]], data: bytes, offset: int) -> None:
        """Read what `dump` wrote; the contents start at `offset` of `data`."""
        self._files = {}
        for path, mode, mtime, size in stored:
            content = data[offset : offset + size]
            self._files[path] = StoredFile(data=content, mode=mode, mtime=datetime.fromisoformat(mtime))
            offset += size

    def _change(self, path: str, file: StoredFile | None) -> None:
        before = self._files.get(path)
        self._undoable(lambda: _set(self._files, path, before))
        _set(self._files, path, file)


LINKS: Mapping[str, str] = {"/sdcard": "/storage/emulated/0", "/storage/self/primary": "/storage/emulated/0"}
"""Where Android links the shared storage to."""


def normal(path: str) -> str:
    """The absolute path without `.`, `..`, doubled slashes and the links of shared storage; raises ValueError."""
    if not path.startswith("/"):
        raise ValueError(f"path must be absolute, not {path!r}")
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    clean = "/" + "/".join(parts)
    for link, target in LINKS.items():
        if clean == link or clean.startswith(link + "/"):
            return target + clean[len(link) :]
    return clean


def _as_folder(path: str) -> str:
    return path if path.endswith("/") else path + "/"


def _set(files: dict[str, StoredFile], path: str, file: StoredFile | None) -> None:
    if file is None:
        files.pop(path, None)
    else:
        files[path] = file
