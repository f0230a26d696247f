"""The canvas on a Pillow image. Corners, shadows and frames are cached masks, shared by all canvases."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFilter

from device.virtual.ui.cache import ByteCache
from device.virtual.ui.canvas import Area
from device.virtual.ui.fonts import Run
from device.virtual.ui.theme import Rgba

_SUPERSAMPLING = 8
_STRIP_PIXELS = 24_000  # 96 kB: below the size from which the C library maps fresh pages
_MASK_CACHE_BYTES = 6 << 20

_masks: ByteCache[Image.Image] = ByteCache(_MASK_CACHE_BYTES, lambda mask: mask.width * mask.height)


class PilCanvas:
    """Draws on an image that is kept and reused from frame to frame.

    The image shares its memory with a buffer of our own where Pillow allows that, so that reading the pixels is
    one copy.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.clip: Area = (0, 0, width, height)
        self._buffer = bytearray(width * height * 4)
        self._image = _image_over(self._buffer, width, height)
        self.clear((0, 0, 0, 255))

    @property
    def image(self) -> Image.Image:
        """The live RGBA image (opaque everywhere); copy it to keep it."""
        return self._image

    def grab(self) -> bytes:
        """The pixels as R, G, B, A bytes, row by row."""
        return self._image.tobytes() if self._image.readonly else bytes(self._buffer)

    def clear(self, color: Rgba) -> None:
        """Fill everything and drop the clip."""
        self.clip = (0, 0, self.width, self.height)
        self._image.paste((*color[:3], 255), self.clip)

    def rect(self, area: Area, color: Rgba) -> None:
        """Fill a rectangle."""
        box = _meet(area, self.clip)
        if box is None or not color[3]:
            return
        if color[3] == 255:
            self._image.paste(color, box)
        else:
            self._tint(box, color)

    def round_rect(self, area: Area, radius: float, color: Rgba) -> None:
        """Fill a rectangle with round corners."""
        left, top, right, bottom = area
        radius = min(radius, (right - left) / 2, (bottom - top) / 2)
        if radius < 1:
            self.rect(area, color)
            return
        if not color[3] or _meet(area, self.clip) is None:
            return
        if color[3] < 255:
            self.mask(left, top, _rounded(right - left, bottom - top, radius), color)
            return
        corner = math.ceil(radius)
        self.rect((left + corner, top, right - corner, bottom), color)
        self.rect((left, top + corner, left + corner, bottom - corner), color)
        self.rect((right - corner, top + corner, right, bottom - corner), color)
        for name, x, y in (
            ("nw", left, top),
            ("ne", right - corner, top),
            ("sw", left, bottom - corner),
            ("se", right - corner, bottom - corner),
        ):
            self.mask(x, y, _corner(radius, name), color)

    def outline(self, area: Area, radius: float, width: int, color: Rgba) -> None:
        """Draw the frame of a rounded rectangle, inside its edges."""
        left, top, right, bottom = area
        radius = min(radius, (right - left) / 2, (bottom - top) / 2)
        corner = max(math.ceil(radius), width)
        self.rect((left + corner, top, right - corner, top + width), color)
        self.rect((left + corner, bottom - width, right - corner, bottom), color)
        self.rect((left, top + corner, left + width, bottom - corner), color)
        self.rect((right - width, top + corner, right, bottom - corner), color)
        for name, x, y in (
            ("nw", left, top),
            ("ne", right - corner, top),
            ("sw", left, bottom - corner),
            ("se", right - corner, bottom - corner),
        ):
            self.mask(x, y, _corner_frame(radius, width, name), color)

    def mask(self, left: int, top: int, coverage: Image.Image, color: Rgba) -> None:
        """Fill where an 8-bit mask says so."""
        area = (left, top, left + coverage.width, top + coverage.height)
        box = _meet(area, self.clip)
        if box is None or not color[3]:
            return
        if box != area:
            coverage = coverage.crop((box[0] - left, box[1] - top, box[2] - left, box[3] - top))
        if color[3] < 255:
            coverage = coverage.point(_scaled(color[3]))
        self._image.paste((*color[:3], 255), box, coverage)

    def run(self, left: int, baseline: int, run: Run, color: Rgba) -> None:
        """Draw a line of text from the pen position on its baseline."""
        if run.mask is not None:
            self.mask(left + run.left, baseline + run.top, run.mask, color)
        for x, y, picture in run.emoji:
            self.picture(left + x, baseline + y, picture)

    def picture(self, left: int, top: int, image: Image.Image) -> None:
        """Put an RGB or RGBA picture on top."""
        area = (left, top, left + image.width, top + image.height)
        box = _meet(area, self.clip)
        if box is None:
            return
        if box != area:
            image = image.crop((box[0] - left, box[1] - top, box[2] - left, box[3] - top))
        if image.mode == "RGBA":
            self._image.alpha_composite(image, box[:2])
        else:
            self._image.paste(image, box)

    def shadow(self, area: Area, radius: float, spread: int, opacity: float) -> None:
        """A soft black shadow, `spread` pixels wide, a third of that lower than the rectangle."""
        left, top, right, bottom = area
        coverage = _shadow(right - left, bottom - top, radius, spread)
        x, y, color = left - spread, top - spread + spread // 3, (0, 0, 0, round(255 * opacity))
        wide, high = coverage.size
        edge = min(2 * spread + math.ceil(radius), wide // 2, high // 2)
        for part in (  # the middle lies below the rectangle
            (0, 0, wide, edge),
            (0, high - edge, wide, high),
            (0, edge, edge, high - edge),
            (wide - edge, edge, wide, high - edge),
        ):
            self.mask(x + part[0], y + part[1], coverage.crop(part), color)

    def scrim(self, color: Rgba) -> None:
        """Lay a translucent colour over everything within the clip."""
        self.rect(self.clip, color)

    def blend(self, other: PilCanvas, alpha: float, dx: int = 0, dy: int = 0) -> None:
        """Mix in another canvas, moved by (dx, dy): 0 leaves this one, 1 shows the other where it covers this one."""
        area = (dx, dy, dx + other.width, dy + other.height)
        box = _meet(area, (0, 0, self.width, self.height))
        if box is None or alpha <= 0:
            return
        for strip in _strips(box):
            part = other.image.crop((strip[0] - dx, strip[1] - dy, strip[2] - dx, strip[3] - dy))
            if alpha < 1:
                part = Image.blend(self._image.crop(strip), part, alpha)
            self._image.paste(part, strip)

    def _tint(self, box: Area, color: Rgba) -> None:
        """Mix one colour into a rectangle; four times as fast as a mask of its size."""
        for strip in _strips(box):
            plain = Image.new("RGBA", (strip[2] - strip[0], strip[3] - strip[1]), (*color[:3], 255))
            self._image.paste(Image.blend(self._image.crop(strip), plain, color[3] / 255), strip)


def _image_over(buffer: bytearray, width: int, height: int) -> Image.Image:
    """An RGBA image on the buffer's memory, made writable.

    `readonly` is Pillow's own flag for images over foreign memory: while it is set, drawing first copies the image,
    and `grab` then reads that copy. Nothing but speed depends on clearing it.
    """
    image = Image.frombuffer("RGBA", (width, height), buffer, "raw", "RGBA", 0, 1)
    image.readonly = 0
    return image


def _strips(box: Area) -> Iterator[Area]:
    """A rectangle in strips that fit a processor's cache; whole screens of fresh memory take five times as long."""
    left, top, right, bottom = box
    step = max(1, _STRIP_PIXELS // (right - left))
    for y in range(top, bottom, step):
        yield left, y, right, min(bottom, y + step)


def _meet(area: Area, clip: Area) -> Area | None:
    left, top = max(area[0], clip[0]), max(area[1], clip[1])
    right, bottom = min(area[2], clip[2]), min(area[3], clip[3])
    return (left, top, right, bottom) if left < right and top < bottom else None


@lru_cache(maxsize=256)
def _scaled(opacity: int) -> list[int]:
    return [value * opacity // 255 for value in range(256)]


def _corner(radius: float, name: str) -> Image.Image:
    return _masks.get(("corner", radius, name), lambda: _turned(_quarter(radius, math.ceil(radius)), name))


def _corner_frame(radius: float, width: int, name: str) -> Image.Image:
    def make() -> Image.Image:
        size = max(math.ceil(radius), width)
        outer, inner = _quarter(radius, size), _quarter(max(0.0, radius - width), size - width)
        frame = outer.copy()
        hole = Image.new("L", (size, size), 0)
        hole.paste(inner, (width, width))
        frame.paste(0, (0, 0, size, size), hole)
        return _turned(frame, name)

    return _masks.get(("frame", radius, width, name), make)


def _quarter(radius: float, size: int) -> Image.Image:
    """Coverage of the upper left corner of a disc, in a square of `size` pixels."""
    if size <= 0:
        return Image.new("L", (1, 1), 0)
    fine = Image.new("L", (size * _SUPERSAMPLING, size * _SUPERSAMPLING), 0)
    edge = 2 * radius * _SUPERSAMPLING
    draw = ImageDraw.Draw(fine)
    draw.ellipse((0, 0, edge - 1, edge - 1), fill=255)
    middle = math.floor(edge / 2)
    draw.rectangle((middle, 0, fine.width, fine.height), fill=255)
    draw.rectangle((0, middle, fine.width, fine.height), fill=255)
    return fine.reduce(_SUPERSAMPLING)


def _turned(corner: Image.Image, name: str) -> Image.Image:
    if name == "nw":
        return corner
    turn = {
        "ne": Image.Transpose.FLIP_LEFT_RIGHT,
        "sw": Image.Transpose.FLIP_TOP_BOTTOM,
        "se": Image.Transpose.ROTATE_180,
    }
    return corner.transpose(turn[name])


def _rounded(width: int, height: int, radius: float) -> Image.Image:
    def make() -> Image.Image:
        mask = Image.new("L", (width, height), 255)
        corner = math.ceil(radius)
        for name, x, y in (("nw", 0, 0), ("ne", 1, 0), ("sw", 0, 1), ("se", 1, 1)):
            mask.paste(_corner(radius, name), (x * (width - corner), y * (height - corner)))
        return mask

    return _masks.get(("rounded", width, height, radius), make)


def _shadow(width: int, height: int, radius: float, spread: int) -> Image.Image:
    def make() -> Image.Image:
        mask = Image.new("L", (width + 2 * spread, height + 2 * spread), 0)
        mask.paste(_rounded(width, height, min(radius, width / 2, height / 2)), (spread, spread))
        return mask.filter(ImageFilter.GaussianBlur(spread / 2.5))

    return _masks.get(("shadow", width, height, radius, spread), make)
