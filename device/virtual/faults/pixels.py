"""Picture faults: what a program captures is old, half drawn, black, turned, small, muddy, cut or nothing at all."""

from __future__ import annotations

import io
from dataclasses import dataclass

from PIL import Image

from device.virtual.faults.fault import Fault, choice, number

BLACK = (0, 0, 0, 255)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """A picture about to be handed out. `path` is "screencap", "u2" or "framebuffer"; `before` the one before it."""

    path: str
    named_display: bool = False
    before: Image.Image | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PixelFault(Fault):
    """`path`: which way of capture it concerns. A fault changes the picture, or the bytes it has become."""

    path: str = choice("any", "screencap", "u2", "framebuffer")

    def fits(self, operation: Shot) -> bool:
        return self.path in ("any", operation.path)

    def paint(self, image: Image.Image, shot: Shot) -> Image.Image:
        return image

    def cut(self, data: bytes) -> bytes:
        return data


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleFrame(PixelFault):
    """The picture of the capture before; the first capture after arming is honest."""

    def fits(self, operation: Shot) -> bool:
        return PixelFault.fits(self, operation) and operation.before is not None

    def paint(self, image: Image.Image, shot: Shot) -> Image.Image:
        assert shot.before is not None
        return shot.before


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfDrawn(PixelFault):
    """Only the upper share is drawn; black below."""

    share: float = number(0.5, 0, 1)

    def paint(self, image: Image.Image, shot: Shot) -> Image.Image:
        drawn = Image.new("RGBA", image.size, BLACK)
        drawn.paste(image.crop((0, 0, image.width, round(image.height * self.share))), (0, 0))
        return drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class BlackFrame(PixelFault):
    """All black."""

    def paint(self, image: Image.Image, shot: Shot) -> Image.Image:
        return Image.new("RGBA", image.size, BLACK)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongRotation(PixelFault):
    """The picture lies on its side."""

    def paint(self, image: Image.Image, shot: Shot) -> Image.Image:
        return image.transpose(Image.Transpose.ROTATE_90)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaledFrame(PixelFault):
    """A smaller picture; with `letterbox` in the middle of a black one of the right size."""

    factor: float = number(0.5, 0.01, 1)
    letterbox: bool = False

    def paint(self, image: Image.Image, shot: Shot) -> Image.Image:
        size = max(round(image.width * self.factor), 1), max(round(image.height * self.factor), 1)
        small = image.resize(size, Image.Resampling.BILINEAR)
        if not self.letterbox:
            return small
        whole = Image.new("RGBA", image.size, BLACK)
        whole.paste(small, ((image.width - size[0]) // 2, (image.height - size[1]) // 2))
        return whole


@dataclass(frozen=True, slots=True, kw_only=True)
class JpegArtefacts(PixelFault):
    """The picture has gone through a JPEG of that quality."""

    quality: int = number(5, 1, 95)

    def paint(self, image: Image.Image, shot: Shot) -> Image.Image:
        out = io.BytesIO()
        image.convert("RGB").save(out, "JPEG", quality=self.quality)
        return Image.open(out).convert("RGBA")


@dataclass(frozen=True, slots=True, kw_only=True)
class TruncatedImage(PixelFault):
    """Only the first share of the bytes."""

    share: float = number(0.6, 0, 1)

    def cut(self, data: bytes) -> bytes:
        return data[: int(len(data) * self.share)]


@dataclass(frozen=True, slots=True, kw_only=True)
class NullScreenshot(PixelFault):
    """The automation server's screenshot is null, as when the system refuses it."""

    path: str = choice("u2")


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayWarning(PixelFault):
    """`screencap` without -d warns of several displays on stdout, before the picture."""

    path: str = choice("screencap")

    def fits(self, operation: Shot) -> bool:
        return PixelFault.fits(self, operation) and not operation.named_display
