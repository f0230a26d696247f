"""The owner's door to a virtual phone: state, journal, picture and time over HTTP on loopback, behind a token.

A program that drives the phone over adb has no part in this; it is for tests, demonstrations and checks of what a run
has left behind. Every answer is JSON except the picture and the snapshot; errors are `{"error": ...}`.

    GET  /state               the world and what is in front
    GET  /journal?since=N     what happened
    GET  /frame.png           the picture
    POST /diff                body: an earlier /state; what has changed since
    POST /snapshot            the phone as bytes
    POST /restore             body: a snapshot
    POST /advance             {"ms": N}: let time pass (manual clock)
    POST /settle              {"cap_ms": N}: let time pass until nothing moves (manual clock)
    POST /input               {"kind": "tap", "x": 1, "y": 2}, and likewise swipe, drag, key, text: what a person does;
                              "fingers": 2 for two of them
    POST /do                  {"verb": "show_anr", "package": "..."}: what verbs.py names; tells "phone" of /state
    GET  /faults              what is armed and what has fired; also the answer of the next three
    POST /faults              {"tap_dropped": true, "empty_tree": {"path": "u2"}, ...}: switch faults on and off
    POST /faults              {"seed": 7, "plan": [...]} or {"profile": "everyday", "seed": 7}: arm a plan
    POST /faults/clear        a healthy phone again
    GET  /latency             the name of the latency model; POST {"profile": "phone"} chooses one
    POST /cut                 cut every adb connection, as when the cable is pulled
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from device.virtual.adbd.http import HttpError, Request, RequestDecoder, Response, encode_response, json_response
from device.virtual.adbd.services import Adbd
from device.virtual.core.world import diff
from device.virtual.errors import PhoneError
from device.virtual.faults.latency import LATENCIES, latency
from device.virtual.faults.plan import Plan, read_plan
from device.virtual.faults.profiles import profile
from device.virtual.phone import VirtualPhone
from device.virtual.verbs import do

log = logging.getLogger(__name__)

GESTURE_SECONDS = 60.0
READ_BYTES = 1 << 16


class BadRequest(Exception):
    """The body is not what the path wants; the text names the field."""


@dataclass(frozen=True, slots=True)
class Control:
    """Answers requests for one phone; `token` is the bearer token they must carry."""

    adbd: Adbd
    token: str

    async def answer(self, request: Request) -> Response:
        """The response to one request; never raises for what the request says."""
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            return _problem(401, "send the token as 'Authorization: Bearer ...'")
        route = _ROUTES.get(request.path)
        if route is None:
            return _problem(404, f"no {request.path}; there are {', '.join(_ROUTES)}")
        handle = route.get(request.method)
        if handle is None:
            return _problem(405, f"{request.path} wants {' or '.join(route)}, not {request.method}")
        try:
            return await handle(self.adbd, request)
        except (BadRequest, PhoneError, ValueError, RuntimeError) as error:
            return _problem(400, str(error))
        except Exception:  # the border of the endpoint: an owner always gets an answer
            log.exception("control request %s failed", request.path)
            return _problem(500, "the virtual phone failed; its log says how")


def _problem(status: int, text: str) -> Response:
    return json_response({"error": text}, status)


def _body(request: Request) -> Mapping[str, Any]:
    try:
        value = json.loads(request.body or b"{}")
    except ValueError:
        raise BadRequest("the body must be JSON") from None
    if not isinstance(value, dict):
        raise BadRequest("the body must be a JSON object")
    return value


def _number(body: Mapping[str, Any], name: str, default: float | None = None) -> float:
    value = body.get(name, default)
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise BadRequest(f"{name} must be a number, not {value!r}")
    return float(value)


async def _state(adbd: Adbd, request: Request) -> Response:
    return json_response(await adbd.host.run(lambda phone: phone.state_json()))


async def _journal(adbd: Adbd, request: Request) -> Response:
    since = request.query.get("since", "0")
    if not since.isdigit():
        raise BadRequest(f"since must be a number, not {since!r}")
    return json_response(await adbd.host.run(lambda phone: phone.journal.to_json(int(since))))


async def _frame(adbd: Adbd, request: Request) -> Response:
    number, png = await adbd.host.run(lambda phone: (phone.frame(), phone.png(glass=True)))
    return Response(200, png, "image/png", {"X-Frame": str(number)})


async def _diff(adbd: Adbd, request: Request) -> Response:
    before = _body(request)
    if missing := [name for name in ("tables", "settings", "files") if name not in before]:
        raise BadRequest(f"the body must be an earlier /state; it lacks {', '.join(missing)}")
    return json_response(diff(before, await adbd.host.run(lambda phone: phone.state_json())))


async def _snapshot(adbd: Adbd, request: Request) -> Response:
    return Response(200, await adbd.host.run(lambda phone: phone.snapshot()), "application/octet-stream")


async def _restore(adbd: Adbd, request: Request) -> Response:
    await adbd.host.run(lambda phone: phone.restore(request.body))
    return json_response({"restored": True})


async def _advance(adbd: Adbd, request: Request) -> Response:
    ms = _number(_body(request), "ms")
    await adbd.host.run(lambda phone: phone.advance(ms))
    return json_response({"now_ms": await adbd.host.run(lambda phone: phone.clock.now_ms())})


async def _settle(adbd: Adbd, request: Request) -> Response:
    cap = _number(_body(request), "cap_ms", 3000)
    return json_response({"settled": await adbd.host.run(lambda phone: phone.settle(cap))})


async def _input(adbd: Adbd, request: Request) -> Response:
    body = _body(request)
    act = _gesture(body)
    before = await adbd.host.run(lambda phone: len(phone.journal))
    pending = await adbd.host.run(act)
    await adbd.host.until(lambda phone: pending.done, GESTURE_SECONDS)
    return json_response({"journal": before})


async def _do(adbd: Adbd, request: Request) -> Response:
    body = dict(_body(request))
    verb = body.pop("verb", None)
    result = await adbd.host.run(lambda phone: (do(phone, verb, body), phone.state_json()["phone"]))
    done, phone = result
    return json_response({"result": done if isinstance(done, bool) else None, "phone": phone})


async def _faults(adbd: Adbd, request: Request) -> Response:
    armed = await adbd.host.run(lambda phone: adbd.conditions.injector.to_json())
    listener = adbd.link.listener
    return json_response({**armed, "address": listener.address if listener is not None else None})


async def _set_faults(adbd: Adbd, request: Request) -> Response:
    body, injector = _body(request), adbd.conditions.injector
    plan = _plan(body)
    if plan is not None:
        await adbd.host.run(lambda phone: injector.arm(phone, plan))
    else:
        await adbd.host.run(lambda phone: injector.switch(phone, body))
    return await _faults(adbd, request)


def _plan(body: Mapping[str, Any]) -> Plan | None:
    """The plan a body spells out or names, None when it names switches."""
    if "plan" in body:
        return read_plan(body)
    if "profile" not in body:
        return None
    if unknown := body.keys() - {"profile", "seed"}:
        raise BadRequest(f"with profile there is only seed, not {', '.join(sorted(unknown))}")
    return profile(body["profile"], int(_number(body, "seed")) if "seed" in body else None)


async def _clear_faults(adbd: Adbd, request: Request) -> Response:
    await adbd.host.run(lambda phone: adbd.conditions.injector.clear(phone))
    return await _faults(adbd, request)


async def _latency(adbd: Adbd, request: Request) -> Response:
    return json_response({"profile": adbd.conditions.latency.name, "known": list(LATENCIES)})


async def _set_latency(adbd: Adbd, request: Request) -> Response:
    adbd.conditions.latency = latency(str(_body(request).get("profile")))
    return await _latency(adbd, request)


async def _cut(adbd: Adbd, request: Request) -> Response:
    await adbd.host.run(lambda phone: phone.journal.append("fault", {"fault": "cut"}))
    count = len(adbd.connections)
    adbd.cut()
    return json_response({"cut": count})


def _gesture(body: Mapping[str, Any]) -> Callable[[VirtualPhone], Any]:
    fingers = int(_number(body, "fingers", 1))
    if fingers not in (1, 2):
        raise BadRequest(f"fingers must be 1 or 2, not {body.get('fingers')!r}")
    match body.get("kind"):
        case "tap":
            x, y, hold = _number(body, "x"), _number(body, "y"), _number(body, "hold_ms", 0)
            return lambda phone: phone.tap(x, y, hold, fingers=fingers)
        case "swipe" | "drag" as kind:
            points, ms = _points(body), _number(body, "duration_ms", 300)
            return lambda phone: (phone.swipe if kind == "swipe" else phone.drag)(points, ms, fingers=fingers)
        case "key":
            code, meta = int(_number(body, "code")), int(_number(body, "meta", 0))
            return lambda phone: phone.key(code, meta)
        case "text":
            text = body.get("text")
            if not isinstance(text, str):
                raise BadRequest("text must be a string")
            return lambda phone: phone.type_text(text)
    raise BadRequest(f"kind must be tap, swipe, drag, key or text, not {body.get('kind')!r}")


def _points(body: Mapping[str, Any]) -> list[tuple[float, float]]:
    points = body.get("points")
    if not isinstance(points, list) or len(points) < 2:
        raise BadRequest("points must be a list of at least two [x, y]")
    found = []
    for point in points:
        if not isinstance(point, list) or len(point) != 2:
            raise BadRequest(f"each of points must be [x, y], not {point!r}")
        found.append((_number({"x": point[0]}, "x"), _number({"y": point[1]}, "y")))
    return found


_Route = Callable[[Adbd, Request], Awaitable[Response]]
_ROUTES: Mapping[str, Mapping[str, _Route]] = {
    "/state": {"GET": _state},
    "/journal": {"GET": _journal},
    "/frame.png": {"GET": _frame},
    "/diff": {"POST": _diff},
    "/snapshot": {"POST": _snapshot},
    "/restore": {"POST": _restore},
    "/advance": {"POST": _advance},
    "/settle": {"POST": _settle},
    "/input": {"POST": _input},
    "/do": {"POST": _do},
    "/faults": {"GET": _faults, "POST": _set_faults},
    "/faults/clear": {"POST": _clear_faults},
    "/latency": {"GET": _latency, "POST": _set_latency},
    "/cut": {"POST": _cut},
}


@dataclass(frozen=True, slots=True)
class ServedControl:
    """Where the door is, and its key."""

    url: str
    token: str


@asynccontextmanager
async def serve_control(adbd: Adbd, *, port: int = 0, token: str = "") -> AsyncIterator[ServedControl]:
    """Serve the endpoint on loopback until the block ends; without a token a random one is made."""
    control = Control(adbd, token or secrets.token_urlsafe(24))
    tasks: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(_converse(control, reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(accept, "127.0.0.1", port)
    number = server.sockets[0].getsockname()[1]
    try:
        yield ServedControl(f"http://127.0.0.1:{number}", control.token)
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()


async def _converse(control: Control, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    decoder = RequestDecoder()
    try:
        while data := await reader.read(READ_BYTES):
            for request in decoder.feed(data):
                response = await control.answer(request)
                writer.write(encode_response(response, keep_alive=request.keep_alive))
                await writer.drain()
                if not request.keep_alive:
                    return
    except HttpError as error:
        writer.write(encode_response(_problem(error.status, str(error)), keep_alive=False))
    except ConnectionError:
        return
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
