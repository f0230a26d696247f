"""`/v1/artifacts/{hash}`: stored pictures and lists. What has a hash for a name never changes."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Path, Response
from fastapi.responses import FileResponse

from agent_server.api.context import ServiceDep
from agent_server.api.problems import responses

router = APIRouter(prefix="/artifacts", tags=["artifacts"])


@router.get(
    "/{hash}",
    response_class=FileResponse,
    responses={304: {"description": "You have it already."}, **responses(404, 422)},
)
async def read(
    hash: Annotated[str, Path(pattern="^[0-9a-f]{64}$", description="sha256 of the content, in hex")],
    service: ServiceDep,
    if_none_match: Annotated[str, Header()] = "",
) -> Response:
    """The content, with its hash as ETag."""
    path, media_type = await service.artifact(hash)
    tag = f'"{hash}"'
    headers = {
        "ETag": tag,
        "Cache-Control": "private, max-age=31536000, immutable",
        "X-Content-Type-Options": "nosniff",
    }
    known = {one.strip().removeprefix("W/") for one in if_none_match.split(",")}
    if tag in known or "*" in known:
        return Response(status_code=304, headers=headers)
    return FileResponse(path, media_type=media_type, headers=headers)
