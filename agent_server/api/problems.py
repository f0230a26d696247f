"""Every refusal as one kind of document: problem+json (RFC 9457), with a stable `code` and a sentence to speak."""

from __future__ import annotations

import http
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from agent_server.errors import FieldError, ServiceError
from agent_server.runs.speak import clip
from device.errors import DeviceError

MEDIA_TYPE = "application/problem+json"
DEVICE_STATUS = {
    "device-not-found": 404,
    "device-unauthorized": 409,
    "device-offline": 409,
    "stale-view": 409,
    "device-in-use": 409,
    "device-locked": 409,
    "screen-off": 409,
    "blocked-by-dialog": 409,
    "adb-server-unavailable": 503,
    "device-timeout": 504,
}
"""HTTP status by a device error's code; any other is 502, for it is the phone behind us that failed."""


class WrongField(BaseModel):
    """One wrong field of the request."""

    pointer: str = Field(
        description="JSON pointer to the field, such as /budgets/steps; of a header or query its name."
    )
    detail: str


class Problem(BaseModel):
    """A refusal (RFC 9457). `code` is stable; `detail` says what is wrong and what to do."""

    type: str = Field(description="urn:tapwright:problem: and the code.")
    title: str
    status: int
    code: str
    detail: str
    advice: str = ""
    instance: str = ""
    errors: list[WrongField] = Field(default_factory=list)
    speak: str = Field(default="", description="One sentence for ears, at most 140 characters.")
    retryable: bool = False


def document(
    code: str,
    title: str,
    status: int,
    message: str,
    *,
    advice: str = "",
    instance: str = "",
    fields: Sequence[FieldError] = (),
    retryable: bool = False,
) -> Problem:
    return Problem(
        type=f"urn:tapwright:problem:{code}",
        title=title,
        status=status,
        code=code,
        detail=" ".join(part for part in (message, advice) if part),
        advice=advice,
        instance=instance,
        errors=[WrongField(pointer=one.pointer, detail=one.detail) for one in fields],
        speak=clip(message),
        retryable=retryable,
    )


def of_error(error: ServiceError | DeviceError, instance: str = "") -> Problem:
    """The problem that an error of ours becomes."""
    if isinstance(error, ServiceError):
        return document(
            error.code,
            error.title,
            error.status,
            str(error),
            advice=error.advice,
            instance=instance,
            fields=error.fields,
            retryable=error.status == 503,
        )
    status = DEVICE_STATUS.get(error.code, 502)
    title = "The phone cannot do this now"
    return document(
        error.code, title, status, str(error), advice=error.advice, instance=instance, retryable=error.retryable
    )


def response(problem: Problem) -> JSONResponse:
    headers = {"WWW-Authenticate": "Bearer"} if problem.status == 401 else {}
    if problem.status == 503:
        headers["Retry-After"] = "5"
    return JSONResponse(problem.model_dump(), problem.status, headers, media_type=MEDIA_TYPE)


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """For a route's `responses`: these statuses, and any other, come as problem+json."""
    schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
    told = {status: http.HTTPStatus(status).phrase for status in statuses}
    out: dict[int | str, dict[str, Any]] = {
        status: {"description": phrase, "content": {MEDIA_TYPE: schema}} for status, phrase in told.items()
    }
    out["default"] = {"description": "Any other refusal", "content": {MEDIA_TYPE: schema}}
    return out


def _pointer(where: Sequence[str | int]) -> str:
    source, *path = where
    if source == "body":
        return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)
    return str(path[0]) if path else str(source)


def _wrong(one: Mapping[str, Any]) -> FieldError:
    if one["type"] == "json_invalid":
        return FieldError("", f"it is not JSON ({one['ctx']['error']})")
    return FieldError(_pointer(one["loc"]), str(one["msg"]))


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    # What was sent is not quoted back: it may be a task with a secret in it.
    fields = [_wrong(one) for one in error.errors()]
    first = fields[0] if fields else FieldError("", "it cannot be read")
    message = f"{first.pointer or 'The body'}: {first.detail}."
    advice = "The fields and their ranges are in /v1/openapi.json."
    problem = document(
        "invalid-request",
        "The request is not valid",
        422,
        message,
        advice=advice,
        instance=request.url.path,
        fields=fields,
    )
    return response(problem)


async def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ServiceError | DeviceError)
    return response(of_error(error, request.url.path))


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    phrase = http.HTTPStatus(error.status_code).phrase
    code = phrase.lower().replace(" ", "-").replace("'", "")
    message = {
        404: f"There is nothing at {request.url.path}.",
        405: f"{request.url.path} does not take {request.method}.",
    }.get(error.status_code, str(error.detail))
    problem = document(
        code,
        phrase,
        error.status_code,
        message,
        advice="GET /v1/openapi.json lists what there is.",
        instance=request.url.path,
    )
    answer = response(problem)
    answer.headers.update(error.headers or {})
    return answer


def install(app: FastAPI) -> None:
    """Make every refusal of the app a problem."""
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(ServiceError, _refused)
    app.add_exception_handler(DeviceError, _refused)
    app.add_exception_handler(HTTPException, _http)
