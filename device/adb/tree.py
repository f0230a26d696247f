"""What the client itself reads in an accessibility dump: the focused field, and whether anything has changed.

Numbering and meaning of nodes is the business of perception; here any text gives a value, so that a broken dump
cannot break an act.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

# Android's serializer puts values that hold a double quote between single ones (kxml2, KXmlSerializer).
_NODE = re.compile(r"""<node((?:\s+[\w:-]+=(?:"[^"]*"|'[^']*'))*)\s*/?>""")
_ATTRIBUTE = re.compile(r"""([\w:-]+)=(?:"([^"]*)"|'([^']*)')""")
_REFERENCE = re.compile(r"&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));")
_BOUNDS = re.compile(r"\[(-?\d{1,6}),(-?\d{1,6})\]\[(-?\d{1,6}),(-?\d{1,6})\]")
_TURNED = re.compile(r"""<hierarchy\b[^>]*\brotation=["']([0-3])["']""")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_EDITABLE = re.compile(r"EditText|AutoCompleteTextView|SearchAutoComplete|TextInput$", re.IGNORECASE)
_STRUCTURE = ("class", "resource-id", "text", "content-desc", "bounds", "checked", "enabled", "focused", "selected")
"""Attributes that count as a change; indices differ between dumps of the same screen."""
_WORDS = ("text", "content-desc")
_SYSTEM_UI = "com.android.systemui"
BULLETS = frozenset("•●*")
"""What password fields show instead of their text."""


def editable(class_name: str) -> bool:
    """Whether nodes of this class take text."""
    return bool(_EDITABLE.search(class_name))


def hidden(text: str) -> bool:
    """Whether a text is the dots of a password field."""
    return bool(text) and set(text) <= BULLETS


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A text field. `text` is what it holds: an empty one shows its `hint`, and holds nothing.

    `told` says that the dump tells hints: where it does not (the stock dump of older releases), a hint looks like a
    text.
    """

    class_name: str
    text: str
    hint: str = ""
    told: bool = True
    name: str = ""
    password: bool = False


def focused_field(xml: str) -> Field | None:
    """The editable node that has the focus."""
    return next((_field(node) for node in _fields(xml) if node.get("focused") == "true"), None)


def field_names(xml: str) -> tuple[str, ...]:
    """What the editable nodes are called, without what they hold."""
    return tuple(name for node in _fields(xml) if (name := _field(node).name))


def signature(xml: str) -> str:
    """A digest of the structure, the same for the same screen whatever the order of its windows; hex."""
    lines = sorted("\t".join(_structure(node)) for node in _nodes(xml))
    return hashlib.sha256("\n".join(lines).encode(errors="surrogatepass")).hexdigest()


def window_edges(xml: str, package: str) -> tuple[int, int, int, int] | None:
    """Left, top, right, bottom in pixels of all that a package shows; None when it shows nothing."""
    found = [
        tuple(map(int, edges.groups()))
        for node in _nodes(xml)
        if package and node.get("package") == package and (edges := _BOUNDS.fullmatch(node.get("bounds", "")))
    ]
    if not found:
        return None
    lefts, tops, rights, bottoms = zip(*found, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def whole(xml: str) -> bool:
    """Whether a dump is there to its end; one without any node is `<hierarchy rotation="0" />`."""
    return xml.rstrip().endswith(("</hierarchy>", "/>"))


def turned(xml: str) -> int | None:
    """Quarter turns of the screen when the dump was made; None when it does not say."""
    found = _TURNED.search(xml)
    return int(found[1]) if found else None


def packages(xml: str) -> frozenset[str]:
    """Whose windows the dump shows."""
    return frozenset(package for node in _nodes(xml) if (package := node.get("package", "")))


def extent(xml: str) -> tuple[int, int]:
    """Right and bottom, in pixels, of the largest node; 0 for none. A dump is clipped to the screen."""
    found = [edges for node in _nodes(xml) if (edges := _BOUNDS.fullmatch(node.get("bounds", "")))]
    return max((int(one[3]) for one in found), default=0), max((int(one[4]) for one in found), default=0)


def identified(xml: str) -> Mapping[str, str]:
    """Resource ids, each with the text or description of its first node."""
    found: dict[str, str] = {}
    for node in _nodes(xml):
        if name := node.get("resource-id", ""):
            found.setdefault(name, _plain(node.get("text", "") or node.get("content-desc", "")))
    return found


def _structure(node: Mapping[str, str]) -> Iterator[str]:
    # The clock and the battery of the status bar change by themselves.
    silent = _WORDS if node.get("package") == _SYSTEM_UI else ()
    return ("" if name in silent else node.get(name, "") for name in _STRUCTURE)


def _fields(xml: str) -> Iterator[Mapping[str, str]]:
    return (node for node in _nodes(xml) if editable(node.get("class", "")))


def _field(node: Mapping[str, str]) -> Field:
    text, hint = _plain(node.get("text", "")), _plain(node.get("hint", ""))
    name = hint or _plain(node.get("content-desc", "")) or node.get("resource-id", "").rpartition("/")[2]
    return Field(
        class_name=node.get("class", ""),
        text="" if text == hint else text,
        hint=hint,
        told="hint" in node,
        name=name,
        password=node.get("password") == "true",
    )


def _nodes(xml: str) -> Iterator[Mapping[str, str]]:
    for found in _NODE.finditer(xml):
        yield {name: double or single for name, double, single in _ATTRIBUTE.findall(found[1])}


def _plain(value: str) -> str:
    """An attribute as text. Android writes characters beyond U+FFFF as two references, one per surrogate."""
    if "&" not in value:
        return value
    text = _REFERENCE.sub(_character, value)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _character(found: re.Match[str]) -> str:
    if found[3]:
        return _NAMED[found[3]]
    code = int(found[1], 16) if found[1] else int(found[2])
    return chr(code) if code <= 0x10FFFF else "\ufffd"
