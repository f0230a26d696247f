"""A view becomes a screen, off the event loop and within a deadline."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Literal, ParamSpec, TypeVar, get_args

from device.base import View
from device.clock import Clock, SystemClock
from device.frame import Frame
from perception import fields
from perception.base import TextLine, TextReader
from perception.draft import Dp
from perception.errors import BrokenTree, PerceptionError
from perception.merge import Merged, merge
from perception.ocr import warm_up
from perception.screen import Element, Screen, TreeStatus
from perception.tree import Tree, parse

OcrUse = Literal["always", "when_needed", "never"]
Lines = tuple[TextLine, ...]

# Fewer named elements than this is no screen that a tree describes.
_NAMED = 3
# Where the tree was sound, it is compared again after so many screens of the app: long sessions serve old trees
# (12 of 13 dumps on one Android version), and the incremental reader of the reference drifts no further than 20.
_TRUST = 20
# A leaf without a name over a quarter of the screen is drawn by the app itself (game, map, video).
_CANVAS = 0.25
# Screens and readings kept for when the same bytes come again; a few per phone, some 50 kB each.
_REMEMBERED = 32
_PACKAGES = 256

P = ParamSpec("P")
T = TypeVar("T")
K = TypeVar("K")


class Pipeline:
    """Turns views into screens; `perceive` may be called by many runs at once, on one event loop.

    Two worker threads: one for trees and merging (milliseconds), one for OCR, which takes pictures in the order
    of asking. At most `queue` pictures wait; one more, or one that is not read `deadline` seconds after
    `perceive` began, gives the screen that the tree alone can give, with the reason in `tree_reason`. What OCR
    still reads afterwards serves when the same picture comes again. An unchanged view costs nothing.

    `ocr` is `always`, `never` or `when_needed`. The last runs OCR when one of these holds:
    - there is no tree, or it is broken, empty, or of another rotation than the picture;
    - this app's tree has not yet been compared with the picture, was found stale at the last comparison, or
      twenty screens have passed since;
    - something touchable has no name of its own, or fewer than three elements have one;
    - a web page, a drawing surface or a large nameless leaf is on the screen.
    """

    def __init__(
        self,
        reader: TextReader | None,
        *,
        deadline: float = 8.0,
        ocr: OcrUse = "when_needed",
        queue: int = 8,
        clock: Clock | None = None,
    ) -> None:
        if ocr not in get_args(OcrUse):
            raise ValueError(f"ocr must be one of {', '.join(get_args(OcrUse))}, not {ocr!r}")
        if deadline <= 0:
            raise ValueError(f"deadline must be more than 0 seconds, not {deadline}")
        if queue < 1:
            raise ValueError(f"queue must hold at least 1 picture, not {queue}")
        self._reader = reader
        self._deadline = deadline
        self._ocr = ocr
        self._queue = queue
        self._clock = clock if clock is not None else SystemClock()
        self._quick = ThreadPoolExecutor(1, "perception")
        self._slow = ThreadPoolExecutor(1, "ocr")
        self._asked: OrderedDict[str, Future[Lines]] = OrderedDict()
        self._read: OrderedDict[str, Lines] = OrderedDict()
        self._screens: OrderedDict[tuple[str, int, str], Merged] = OrderedDict()
        self._trust: OrderedDict[str, int] = OrderedDict()

    async def warm_up(self) -> None:
        """Load the OCR models. Raises ReaderUnavailable."""
        if self._reader is not None and self._ocr != "never":
            await asyncio.wrap_future(self._slow.submit(warm_up, self._reader))

    def close(self) -> None:
        """Let the threads end; a picture being read is finished first."""
        self._quick.shutdown(wait=False, cancel_futures=True)
        self._slow.shutdown(wait=False, cancel_futures=True)

    async def perceive(self, view: View) -> Screen:
        """The numbered elements of a view. Raises BadFrame when its picture is needed and cannot be decoded.

        `timings` has seconds for `tree`, `merge`, `ocr` (waiting included) as far as they ran, and `total`.
        """
        start = self._clock.monotonic()
        frame = view.frame
        # A raw frame has ten million bytes: long enough to hash for the event loop to notice.
        digest = await self._compute(lambda: frame.sha256)
        key = (digest, hash(view.tree), view.tree_reason)
        merged = _recall(self._screens, key)
        timings: dict[str, float] = {}
        if merged is None:
            merged, late = await self._look(view, start, timings)
            if late:
                merged = replace(merged, tree_reason="; ".join(filter(None, (merged.tree_reason, late))))
            else:
                _remember(self._screens, key, merged, _REMEMBERED)
        timings["total"] = self._clock.monotonic() - start
        return Screen(
            frame=frame,
            elements=merged.elements,
            tree_status=merged.tree_status,
            tree_reason=merged.tree_reason,
            confirm_ratio=merged.confirm_ratio,
            timings=timings,
        )

    async def _look(self, view: View, start: float, timings: dict[str, float]) -> tuple[Merged, str]:
        """What can be said of a view, and why its text is missing where it is."""
        frame, package = view.frame, view.foreground.package
        tree, reason = await self._parse(view, timings)
        merged = await self._merge(frame, tree, None, reason, timings)
        if not self._wants_ocr(tree, merged.elements, package):
            return merged, ""
        lines, late = await self._text(frame, start, timings)
        if lines is None:
            return merged, late
        merged = await self._merge(frame, tree, lines, reason, timings)
        if package and merged.confirm_ratio is not None:
            screens = _TRUST if merged.tree_status is TreeStatus.FRESH else 0
            _remember(self._trust, package, screens, _PACKAGES)
        return merged, ""

    async def _parse(self, view: View, timings: dict[str, float]) -> tuple[Tree | None, str]:
        """The tree, or None and why there is none."""
        if view.tree is None:
            return None, view.tree_reason
        start = self._clock.monotonic()
        try:
            tree = await self._compute(parse, view.tree, view.frame.size, view.foreground)
        except BrokenTree as error:
            return None, str(error)
        finally:
            timings["tree"] = self._clock.monotonic() - start
        if not tree.nodes:
            return None, "the phone gave an empty tree"
        if tree.rotation != view.frame.rotation:
            return None, f"the tree was taken in rotation {tree.rotation}, the picture in {view.frame.rotation}"
        return tree, ""

    async def _merge(
        self, frame: Frame, tree: Tree | None, lines: Lines | None, reason: str, timings: dict[str, float]
    ) -> Merged:
        start = self._clock.monotonic()

        def work() -> Merged:
            merged = merge(frame.size, tree, lines, tree_reason=reason, keyboard=frame.keyboard)
            if lines is None or merged.tree_status is TreeStatus.FRESH:
                return merged
            frames = fields.find(frame.pixels, Dp.of(frame.size))
            return merge(frame.size, tree, lines, frames=frames, tree_reason=reason, keyboard=frame.keyboard)

        merged = await self._compute(work)
        timings["merge"] = timings.get("merge", 0.0) + self._clock.monotonic() - start
        return merged

    async def _compute(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.wrap_future(self._quick.submit(work, *args, **kwargs))

    def _wants_ocr(self, tree: Tree | None, elements: Sequence[Element], package: str) -> bool:
        if self._reader is None or self._ocr == "never":
            return False
        if self._ocr == "always" or tree is None:
            return True
        left = self._trust.get(package, 0)
        if left < 1:
            return True
        self._trust[package] = left - 1
        return needs_ocr(tree, elements)

    async def _text(self, frame: Frame, start: float, timings: dict[str, float]) -> tuple[Lines | None, str]:
        """Lines of the picture, or None and why they are missing."""
        began = self._clock.monotonic()
        self._collect()
        known = _recall(self._read, frame.sha256)
        if known is not None:
            return known, ""
        future = self._ask(frame)
        if future is None:
            return None, f"text was not read: {self._queue} pictures are waiting already"
        try:
            lines = await self._until(future, start + self._deadline)
        except PerceptionError as error:
            return None, str(error)
        timings["ocr"] = self._clock.monotonic() - began
        if lines is None:
            return None, f"text was not read within {self._deadline:g} s"
        return lines, ""

    def _collect(self) -> None:
        """Move finished readings, also late ones, to where they are found again."""
        for digest, future in list(self._asked.items()):
            if future.done():
                del self._asked[digest]
                if not future.cancelled() and future.exception() is None:
                    _remember(self._read, digest, future.result(), _REMEMBERED)

    def _ask(self, frame: Frame) -> Future[Lines] | None:
        """The reading of a picture, shared by all who ask for it; None when too many wait."""
        if frame.sha256 in self._asked:
            return self._asked[frame.sha256]
        if len(self._asked) > self._queue:
            return None
        reader = self._reader
        assert reader is not None

        def work() -> Lines:
            return reader.read(frame.pixels)

        return self._asked.setdefault(frame.sha256, self._slow.submit(work))

    async def _until(self, future: Future[Lines], deadline: float) -> Lines | None:
        """The result, or None when the deadline is first; what has not begun by then never will."""
        waiter = asyncio.wrap_future(future)
        timer = asyncio.ensure_future(self._clock.sleep(deadline - self._clock.monotonic()))
        try:
            either: tuple[asyncio.Future[Any], ...] = (waiter, timer)
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            return waiter.result() if waiter.done() and not waiter.cancelled() else None
        finally:
            timer.cancel()
            waiter.cancel()


def needs_ocr(tree: Tree, elements: Sequence[Element]) -> bool:
    """Whether a tree leaves open what the screen says; the rules stand at `Pipeline`.

    A name inferred from a resource id (confidence below 1) is none of its own.
    """
    named = [e for e in elements if e.text or (e.label and e.confidence == 1.0)]
    if len(named) < _NAMED:
        return True
    if any(e.interactable and e.role != "list" and not e.text and (not e.label or e.confidence < 1) for e in elements):
        return True
    return any(
        node.drawn_by_app
        or (not node.children and not node.text and not node.desc and node.box is not None and node.box.area > _CANVAS)
        for node in tree.shown()
    )


def _recall(memory: OrderedDict[K, T], key: K) -> T | None:
    if key not in memory:
        return None
    memory.move_to_end(key)
    return memory[key]


def _remember(memory: OrderedDict[K, T], key: K, value: T, most: int) -> None:
    memory[key] = value
    memory.move_to_end(key)
    while len(memory) > most:
        memory.popitem(last=False)
