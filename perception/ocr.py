"""Text in pictures by RapidOCR and the PP-OCR models its wheel brings: no network, no GPU.

The tuning was measured on 18 phone screens against the library's defaults: half the time and more text read
right. The detector looks at a copy of at most 1280 px, the recogniser at the full picture; lines go one at a
time and are padded to 96 px instead of 320; the upside-down check is off, as it turns single letters round.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from device.frame import Pixels
from device.geometry import Box, Size
from perception.base import TextLine, TextReader
from perception.draft import Dp
from perception.errors import ReaderUnavailable, ReadingFailed

_PARAMETERS: dict[str, Any] = {
    "Global.log_level": "critical",
    "Global.use_cls": False,
    "Global.max_side_len": 3000,
    "Det.limit_type": "max",
    "Det.limit_side_len": 1280,
    "Rec.rec_batch_num": 1,
    "Rec.rec_img_shape": [3, 48, 96],
}
_MODELS = {"Det": "PP-OCRv6_det_small.onnx", "Rec": "PP-OCRv6_rec_small.onnx"}


class RapidOcrReader:
    """Reads Latin script and Chinese. One engine, used by one thread at a time; `read` blocks.

    `threads` are ONNX Runtime's within one operator, without busy waiting. Models load on first use.
    Raises ReaderUnavailable when the package or its models are missing.
    """

    name = "rapidocr"

    def __init__(self, threads: int = 2) -> None:
        if threads < 1:
            raise ValueError(f"threads must be at least 1, not {threads}")
        self._threads = threads
        self._engine: Any = None
        self._lock = threading.Lock()

    def read(self, pixels: Pixels) -> tuple[TextLine, ...]:
        """Lines in an RGB picture of shape (height, width, 3), uint8. Raises PerceptionError."""
        height, width = pixels.shape[:2]
        if min(height, width) < 8 or max(height, width) > 40 * min(height, width):
            return ()  # nothing legible fits, and the detector cannot be given such a shape
        bgr = cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR)
        with self._lock:
            if self._engine is None:
                self._engine = _build(self._threads)
            try:
                result = self._engine(bgr)
            except Exception as error:  # whatever the engine and its runtime raise: nobody above knows them
                raise ReadingFailed(f"text could not be read: {type(error).__name__}: {error}") from error
        if result.boxes is None or result.txts is None:
            return ()
        size = Size(width, height)
        return tuple(
            TextLine(_bounding(corners, size), text.strip(), float(score))
            for corners, text, score in zip(result.boxes, result.txts, result.scores, strict=True)
            if text.strip()
        )


def warm_up(reader: TextReader) -> None:
    """Load the models and let them run once on a picture with text in it. Raises PerceptionError."""
    reader.read(sample())


def sample() -> Pixels:
    """A small picture with a word on it, for warming up."""
    picture = np.full((128, 384, 3), 255, np.uint8)
    cv2.putText(picture, "Tapwright", (24, 80), cv2.FONT_HERSHEY_SIMPLEX, 1.8, (0, 0, 0), 4, cv2.LINE_AA)
    return picture


def _build(threads: int) -> Any:
    try:
        import rapidocr
        from omegaconf import flag_override
        from onnxruntime import InferenceSession, SessionOptions
    except ImportError as error:
        raise ReaderUnavailable(f"text cannot be read: {error.name} is not installed") from error
    folder = Path(rapidocr.__file__).parent / "models"
    for file in _MODELS.values():
        if not (folder / file).is_file():
            # Left alone, the library would try to download it in the middle of a step.
            raise ReaderUnavailable(f"text cannot be read: rapidocr came without its model {file}")
    engine = rapidocr.RapidOCR(params=_PARAMETERS)
    options = SessionOptions()
    options.log_severity_level = 4
    options.enable_cpu_mem_arena = False
    options.intra_op_num_threads = threads
    # Waiting threads otherwise spin and take the cores from everybody else.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    for section, file in _MODELS.items():
        config = engine.cfg[section]
        with flag_override(config, "allow_objects", True):
            config.session = InferenceSession(str(folder / file), options, providers=["CPUExecutionProvider"])
    return engine


def _bounding(corners: Any, size: Size) -> Box:
    points = np.asarray(corners, dtype=float)
    (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
    return Box.from_pixel(float(left), float(top), float(right), float(bottom), size)


# Icons come back as these letters in a square box: magnifier, circles and badges, chevrons, crosses. Boxes of
# real single letters were .81 to .92 as wide as high, those of icons 1.0 to 1.2.
_LOOK_ALIKE = frozenset("QOo0DCGUaVvXx")


def is_icon(line: TextLine, dp: Dp, *, chinese: bool = False) -> bool:
    """Whether the engine took a picture for writing.

    A single sign is believed when it is an ASCII letter or digit read with a score over .8, unless it is one
    that icons are read as and its box is square; a single Chinese character only on a `chinese` screen. Several
    signs must hold a letter or digit, and one such in brackets be read well. Icons were seen to come back as
    "Q", "O", "V", "X", "(0)", "个", "日", "三".
    """
    text = line.text
    if len(text) > 1:
        letters = sum(sign.isalnum() for sign in text)
        return letters == 0 or (len(text) <= 3 and letters == 1 and not text.isalnum() and line.score < 0.9)
    if text.isascii() and text.isalnum():
        square = dp.width(line.box) >= 0.96 * dp.height(line.box)
        return line.score <= 0.8 or (square and text in _LOOK_ALIKE)
    return not (chinese and is_chinese(text) and line.score > 0.9)


def is_chinese(text: str) -> bool:
    """Whether any character is a Han ideograph, kana or Hangul: writing without spaces."""
    return any("\u3040" <= c <= "\u30ff" or "\u3400" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7af" for c in text)


def is_readable(text: str) -> bool:
    """Whether the engine knows the script: at least two letters or digits, all Latin, Han or kana."""
    signs = [c for c in text if c.isalnum()]
    return len(signs) >= 2 and all(c < "\u0250" or (is_chinese(c) and not "\uac00" <= c <= "\ud7af") for c in signs)
