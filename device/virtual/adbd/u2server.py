"""The phone's automation server: HTTP and JSON-RPC over `tcp:9008`, alive as long as its process runs.

Source: the interface of u2.jar as uiautomator2 3.7 ships it; envelopes as its client reads them (core.py).
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from typing import Any

from device.virtual.adbd.bridge import PhoneHost
from device.virtual.adbd.faults import Faults, fired
from device.virtual.adbd.http import HttpError, Request, RequestDecoder, Response, encode_response, json_response
from device.virtual.adbd.rpc import device, objects, scroll
from device.virtual.adbd.rpc.errors import METHOD_NOT_FOUND, SERVER_ERROR, RpcError, java_error
from device.virtual.adbd.rpc.method import Automation, Method, Shell
from device.virtual.adbd.transport import Stream

log = logging.getLogger(__name__)

METHODS: Mapping[str, Method] = {**device.METHODS, **objects.METHODS, **scroll.METHODS}
MAIN_CLASS = "com.wetest.uia2.Main"
JAR = "/data/local/tmp/u2.jar"
DEFAULT_PORT = 9008


class AlreadyRegistered(Exception):
    """Another program holds the phone's UiAutomation."""


class U2Server:
    """At most one automation per phone; `start` takes it and `stop` gives it back."""

    def __init__(self, host: PhoneHost, shell: Shell, faults: Faults) -> None:
        self._host = host
        self._shell = shell
        self._faults = faults
        self._automation: Automation | None = None
        self.port = 0
        self.stopped = asyncio.Event()

    @property
    def running(self) -> bool:
        return self._automation is not None

    def start(self, port: int) -> Automation:
        """Listen on that port of the phone; raises AlreadyRegistered."""
        if self._automation is not None:
            raise AlreadyRegistered
        self._automation = Automation(self._host, self._shell, self._faults)
        self.port = port
        self.stopped.clear()
        return self._automation

    def stop(self, automation: Automation | None = None) -> None:
        """End the server, or only that run of it; open connections are cut by their next request."""
        if automation is None or automation is self._automation:
            self._automation = None
            self.port = 0
            self.stopped.set()

    async def serve(self, stream: Stream) -> None:
        """Answer one connection's requests until it closes."""
        decoder = RequestDecoder()
        while data := await stream.read():
            try:
                requests = decoder.feed(data)
            except HttpError as error:
                await stream.finish(encode_response(Response(error.status, str(error).encode()), keep_alive=False))
                return
            for request in requests:
                if not await self._is_answered(request):
                    stream.close()
                    return
                response = encode_response(await self.answer(request), keep_alive=request.keep_alive)
                if not request.keep_alive:
                    await stream.finish(response)
                    return
                await stream.write(response)

    async def _is_answered(self, request: Request) -> bool:
        """Whether a call gets an answer at all; a hanging one waits here until the server stops."""
        fault = self._faults.rpc
        if fault and request.path == "/jsonrpc/0":
            await self._host.run(lambda phone: fired(phone, f"rpc {fault}"))
            if fault == "hang":
                await self.stopped.wait()
            return fault == "disconnected"
        return self.running

    async def answer(self, request: Request) -> Response:
        """The response to one request."""
        match request.path:
            case "/ping":
                return Response(200, b"pong")
            case "/jsonrpc/0":
                return await self._jsonrpc(request.body)
            case "/stop":
                self.stop()
                return Response(200, b"Server stopped")
            case "/screenshot/0":
                png = await self._host.run(lambda phone: phone.png())
                return Response(200, png, "image/png")
        return Response(404, b"Not Found")

    async def _jsonrpc(self, body: bytes) -> Response:
        try:
            call = json.loads(body)
        except ValueError:
            return json_response(_error(None, RpcError(-32700, "JSON parse error")))
        if not isinstance(call, dict) or not isinstance(call.get("method"), str):
            return json_response(_error(None, RpcError(-32600, "invalid request")))
        try:
            result = await self._call(call["method"], call.get("params"))
        except RpcError as error:
            return json_response(_error(call.get("id"), error))
        except Exception as error:  # the border of the server: a client always gets an answer
            log.exception("the automation method %s failed", call["method"])
            return json_response(
                _error(call.get("id"), RpcError(SERVER_ERROR, f"java.lang.Error: {error}", str(error)))
            )
        return json_response({"jsonrpc": "2.0", "id": call.get("id"), "result": result})

    async def _call(self, name: str, params: object) -> Any:
        method = METHODS.get(name)
        automation = self._automation
        if self._faults.rpc == "disconnected":
            raise java_error("java.lang.IllegalStateException", "UiAutomation not connected!")
        if method is None or automation is None:
            raise RpcError(METHOD_NOT_FOUND, "method not found")
        values = list(params) if isinstance(params, list | tuple) else []
        return await method(automation, values)


def _error(id: object, error: RpcError) -> dict[str, Any]:
    inner = {"code": error.code, "message": error.message, "data": error.data}
    return {"jsonrpc": "2.0", "id": id, "error": {key: value for key, value in inner.items() if value is not None}}
