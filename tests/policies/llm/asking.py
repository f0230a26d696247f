"""Models of every protocol at a scripted server, and requests for them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import cv2
import numpy as np

from device.clock import ManualClock
from device.geometry import Size
from policies.llm.base import ChatModel, Message, Picture, Request, Schema
from policies.llm.model import connect
from policies.mm_navigator import grammar
from tests.agent_server.model_server.serving import Serving, serving

PROTOCOLS = ("responses", "chat", "messages")


def picture(width: int = 90, height: int = 200) -> Picture:
    done, data = cv2.imencode(".jpg", np.full((height, width, 3), 200, np.uint8))
    assert done
    return Picture(data.tobytes(), "image/jpeg", Size(width, height))


def request(*parts: str | Picture, schema: bool = True) -> Request:
    form = Schema("next_action", grammar.schema(summary=False)) if schema else None
    shown = parts or ("Go home.", picture(), picture(180))
    return Request(system="You operate a phone.", messages=(Message("user", shown),), schema=form)


def model(protocol: str, url: str, *, name: str = "scripted", seconds: float = 5.0, **more: Any) -> ChatModel:
    if protocol == "messages":
        return connect("anthropic", name, base_url=url, seconds=seconds, clock=ManualClock(), **more)
    kind: Any = protocol
    return connect("openai", name, base_url=f"{url}/v1", protocol=kind, seconds=seconds, clock=ManualClock(), **more)


@asynccontextmanager
async def asked(
    protocol: str, *lines: dict[str, Any], latency: float = 0.0, **more: Any
) -> AsyncIterator[tuple[ChatModel, Serving]]:
    async with serving(*lines, latency=latency) as server:
        one = model(protocol, server.url, **more)
        try:
            yield one, server
        finally:
            await one.close()
