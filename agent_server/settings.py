"""Everything that can be set, with its unit and default. Only `wiring` and the command line read this.

Each field is the environment variable `TAPWRIGHT_<NAME>`; a wrong value fails at start and names the field.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AliasChoices, Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from policies.llm import prices

PREFIX = "TAPWRIGHT_"
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
CRASH_POINTS = ("in_policy", "before_intent", "after_intent", "before_injection", "after_injection", "after_effect")
NOT_SETTINGS = frozenset({"TAPWRIGHT_REQUIRE", "TAPWRIGHT_SOAK"})
"""Variables with our prefix that belong to the test suite."""


def _data_home() -> Path:
    # The XDG Base Directory Specification: $XDG_DATA_HOME, else ~/.local/share.
    home = os.environ.get("XDG_DATA_HOME", "")
    return (Path(home) if home else Path.home() / ".local" / "share") / "tapwright"


class Settings(BaseSettings):
    """The server's settings. Words may also be given by field name: `Settings(port=0)`."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="forbid", frozen=True, populate_by_name=True)

    host: str = Field(
        default="127.0.0.1", min_length=1, description="Address to listen on. The default is this machine only."
    )
    port: int = Field(default=8765, ge=0, le=65535, description="TCP port to listen on; 0 picks a free one.")
    data_dir: Path = Field(
        default_factory=_data_home,
        description="Folder of the database, the pictures and the token. One server per folder.",
    )
    auth: bool = Field(
        default=True, description="Ask every request for the token. Off is only allowed on this machine's own address."
    )
    token: SecretStr | None = Field(
        default=None,
        description="The token itself, at least 16 characters; without it one is made and kept in the data folder.",
    )
    allow_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Further names, comma-separated, that the Host header may carry besides the loopback names.",
    )
    allow_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Further web origins, comma-separated, that may call the API, such as http://127.0.0.1:3000.",
    )
    max_body_bytes: int = Field(default=1_048_576, ge=1024, description="Largest request body, in bytes.")

    adb_host: str = Field(default="127.0.0.1", min_length=1, description="Host of the adb server.")
    adb_port: int = Field(
        default=5037,
        ge=1,
        le=65535,
        validation_alias=AliasChoices("TAPWRIGHT_ADB_PORT", "ANDROID_ADB_SERVER_PORT"),
        description="TCP port of the adb server; ANDROID_ADB_SERVER_PORT, which adb itself reads, is the fallback.",
    )
    connect: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Phones on the network, comma-separated HOST:PORT, connected at start and whenever they are gone.",
    )
    use_tree: bool = Field(default=True, description="Read the accessibility tree where that disturbs nobody.")
    consent_accessibility: bool = Field(
        default=False,
        description="The owner agrees that reading the tree may pause TalkBack, Switch Access and the like.",
    )
    ocr: Literal["always", "when_needed", "never"] = Field(
        default="when_needed",
        description="Read text from pictures always, where the accessibility tree does not suffice, or never.",
    )
    remote_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Hosts, comma-separated, that pictures of any phone's screen may be sent to without asking.",
    )
    price_file: Path | None = Field(
        default=None, description="Prices of models, a file in the form of policies/llm/prices.json, in its place."
    )
    ocr_threads: int = Field(default=2, ge=1, le=64, description="Threads that reading text from pictures may use.")
    perceive_seconds: float = Field(
        default=8.0, gt=0, le=120, description="Longest time to look for elements in one picture, seconds."
    )
    overlay_width: int = Field(
        default=540, ge=120, le=4000, description="Width of the stored marked pictures, in pixels."
    )

    default_steps: int = Field(default=40, ge=1, le=1000, description="Step budget of a run that names none.")
    default_seconds: float = Field(
        default=600.0, gt=0, le=86400, description="Time budget of a run that names none, in seconds."
    )
    question_seconds: float = Field(
        default=300.0, gt=0, le=86400, description="Time a question stays open before it counts as no, seconds."
    )

    log_format: Literal["auto", "console", "json"] = Field(
        default="auto", description="auto: console on a terminal, else JSON lines."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Least important log line that is written."
    )
    crash_at: str = Field(
        default="",
        description="For tests of recovery only: POINT or POINT:STEP at which the process kills itself (SIGKILL).",
    )

    @field_validator("allow_hosts", "allow_origins", "connect", "remote_hosts", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("token")
    @classmethod
    def _long_enough(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not re.fullmatch(r"[\x21-\x7e]{16,}", value.get_secret_value()):
            raise ValueError("must be at least 16 printable characters without spaces; leave it out to have one made")
        return value

    @field_validator("connect")
    @classmethod
    def _addresses(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for one in value:
            if not re.fullmatch(r"[\w.-]+:\d{1,5}|\[[0-9a-fA-F:]+\]:\d{1,5}", one):
                raise ValueError(f"{one!r} must be HOST:PORT, such as 192.168.0.7:5555")
        return value

    @field_validator("price_file")
    @classmethod
    def _prices(cls, value: Path | None) -> Path | None:
        if value is not None:
            prices.read(value)
        return value

    @field_validator("crash_at")
    @classmethod
    def _known_point(cls, value: str) -> str:
        point, _, step = value.partition(":")
        if value and (point not in CRASH_POINTS or (step and not step.isdecimal())):
            raise ValueError(f"must be POINT or POINT:STEP with one of {', '.join(CRASH_POINTS)}")
        return value

    @model_validator(mode="after")
    def _guarded(self) -> Self:
        if not self.auth and self.host not in LOOPBACK:
            raise ValueError(f"auth cannot be off while host is {self.host!r}; listen on 127.0.0.1 or leave auth on")
        return self

    @property
    def token_path(self) -> Path:
        """The file, mode 0600, that holds the token that clients send."""
        return self.data_dir / "token"

    @property
    def database_path(self) -> Path:
        return self.data_dir / "tapwright.sqlite3"

    @property
    def blobs_path(self) -> Path:
        return self.data_dir / "blobs"

    @property
    def secrets_path(self) -> Path:
        """The file, mode 0600, that holds the values of secrets."""
        return self.data_dir / "secrets.json"

    @property
    def lock_path(self) -> Path:
        return self.data_dir / "lock"


def unknown_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables with our prefix that set nothing, each with the nearest real name or an empty string."""
    known = [PREFIX + name.upper() for name in Settings.model_fields]
    strays = (name for name in environment if name.startswith(PREFIX) and name not in NOT_SETTINGS)
    return {
        name: next(iter(difflib.get_close_matches(name, known, n=1)), "")
        for name in strays
        if name.upper() not in known
    }
