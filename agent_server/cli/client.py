"""A small client of the service's REST API, as the command line needs it.

Blocking on purpose: a command does one thing. The event stream survives a cut connection by resuming after
the last event seen.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx

ENDED = frozenset({"succeeded", "failed", "stopped", "expired", "interrupted"})


class ServiceError(Exception):
    """The service said no. `problem` is its problem+json document (RFC 9457), or what stands in for one."""

    def __init__(self, problem: dict[str, Any]) -> None:
        super().__init__(str(problem.get("detail") or problem.get("title") or "the service refused"))
        self.problem = problem

    @property
    def code(self) -> str:
        return str(self.problem.get("code", ""))


def _problem(response: httpx.Response) -> dict[str, Any]:
    try:
        document = response.json()
    except ValueError:
        document = None
    if isinstance(document, dict):
        return document
    return {"title": f"HTTP {response.status_code}", "detail": response.text[:300] or response.reason_phrase}


class ServiceClient:
    """Talks to one server with one token."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url.rstrip("/")
        self.authorization = f"Bearer {token}"
        self._http = httpx.Client(
            base_url=self.url, headers={"Authorization": self.authorization}, timeout=30, trust_env=False
        )

    def close(self) -> None:
        self._http.close()

    def call(self, method: str, path: str, **options: Any) -> Any:
        """The JSON answer of one request. Raises ServiceError on any status from 400 on."""
        try:
            response = self._http.request(method, path, **options)
        except httpx.TransportError as error:
            raise ServiceError(
                {"code": "server-unreachable", "detail": f"No Tapwright server answers at {self.url}: {error}"}
            ) from error
        if response.status_code >= 400:
            raise ServiceError(_problem(response))
        return response.json() if response.content else None

    def bytes(self, path: str, **options: Any) -> bytes:
        """The body of one GET, as it is. Raises ServiceError on any status from 400 on."""
        response = self._http.get(path, **options)
        if response.status_code >= 400:
            raise ServiceError(_problem(response))
        return response.content

    def events(self, run_id: str, after: int = 0, patience: float = 30.0) -> Iterator[dict[str, Any]]:
        """Every event of a run in order, ending with the one that ends it.

        A cut stream is taken up again after the last event seen; ServiceError after `patience` seconds
        without a server.
        """
        lost_since: float | None = None
        while True:
            try:
                headers = {"Accept": "text/event-stream", "Last-Event-ID": str(after)}
                with self._http.stream("GET", f"/v1/runs/{run_id}/events", headers=headers, timeout=60) as response:
                    if response.status_code >= 400:
                        response.read()
                        raise ServiceError(_problem(response))
                    lost_since = None
                    for event in sse(response.iter_lines()):
                        after = int(event["id"])
                        yield event
                        if event["type"] in ("run.finished", "run.interrupted"):
                            return
            except httpx.TransportError as error:
                lost_since = lost_since or time.monotonic()
                if time.monotonic() - lost_since > patience:
                    detail = f"The server at {self.url} does not answer any more: {error}"
                    raise ServiceError({"code": "server-unreachable", "detail": detail}) from error
            time.sleep(0.2)


def sse(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    """Decode the JSON documents of a `text/event-stream`; comments and keep-alives are skipped.

    Source: WHATWG HTML, 9.2.6 "Interpreting an event stream"; only `data` is needed, for each document
    carries its own id and type.
    """
    data: list[str] = []
    for line in lines:
        if not line:
            if data:
                yield json.loads("\n".join(data))
            data = []
        elif line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
