"""The phone's files as a shell or a file transfer sees them: errors in the words of Unix, folders that always exist.

What is stored lies in the world and belongs to it; the system's own folders are only known here.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from device.virtual.core.files import FILE_MODE, FOLDER_MODE, StoredFile, normal
from device.virtual.phone import VirtualPhone

CAUSE = "adb"
"""Cause of what programs change over the wire, so that nobody takes it for the work of a finger."""

_SYSTEM_FOLDERS = (
    "/",
    "/data",
    "/data/local",
    "/dev",
    "/mnt",
    "/product",
    "/storage",
    "/storage/emulated",
    "/system",
    "/system/bin",
    "/vendor",
)
_SHELL_FOLDERS = (
    "/data/local/tmp",
    "/storage/emulated/0",
    "/storage/emulated/0/Android",
    "/storage/emulated/0/DCIM",
    "/storage/emulated/0/Documents",
    "/storage/emulated/0/Download",
    "/storage/emulated/0/Movies",
    "/storage/emulated/0/Music",
    "/storage/emulated/0/Pictures",
)
_WRITABLE = ("/data/local/tmp", "/storage/emulated/0")
NULL = "/dev/null"


class FileError(Exception):
    """What Unix says: `No such file or directory`, `Permission denied`, ..."""


def stat(phone: VirtualPhone, path: str) -> StoredFile | None:
    """The file or folder at an absolute path, or None."""
    path = normal(path)
    if path == NULL:
        return StoredFile(data=b"", mode=0o020666, mtime=phone.clock.wall())
    found = phone.world.files.get(path)
    if found is None and path in _SYSTEM_FOLDERS + _SHELL_FOLDERS:
        mode = FOLDER_MODE if path in _SHELL_FOLDERS else 0o040755
        found = StoredFile(data=b"", mode=mode, mtime=_BUILT)
    return found


_BUILT = datetime(2026, 1, 1)


def read(phone: VirtualPhone, path: str) -> bytes:
    """The content of a file; raises FileError."""
    file = stat(phone, path)
    if file is None:
        raise FileError("No such file or directory")
    if file.is_folder:
        raise FileError("Is a directory")
    return file.data


def listing(phone: VirtualPhone, folder: str) -> tuple[str, ...]:
    """Names in a folder, sorted; raises FileError."""
    file = stat(phone, folder)
    if file is None:
        raise FileError("No such file or directory")
    if not file.is_folder:
        raise FileError("Not a directory")
    start = posixpath.join(normal(folder), "")
    known = {path[len(start) :].split("/")[0] for path in _SYSTEM_FOLDERS + _SHELL_FOLDERS if path.startswith(start)}
    if phone.world.files.get(folder) is not None:
        known |= set(phone.world.files.listing(folder))
    if start == "/":
        known.add("sdcard")
    return tuple(sorted(known - {""}))


def write(phone: VirtualPhone, path: str, data: bytes, *, mode: int = FILE_MODE, mtime: datetime | None = None) -> None:
    """Create or replace a file whose folder exists; raises FileError."""
    check_writable(phone, path)
    path = normal(path)
    if path == NULL:
        return
    _commit(
        phone,
        "adbd.write_file",
        lambda world, path, data: world.files.write(path, data, mode=mode, mtime=mtime),
        {"path": path, "data": data},
        {"path": path, "bytes": len(data)},
    )


def check_writable(phone: VirtualPhone, path: str) -> None:
    """Raise the FileError that writing there would."""
    path = normal(path)
    if path == NULL:
        return
    old = stat(phone, path)
    if old is not None and old.is_folder:
        raise FileError("Is a directory")
    _need_folder(phone, posixpath.dirname(path))
    _need_writable(path)


def make_folder(phone: VirtualPhone, path: str, *, parents: bool = False) -> None:
    """Create a folder; raises FileError. With `parents` existing folders are no mistake."""
    path = normal(path)
    old = stat(phone, path)
    if old is not None:
        if parents and old.is_folder:
            return
        raise FileError("File exists")
    missing = [path]
    while (stat(phone, parent := posixpath.dirname(missing[0]))) is None:
        if not parents:
            raise FileError("No such file or directory")
        missing.insert(0, parent)
    _need_writable(missing[0])
    for folder in missing:
        _commit(phone, "adbd.make_folder", lambda world, path: world.files.make_folder(path), {"path": folder})


def remove(phone: VirtualPhone, path: str, *, recursive: bool = False) -> None:
    """Take a file, or with `recursive` a folder and all in it, away; raises FileError."""
    path = normal(path)
    file = stat(phone, path)
    if file is None:
        raise FileError("No such file or directory")
    if file.is_folder and not recursive:
        raise FileError("Is a directory")
    _need_writable(path)
    if phone.world.files.get(path) is not None:
        _commit(
            phone, "adbd.remove_file", lambda world, path: world.files.remove(path, recursive=recursive), {"path": path}
        )


def remove_folder(phone: VirtualPhone, path: str) -> None:
    """Take an empty folder away; raises FileError."""
    if listing(phone, path):
        raise FileError("Directory not empty")
    remove(phone, path, recursive=True)


def change_mode(phone: VirtualPhone, path: str, mode: int) -> None:
    """Set the permission bits; raises FileError."""
    file = stat(phone, path)
    if file is None:
        raise FileError("No such file or directory")
    if not file.is_folder:
        write(phone, path, file.data, mode=file.mode & 0o170000 | mode & 0o7777, mtime=file.mtime)


def put_setting(phone: VirtualPhone, namespace: str, key: str, value: str | None) -> bool:
    """Store or, with None, forget a setting; whether there was one before."""
    before = phone.world.settings.has(namespace, key)
    if value is None:
        phone.world.commit("system.delete", {"ns": namespace, "key": key}, CAUSE)
    else:
        phone.put_setting(namespace, key, value)
    return before


def _commit(
    phone: VirtualPhone,
    name: str,
    run: Callable[..., Any],
    args: Mapping[str, Any],
    shown: Mapping[str, Any] | None = None,
) -> None:
    phone.world.register(name, run)
    phone.world.commit(name, args, CAUSE, shown=shown)


def _need_folder(phone: VirtualPhone, folder: str) -> None:
    found = stat(phone, folder)
    if found is None:
        raise FileError("No such file or directory")
    if not found.is_folder:
        raise FileError("Not a directory")


def _need_writable(path: str) -> None:
    """A production phone's shell user owns its temporary folder and the shared storage, nothing else."""
    if path.startswith(("/system", "/vendor", "/product")) or posixpath.dirname(path) == "/":
        raise FileError("Read-only file system")
    if not any(path.startswith(folder + "/") for folder in _WRITABLE):
        raise FileError("Permission denied")
