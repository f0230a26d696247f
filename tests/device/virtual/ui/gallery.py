"""One node of every constructor, and how tests lay out, draw and read nodes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from device.virtual.ui import (
    A11yNode,
    A11yWindow,
    Act,
    AppIcon,
    Avatar,
    BottomNav,
    Box,
    Button,
    Card,
    Checkbox,
    Chip,
    Column,
    Dialog,
    Divider,
    Empty,
    Env,
    Fab,
    Grid,
    Icon,
    IconButton,
    Key,
    LayoutState,
    ListItem,
    Menu,
    MenuItem,
    Node,
    Picture,
    PilCanvas,
    Placed,
    Progress,
    Radio,
    RadioItem,
    Row,
    Scaffold,
    Scroll,
    SearchBar,
    SectionHeader,
    Slider,
    SliderItem,
    Spacer,
    Switch,
    SwitchItem,
    Tabs,
    Text,
    TextButton,
    TextField,
    Theme,
    TopBar,
    accessible,
    back,
    draw,
    lay_out,
)

WIDTH, HEIGHT, DENSITY = 400.0, 800.0, 1.0
ACT = Act("test.act")

ONE_OF_EACH: dict[str, Callable[[], Node]] = {
    "AppIcon": lambda: AppIcon("call", 160, label="Phone", color="on_surface", on_tap=ACT),
    "Avatar": lambda: Avatar("AL", hue=30),
    "BottomNav": lambda: BottomNav((("home", "Home"), ("search", "Search")), 0, ACT),
    "Box": lambda: Box(Text("inside"), bg="primary_container", pad=8),
    "Button": lambda: Button("Save", on_tap=ACT),
    "Card": lambda: Card(Text("inside")),
    "Checkbox": lambda: Checkbox(True, ACT, text="Agree"),
    "Chip": lambda: Chip("Deals", selected=True, on_tap=ACT),
    "Column": lambda: Column(Text("one"), Text("two"), gap=4),
    "Dialog": lambda: Dialog("Delete?", "For ever.", (TextButton("Cancel", on_tap=back()),), icon="delete"),
    "Divider": lambda: Divider(),
    "Empty": lambda: Empty("search", "Nothing here"),
    "Fab": lambda: Fab("add", desc="New", on_tap=ACT),
    "Grid": lambda: Grid(Text("a"), Text("b"), Text("c"), columns=2),
    "Icon": lambda: Icon("wifi"),
    "IconButton": lambda: IconButton("close", desc="Close", on_tap=ACT),
    "Key": lambda: Key("a", "a"),
    "ListItem": lambda: ListItem("Battery", summary="87%", icon="battery_full", on_tap=ACT),
    "Menu": lambda: Menu((("Settings", ACT), ("Help", ACT))),
    "MenuItem": lambda: MenuItem("Help", on_tap=ACT),
    "Picture": lambda: Picture(seed=2, w=90, h=160),
    "Progress": lambda: Progress(0.4),
    "Radio": lambda: Radio(True, "Yes", ACT),
    "RadioItem": lambda: RadioItem("Mobile", selected=True, on_change=ACT),
    "Row": lambda: Row(Text("one"), Text("two"), gap=4),
    "Scaffold": lambda: Scaffold(top=TopBar("Top"), body=Scroll(Text("body")), fab=Fab("add", desc="New", on_tap=ACT)),
    "Scroll": lambda: Scroll(Text("one"), Text("two")),
    "SearchBar": lambda: SearchBar("query", "Search"),
    "SectionHeader": lambda: SectionHeader("Sound"),
    "Slider": lambda: Slider(30, 0, 100, ACT),
    "SliderItem": lambda: SliderItem("Volume", 30, 0, 100, ACT, icon="volume_up"),
    "Spacer": lambda: Spacer(h=8),
    "Switch": lambda: Switch(True, ACT),
    "SwitchItem": lambda: SwitchItem("Wi-Fi", True, ACT, summary="On", icon="wifi"),
    "Tabs": lambda: Tabs(("One", "Two"), 1, ACT),
    "Text": lambda: Text("Hello"),
    "TextButton": lambda: TextButton("Cancel", on_tap=ACT),
    "TextField": lambda: TextField("name", label="Name"),
    "TopBar": lambda: TopBar("Title", on_nav=back(), actions=(IconButton("search", desc="Search", on_tap=ACT),)),
}


def env(
    *,
    dark: bool = False,
    density: float = DENSITY,
    font_scale: float = 1.0,
    insets: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0),
) -> Env:
    """Surroundings of a small window at a fixed time."""
    return Env(
        theme=Theme.of(dark),
        density=density,
        font_scale=font_scale,
        width_dp=WIDTH,
        height_dp=HEIGHT,
        insets=insets,
        now=datetime(2026, 11, 21, 9, 41),
    )


def laid(node: Node, state: LayoutState | None = None, around: Env | None = None) -> Placed:
    """The node as the root of a window of 400 x 800 dp."""
    return lay_out(node, around or env(), WIDTH, HEIGHT, state or LayoutState())


def alone(node: Node, state: LayoutState | None = None, around: Env | None = None) -> Placed:
    """The node as the only child of a column, that is, at its own size."""
    return laid(Column(node), state, around).children[0]


def pixels(node: Node, state: LayoutState | None = None, around: Env | None = None) -> bytes:
    """What a window with the node looks like."""
    around = around or env()
    canvas = PilCanvas(round(WIDTH * around.density), round(HEIGHT * around.density))
    canvas.clear(around.theme.color("surface"))
    state = state or LayoutState()
    draw(laid(node, state, around), canvas, around, state)
    return canvas.grab()


def tree(node: Node, state: LayoutState | None = None) -> A11yNode:
    """The accessibility tree of a window with the node."""
    state = state or LayoutState()
    (root,) = accessible(laid(node, state), "org.example", (0.0, 0.0), env(), state)
    return root


def window(root: A11yNode) -> A11yWindow:
    """An application window with that tree."""
    return A11yWindow(type="app", package=root.package, title="org.example/.Main", focused=True, root=root)


def every(node: A11yNode) -> list[A11yNode]:
    """A node and all below it."""
    return [node, *(found for child in node.children for found in every(child))]
