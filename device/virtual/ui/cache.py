"""A cache with a byte limit that all phones of a process share."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class ByteCache(Generic[Value]):
    """Keeps what was used last, up to `limit` bytes; safe to use from several threads.

    `size_of` says how many bytes a value takes. A value above the limit is made again for every caller.
    """

    def __init__(self, limit: int, size_of: Callable[[Value], int]) -> None:
        self._limit = limit
        self._size_of = size_of
        self._bytes = 0
        self._values: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of `key`; `make` runs outside the lock, so two threads may both make a missing one."""
        with self._lock:
            known = self._values.get(key)
            if known is not None:
                self._values.move_to_end(key)
                return known[0]
        value = make()
        self._put(key, value)
        return value

    @property
    def bytes(self) -> int:
        """Size of everything kept."""
        return self._bytes

    def _put(self, key: Hashable, value: Value) -> None:
        size = self._size_of(value)
        if size > self._limit:
            return
        with self._lock:
            old = self._values.pop(key, None)
            self._bytes += size - (old[1] if old else 0)
            self._values[key] = (value, size)
            while self._bytes > self._limit:
                _, (_, dropped) = self._values.popitem(last=False)
                self._bytes -= dropped
