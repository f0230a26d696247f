"""`/v1/devices`: the phones, and what is on their screens now."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, Field

from agent_server.api.context import ServiceDep
from agent_server.api.problems import responses
from agent_server.runs.model import Page
from agent_server.runs.pictures import element_json
from agent_server.service import Phone
from perception import overlay

router = APIRouter(prefix="/devices", tags=["devices"])

Serial = Annotated[str, Path(min_length=1, max_length=256, description="As adb lists it.")]
Width = Annotated[int | None, Query(ge=60, le=4000, description="Width in pixels; never enlarged.")]
_JPEG = {200: {"description": "The picture.", "content": {"image/jpeg": {}}}, **responses(404, 409, 502, 503, 504)}


class ElementOut(BaseModel):
    """One thing on the screen. Places are fractions of the frame, right and down."""

    mark: int
    key: str
    box: tuple[float, float, float, float] = Field(description="left, top, right, bottom")
    click: tuple[float, float] = Field(description="x, y: where to touch it")
    role: str
    text: str
    label: str
    states: list[str]
    sources: list[str]
    confidence: float
    interactable: bool
    password: bool
    resource_id: str


class ScreenOut(BaseModel):
    """What is on the screen. Marks are valid for this picture only."""

    app: str
    activity: str
    window: str
    width: int
    height: int
    keyboard: bool | None
    tree: str = Field(description="fresh, stale or absent: whether the accessibility tree could be used")
    tree_reason: str
    elements: list[ElementOut]
    listing: str = Field(description="One line per mark, as policies read them.")


class DescriptionOut(BaseModel):
    """The screen in plain sentences."""

    lang: str
    text: str


@router.get("", responses=responses(503))
async def list_devices(service: ServiceDep) -> Page[Phone]:
    """Every phone that adb lists. Listing opens none."""
    return Page(await service.phones())


@router.get("/{serial}", responses=responses(404, 409, 502, 503, 504))
async def read(serial: Serial, service: ServiceDep) -> Phone:
    """One phone with its facts; opens it when it is ready."""
    return await service.phone(serial)


@router.get("/{serial}/screen", responses=_JPEG, response_class=Response)
async def screen(serial: Serial, service: ServiceDep, width: Width = None) -> Response:
    """The screen as JPEG, password boxes covered."""
    return Response(await service.picture(serial, width), media_type="image/jpeg")


@router.get("/{serial}/overlay", responses=_JPEG, response_class=Response)
async def marked(serial: Serial, service: ServiceDep, width: Width = None) -> Response:
    """The screen as JPEG with its marks, password boxes covered."""
    drawn = await service.marked(serial, width)
    return Response(drawn.data, media_type=drawn.media_type)


@router.get("/{serial}/elements", responses=responses(404, 409, 502, 503, 504))
async def elements(serial: Serial, service: ServiceDep) -> ScreenOut:
    """The numbered elements on the screen, in reading order."""
    seen = await service.look(serial)
    front, size = seen.foreground, seen.frame.size
    return ScreenOut(
        app=front.package,
        activity=front.activity,
        window=front.window,
        width=size.width,
        height=size.height,
        keyboard=seen.frame.keyboard,
        tree=seen.tree_status,
        tree_reason=seen.tree_reason,
        elements=[ElementOut.model_validate(element_json(one)) for one in seen.elements],
        listing=overlay.listing(seen),
    )


@router.get("/{serial}/description", responses=responses(404, 409, 502, 503, 504))
async def description(
    serial: Serial, service: ServiceDep, lang: Annotated[str, Query(min_length=2, max_length=35)] = "en"
) -> DescriptionOut:
    """The screen in plain sentences, in en or zh."""
    return DescriptionOut(lang=lang, text=await service.description(serial, lang))
