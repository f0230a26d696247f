"""Rows that the system itself keeps: installed packages and notifications."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """An installed package. `activities` are component names (`.Settings`), the launcher's first.

    `permissions` is what it asks for, `granted` what it has. `flags` tells of permissions a person was asked about:
    USER_SET (answered), USER_FIXED (refused for good), ONE_TIME (until the app ends). `labels` are by language.
    """

    TABLE: ClassVar[str] = "system.package"

    id: int
    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    icon: str = "android"
    hue: int = 210
    version_name: str = "1.0"
    version_code: int = 1
    system: bool = False
    launchable: bool = True
    enabled: bool = True
    activities: tuple[str, ...] = ()
    permissions: tuple[str, ...] = ()
    granted: tuple[str, ...] = ()
    flags: Mapping[str, str] = field(default_factory=dict)
    first_install: datetime = datetime(2026, 1, 1)
    last_update: datetime = datetime(2026, 1, 1)

    @property
    def label(self) -> str:
        return self.title("en")

    def title(self, lang: str) -> str:
        """The label in that language, else in English, else the name."""
        return self.labels.get(lang) or self.labels.get("en") or self.name

    @property
    def component(self) -> str:
        """`package/activity` of the launcher's activity; empty without one."""
        return f"{self.name}/{self.activities[0]}" if self.activities else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """What opens the lock: the digest of a PIN. Without a row the lock opens by a swipe."""

    TABLE: ClassVar[str] = "system.credential"

    id: int
    kind: str = "pin"
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification:
    """A message in the shade. Tapping it starts `package` at `screen` with `args`, and takes it away."""

    TABLE: ClassVar[str] = "system.notification"

    id: int
    package: str
    title: str
    text: str = ""
    when: datetime = datetime(2026, 1, 1)
    screen: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)
    ongoing: bool = False
