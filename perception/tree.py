"""An accessibility dump (`uiautomator dump` or uiautomator2's) as nodes and windows.

Stock dumps have one root; uiautomator2's have one per window in no promised order, with more attributes;
vendors add their own. Whatever is missing gets Android's default, whatever is unknown is ignored.
Facts: AOSP `AccessibilityNodeInfoDumper`, openatx/android-uiautomator-server `AccessibilityNodeInfoDumper`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from xml.etree import ElementTree

from device.frame import Foreground
from device.geometry import Box, Size
from perception.draft import Dp
from perception.errors import BrokenTree

# Recorded dumps hold about 500 characters a node, so this is some 40,000 nodes: no screen, a mistake.
_MAX_CHARACTERS = 20_000_000
# Thickest system bar: three navigation buttons take 48 dp, status bars around a camera cutout up to 50.
_BAR_DP = 64
_FLAGS = (
    "checkable",
    "checked",
    "clickable",
    "focusable",
    "focused",
    "scrollable",
    "long-clickable",
    "password",
    "selected",
)
_BOUNDS = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]")
_SURROGATES = re.compile(r"&#(5[5-7]\d{3});&#(5[5-7]\d{3});")
_REFERENCE = re.compile(r"&#(?:x([0-9a-fA-F]+)|(\d+));")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
# Zero-width and direction marks and the stand-in for embedded pictures: drawn as nothing.
_INVISIBLE = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ufffc]")
_KEYBOARD_PACKAGE = re.compile(r"inputmethod|keyboard|(^|\.)ime(\.|$)|swiftkey|\.input(\.|$)", re.IGNORECASE)
_KEYBOARD_IDS = ("android:id/inputArea", "android:id/candidatesArea")
_SYSTEM_UI = "com.android.systemui"
_SYSTEM_DIALOGS = re.compile(r"^android$|permissioncontroller|packageinstaller", re.IGNORECASE)
_DRAWN_BY_APP = re.compile(r"WebView|SurfaceView|TextureView|UnityPlayer|GLSurface|FlutterSurface", re.IGNORECASE)
_TOUCH = frozenset({"clickable", "long-clickable", "checkable", "scrollable"})
_FINGER = re.compile(r"EditText|AutoCompleteTextView|SearchAutoComplete|TextInput$|SeekBar|Slider|RatingBar")
_EDITABLE = re.compile(r"EditText|AutoCompleteTextView|SearchAutoComplete|TextInput$", re.IGNORECASE)


class WindowKind(StrEnum):
    APP = "app"
    STATUS_BAR = "status_bar"
    NAVIGATION_BAR = "navigation_bar"
    KEYBOARD = "keyboard"
    TOAST = "toast"


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeNode:
    """One node. `box` is what can be seen of it, None when nothing can; `cls` is the class's last word.

    `paint` orders nodes from the first drawn to the last, across windows: of two that overlap, the greater
    one gets the touch. `parent` and `children` are indices in `Tree.nodes`, parent -1 for a root.
    """

    index: int
    parent: int
    children: tuple[int, ...]
    window: int
    paint: int
    depth: int
    cls: str
    package: str
    resource_id: str
    text: str
    desc: str
    hint: str
    flags: frozenset[str]
    enabled: bool
    box: Box | None

    @property
    def editable(self) -> bool:
        return _EDITABLE.search(self.cls) is not None

    @property
    def touchable(self) -> bool:
        """Takes a finger: clickable, long-clickable, checkable, scrollable, editable or a slider.

        Sliders are dragged and report no click; fields of some toolkits report none either.
        """
        return not self.flags.isdisjoint(_TOUCH) or _FINGER.search(self.cls) is not None

    @property
    def drawn_by_app(self) -> bool:
        """A surface whose inside the tree may not know: web page, video, game."""
        return _DRAWN_BY_APP.search(self.cls) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One top node. `behind` says that another window has taken all touches from it."""

    kind: WindowKind
    package: str
    root: int
    box: Box
    behind: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """Nodes in document order and windows from the lowest to the topmost.

    `content` is the frame without status and navigation bar as far as the dump shows them; `keyboard` is the
    on-screen keyboard's box. `rotation` is the dump's own, in quarter turns.
    """

    nodes: tuple[TreeNode, ...]
    windows: tuple[Window, ...]
    content: Box
    keyboard: Box | None
    rotation: int

    def shown(self) -> Iterator[TreeNode]:
        """Nodes of application windows and toasts that can be seen and are not behind a dialog."""
        kinds = (WindowKind.APP, WindowKind.TOAST)
        open_windows = {i for i, w in enumerate(self.windows) if w.kind in kinds and not w.behind}
        return (node for node in self.nodes if node.box is not None and node.window in open_windows)

    def descendants(self, index: int) -> Iterator[TreeNode]:
        """Everything below a node, in document order, without the node itself."""
        stack = list(reversed(self.nodes[index].children))
        while stack:
            node = self.nodes[stack.pop()]
            yield node
            stack.extend(reversed(node.children))

    def ancestors(self, index: int) -> Iterator[TreeNode]:
        """From the parent up to the root."""
        index = self.nodes[index].parent
        while index >= 0:
            yield self.nodes[index]
            index = self.nodes[index].parent


_NOBODY = Foreground()


def parse(xml: str, size: Size, foreground: Foreground = _NOBODY) -> Tree:
    """Read a dump made on a frame of that size. Raises BrokenTree.

    An empty hierarchy is no error: it gives a tree without nodes.
    """
    hierarchy = _hierarchy(xml)
    nodes = _collect(hierarchy, size)
    roots = [node.index for node in nodes if node.parent < 0]
    kinds = {root: _kind(nodes, root, size, foreground) for root in roots}
    order = _stack(nodes, roots, kinds, foreground)
    windows = _windows(nodes, order, kinds)
    place = {root: i for i, root in enumerate(order)}
    arranged = _arrange(nodes, order, place)
    return Tree(
        nodes=arranged,
        windows=windows,
        content=_content(arranged, windows, Dp.of(size)),
        keyboard=_keyboard(arranged, windows),
        rotation=int(rotation) if (rotation := hierarchy.get("rotation", "0")).isdigit() else 0,
    )


@dataclass(slots=True)
class _Raw:
    """A node while the tree is still being built."""

    index: int
    parent: int
    depth: int
    cls: str
    package: str
    resource_id: str
    text: str
    desc: str
    hint: str
    flags: frozenset[str]
    enabled: bool
    box: Box | None
    drawing_order: int
    children: list[int] = field(default_factory=list)

    @property
    def touchable(self) -> bool:
        return not self.flags.isdisjoint(_TOUCH) or _FINGER.search(self.cls) is not None


def _hierarchy(xml: str) -> ElementTree.Element:
    if len(xml) > _MAX_CHARACTERS:
        raise BrokenTree(f"the dump has {len(xml)} characters; more than {_MAX_CHARACTERS} cannot be one screen")
    start = xml.find("<hierarchy")
    if start < 0:
        raise BrokenTree(f"no <hierarchy> in a dump of {len(xml)} characters")
    if "<!" in xml[:start]:
        raise BrokenTree("the dump declares a document type, which uiautomator never does")
    end = xml.rfind("</hierarchy>")
    if end < 0:
        closed = re.match(r"<hierarchy[^<>]*/>", xml[start:])
        if closed is None:
            raise BrokenTree(f"the dump is cut off after {len(xml)} characters")
        body = closed.group()
    else:
        body = xml[start : end + len("</hierarchy>")]
    try:
        return ElementTree.fromstring(_legal(body))  # noqa: S314 - declarations are refused above
    except ElementTree.ParseError as error:
        raise BrokenTree(f"the dump is no XML: {error}") from error


def _legal(body: str) -> str:
    """Repair what phones write and XML forbids: emoji as two surrogates, control characters."""

    def pair(match: re.Match[str]) -> str:
        high, low = int(match[1]), int(match[2])
        if 0xD800 <= high < 0xDC00 <= low < 0xE000:
            return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
        return ""

    def single(match: re.Match[str]) -> str:
        code = int(match[1], 16) if match[1] else int(match[2])
        legal = code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0x10000 <= code < 0x110000
        return match[0] if legal else "."

    return _CONTROL.sub(".", _REFERENCE.sub(single, _SURROGATES.sub(pair, body)))


def _collect(hierarchy: ElementTree.Element, size: Size) -> list[_Raw]:
    nodes: list[_Raw] = []
    whole = Box(0.0, 0.0, 1.0, 1.0)
    stack: list[tuple[ElementTree.Element, int, int, Box]] = [(c, -1, 0, whole) for c in reversed(hierarchy)]
    while stack:
        xml, parent, depth, clip = stack.pop()
        node = _raw(xml, len(nodes), parent, depth, clip, size)
        nodes.append(node)
        if parent >= 0:
            nodes[parent].children.append(node.index)
        # Children of a scrolling container show only through it; other parents may be smaller than what
        # they hold (Compose), so they do not clip.
        if "scrollable" in node.flags and node.box is not None:
            clip = node.box
        stack.extend((child, node.index, depth + 1, clip) for child in reversed(xml))
    return nodes


def _raw(xml: ElementTree.Element, index: int, parent: int, depth: int, clip: Box, size: Size) -> _Raw:
    get = xml.attrib.get
    box = _box(get("bounds", ""), clip, size) if get("visible-to-user", "true") != "false" else None
    order = get("drawing-order", "0")
    return _Raw(
        index=index,
        parent=parent,
        depth=depth,
        cls=re.split(r"[.$]", get("class", xml.tag))[-1],
        package=get("package", ""),
        resource_id=get("resource-id", ""),
        text=clean(get("text", "")),
        desc=clean(get("content-desc", "")),
        hint=clean(get("hint", "")),
        flags=frozenset(flag for flag in _FLAGS if get(flag) == "true"),
        enabled=get("enabled", "true") != "false",
        box=box,
        drawing_order=int(order) if order.isdigit() else 0,
    )


def _box(bounds: str, clip: Box, size: Size) -> Box | None:
    match = _BOUNDS.fullmatch(bounds.strip())
    if match is None:
        return None
    left, top, right, bottom = map(int, match.groups())
    if left >= right or top >= bottom:
        return None
    return Box.from_pixel(left, top, right, bottom, size).intersection(clip)


def clean(text: str) -> str:
    """Text as people see it: invisible characters gone, white space single, written lines kept."""
    lines = (" ".join(line.split()) for line in _INVISIBLE.sub("", text).splitlines())
    return "\n".join(line for line in lines if line)


def _subtree(nodes: list[_Raw], root: int) -> Iterator[_Raw]:
    stack = [root]
    while stack:
        node = nodes[stack.pop()]
        yield node
        stack.extend(reversed(node.children))


def _kind(nodes: list[_Raw], root: int, size: Size, foreground: Foreground) -> WindowKind:
    node, dp = nodes[root], Dp.of(size)
    box = node.box
    if node.package == _SYSTEM_UI and box is not None:
        wide, flat = box.width > 0.5, dp.height(box) <= _BAR_DP
        if wide and flat and box.top < 0.01:
            return WindowKind.STATUS_BAR
        if (wide and flat and box.bottom > 0.99) or (not wide and dp.width(box) <= _BAR_DP):
            return WindowKind.NAVIGATION_BAR
    below = list(_subtree(nodes, root))
    if any(n.resource_id in _KEYBOARD_IDS for n in below):
        return WindowKind.KEYBOARD
    if _KEYBOARD_PACKAGE.search(node.package) and node.package != foreground.package:
        return WindowKind.KEYBOARD
    if box is not None and box.area < 0.25 and not any(n.touchable for n in below):
        return WindowKind.TOAST
    return WindowKind.APP


_LAYERS = (
    WindowKind.APP,
    WindowKind.KEYBOARD,
    WindowKind.TOAST,
    WindowKind.STATUS_BAR,
    WindowKind.NAVIGATION_BAR,
)


def _stack(nodes: list[_Raw], roots: list[int], kinds: dict[int, WindowKind], foreground: Foreground) -> list[int]:
    """Roots from the lowest window to the topmost.

    The order in the dump is not the order on the screen (uiautomator2 keeps windows in a hash set), so size
    decides: a dialog is smaller than what it covers. Equal sizes: the one that holds the focus is above.
    """

    def key(root: int) -> tuple[int, float, bool, bool, int]:
        box = nodes[root].box
        focused = any("focused" in node.flags for node in _subtree(nodes, root))
        return (
            _LAYERS.index(kinds[root]),
            -round(box.area, 1) if box is not None else 0.0,
            nodes[root].package == foreground.package,
            focused,
            root,
        )

    return sorted(roots, key=key)


def _windows(nodes: list[_Raw], order: list[int], kinds: dict[int, WindowKind]) -> tuple[Window, ...]:
    empty = Box(0.0, 0.0, 0.0, 0.0)
    found = [
        Window(kind=kinds[root], package=nodes[root].package, root=root, box=nodes[root].box or empty) for root in order
    ]
    takes_touch = [any(n.touchable and n.box is not None for n in _subtree(nodes, window.root)) for window in found]
    out = []
    for i, lower in enumerate(found):
        behind = lower.kind is WindowKind.APP and any(
            upper.kind is WindowKind.APP and takes_touch[j] and _is_modal(upper, lower)
            for j, upper in enumerate(found)
            if j > i
        )
        out.append(
            Window(kind=lower.kind, package=lower.package, root=lower.root, box=lower.box, behind=behind)
            if behind
            else lower
        )
    return tuple(out)


def _is_modal(upper: Window, lower: Window) -> bool:
    """A dialog or menu of the same app, a dialog of the system, or a window that covers the lower one.

    A bubble of another app only takes the touches on itself, and halves of a split screen do not overlap.
    """
    if upper.box.intersection(lower.box) is None:
        return False
    related = upper.package == lower.package or _SYSTEM_DIALOGS.search(upper.package) is not None
    return related or lower.box.inside(upper.box) > 0.9


def _arrange(nodes: list[_Raw], order: list[int], place: dict[int, int]) -> tuple[TreeNode, ...]:
    """Number nodes in painting order and freeze them."""
    paint = [0] * len(nodes)
    window = [0] * len(nodes)
    count = 0
    for root in order:
        stack = [root]
        while stack:
            node = nodes[stack.pop()]
            paint[node.index], window[node.index] = count, place[root]
            count += 1
            stack.extend(sorted(node.children, key=lambda c: (nodes[c].drawing_order, c), reverse=True))
    return tuple(
        TreeNode(
            index=n.index,
            parent=n.parent,
            children=tuple(n.children),
            window=window[n.index],
            paint=paint[n.index],
            depth=n.depth,
            cls=n.cls,
            package=n.package,
            resource_id=n.resource_id,
            text=n.text,
            desc=n.desc,
            hint=n.hint,
            flags=n.flags,
            enabled=n.enabled,
            box=n.box,
        )
        for n in nodes
    )


def _content(nodes: tuple[TreeNode, ...], windows: tuple[Window, ...], dp: Dp) -> Box:
    """The frame minus system bars, known from their own windows or from the backgrounds apps draw for them."""
    left, top, right, bottom = 0.0, 0.0, 1.0, 1.0
    bars = [w.box for w in windows if w.kind in (WindowKind.STATUS_BAR, WindowKind.NAVIGATION_BAR)]
    bars += [
        node.box
        for node in nodes
        if node.box is not None
        and node.resource_id in ("android:id/statusBarBackground", "android:id/navigationBarBackground")
    ]
    for bar in bars:
        if bar.width >= bar.height and dp.height(bar) <= _BAR_DP:
            if bar.top < 0.01:
                top = max(top, bar.bottom)
            elif bar.bottom > 0.99:
                bottom = min(bottom, bar.top)
        elif bar.height > 0.5 and dp.width(bar) <= _BAR_DP:
            if bar.left < 0.01:
                left = max(left, bar.right)
            elif bar.right > 0.99:
                right = min(right, bar.left)
    return Box(left, top, right, bottom)


def _keyboard(nodes: tuple[TreeNode, ...], windows: tuple[Window, ...]) -> Box | None:
    """The part of the keyboard's window that shows something: the window itself may span the screen."""
    places = {i for i, window in enumerate(windows) if window.kind is WindowKind.KEYBOARD}
    found: Box | None = None
    for node in nodes:
        if node.window not in places or node.box is None:
            continue
        if not node.children or node.touchable or node.resource_id in _KEYBOARD_IDS:
            found = node.box if found is None else found.union(node.box)
    return found
