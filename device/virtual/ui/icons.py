"""Icons: Material symbols as SVG paths, flattened to polygons and drawn once for each size."""

from __future__ import annotations

import gzip
import json
import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise

from PIL import Image, ImageChops, ImageDraw

from device.virtual.ui.cache import ByteCache
from device.virtual.ui.fonts import ASSETS

Point = tuple[float, float]
Polygon = list[Point]

_BOX = 960.0  # the symbols' view box is 0 -960 960 960
_CACHE_BYTES = 4 << 20
_FINE = 512  # pixels an icon is drawn at before it is reduced
_TOKEN = re.compile(r"[MLHVCSQTAZmlhvcsqtaz]|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_ARITY = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}
_CURVE_STEPS = 8
_ARC_STEP = math.pi / 16

_masks: ByteCache[Image.Image] = ByteCache(_CACHE_BYTES, lambda mask: mask.width * mask.height)


@cache
def _paths() -> Mapping[str, tuple[str, str]]:
    return json.loads(gzip.decompress((ASSETS / "icons.json.gz").read_bytes()))  # type: ignore[no-any-return]


def known(name: str) -> bool:
    """Whether there is an icon of that name."""
    return name in _paths()


def icon_mask(name: str, size: int, filled: bool = False) -> Image.Image:
    """Coverage of an icon in a square of `size` pixels; ValueError names an icon that does not exist."""
    return _masks.get((name, size, filled), lambda: _draw(name, size, filled))


def _draw(name: str, size: int, filled: bool) -> Image.Image:
    paths = _paths().get(name)
    if paths is None:
        raise ValueError(f"icon is {name!r}, which is not in assets/icon_names.txt")
    factor = max(2, _FINE // max(1, size))
    return fill(list(flatten(paths[filled])), size, factor)


def fill(polygons: list[Polygon], size: int, factor: int) -> Image.Image:
    """Coverage of polygons in the symbols' box by the non-zero winding rule, supersampled `factor` times."""
    scale = size * factor / _BOX
    edge = size * factor
    winding = Image.new("L", (edge, edge), 128)  # 128 stands for a winding number of 0
    for polygon in polygons:
        if len(polygon) < 3:
            continue
        points = [(x * scale, (y + _BOX) * scale) for x, y in polygon]
        left, top = int(min(x for x, _ in points)), int(min(y for _, y in points))
        right, bottom = math.ceil(max(x for x, _ in points)) + 1, math.ceil(max(y for _, y in points)) + 1
        left, top, right, bottom = max(0, left), max(0, top), min(edge, right), min(edge, bottom)
        part = Image.new("L", (right - left, bottom - top), 0)
        ImageDraw.Draw(part).polygon([(round(x) - left, round(y) - top) for x, y in points], fill=1)
        box = (left, top, right, bottom)
        step = ImageChops.add if area(polygon) > 0 else ImageChops.subtract
        winding.paste(step(winding.crop(box), part), box)
    return winding.point([0 if value == 128 else 255 for value in range(256)]).reduce(factor)


def area(polygon: Polygon) -> float:
    """Signed area; the sign is the direction."""
    return sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(polygon, polygon[1:] + polygon[:1], strict=True)) / 2


def flatten(path: str) -> Iterator[Polygon]:
    """The subpaths of SVG path data as polygons (SVG 2, chapter 9.3); all commands, absolute and relative."""
    pen = start = control = (0.0, 0.0)
    polygon: Polygon = []
    previous = ""
    for command, args in _commands(path):
        upper = command.upper()
        if command.islower():
            args = _absolute(upper, args, pen)
        if upper in "MZ":
            if polygon:
                yield polygon
            start = pen = (args[0], args[1]) if upper == "M" else start
            polygon = [pen] if upper == "M" else []
        elif not polygon:
            polygon = [pen]
        if upper in "LHV":
            pen = _line_end(upper, args, pen)
            polygon.append(pen)
        elif upper in "CSQT":
            points, control = _curve(upper, args, pen, control if previous in _smooth(upper) else pen)
            polygon += points
            pen = points[-1]
        elif upper == "A":
            polygon += _arc(pen, args)
            pen = polygon[-1]
        previous = upper
    if polygon:
        yield polygon


def _commands(path: str) -> Iterator[tuple[str, list[float]]]:
    """Each command with its numbers; repeated numbers repeat the command (after M comes L)."""
    tokens = _TOKEN.findall(path)
    at, command = 0, ""
    while at < len(tokens):
        if tokens[at].isalpha():
            command, at = tokens[at], at + 1
        count = _ARITY[command.upper()]
        yield command, [float(token) for token in tokens[at : at + count]]
        at += count
        command = {"M": "L", "m": "l"}.get(command, command)


def _absolute(command: str, args: list[float], pen: Point) -> list[float]:
    if command == "H":
        return [args[0] + pen[0]]
    if command == "V":
        return [args[0] + pen[1]]
    if command == "A":
        return [*args[:5], args[5] + pen[0], args[6] + pen[1]]
    return [value + pen[index % 2] for index, value in enumerate(args)]


def _line_end(command: str, args: list[float], pen: Point) -> Point:
    if command == "H":
        return args[0], pen[1]
    return (pen[0], args[0]) if command == "V" else (args[0], args[1])


def _smooth(command: str) -> str:
    return {"S": "CS", "T": "QT"}.get(command, "")


def _curve(command: str, args: list[float], pen: Point, control: Point) -> tuple[Polygon, Point]:
    """Points of a Bezier curve and its last control point, which a smooth successor mirrors."""
    mirrored = (2 * pen[0] - control[0], 2 * pen[1] - control[1])
    pairs = list(zip(args[::2], args[1::2], strict=True))
    controls = [pen, mirrored, *pairs] if command in "ST" else [pen, *pairs]
    steps = [index / _CURVE_STEPS for index in range(1, _CURVE_STEPS + 1)]
    return [_bezier(controls, t) for t in steps], controls[-2]


def _bezier(controls: list[Point], t: float) -> Point:
    while len(controls) > 1:
        controls = [(x1 + (x2 - x1) * t, y1 + (y2 - y1) * t) for (x1, y1), (x2, y2) in pairwise(controls)]
    return controls[0]


def _arc(pen: Point, args: list[float]) -> Polygon:
    """An elliptical arc from its end points (SVG 2, appendix B.2.4)."""
    rx, ry, degrees, large, sweep, x, y = abs(args[0]), abs(args[1]), *args[2:]
    if not rx or not ry or pen == (x, y):
        return [(x, y)]
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    dx, dy = (pen[0] - x) / 2, (pen[1] - y) / 2
    px, py = cos * dx + sin * dy, cos * dy - sin * dx
    stretch = math.sqrt(max(1.0, (px / rx) ** 2 + (py / ry) ** 2))
    rx, ry = rx * stretch, ry * stretch
    square = (rx * ry) ** 2 / ((rx * py) ** 2 + (ry * px) ** 2) - 1
    factor = math.sqrt(max(0.0, square)) * (1 if large != sweep else -1)
    cx, cy = factor * rx * py / ry, -factor * ry * px / rx
    first = math.atan2((py - cy) / ry, (px - cx) / rx)
    turn = math.atan2((-py - cy) / ry, (-px - cx) / rx) - first
    turn += 2 * math.pi * ((sweep and turn < 0) - (not sweep and turn > 0))
    ox, oy = cos * cx - sin * cy + (pen[0] + x) / 2, sin * cx + cos * cy + (pen[1] + y) / 2
    steps = max(1, math.ceil(abs(turn) / _ARC_STEP))
    angles = [first + turn * index / steps for index in range(1, steps)]
    points = [(rx * math.cos(angle), ry * math.sin(angle)) for angle in angles]
    return [*((ox + cos * u - sin * v, oy + sin * u + cos * v) for u, v in points), (x, y)]
