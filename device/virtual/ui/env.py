"""What a screen is drawn for: theme, language, sizes, time; and the view state that layout and drawing read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any

from device.virtual.ui.theme import Theme

Insets = tuple[float, float, float, float]
"""Left, top, right, bottom in dp."""

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Env:
    """The surroundings of a window.

    `insets` are the parts of the window that bars or the keyboard cover. `density` is pixels per dp (dpi / 160).
    `width_dp` and `height_dp` are those of the screen in its present rotation (0..3, quarter turns).
    `reveal` may hold, by scroll key, the path of a descendant that a window wants to see; the toolkit does not read it.
    """

    theme: Theme
    lang: str = "en"
    font_scale: float = 1.0
    density: float = 2.625
    width_dp: float = 1080 / 2.625
    height_dp: float = 2400 / 2.625
    insets: Insets = (0.0, 0.0, 0.0, 0.0)
    rotation: int = 0
    now: datetime = datetime(2026, 11, 21, 9, 41)
    reveal: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutState:
    """View state of one window.

    `scroll` maps scroll keys to offsets in dp; `fields` maps binds to typed text; `focus` is the bind of the
    focused field, `caret` an index into its text; `pressed` the path of the node under the finger.
    """

    scroll: Mapping[str, float] = field(default_factory=lambda: _NOTHING)
    fields: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    focus: str | None = None
    caret: int = 0
    caret_on: bool = False
    pressed: tuple[int, ...] | None = None
