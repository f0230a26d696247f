"""What programs capture: the phone's picture, with the faults that are armed."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Literal

from PIL import Image

from device.virtual.faults.injector import FaultInjector, Fired
from device.virtual.faults.pixels import DisplayWarning, NullScreenshot, PixelFault, Shot
from device.virtual.phone import VirtualPhone

Form = Literal["raw", "png", "jpeg"]


@dataclass(frozen=True, slots=True)
class Picture:
    """Bytes of a picture and its size in pixels; `warned`: the display warning goes before them."""

    size: tuple[int, int]
    data: bytes
    warned: bool = False


def capture(
    phone: VirtualPhone,
    injector: FaultInjector,
    path: str,
    form: Form,
    *,
    quality: int = 80,
    scale: float = 1.0,
    named_display: bool = False,
) -> Picture | None:
    """Take a picture (raw is RGBA, rows from the top); None when the phone refuses to give one."""
    if not injector.armed(PixelFault):
        data = {"raw": phone.raw, "png": phone.png}.get(form, lambda: phone.jpeg(quality, scale))()
        return Picture(phone.size, data)
    image = phone.image()
    shot = Shot(path=path, named_display=named_display, before=injector.last_image)
    fired = injector.firing(phone, PixelFault, shot, {"path": path})
    injector.last_image = image
    if _any(fired, NullScreenshot):
        return None
    for one in fired:
        image = one.fault.paint(image, shot)
    data = _encoded(image, form, quality, scale)
    for one in fired:
        data = one.fault.cut(data)
    return Picture(image.size, data, _any(fired, DisplayWarning))


def _any(fired: list[Fired[PixelFault]], kind: type[PixelFault]) -> bool:
    return any(isinstance(one.fault, kind) for one in fired)


def _encoded(image: Image.Image, form: Form, quality: int, scale: float) -> bytes:
    if form == "raw":
        return image.convert("RGBA").tobytes()
    rgb, out = image.convert("RGB"), io.BytesIO()
    if form == "png":
        rgb.save(out, "PNG", compress_level=1)
        return out.getvalue()
    if scale != 1.0:
        size = max(round(rgb.width * scale), 1), max(round(rgb.height * scale), 1)
        rgb = rgb.resize(size, Image.Resampling.BILINEAR)
    rgb.save(out, "JPEG", quality=quality)
    return out.getvalue()
