"""Tree, OCR and picture become one list of numbered elements.

Order of trust: a tree that belongs to the picture, then what is written in the picture. Rules and thresholds
were measured on recorded pairs of screenshot and dump; where one comes from a public project it says so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from device.geometry import Box, Size
from perception import paragraphs, targets
from perception.base import TextLine
from perception.draft import Dp, Draft, folded, title
from perception.ocr import is_readable
from perception.screen import Element, Source, TreeStatus
from perception.tree import Tree, TreeNode

# 15 of 17 recorded pairs of picture and tree confirm .85 to 1.00 of their texts, a pair of different moments
# .50; with fewer than six texts the share says nothing.
_CONFIRMED, _ENOUGH = 0.65, 6
# OCR errors within a line: "$45.90" read as "¢45 90" still counts as the same text, another row does not.
_SIMILAR = 80.0
# More marks than this are not told apart by the models that read them.
_MOST = 60
# A target over a quarter of the screen does not explain what is written in it.
_EXPLAINS = 0.25
_FULL = Box(0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The outcome; the fields are those of `perception.screen.Screen`."""

    elements: tuple[Element, ...]
    tree_status: TreeStatus
    tree_reason: str
    confirm_ratio: float | None


def merge(
    size: Size,
    tree: Tree | None,
    lines: Sequence[TextLine] | None,
    *,
    frames: Sequence[Box] = (),
    tree_reason: str = "",
    keyboard: bool | None = None,
    most: int = _MOST,
) -> Merged:
    """Numbered elements of a frame of that size.

    `lines` is None when OCR did not run; `frames` are text fields found by their outline, for where there is no
    tree. `keyboard` is what the phone says about its on-screen keyboard.
    `tree_reason` is kept where there is no tree. At most `most` elements, the least useful left out.
    """
    dp = Dp.of(size)
    ratio = None if tree is None or lines is None else confirm_ratio(tree, lines, dp)
    stale = ratio is not None and ratio < _CONFIRMED
    if tree is None or stale:
        reading = paragraphs.sort_lines(lines or (), dp, content=_FULL, keyboard=None, typing=keyboard)
        found = paragraphs.drafts(reading, dp, frames)
        status = TreeStatus.ABSENT if tree is None else TreeStatus.STALE
        reason = tree_reason if tree is None else f"only {ratio:.0%} of the tree's texts are in the picture"
        return Merged(elements=number(found, dp, most), tree_status=status, tree_reason=reason, confirm_ratio=ratio)
    found = targets.drafts(tree, dp)
    if lines is not None:
        reading = paragraphs.sort_lines(lines, dp, content=tree.content, keyboard=tree.keyboard, typing=keyboard)
        found = _fuse(tree, found, reading, dp)
    found = tuple(_infer_label(draft) for draft in found)
    return Merged(elements=number(found, dp, most), tree_status=TreeStatus.FRESH, tree_reason="", confirm_ratio=ratio)


def confirm_ratio(tree: Tree, lines: Sequence[TextLine], dp: Dp) -> float | None:
    """Share of the tree's texts that OCR found in their own boxes; None with fewer than six to compare.

    Texts in scripts the engine does not know, passwords and what the keyboard hides do not count.
    """
    checked = [
        node
        for node in tree.shown()
        if is_readable(node.text)
        and "password" not in node.flags
        and node.box is not None
        and not (tree.keyboard is not None and tree.keyboard.contains(node.box.center))
        and not any(tree.nodes[child].text == node.text for child in node.children)
    ]
    if len(checked) < _ENOUGH:
        return None
    return sum(_confirmed(node, lines, dp) for node in checked) / len(checked)


def _confirmed(node: TreeNode, lines: Sequence[TextLine], dp: Dp) -> bool:
    assert node.box is not None
    around = dp.grow(node.box, 4)
    inside = [line for line in lines if around.contains(line.box.center) or node.box.inside(line.box) > 0.5]
    read = "".join(line.text for line in sorted(inside, key=_top))
    return _alike(read, node.text)


def _alike(a: str, b: str) -> bool:
    """Whether one text is the other or a part of it, give or take reading errors."""
    a, b = folded(a), folded(b)
    if not a or not b:
        return False
    short, long = sorted((a, b), key=len)
    # A single letter is part of nearly everything.
    if len(short) < 2 and len(long) > 2:
        return False
    return fuzz.partial_ratio(short, long) >= _SIMILAR


def _fuse(tree: Tree, found: Sequence[Draft], reading: paragraphs.Reading, dp: Dp) -> tuple[Draft, ...]:
    """Give each line to the smallest draft that explains it; what is left becomes drafts of its own."""
    given: dict[int, list[TextLine]] = {}
    left: list[TextLine] = []
    for line in reading.lines:
        if not _reachable(tree, line.box):
            continue
        home = _home(tree, found, line, dp)
        if home is None:
            left.append(line)
        else:
            given.setdefault(home, []).append(line)
    out = [_with_lines(draft, given.get(i, ()), dp) for i, draft in enumerate(found)]
    surfaces = [node.box for node in tree.shown() if node.drawn_by_app and node.box is not None]
    icons = [icon for icon in reading.icons if any(box.contains(icon.box.center) for box in surfaces)]
    icons = [icon for icon in icons if _home(tree, found, icon, dp) is None]
    rest = paragraphs.Reading(tuple(left), tuple(icons), None)
    return (*out, *paragraphs.drafts(rest, dp))


def _reachable(tree: Tree, box: Box) -> bool:
    """Whether the place belongs to a window that takes touches: not the dimmed rest behind a dialog."""
    return any(w.box.contains(box.center) and not w.behind for w in tree.windows) or not tree.windows


def _home(tree: Tree, found: Sequence[Draft], line: TextLine, dp: Dp) -> int | None:
    """Index of the smallest draft around the line's centre, lists and page-sized targets excepted."""
    center = line.box.center
    around = [
        (draft.box.area, i)
        for i, draft in enumerate(found)
        if draft.role != "list"
        and (draft.box.area < _EXPLAINS or draft.password or _alike(line.text, draft.text))
        and dp.grow(draft.box, 2).contains(center)
    ]
    return min(around)[1] if around else None


def _with_lines(draft: Draft, lines: Sequence[TextLine], dp: Dp) -> Draft:
    """What the picture adds to a tree element: confirmation, a text, or the label of a field."""
    if not lines:
        return draft
    if draft.password:
        # What stands inside may be the password; on the upper edge only a label can.
        return _labelled(draft, [line for line in lines if line.box.center.y <= draft.box.top + 2 * dp.y])
    if draft.role == "text_field":
        return _labelled(draft, lines)
    read = paragraphs.written(sorted(lines, key=_top))
    if _alike(read, draft.text):
        return replace(draft, sources=draft.sources | {Source.OCR})
    if draft.text or (draft.label and not _alike(read, draft.label)):
        return draft
    # Flutter and web pages describe what they have written: then it is text, and the picture has the wording.
    label = "" if folded(draft.label) == folded(read) else draft.label
    return replace(draft, text=read, label=label, sources=draft.sources | {Source.OCR})


def _labelled(draft: Draft, lines: Sequence[TextLine]) -> Draft:
    """The tree knows a field's content, so what else is written in it or on its edge is its label."""
    other = [line for line in lines if not _alike(line.text, draft.text)]
    if not draft.label and other:
        return replace(draft, label=min(other, key=_top).text, sources=draft.sources | {Source.OCR})
    seen = len(other) < len(lines) or any(_alike(line.text, draft.label) for line in lines)
    return replace(draft, sources=draft.sources | {Source.OCR}) if seen else draft


def _top(line: TextLine) -> tuple[float, float]:
    return line.box.top, line.box.left


_NOISE = re.compile(r"(^|_)(btn|iv|img|image|ic|icon|button|view|layout|container|root|action|menu|item|id)(?=_|$)")


def _infer_label(draft: Draft) -> Draft:
    """A nameless target is called after its resource id: `btn_search` says "search"; obfuscated ids nothing."""
    if draft.named or not draft.interactable or draft.role == "list" or "/" not in draft.resource_id:
        return draft
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", draft.resource_id.rsplit("/", 1)[1]).lower()
    words = " ".join(_NOISE.sub("", words).replace("_", " ").split())
    if "obfuscated" in words or not re.search(r"[a-z]{3}", words):
        return draft
    return replace(draft, label=words, confidence=min(draft.confidence, 0.8))


def number(found: Sequence[Draft], dp: Dp, most: int = _MOST) -> tuple[Element, ...]:
    """Cap, sort into reading order, number from 1 and give every element its key."""
    kept = sorted(range(len(found)), key=lambda i: _rank(found[i]))[:most]
    ordered = reading_order([found[i] for i in sorted(kept)], dp)
    keys = _keys(ordered)
    return tuple(
        Element(
            mark=i + 1,
            key=keys[i],
            box=draft.box,
            click=draft.click,
            role=draft.role,
            text=draft.text,
            label=draft.label,
            states=draft.states,
            sources=draft.sources,
            confidence=draft.confidence,
            interactable=draft.interactable,
            password=draft.password,
            resource_id=draft.resource_id,
        )
        for i, draft in enumerate(ordered)
    )


def _rank(draft: Draft) -> tuple[bool, bool, bool, float]:
    """Most useful first: touchable before mere text, named before nameless, certain before likely."""
    blocked = not draft.states.isdisjoint({"blocked", "disabled"})
    return (not draft.interactable or blocked, not draft.named, Source.TREE not in draft.sources, -draft.confidence)


def reading_order(found: Sequence[Draft], dp: Dp) -> list[Draft]:
    """Rows from top to bottom, within a row from left to right.

    A row takes in what has its middle within 12 dp of the first one's; high things (lists, cards) count with
    the middle of their first 48 dp, a touch target's height.
    """

    def middle(draft: Draft) -> float:
        return draft.box.top + min(draft.box.height, 48 * dp.y) / 2

    out: list[Draft] = []
    row: list[Draft] = []
    for draft in sorted(found, key=lambda d: (middle(d), d.box.left)):
        if row and middle(draft) - middle(row[0]) > 12 * dp.y:
            out += sorted(row, key=lambda d: (d.role != "list", d.box.left, d.box.top))
            row = []
        row.append(draft)
    return out + sorted(row, key=lambda d: (d.role != "list", d.box.left, d.box.top))


def _keys(ordered: Sequence[Draft]) -> list[str]:
    """Names that last from screen to screen: resource id, role and title; a counter for equals.

    What changes while a thing stays the same is left out: a field's content, a switch's state, a row's details.
    """
    seen: Counter[str] = Counter()
    out = []
    for draft in ordered:
        name = draft.label if draft.role == "text_field" else title(draft.text) or title(draft.label)
        stem = ":".join(part for part in (draft.resource_id, draft.role, name[:60]) if part)
        seen[stem] += 1
        out.append(stem if seen[stem] == 1 else f"{stem}#{seen[stem]}")
    return out
