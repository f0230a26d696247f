"""`tapwright see`: what Tapwright sees on a picture or a phone, as marks and a list."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, cast, get_args

import typer

from agent_server.cli import local
from device.base import View
from device.errors import BadFrame
from device.frame import Frame, MediaType, decode
from device.geometry import Size
from perception import overlay
from perception.ocr import RapidOcrReader
from perception.pipeline import Pipeline
from perception.screen import Screen

BIGGEST_PICTURE = 40_000_000
"""Bytes; a 48-megapixel photograph fits, a mistaken video does not."""


def register(app: typer.Typer) -> None:
    app.command(help="Show what is seen on a picture or a phone: marks and a list.")(see)


def see(
    image: Annotated[Path | None, typer.Argument(help="A screenshot, PNG or JPEG.")] = None,
    serial: Annotated[str | None, typer.Option(help="Look at this phone instead of a picture.")] = None,
    tree: Annotated[Path | None, typer.Option(help="A uiautomator dump (XML) of the same moment.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the marked picture here.")] = None,
    width: Annotated[int, typer.Option(min=120, max=4000, help="Width of the marked picture in pixels.")] = 540,
    style: Annotated[str, typer.Option(help=f"How numbers are drawn: {', '.join(overlay.STYLES)}.")] = "placed",
) -> None:
    if style not in overlay.STYLES:
        raise typer.BadParameter(f"--style is one of {', '.join(overlay.STYLES)}, not {style!r}")
    if (image is None) == (serial is None):
        raise typer.BadParameter("give either a picture file or --serial")
    if image is not None:
        view = _read(image, tree)
        screen = asyncio.run(_perceive(view))
        target = output or Path(f"{image.stem}-marks.jpg")
    else:
        assert serial is not None
        screen = asyncio.run(_look(serial))
        target = output or Path(f"{serial.replace(':', '-').replace('/', '-')}-marks.jpg")
    drawn = overlay.draw(screen, width=width, style=cast(overlay.Style, style))
    target.write_bytes(drawn.data)
    typer.echo(drawn.listing)
    typer.echo(f"{len(screen.elements)} marks, tree {screen.tree_status}; picture: {target}")


def _read(image: Path, tree: Path | None) -> View:
    try:
        size = image.stat().st_size
        if size > BIGGEST_PICTURE:
            raise typer.BadParameter(f"{image} has {size} bytes; give a screenshot of at most {BIGGEST_PICTURE} bytes")
        data = image.read_bytes()
        xml = tree.read_text(errors="replace") if tree is not None else None
    except OSError as error:
        raise typer.BadParameter(f"{error.filename}: {error.strerror}") from error
    media_type: MediaType = "image/png" if data.startswith(b"\x89PNG") else "image/jpeg"
    assert media_type in get_args(MediaType)
    try:
        pixels = decode(data, media_type)
    except BadFrame as error:
        raise typer.BadParameter(f"{image} is not a PNG or JPEG that can be read ({error}); save it again") from error
    frame = Frame(
        data=data,
        media_type=media_type,
        size=Size(pixels.shape[1], pixels.shape[0]),
        rotation=0,
        taken_at=datetime.fromtimestamp(image.stat().st_mtime, UTC),
    )
    return View(frame=frame, tree=xml, tree_reason="" if xml else "no tree was given")


async def _perceive(view: View) -> Screen:
    pipeline = Pipeline(RapidOcrReader(), ocr="always", deadline=120.0)
    return await pipeline.perceive(view)


async def _look(serial: str) -> Screen:
    async with local.phone(serial) as device:
        return await _perceive(await device.observe())
