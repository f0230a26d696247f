"""HTTP as the small servers of the phone read and write it."""

from __future__ import annotations

import pytest

from device.virtual.adbd.http import MAX_HEAD, HttpError, RequestDecoder, Response, encode_response, json_response

REQUEST = (
    b"POST /jsonrpc/0?a=1&b=%20 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\nbody"
)


def test_a_request_is_read_whole_or_a_byte_at_a_time() -> None:
    (whole,) = RequestDecoder().feed(REQUEST)
    assert (whole.method, whole.path, whole.query, whole.body) == ("POST", "/jsonrpc/0", {"a": "1", "b": " "}, b"body")
    assert whole.headers["content-type"] == "application/json" and whole.keep_alive
    decoder = RequestDecoder()
    found = [request for byte in REQUEST for request in decoder.feed(bytes([byte]))]
    assert found == [whole]


def test_requests_may_follow_one_another() -> None:
    assert len(RequestDecoder().feed(REQUEST * 3 + REQUEST[:20])) == 3


@pytest.mark.parametrize(
    ("head", "keep"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", True),
        (b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n", False),
        (b"GET / HTTP/1.0\r\n\r\n", False),
        (b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", True),
    ],
)
def test_the_connection_is_kept_as_the_version_says(head: bytes, keep: bool) -> None:
    (request,) = RequestDecoder().feed(head)
    assert request.keep_alive is keep


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/2\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        (b"POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", 413),
        (b"G" * (MAX_HEAD + 1), 431),
    ],
)
def test_what_is_no_request_is_refused_with_its_status(data: bytes, status: int) -> None:
    with pytest.raises(HttpError) as caught:
        RequestDecoder().feed(data)
    assert caught.value.status == status


def test_a_response_is_one_piece_with_its_length() -> None:
    assert encode_response(Response(200, b"pong")) == (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 4\r\n"
        b"Connection: keep-alive\r\n\r\npong"
    )
    assert json_response({"a": "é"}, 404).body == '{"a": "é"}'.encode()
    assert b"Connection: close" in encode_response(Response(404, b""), keep_alive=False)
