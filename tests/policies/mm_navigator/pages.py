"""Screens with something to see on them: rows of writing, drawn, and the elements that belong to them."""

from __future__ import annotations

import io
from datetime import UTC, datetime

from PIL import Image, ImageDraw, ImageFont

from device.base import Answer
from device.frame import Foreground, Frame
from device.geometry import Box, Size
from perception.screen import Element, Screen, TreeStatus
from policies.base import Decision, Observation, Turn

SIZE = Size(1080, 2400)
ROW = 180


def page(*names: str, keyboard: bool = False, focused: str = "", password: str = "", flat: str = "") -> Screen:
    """One row per name. `focused` and `password` are fields; `flat` cannot be touched."""
    picture = Image.new("RGB", (SIZE.width, SIZE.height), (250, 250, 250))
    pen = ImageDraw.Draw(picture)
    font = ImageFont.load_default(48)
    elements = []
    for place, name in enumerate(names):
        top = 120 + place * ROW
        pen.text((60, top + 60), name, font=font, fill=(20, 20, 20))
        box = Box.from_pixel(0, top, SIZE.width, top + ROW - 8, SIZE)
        field = name in (focused, password)
        elements.append(
            Element(
                mark=place + 1,
                key=name,
                box=box,
                click=box.center,
                role="text_field" if field else "list_item",
                text="" if name == password else name,
                states=frozenset({"focused"} if name == focused else set()),
                interactable=name != flat,
                password=name == password,
            )
        )
    data = io.BytesIO()
    picture.save(data, "PNG")
    frame = Frame(
        data=data.getvalue(),
        media_type="image/png",
        size=SIZE,
        rotation=0,
        taken_at=datetime(2026, 1, 1, tzinfo=UTC),
        foreground=Foreground(package="org.example"),
        keyboard=keyboard,
    )
    return Screen(frame=frame, elements=tuple(elements), tree_status=TreeStatus.FRESH)


def seen(screen: Screen, *history: Turn, goal: str = "Turn on the dark theme.", lang: str = "en") -> Observation:
    return Observation(goal=goal, screen=screen, history=tuple(history), lang=lang)


def turn(decision: Decision, *, sent: Answer = Answer.YES, changed: Answer = Answer.YES, note: str = "") -> Turn:
    return Turn(step=1, decision=decision, sent=sent, changed=changed, note=note)
