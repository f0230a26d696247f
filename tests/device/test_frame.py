"""Frames: bytes as they came, pixels when somebody looks."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.errors import BadFrame
from device.frame import Frame, MediaType, Pixels, decode
from device.geometry import Size

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def picture() -> Pixels:
    """Left half red, right half blue; RGB."""
    pixels = np.zeros((32, 64, 3), np.uint8)
    pixels[:, :32, 0], pixels[:, 32:, 2] = 255, 255
    return pixels


def encoded(kind: str) -> bytes:
    done, data = cv2.imencode(kind, cv2.cvtColor(picture(), cv2.COLOR_RGB2BGR))
    assert done
    return bytes(data.tobytes())


def raw() -> bytes:
    return cv2.cvtColor(picture(), cv2.COLOR_RGB2RGBA).tobytes()


def frame(data: bytes, media_type: MediaType) -> Frame:
    return Frame(data=data, media_type=media_type, size=Size(64, 32), rotation=0, taken_at=NOW)


@pytest.mark.parametrize(
    ("media_type", "data", "tolerance"),
    [("image/png", encoded(".png"), 0), ("image/jpeg", encoded(".jpg"), 8), ("image/x-rgba", raw(), 0)],
)
def test_every_media_type_gives_the_same_rgb_pixels(media_type: MediaType, data: bytes, tolerance: int) -> None:
    pixels = frame(data, media_type).pixels
    assert pixels.shape == (32, 64, 3) and pixels.dtype == np.uint8
    away_from_the_edge = [slice(0, 24), slice(40, 64)]
    for columns in away_from_the_edge:
        gap = np.abs(pixels[:, columns].astype(int) - picture()[:, columns].astype(int))
        assert gap.max() <= tolerance


def test_the_name_of_a_frame_is_the_digest_of_its_bytes() -> None:
    assert frame(raw(), "image/x-rgba").sha256 == hashlib.sha256(raw()).hexdigest()


def test_the_bytes_of_a_frame_are_not_printed() -> None:
    assert "data" not in repr(frame(raw(), "image/x-rgba"))


@pytest.mark.parametrize("media_type", ["image/png", "image/jpeg", "image/x-rgba"])
@pytest.mark.parametrize("data", [b"", b"nothing", encoded(".png")[:20]])
def test_bytes_that_are_no_picture_are_a_bad_frame(media_type: MediaType, data: bytes) -> None:
    with pytest.raises(BadFrame):
        _ = frame(data, media_type).pixels


@given(st.binary(max_size=300))
def test_any_bytes_are_pixels_or_a_bad_frame(data: bytes) -> None:
    for media_type in ("image/png", "image/jpeg", "image/x-rgba"):
        try:
            assert decode(data, media_type, Size(4, 4)).ndim == 3
        except BadFrame as error:
            assert str(len(data)) in str(error)
