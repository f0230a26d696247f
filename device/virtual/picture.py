"""From windows to pixels: drawn only when something looks different, encoded only when somebody asks."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from PIL import Image

from device.virtual.core.clock import VirtualClock
from device.virtual.core.world import World
from device.virtual.session import Session
from device.virtual.ui.anim import KEYBOARD_MS, SLIDE_DP, TRANSITION_MS, Span, ease_out
from device.virtual.ui.draw import draw
from device.virtual.ui.pil_canvas import PilCanvas
from device.virtual.ui.window import Window, shifted
from device.virtual.windows import STATUS_BAR_DP, WindowBuilder

_KEPT = 6
"""Pictures kept of each encoding of the frame in view (scale and quality vary)."""


@dataclass(frozen=True, slots=True)
class Transition:
    """A change of screens: the windows as they were, fading into those there are now. `slide` in dp, signed."""

    span: Span
    before: tuple[Window, ...]
    slide: float


class Sheet:
    """A canvas that is kept, with what is drawn on it."""

    def __init__(self) -> None:
        self._canvas: PilCanvas | None = None
        self._looks: tuple[object, ...] | None = None

    def blank(self, size: tuple[int, int]) -> PilCanvas:
        """The canvas in that size, with whatever is on it."""
        if self._canvas is None or (self._canvas.width, self._canvas.height) != size:
            self._canvas, self._looks = PilCanvas(*size), None
        return self._canvas

    def show(
        self, windows: tuple[Window, ...], size: tuple[int, int], *, withheld: bool = False, ring: Ring | None = None
    ) -> PilCanvas:
        """The windows over each other; black without any. Drawn only when it is not there already.

        `withheld` leaves secure windows black; `ring` is the screen reader's rectangle.
        """
        canvas = self.blank(size)
        looks = (tuple(window.looks for window in windows), withheld, ring)
        if looks != self._looks:
            canvas.clear((0, 0, 0, 255))
            for window in windows:
                if window.scrim:
                    canvas.scrim((0, 0, 0, round(255 * window.scrim)))
                if withheld and window.secure:
                    canvas.rect(_area(window), (0, 0, 0, 255))
                else:
                    draw(shifted(window.placed, window.left, window.top), canvas, window.env, window.state)
            if ring is not None:
                canvas.outline(ring.area, ring.radius, ring.width, _RING_COLOR)
            self._looks = looks
        return canvas


@dataclass(frozen=True, slots=True)
class Ring:
    """The rectangle around what a screen reader has its focus on, in pixels of the display."""

    area: tuple[int, int, int, int]
    radius: float
    width: int


_RING_COLOR = (26, 115, 232, 255)
_RING_DP, _RING_RADIUS_DP = 4.0, 6.0
"""Width of the rectangle as TalkBack draws it by default (AccessibilityManager, focus stroke of 4 dp), its corners."""


def _area(window: Window) -> tuple[int, int, int, int]:
    edges = (window.left, window.top, window.left + window.width, window.top + window.height)
    left, top, right, bottom = (round(edge * window.env.density) for edge in edges)
    return left, top, right, bottom


class Picture:
    """The phone's display. `frame()` counts pictures; two equal ones have the same number."""

    def __init__(self, world: World, session: Session, builder: WindowBuilder, clock: VirtualClock) -> None:
        self._world = world
        self._session = session
        self._builder = builder
        self._clock = clock
        self._transition: Transition | None = None
        self._now, self._before, self._mixed, self._withheld = Sheet(), Sheet(), Sheet(), Sheet()
        self._looks: tuple[object, ...] | None = None
        self._shown: PilCanvas | None = None
        self._frame = 0
        self._encoded: dict[tuple[str, int, float, bool], bytes] = {}
        self.opened: Callable[[], None] = lambda: None  # told when another screen has come to the front

    # movement

    @property
    def animating(self) -> bool:
        """Whether the picture changes by itself at this moment."""
        now = self._clock.now_ms()
        slide = self._session.ime_slide
        return (
            (self._transition is not None and self._transition.span.running(now))
            or (slide is not None and slide.running(now))
            or any(fling.running(now) for fling in self._session.flings.values())
        )

    def rest_ms(self) -> float:
        """Milliseconds until everything that moves now has come to rest."""
        now = self._clock.now_ms()
        ends = [fling.start + fling.length for fling in self._session.flings.values()]
        if self._transition is not None:
            ends.append(self._transition.span.end)
        if self._session.ime_slide is not None:
            ends.append(self._session.ime_slide.end)
        return max([end - now for end in ends if end > now], default=0.0)

    def forget_movement(self) -> None:
        """Be at rest at once."""
        self._transition = None
        self._session.ime_slide = None

    @contextmanager
    def change(self) -> Iterator[None]:
        """Around whatever an input may change: a new screen in front begins a transition, the keyboard slides."""
        self._session.settle_flings()
        before, front, keyboard = self._builder.windows(), self._front(), self._keyboard_height()
        yield
        if self._front() != front:
            self.opened()
        after, shown = self._front(), self._keyboard_height()
        if shown != keyboard and not (shown and keyboard):
            length = KEYBOARD_MS * self._scale("window_animation_scale")
            self._session.ime_slide = Span(self._clock.now_ms(), length) if length else None
            self._session.ime_height = shown or keyboard
            self._session.changed()
        if after != front:
            self._begin(before, front, after)

    def _begin(self, before: tuple[Window, ...], front: tuple[object, ...], after: tuple[object, ...]) -> None:
        length = TRANSITION_MS * self._scale("transition_animation_scale")
        if length <= 0 or not before or front[0] != after[0]:
            self._transition = None
            return
        forward = isinstance(front[1], int) and isinstance(after[1], int) and after[1] > front[1]
        same_page = front[1] == after[1]
        slide = 0.0 if same_page else SLIDE_DP if forward else -SLIDE_DP
        self._transition = Transition(Span(self._clock.now_ms(), length), before, slide)
        # What is about to fade away is already drawn: its sheet becomes the old one, instead of a second drawing.
        self._before, self._now = self._now, self._before

    def _front(self) -> tuple[object, ...]:
        """What a transition goes from and to: display, page, and what lies above it."""
        session = self._session
        page, top = session.tasks.base.page, session.tasks.front.top
        covered = session.shade, session.locked, session.pad.open, session.error
        return (self._builder.size(), session.awake, session.rest_kind), page.serial, top.serial, *covered

    def _keyboard_height(self) -> float:
        return self._builder.ime_height(self._builder.size()) if self._session.awake else 0.0

    def _scale(self, key: str) -> float:
        settings = self._world.settings
        return min(settings.number("global", key, 1.0), 10.0) if settings.number("global", key, 1.0) > 0 else 0.0

    # pixels

    def frame(self) -> int:
        """Draw if anything looks different; the number of the picture, from 1."""
        windows, now = self._builder.windows(), self._clock.now_ms()
        if self._transition is not None and not self._transition.span.running(now):
            self._transition = None
            self._before, self._mixed = Sheet(), Sheet()  # their canvases weigh 10 MB each
        share = self._transition.span.share(now) if self._transition is not None else 1.0
        looks = (self._builder.size(), tuple(window.looks for window in windows), share, self._ring(windows))
        if looks != self._looks:
            self._looks = looks
            self._shown = self._compose(windows, share)
            self._frame += 1
            self._encoded.clear()
        return self._frame

    def _compose(self, windows: tuple[Window, ...], share: float) -> PilCanvas:
        transition = self._transition
        if transition is None:
            return self._now.show(windows, self._builder.size().pixels, ring=self._ring(windows))
        old = self._before.show(transition.before, self._builder.size().pixels)
        new = self._now.show(windows, self._builder.size().pixels)
        mixed = self._mixed.blank(self._builder.size().pixels)
        mixed.blend(old, 1.0)
        eased = ease_out(share)
        mixed.blend(new, eased, round(transition.slide * self._builder.density() * (1.0 - eased)))
        self._bars(mixed, new)
        return mixed

    def _bars(self, mixed: PilCanvas, new: PilCanvas) -> None:
        """The status bar stands still while screens slide."""
        bar = round(STATUS_BAR_DP * self._builder.density())
        mixed.image.paste(new.image.crop((0, 0, new.width, bar)), (0, 0))

    def _ring(self, windows: tuple[Window, ...]) -> Ring | None:
        focus = self._session.a11y_focus
        window = next((w for w in windows if focus is not None and w.id == focus[0]), None)
        placed = window.placed.at(focus[1]) if window is not None and focus is not None else None
        if window is None or placed is None:
            return None
        left, top, right, bottom = placed.clip
        edges = (
            max(left, placed.left) + window.left,
            max(top, placed.top) + window.top,
            min(right, placed.right) + window.left,
            min(bottom, placed.bottom) + window.top,
        )
        scale = window.env.density
        x, y, far, low = (round(edge * scale) for edge in edges)
        if x >= far or y >= low:
            return None
        return Ring((x, y, far, low), _RING_RADIUS_DP * scale, round(_RING_DP * scale))

    @property
    def secure(self) -> bool:
        """Whether something in view may not be captured."""
        windows = self._builder.windows()
        moving = self._transition
        before = moving.before if moving is not None and moving.span.running(self._clock.now_ms()) else ()
        return any(window.secure for window in (*windows, *before))

    def _canvas(self, glass: bool) -> PilCanvas:
        """What the eye sees on the glass, or what a program may capture of it."""
        self.frame()
        assert self._shown is not None
        if glass:
            return self._shown
        if not self.secure:
            self._withheld = Sheet()  # its canvas weighs 10 MB
            return self._shown
        return self._withheld.show(self._builder.windows(), self._builder.size().pixels, withheld=True)

    def image(self, *, glass: bool = False) -> Image.Image:
        """The picture in view, drawn over by the next one; without `glass`, secure windows are black."""
        return self._canvas(glass).image

    def raw(self, *, glass: bool = False) -> bytes:
        """RGBA, four bytes a pixel, rows from the top."""
        return self._canvas(glass).grab()  # one copy of the canvas; keeping it would double what a phone weighs

    def png(self, *, glass: bool = False) -> bytes:
        return self._encode("PNG", 0, 1.0, glass)

    def jpeg(self, quality: int, scale: float) -> bytes:
        return self._encode("JPEG", quality, scale, False)

    def _encode(self, form: str, quality: int, scale: float, glass: bool) -> bytes:
        image = self.image(glass=glass)
        key = (form, quality, scale, glass or not self.secure)
        if key not in self._encoded:
            if len(self._encoded) >= _KEPT:
                self._encoded.clear()
            rgb = image.convert("RGB")
            if scale != 1.0:
                size = (max(round(rgb.width * scale), 1), max(round(rgb.height * scale), 1))
                rgb = rgb.resize(size, Image.Resampling.BILINEAR)
            out = io.BytesIO()
            if form == "PNG":
                rgb.save(out, "PNG", compress_level=1)
            else:
                rgb.save(out, "JPEG", quality=quality)
            self._encoded[key] = out.getvalue()
        return self._encoded[key]
