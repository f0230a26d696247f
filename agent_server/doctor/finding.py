"""One thing that was looked at."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Finding:
    """`ok` or not, what was seen, and what to do when it is not all right.

    `needed` is false for what Tapwright can do without; `cause` says why something is as it is, where that is known.
    """

    what: str
    ok: bool
    detail: str
    mend: str = ""
    needed: bool = True
    cause: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
