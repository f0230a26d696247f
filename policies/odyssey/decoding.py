"""One token after another: with a cache that is read as far as it is filled, or in a room of fixed size.

In a fixed room every step does the same work on the same addresses, and its place is a tensor. So a GPU can record a
step once (CUDA graph) and repeat it without the processor launching a thousand small kernels each time. The published
code decodes eagerly and lets its cache grow by copying.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from policies.odyssey.network.config import TOKENS_PER_IMAGE
from policies.odyssey.network.decoder import Cache, Place, rotations
from policies.odyssey.network.model import Odyssey

log = logging.getLogger("tapwright.odyssey")

STRIDE = TOKENS_PER_IMAGE
"""Rooms have a multiple of so many columns, for prompts differ by whole pictures first of all."""
KEPT_ROOMS = 4
"""Shapes whose buffers are kept: batches of 1, 2, 4 and 8 at the usual length."""
WARM_UPS = 3
"""Steps on a stream of their own before one is recorded, as PyTorch's notes on CUDA graphs ask."""


class Decoding(Protocol):
    """Decodes one batch at a time; for one thread."""

    def begin(self, embedded: Tensor, mask: Tensor, room: int) -> Tensor:
        """Take prompts [rows, columns, hidden] with their mask [rows, columns], true where there is no padding.

        Answers the logits of the last column, [rows, vocabulary]. `room`: columns that prompt and answers may need.
        """
        ...

    def next(self, ids: Sequence[int]) -> Tensor:
        """Logits behind one more token in each row. What was answered before is no longer valid."""
        ...


class Growing:
    """Reads the cache as far as it is filled: the least work where launching it costs nothing."""

    def __init__(self, model: Odyssey) -> None:
        self._model = model
        self._cache: Cache | None = None
        self._mask: Tensor | None = None

    def begin(self, embedded: Tensor, mask: Tensor, room: int) -> Tensor:
        rows, columns, _ = embedded.shape
        self._cache = None  # what the last batch had may be needed for this one
        self._cache = Cache.empty(self._model.config, rows, room, embedded)
        self._mask = torch.cat([mask, mask.new_ones(rows, room - columns)], dim=1)
        return self._model.last_logits(embedded, mask, self._cache)

    def next(self, ids: Sequence[int]) -> Tensor:
        assert self._cache is not None and self._mask is not None
        tokens = torch.tensor(ids, device=self._mask.device)[:, None]
        return self._model.last_logits(self._model.embed(tokens), self._mask, self._cache)


@dataclass(frozen=True, slots=True)
class Speed:
    """How steps in a fixed room are run. `record`: as a CUDA graph. `backend`: compiled by torch.compile first.

    Nothing of it changes what is computed; where it cannot be done, a warning is logged and plain steps are taken.
    """

    record: bool = False
    backend: str = ""


class Fixed:
    """Rooms of fixed size, kept by their shape. A batch gets the next power of two of rows."""

    def __init__(self, model: Odyssey, speed: Speed) -> None:
        self._model = model
        self._speed = speed
        self._rooms: OrderedDict[tuple[int, int], Room] = OrderedDict()
        self._growing = Growing(model)
        self._now: Room | None = None
        self._rows = 0

    def begin(self, embedded: Tensor, mask: Tensor, room: int) -> Tensor:
        columns = -(-room // STRIDE) * STRIDE
        self._now = None
        self._rows = embedded.shape[0]
        if columns > self._model.config.trained_length:
            # Rare, too large to keep, and rotations and factors would depend on the prompt's length.
            return self._growing.begin(embedded, mask, room)
        self._now = self._room(1 << (self._rows - 1).bit_length(), columns)
        return self._now.begin(embedded, mask)

    def next(self, ids: Sequence[int]) -> Tensor:
        return self._growing.next(ids) if self._now is None else self._now.next(ids)

    @property
    def kept(self) -> int:
        """Rooms whose buffers are kept."""
        return len(self._rooms)

    def _room(self, rows: int, columns: int) -> Room:
        shape = (rows, columns)
        if shape not in self._rooms:
            while len(self._rooms) >= KEPT_ROOMS:
                self._rooms.popitem(last=False)
            self._rooms[shape] = Room(self._model, rows, columns, self._speed)
        self._rooms.move_to_end(shape)
        return self._rooms[shape]


class Room:
    """Buffers for `rows` answers in `columns` columns, at addresses that stay. Within the trained length."""

    def __init__(self, model: Odyssey, rows: int, columns: int, speed: Speed) -> None:
        weight, config = model.decoder.embedding.weight, model.config
        self._model = model
        self._rows = 0
        # Ordinary tensors also when made while answering: inference tensors cannot be compiled over.
        with torch.inference_mode(False), torch.device(weight.device):
            self._cache = Cache.empty(config, rows, columns, weight.detach())
            self._mask = torch.ones(rows, columns, dtype=torch.bool)
            self._columns = torch.arange(columns)
            self._cos, self._sin = rotations(self._columns, config, alpha=1.0)
            self._ids = torch.zeros(rows, 1, dtype=torch.long)
            self._at = torch.zeros(1, dtype=torch.long)
            self._logits = torch.zeros(rows, config.vocabulary, dtype=weight.dtype)
        self._run = self._prepared(speed)

    def begin(self, embedded: Tensor, mask: Tensor) -> Tensor:
        rows, columns, _ = embedded.shape
        # What the last batch left must not be multiplied by the zero of a masked column: it might be infinite.
        self._cache.keys.zero_()
        self._cache.values.zero_()
        mine = Cache(self._cache.keys[:, :rows], self._cache.values[:, :rows])
        logits = self._model.last_logits(embedded, mask, mine)
        self._mask.fill_(True)
        self._mask[:rows, :columns] = mask
        self._at.fill_(columns)
        self._rows = rows
        return logits

    def next(self, ids: Sequence[int]) -> Tensor:
        self._ids[: self._rows, 0] = torch.tensor(ids, device=self._ids.device)
        self._run()
        return self._logits[: self._rows]

    def _step(self) -> None:
        """One token further: reads `_ids` and `_at`, fills `_logits`. No number of it depends on the prompt."""
        decoder, at = self._model.decoder, self._at
        place = Place(
            columns=at,
            turn=(self._cos.index_select(0, at), self._sin.index_select(0, at)),
            factors=None,
            mask=((self._columns <= at) & self._mask)[:, None, None, :],
        )
        hidden = decoder.through(decoder.embedding(self._ids), place, self._cache)
        self._logits.copy_(decoder.head(hidden[:, -1]))
        self._at.add_(1)

    def _prepared(self, speed: Speed) -> Callable[[], None]:
        run: Callable[[], None] = self._step
        if speed.backend:
            run = self._tried("compiled", lambda: self._compiled(speed.backend)) or run
        if speed.record:
            run = self._tried("recorded", lambda: self._recorded(run)) or run
        return run

    def _tried(self, what: str, make: Callable[[], Callable[[], None]]) -> Callable[[], None] | None:
        try:
            return make()
        except Exception as error:  # the border to compilers and drivers: decoding goes on without them
            said = (str(error).splitlines() or [""])[0]
            log.warning("decoding steps cannot be %s here: %s: %s", what, type(error).__name__, said)
            return None
        finally:
            self._at.zero_()

    def _compiled(self, backend: str) -> Callable[[], None]:
        compiled: Callable[[], None] = torch.compile(self._step, backend=backend, dynamic=False, fullgraph=True)
        compiled()  # what cannot be compiled says so now, not in the middle of an answer
        return compiled

    def _recorded(self, run: Callable[[], None]) -> Callable[[], None]:
        device = self._ids.device
        with torch.cuda.device(device):
            aside = torch.cuda.Stream()
            aside.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(aside):
                for _ in range(WARM_UPS):
                    self._at.zero_()
                    run()
            torch.cuda.current_stream().wait_stream(aside)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, capture_error_mode="thread_local"):
                run()
        replay: Callable[[], None] = graph.replay
        return replay


def chosen(model: Odyssey, compiled: bool | None) -> Decoding:
    """How to decode on the device where the network lies.

    None: recorded steps on a CUDA GPU, a growing cache elsewhere. True: steps compiled besides (a minute or more for
    each shape, once). False: a growing cache, plain steps.
    """
    on_gpu = model.decoder.embedding.weight.device.type == "cuda"
    if compiled is False or (compiled is None and not on_gpu):
        return Growing(model)
    return Fixed(model, Speed(record=on_gpu, backend="inductor" if compiled else ""))
