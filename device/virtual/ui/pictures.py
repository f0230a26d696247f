"""Pictures painted from a seed: a sky with sun or moon over layered hills, in light and dark."""

from __future__ import annotations

import colorsys
import math
import random

from PIL import Image, ImageDraw

from device.virtual.ui.cache import ByteCache
from device.virtual.ui.theme import Rgb

_CACHE_BYTES = 24 << 20  # two full screens of 1080 x 2400
_FINE = 4
_HILLS = 5

# Hue of sky, hue at the horizon, hue of hills (degrees): morning, rose, meadow, violet, sand, teal.
_MOODS = ((197, 105, 207), (214, 18, 232), (190, 70, 150), (245, 320, 255), (205, 38, 25), (180, 150, 190))

_pictures: ByteCache[Image.Image] = ByteCache(_CACHE_BYTES, lambda image: image.width * image.height * 4)


def picture(kind: str, seed: int, size: tuple[int, int], dark: bool, radius: float = 0.0) -> Image.Image:
    """A picture of `size` pixels, the same for the same arguments. Kinds: wallpaper, landscape.

    RGB, or with round corners (`radius` in pixels) RGBA.

    ValueError names an unknown kind. The image is shared: copy it before drawing on it.
    """
    if kind not in ("wallpaper", "landscape"):
        raise ValueError(f"picture is {kind!r}; use 'wallpaper' or 'landscape'")
    horizon = 0.42 if kind == "wallpaper" else 0.36
    if radius < 1:
        return _pictures.get((kind, seed, size, dark), lambda: _paint(seed, size, dark, horizon))
    return _pictures.get((kind, seed, size, dark, radius), lambda: _cut(_paint(seed, size, dark, horizon), radius))


def _cut(image: Image.Image, radius: float) -> Image.Image:
    """The picture with round corners."""
    mask = Image.new("L", (image.width * _FINE, image.height * _FINE), 0)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, mask.width - 1, mask.height - 1), radius * _FINE, fill=255)
    image.putalpha(mask.reduce(_FINE))
    return image


def _paint(seed: int, size: tuple[int, int], dark: bool, horizon: float) -> Image.Image:
    rng = random.Random(seed)
    sky, low, land = _MOODS[(seed - 1) % len(_MOODS)]
    image = _gradient(size, _sky(sky, low, dark))
    _sun(image, rng, dark, horizon)
    width, height = size
    for number in range(_HILLS):
        depth = number / (_HILLS - 1)
        top = height * (horizon + (0.92 - horizon) * (depth**1.15))
        _hill(image, rng, top, width * (0.13 - 0.05 * depth), _hill_color(land, depth, dark))
    return image


def _sky(hue: int, low: int, dark: bool) -> tuple[Rgb, Rgb, Rgb]:
    """Colours at the top, in the middle and at the horizon."""
    if dark:
        return _hls(hue + 35, 0.07, 0.45), _hls(hue + 20, 0.14, 0.38), _hls(hue + 10, 0.24, 0.3)
    return _hls(hue, 0.56, 0.55), _hls(hue - 8, 0.66, 0.46), _hls(low, 0.79, 0.34)


def _hill_color(hue: int, depth: float, dark: bool) -> Rgb:
    if dark:
        return _hls(hue, 0.22 - 0.17 * depth, 0.24)
    return _hls(hue, 0.53 - 0.41 * depth, 0.22)


def _gradient(size: tuple[int, int], colors: tuple[Rgb, Rgb, Rgb]) -> Image.Image:
    """From the top to two thirds of the height; the hills cover the rest."""
    height = size[1]
    column = Image.new("RGB", (1, height))
    end = max(1.0, height * 0.66)
    for y in range(height):
        position = min(1.0, y / end) * 2
        first, second = (colors[0], colors[1]) if position < 1 else (colors[1], colors[2])
        share = position - (position >= 1)
        mixed = [round(a + (b - a) * share) for a, b in zip(first, second, strict=True)]
        column.putpixel((0, y), (mixed[0], mixed[1], mixed[2]))
    return column.resize(size, Image.Resampling.NEAREST)


def _sun(image: Image.Image, rng: random.Random, dark: bool, horizon: float) -> None:
    width, height = image.size
    radius = round(min(width, height) * 0.065)
    x, y = round(width * rng.uniform(0.5, 0.72)), round(height * horizon * rng.uniform(0.66, 0.78))
    disc = Image.new("L", (radius * 2 * _FINE, radius * 2 * _FINE), 0)
    ImageDraw.Draw(disc).ellipse((0, 0, disc.width - 1, disc.height - 1), fill=255)
    image.paste((238, 232, 213) if dark else (251, 243, 222), (x - radius, y - radius), disc.reduce(_FINE))


def _hill(image: Image.Image, rng: random.Random, top: float, swing: float, color: Rgb) -> None:
    """A ridge of three sine waves; only the band it moves in is drawn finely."""
    width, height = image.size
    waves = [
        (rng.uniform(0.7, 1.3), rng.uniform(0, math.tau), 0.55),
        (rng.uniform(1.8, 2.9), rng.uniform(0, math.tau), 0.3),
        (rng.uniform(4.0, 6.5), rng.uniform(0, math.tau), 0.15),
    ]
    band = max(1, math.ceil(swing * 2))
    step = max(1, width // 270)
    ridge = [
        (x * _FINE, (swing - swing * sum(a * math.sin(f * math.tau * x / width + p) for f, p, a in waves)) * _FINE)
        for x in range(0, width + step, step)
    ]
    fine = Image.new("L", (width * _FINE, band * _FINE), 0)
    ImageDraw.Draw(fine).polygon([*ridge, (width * _FINE, band * _FINE), (0, band * _FINE)], fill=255)
    upper = round(top - swing)
    image.paste(color, (0, upper), fine.reduce(_FINE))
    if upper + band < height:
        image.paste(color, (0, upper + band, width, height))


def _hls(hue: float, lightness: float, saturation: float) -> Rgb:
    red, green, blue = colorsys.hls_to_rgb(hue % 360 / 360, lightness, saturation)
    return round(red * 255), round(green * 255), round(blue * 255)
