"""Material 3 colour roles, light and dark, for a handful of accents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

Rgb = tuple[int, int, int]
Rgba = tuple[int, int, int, int]

ACCENTS = ("blue", "green", "violet", "orange")
"""Names `Theme.of` knows."""

# Tones after the Material 3 baseline scheme (m3.material.io, styles/color): neutral tones 98/94/90/10 in light,
# 6/12/17/90 in dark; accents at tone 40/90 in light and 80/30 in dark.
_LIGHT = {
    "background": "#fafafe",
    "surface": "#fafafe",
    "surface_dim": "#dadade",
    "surface_container_low": "#f3f4f9",
    "surface_container": "#edeef4",
    "surface_container_high": "#e7e9ef",
    "surface_container_highest": "#e1e3ea",
    "surface_variant": "#e1e3ea",
    "on_background": "#1a1c20",
    "on_surface": "#1a1c20",
    "on_surface_variant": "#44474e",
    "outline": "#74777f",
    "outline_variant": "#c4c6cf",
    "inverse_surface": "#2f3036",
    "inverse_on_surface": "#f1f0f7",
    "error": "#ba1a1a",
    "on_error": "#ffffff",
    "error_container": "#ffdad6",
    "on_error_container": "#410002",
    "success": "#1e7e34",
    "warning": "#a15c00",
    "keyboard": "#e3e9f3",
    "key": "#fdfdff",
    "key_function": "#cdd8ea",
    "on_key": "#1a1c20",
    "scrim": "#000000",
    "shadow": "#000000",
}
_DARK = {
    "background": "#111318",
    "surface": "#111318",
    "surface_dim": "#111318",
    "surface_container_low": "#191b20",
    "surface_container": "#1e2025",
    "surface_container_high": "#282a2f",
    "surface_container_highest": "#33353a",
    "surface_variant": "#44474e",
    "on_background": "#e3e2e9",
    "on_surface": "#e3e2e9",
    "on_surface_variant": "#c4c6d0",
    "outline": "#8e9099",
    "outline_variant": "#44474e",
    "inverse_surface": "#e3e2e9",
    "inverse_on_surface": "#2f3036",
    "error": "#ffb4ab",
    "on_error": "#690005",
    "error_container": "#93000a",
    "on_error_container": "#ffdad6",
    "success": "#7dd892",
    "warning": "#ffb95c",
    "keyboard": "#1c1e24",
    "key": "#3b3e46",
    "key_function": "#2b2e36",
    "on_key": "#e3e2e9",
    "scrim": "#000000",
    "shadow": "#000000",
}
_ROLES = (
    "primary",
    "on_primary",
    "primary_container",
    "on_primary_container",
    "secondary",
    "secondary_container",
    "on_secondary_container",
    "tertiary_container",
)
_ACCENTS_LIGHT = {
    "blue": "#0b57d0 #ffffff #d3e3fd #041e49 #4a5f86 #d8e2f9 #101c35 #f5d9f5",
    "green": "#146c2e #ffffff #c4eed0 #072711 #526350 #d5e8d0 #101f10 #bcebf1",
    "violet": "#6442d6 #ffffff #e8ddff #21005d #625b71 #e8def8 #1d192b #ffd8e4",
    "orange": "#a14000 #ffffff #ffdbcb #351000 #77574a #ffdbcb #2c160b #ece4a7",
}
_ACCENTS_DARK = {
    "blue": "#a8c7fa #062e6f #0842a0 #d3e3fd #b2c6f2 #3a4763 #d8e2f9 #563e59",
    "green": "#6dd58c #0a3818 #0f5223 #c4eed0 #b9ccb4 #3b4b39 #d5e8d0 #1e4d52",
    "violet": "#cfbcff #381e72 #4f378a #e8ddff #cbc2db #4a4458 #e8def8 #633b48",
    "orange": "#ffb693 #562000 #7b2f00 #ffdbcb #e6beac #5d4034 #ffdbcb #4a4817",
}
_FIXED = {"white": "#ffffff", "black": "#000000", "transparent": "#00000000"}


@dataclass(frozen=True, slots=True, eq=False)
class Theme:
    """Colours by role, such as `primary` or `on_surface_variant`. One object for each (dark, accent)."""

    dark: bool
    accent: str
    roles: Mapping[str, Rgba]

    @staticmethod
    def of(dark: bool, accent: str = "blue") -> Theme:
        """The theme for an accent of `ACCENTS`; any other accent is a ValueError."""
        return _theme(dark, accent)

    def color(self, name: str) -> Rgba:
        """A role, or `#rrggbb`, or `#rrggbbaa`; either may carry an opacity in percent, as in `scrim/32`."""
        known = self.roles.get(name)
        return known if known is not None else _parse(self, name)

    def rgb(self, name: str) -> Rgb:
        """The colour without its opacity."""
        return self.color(name)[:3]


def _parse(theme: Theme, name: str) -> Rgba:
    base, _, percent = name.partition("/")
    color = theme.roles[base] if base in theme.roles else parse_hex(base)
    return (*color[:3], color[3] * int(percent) // 100) if percent else color


@cache
def parse_hex(text: str) -> Rgba:
    """`#rrggbb` or `#rrggbbaa`; ValueError for any other text, which names it."""
    digits = text.removeprefix("#")
    if len(digits) not in (6, 8) or not text.startswith("#"):
        raise ValueError(f"color is {text!r}; use a colour role such as 'on_surface', or '#rrggbb' or '#rrggbbaa'")
    red, green, blue, *rest = bytes.fromhex(digits)
    return red, green, blue, rest[0] if rest else 255


@cache
def _theme(dark: bool, accent: str) -> Theme:
    if accent not in ACCENTS:
        raise ValueError(f"accent is {accent!r}; use one of {', '.join(ACCENTS)}")
    accents = (_ACCENTS_DARK if dark else _ACCENTS_LIGHT)[accent].split()
    texts = {**(_DARK if dark else _LIGHT), **dict(zip(_ROLES, accents, strict=True)), **_FIXED}
    return Theme(dark, accent, MappingProxyType({role: parse_hex(text) for role, text in texts.items()}))
