"""One thread owns the network. Requests wait in a bounded line; those that wait together are answered together."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from policies.odyssey.decoding import chosen
from policies.odyssey.generation import Answer, BadJob, Job, Writer
from policies.odyssey.memory import Eyes
from policies.odyssey.network.images import BadPicture
from policies.odyssey.network.model import Odyssey
from policies.odyssey.tokenizer import Tokenizer

log = logging.getLogger("tapwright.odyssey")

LOST_AFTER = 3
"""Failures of the network in a row after which it counts as lost: a GPU that has failed once fails at everything."""


class Crowded(Exception):
    """The line is full; nothing was begun."""


class Closing(Exception):
    """The worker is ending; nothing was begun."""


@dataclass(slots=True)
class Figures:
    """What has happened since the start; seconds are sums. Written by the worker alone, read by anybody."""

    answered: int = 0
    failed: int = 0
    refused: int = 0
    given_up: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    first_token_seconds: float = 0.0
    seconds: float = 0.0
    batches: int = 0


@dataclass(slots=True)
class Ticket:
    """One request on its way. With `streamed` its texts come through `texts`, None at their end."""

    job: Job
    loop: asyncio.AbstractEventLoop
    answer: asyncio.Future[Answer]
    streamed: bool = False
    texts: asyncio.Queue[str | None] = field(default_factory=asyncio.Queue)
    asked_at: float = field(default_factory=time.monotonic)
    first_at: float = 0.0
    given_up: bool = False
    settled: bool = False

    def heard(self, text: str) -> bool:
        """Called by the worker with each text; false once nobody listens any more."""
        self.first_at = self.first_at or time.monotonic()
        if text and self.streamed:
            self._tell(lambda: self.texts.put_nowait(text))
        return not self.given_up

    @property
    def can_begin_anew(self) -> bool:
        """Nobody has heard a part of its answer yet."""
        return not (self.streamed and self.first_at)

    def done(self, answer: Answer) -> None:
        self._settle(lambda: self.answer.set_result(answer))

    def failed(self, error: Exception) -> None:
        self._settle(lambda: self.answer.set_exception(error))

    def _settle(self, put: Callable[[], None]) -> None:
        self.settled = True

        def settle() -> None:
            if not self.answer.done():
                put()
            self.texts.put_nowait(None)

        self._tell(settle)

    def _tell(self, call: Callable[[], None]) -> None:
        try:
            self.loop.call_soon_threadsafe(call)
        except RuntimeError:  # the loop was closed: whoever asked is gone, and the next one must be answered
            self.given_up = True


class Worker:
    """Answers jobs on a thread of its own. `line` jobs may wait, `together` are answered in one batch at most."""

    def __init__(self, writer: Writer, *, line: int = 16, together: int = 8) -> None:
        self._writer = writer
        self._line: queue.Queue[Ticket | None] = queue.Queue(maxsize=line)
        self._together = together
        self._thread = threading.Thread(target=self._work, name="network", daemon=True)
        self._closing = False
        self._failed_in_a_row = 0
        self.figures = Figures()

    def start(self) -> None:
        """Begin to work; ends with the process unless it is stopped before."""
        self._thread.start()

    def stop(self) -> None:
        """Refuse what waits, finish what is being written. Blocks."""
        self._closing = True
        self._line.put(None)
        self._thread.join()

    @asynccontextmanager
    async def working(self) -> AsyncIterator[Worker]:
        """While the thread runs."""
        self.start()
        try:
            yield self
        finally:
            await asyncio.to_thread(self.stop)

    @property
    def waiting(self) -> int:
        return self._line.qsize()

    @property
    def closing(self) -> bool:
        return self._closing

    @property
    def alive(self) -> bool:
        """Whether it can be expected to answer."""
        return self._thread.is_alive() and self._failed_in_a_row < LOST_AFTER

    def submit(self, job: Job, *, streamed: bool = False) -> Ticket:
        """Put a job into the line, from a running event loop.

        Raises Crowded, Closing, and what `Writer.check` raises.
        """
        self._writer.check(job)
        if self._closing:
            raise Closing
        loop = asyncio.get_running_loop()
        ticket = Ticket(job, loop, loop.create_future(), streamed)
        # Whoever gives up does not wait for the answer; that must not count as an error that nobody took.
        ticket.answer.add_done_callback(lambda future: future.cancelled() or future.exception())
        ticket.job = replace(job, told=ticket.heard, ended=lambda answer: self._ended(ticket, answer))
        try:
            self._line.put_nowait(ticket)
        except queue.Full:
            self.figures.refused += 1
            raise Crowded from None
        return ticket

    def _work(self) -> None:
        while (first := self._line.get()) is not None:
            batch = [first]
            ended = False
            while len(batch) < self._together and not ended:
                try:
                    following = self._line.get_nowait()
                except queue.Empty:
                    break
                ended = following is None
                if following is not None:
                    batch.append(following)
            self._answer([one for one in batch if not self._left(one)])
            if ended:
                break
        self._refuse_the_rest()

    def _left(self, ticket: Ticket) -> bool:
        """Whether whoever asked has gone while waiting, or nothing new is begun any more."""
        if ticket.given_up:
            self.figures.given_up += 1
        elif self._closing:
            ticket.failed(Closing())
        return ticket.given_up or self._closing

    def _answer(self, batch: Sequence[Ticket]) -> None:
        if not batch:
            return
        error = self._tried(batch)
        if error is None:
            return
        # Out of the handler: there the traceback would still hold the memory that the failed batch has taken.
        open_ones = [one for one in batch if not one.settled]
        anew = [one for one in open_ones if one.can_begin_anew] if len(batch) > 1 else []
        for ticket in open_ones:
            if ticket not in anew:
                self._failed(ticket, error)
        # One bad request must not spoil those that happened to come with it.
        for ticket in anew:
            self._answer([ticket])

    def _tried(self, batch: Sequence[Ticket]) -> Exception | None:
        self.figures.batches += 1
        try:
            self._writer.answer([one.job for one in batch])
        except Exception as error:  # the border of the worker: whatever one batch does, the next is answered
            if not isinstance(error, BadJob | BadPicture):
                log.exception("the network failed at a batch of %d", len(batch))
            return error.with_traceback(None)
        return None

    def _failed(self, ticket: Ticket, error: Exception) -> None:
        self.figures.failed += 1
        if not isinstance(error, BadJob | BadPicture):
            self._failed_in_a_row += 1
        ticket.failed(error)

    def _ended(self, ticket: Ticket, answer: Answer) -> None:
        """One answer is whole; others of its batch may go on."""
        figures, now = self.figures, time.monotonic()
        self._failed_in_a_row = 0
        figures.answered += 1
        figures.given_up += ticket.given_up
        figures.tokens_in += answer.asked
        figures.tokens_out += answer.written
        figures.first_token_seconds += (ticket.first_at or now) - ticket.asked_at
        figures.seconds += now - ticket.asked_at
        ticket.done(answer)

    def _refuse_the_rest(self) -> None:
        while True:
            try:
                ticket = self._line.get_nowait()
            except queue.Empty:
                return
            if ticket is not None:
                ticket.failed(Closing())


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Requests that may wait (`line`), that are answered in one batch (`together`); bytes for pictures (`memory`)."""

    line: int = 16
    together: int = 8
    memory: int = 512 << 20


def worker_of(network: Odyssey, words: Tokenizer, limits: Limits, compiled: bool | None = None) -> tuple[Worker, Eyes]:
    """What answers, not yet at work, and its memory of pictures."""
    eyes = Eyes(network, limits.memory)
    writer = Writer(network, words, eyes, chosen(network, compiled))
    return Worker(writer, line=limits.line, together=limits.together), eyes
