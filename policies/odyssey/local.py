"""The network in this very process, as a chat model: loaded once for all runs, owned by one thread."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING

from device.clock import Clock, SystemClock
from policies.llm import retry
from policies.llm.base import Reply, Request
from policies.llm.errors import Unavailable
from policies.odyssey.source import NoNetwork, Source

if TYPE_CHECKING:
    from policies.odyssey.resident import Resident

_networks: dict[Source, Future[Resident]] = {}
_lock = threading.Lock()


def network(source: Source) -> Future[Resident]:
    """The network of a source: the same for everybody in this process. It begins to load when first asked for.

    Loading has a thread of its own, for it takes minutes. One that failed is tried again when it is next asked for.
    """
    key = replace(source, folder=source.folder.resolve() if source.folder is not None else None)
    with _lock:
        if key not in _networks:
            future: Future[Resident] = Future()
            future.set_running_or_notify_cancel()  # a run that is stopped must not stop it for the others
            _networks[key] = future
            threading.Thread(target=_load, args=(key, future), name="loading-network", daemon=True).start()
        return _networks[key]


def _load(source: Source, future: Future[Resident]) -> None:
    try:
        # PyTorch itself takes seconds to import: nobody but this thread waits for it.
        from policies.odyssey.resident import Resident

        future.set_result(Resident(source))
    except Exception as error:  # the border of the thread: whoever waits is told
        with _lock:
            del _networks[source]
        future.set_exception(error)


class LocalModel:
    """A chat model whose pictures stay in this process."""

    host = ""

    def __init__(self, source: Source, form: str, *, seconds: float, clock: Clock | None = None) -> None:
        """`form` of the prompt, v1 or v2. `seconds`: the longest time for one answer; loading does not count."""
        self.name = source.name
        self._source = source
        self._form = form
        self._seconds = seconds
        self._clock = clock or SystemClock()

    async def answer(self, request: Request) -> Reply:
        """Raises ModelError."""
        try:
            resident = await asyncio.wrap_future(network(self._source))
        except NoNetwork as error:
            raise Unavailable(str(error), advice=error.advice) from error
        started = self._clock.monotonic()
        reply = await retry.persist(
            lambda: resident.once(request, self._form), seconds=self._seconds, clock=self._clock
        )
        return replace(reply, seconds=self._clock.monotonic() - started)

    async def close(self) -> None:
        """The network stays for other runs."""
