"""HTTP/1.1 as a codec without a socket: requests in, responses out, connections kept alive.

Enough for two small servers on loopback: the phone's automation server and the owner's control endpoint.
Source: RFC 9112; chunked request bodies are refused with 411, since no client of either sends them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, urlsplit

MAX_HEAD = 64 * 1024
MAX_BODY = 256 * 1024 * 1024
"""A phone's snapshot with files in it must fit."""


class HttpError(Exception):
    """What was sent is no request we take; answer with this status and close."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request. Header names are lower case."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    keep_alive: bool = True


@dataclass(frozen=True, slots=True)
class Response:
    """An answer whose length is known."""

    status: int
    body: bytes
    content_type: str = "text/plain; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)


def json_response(value: Any, status: int = 200) -> Response:
    """A value as JSON text."""
    return Response(status, json.dumps(value, ensure_ascii=False).encode(), "application/json")


def encode_response(response: Response, *, keep_alive: bool = True) -> bytes:
    """Head and body as they go over the wire, in one piece."""
    lines = [
        f"HTTP/1.1 {response.status} {HTTPStatus(response.status).phrase}",
        f"Content-Type: {response.content_type}",
        f"Content-Length: {len(response.body)}",
        f"Connection: {'keep-alive' if keep_alive else 'close'}",
        *(f"{name}: {value}" for name, value in response.headers.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + response.body


class RequestDecoder:
    """Feed bytes, get whole requests. Raises HttpError, after which the connection is of no more use."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._head: Request | None = None
        self._length = 0

    def feed(self, data: bytes) -> list[Request]:
        self._buffer += data
        requests: list[Request] = []
        while True:
            if self._head is None and not self._read_head():
                return requests
            assert self._head is not None
            if len(self._buffer) < self._length:
                return requests
            head, self._head = self._head, None
            body = bytes(self._buffer[: self._length])
            del self._buffer[: self._length]
            requests.append(replace(head, body=body))

    def _read_head(self) -> bool:
        while self._buffer.startswith(b"\r\n"):
            del self._buffer[:2]
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > MAX_HEAD:
                raise HttpError(431, f"the head of a request may have {MAX_HEAD} bytes")
            return False
        head = self._buffer[:end].decode("latin-1")
        del self._buffer[: end + 4]
        self._head = _parse_head(head)
        self._length = _body_length(self._head.headers)
        return True


def _parse_head(head: str) -> Request:
    first, *rest = head.split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        raise HttpError(400, f"not a request line: {first[:80]!r}")
    headers: dict[str, str] = {}
    for line in rest:
        name, colon, value = line.partition(":")
        if not colon or name != name.strip():
            raise HttpError(400, f"not a header line: {line[:80]!r}")
        headers[name.lower()] = value.strip()
    target = urlsplit(words[1])
    connection = headers.get("connection", "").lower()
    keep_alive = connection != "close" if words[2] == "HTTP/1.1" else connection == "keep-alive"
    return Request(
        method=words[0],
        path=target.path or "/",
        query=dict(parse_qsl(target.query, keep_blank_values=True)),
        headers=headers,
        keep_alive=keep_alive,
    )


def _body_length(headers: Mapping[str, str]) -> int:
    if "transfer-encoding" in headers:
        raise HttpError(411, "send a Content-Length instead of a chunked body")
    text = headers.get("content-length", "0")
    if not text.isdigit():
        raise HttpError(400, f"Content-Length must be a number, not {text!r}")
    if int(text) > MAX_BODY:
        raise HttpError(413, f"a body may have {MAX_BODY} bytes, not {text}")
    return int(text)
