"""Draws what a policy is given: overlay.jpg, two screens of the virtual phone, and tags.jpg, the styles of numbers."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from PIL import Image

from device.base import View
from device.frame import Frame
from device.geometry import Size
from device.virtual.phone import VirtualPhone
from perception import overlay
from perception.ocr import RapidOcrReader
from perception.pipeline import Pipeline
from perception.tags import STYLES

FOLDER = Path(__file__).parent
SETTINGS, CONTACTS = "com.android.settings", "org.tapwright.contacts"


def look(phone: VirtualPhone) -> View:
    """A view of the phone's screen, as the client makes it over the wire."""
    phone.settle()
    width, height = phone.size
    frame = Frame(
        data=phone.jpeg(90),
        media_type="image/jpeg",
        size=Size(width, height),
        rotation=0,
        taken_at=datetime(2026, 11, 21, tzinfo=UTC),
    )
    return View(frame=frame, tree=phone.dump())


async def drawn(pipeline: Pipeline, package: str, style: overlay.Style) -> Image.Image:
    """The app's first screen with its numbers."""
    phone = VirtualPhone()
    phone.start(package)
    marked = overlay.draw(await pipeline.perceive(look(phone)), width=540, style=style)
    return Image.open(io.BytesIO(marked.data))


def sheet(pictures: Sequence[Image.Image]) -> Image.Image:
    """The pictures side by side on grey."""
    width = sum(one.width for one in pictures) + 24 * (len(pictures) + 1)
    paper = Image.new("RGB", (width, pictures[0].height + 48), (95, 99, 104))
    left = 24
    for one in pictures:
        paper.paste(one, (left, 24))
        left += one.width + 24
    return paper


async def main() -> None:
    pipeline = Pipeline(RapidOcrReader(), ocr="always", deadline=60.0)
    apps = [await drawn(pipeline, package, "placed") for package in (SETTINGS, CONTACTS)]
    sheet(apps).save(FOLDER / "overlay.jpg", quality=88)
    styles = [(await drawn(pipeline, CONTACTS, style)).crop((0, 0, 540, 700)) for style in STYLES]
    sheet(styles).save(FOLDER / "tags.jpg", quality=88)
    pipeline.close()


if __name__ == "__main__":
    asyncio.run(main())
