"""From tree nodes to drafts: what can be touched, what it is called, where to touch it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from device.geometry import Box, Point
from perception.draft import Dp, Draft, title
from perception.screen import Source
from perception.tree import Tree, TreeNode

# Thinner things are dividers and ghosts of web pages; the smallest real target measured is a 24 dp icon.
_THINNEST_DP = 8
# A container over half the screen that holds targets of its own only catches stray touches.
_LARGE = 0.5
# Texts of one row: title, summary and one value; more is a list that names nothing.
_MAX_TEXTS = 3
_SAME_BOX = 0.9
_ROLE_OF_CLASS = (
    (re.compile(r"Switch|ToggleButton"), "switch"),
    (re.compile(r"CheckBox|CheckedTextView"), "checkbox"),
    (re.compile(r"RadioButton"), "radio"),
    (re.compile(r"SeekBar|Slider|RatingBar"), "slider"),
    (re.compile(r"(^|Bar|\$)Tab(View)?$|NavigationBarItemView|BottomNavigationItemView"), "tab"),
    (re.compile(r"Button$|Spinner$|Chip$"), "button"),
)
_TAB_BARS = re.compile(r"TabLayout|TabWidget|BottomNavigation|NavigationBarMenuView|NavigationBarView")
_LISTS = re.compile(r"RecyclerView|ListView|GridView|ExpandableListView")
_CONTROLS = frozenset({"switch", "checkbox", "radio"})
_STATES = {"selected": "selected", "focused": "focused", "scrollable": "scrollable"}


def drafts(tree: Tree, dp: Dp) -> tuple[Draft, ...]:
    """One draft per thing that takes a finger, and one per text or described picture between them.

    What a later-drawn sibling or another window covers is left out; what lies under the keyboard stays, with
    the state `blocked`. Order is the document's.
    """
    shown = [node for node in tree.shown() if node.box is not None]
    candidates = {node.index for node in shown if node.touchable and _thick(node, dp)}
    controls = _absorbed_controls(tree, candidates)
    candidates -= set(controls.values())
    wrappers = _superfluous(tree, candidates)
    candidates -= set(wrappers)
    hits = _hit_points(tree, [tree.nodes[i] for i in sorted(candidates)])
    consumed = {wrapper for wrapper, twin in wrappers.items() if twin >= 0}
    around = {twin: tree.nodes[wrapper] for wrapper, twin in wrappers.items()}
    made: list[Draft] = []
    for index in sorted(candidates):
        node = tree.nodes[index]
        draft, used = _target(tree, node, controls.get(index, -1), candidates)
        consumed |= used
        if not draft.named and index in around and not node.editable:
            draft = replace(draft, text=around[index].text, label=around[index].desc)
        placed = _placed(draft, hits[index], tree.keyboard)
        if placed is not None:
            made.append(placed)
    made = _name_from_surroundings(tree, made, candidates, consumed)
    made += _texts(tree, shown, candidates, consumed, set(controls.values()), dp)
    return tuple(sorted(made, key=lambda draft: draft.node))


def _thick(node: TreeNode, dp: Dp) -> bool:
    return node.box is not None and dp.width(node.box) >= _THINNEST_DP and dp.height(node.box) >= _THINNEST_DP


def _absorbed_controls(tree: Tree, candidates: set[int]) -> dict[int, int]:
    """Rows that toggle as a whole: clickable node -> its one checkable child that takes no clicks itself."""
    found: dict[int, list[int]] = {}
    for index in candidates:
        flags = tree.nodes[index].flags
        if "checkable" not in flags or "clickable" in flags:
            continue
        row = next((a for a in tree.ancestors(index) if a.index in candidates and "clickable" in a.flags), None)
        if row is not None:
            found.setdefault(row.index, []).append(index)
    return {row: children[0] for row, children in found.items() if len(children) == 1}


def _superfluous(tree: Tree, candidates: set[int]) -> dict[int, int]:
    """Targets that only wrap other targets: nameless containers, huge ones, and the same box twice.

    Each with the target inside that has its very box, or -1.
    """
    inner: dict[int, list[int]] = {}
    for index in candidates:
        for ancestor in tree.ancestors(index):
            if ancestor.index in candidates:
                inner.setdefault(ancestor.index, []).append(index)
    out: dict[int, int] = {}
    for index, within in inner.items():
        node = tree.nodes[index]
        assert node.box is not None
        scrolls = "scrollable" in node.flags
        rivals = [tree.nodes[i] for i in within if ("scrollable" in tree.nodes[i].flags) == scrolls]
        twin = next((r.index for r in rivals if r.box is not None and r.box.iou(node.box) > _SAME_BOX), -1)
        if twin >= 0 or (not scrolls and (node.box.area > _LARGE or not _own_names(tree, node, candidates))):
            out[index] = twin
    return out


def _belonging(tree: Tree, node: TreeNode, others: set[int]) -> list[TreeNode]:
    """Visible descendants that no other target holds."""
    out: list[TreeNode] = []
    stack = list(reversed(node.children))
    while stack:
        index = stack.pop()
        if index in others:
            continue
        child = tree.nodes[index]
        if child.box is not None:
            out.append(child)
        stack.extend(reversed(child.children))
    return out


def _own_names(tree: Tree, node: TreeNode, candidates: set[int]) -> bool:
    below = _belonging(tree, node, candidates - {node.index})
    return bool(node.text or node.desc or any(child.text or child.desc for child in below))


def _target(tree: Tree, node: TreeNode, control: int, candidates: set[int]) -> tuple[Draft, set[int]]:
    """The draft of one target and the nodes whose texts it has taken."""
    scrolls = "scrollable" in node.flags and not node.editable and "clickable" not in node.flags
    below = [] if scrolls else _belonging(tree, node, candidates - {node.index})
    switch = tree.nodes[control] if control >= 0 else None
    used = {child.index for child in below}
    assert node.box is not None
    draft = Draft(
        box=node.box,
        click=node.box.center,
        role=_role(tree, node, switch, below, scrolls),
        states=_states(node, switch),
        sources=frozenset({Source.TREE}),
        # Read-only fields that open a picker call themselves disabled and take the tap all the same.
        interactable=node.enabled or (node.editable and "clickable" in node.flags),
        password="password" in node.flags,
        resource_id=node.resource_id,
        node=node.index,
    )
    if node.editable:
        return _field(draft, node, below), used
    texts = [node.text] if node.text and not scrolls else _row_texts(below, control)
    label = node.desc or _row_label(below, control)
    text = "\n".join(texts)
    return replace(draft, text=text, label="" if label in (text, *texts) else label), used


def _field(draft: Draft, node: TreeNode, below: list[TreeNode]) -> Draft:
    """A text field: its content is the text; hint, description or a text drawn inside (Compose) the label.

    Dumps of Android 7 and older have no `hint` and write it as the text of an empty field: not to be told.
    """
    inside = next((child.text or child.desc for child in below if child.text or child.desc), "")
    label = node.hint or node.desc or inside
    text = "" if draft.password or node.text == node.hint else node.text
    # Compose repeats a field's content as its description when it has no other name.
    return replace(draft, text=text, label="" if label == text and not node.hint else label)


def _row_texts(below: list[TreeNode], control: int) -> list[str]:
    """Title first, then what else is written in the row; ON and OFF of its switch are its state."""
    found = [child for child in below if child.text and child.index != control]
    found.sort(key=lambda child: not re.search(r"title$|/name$|headline$", child.resource_id))
    out: list[str] = []
    for child in found:
        if child.text not in out:
            out.append(child.text)
    return out[:_MAX_TEXTS]


def _row_label(below: list[TreeNode], control: int) -> str:
    """Descriptions of pictures within; one that repeats a text adds nothing."""
    texts = {child.text for child in below}
    out = [child.desc for child in below if child.desc and child.desc not in texts and child.index != control]
    return ", ".join(dict.fromkeys(out[:_MAX_TEXTS]))


def _role(tree: Tree, node: TreeNode, switch: TreeNode | None, below: list[TreeNode], scrolls: bool) -> str:
    if node.editable:
        return "text_field"
    own = _class_role(switch if switch is not None else node)
    if own:
        return own
    if switch is not None or "checkable" in node.flags:
        return "checkbox"
    if scrolls:
        return "list"
    ancestors = list(tree.ancestors(node.index))
    if any(_TAB_BARS.search(a.cls) for a in ancestors[:4]):
        return "tab"
    inside = next((role for child in below if (role := _class_role(child)) and not child.touchable), "")
    if inside:
        return inside
    in_list = any(_LISTS.search(a.cls) or "scrollable" in a.flags for a in ancestors[:4])
    assert node.box is not None
    written = bool(node.text) or any(child.text for child in below)
    return "list_item" if written and (in_list or node.box.width > 0.6) else "button"


def _class_role(node: TreeNode) -> str:
    return next((role for pattern, role in _ROLE_OF_CLASS if pattern.search(node.cls)), "")


def _states(node: TreeNode, switch: TreeNode | None) -> frozenset[str]:
    out = {state for flag, state in _STATES.items() if flag in node.flags}
    control = switch if switch is not None else node
    if "checkable" in control.flags:
        out.add("checked" if "checked" in control.flags else "unchecked")
    if not node.enabled:
        out.add("disabled")
    return frozenset(out)


def _hit_points(tree: Tree, targets: list[TreeNode]) -> dict[int, Point | None]:
    """Per target the place nearest its centre where it, and nothing drawn above it, gets the touch.

    Android hands a touch to the last drawn view under the finger that wants it; the keyboard takes all its
    own. Tried are the centre and then a grid of 7 by 7 over the box. None: covered everywhere.
    """
    if not targets:
        return {}
    boxes = np.array([(t.box.left, t.box.top, t.box.right, t.box.bottom) for t in targets if t.box is not None])
    paint = np.array([t.paint for t in targets])
    # A list takes drags, not taps: what it overlaps is still tapped. Text that scrolls is no rival either.
    rivals = np.array(["scrollable" not in t.flags or "clickable" in t.flags for t in targets])
    steps = [i / 8 for i in (4, 3, 5, 2, 6, 1, 7)]
    grid = np.array(sorted(((x, y) for x in steps for y in steps), key=lambda p: max(abs(p[0] - 0.5), abs(p[1] - 0.5))))
    out: dict[int, Point | None] = {}
    for i, target in enumerate(targets):
        left, top, right, bottom = boxes[i]
        points = np.column_stack((left + grid[:, 0] * (right - left), top + grid[:, 1] * (bottom - top)))
        above = boxes[(paint > paint[i]) & rivals]
        touching = (above[:, 0] < right) & (above[:, 2] > left) & (above[:, 1] < bottom) & (above[:, 3] > top)
        free = ~_inside_any(points, above[touching])
        if tree.keyboard is not None:
            k = tree.keyboard
            free &= ~_inside_any(points, np.array([(k.left, k.top, k.right, k.bottom)]))
        first = int(np.argmax(free))
        out[target.index] = Point(*map(float, points[first])) if free[first] else None
    return out


def _inside_any(points: NDArray[np.float64], boxes: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Shape (points,): whether some box holds the point."""
    x, y = points[:, :1], points[:, 1:]
    inside = (boxes[:, 0] <= x) & (x < boxes[:, 2]) & (boxes[:, 1] <= y) & (y < boxes[:, 3])
    return np.asarray(inside.any(axis=1), dtype=np.bool_)


def _placed(draft: Draft, hit: Point | None, keyboard: Box | None) -> Draft | None:
    """The draft with its click point, cut off where the keyboard begins; None when it is covered."""
    box = draft.box
    if keyboard is not None and (common := box.intersection(keyboard)) is not None:
        if common.area > _SAME_BOX * box.area or (hit is None and keyboard.contains(box.center)):
            return replace(draft, interactable=False, states=draft.states | {"blocked"})
        if box.top < keyboard.top < box.bottom:
            box = Box(box.left, box.top, box.right, keyboard.top)
    if draft.role == "list":
        return replace(draft, box=box, click=box.center)
    return replace(draft, box=box, click=hit) if hit is not None else None


def _name_from_surroundings(tree: Tree, made: list[Draft], candidates: set[int], consumed: set[int]) -> list[Draft]:
    """Give nameless controls and fields the title that stands in the same row or, for fields, just above.

    A switch beside a clickable row, a slider under its caption, a field under its form label.
    """
    out = []
    for draft in made:
        wants = (draft.role in _CONTROLS and not draft.text) or draft.role in ("slider", "text_field")
        caption = _caption(tree, tree.nodes[draft.node], candidates) if wants and not draft.label else None
        if caption is None:
            out.append(draft)
            continue
        if draft.role not in _CONTROLS:
            consumed.add(caption.index)
        out.append(replace(draft, label=title(caption.text)))
    return out


def _caption(tree: Tree, node: TreeNode, candidates: set[int]) -> TreeNode | None:
    """The text that stands with a control in the smallest of its next three ancestors that holds any.

    For a field the nearest fitting one in document order, for other controls the first: the row's title.
    """
    assert node.box is not None
    own = {node.index, *(child.index for child in tree.descendants(node.index))}
    for ancestor in list(tree.ancestors(node.index))[:3]:
        if "scrollable" in ancestor.flags:
            return None
        others = candidates - {ancestor.index} if node.editable else set()
        nearby = [c for c in _belonging(tree, ancestor, others) if c.text and c.index not in own and not c.editable]
        fitting = [child for child in nearby if _captions(child, node.box, field=node.editable)]
        if fitting:
            return fitting[-1] if node.editable else fitting[0]
    return None


def _captions(text: TreeNode, box: Box, *, field: bool) -> bool:
    """Left of a control in the same row, or above it; a field's label begins where the field does."""
    if text.box is None:
        return False
    level = min(text.box.bottom, box.bottom) > max(text.box.top, box.top)
    if field:
        # Half the field's own height between label and field is the most that forms leave.
        gap = box.top - text.box.bottom
        return not level and -0.01 <= gap <= 0.5 * box.height and abs(text.box.left - box.left) < 0.06
    return (level and text.box.center.x < box.center.x) or (not level and text.box.center.y < box.center.y)


def _texts(
    tree: Tree, shown: Iterable[TreeNode], candidates: set[int], consumed: set[int], controls: set[int], dp: Dp
) -> list[Draft]:
    """What is written or shown between the targets, and can be seen."""
    out = []
    for node in shown:
        if node.index in candidates or node.index in consumed or node.index in controls or node.box is None:
            continue
        if "password" in node.flags or not (node.text or (node.desc and not node.children)):
            continue
        if tree.keyboard is not None and tree.keyboard.contains(node.box.center):
            continue
        # Flutter describes plain views that hold writing; a small square one is an icon.
        square = dp.width(node.box) <= 1.5 * dp.height(node.box)
        picture = "Image" in node.cls or square
        out.append(
            Draft(
                box=node.box,
                click=node.box.center,
                role="image" if picture and not node.text else "text",
                text=node.text,
                label=node.desc if node.desc != node.text else "",
                sources=frozenset({Source.TREE}),
                interactable=False,
                resource_id=node.resource_id,
                states=frozenset() if node.enabled else frozenset({"disabled"}),
                node=node.index,
            )
        )
    return out
