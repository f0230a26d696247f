"""The door: which names and web pages may call, how large a request may be, and who is asking.

A pure ASGI layer around every route. An open controller of a phone on localhost is a target for any web page
one visits, so the Host header is checked against DNS rebinding, the Origin against foreign pages, and the
token or cookie is asked for even on this machine.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent_server.api import pages, problems
from agent_server.api.access import Access
from agent_server.errors import ForeignOrigin, ServiceError, TooLarge, Unauthorized, WrongHost

log = structlog.get_logger()

OPEN_PATHS = frozenset({"/healthz", "/readyz", "/version", "/login", "/style.css"})
"""What may be asked without a token: it tells nothing about phones and runs."""
SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; img-src 'self'; style-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})


class Guard:
    """ASGI middleware. Refuses with problem+json, and logs one line per request without its query."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        access: Access,
        hosts: Iterable[str] = (),
        origins: Iterable[str] = (),
        max_body_bytes: int,
    ) -> None:
        self._app = app
        self._access = access
        self._hosts = LOOPBACK_NAMES | {host.lower() for host in hosts}
        self._origins = frozenset(origin.rstrip("/").lower() for origin in origins)
        self._limit = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._admit_socket(scope, receive, send)
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.monotonic()
        status = 0

        async def sealed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            await self._admit(scope, receive, sealed)
        except Exception as error:
            # The border: an unforeseen error becomes an answer. Its text may quote what was typed, so the log
            # gets the places in the code only.
            where = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)[-6:]]
            log.error("request failed", path=scope["path"], error=type(error).__name__, where=where)
            if status == 0:
                message = "Something broke inside the service; the log says where."
                broken = problems.document("internal", "Internal error", 500, message, instance=scope["path"])
                await problems.response(broken)(scope, receive, sealed)
        finally:
            ms = round((time.monotonic() - started) * 1000, 1)
            log.debug("request", method=scope["method"], path=scope["path"], status=status, ms=ms)

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        try:
            self._check_host(headers)
            self._check_origin(headers, scope["scheme"])
            self._check_caller(headers, scope["path"])
            replay = await self._whole_body(headers, receive)
        except Unauthorized as error:
            if scope["path"] == "/" and "text/html" in headers.get("accept", ""):
                await pages.not_logged_in()(scope, receive, send)
                return
            await problems.response(problems.of_error(error, scope["path"]))(scope, receive, send)
        except ServiceError as error:
            await problems.response(problems.of_error(error, scope["path"]))(scope, receive, send)
        else:
            await self._app(scope, replay, send)

    async def _admit_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A WebSocket has no preflight: any page may try one, and its browser sends the cookie along."""
        headers = Headers(scope=scope)
        try:
            self._check_host(headers)
            self._check_origin(headers, {"ws": "http", "wss": "https"}[scope["scheme"]])
            self._check_caller(headers, scope["path"])
            if "authorization" not in headers and "origin" not in headers and self._access.required:
                raise ForeignOrigin("A browser says where it comes from.", advice="Send the token as Authorization.")
        except ServiceError as error:
            await problems.response(problems.of_error(error, scope["path"]))(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _check_host(self, headers: Headers) -> None:
        host = headers.get("host", "")
        name = _host_name(host)
        if name not in self._hosts:
            raise WrongHost(
                f"This server does not answer to the name {name[:100]!r}.",
                advice="Call it by 127.0.0.1, or add the name to TAPWRIGHT_ALLOW_HOSTS.",
            )

    def _check_origin(self, headers: Headers, scheme: str) -> None:
        origin = headers.get("origin")
        if origin is None:
            return
        own = f"{scheme}://{headers.get('host', '')}".lower()
        if origin.lower() != own and origin.lower() not in self._origins:
            raise ForeignOrigin(
                f"The web page {origin[:100]!r} may not call this server.",
                advice="Add its origin to TAPWRIGHT_ALLOW_ORIGINS if it is yours.",
            )

    def _check_caller(self, headers: Headers, path: str) -> None:
        if not self._access.required or path in OPEN_PATHS:
            return
        authorization = headers.get("authorization")
        if authorization is not None:
            if self._access.by_header(authorization):
                return
            raise Unauthorized("The token is wrong.", advice="It stands in the file `token` of the data folder.")
        if self._access.by_cookie(_cookie(headers, self._access.cookie)):
            return
        raise Unauthorized(
            "A token is needed.",
            advice="Send `Authorization: Bearer` and the token of the file `token` in the data folder, "
            "or open the login link that the server printed.",
        )

    async def _whole_body(self, headers: Headers, receive: Receive) -> Receive:
        """The body is read here, within the limit, and handed on whole."""
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._limit:
            raise self._too_large()
        if not length and "transfer-encoding" not in headers:
            return receive
        chunks: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return _replaying(message, receive)
            chunk = message.get("body", b"")
            size += len(chunk)
            if size > self._limit:
                raise self._too_large()
            chunks.append(chunk)
            if not message.get("more_body", False):
                return _replaying({"type": "http.request", "body": b"".join(chunks), "more_body": False}, receive)

    def _too_large(self) -> TooLarge:
        return TooLarge(
            f"The request's body is larger than {self._limit} bytes.",
            advice="Send less, or raise TAPWRIGHT_MAX_BODY_BYTES.",
        )


def _replaying(first: Message, receive: Receive) -> Receive:
    waiting = [first]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


def _host_name(host: str) -> str:
    """The name without its port; an IPv6 address keeps its brackets."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return host
    return f"[{name}]" if ":" in name else name


def _cookie(headers: Headers, name: str) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return found.value if found is not None else ""
