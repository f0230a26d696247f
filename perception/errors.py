"""What can go wrong while a picture is turned into elements.

    PerceptionError
    ├── BrokenTree           the accessibility dump cannot be read
    ├── ReaderUnavailable    the OCR engine cannot work here
    └── ReadingFailed        the OCR engine failed on this picture

A picture that cannot be decoded is `device.errors.BadFrame`.
"""

from __future__ import annotations


class PerceptionError(Exception):
    """A screen could not be perceived in one of the ways there are."""


class BrokenTree(PerceptionError):
    """The dump is no XML, is cut off, or has no hierarchy in it."""


class ReaderUnavailable(PerceptionError):
    """The OCR engine cannot work here; the message says which part is missing."""


class ReadingFailed(PerceptionError):
    """The OCR engine gave up on one picture; another may succeed."""
