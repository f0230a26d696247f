"""What an apk says about itself: package and version from its binary manifest.

Source: AOSP frameworks/base, libs/androidfw, ResourceTypes.h (chunk headers, string pool, start of an element).
"""

from __future__ import annotations

import io
import struct
import zipfile
from dataclasses import dataclass

_STRING_POOL, _START_ELEMENT, _XML = 0x0001, 0x0102, 0x0003
_UTF8_FLAG = 1 << 8
_TYPE_STRING, _TYPE_INT_DEC = 0x03, 0x10


class NotAnApk(ValueError):
    """The bytes are no zip with a readable AndroidManifest.xml."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The package's name, versionName and versionCode."""

    package: str
    version_name: str = ""
    version_code: int = 0


def read_manifest(apk: bytes) -> Manifest:
    """Raises NotAnApk."""
    try:
        with zipfile.ZipFile(io.BytesIO(apk)) as archive:
            xml = archive.read("AndroidManifest.xml")
        return _manifest(xml)
    except (zipfile.BadZipFile, KeyError, struct.error, IndexError, UnicodeDecodeError) as error:
        raise NotAnApk(str(error)) from error


def _manifest(xml: bytes) -> Manifest:
    kind, head, _ = struct.unpack_from("<HHI", xml)
    if kind != _XML:
        raise NotAnApk("AndroidManifest.xml is not binary XML")
    strings: list[str] = []
    at = head
    while at < len(xml):
        kind, head, size = struct.unpack_from("<HHI", xml, at)
        if kind == _STRING_POOL:
            strings = _strings(xml, at)
        elif kind == _START_ELEMENT:
            values = _attributes(xml, at + head, strings)
            if "package" in values:
                code = values.get("versionCode", "0")
                return Manifest(values["package"], values.get("versionName", ""), int(code) if code.isdigit() else 0)
        at += max(size, 8)
    raise NotAnApk("AndroidManifest.xml names no package")


def _strings(xml: bytes, at: int) -> list[str]:
    _, head, _, count, _, flags, start, _ = struct.unpack_from("<HHIIIIII", xml, at)
    found = []
    for number in range(count):
        (offset,) = struct.unpack_from("<I", xml, at + head + 4 * number)
        where = at + start + offset
        if flags & _UTF8_FLAG:
            _, where = _length8(xml, where)
            size, where = _length8(xml, where)
            found.append(xml[where : where + size].decode("utf-8"))
        else:
            (size,) = struct.unpack_from("<H", xml, where)
            where += 2
            if size & 0x8000:
                (low,) = struct.unpack_from("<H", xml, where)
                size, where = (size & 0x7FFF) << 16 | low, where + 2
            found.append(xml[where : where + 2 * size].decode("utf-16-le"))
    return found


def _length8(xml: bytes, at: int) -> tuple[int, int]:
    first = xml[at]
    return ((first & 0x7F) << 8 | xml[at + 1], at + 2) if first & 0x80 else (first, at + 1)


def _attributes(xml: bytes, at: int, strings: list[str]) -> dict[str, str]:
    """Name to value of the text and whole-number attributes of an element whose body is at `at`."""
    _, _, start, size, count = struct.unpack_from("<IIHHH", xml, at)
    values: dict[str, str] = {}
    for number in range(count):
        _, name, raw, _, _, kind, data = struct.unpack_from("<IIIHBBI", xml, at + start + size * number)
        if kind == _TYPE_STRING:
            values[strings[name]] = strings[raw if raw != 0xFFFFFFFF else data]
        elif kind == _TYPE_INT_DEC:
            values[strings[name]] = str(data)
    return values
