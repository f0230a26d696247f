"""One owner per phone: a lock in the service's folder, which the kernel opens when its process dies.

Two programs that drive one phone take its UiAutomation from each other and undo each other's acts.
"""

from __future__ import annotations

import fcntl
import os
import re
from pathlib import Path

from device.errors import DeviceBusy


def file_name(serial: str) -> str:
    """A serial as a file's name, different for different serials: what is no letter, digit, dot or dash is escaped."""

    def escaped(found: re.Match[str]) -> str:
        return "".join(f"_{byte:02x}" for byte in found[0].encode(errors="surrogatepass"))

    return re.sub(r"[^A-Za-z0-9.-]", escaped, serial)


class Lease:
    """The right to use one phone, until it is released."""

    def __init__(self, handle: int) -> None:
        self._handle: int | None = handle

    @classmethod
    def take(cls, folder: Path, serial: str) -> Lease:
        """Raises DeviceBusy when somebody holds it, in this process or another; OSError for a bad folder."""
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(folder / f"{file_name(serial)}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            raise DeviceBusy(f"{serial} is in use already", serial=serial, doing="opening the phone") from None
        except BaseException:
            os.close(handle)
            raise
        return cls(handle)

    def release(self) -> None:
        """Let others have it; harmless when that was done before."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
