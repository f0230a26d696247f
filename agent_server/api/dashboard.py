"""The dashboard: a page of our own at `/`, made of the files in `agent_server/dashboard`."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import FileResponse, Response

from agent_server.errors import NotFound

router = APIRouter(include_in_schema=False)

FOLDER = FilePath(__file__).parents[1] / "dashboard"
MEDIA_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
"""Scripts and styles from this server's own files only: nothing inline, nothing from elsewhere, no frames."""


def _file(name: str) -> Response:
    path = FOLDER / name
    media_type = MEDIA_TYPES.get(path.suffix)
    if media_type is None or not path.is_file():
        raise NotFound(f"The dashboard has no file {name!r}.", advice="Open /.")
    # Asked for again at each visit: an old script must not meet a new server.
    return FileResponse(
        path, media_type=media_type, headers={"Content-Security-Policy": POLICY, "Cache-Control": "no-cache"}
    )


@router.get("/")
async def home() -> Response:
    """The page."""
    return _file("index.html")


@router.get("/dashboard/{name}")
async def file(name: Annotated[str, Path(pattern=r"^[a-z][a-z-]*\.(js|css|svg)$")]) -> Response:
    """One of its scripts, its style or its icon."""
    return _file(name)
