"""The contract of a chat model.

A model gets a whole conversation each time and keeps nothing. How it failed is always one of the errors of
`policies.llm.errors`; an answer that came is complete.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from device.geometry import Size
from policies.base import Usage

PictureType = Literal["image/jpeg", "image/png"]


@dataclass(frozen=True, slots=True)
class Picture:
    """Encoded bytes whose size in pixels is known, so that what a provider does with them is known too."""

    data: bytes = field(repr=False)
    media_type: PictureType
    size: Size


Part = str | Picture


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of the conversation. A model's own turn holds text only."""

    role: Literal["user", "assistant"]
    parts: tuple[Part, ...]

    def __post_init__(self) -> None:
        if self.role == "assistant" and any(isinstance(part, Picture) for part in self.parts):
            raise ValueError("a message of the assistant cannot hold pictures")


@dataclass(frozen=True, slots=True)
class Schema:
    """A JSON schema that answers must fit: closed objects, every property required, plain `anyOf`.

    `name` has letters, digits, _ and - only; providers show it to the model.
    """

    name: str
    data: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A question. Without `schema` the answer is free text. `max_tokens` includes what the model thinks unseen."""

    system: str
    messages: tuple[Message, ...]
    schema: Schema | None = None
    max_tokens: int = 4096

    @property
    def pictures(self) -> tuple[Picture, ...]:
        return tuple(part for message in self.messages for part in message.parts if isinstance(part, Picture))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A complete answer. `model` and `request_id` are what the provider says of itself."""

    text: str = field(repr=False)
    usage: Usage
    model: str = ""
    request_id: str = ""
    seconds: float = 0.0


class ChatModel(Protocol):
    """A model at one place. `host` is where pictures go: people are asked about it by this name."""

    @property
    def name(self) -> str: ...

    @property
    def host(self) -> str: ...

    async def answer(self, request: Request) -> Reply:
        """One complete answer within the model's deadline. Raises ModelError."""
        ...

    async def close(self) -> None:
        """Let go of open connections. The model can be asked again and opens new ones."""
        ...


class Provider(Protocol):
    """One protocol of one provider: a single request, asked once."""

    async def once(self, request: Request) -> Reply:
        """Raises ModelError. It has no deadline of its own: the caller cancels it."""
        ...

    async def close(self) -> None: ...
