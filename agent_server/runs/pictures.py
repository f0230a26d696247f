"""What is kept of a screen: its picture, the same with marks, and the list of its elements."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from device.errors import BadFrame
from device.frame import Frame, MediaType, Pixels
from device.geometry import Box
from perception import overlay
from perception.screen import Element, Screen

QUALITY = 90
"""JPEG quality of pictures we encode ourselves. Small text stays readable and a 1080x2400 screen takes about
a quarter of a megabyte; the marked preview is made for people at 540 pixels and may be coarser."""
COVER = (96, 96, 96)
"""Grey, so that a covered box is seen as covered in light and dark themes."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Encoded bytes and what they are."""

    data: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Pictures:
    """Everything that is stored of one look."""

    frame: Picture
    overlay: Picture
    elements: Picture


def cover(screen: Screen) -> Screen:
    """The same screen with its password boxes painted over, before anybody else sees or stores the picture."""
    hidden = tuple(element.box for element in screen.elements if element.password)
    if not hidden:
        return screen
    return dataclasses.replace(screen, frame=_painted(screen.frame, hidden))


def _painted(frame: Frame, boxes: tuple[Box, ...]) -> Frame:
    pixels = frame.pixels.copy()
    for box in boxes:
        left, top, right, bottom = box.to_pixel(frame.size)
        pixels[top:bottom, left:right] = COVER
    return dataclasses.replace(frame, data=jpeg(pixels), media_type="image/jpeg")


def jpeg(pixels: Pixels, quality: int = QUALITY) -> bytes:
    """Encode RGB pixels of shape (height, width, 3). Raises BadFrame when they cannot be encoded."""
    done, encoded = cv2.imencode(".jpg", cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise BadFrame(f"pixels of shape {pixels.shape} cannot be encoded")
    return np.asarray(encoded).tobytes()


def as_jpeg(frame: Frame) -> bytes:
    """The frame's picture as JPEG; bytes that are JPEG already stay as they came."""
    return frame.data if frame.media_type == "image/jpeg" else jpeg(frame.pixels)


def preview(frame: Frame, width: int | None, quality: int) -> bytes:
    """The picture as JPEG, made smaller to `width` pixels; never larger than it is."""
    pixels = frame.pixels
    if width is None or width >= pixels.shape[1]:
        return as_jpeg(frame)
    height = max(1, round(pixels.shape[0] * width / pixels.shape[1]))
    small = cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA)
    return jpeg(np.asarray(small, dtype=np.uint8), quality)


def prepare(screen: Screen, width: int) -> Pictures:
    """Encode and draw what is stored of a covered screen. Computes: call it on a worker thread."""
    raw: MediaType = "image/x-rgba"
    frame = screen.frame
    kept = Picture(as_jpeg(frame), "image/jpeg") if frame.media_type == raw else Picture(frame.data, frame.media_type)
    drawn = overlay.draw(screen, width=width)
    listing = json.dumps([element_json(one) for one in screen.elements], ensure_ascii=False, separators=(",", ":"))
    return Pictures(kept, Picture(drawn.data, drawn.media_type), Picture(listing.encode(), "application/json"))


def element_json(element: Element) -> dict[str, Any]:
    """An element as plain data; `box` is [left, top, right, bottom] and `click` [x, y], fractions of the frame."""
    box, click = element.box, element.click
    return {
        "mark": element.mark,
        "key": element.key,
        "box": [round(edge, 5) for edge in (box.left, box.top, box.right, box.bottom)],
        "click": [round(click.x, 5), round(click.y, 5)],
        "role": element.role,
        "text": element.text,
        "label": element.label,
        "states": sorted(element.states),
        "sources": sorted(element.sources),
        "confidence": round(element.confidence, 3),
        "interactable": element.interactable,
        "password": element.password,
        "resource_id": element.resource_id,
    }
