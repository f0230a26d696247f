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
from device.virtual.adbd.conditions import Conditions
from device.virtual.adbd.http import HttpError, Request, RequestDecoder, Response, encode_response, json_response
from device.virtual.adbd.rpc import device, objects, scroll
from device.virtual.adbd.rpc.errors import METHOD_NOT_FOUND, SERVER_ERROR, RpcError, java_error
from device.virtual.adbd.rpc.method import Automation, Method, Shell
from device.virtual.adbd.transport import Stream
from device.virtual.faults.camera import capture
from device.virtual.faults.latency import rpc_operation
from device.virtual.faults.wire import RpcDisconnected, RpcFault, RpcHang, RpcLost

log = logging.getLogger(__name__)

METHODS: Mapping[str, Method] = {**device.METHODS, **objects.METHODS, **scroll.METHODS}
MAIN_CLASS = "com.wetest.uia2.Main"
JAR = "/data/local/tmp/u2.jar"
DEFAULT_PORT = 9008
NOT_CONNECTED = "UiAutomation not connected!"


class AlreadyRegistered(Exception):
    """Another program holds the phone's UiAutomation."""


class U2Server:
    """At most one automation per phone; `start` takes it and `stop` gives it back."""

    def __init__(self, host: PhoneHost, shell: Shell, conditions: Conditions) -> None:
        self._host = host
        self._shell = shell
        self._conditions = conditions
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
        self._automation = Automation(self._host, self._shell, self._conditions)
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
                answer = await self.answer(request)
                if answer is None:
                    stream.close()
                    return
                stream.breaks = await self._conditions.breaks("u2")
                response = encode_response(answer, keep_alive=request.keep_alive)
                if not request.keep_alive:
                    await stream.finish(response)
                    return
                await stream.write(response)

    async def answer(self, request: Request) -> Response | None:
        """The response to one request, None when the connection closes without one."""
        if not self.running:
            return None
        match request.path:
            case "/ping":
                return Response(200, b"pong")
            case "/jsonrpc/0":
                return await self._jsonrpc(request.body)
            case "/stop":
                self.stop()
                return Response(200, b"Server stopped")
            case "/screenshot/0":
                injector = self._conditions.injector
                picture = await self._host.run(lambda phone: capture(phone, injector, "u2", "png"))
                return Response(200, picture.data, "image/png") if picture else Response(500, b"no screenshot")
        return Response(404, b"Not Found")

    async def _jsonrpc(self, body: bytes) -> Response | None:
        try:
            call = json.loads(body)
        except ValueError:
            return json_response(_error(None, RpcError(-32700, "JSON parse error")))
        if not isinstance(call, dict) or not isinstance(call.get("method"), str):
            return json_response(_error(None, RpcError(-32600, "invalid request")))
        name, id = call["method"], call.get("id")
        faults = await self._conditions.strike(RpcFault, rpc_operation(name), {"method": name})
        match faults[0].fault if faults else None:
            case RpcDisconnected():
                return json_response(_error(id, java_error("java.lang.IllegalStateException", NOT_CONNECTED)))
            case RpcLost() as lost:
                if lost.done:
                    await self._carry_out(name, id, call.get("params"))
                if isinstance(lost, RpcHang):
                    await self.stopped.wait()
                return None
        return await self._carry_out(name, id, call.get("params"))

    async def _carry_out(self, name: str, id: object, params: object) -> Response:
        """Call a method; its result or its error."""
        operation = rpc_operation(name)
        await self._conditions.begin(operation)
        try:
            result = await self._call(name, params)
        except RpcError as error:
            return json_response(_error(id, error))
        except Exception as error:  # the border of the server: a client always gets an answer
            log.exception("the automation method %s failed", name)
            return json_response(_error(id, RpcError(SERVER_ERROR, f"java.lang.Error: {error}", str(error))))
        await self._conditions.end(operation, result if operation.group == "tree" else None)
        return json_response({"jsonrpc": "2.0", "id": id, "result": result})

    async def _call(self, name: str, params: object) -> Any:
        method = METHODS.get(name)
        automation = self._automation
        if method is None or automation is None:
            raise RpcError(METHOD_NOT_FOUND, "method not found")
        values = list(params) if isinstance(params, list | tuple) else []
        return await method(automation, values)


def _error(id: object, error: RpcError) -> dict[str, Any]:
    inner = {"code": error.code, "message": error.message, "data": error.data}
    return {"jsonrpc": "2.0", "id": id, "error": {key: value for key, value in inner.items() if value is not None}}
