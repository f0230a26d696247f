"""From OCR lines alone to drafts: the way that needs no accessibility tree.

What lines cannot show is not guessed: a switch has no text, so its row's title is what gets touched.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from device.geometry import Box
from perception.base import TextLine
from perception.draft import Dp, Draft
from perception.ocr import is_chinese, is_icon
from perception.screen import Source

# Same left edge and gap below which lines belong together. The reference measured 6 dp and .9 of a line on
# tight boxes; PP-OCR's boxes are a quarter higher than the writing, which leaves about half a line.
_ALIGNED_DP = 6
_GAP = 0.5
_HEIGHT_RATIO = 1.9
# A line whose letters are this much smaller than the line above is a detail below a title.
_SMALLER = 0.87
# Letter widths of short lines are estimated within 15 %; beyond 20 % the size is another.
_OTHER = 0.8
# A picture does not say what can be touched, so what only OCR saw is never as certain as a tree node.
_LIKELY = 0.7
# Android's status bar is 24 dp, with a camera cutout up to 48, its text 12 sp in the middle; the clock's box
# comes out up to 25 dp high. A full-screen app's 56 dp title bar has its title lower and larger.
_STATUS_DP, _STATUS_TEXT_DP = 36, 26
_NAVIGATION_DP = 48
# A floating label's middle lies on its field's edge; words of one content stand closer than a button in the field.
_ON_EDGE_DP, _WORDS_APART_DP = 8, 32
# Status bar and title bar of an app.
_TITLE_BAR_DP = 112
# What no text begins with: a lone Q or X, enclosed digits, symbols. Quotes, brackets, signs of money and numbers
# and the marks of hashes, mentions and lists do begin texts.
_ICON_FIRST = re.compile(
    r"""[QqXx] (?=\w{2})|[\u2460-\u24ff]\s*(?=\w)|[^\w\s"'“”‘’„«»()\[\]{}<>#@$€£¥₹+\-–—−.,~&*¿¡…/%!?•✓]+\s*(?=\w)"""
)
# Letters alone on a key; fewer than eight also occur elsewhere (avatars, calculators have signs).
_KEYS = 8


@dataclass(frozen=True, slots=True)
class Reading:
    """OCR lines sorted into writing and pictures that were taken for writing."""

    lines: tuple[TextLine, ...]
    icons: tuple[TextLine, ...]
    keyboard: Box | None


def sort_lines(
    lines: Sequence[TextLine], dp: Dp, *, content: Box, keyboard: Box | None, typing: bool | None
) -> Reading:
    """Leave out system bars and keyboard, and set icons apart.

    `content` and `keyboard` come from the tree where there is one. Without, the bars are known by place and
    size, and the keyboard (unless `typing` is False) by its single letters.
    """
    chinese = sum(len(line.text) > 1 and is_chinese(line.text) for line in lines) >= 2
    guess = content == Box(0.0, 0.0, 1.0, 1.0)
    if keyboard is None and typing is not False:
        keyboard = _keyboard(lines, dp)
    writing: list[TextLine] = []
    icons: list[TextLine] = []
    for line in lines:
        center = line.box.center
        if not content.contains(center) or (keyboard is not None and keyboard.contains(center)):
            continue
        if guess and _in_status_bar(line.box, dp):
            continue
        if not is_icon(line, dp, chinese=chinese):
            icon, line = _split_icon(line, dp)
            writing.append(line)
            icons += [icon] if icon is not None else []
        elif center.y < 1 - _NAVIGATION_DP * dp.y:
            icons.append(line)
    return Reading(tuple(writing), tuple(icons), keyboard)


def _in_status_bar(box: Box, dp: Dp) -> bool:
    return box.bottom <= _STATUS_DP * dp.y and dp.height(box) <= _STATUS_TEXT_DP


def _split_icon(line: TextLine, dp: Dp) -> tuple[TextLine | None, TextLine]:
    """A line and the icon that was read as its beginning: "Q Search", "① System", in title bars "X Edit"."""
    match = _ICON_FIRST.match(line.text)
    if match is None or (match[0][0] in "Xx" and line.box.top > _TITLE_BAR_DP * dp.y):
        return None, line
    box = line.box
    # The icon is about as wide as high, then comes a gap.
    cut = box.left + min(1.3 * _letter_width(line), 0.5 * box.width)
    icon = TextLine(Box(box.left, box.top, cut, box.bottom), match[0].strip(), line.score)
    return icon, TextLine(Box(cut, box.top, box.right, box.bottom), line.text[match.end() :], line.score)


def _keyboard(lines: Sequence[TextLine], dp: Dp) -> Box | None:
    """From a row of keys above the topmost letter to the bottom, where the lower half is full of letters."""
    keys = [line.box for line in lines if len(line.text) == 1 and line.text.isalnum() and line.box.top > 0.45]
    if len(keys) < _KEYS:
        return None
    return Box(0.0, max(min(key.top for key in keys) - 12 * dp.y, 0.0), 1.0, 1.0)


def drafts(reading: Reading, dp: Dp, frames: Sequence[Box] = ()) -> tuple[Draft, ...]:
    """Fields in `frames`, paragraphs and icons as drafts that can likely be touched."""
    left = list(reading.lines)
    found: list[Draft] = []
    for frame in frames:
        within = [line for line in left if dp.grow(frame, _ON_EDGE_DP).contains(line.box.center)]
        field, used = _field(frame, within, dp)
        if field is not None:
            found.append(field)
            left = [line for line in left if line not in used]
    found += [_paragraph(group) for group in grouped(left, dp)]
    found += [
        Draft(
            box=icon.box,
            click=icon.box.center,
            role="image",
            sources=frozenset({Source.OCR}),
            confidence=round(_LIKELY * icon.score, 3),
        )
        for icon in reading.icons
    ]
    return tuple(found)


def _field(frame: Box, within: Sequence[TextLine], dp: Dp) -> tuple[Draft | None, list[TextLine]]:
    """A field and the lines it has taken: the label on the upper edge, or small above the content; the content.

    A single line inside may be either; it is kept as text. Words far from the first stand for buttons within.
    """
    edge = [line for line in within if abs(line.box.center.y - frame.top) <= _ON_EDGE_DP * dp.y]
    inside = sorted((line for line in within if line not in edge), key=lambda line: (line.box.left, line.box.top))
    if not within or len(edge) > 1:
        return None, []
    content: list[TextLine] = []
    for line in inside:
        if not content or line.box.left - max(c.box.right for c in content) <= _WORDS_APART_DP * dp.x:
            content.append(line)
    content.sort(key=lambda line: line.box.top)
    label = edge[:1]
    if not label and len(content) == 2 and content[0].box.bottom <= content[1].box.center.y:
        label, content = content[:1], content[1:]
    content.sort(key=lambda line: line.box.left)
    used = [*label, *content]
    draft = Draft(
        box=frame,
        click=content[0].box.center if content else frame.center,
        role="text_field",
        text=" ".join(line.text for line in content),
        label=label[0].text if label else "",
        sources=frozenset({Source.OCR}),
        confidence=round(_LIKELY * min(line.score for line in used), 3),
    )
    return draft, used


def grouped(lines: Sequence[TextLine], dp: Dp) -> tuple[tuple[TextLine, ...], ...]:
    """Lines that stand closely below each other with one left edge, top to bottom.

    All of one size, except that a single line may head others: a title its details, a label its value.
    """
    groups: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda line: (line.box.top, line.box.left)):
        home = next((group for group in reversed(groups) if _continues(group, line, dp)), None)
        if home is None:
            groups.append([line])
        else:
            home.append(line)
    return tuple(map(tuple, groups))


def _continues(group: Sequence[TextLine], line: TextLine, dp: Dp) -> bool:
    above, below = group[-1].box, line.box
    low, high = sorted((above.height, below.height))
    if low <= 0 or high / low > _HEIGHT_RATIO:
        return False
    gap = below.top - above.bottom
    if not -0.5 * low < gap < _GAP * low or abs(above.left - below.left) > _ALIGNED_DP * dp.x:
        return False
    return len(group) == 1 or _size_ratio(group[-1], line) > _OTHER


def _size_ratio(a: TextLine, b: TextLine) -> float:
    """Of the letters' sizes, smaller to larger, 0 to 1."""
    low, high = sorted((_letter_width(a), _letter_width(b)))
    return low / high


def _paragraph(group: Sequence[TextLine]) -> Draft:
    """Touched at its largest line: a title links to the whole, a detail below may link elsewhere, and the label
    above a value floats on the edge of its field."""
    box = group[0].box
    for line in group[1:]:
        box = box.union(line.box)
    widths = [_letter_width(line) for line in group]
    even = min(widths) > _SMALLER * max(widths)
    return Draft(
        box=box,
        click=box.center if even else group[widths.index(max(widths))].box.center,
        role="text",
        text=written(group),
        sources=frozenset({Source.OCR}),
        confidence=round(_LIKELY * min(line.score for line in group), 3),
    )


def written(group: Sequence[TextLine]) -> str:
    """A wrapped sentence becomes one line again; a title keeps its details on the next."""
    out = group[0].text
    right = max(line.box.right for line in group)
    for above, line in pairwise(group):
        em = _letter_width(line)
        same_size = _size_ratio(above, line) > _SMALLER
        # A line that wraps had no room for the next line's first word.
        word = line.box.width if is_chinese(line.text) else line.box.width * len(line.text.split()[0]) / len(line.text)
        full = above.box.right + (min(word, 2 * em) if is_chinese(line.text) else word) > right * 0.98
        if same_size and full:
            # Chinese and its punctuation take no spaces.
            out += line.text if min(above.text[-1], line.text[0]) > "\u2e80" else " " + line.text
        else:
            out += "\n" + line.text
    return out


def _letter_width(line: TextLine) -> float:
    """Width of one em as a fraction of the frame, from usual proportions of sans-serif letters."""
    ems = 0.0
    for sign in line.text:
        if is_chinese(sign) or sign > "\u2e80":
            ems += 1.0
        elif sign in "iljtfrI.,:;'|!()[] 1":
            ems += 0.3
        else:
            ems += 0.62 if sign.isupper() or sign in "mw" else 0.53
    return line.box.width / max(ems, 0.3)
