"""Files named by their content: `sha256/ab/cd/<hash>`. An unchanged screen costs nothing twice."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from pathlib import Path

HASH = re.compile(r"[0-9a-f]{64}")


class BlobStore:
    """Writes once, durably; reads by hash. Blocking: call `put` on a worker thread."""

    def __init__(self, root: Path) -> None:
        self._root = root / "sha256"

    def path(self, digest: str) -> Path:
        """Where the blob of that hash lies or would lie. Raises ValueError for anything but a hash."""
        if HASH.fullmatch(digest) is None:
            raise ValueError(f"not a sha256 in hex: {digest!r}")
        return self._root / digest[:2] / digest[2:4] / digest

    def put(self, data: bytes) -> str:
        """Store the bytes and return their sha256 in hex. On return they survive a power cut."""
        digest = hashlib.sha256(data).hexdigest()
        target = self.path(digest)
        if target.exists():
            return digest
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".partial-")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        _sync_folder(target.parent)
        return digest

    def get(self, digest: str) -> bytes | None:
        try:
            return self.path(digest).read_bytes()
        except (FileNotFoundError, ValueError):
            return None


def _sync_folder(folder: Path) -> None:
    # A rename is only durable once the folder that holds the name is.
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
