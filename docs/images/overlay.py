"""Draws docs/images/overlay.jpg: what a policy is given, for two screens of the virtual phone."""

from __future__ import annotations

import asyncio
import io
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

TARGET = Path(__file__).parent / "overlay.jpg"


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


async def main() -> None:
    pipeline = Pipeline(RapidOcrReader(), ocr="always", deadline=60.0)
    pictures = []
    for package in ("com.android.settings", "org.tapwright.contacts"):
        phone = VirtualPhone()
        phone.start(package)
        drawn = overlay.draw(await pipeline.perceive(look(phone)), width=540)
        pictures.append(Image.open(io.BytesIO(drawn.data)))
    pipeline.close()
    sheet = Image.new("RGB", (sum(one.width for one in pictures) + 72, pictures[0].height + 48), (95, 99, 104))
    left = 24
    for one in pictures:
        sheet.paste(one, (left, 24))
        left += one.width + 24
    sheet.save(TARGET, quality=88)


if __name__ == "__main__":
    asyncio.run(main())
