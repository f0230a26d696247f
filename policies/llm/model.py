"""A model that can be asked: picture sizes checked, one deadline for everything, loaded when first needed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from device.clock import Clock, SystemClock
from policies.base import UNKNOWN_CALL, Usage
from policies.llm import retry, sizes
from policies.llm.base import ChatModel, Provider, Reply, Request
from policies.llm.endpoint import ProviderName, endpoint
from policies.llm.errors import ModelError

ProtocolName = Literal["auto", "responses", "chat"]


class RemoteModel:
    """A provider's model. `opening` builds the provider; it may block and is called in a thread, once."""

    def __init__(
        self, name: str, host: str, opening: Callable[[], Provider], *, seconds: float, clock: Clock | None = None
    ) -> None:
        """`seconds`: the longest time for one complete answer, repetitions included."""
        if seconds <= 0:
            raise ValueError(f"seconds must be above 0, not {seconds}")
        self.name = name
        self.host = host
        self._opening = opening
        self._seconds = seconds
        self._clock = clock or SystemClock()
        self._provider: Provider | None = None

    async def answer(self, request: Request) -> Reply:
        for picture in request.pictures:
            sizes.check(picture.size, self.name)
        started = self._clock.monotonic()
        if self._provider is None:
            self._provider = await asyncio.to_thread(self._opening)
        provider = self._provider
        spent = Usage()

        async def once() -> Reply:
            nonlocal spent
            cost = UNKNOWN_CALL  # of an answer that the deadline cuts off
            try:
                reply = await provider.once(request)
                cost = reply.usage
            except ModelError as error:
                cost = error.usage
                raise
            finally:
                spent += cost
            return reply

        try:
            reply = await retry.persist(once, seconds=self._seconds, clock=self._clock)
        except ModelError as error:
            error.usage = spent
            raise
        return replace(reply, usage=spent, seconds=self._clock.monotonic() - started)

    async def close(self) -> None:
        provider, self._provider = self._provider, None
        if provider is not None:
            await provider.close()


def connect(
    provider: ProviderName,
    model: str,
    *,
    base_url: str = "",
    protocol: ProtocolName = "auto",
    structured: bool = True,
    seconds: float = 90.0,
    clock: Clock | None = None,
) -> ChatModel:
    """A model by name. Raises Unauthorized without a key, Rejected for a wrong address.

    `base_url` names a server that needs no key. OpenAI's own models are asked by Responses, those behind a
    `base_url` by Chat Completions, unless `protocol` says otherwise. `structured=False` is for servers that take
    no JSON schema. 90 seconds is the upper end of what the service reference gives one call.
    """
    where = endpoint(provider, base_url, os.environ)

    def opening() -> Provider:
        # The SDKs take 0.6 and 1.5 seconds to import: only who uses one waits for it.
        if provider == "anthropic":
            from policies.llm.anthropic import Messages

            return Messages(model, where, structured=structured)
        from policies.llm.openai import ChatCompletions, Responses

        chat = protocol == "chat" or (protocol == "auto" and bool(base_url))
        return (ChatCompletions if chat else Responses)(model, where, structured=structured)

    return RemoteModel(model, where.host, opening, seconds=seconds, clock=clock)
