"""Errors as the phone's automation server words them."""

from __future__ import annotations

SERVER_ERROR, METHOD_NOT_FOUND, INVALID_PARAMS = -32001, -32601, -32602


class RpcError(Exception):
    """An `error` member: a Java exception's class name as message, its stack trace (or message) as data."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


def java_error(name: str, message: str = "") -> RpcError:
    """A Java exception with a stack trace of one line."""
    trace = f"{name}: {message}" if message else name
    return RpcError(SERVER_ERROR, name, f"{trace}\n\tat com.wetest.uia2.stub.AutomatorServiceImpl(virtual)\n")


def not_found(selector: object) -> RpcError:
    """No element fits: data is the exception's message alone."""
    return RpcError(SERVER_ERROR, "androidx.test.uiautomator.UiObjectNotFoundException", str(selector))


def invalid_params(method: str) -> RpcError:
    """The method exists, but not with such parameters."""
    return RpcError(INVALID_PARAMS, "method parameters invalid", method)
