"""What is kept of a screen: its picture, the same with marks, and the list of its elements."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from agent_server.secrets import Vault, reference
from device.base import View
from device.errors import BadFrame
from device.frame import Frame, MediaType, Pixels
from device.geometry import Box
from perception import overlay
from perception.errors import BrokenTree
from perception.screen import Element, Screen, Source
from perception.tree import TreeNode, parse

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


COVERED = "covered"
"""The state of an element whose text is not told because it gives a secret away."""


@dataclass(frozen=True, slots=True)
class Covered:
    """A screen that may be shown, sent and stored, and the boxes that were painted over in its picture."""

    screen: Screen
    boxes: tuple[Box, ...] = ()


def cover(screen: Screen, view: View, vault: Vault) -> Covered:
    """The same screen without what nobody may see, before anybody else sees or stores it. Computes.

    Password boxes are painted over. So is what shows a secret, in an element or anywhere in the view's tree; an
    element's text or label that gives one away is replaced as a whole by the secret's reference.
    """
    elements = tuple(_without_secrets(screen.elements, vault)) if vault else screen.elements
    hidden = [element.box for element in elements if element.password or COVERED in element.states]
    if vault and view.tree is not None:
        hidden += secret_boxes(view, vault)
    if not hidden:
        return Covered(screen)
    boxes = tuple(dict.fromkeys(hidden))
    return Covered(dataclasses.replace(screen, frame=_painted(screen.frame, boxes), elements=elements), boxes)


def _without_secrets(elements: tuple[Element, ...], vault: Vault) -> Iterator[Element]:
    """The elements with references in place of texts that give a secret away, also in the keys made of them."""
    seen: Counter[str] = Counter()
    for element in elements:
        read = Source.TREE not in element.sources
        written, called = (vault.shown_in(text, read=read) for text in (element.text, element.label))
        if not written and not called:
            yield element
            continue
        stem = ":".join(filter(None, (element.resource_id, element.role, reference(written or called))))
        seen[stem] += 1
        yield dataclasses.replace(
            element,
            key=stem if seen[stem] == 1 else f"{stem}#{seen[stem]}",
            text=reference(written) if written else element.text,
            label=reference(called) if called else element.label,
            states=element.states | {COVERED},
        )


def secret_boxes(view: View, vault: Vault) -> list[Box]:
    """Where the tree has texts that give a secret away: also in places that are no elements, as above a keyboard."""
    try:
        tree = parse(view.tree or "", view.frame.size, view.foreground)
    except BrokenTree:
        return []
    if tree.rotation != view.frame.rotation:
        return []
    return [node.box for node in tree.nodes if node.box is not None and gives_away(node, vault)]


def gives_away(node: TreeNode, vault: Vault) -> bool:
    """Whether any text of a node shows a secret."""
    return any(vault.shown_in(text) for text in (node.text, node.desc, node.hint))


def cover_early(view: View, vault: Vault) -> Frame | None:
    """The picture of a look as far as its tree alone tells what to paint over; None where it does not tell.

    Perception finds more than the tree: where there is time to wait for it, `cover` is the one to ask. Where there are
    secrets it is the only one, for the tree may not have the text that shows one.
    """
    if view.tree is None or vault:
        return None
    try:
        tree = parse(view.tree, view.frame.size, view.foreground)
    except BrokenTree:
        return None
    if not tree.nodes or tree.rotation != view.frame.rotation:
        return None
    hidden = tuple(node.box for node in tree.nodes if "password" in node.flags and node.box is not None)
    return _painted(view.frame, hidden) if hidden else view.frame


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
