"""Places on a screen, as fractions of the frame: right and down, 0 to 1.

Pixels mean nothing without a size, so every constructor names the foreign convention it reads. Pixels come
back in exactly one place, `device/adb/commands.py`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height of a picture in pixels, both at least 1."""

    width: int
    height: int

    def __post_init__(self) -> None:
        if self.width < 1 or self.height < 1:
            raise ValueError(f"size must be at least 1x1, not {self.width}x{self.height}")

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"


def _within(value: float, name: str) -> float:
    # A box that ends on the last pixel may exceed 1 by rounding; a real mistake exceeds it by far.
    if not -1e-6 <= value <= 1 + 1e-6:
        raise ValueError(f"{name} must be a fraction between 0 and 1, not {value!r}")
    return min(max(value, 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class Point:
    """A place in a frame: fractions right and down, each in [0, 1]."""

    x: float
    y: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "x", _within(self.x, "x"))
        object.__setattr__(self, "y", _within(self.y, "y"))

    @classmethod
    def from_pixel(cls, x: float, y: float, size: Size) -> Point:
        """The middle of pixel (x, y) of a frame of that size, so that `to_pixel` gives it back."""
        return cls((x + 0.5) / size.width, (y + 0.5) / size.height)

    @classmethod
    def from_permille(cls, x: float, y: float) -> Point:
        """Thousandths, as GUI-Odyssey writes them (0 to 1000)."""
        return cls(x / 1000, y / 1000)

    @classmethod
    def from_yx(cls, y: float, x: float) -> Point:
        """Fractions in (y, x) order, as Android in the Wild stores them."""
        return cls(x, y)

    def to_pixel(self, size: Size) -> tuple[int, int]:
        """The pixel that holds this place; always inside the frame."""
        return min(int(self.x * size.width), size.width - 1), min(int(self.y * size.height), size.height - 1)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in a frame, fractions, `left <= right` and `top <= bottom`."""

    left: float
    top: float
    right: float
    bottom: float

    def __post_init__(self) -> None:
        for name in ("left", "top", "right", "bottom"):
            object.__setattr__(self, name, _within(getattr(self, name), name))
        if self.left > self.right or self.top > self.bottom:
            raise ValueError(f"box is inside out: {self.left}, {self.top}, {self.right}, {self.bottom}")

    @classmethod
    def from_pixel(cls, left: float, top: float, right: float, bottom: float, size: Size) -> Box:
        """Half-open pixel edges of a frame of that size, clipped to the frame."""
        width, height = size.width, size.height
        l, r = sorted((min(max(left, 0), width), min(max(right, 0), width)))
        t, b = sorted((min(max(top, 0), height), min(max(bottom, 0), height)))
        return cls(l / width, t / height, r / width, b / height)

    def to_pixel(self, size: Size) -> tuple[int, int, int, int]:
        """Rounded half-open pixel edges (left, top, right, bottom)."""
        return (
            round(self.left * size.width),
            round(self.top * size.height),
            round(self.right * size.width),
            round(self.bottom * size.height),
        )

    @property
    def center(self) -> Point:
        return Point((self.left + self.right) / 2, (self.top + self.bottom) / 2)

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def area(self) -> float:
        """Share of the frame covered, 0 to 1."""
        return self.width * self.height

    def contains(self, point: Point) -> bool:
        return self.left <= point.x <= self.right and self.top <= point.y <= self.bottom

    def intersection(self, other: Box) -> Box | None:
        """The common rectangle, or None when they share no area."""
        left, top = max(self.left, other.left), max(self.top, other.top)
        right, bottom = min(self.right, other.right), min(self.bottom, other.bottom)
        return Box(left, top, right, bottom) if left < right and top < bottom else None

    def inside(self, other: Box) -> float:
        """Share of this box that lies within the other, 0 to 1; 0 for an empty box."""
        common = self.intersection(other)
        return common.area / self.area if common is not None and self.area > 0 else 0.0

    def iou(self, other: Box) -> float:
        """Intersection over union, 0 to 1."""
        common = self.intersection(other)
        if common is None:
            return 0.0
        return common.area / (self.area + other.area - common.area)

    def union(self, other: Box) -> Box:
        return Box(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )
