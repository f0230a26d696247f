"""Fonts and emoji pictures: which file draws which character, and the drawn runs, shared by all phones.

Pillow's basic layout engine is asked for by name: the same wheel would otherwise use another one where the
system has a fribidi library, and text would change its width.
"""

from __future__ import annotations

import io
import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from threading import RLock

from PIL import Image, ImageChops, ImageFont

from device.virtual.ui.cache import ByteCache

ASSETS = Path(__file__).parent.parent / "assets"
_FILES = {
    ("roboto", 400): "roboto-400.woff2",
    ("roboto", 500): "roboto-500.woff2",
    ("roboto", 700): "roboto-700.woff2",
    ("hanzi", 400): "noto-sans-sc-hanzi.ttf",
    ("hanzi-rare", 400): "noto-sans-sc-hanzi-rare.woff2",
}
_RUN_CACHE_BYTES = 12 << 20  # about 3,000 lines of body text at 420 dpi
_EMOJI_CACHE_BYTES = 4 << 20
_SELECTOR, _JOINER, _KEYCAP = "\ufe0f", "\u200d", "\u20e3"
_TONES = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
_INVISIBLE = frozenset(_SELECTOR + _JOINER + _KEYCAP + _TONES + "\u200b\u200e\u200f\u2060\ufeff")
_EMOJI_WIDTH = 1.17  # advance of an emoji in em, as in Noto Color Emoji (2550 of 2048 units), less its bearing
_EMOJI_HEIGHT = 1.1
_EMOJI_DESCENT = 0.2
_drawing = RLock()  # a FreeType face draws for one thread at a time


@dataclass(frozen=True, slots=True)
class Segment:
    """Part of a text that one font draws. `start` and `end` are indices; `key` names an emoji picture."""

    font: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Run:
    """A drawn line. `mask` is its coverage, at (`left`, `top`) from the pen on the baseline, in pixels."""

    mask: Image.Image | None
    left: int
    top: int
    emoji: tuple[tuple[int, int, Image.Image], ...]
    advance: float


@lru_cache(maxsize=64)
def face(font: str, weight: int, px: float) -> ImageFont.FreeTypeFont:
    """The font file opened at a size; hanzi exist in one weight."""
    name = _FILES[(font, weight if font == "roboto" else 400)]
    return ImageFont.truetype(str(ASSETS / "fonts" / name), px, layout_engine=ImageFont.Layout.BASIC)


@cache
def _coverage() -> Mapping[str, tuple[Sequence[int], Sequence[int]]]:
    tables = json.loads((ASSETS / "coverage.json").read_text(encoding="utf-8"))
    return {font: ([low for low, _ in ranges], [high for _, high in ranges]) for font, ranges in tables.items()}


@cache
def _emoji_index() -> Mapping[str, tuple[int, int]]:
    return json.loads((ASSETS / "emoji.json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


@cache
def _longest_emoji() -> int:
    return max(map(len, _emoji_index()))


@lru_cache(maxsize=8192)
def font_of(char: str) -> str:
    """The font with that character: roboto, hanzi or hanzi-rare; "" where no font has it."""
    point = ord(char)
    for font, (lows, highs) in _coverage().items():
        at = bisect_right(lows, point) - 1
        if at >= 0 and point <= highs[at]:
            return font
    return ""


@lru_cache(maxsize=4096)
def segments(text: str) -> tuple[Segment, ...]:
    """Cut a line where the font changes. Each emoji sequence is a segment; joiners and selectors take no place."""
    if text.isascii():
        return (Segment("roboto", text, 0, len(text)),) if text else ()
    found: list[Segment] = []
    start = at = 0
    font = ""
    while at < len(text):
        end, key = _emoji_at(text, at)
        kind = "emoji" if key else "" if text[at] in _INVISIBLE else font_of(text[at]) or "roboto"
        if font and (kind != font or key):
            found.append(Segment(font, text[start:at], start, at))
        if key:
            found.append(Segment("emoji", key, at, end))
        if key or not kind:
            font, at = "", end
            continue
        if kind != font:
            start, font = at, kind
        at += 1
    if font:
        found.append(Segment(font, text[start:], start, len(text)))
    return tuple(found)


def _emoji_at(text: str, at: int) -> tuple[int, str]:
    """End and key of the longest emoji at an index, or (at + 1, "").

    A character that a text font has (a digit, an arrow) counts as emoji only in a sequence or before a selector.
    """
    index, key, best, end = _emoji_index(), "", "", at + 1
    for cursor in range(at, min(len(text), at + _longest_emoji() * 2)):
        char = text[cursor]
        if char == _SELECTOR:
            if best == key:
                end = cursor + 1
            continue
        key += char
        if key in index:
            best, end = key, cursor + 1
        elif len(key) > _longest_emoji():
            break
    chosen = len(best) > 1 or (best and (not font_of(best) or text[at + 1 : at + 2] == _SELECTOR))
    return (end, best) if chosen else (at + 1, "")


@lru_cache(maxsize=16384)
def width(text: str, weight: int, px: float) -> float:
    """Advance of a line in pixels."""
    with _drawing:
        return sum(_segment_width(segment, weight, px) for segment in segments(text))


def _segment_width(segment: Segment, weight: int, px: float) -> float:
    if segment.font == "emoji":
        return round(px * _EMOJI_WIDTH)
    return face(segment.font, weight, px).getlength(segment.text)


_runs: ByteCache[Run] = ByteCache(
    _RUN_CACHE_BYTES, lambda run: 200 + (run.mask.width * run.mask.height if run.mask is not None else 0)
)
_pictures: ByteCache[Image.Image] = ByteCache(_EMOJI_CACHE_BYTES, lambda image: image.width * image.height * 4)


def run(text: str, weight: int, px: float) -> Run:
    """The drawn line, from the cache where it is known."""
    return _runs.get((text, weight, px), lambda: _draw(text, weight, px))


def _draw(text: str, weight: int, px: float) -> Run:
    pen = 0.0
    masks: list[tuple[int, int, Image.Image]] = []
    emoji: list[tuple[int, int, Image.Image]] = []
    with _drawing:
        for segment in segments(text):
            if segment.font == "emoji":
                picture = emoji_picture(segment.text, round(px * _EMOJI_HEIGHT))
                top = round(px * _EMOJI_DESCENT) - picture.height
                emoji.append((round(pen + (px * _EMOJI_WIDTH - picture.width) / 2), top, picture))
            elif segment.text.strip():
                masks.append(_draw_segment(segment, weight, px, round(pen)))
            pen += _segment_width(segment, weight, px)
    if not masks:
        return Run(None, 0, 0, tuple(emoji), pen)
    if len(masks) == 1:
        left, top, mask = masks[0]
        return Run(mask, left, top, tuple(emoji), pen)
    left, top = min(x for x, _, _ in masks), min(y for _, y, _ in masks)
    size = max(x + m.width for x, _, m in masks) - left, max(y + m.height for _, y, m in masks) - top
    whole = Image.new("L", size, 0)
    for x, y, mask in masks:
        whole.paste(mask, (x - left, y - top))
    return Run(whole, left, top, tuple(emoji), pen)


def _draw_segment(segment: Segment, weight: int, px: float, pen: int) -> tuple[int, int, Image.Image]:
    font = face(segment.font, weight, px)
    left, top, right, bottom = (int(value) for value in font.getbbox(segment.text, anchor="ls"))
    bold = max(1, round(px / 40)) if weight > 400 and segment.font != "roboto" else 0
    mask = Image.new("L", (max(1, right - left + bold), max(1, bottom - top)), 0)
    core = font.getmask(segment.text, "L", anchor="ls")
    drawn = Image.new("L", core.size, 0)
    drawn.im.paste(core, (0, 0, *core.size))
    mask.paste(drawn, (0, 0))
    if bold:  # hanzi come in one weight: thicken them
        shifted = Image.new("L", mask.size, 0)
        shifted.paste(drawn, (bold, 0))
        mask = ImageChops.lighter(mask, shifted)
    return pen + left, top, mask


@cache
def _emoji_bytes() -> bytes:
    return (ASSETS / "emoji.bin").read_bytes()


def emoji_picture(key: str, height: int) -> Image.Image:
    """The picture of an emoji sequence (written without variation selectors), `height` pixels high, RGBA."""
    return _pictures.get((key, height), lambda: _decode_emoji(key, height))


def _decode_emoji(key: str, height: int) -> Image.Image:
    offset, length = _emoji_index()[key]
    picture = Image.open(io.BytesIO(_emoji_bytes()[offset : offset + length])).convert("RGBA")
    size = max(1, round(picture.width * height / picture.height)), max(1, height)
    return picture.resize(size, Image.Resampling.LANCZOS)
