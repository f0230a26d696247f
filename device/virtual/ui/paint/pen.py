"""The pen: draws for one node, from dp to pixels."""

from __future__ import annotations

import colorsys
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from device.virtual.ui.canvas import Area, Canvas
from device.virtual.ui.env import Env, LayoutState
from device.virtual.ui.fonts import run, width
from device.virtual.ui.icons import icon_mask
from device.virtual.ui.layout import Placed
from device.virtual.ui.layout.engine import line_height
from device.virtual.ui.node import Node
from device.virtual.ui.text import ASCENT, DESCENT, pixels, style, wrap
from device.virtual.ui.theme import Rgba

FAINT = 38
"""Opacity in percent of what is disabled (Material 3, states)."""

Painter = Callable[["Pen", Placed], None]
PAINTERS: dict[str, Painter] = {}


def paints(*kinds: str) -> Callable[[Painter], Painter]:
    """Register the painter of kinds."""

    def register(function: Painter) -> Painter:
        PAINTERS.update(dict.fromkeys(kinds, function))
        return function

    return register


@dataclass(slots=True)
class Pen:
    """Canvas, surroundings and view state of one drawing; `floating` is true on the card of a dialog or menu."""

    canvas: Canvas
    env: Env
    state: LayoutState
    floating: bool = False

    def px(self, dp: float) -> int:
        """dp as whole pixels."""
        return round(dp * self.env.density)

    def area(self, left: float, top: float, wide: float, high: float) -> Area:
        """A rectangle in dp (left, top, width, height) as pixels; neighbours share their edge."""
        return self.px(left), self.px(top), self.px(left + wide), self.px(top + high)

    def color(self, name: str, enabled: bool = True) -> Rgba:
        """A colour of the theme, faint where the node is disabled."""
        color = self.env.theme.color(name)
        return color if enabled else (*color[:3], color[3] * FAINT // 100)

    def fill(self, left: float, top: float, wide: float, high: float, radius: float, color: Rgba) -> None:
        """Fill a rounded rectangle in dp."""
        self.canvas.round_rect(self.area(left, top, wide, high), radius * self.env.density, color)

    def frame(self, left: float, top: float, wide: float, high: float, radius: float, line: float, color: Rgba) -> None:
        """Frame a rounded rectangle in dp."""
        thick = max(1, self.px(line))
        self.canvas.outline(self.area(left, top, wide, high), radius * self.env.density, thick, color)

    def disc(self, x: float, y: float, size: float, color: Rgba) -> None:
        """A disc around a centre in dp. It has whole pixels of diameter, so that it is round."""
        edge = self.px(size)
        left, top = round(x * self.env.density - edge / 2), round(y * self.env.density - edge / 2)
        self.canvas.round_rect((left, top, left + edge, top + edge), edge / 2, color)

    def icon(self, name: str, x: float, y: float, size: float, color: Rgba, filled: bool = False) -> None:
        """An icon around a centre in dp."""
        edge = self.px(size)
        left, top = round(x * self.env.density - edge / 2), round(y * self.env.density - edge / 2)
        self.canvas.mask(left, top, icon_mask(name, edge, filled), color)

    def font(self, name: str) -> tuple[int, float]:
        """Weight and pixels of a text style."""
        look = style(name)
        return look.weight, pixels(look.size, self.env.density * self.env.font_scale)

    def line(self, text: str, name: str, x: float, y: float, color: Rgba, align: str = "start") -> None:
        """One line of text whose middle is at `y` dp; `x` is its start, center or end."""
        weight, px = self.font(name)
        left = x * self.env.density
        if align != "start":
            left -= width(text, weight, px) / (2 if align == "center" else 1)
        self.canvas.run(round(left), self._baseline(y, px), run(text, weight, px), color)

    def _baseline(self, middle: float, px: float) -> int:
        return round(middle * self.env.density + (ASCENT - DESCENT) * px / 2)

    def paragraph(
        self,
        text: str,
        name: str,
        area: tuple[float, float, float, float],
        color: Rgba,
        align: str = "start",
        max_lines: int = 0,
    ) -> None:
        """Text broken to the width of an area (left, top, width, height in dp)."""
        left, top, wide, _ = area
        weight, px = self.font(name)
        high = line_height(style(name), self.env)
        lines = wrap(text, weight, px, int(wide * self.env.density + 0.5), max_lines)
        x = left + (wide / 2 if align == "center" else wide if align == "end" else 0)
        for number, line in enumerate(lines):
            if line:
                self.line(line, name, x, top + (number + 0.5) * high, color, align)


def tint(pen: Pen, node: Node, default: str) -> Rgba:
    """The colour a node asks for."""
    return pen.color(node.props.get("color", default), node.enabled)


@lru_cache(maxsize=1024)
def hue_color(hue: int, lightness: float, saturation: float) -> Rgba:
    """A colour by hue (degrees), lightness and saturation (0..1)."""
    red, green, blue = colorsys.hls_to_rgb(hue % 360 / 360, lightness, saturation)
    return round(red * 255), round(green * 255), round(blue * 255), 255
